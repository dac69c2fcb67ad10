/* links.c - groups of must-linked items, cannot-links between them, and proofs of contradictions.
 *
 * Groups are trees of a union-find without path compression: the lighter tree goes below the root
 * of the heavier, so a root is O(log) steps away, and one assignment undoes a union. The members of
 * a group also form a ring; swapping two successors joins two rings, and swapping them back splits
 * them again.
 *
 * Cannot-links between groups are pairs of roots in a hash set. When a group goes below another,
 * its pairs are added for the new root; they are found by walking its members and their links. Only
 * the lighter group is walked (its weight is its items and the ends of its links), so all unions
 * together cost O((N + links) log(N + links)). Pairs of former roots stay: they are never looked
 * up, and are valid again after an undo.
 *
 * The links themselves are a graph: each item has a list of its hard links, the latest first.
 * Implied links are part of it, because they make proofs shorter. A contradiction is proved by a
 * shortest path in the graph, found breadth first in O(N + links):
 *     a cannot b, but both are in one group      a path of must-links from a to b
 *     a must b, but a cannot-link joins their    a path with one cannot-link, from A into B: states
 *     groups                                     are (item, whether the cannot-link was passed)
 */

#include "cluster/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "base/status.h"

#define NONE SIZE_MAX

/* End 2i is that of link i at a, end 2i + 1 that at b. */
typedef struct {
    cau_link link;
    size_t next[2];   /* the previous ends of a and b, or NONE; for hard links */
    size_t child;     /* the root that went below another root, or NONE */
    size_t forbidden; /* size of the set before the link */
} given;

struct cau_links {
    size_t N;
    given *given; /* [count] */
    size_t count, room;
    size_t *first;         /* [N] the latest end at the item, or NONE */
    uint32_t *parent;      /* [N] a root is its own parent */
    uint32_t *ring;        /* [N] the next member of the group */
    size_t *weight;        /* [N] of a root: items and ends in its group */
    cau_key_set forbidden; /* pairs of roots with a cannot-link */

    bool viewed;          /* `view` is up to date */
    cau_constraints view; /* in the arena */
    cau_arena memory;
};

