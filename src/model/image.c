/* image.c - the model file: how it is laid out, built, checked and mapped.
 *
 * A file is a header of counts followed by sections, each starting at a multiple of 64
 * bytes, in this order:
 *
 *     slots     [slots]           the table of names: hash and observation
 *     name_at   [K+1]  uint64     where each name starts in `names`
 *     names                       the names of the observations, one after the other
 *     label_at  [Y+1]  uint64     the same for the classes
 *     labels                      each ends with a NUL
 *     info                        key NUL value NUL ...
 *     bias      [Y]    float      default weights, if the model has them
 * and the weights, dense
 *     dense     [K][width] float
 * or, where fewer than half of them are used, packed
 *     start     [K+1]  uint64
 *     column    [used] uint32
 *     weight    [used] float
 *
 * The header has no offsets: they follow from the counts, so there is nothing to check but
 * that the sum of the sizes is the size of the file. Numbers are little endian; a file from
 * the other kind of machine is refused as foreign. The checksum covers everything after it.
 *
 * A name is found by its 64-bit hash alone. While a file is built two names with the same
 * hash are noticed and another seed is taken; that a name which is not in the model has the
 * hash of one that is happens once in 2^64 / K times, and is accepted.
 *
 * The same parts always give the same bytes: a model file can be compared with cmp. */

#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "math/kernels.h"

static const char magic[8] = {'c', 'a', 'u', 'c', 'u', 's', '\r', '\n'};
enum {
    FILE_VERSION = 1,
    ALIGN = 64,
    SEEDS_MAX = 16, /* different names do not collide that often: then two are the same */
};

enum { HAS_BIAS = 1, IS_PACKED = 2, READ_LOWER = 4, READ_COUNTS = 8, READ_VALUES = 16 };

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t order;    /* 0x01020304, to notice the other byte order */
    uint64_t checksum; /* of all bytes from `K` to the end of the file */
    uint64_t K, Y, width, slots, seed;
    uint64_t name_bytes, label_bytes, info_bytes;
    uint64_t used; /* weights of a packed file */
    uint32_t flags, format, ngrams, reserved;
} header;

enum { BYTE_ORDER_MARK = 0x01020304 };

/* Where the sections are. */
typedef struct {
    size_t slots, name_at, names, label_at, labels, info, bias, dense, start, column, weight;
    size_t bytes; /* of the whole file */
} layout;

/* Reserves a section of count items; false when the sum does not fit. */
static bool place(size_t *at, size_t *section, uint64_t count, size_t size)
{
    size_t bytes;
    *section = *at;
    if (!cau_size_mul((size_t)count, size, &bytes)) return false;
    if (!cau_size_add(bytes, ALIGN - 1, &bytes)) return false;
    return cau_size_add(*at, bytes & ~(size_t)(ALIGN - 1), at);
}

