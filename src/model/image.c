/* image.c - the model file: where its sections are, how it is opened, checked and saved. The
 * layout is described in layout.h.
 *
 * Opening maps the file and looks at every byte of it once or twice: for the checksum, and for
 * the numbers that are used as an index or a weight later. That has to be fast, so the checks
 * have no branches: they collect what is wrong in one word and look at that at the end. */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/key.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "model/layout.h"

enum { ALIGN = 64 };

/* ---- layout -------------------------------------------------------------------------- */

/* Reserves a section of count items; false when the sum does not fit. */
static bool place(size_t *at, size_t *section, uint64_t count, size_t size)
{
    size_t bytes;
    *section = *at;
    if (!cau_size_mul((size_t)count, size, &bytes)) return false;
    if (!cau_size_add(bytes, ALIGN - 1, &bytes)) return false;
    return cau_size_add(*at, bytes & ~(size_t)(ALIGN - 1), at);
}

static bool place_weights(size_t *at, size_t *section, const cau_model_counts *n, uint64_t width,
                          bool packed)
{
    size_t dense;
    if (packed) return place(at, section, n->used, sizeof(cau_packed));
    return cau_size_mul((size_t)n->K, (size_t)width, &dense) &&
           place(at, section, dense, sizeof(float));
}

static bool place_observations(size_t *at, cau_model_places *o, const cau_model_counts *n,
                               uint64_t width, bool packed)
{
    return n->K < CAU_UNKNOWN && place(at, &o->slots, n->places, sizeof(cau_slot)) &&
           place(at, &o->name_at, n->K + 1, sizeof(uint64_t)) &&
           place(at, &o->names, n->name_bytes, 1) &&
           place(at, &o->start, packed ? n->K + 1 : 0, sizeof(uint64_t)) &&
           place_weights(at, &o->weights, n, width, packed);
}