static bool is_soft(cau_link link)
{
    return link.together > 0 && link.together < 1;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static uint32_t root(const cau_links *links, uint32_t item)
{
    while (links->parent[item] != item) item = links->parent[item];
    return item;
}

/* The item at the other side of an end, and the previous end in the list of its item. */
static uint32_t far_item(const cau_links *links, size_t end)
{
    const cau_link *link = &links->given[end / 2].link;
    return end % 2 ? link->a : link->b;
}

static size_t next_end(const cau_links *links, size_t end)
{
    return links->given[end / 2].next[end % 2];
}

static bool is_cannot(const cau_links *links, size_t end)
{
    return links->given[end / 2].link.together == 0;
}

/* Adds the pairs of group `child` for the root above it. */
static void inherit_pairs(cau_links *links, uint32_t child, uint32_t parent)
{
    uint32_t item = child;
    do {
        for (size_t end = links->first[item]; end != NONE; end = next_end(links, end))
            if (is_cannot(links, end))
                cau_key_set_add(&links->forbidden,
                                pair_key(parent, root(links, far_item(links, end))));
        item = links->ring[item];
    } while (item != child);
}

/* Joins two rings, or splits one. */
static void swap_successors(cau_links *links, uint32_t a, uint32_t b)
{
    const uint32_t next = links->ring[a];
    links->ring[a] = links->ring[b];
    links->ring[b] = next;
}

/* Adds a link without contradiction; false when memory is short, and nothing changes. */
static bool insert(cau_links *links, cau_link link)
{
    if (!CAU_GROW(links->given, links->room, links->count + 1)) return false;
    given *g = &links->given[links->count];
    *g = (given){link, {NONE, NONE}, NONE, links->forbidden.count};
    if (!is_soft(link)) {
        uint32_t heavy = root(links, link.a), light = root(links, link.b);
        if (links->weight[heavy] < links->weight[light]) {
            const uint32_t other = heavy;
            heavy = light;
            light = other;
        }
        if (link.together == 0) {
            if (!cau_key_set_reserve(&links->forbidden, 1)) return false;
            cau_key_set_add(&links->forbidden, pair_key(heavy, light));
            links->weight[heavy]++;
            links->weight[light]++;
        } else {
            if (heavy != light) {
                if (!cau_key_set_reserve(&links->forbidden, links->weight[light])) return false;
                inherit_pairs(links, light, heavy);
                links->parent[light] = heavy;
                links->weight[heavy] += links->weight[light];
                swap_successors(links, light, heavy);
                g->child = light;
            }
            links->weight[heavy] += 2;
        }
        g->next[0] = links->first[link.a];
        g->next[1] = links->first[link.b];
        links->first[link.a] = 2 * links->count;
        links->first[link.b] = 2 * links->count + 1;
    }
    links->count++;
    links->viewed = false;
    return true;
}

caucus_status cau_links_drop_last(caucus_ctx *ctx, cau_links *links)
{
    if (links->count == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "there is no link to take back");
    const given *g = &links->given[--links->count];
    links->viewed = false;
    if (is_soft(g->link)) return CAUCUS_OK;
    links->first[g->link.a] = g->next[0];
    links->first[g->link.b] = g->next[1];
    links->weight[root(links, g->link.a)]--;
    links->weight[root(links, g->link.b)]--;
    if (g->child != NONE) {
        const uint32_t light = (uint32_t)g->child, heavy = links->parent[light];
        swap_successors(links, light, heavy);
        links->weight[heavy] -= links->weight[light];
        links->parent[light] = light;
    }
    cau_key_set_drop(&links->forbidden, g->forbidden);
    return CAUCUS_OK;
}

cau_pair_state cau_links_state(const cau_links *links, uint32_t a, uint32_t b)
{
    const uint32_t x = root(links, a), y = root(links, b);
    if (x == y) return CAU_PAIR_TOGETHER;
    return cau_key_set_find(&links->forbidden, pair_key(x, y)) == SIZE_MAX ? CAU_PAIR_OPEN
                                                                           : CAU_PAIR_APART;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

enum { CHAIN_SHOWN = 12 }; /* links in a message; the middle of a longer chain is left out */

/* The ends that lead from a to b by must-links and, with `crossing`, one cannot-link; such a chain
 * exists. path [*length] is at the end of memory [2N], in the order from a to b; `from` [2N] is
 * scratch, zeroed.
 *     state i: at item i; N + i: the same after the cannot-link */
static const size_t *shortest_chain(const cau_links *links, uint32_t a, uint32_t b, bool crossing,
                                    size_t *from, size_t *memory, size_t *length)
{
    const size_t N = links->N, goal = crossing ? N + b : b;
    const uint32_t target = root(links, b);
    size_t *queue = memory, head = 0, tail = 0;
    queue[tail++] = a;
    from[a] = NONE;
    while (head < tail && !from[goal]) {
        const size_t state = queue[head++], side = state < N ? 0 : N;
        for (size_t end = links->first[state - side]; end != NONE; end = next_end(links, end)) {
            const uint32_t item = far_item(links, end);
            size_t next = item + side;
            if (is_cannot(links, end)) {
                if (!crossing || side || root(links, item) != target) continue;
                next = item + N;
            }
            if (from[next]) continue;
            from[next] = end + 1;
            queue[tail++] = next;
        }
    }

    size_t *path = memory + 2 * N, state = goal;
    while (from[state] != NONE) {
        const size_t end = from[state] - 1;
        const uint32_t before = far_item(links, end ^ 1);
        *--path = end;
        state = state >= N && !is_cannot(links, end) ? N + before : before;
    }
    *length = (size_t)(memory + 2 * N - path);
    return path;
}

static void say_link(cau_strbuf *out, const cau_alphabet *names, uint32_t a, uint32_t b,
                     bool cannot)
{
    const cau_str from = cau_alphabet_name(names, a), to = cau_alphabet_name(names, b);
    cau_strbuf_printf(out, "%.*s %s %.*s", CAU_SHOWN(from), cannot ? "cannot" : "must",
                      CAU_SHOWN(to));
}

/* Refuses a link with a proof. */
static caucus_status contradiction(caucus_ctx *ctx, const cau_links *links,
                                   const cau_alphabet *names, cau_link link)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf words = {0};
    size_t states = 0, length = 0;
    size_t *from = NULL, *memory = NULL;
    if (cau_size_mul(2, links->N, &states)) {
        from = cau_calloc(states, sizeof *from);
        memory = cau_alloc(states, sizeof *memory);
    }
    if (!from || !memory) TRY(cau_fail_memory(ctx, "the proof of a contradiction"));
    const size_t *path =
        shortest_chain(links, link.a, link.b, link.together > 0, from, memory, &length);
    for (size_t i = 0; i < length; i++) {
        if (length > CHAIN_SHOWN && i == CHAIN_SHOWN / 2) {
            cau_strbuf_printf(&words, "(%zu more links), ", length - CHAIN_SHOWN);
            i = length - CHAIN_SHOWN / 2;
        }
        say_link(&words, names, far_item(links, path[i] ^ 1), far_item(links, path[i]),
                 is_cannot(links, path[i]));
        cau_strbuf_printf(&words, ", ");
    }
    cau_strbuf_printf(&words, "so ");
    say_link(&words, names, link.a, link.b, link.together == 0);
    TRY(cau_strbuf_status(ctx, &words));
    st = cau_fail(ctx, CAUCUS_ERR_FORMAT,
                  "%s contradicts; drop one of these links, or give one a probability (must:0.9)",
                  words.s);
done:
    free(from);
    free(memory);
    cau_strbuf_clear(&words);
    return st;
}

/* ---- links ----------------------------------------------------------------------------------- */

caucus_status cau_links_new(caucus_ctx *ctx, size_t N, cau_links **out)
{
    caucus_status st = CAUCUS_OK;
    cau_links *links = NULL;
    if (N >= UINT32_MAX)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%zu items are more than links can tell apart", N));
    links = cau_calloc(1, sizeof *links);
    if (!links) TRY(cau_fail_memory(ctx, "the links"));
    links->N = N;
    links->first = cau_alloc(N, sizeof *links->first);
    links->parent = cau_alloc(N, sizeof *links->parent);
    links->ring = cau_alloc(N, sizeof *links->ring);
    links->weight = cau_alloc(N, sizeof *links->weight);
    if (!links->first || !links->parent || !links->ring || !links->weight)
        TRY(cau_fail_memory(ctx, "the links"));
    for (uint32_t i = 0; i < N; i++) {
        links->first[i] = NONE;
        links->parent[i] = links->ring[i] = i;
        links->weight[i] = 1;
    }
    *out = links;
    links = NULL; /* the caller owns it from here */
done:
    cau_links_free(links);
    return st;
}

void cau_links_free(cau_links *links)
{
    if (!links) return;
    free(links->given);
    free(links->first);
    free(links->parent);
    free(links->ring);
    free(links->weight);
    cau_key_set_clear(&links->forbidden);
    cau_arena_clear(&links->memory);
    free(links);
}

caucus_status cau_links_add(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                            cau_link link)
{
    if (link.a >= links->N || link.b >= links->N || link.a == link.b)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a link takes two different items of %zu",
                        links->N);
    if (!(link.together >= 0 && link.together <= 1))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a link says with a probability from 0 to 1 that two items are together");
    if (!is_soft(link) && cau_links_state(links, link.a, link.b) ==
                              (link.together == 0 ? CAU_PAIR_TOGETHER : CAU_PAIR_APART))
        return contradiction(ctx, links, names, link);
    return insert(links, link) ? CAUCUS_OK : cau_fail_memory(ctx, "the links");
}