static bool lay_out(const header *h, layout *l)
{
    bool packed = h->flags & IS_PACKED;
    size_t at = (sizeof *h + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t weights;
    if (h->K >= CAU_UNKNOWN || h->Y >= CAU_UNKNOWN) return false;
    if (!cau_size_mul((size_t)h->K, (size_t)h->width, &weights)) return false;
    if (!place(&at, &l->slots, h->slots, sizeof(cau_slot)) ||
        !place(&at, &l->name_at, h->K + 1, sizeof(uint64_t)) ||
        !place(&at, &l->names, h->name_bytes, 1) ||
        !place(&at, &l->label_at, h->Y + 1, sizeof(uint64_t)) ||
        !place(&at, &l->labels, h->label_bytes, 1) || !place(&at, &l->info, h->info_bytes, 1) ||
        !place(&at, &l->bias, h->flags & HAS_BIAS ? h->Y : 0, sizeof(float)) ||
        !place(&at, &l->dense, packed ? 0 : weights, sizeof(float)) ||
        !place(&at, &l->start, packed ? h->K + 1 : 0, sizeof(uint64_t)) ||
        !place(&at, &l->column, packed ? h->used : 0, sizeof(uint32_t)) ||
        !place(&at, &l->weight, packed ? h->used : 0, sizeof(float)))
        return false;
    l->bytes = at;
    return true;
}

/* XXH3 of everything behind the checksum itself. */
static uint64_t checksum(const void *image, size_t bytes)
{
    size_t from = offsetof(header, K);
    return cau_hash((const char *)image + from, bytes - from, 0);
}

/* Points the model's views into its image, whose layout has been checked. */
static void set_views(caucus_model *m, const header *h, const layout *l)
{
    const char *base = m->image;
    bool packed = h->flags & IS_PACKED;
    m->K = (size_t)h->K;
    m->Y = (size_t)h->Y;
    m->width = (size_t)h->width;
    m->read = (cau_read_options){.format = (cau_format)h->format,
                                 .ngrams = h->ngrams,
                                 .lower = h->flags & READ_LOWER,
                                 .counts = h->flags & READ_COUNTS,
                                 .values = h->flags & READ_VALUES};
    m->slot = (const cau_slot *)(base + l->slots);
    m->slots = (size_t)h->slots;
    m->seed = h->seed;
    m->name_at = (const uint64_t *)(base + l->name_at);
    m->name_bytes = base + l->names;
    m->label_at = (const uint64_t *)(base + l->label_at);
    m->label_bytes = base + l->labels;
    m->info = (cau_str){base + l->info, (size_t)h->info_bytes};
    m->bias = h->flags & HAS_BIAS ? (const float *)(base + l->bias) : NULL;
    m->dense = packed ? NULL : (const float *)(base + l->dense);
    m->start = packed ? (const uint64_t *)(base + l->start) : NULL;
    m->column = packed ? (const uint32_t *)(base + l->column) : NULL;
    m->weight = packed ? (const float *)(base + l->weight) : NULL;
}

/* ---- looking things up ---- */

static size_t first_slot(uint64_t hash, size_t slots)
{
    return (size_t)(((unsigned __int128)hash * slots) >> 64);
}

static uint32_t find_hash(const caucus_model *m, uint64_t hash)
{
    uint32_t low = (uint32_t)hash, high = (uint32_t)(hash >> 32);
    for (size_t i = first_slot(hash, m->slots);; i = i + 1 == m->slots ? 0 : i + 1) {
        const cau_slot *slot = &m->slot[i];
        if (slot->row == CAU_UNKNOWN || (slot->low == low && slot->high == high)) return slot->row;
    }
}

uint32_t cau_model_find(const caucus_model *m, const char *s, size_t n)
{
    return find_hash(m, cau_hash(s, n, m->seed));
}

uint64_t cau_model_ask(const caucus_model *m, const char *s, size_t n)
{
    uint64_t hash = cau_hash(s, n, m->seed);
    __builtin_prefetch(&m->slot[first_slot(hash, m->slots)]);
    return hash;
}

uint32_t cau_model_answer(const caucus_model *m, uint64_t hash)
{
    uint32_t k = find_hash(m, hash);
    if (k == CAU_UNKNOWN) return k;
    if (m->dense) {
        const float *row = m->dense + (size_t)k * m->width;
        __builtin_prefetch(row);
        __builtin_prefetch(row + m->width - 1);
    } else {
        __builtin_prefetch(&m->start[k]);
    }
    return k;
}

cau_str cau_model_name(const caucus_model *m, size_t k)
{
    return (cau_str){m->name_bytes + m->name_at[k], (size_t)(m->name_at[k + 1] - m->name_at[k])};
}

const char *cau_model_label(const caucus_model *m, size_t y)
{
    return m->label_bytes + m->label_at[y];
}

uint32_t cau_model_label_find(const caucus_model *m, cau_str label)
{
    for (size_t y = 0; y < m->Y; y++) {
        size_t length = (size_t)(m->label_at[y + 1] - m->label_at[y]) - 1;
        if (length == label.n && memcmp(cau_model_label(m, y), label.s, length) == 0)
            return (uint32_t)y;
    }
    return CAU_UNKNOWN;
}

bool cau_model_info_next(const caucus_model *m, size_t *at, const char **key, const char **value)
{
    if (*at >= m->info.n) return false;
    *key = m->info.s + *at;
    *value = *key + strlen(*key) + 1;
    *at = (size_t)(*value - m->info.s) + strlen(*value) + 1;
    return true;
}

const char *cau_model_info(const caucus_model *m, const char *key)
{
    const char *name, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &name, &value);)
        if (strcmp(name, key) == 0) return value;
    return NULL;
}