bool cau_model_lay_out(const cau_model_header *h, cau_model_layout *l)
{
    size_t at = (sizeof *h + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (h->Y >= CAU_UNKNOWN || h->members > CAU_MEMBERS_MOST) return false;
    const uint64_t pairs = h->Y * h->Y;
    if (h->edges.K > 0 && pairs >= CAU_UNKNOWN) return false; /* cells have 32 bits */
    const bool nodes_packed = h->flags & CAU_MODEL_NODES_PACKED;
    const bool edges_packed = h->flags & CAU_MODEL_EDGES_PACKED;
    const uint64_t plain = h->flags & CAU_MODEL_PLAIN ? pairs : 0;
    const uint64_t bias = h->flags & CAU_MODEL_BIAS ? h->Y : 0;
    if (!place_observations(&at, &l->nodes, &h->nodes, h->width, nodes_packed) ||
        !place_observations(&at, &l->edges, &h->edges, pairs, edges_packed) ||
        !place(&at, &l->label_at, h->Y + 1, sizeof(uint64_t)) ||
        !place(&at, &l->labels, h->label_bytes, 1) || !place(&at, &l->info, h->info_bytes, 1) ||
        !place(&at, &l->template, h->template_bytes, 1) ||
        !place(&at, &l->plain, plain, sizeof(float)) || !place(&at, &l->bias, bias, sizeof(float)))
        return false;

    cau_model_member_places *member = &l->member;
    const uint64_t gates = h->flags & CAU_MODEL_GATE ? h->members : 0;
    size_t gate;
    member->bytes = 0;
    if (!place_weights(&member->bytes, &member->nodes, &h->nodes, h->width, nodes_packed) ||
        !place_weights(&member->bytes, &member->edges, &h->edges, pairs, edges_packed) ||
        !place(&member->bytes, &member->plain, plain, sizeof(float)) ||
        !place(&member->bytes, &member->bias, bias, sizeof(float)) ||
        !place(&at, &l->alpha, h->members, sizeof(double)) ||
        !place(&at, &l->members, h->members, member->bytes) ||
        !place(&at, &l->gate_base, gates, sizeof(double)) ||
        !cau_size_mul((size_t)h->nodes.K, (size_t)gates, &gate) ||
        !place(&at, &l->gate, gate, sizeof(float)))
        return false;
    l->bytes = at;
    return true;
}

static cau_observations view(const char *base, const cau_model_places *at,
                             const cau_model_counts *n, uint64_t width, bool packed)
{
    return (cau_observations){
        .K = (size_t)n->K,
        .width = (size_t)width,
        .slot = (const cau_slot *)(base + at->slots),
        .slots = (size_t)n->slots,
        .name_at = (const uint64_t *)(base + at->name_at),
        .name_bytes = base + at->names,
        .dense = packed ? NULL : (const float *)(base + at->weights),
        .start = packed ? (const uint64_t *)(base + at->start) : NULL,
        .packed = packed ? (const cau_packed *)(base + at->weights) : NULL,
    };
}

/* The same observations with weights elsewhere. */
static cau_observations with_weights(const cau_observations *of, const char *weights)
{
    cau_observations other = *of;
    if (of->dense)
        other.dense = (const float *)weights;
    else
        other.packed = (const cau_packed *)weights;
    return other;
}

static bool view_members(caucus_model *m, const cau_model_header *h, const cau_model_layout *l)
{
    const char *base = (const char *)m->image + l->members;
    m->pool = (cau_pool){.J = h->members,
                         .combine = (cau_combine)h->combine,
                         .per = (cau_per)h->per,
                         .mix = (cau_mix)h->mix};
    m->gate = (cau_gate){NULL, NULL};
    if (h->flags & CAU_MODEL_GATE)
        m->gate = (cau_gate){(const double *)((const char *)m->image + l->gate_base),
                             (const float *)((const char *)m->image + l->gate)};
    if (h->members == 0) return true;
    m->pool.alpha = (const double *)((const char *)m->image + l->alpha);
    m->member = cau_calloc(h->members, sizeof *m->member);
    if (!m->member) return false;
    for (size_t j = 0; j < h->members; j++, base += l->member.bytes)
        m->member[j] =
            (cau_member){.nodes = with_weights(&m->nodes, base + l->member.nodes),
                         .edges = with_weights(&m->edges, base + l->member.edges),
                         .plain = m->plain ? (const float *)(base + l->member.plain) : NULL,
                         .bias = m->bias ? (const float *)(base + l->member.bias) : NULL};
    return true;
}

bool cau_model_set_views(caucus_model *m, const cau_model_header *h, const cau_model_layout *l)
{
    const char *base = m->image;
    const uint32_t flags = h->flags;
    m->kind = (cau_kind)h->kind;
    m->Y = (size_t)h->Y;
    m->nodes = view(base, &l->nodes, &h->nodes, h->width, flags & CAU_MODEL_NODES_PACKED);
    m->edges = view(base, &l->edges, &h->edges, h->Y * h->Y, flags & CAU_MODEL_EDGES_PACKED);
    m->read = (cau_read_options){.format = (cau_format)h->format,
                                 .ngrams = h->ngrams,
                                 .lower = flags & CAU_MODEL_LOWER,
                                 .counts = flags & CAU_MODEL_COUNTS,
                                 .values = flags & CAU_MODEL_VALUES,
                                 .comments = flags & CAU_MODEL_COMMENTS,
                                 .docstart = flags & CAU_MODEL_DOCSTART,
                                 .columns = h->columns};
    m->base = h->base;
    m->label_at = (const uint64_t *)(base + l->label_at);
    m->label_bytes = base + l->labels;
    m->info = (cau_str){base + l->info, (size_t)h->info_bytes};
    m->template = (cau_str){NULL, 0};
    if (h->template_bytes) m->template = (cau_str){base + l->template, (size_t)h->template_bytes};
    m->plain = flags & CAU_MODEL_PLAIN ? (const float *)(base + l->plain) : NULL;
    m->bias = flags & CAU_MODEL_BIAS ? (const float *)(base + l->bias) : NULL;
    return view_members(m, h, l);
}

uint64_t cau_model_checksum(const void *image, size_t bytes)
{
    size_t from = offsetof(cau_model_header, nodes);
    return cau_hash((const char *)image + from, bytes - from, 0);
}

/* ---- checking ------------------------------------------------------------------------ */

/* A file is larger than the caches, and bringing it in is what opening costs. So it is brought in
 * once: a block is hashed for the checksum, and checked while it is near. */
enum { BLOCK = 16384 }; /* items of 4 to 12 bytes */

typedef struct {
    XXH3_state_t hash;
    const char *at; /* so far */
} pass;

/* Hashes what lies before `end` and is not hashed yet. */
static void hash_to(pass *p, const void *end)
{
    const char *to = end;
    if (to <= p->at) return;
    XXH3_64bits_update(&p->hash, p->at, (size_t)(to - p->at));
    p->at = to;
}

static size_t block_end(size_t begin, size_t n)
{
    return n - begin < BLOCK ? n : begin + BLOCK;
}

/* Ascending offsets from 0 to `last`. */
static bool ascending(pass *p, const uint64_t *at, size_t count, uint64_t last)
{
    bool wrong = at[0] != 0 || at[count] != last;
    for (size_t i = 0; i < count;) {
        const size_t end = block_end(i, count);
        hash_to(p, at + end);
        for (; i < end; i++) wrong |= at[i] > at[i + 1];
    }
    return !wrong;
}

/* The exponent of what is not finite has all bits set; one more makes it overflow into the
 * sign. */
static uint32_t not_finite(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return ((bits & 0x7F800000u) + 0x00800000u) >> 31;
}

static bool all_finite(pass *p, const float *x, size_t n)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = block_end(i, n);
        hash_to(p, x + end);
        for (; i < end; i++) wrong |= not_finite(x[i]);
    }
    return !wrong;
}

