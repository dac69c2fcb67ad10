/* verify.c - verifies model files, in part when they are opened and in part on use.
 *
 * Checksums detect damage, but not files made to do harm. Every number that is used as an index or
 * a weight is therefore checked too. For a large file this would dominate the time of opening it,
 * so the file is divided into blocks (layout.h), each with a checksum. Both checks run on a whole
 * block before anything in it is used:
 *
 *     header, sums                  on opening
 *     labels .. slots, start        on opening: every lookup uses these
 *     weights                       when a lookup finds a row in the block (lookup.c), or by
 *                                   cau_model_verify
 *     names, and all of a pool      by cau_model_verify
 *
 * A verified block is marked and not checked again. Threads share the marks without ordering,
 * because the bytes never change; two threads may verify and mark the same block.
 *
 * The checks of numbers have no branches: they collect faults in one word. A block is hashed and
 * checked in one go, because loading it from memory dominates the cost. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/key.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/layout.h"

typedef enum { NOTHING, DAMAGED, CONTRADICTION } model_fault;

static caucus_status fail(caucus_ctx *ctx, const char *path, model_fault wrong)
{
    if (wrong == NOTHING) return CAUCUS_OK;
    if (!ctx) return CAUCUS_ERR_FORMAT;
    if (wrong == DAMAGED)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is damaged (its checksum differs); copy it again or train "
                        "it again",
                        path);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: the model contradicts itself; train it again",
                    path);
}

/* ---- numbers ------------------------------------------------------------------------- */

/* A section of numbers of one kind; a block may hold a part of it, items begin to end - 1. */
typedef struct cau_numbers section;
struct cau_numbers {
    const void *at;
    size_t size, count; /* of an item; of items */
    bool (*fits)(const section *s, size_t begin, size_t end);
    uint64_t limit;          /* depends on `fits` */
    const cau_packed *model; /* of a member: the weights of the model */
};

/* The exponent of infinity and NaN has all bits set; adding one overflows into the sign. */
static uint32_t not_finite(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return ((bits & 0x7F800000u) + 0x00800000u) >> 31;
}

static bool floats_fit(const section *s, size_t begin, size_t end)
{
    const float *x = s->at;
    uint32_t wrong = 0;
    for (size_t i = begin; i < end; i++) wrong |= not_finite(x[i]);
    return !wrong;
}

/* Packed weights, with cells below the limit. */
static bool packed_fit(const section *s, size_t begin, size_t end)
{
    const cau_packed *x = s->at;
    const uint64_t width = s->limit;
    uint32_t wrong = 0;
    for (size_t i = begin; i < end; i++)
        wrong |= (uint32_t)(x[i].cell >= width) | not_finite(x[i].weight);
    return !wrong;
}

/* Packed weights of a member: their cells are those of the model. */
static bool same_cells(const section *s, size_t begin, size_t end)
{
    const cau_packed *x = s->at;
    uint32_t wrong = 0;
    for (size_t i = begin; i < end; i++)
        wrong |= (x[i].cell ^ s->model[i].cell) | not_finite(x[i].weight);
    return !wrong;
}

/* Offsets that ascend from 0 to the limit. Each is compared with the one before, which may be in
 * the previous block. */
static bool ascending(const section *s, size_t begin, size_t end)
{
    const uint64_t *at = s->at;
    bool wrong = at[0] != 0 || (end == s->count && at[end - 1] != s->limit);
    for (size_t i = begin ? begin : 1; i < end; i++) wrong |= at[i - 1] > at[i];
    return !wrong;
}

/* Every search ends (the last value is the largest possible), at a row below the limit. */
static bool slots_fit(const section *s, size_t begin, size_t end)
{
    const cau_name_slot *slot = s->at;
    const uint64_t K = s->limit;
    uint32_t wrong = 0;
    if (end == s->count && cau_name_slot_value(&slot[end - 1]) != UINT64_MAX) return false;
    for (size_t i = begin; i < end; i++) wrong |= slot[i].row + 1u > K; /* CAU_UNKNOWN + 1 is 0 */
    return !wrong;
}