double cau_model_weight(const caucus_model *m, size_t k, size_t y)
{
    if (m->dense) return (double)m->dense[k * m->width + y];
    for (uint64_t i = m->start[k]; i < m->start[k + 1]; i++)
        if (m->column[i] == y) return (double)m->weight[i];
    return 0;
}

void cau_model_add(const caucus_model *m, size_t count, const uint32_t *id, const float *value,
                   double *s)
{
    if (m->dense) {
        cau_kernels_get()->score(count, id, value, m->width, m->dense, s);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double v = value ? (double)value[i] : 1;
        for (uint64_t j = m->start[id[i]]; j < m->start[id[i] + 1]; j++)
            s[m->column[j]] += v * (double)m->weight[j];
    }
}

caucus_status cau_model_scores(const caucus_model *m, const cau_instance *x, double *s)
{
    if (x->groups * m->width != m->Y) return CAUCUS_ERR_ARGUMENT;
    for (size_t y = 0; y < m->Y; y++) s[y] = m->bias ? (double)m->bias[y] : 0;
    for (size_t g = 0; g < x->groups; g++) {
        size_t at = x->start[g], count = x->start[g + 1] - at;
        if (count)
            cau_model_add(m, count, x->id + at, x->value ? x->value + at : NULL, s + g * m->width);
    }
    return CAUCUS_OK;
}

/* ---- building ---- */

/* The observations that are kept, the used weights among them, and the bytes of the names. */
typedef struct {
    uint32_t *k; /* [K] of the parts, those kept, in order */
    size_t K, used, name_bytes;
} kept;

static caucus_status choose(caucus_ctx *ctx, const cau_model_parts *p, kept *out)
{
    kept keep = {.k = cau_alloc(p->K, sizeof(uint32_t))};
    if (!keep.k) return cau_fail_memory(ctx, "the model");
    for (size_t k = 0; k < p->K; k++) {
        size_t used = 0;
        for (size_t j = 0; j < p->width; j++) {
            float w = (float)p->w[k * p->width + j];
            if (!isfinite(w)) {
                cau_str name = p->name(p->self, k);
                free(keep.k);
                return cau_fail(ctx, CAUCUS_ERR_NUMERIC,
                                "the weight of feature '%.*s' is not finite; use a penalty",
                                (int)(name.n < 100 ? name.n : 100), name.s);
            }
            used += w != 0;
        }
        if (!used) continue;
        keep.k[keep.K++] = (uint32_t)k;
        keep.used += used;
        keep.name_bytes += p->name(p->self, k).n;
    }
    *out = keep;
    return CAUCUS_OK;
}

/* Fills the table of names; false when two names have the same hash under this seed. */
static bool fill_slots(cau_slot *slot, size_t slots, uint64_t seed, const kept *keep,
                       const cau_model_parts *p)
{
    for (size_t i = 0; i < slots; i++) slot[i] = (cau_slot){0, 0, CAU_UNKNOWN};
    for (size_t r = 0; r < keep->K; r++) {
        cau_str name = p->name(p->self, keep->k[r]);
        uint64_t hash = cau_hash(name.s, name.n, seed);
        cau_slot mine = {(uint32_t)hash, (uint32_t)(hash >> 32), (uint32_t)r};
        size_t i = first_slot(hash, slots);
        while (slot[i].row != CAU_UNKNOWN) {
            if (slot[i].low == mine.low && slot[i].high == mine.high) return false;
            i = i + 1 == slots ? 0 : i + 1;
        }
        slot[i] = mine;
    }
    return true;
}