static bool packed_fits(pass *p, const cau_packed *packed, size_t n, size_t width)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = block_end(i, n);
        hash_to(p, packed + end);
        for (; i < end; i++)
            wrong |= (uint32_t)(packed[i].cell >= width) | not_finite(packed[i].weight);
    }
    return !wrong;
}

/* The cells of a member are those of the model. */
static bool same_cells(pass *p, const cau_packed *packed, const cau_packed *model, size_t n)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = block_end(i, n);
        hash_to(p, packed + end);
        for (; i < end; i++)
            wrong |= (packed[i].cell ^ model[i].cell) | not_finite(packed[i].weight);
    }
    return !wrong;
}

/* Every search ends (the last value is the largest possible), at a row that exists. */
static bool slots_fit(pass *p, const cau_slot *slot, size_t places, size_t K)
{
    uint32_t wrong = 0;
    if (cau_slot_value(&slot[places - 1]) != UINT64_MAX) return false;
    for (size_t i = 0; i < places;) {
        const size_t end = block_end(i, places);
        hash_to(p, slot + end);
        for (; i < end; i++) wrong |= slot[i].row + 1u > K; /* CAU_UNKNOWN + 1 is 0 */
    }
    return !wrong;
}

static bool observations_fit(pass *p, const cau_observations *o, const cau_model_counts *n)
{
    if (n->slots < 1 || n->places < n->slots) return false;
    if (!slots_fit(p, o->slot, (size_t)n->places, o->K)) return false;
    if (!ascending(p, o->name_at, o->K, n->name_bytes)) return false;
    if (o->dense) return all_finite(p, o->dense, o->K * o->width);
    return ascending(p, o->start, o->K, n->used) &&
           packed_fits(p, o->packed, (size_t)n->used, o->width);
}

/* Transitions and default weights. */
static bool label_weights_fit(pass *p, const float *plain, const float *bias, size_t Y)
{
    return (!plain || all_finite(p, plain, Y * Y)) && (!bias || all_finite(p, bias, Y));
}

static bool member_weights_fit(pass *p, const cau_observations *o, const cau_observations *model)
{
    if (o->dense) return all_finite(p, o->dense, o->K * o->width);
    return same_cells(p, o->packed, model->packed, (size_t)o->start[o->K]);
}