size_t cau_links_count(const cau_links *links)
{
    return links->count;
}

cau_link cau_links_at(const cau_links *links, size_t i)
{
    return links->given[i].link;
}

/* ---- as the sampler sees them ---------------------------------------------------------------- */

/* One side of a link; these become the rows of both views. */
typedef struct {
    uint32_t from, to;
    double log_odds;
} half;

static int compare_halves(const void *a, const void *b)
{
    const half *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->log_odds > y->log_odds) - (x->log_odds < y->log_odds);
}

/* Sorts h [n] and joins equal pairs by adding their log odds. Allocates start [rows + 1], to and,
 * if wanted, log_odds in the arena. */
static bool index_halves(cau_arena *arena, half *h, size_t n, size_t rows, const size_t **start,
                         const uint32_t **to, const double **log_odds)
{
    size_t used = 0;
    if (n) qsort(h, n, sizeof *h, compare_halves);
    for (size_t i = 0; i < n; i++) {
        if (used && h[used - 1].from == h[i].from && h[used - 1].to == h[i].to)
            h[used - 1].log_odds += h[i].log_odds;
        else
            h[used++] = h[i];
    }
    size_t *s = cau_arena_alloc(arena, rows + 1, sizeof *s);
    uint32_t *t = cau_arena_alloc(arena, used, sizeof *t);
    double *o = log_odds ? cau_arena_alloc(arena, used, sizeof *o) : NULL;
    if (!s || !t || (log_odds && !o)) return false;
    for (size_t row = 0, i = 0; row <= rows; row++) {
        while (i < used && h[i].from < row) i++;
        s[row] = i;
    }
    for (size_t i = 0; i < used; i++) {
        t[i] = h[i].to;
        if (o) o[i] = h[i].log_odds;
    }
    *start = s;
    *to = t;
    if (log_odds) *log_odds = o;
    return true;
}