static void fill_names(char *base, const layout *l, const kept *keep, const cau_model_parts *p)
{
    uint64_t *name_at = (uint64_t *)(base + l->name_at);
    char *names = base + l->names;
    for (size_t r = 0; r < keep->K; r++) {
        cau_str name = p->name(p->self, keep->k[r]);
        memcpy(names + name_at[r], name.s, name.n);
        name_at[r + 1] = name_at[r] + name.n;
    }
    uint64_t *label_at = (uint64_t *)(base + l->label_at);
    char *labels = base + l->labels;
    for (size_t y = 0; y < p->Y; y++) {
        cau_str label = p->label(p->self, y);
        memcpy(labels + label_at[y], label.s, label.n);
        label_at[y + 1] = label_at[y] + label.n + 1;
    }
    char *info = base + l->info;
    for (size_t i = 0; i < p->info.n; i++) {
        char c = p->info.s[i];
        info[i] = c == '\t' || c == '\n' ? '\0' : c;
    }
}

static void fill_weights(char *base, const layout *l, const kept *keep, const cau_model_parts *p,
                         bool packed)
{
    float *dense = (float *)(base + l->dense);
    uint64_t *start = (uint64_t *)(base + l->start);
    uint32_t *column = (uint32_t *)(base + l->column);
    float *weight = (float *)(base + l->weight);
    uint64_t at = 0;

    for (size_t y = 0; p->bias && y < p->Y; y++) ((float *)(base + l->bias))[y] = (float)p->bias[y];
    for (size_t r = 0; r < keep->K; r++) {
        const double *w = p->w + (size_t)keep->k[r] * p->width;
        for (size_t j = 0; j < p->width; j++) {
            float x = (float)w[j];
            if (!packed) {
                dense[r * p->width + j] = x == 0 ? 0 : x; /* no negative zero */
            } else if (x != 0) {
                column[at] = (uint32_t)j;
                weight[at++] = x;
            }
        }
        if (packed) start[r + 1] = at;
    }
}

caucus_status cau_model_build(caucus_ctx *ctx, const cau_model_parts *p, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    kept keep = {0};
    caucus_model *m = NULL;
    layout l;

    TRY(choose(ctx, p, &keep));
    bool packed = p->width > 1 && keep.used < keep.K * p->width / 2;
    header h = {.version = FILE_VERSION,
                .order = BYTE_ORDER_MARK,
                .K = keep.K,
                .Y = p->Y,
                .width = p->width,
                .slots = keep.K + keep.K / 3 + 1,
                .name_bytes = keep.name_bytes,
                .info_bytes = p->info.n,
                .used = packed ? keep.used : 0,
                .flags = (p->bias ? HAS_BIAS : 0u) | (packed ? IS_PACKED : 0u) |
                         (p->read.lower ? READ_LOWER : 0u) | (p->read.counts ? READ_COUNTS : 0u) |
                         (p->read.values ? READ_VALUES : 0u),
                .format = (uint32_t)p->read.format,
                .ngrams = (uint32_t)p->read.ngrams};
    memcpy(h.magic, magic, sizeof magic);
    for (size_t y = 0; y < p->Y; y++) h.label_bytes += p->label(p->self, y).n + 1;
    for (size_t y = 0; p->bias && y < p->Y; y++)
        if (!isfinite((float)p->bias[y]))
            TRY(cau_fail(ctx, CAUCUS_ERR_NUMERIC,
                         "the default weight of a class is not finite; use --no-bias"));

    m = cau_calloc(1, sizeof *m);
    if (!m || !lay_out(&h, &l)) TRY(cau_fail_memory(ctx, "the model"));
    m->bytes = l.bytes;
    m->image = cau_vector(l.bytes, 1);
    if (!m->image) TRY(cau_fail_memory(ctx, "the model"));

    char *base = m->image;
    while (!fill_slots((cau_slot *)(base + l.slots), (size_t)h.slots, h.seed, &keep, p))
        if (++h.seed == SEEDS_MAX)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "two features have the same name; give each name once"));
    fill_names(base, &l, &keep, p);
    fill_weights(base, &l, &keep, p, packed);
    memcpy(base, &h, sizeof h);
    h.checksum = checksum(base, l.bytes);
    memcpy(base, &h, sizeof h);
    set_views(m, &h, &l);
    *out = m;
    m = NULL;
