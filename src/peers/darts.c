/* darts.c - reads and builds double arrays (darts.h).
 *
 * Reading: the children of node b are the units with check b, which counting sorts by their check.
 * Each node is visited once, so the work is bounded by the number of units.
 *
 * Building: nodes are placed one after the other. A node with children c_0 < c_1 < ... needs a base
 * b that no other node has, with all units b + c_i free (here c counts from 1, and 0 is the end of
 * a key). Free units form a list; a node tries those from a hint on, which moves behind places
 * where many searches failed. */

#include "peers/darts.h"

#include <stdlib.h>

#include "peers/peer_model.h"
#include "peers/save_model.h"

enum { CODES = 257 }; /* the end of a key, and 256 bytes */

/* ---- reading --------------------------------------------------------------------------------- */

/* A node whose children are being visited. */
typedef struct {
    uint32_t base;
    uint32_t next, end; /* of `child` */
} trie_visit;

typedef struct {
    cau_arena *arena;
    cau_str units;
    uint32_t n;      /* units */
    uint32_t *first; /* [n + 1] of the children of a base */
    uint32_t *child; /* [n] units by their check */
    uint8_t *seen;   /* [n] bases that were visited */
    trie_visit *path;
    size_t depth, path_room;
    cau_strbuf text; /* of the path */
    cau_darts_key *key;
    size_t keys, key_room;
    size_t bytes, most; /* of all keys */
} trie_reader;

static uint32_t base_at(const trie_reader *r, uint32_t unit)
{
    return cau_peer_u32(r->units.s + (size_t)unit * CAU_DARTS_UNIT);
}

/* The node whose child a unit is; 0 if it is none. */
static uint32_t check_at(const trie_reader *r, uint32_t unit)
{
    const uint32_t check = cau_peer_u32(r->units.s + (size_t)unit * CAU_DARTS_UNIT + 4);
    return check <= unit && unit - check < CODES ? check : 0;
}

static caucus_status sort_children(trie_reader *r)
{
    r->first = cau_calloc((size_t)r->n + 2, sizeof *r->first);
    r->child = cau_alloc(r->n, sizeof *r->child);
    r->seen = cau_calloc(r->n, sizeof *r->seen);
    if (!r->first || !r->child || !r->seen) return CAUCUS_ERR_MEMORY;
    for (uint32_t u = 1; u < r->n; u++) r->first[check_at(r, u) + 2]++;
    for (uint32_t b = 2; b <= r->n; b++) r->first[b] += r->first[b - 1];
    for (uint32_t u = 1; u < r->n; u++) r->child[r->first[check_at(r, u) + 1]++] = u;
    return CAUCUS_OK;
}

static caucus_status enter_node(trie_reader *r, uint32_t base)
{
    if (base == 0 || base >= r->n || r->seen[base]) return CAUCUS_ERR_FORMAT;
    if (!CAU_GROW(r->path, r->path_room, r->depth + 1)) return CAUCUS_ERR_MEMORY;
    r->seen[base] = 1;
    r->path[r->depth++] = (trie_visit){base, r->first[base], r->first[base + 1]};
    return CAUCUS_OK;
}

/* A key ends here. */
static caucus_status add_key(trie_reader *r, uint32_t base)
{
    if (base <= INT32_MAX || r->text.n == 0) return CAUCUS_ERR_FORMAT;
    r->bytes += r->text.n;
    if (r->bytes > r->most) return CAUCUS_ERR_FORMAT;
    if (!CAU_GROW(r->key, r->key_room, r->keys + 1)) return CAUCUS_ERR_MEMORY;
    const char *text = cau_arena_copy(r->arena, r->text.s, r->text.n);
    if (!text) return CAUCUS_ERR_MEMORY;
    r->key[r->keys++] = (cau_darts_key){{text, r->text.n}, ~base}; /* -base - 1 */
    return CAUCUS_OK;
}

static caucus_status visit(trie_reader *r)
{
    caucus_status st = CAUCUS_OK;
    TRY(enter_node(r, base_at(r, 0)));
    while (r->depth) {
        trie_visit *at = &r->path[r->depth - 1];
        if (at->next == at->end) {
            r->depth--;
            if (r->text.n) r->text.n--;
            continue;
        }
        const uint32_t unit = r->child[at->next++], code = unit - at->base;
        if (code == 0) {
            TRY(add_key(r, base_at(r, unit)));
            continue;
        }
        const char byte = (char)(code - 1);
        if (!byte) TRY(CAUCUS_ERR_FORMAT);
        cau_strbuf_add(&r->text, &byte, 1);
        if (r->text.failed) TRY(CAUCUS_ERR_MEMORY);
        TRY(enter_node(r, base_at(r, unit)));
    }
done:
    return st;
}

caucus_status cau_darts_read(cau_arena *arena, cau_str units, cau_darts_key **keys, size_t *count)
{
    caucus_status st = CAUCUS_OK;
    trie_reader r = {.arena = arena, .units = units};
    if (units.n % CAU_DARTS_UNIT || units.n == 0 || units.n / CAU_DARTS_UNIT >= INT32_MAX)
        TRY(CAUCUS_ERR_FORMAT);
    r.n = (uint32_t)(units.n / CAU_DARTS_UNIT);
    r.most = ((size_t)1 << 20) + 64 * units.n;
    TRY(sort_children(&r));
    TRY(visit(&r));
    *keys = cau_arena_alloc(arena, r.keys, sizeof **keys);
    if (!*keys) TRY(CAUCUS_ERR_MEMORY);
    if (r.keys) memcpy(*keys, r.key, r.keys * sizeof **keys);
    *count = r.keys;
done:
    free(r.first);
    free(r.child);
    free(r.seen);
    free(r.path);
    free(r.key);
    cau_strbuf_clear(&r.text);
    return st;
}