/* ---- blocks -------------------------------------------------------------------------- */

/* The number of items of a section that end before a place. An item across two blocks belongs to
 * the second. */
static size_t items_before(const section *s, const char *place)
{
    if (place <= (const char *)s->at) return 0;
    const size_t i = (size_t)(place - (const char *)s->at) / s->size;
    return i < s->count ? i : s->count;
}

static model_fault find_fault(const cau_blocks *b, size_t i)
{
    const char *begin = b->first + i * CAU_BLOCK;
    const char *end = b->end - begin < CAU_BLOCK ? b->end : begin + CAU_BLOCK;
    if (cau_hash(begin, (size_t)(end - begin), 0) != b->sum[i]) return DAMAGED;
    for (const section *s = b->section; s < b->section + b->sections; s++) {
        const size_t from = items_before(s, begin), to = items_before(s, end);
        if (from < to && !s->fits(s, from, to)) return CONTRADICTION;
    }
    return NOTHING;
}

bool cau_block_verify(cau_blocks *b, size_t i)
{
    const model_fault wrong = find_fault(b, i);
    if (wrong)
        atomic_store_explicit(&b->wrong, wrong, memory_order_relaxed);
    else
        atomic_store_explicit(&b->right[i], 1, memory_order_relaxed);
    return !wrong;
}

caucus_status cau_model_intact(caucus_ctx *ctx, const caucus_model *m)
{
    if (!m->blocks) return CAUCUS_OK;
    return fail(ctx, m->blocks->path,
                (model_fault)atomic_load_explicit(&m->blocks->wrong, memory_order_relaxed));
}

caucus_status cau_model_verify(caucus_ctx *ctx, const caucus_model *m)
{
    cau_blocks *b = m->blocks;
    if (!b || atomic_load_explicit(&b->whole, memory_order_relaxed)) return CAUCUS_OK;
    if (!cau_blocks_right(b, b->first, b->end)) return cau_model_intact(ctx, m);
    atomic_store_explicit(&b->whole, true, memory_order_relaxed);
    return CAUCUS_OK;
}

static void add_section(cau_blocks *b, section s)
{
    if (s.count) b->section[b->sections++] = s;
}

static void add_floats(cau_blocks *b, const float *x, size_t count)
{
    if (x)
        add_section(b, (section){.at = x, .size = sizeof *x, .count = count, .fits = floats_fit});
}

static void add_offsets(cau_blocks *b, const uint64_t *at, size_t count, uint64_t last)
{
    add_section(
        b, (section){
               .at = at, .size = sizeof *at, .count = count + 1, .fits = ascending, .limit = last});
}

static void add_observations(cau_blocks *b, const cau_observations *o, const cau_model_counts *n)
{
    add_section(b, (section){.at = o->slot,
                             .size = sizeof *o->slot,
                             .count = (size_t)n->places,
                             .fits = slots_fit,
                             .limit = o->K});
    add_offsets(b, o->name_at, o->K, n->name_bytes);
    add_floats(b, o->dense, o->K * o->width);
    if (o->dense) return;
    add_offsets(b, o->start, o->K, n->used);
    add_section(b, (section){.at = o->packed,
                             .size = sizeof *o->packed,
                             .count = (size_t)n->used,
                             .fits = packed_fit,
                             .limit = o->width});
}

static void add_member(cau_blocks *b, const cau_observations *o, const cau_observations *model,
                       const cau_model_counts *n)
{
    add_floats(b, o->dense, o->K * o->width);
    if (o->dense) return;
    add_section(b, (section){.at = o->packed,
                             .size = sizeof *o->packed,
                             .count = (size_t)n->used,
                             .fits = same_cells,
                             .model = model->packed});
}