done:
    cau_model_free(m);
    free(keep.k);
    return st;
}

/* ---- files ---- */

/* Ascending offsets from 0 to `end`. */
static bool ascending(const uint64_t *at, size_t count, uint64_t end)
{
    if (at[0] != 0 || at[count] != end) return false;
    for (size_t i = 0; i < count; i++)
        if (at[i] > at[i + 1]) return false;
    return true;
}

static bool all_finite(const float *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++) finite &= isfinite(x[i]) != 0;
    return finite;
}

/* Whether every number that will be used as an index is one, and every text ends. The
 * checksum has found accidents already; this is for files that were made to harm. */
static bool sound(const caucus_model *m, const header *h)
{
    size_t free_slots = 0;
    if (m->width != m->Y && m->width != 1) return false;
    if (m->Y < 1 || m->slots < 1) return false;
    if (m->read.format < CAU_FORMAT_AUTO || m->read.format > CAU_FORMAT_COLUMNS) return false;
    if (m->read.ngrams < 1 || m->read.ngrams > 8) return false;
    for (size_t i = 0; i < m->slots; i++) {
        if (m->slot[i].row == CAU_UNKNOWN)
            free_slots++;
        else if (m->slot[i].row >= m->K)
            return false;
    }
    if (free_slots == 0) return false; /* a search would never end */
    if (!ascending(m->name_at, m->K, h->name_bytes)) return false;
    if (!ascending(m->label_at, m->Y, h->label_bytes)) return false;
    for (size_t y = 0; y < m->Y; y++) {
        size_t end = (size_t)m->label_at[y + 1];
        if (end == m->label_at[y] || m->label_bytes[end - 1] != '\0') return false;
    }
    size_t ends = 0; /* NULs in info: keys and values in pairs, the last one ended */
    for (size_t i = 0; i < m->info.n; i++) ends += m->info.s[i] == '\0';
    if (ends % 2 != 0 || (m->info.n && m->info.s[m->info.n - 1] != '\0')) return false;
    if (m->start) {
        if (!ascending(m->start, m->K, h->used)) return false;
        for (size_t i = 0; i < h->used; i++)
            if (m->column[i] >= m->width) return false;
        if (!all_finite(m->weight, (size_t)h->used)) return false;
    }
    if (m->dense && !all_finite(m->dense, m->K * m->width)) return false;
    return !m->bias || all_finite(m->bias, m->Y);
}

/* Checks a mapped image and sets the views. */
static caucus_status adopt(caucus_ctx *ctx, const char *path, caucus_model *m)
{
    header h;
    layout l;
    if (m->bytes < sizeof h || memcmp(m->image, magic, sizeof magic) != 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: not a Caucus model; give a file that `caucus train` wrote", path);
    memcpy(&h, m->image, sizeof h);
    if (h.order != BYTE_ORDER_MARK)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: written on a machine of the other byte order; use `inspect --dump` "
                        "there and `convert` here",
                        path);
    if (h.version != FILE_VERSION)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: model format %u, and this program knows %d; train it again or use a "
                        "newer program",
                        path, h.version, FILE_VERSION);
    if (!lay_out(&h, &l) || l.bytes > m->bytes)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is cut short or damaged; copy it again or train it again",
                        path);
    if (l.bytes != m->bytes || checksum(m->image, m->bytes) != h.checksum)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "%s: the model is damaged (its checksum differs); copy it again or train "
                        "it again",
                        path);
    set_views(m, &h, &l);
    if (!sound(m, &h))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: the model contradicts itself; train it again",
                        path);
    return CAUCUS_OK;
}

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
    free(m);
}