/* ---- building -------------------------------------------------------------------------------- */

enum { FAILURES = 64 }; /* of a search before the hint moves */

/* A unit: base and check once it is taken; before that, the next free unit and the one before it.
 * Unit 0 begins and ends the list. */
typedef struct {
    uint32_t base, check;
} trie_unit;

/* A node to be placed: keys [first, end) have `depth` bytes in common. */
typedef struct {
    size_t first, end;
    size_t depth;
    uint32_t unit; /* that will hold its base */
} trie_node;

typedef struct {
    const cau_darts_key *key;
    trie_unit *unit;
    uint8_t *taken, *is_base; /* of units */
    size_t units;             /* that exist */
    size_t unit_room, taken_room, is_base_room;
    uint32_t hint[2]; /* where a node of one child, or of several, begins to search */
    size_t used;      /* units up to the last one that is taken */
    uint32_t root;    /* its base; unit 0 gets it at the end */
    trie_node *node;
    size_t nodes, node_room;
} trie_builder;

/* Makes units up to `count`, all free at the end of the list. */
static bool extend(trie_builder *b, size_t count)
{
    if (count <= b->units) return true;
    if (count < 2 * b->units) count = 2 * b->units;
    if (count > INT32_MAX || !CAU_GROW(b->unit, b->unit_room, count) ||
        !CAU_GROW(b->taken, b->taken_room, count) || !CAU_GROW(b->is_base, b->is_base_room, count))
        return false;
    for (size_t u = b->units; u < count; u++) {
        b->taken[u] = b->is_base[u] = 0;
        if (u == 0) {
            b->unit[0] = (trie_unit){0, 0};
            continue;
        }
        const uint32_t last = b->unit[0].check;
        b->unit[u] = (trie_unit){0, last};
        b->unit[last].base = (uint32_t)u;
        b->unit[0].check = (uint32_t)u;
    }
    b->units = count;
    return true;
}

static void take_unit(trie_builder *b, uint32_t u, uint32_t check)
{
    const trie_unit free_unit = b->unit[u];
    b->unit[free_unit.check].base = free_unit.base;
    b->unit[free_unit.base].check = free_unit.check;
    for (int i = 0; i < 2; i++)
        if (b->hint[i] == u) b->hint[i] = free_unit.base;
    b->taken[u] = 1;
    b->unit[u] = (trie_unit){0, check};
    if (u >= b->used) b->used = (size_t)u + 1;
}

/* A base for children with these codes, ascending; 0 when memory is short. */
static uint32_t find_base(trie_builder *b, const uint32_t *code, size_t count)
{
    size_t failures = 0;
    uint32_t *hint = &b->hint[count > 1], at = *hint ? *hint : b->unit[0].base;
    for (;;) {
        if (at == 0) { /* behind all units */
            at = (uint32_t)b->units;
            if (!extend(b, b->units + CODES)) return 0;
        }
        const uint32_t base = at - code[0];
        bool fits = at > code[0] && !b->is_base[base];
        if (fits && !extend(b, (size_t)base + CODES)) return 0;
        for (size_t i = 1; i < count && fits; i++) fits = !b->taken[base + code[i]];
        if (fits) return base;
        at = b->unit[at].base;
        if (++failures % FAILURES == 0) *hint = at;
    }
}

/* The code of a key after `depth` bytes: 0 at its end. */
static uint32_t code_at(const cau_darts_key *key, size_t depth)
{
    return depth < key->text.n ? (uint32_t)(unsigned char)key->text.s[depth] + 1 : 0;
}

static caucus_status place_node(trie_builder *b, trie_node node)
{
    uint32_t code[CODES];
    size_t count = 0, begin[CODES + 1];
    for (size_t k = node.first; k < node.end; k++) {
        const uint32_t c = code_at(&b->key[k], node.depth);
        if (count && code[count - 1] == c) continue;
        begin[count] = k;
        code[count++] = c;
    }
    begin[count] = node.end;
    const uint32_t base = find_base(b, code, count);
    if (!base || !CAU_GROW(b->node, b->node_room, b->nodes + count)) return CAUCUS_ERR_MEMORY;
    b->is_base[base] = 1;
    *(node.unit ? &b->unit[node.unit].base : &b->root) = base;
    for (size_t i = 0; i < count; i++) take_unit(b, base + code[i], base);
    for (size_t i = count; i-- > 0;)
        if (code[i] == 0)
            b->unit[base].base = ~b->key[begin[i]].value;
        else
            b->node[b->nodes++] =
                (trie_node){begin[i], begin[i + 1], node.depth + 1, base + code[i]};
    return CAUCUS_OK;
}

caucus_status cau_darts_build(const cau_darts_key *keys, size_t count, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    trie_builder b = {.key = keys, .used = 1};
    if (!extend(&b, 2 * CODES)) TRY(CAUCUS_ERR_MEMORY);
    if (count) TRY(place_node(&b, (trie_node){.first = 0, .end = count}));
    while (b.nodes) TRY(place_node(&b, b.node[--b.nodes]));
    if (!extend(&b, b.used + CODES)) TRY(CAUCUS_ERR_MEMORY);
    for (size_t u = 0; u < b.used + CODES; u++) { /* a search may look that far */
        cau_peer_put_u32(out, u == 0 ? b.root : b.taken[u] ? b.unit[u].base : 0);
        cau_peer_put_u32(out, b.taken[u] ? b.unit[u].check : 0);
    }
    if (out->failed) st = CAUCUS_ERR_MEMORY;
done:
    free(b.unit);
    free(b.taken);
    free(b.is_base);
    free(b.node);
    return st;
}