/* Lists all sections of numbers that are checked by blocks. */
static void list_sections(cau_blocks *b, const caucus_model *m, const cau_model_header *h)
{
    add_offsets(b, m->label_at, m->Y, h->label_bytes);
    add_floats(b, m->transitions, m->Y * m->Y);
    add_floats(b, m->bias, m->Y);
    add_observations(b, &m->nodes, &h->nodes);
    add_observations(b, &m->edges, &h->edges);
    for (size_t j = 0; j < m->pool.J; j++) {
        add_member(b, &m->member[j].nodes, &m->nodes, &h->nodes);
        add_member(b, &m->member[j].edges, &m->edges, &h->edges);
        add_floats(b, m->member[j].transitions, m->Y * m->Y);
        add_floats(b, m->member[j].bias, m->Y);
    }
    if (m->gate.base) add_floats(b, m->gate.weight, m->nodes.K * m->pool.J);
}

/* At most 3 sections, 4 for the nodes, 4 for the edges, 4 for each member, and 1. */
static cau_blocks *blocks_new(const char *path, const caucus_model *m, const cau_model_layout *l)
{
    cau_blocks *b = cau_calloc(1, sizeof *b);
    if (!b) return NULL;
    b->first = (const char *)m->image + l->first;
    b->end = (const char *)m->image + l->bytes;
    b->sum = (const uint64_t *)((const char *)m->image + l->sums);
    b->right = cau_calloc(l->blocks, sizeof *b->right);
    b->section = cau_calloc(12 + 4 * (size_t)CAU_MEMBERS_MOST, sizeof *b->section);
    b->path = cau_alloc(strlen(path) + 1, 1);
    if (!b->right || !b->section || !b->path) {
        cau_blocks_free(b);
        return NULL;
    }
    strcpy(b->path, path);
    return b;
}

void cau_blocks_free(cau_blocks *b)
{
    if (!b) return;
    free(b->right);
    free(b->section);
    free(b->path);
    free(b);
}

/* ---- the rest of a file -------------------------------------------------------------- */

static uint64_t header_sum(const char *image, const cau_model_layout *l)
{
    const size_t from = offsetof(cau_model_header, nodes);
    return cau_hash(image + from, l->first - from, 0);
}

void cau_model_seal(void *image, const cau_model_layout *l)
{
    char *base = image;
    uint64_t *sum = (uint64_t *)(base + l->sums);
    for (size_t i = 0, at = l->first; at < l->bytes; i++, at += CAU_BLOCK)
        sum[i] = cau_hash(base + at, l->bytes - at < CAU_BLOCK ? l->bytes - at : CAU_BLOCK, 0);
    const uint64_t checksum = header_sum(base, l);
    memcpy(base + offsetof(cau_model_header, checksum), &checksum, sizeof checksum);
}

/* Whether the sections are those that the kind of model may have. */
static bool kind_fits(const caucus_model *m)
{
    switch (m->kind) {
    case CAU_KIND_MAXENT:
        return (m->nodes.width == m->Y || m->nodes.width == 1) && m->edges.K == 0 &&
               !m->transitions;
    case CAU_KIND_MEMM:
    case CAU_KIND_CRF:
        return m->nodes.width == m->Y;
    }
    return false;
}

static bool table_fits(const cau_model_counts *n)
{
    return n->slots >= 1 && n->places >= n->slots;
}

static bool header_fits(const caucus_model *m, const cau_model_header *h)
{
    return m->Y >= 1 && h->flags <= CAU_MODEL_FLAGS && h->base < CAU_KEY_BASES &&
           h->format < CAU_FORMATS && h->columns <= UINT32_MAX && h->ngrams >= 1 &&
           h->ngrams <= 8 && table_fits(&h->nodes) && table_fits(&h->edges) && kind_fits(m);
}