bool cau_model_pool_fits(const cau_pool *pool)
{
    if (pool->J > CAU_MEMBERS_MOST || pool->combine > CAU_COMBINE_STACK ||
        pool->per > CAU_PER_TRANSITION || pool->mix > CAU_MIX_RESCORE)
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

static bool gate_fits(pass *p, const caucus_model *m)
{
    if (!m->gate.base) return true;
    if (!cau_pool_takes_gate(&m->pool)) return false;
    for (size_t j = 0; j < m->pool.J; j++)
        if (!isfinite(m->gate.base[j])) return false;
    return all_finite(p, m->gate.weight, m->nodes.K * m->pool.J);
}

/* After the model's own weights have been found right. */
static bool members_fit(pass *p, const caucus_model *m)
{
    if (!cau_model_pool_fits(&m->pool)) return false;
    for (size_t j = 0; j < m->pool.J; j++) {
        const cau_member *member = &m->member[j];
        if (!member_weights_fit(p, &member->nodes, &m->nodes) ||
            !member_weights_fit(p, &member->edges, &m->edges) ||
            !label_weights_fit(p, member->plain, member->bias, m->Y))
            return false;
    }
    return gate_fits(p, m);
}

/* Whether a file has only what its version knows. */
static bool version_fits(const cau_model_header *h)
{
    return h->version == CAU_MODEL_VERSION ||
           (!(h->flags & CAU_MODEL_GATE) && h->combine != CAU_COMBINE_STACK);
}

/* The kinds differ in what they can have. */
static bool kind_fits(const caucus_model *m)
{
    switch (m->kind) {
    case CAU_KIND_MAXENT:
        return (m->nodes.width == m->Y || m->nodes.width == 1) && m->edges.K == 0 && !m->plain;
    case CAU_KIND_MEMM:
    case CAU_KIND_CRF:
        return m->nodes.width == m->Y;
    }
    return false;
}

static bool texts_fit(pass *p, const caucus_model *m, const cau_model_header *h)
{
    if (!ascending(p, m->label_at, m->Y, h->label_bytes)) return false;
    for (size_t y = 0; y < m->Y; y++) { /* each label ends where the next begins, with a NUL */
        size_t end = (size_t)m->label_at[y + 1];
        if (end == m->label_at[y] || m->label_bytes[end - 1] != '\0') return false;
    }
    size_t ends = 0; /* NULs in info: keys and values in pairs, the last one ended */
    for (size_t i = 0; i < m->info.n; i++) ends += m->info.s[i] == '\0';
    return ends % 2 == 0 && (m->info.n == 0 || m->info.s[m->info.n - 1] == '\0');
}

/* Whether every number that will be used as an index is one, and every text ends. The
 * checksum finds accidents; this is for files that were made to harm. Parts are looked at in the
 * order of the file. */
static bool sound(pass *p, const caucus_model *m, const cau_model_header *h)
{
    if (m->Y < 1 || h->flags > CAU_MODEL_FLAGS || h->base >= CAU_KEY_BASES) return false;
    if (h->format > CAU_FORMAT_COLUMNS || h->columns > UINT32_MAX) return false;
    if (h->ngrams < 1 || h->ngrams > 8) return false;
    return version_fits(h) && kind_fits(m) && observations_fit(p, &m->nodes, &h->nodes) &&
           observations_fit(p, &m->edges, &h->edges) && texts_fit(p, m, h) &&
           label_weights_fit(p, m->plain, m->bias, m->Y) && members_fit(p, m);
}

/* Checks a mapped image and sets the views. */
static caucus_status adopt(caucus_ctx *ctx, const char *path, caucus_model *m)
{
    cau_model_header h = {0};
    cau_model_layout l;
    if (m->image) memcpy(&h, m->image, m->bytes < sizeof h ? m->bytes : sizeof h);
    if (memcmp(h.magic, CAU_MODEL_MAGIC, sizeof h.magic) != 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: not a Caucus model; give a file that `caucus train` wrote", path);
    if (m->bytes >= offsetof(cau_model_header, nodes) && h.order != CAU_MODEL_BYTE_ORDER)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: written on a machine of the other byte order; use `inspect --dump` "
                        "there and `convert` here",
                        path);
    if (m->bytes >= offsetof(cau_model_header, nodes) &&
        (h.version < CAU_MODEL_OLDEST || h.version > CAU_MODEL_VERSION))
        return cau_fail(
            ctx, CAUCUS_ERR_FORMAT,
            "%s: model format %u, and this program knows %d to %d; train it again or use "
            "the %s program",
            path, h.version, CAU_MODEL_OLDEST, CAU_MODEL_VERSION,
            h.version < CAU_MODEL_OLDEST ? "older" : "newer");
    if (m->bytes < sizeof h || !cau_model_lay_out(&h, &l) || l.bytes > m->bytes)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is cut short or damaged; copy it again or train it again",
                        path);
    if (!cau_model_set_views(m, &h, &l)) return cau_fail_memory(ctx, "the model");
    pass p = {.at = (const char *)m->image + offsetof(cau_model_header, nodes)};
    XXH3_64bits_reset(&p.hash);
    const bool fits = l.bytes == m->bytes && sound(&p, m, &h);
    hash_to(&p, (const char *)m->image + m->bytes);
    if (l.bytes != m->bytes || XXH3_64bits_digest(&p.hash) != h.checksum)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is damaged (its checksum differs); copy it again or train "
                        "it again",
                        path);
    if (!fits)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: the model contradicts itself; train it again",
                        path);
    return CAUCUS_OK;
}

/* ---- files --------------------------------------------------------------------------- */

caucus_status cau_model_open(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *m = NULL;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; check the path of the model", path,
                     strerror(errno)));
    if (!S_ISREG(info.st_mode))
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: not a regular file; a model is mapped, so give one",
                     path));
    m = cau_calloc(1, sizeof *m);
    if (!m) TRY(cau_fail_memory(ctx, "the model"));
    m->bytes = (size_t)info.st_size;
    if (m->bytes > 0) {
        void *image = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
        if (image == MAP_FAILED)
            TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: cannot be mapped: %s", path, strerror(errno)));
        m->image = image;
        m->mapped = true;
    }
    TRY(adopt(ctx, path, m));
    *out = m;
    m = NULL;
done:
    if (file >= 0) close(file);
    cau_model_free(m);
    return st;
}

caucus_status cau_model_save(caucus_ctx *ctx, const caucus_model *m, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_output *file = NULL;
    TRY(cau_output_open(ctx, path, &file));
    TRY(cau_output_write(ctx, file, m->image, m->bytes));
    TRY(cau_output_commit(ctx, file));
done:
    cau_output_free(file);
    return st;
}

void cau_model_free(caucus_model *m)
{
    if (!m) return;
    if (m->mapped)
        munmap(m->image, m->bytes);
    else
        free(m->image);
    free(m->member);
    free(m);
}