/* Numbers the groups by their first items and lists their members. */
static bool index_groups(cau_links *links, cau_constraints *view)
{
    const size_t N = links->N;
    uint32_t *group = cau_arena_alloc(&links->memory, N, sizeof *group);
    uint32_t *member = cau_arena_alloc(&links->memory, N, sizeof *member);
    size_t *start = cau_arena_alloc(&links->memory, N + 1, sizeof *start);
    if (!group || !member || !start) return false;
    size_t G = 0;
    for (uint32_t i = 0; i < N; i++) group[i] = UINT32_MAX;
    for (uint32_t i = 0; i < N; i++) {
        if (group[i] != UINT32_MAX) continue;
        uint32_t item = i;
        do {
            group[item] = (uint32_t)G;
            item = links->ring[item];
        } while (item != i);
        G++;
    }
    memset(start, 0, (G + 1) * sizeof *start);
    for (size_t i = 0; i < N; i++) start[group[i] + 1]++;
    for (size_t g = 0; g < G; g++) start[g + 1] += start[g];
    for (uint32_t i = 0; i < N; i++) member[start[group[i]]++] = i;
    for (size_t g = G; g > 0; g--) start[g] = start[g - 1]; /* back to the start of each group */
    start[0] = 0;
    view->G = G;
    view->group = group;
    view->start = start;
    view->member = member;
    return true;
}

/* Lists the cannot-links between groups and the soft links that still matter. */
static bool index_links(cau_links *links, cau_constraints *view)
{
    bool done = false;
    size_t most, forbidden = 0, soft = 0;
    half *hard = NULL, *weak = NULL;
    if (!cau_size_mul(2, links->count, &most)) return false;
    hard = cau_alloc(most, sizeof *hard);
    weak = cau_alloc(most, sizeof *weak);
    if (hard && weak) {
        for (size_t i = 0; i < links->count; i++) {
            const cau_link link = links->given[i].link;
            const uint32_t g = view->group[link.a], h = view->group[link.b];
            if (link.together == 0) {
                hard[forbidden++] = (half){g, h, 0};
                hard[forbidden++] = (half){h, g, 0};
            } else if (is_soft(link) && cau_links_state(links, link.a, link.b) == CAU_PAIR_OPEN) {
                const double log_odds = log(link.together) - log1p(-link.together);
                weak[soft++] = (half){link.a, link.b, log_odds};
                weak[soft++] = (half){link.b, link.a, log_odds};
            }
        }
        done = index_halves(&links->memory, hard, forbidden, view->G, &view->forbid_start,
                            &view->forbid, NULL) &&
               index_halves(&links->memory, weak, soft, view->N, &view->soft_start,
                            &view->soft_item, &view->soft_log_odds);
    }
    free(hard);
    free(weak);
    return done;
}

caucus_status cau_links_constraints(caucus_ctx *ctx, cau_links *links, cau_constraints *out)
{
    if (!links->viewed) {
        cau_constraints view = {.N = links->N};
        cau_arena_clear(&links->memory);
        if (!index_groups(links, &view) || !index_links(links, &view)) {
            cau_arena_clear(&links->memory);
            return cau_fail_memory(ctx, "the constraints");
        }
        links->view = view;
        links->viewed = true;
    }
    *out = links->view;
    return CAUCUS_OK;
}