static bool texts_fit(const caucus_model *m)
{
    for (size_t y = 0; y < m->Y; y++) { /* each label ends where the next begins, with a NUL */
        size_t end = (size_t)m->label_at[y + 1];
        if (end == m->label_at[y] || m->label_bytes[end - 1] != '\0') return false;
    }
    size_t ends = 0; /* NULs in info: keys and values in pairs, the last one ended */
    for (size_t i = 0; i < m->info.n; i++) ends += m->info.s[i] == '\0';
    return ends % 2 == 0 && (m->info.n == 0 || m->info.s[m->info.n - 1] == '\0');
}

bool cau_model_pool_fits(const cau_pool *pool)
{
    if (pool->J > CAU_MEMBERS_MOST || pool->combine > CAU_COMBINE_STACK ||
        pool->per > CAU_PER_TRANSITION || pool->mix > CAU_MIX_EXACT)
        return false;
    if (pool->J == 0) return !pool->combine && !pool->per && !pool->mix;
    if (pool->combine == CAU_COMBINE_STACK && (pool->J > 1 || pool->per || pool->mix)) return false;
    double sum = 0;
    for (size_t j = 0; j < pool->J; j++) {
        const double alpha = pool->alpha[j];
        if (!isfinite(alpha) || (pool->combine == CAU_COMBINE_MIXTURE && alpha < 0)) return false;
        sum += alpha;
    }
    return pool->combine != CAU_COMBINE_MIXTURE || sum > 0;
}

static bool gate_fits(const caucus_model *m)
{
    if (!m->gate.base) return true;
    if (!cau_pool_takes_gate(&m->pool)) return false;
    for (size_t j = 0; j < m->pool.J; j++)
        if (!isfinite(m->gate.base[j])) return false;
    return true;
}

/* Checks the first bytes of a file, and its size. */
static caucus_status read_header(caucus_ctx *ctx, const char *path, const caucus_model *m,
                                 cau_model_header *h, cau_model_layout *l)
{
    *h = (cau_model_header){0};
    if (m->image) memcpy(h, m->image, m->bytes < sizeof *h ? m->bytes : sizeof *h);
    if (memcmp(h->magic, CAU_MODEL_MAGIC, sizeof h->magic) != 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: not a Caucus model; give a file that `caucus train` wrote", path);
    if (m->bytes >= offsetof(cau_model_header, nodes) && h->order != CAU_MODEL_BYTE_ORDER)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: written on a machine of the other byte order; use `inspect --dump` "
                        "there and `convert` here",
                        path);
    if (m->bytes >= offsetof(cau_model_header, nodes) && h->version != CAU_MODEL_VERSION)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: model format %u, and this program knows %d; train it again or use the "
                        "%s program",
                        path, h->version, CAU_MODEL_VERSION,
                        h->version < CAU_MODEL_VERSION ? "older" : "newer");
    if (m->bytes < sizeof *h || !cau_model_lay_out(h, l) || l->bytes > m->bytes)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is cut short or damaged; copy it again or train it again",
                        path);
    const bool right = l->bytes == m->bytes && header_sum(m->image, l) == h->checksum;
    return fail(ctx, path, right ? NOTHING : DAMAGED);
}

caucus_status cau_model_adopt(caucus_ctx *ctx, const char *path, caucus_model *m)
{
    caucus_status st = CAUCUS_OK;
    cau_model_header h;
    cau_model_layout l;
    TRY(read_header(ctx, path, m, &h, &l));
    m->blocks = blocks_new(path, m, &l);
    if (!m->blocks || !cau_model_set_views(m, &h, &l)) TRY(cau_fail_memory(ctx, "the model"));
    if (!header_fits(m, &h)) TRY(fail(ctx, path, CONTRADICTION));
    list_sections(m->blocks, m, &h);
    const char *end = (const char *)m->image + (m->pool.J ? l.bytes : l.later);
    if (!cau_blocks_right(m->blocks, m->blocks->first, end)) TRY(cau_model_intact(ctx, m));
    if (!texts_fit(m) || !cau_model_pool_fits(&m->pool) || !gate_fits(m))
        TRY(fail(ctx, path, CONTRADICTION));
    TRY(cau_model_read_layout(ctx, m));
done:
    return st;
}
