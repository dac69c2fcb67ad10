/* build.c - builds the image of a model file (layout.h) from the parts of a model.
 *
 * A first pass counts the observations with weights, the weights in use, and the lengths of names
 * and tables. These determine the layout. The image is then allocated in one piece and each section
 * is filled. Threads process blocks of rows; the counts of the earlier blocks give the offsets of a
 * block in every section.
 *
 * A pool of J members has 1 + J vectors of weights over the same tables, here called voices: voice
 * 0 is the model's own, voice 1 + j that of member j. A cell that one voice uses is kept for all,
 * so all voices have the same rows and, packed, the same cells. A row with a weight only in the
 * gate is kept too. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/dataset.h"
#include "model/layout.h"

enum {
    VOICES = 1 + CAU_MEMBERS_MOST,
    BLOCK = 4096, /* rows that a thread processes at a time */
};

/* Counts over some rows. */
typedef struct {
    size_t rows, used, name_bytes; /* rows kept, weights in them, bytes of their names */
} row_counts;

/* The observations of one part that are kept, and their table of names. */
typedef struct {
    const cau_model_part *part;
    const void *self; /* for part->name */
    size_t width;
    size_t voices;
    const double *w[VOICES]; /* as part->w, multiplied by part->scale; NULL: all zero */
    double *scaled[VOICES];  /* what was made for that; or NULL */
    void *weights[VOICES];   /* their sections of the image */
    const double *gate;      /* [rows][voices - 1]; NULL: all zero */
    size_t blocks;
    uint32_t *k;         /* [rows of the part] rows kept; those of a block start at its first row */
    row_counts *before;  /* [blocks + 1] counts of the blocks before each block, then of all */
    cau_name_slot *slot; /* [n.K] their names, sorted */
    size_t *slots_at;    /* [blocks of names + 1] see cau_name_table_measure */
    cau_model_counts n;  /* of the sections */
    bool packed;
} kept_rows;

/* The rows of a block that are kept; `first` is the number of the first in the sections. */
typedef struct {
    const uint32_t *k; /* [count] */
    size_t count, first;
} kept_block;

static kept_block kept_in_block(const kept_rows *keep, size_t block)
{
    const size_t first = keep->before[block].rows;
    return (kept_block){keep->k + block * BLOCK, keep->before[block + 1].rows - first, first};
}

static cau_str name_of(const kept_rows *keep, size_t k)
{
    return keep->part->name(keep->self, k);
}

static void kept_rows_clear(kept_rows *keep)
{
    free(keep->k);
    free(keep->before);
    free(keep->slot);
    free(keep->slots_at);
    for (size_t v = 0; v < keep->voices; v++) free(keep->scaled[v]);
}

/* Removes negative zeros, because a dump omits zeros. */
static float rounded(double w)
{
    const float x = (float)w;
    return x == 0 ? 0 : x;
}

/* The weight of voice v at index i of the table. */
static float weight_at(const kept_rows *keep, size_t v, size_t i)
{
    return keep->w[v] ? rounded(keep->w[v][i]) : 0;
}

/* Transitions and intercepts of a voice; NULL if the model or the voice has none. */
typedef struct {
    const double *plain, *bias;
} label_weights;

static label_weights label_weights_of(const cau_model_parts *p, size_t v)
{
    if (v == 0) return (label_weights){p->transitions, p->bias};
    const cau_member_part *member = &p->member[v - 1];
    return (label_weights){p->transitions ? member->transitions : NULL,
                           p->bias ? member->bias : NULL};
}

/* ---- counting ------------------------------------------------------------------------ */

/* Whether any voice has a weight at index i. */
static bool used_at(const kept_rows *keep, size_t i)
{
    for (size_t v = 0; v < keep->voices; v++)
        if (weight_at(keep, v, i) != 0) return true;
    return false;
}

static bool finite_at(const kept_rows *keep, size_t i)
{
    for (size_t v = 0; v < keep->voices; v++)
        if (!isfinite(weight_at(keep, v, i))) return false;
    return true;
}

/* The weight of the gate for member j in row k. */
static float gate_at(const kept_rows *keep, size_t k, size_t j)
{
    return keep->gate ? rounded(keep->gate[k * (keep->voices - 1) + j]) : 0;
}

static caucus_status fail_at(caucus_ctx *ctx, const kept_rows *keep, size_t k, const char *where,
                             const char *remedy)
{
    if (!ctx) return CAUCUS_ERR_NUMERIC;
    cau_str name = name_of(keep, k);
    return cau_fail(ctx, CAUCUS_ERR_NUMERIC, "the weight of feature '%.*s'%s is not finite; %s",
                    (int)(name.n < 100 ? name.n : 100), name.s, where, remedy);
}

/* Counts the cells of row k in use; *any tells whether the row is used at all. Writes a message
 * only if ctx is not NULL. */
static caucus_status count_row(caucus_ctx *ctx, const kept_rows *keep, size_t k, size_t *used,
                               bool *any)
{
    const cau_model_part *part = keep->part;
    *used = 0;
    *any = false;
    for (size_t j = 0; keep->gate && j + 1 < keep->voices; j++) {
        const float w = gate_at(keep, k, j);
        if (!isfinite(w)) return fail_at(ctx, keep, k, " in the gate", "use a stronger prior");
        *any |= w != 0;
    }
    for (size_t i = cau_table_at(&part->table, k); i < cau_table_at(&part->table, k + 1); i++) {
        if (!finite_at(keep, i)) return fail_at(ctx, keep, k, "", "use a penalty");
        *used += used_at(keep, i);
    }
    *any |= *used > 0;
    return CAUCUS_OK;
}

static caucus_status count_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    kept_rows *keep = self;
    const size_t begin = block * BLOCK, rows = keep->part->table.rows;
    const size_t end = rows - begin < BLOCK ? rows : begin + BLOCK;
    row_counts sum = {0};
    for (size_t k = begin; k < end; k++) {
        size_t used;
        bool any;
        const caucus_status st = count_row(NULL, keep, k, &used, &any);
        if (st) return st;
        if (!any) continue;
        keep->k[begin + sum.rows++] = (uint32_t)k;
        sum.name_bytes += name_of(keep, k).n;
        sum.used += used;
    }
    keep->before[block + 1] = sum;
    return CAUCUS_OK;
}

/* Writes the message about the first weight that is not finite. */
static caucus_status report_not_finite(caucus_ctx *ctx, const kept_rows *keep)
{
    caucus_status st = CAUCUS_OK;
    size_t used;
    bool any;
    for (size_t k = 0; !st && k < keep->part->table.rows; k++)
        st = count_row(ctx, keep, k, &used, &any);
    return st;
}

/* Chooses the rows to keep; fills `keep` except the table of names. */
static caucus_status choose_rows(caucus_ctx *ctx, kept_rows *keep)
{
    caucus_status st = CAUCUS_OK;
    const size_t rows = keep->part->table.rows;
    size_t all;
    keep->blocks = rows / BLOCK + (rows % BLOCK > 0);
    keep->k = cau_alloc_large(rows, sizeof *keep->k);
    keep->before = cau_calloc(keep->blocks + 1, sizeof *keep->before);
    if (!keep->k || !keep->before) TRY(cau_fail_memory(ctx, "the model"));
    if (cau_parallel(cau_threads(ctx), keep->blocks, count_block, keep))
        TRY(report_not_finite(ctx, keep));
    for (size_t b = 0; b < keep->blocks; b++) {
        row_counts *next = &keep->before[b + 1], *last = &keep->before[b];
        next->rows += last->rows;
        next->used += last->used;
        next->name_bytes += last->name_bytes;
    }
    const row_counts sum = keep->before[keep->blocks];
    keep->n.K = sum.rows;
    keep->n.name_bytes = sum.name_bytes;
    keep->packed =
        !cau_size_mul(sum.rows, keep->width, &all) || (keep->width > 1 && sum.used < all / 2);
    if (keep->packed) keep->n.used = sum.used;
done:
    return st;
}

/* ---- the table of names (lookup.c) --------------------------------------------------- */

typedef struct {
    kept_rows *keep;
    unsigned base;
} hash_job;

static caucus_status hash_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const hash_job *j = self;
    const kept_block rows = kept_in_block(j->keep, block);
    for (size_t i = 0; i < rows.count; i++) {
        const cau_str name = name_of(j->keep, rows.k[i]);
        const uint64_t mixed = cau_name_slot_mix(cau_key_hash(j->base, name.s, name.n));
        j->keep->slot[rows.first + i] =
            (cau_name_slot){(uint32_t)mixed, (uint32_t)(mixed >> 32), (uint32_t)(rows.first + i)};
    }
    return CAUCUS_OK;
}

/* Sorts the names of a part; false if two have the same hash under this base. */
static bool sort_names(unsigned threads, kept_rows *keep, unsigned base, cau_name_slot *spare)
{
    hash_job j = {keep, base};
    (void)cau_parallel(threads, keep->blocks, hash_block, &j);
    return cau_name_table_sort(keep->slot, (size_t)keep->n.K, spare);
}

/* Chooses the size of a table so that half of it is used. With three quarters used, a lookup of an
 * unknown name takes 17 ns instead of 13 (450,000 names, a mapped table larger than the caches). */
static caucus_status measure_table(caucus_ctx *ctx, kept_rows *keep)
{
    const size_t K = (size_t)keep->n.K;
    keep->slots_at = cau_alloc(cau_name_table_blocks(K) + 1, sizeof *keep->slots_at);
    if (!keep->slots_at) return cau_fail_memory(ctx, "the model");
    keep->n.slots = 2 * keep->n.K + 1;
    keep->n.places = cau_name_table_measure(keep->slot, K, (size_t)keep->n.slots, keep->slots_at);
    return CAUCUS_OK;
}

/* Builds both tables under one base. */
static caucus_status index_names(caucus_ctx *ctx, kept_rows *nodes, kept_rows *edges,
                                 uint32_t *base)
{
    caucus_status st = CAUCUS_OK;
    const unsigned threads = cau_threads(ctx);
    const uint64_t most = nodes->n.K > edges->n.K ? nodes->n.K : edges->n.K;
    cau_name_slot *spare = cau_alloc_large((size_t)most, sizeof *spare);
    nodes->slot = cau_alloc_large((size_t)nodes->n.K, sizeof *nodes->slot);
    edges->slot = cau_alloc_large((size_t)edges->n.K, sizeof *edges->slot);
    if (!spare || !nodes->slot || !edges->slot) TRY(cau_fail_memory(ctx, "the model"));
    *base = 0;
    while (!sort_names(threads, nodes, *base, spare) || !sort_names(threads, edges, *base, spare))
        if (++*base == CAU_KEY_BASES) /* distinct names do not collide under every base */
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "two features have the same name; give each name once"));
    TRY(measure_table(ctx, nodes));
    TRY(measure_table(ctx, edges));
done:
    free(spare);
    return st;
}

/* ---- filling ------------------------------------------------------------------------- */

/* A section of voice v: at `main` for the model's own, else at `member` within the member. */
static void *section(char *base, const cau_model_layout *l, size_t v, size_t main, size_t member)
{
    return base + (v == 0 ? main : l->members + (v - 1) * l->member.bytes + member);
}

static void fill_dense(const kept_rows *keep, kept_block rows, size_t v)
{
    const cau_table *table = &keep->part->table;
    float *dense = (float *)keep->weights[v] + rows.first * keep->width;
    for (size_t r = 0; r < rows.count; r++, dense += keep->width) {
        const size_t at = cau_table_at(table, rows.k[r]);
        const size_t count = cau_table_at(table, (size_t)rows.k[r] + 1) - at;
        for (size_t i = 0; i < count; i++)
            dense[table->cell ? table->cell[at + i] : i] = weight_at(keep, v, at + i);
    }
}

/* n: index of the first weight. */
static void fill_packed(const kept_rows *keep, kept_block rows, size_t n, uint64_t *start)
{
    const cau_table *table = &keep->part->table;
    for (size_t r = 0; r < rows.count; r++) {
        const size_t at = cau_table_at(table, rows.k[r]);
        const size_t count = cau_table_at(table, (size_t)rows.k[r] + 1) - at;
        for (size_t i = 0; i < count; i++) {
            if (!used_at(keep, at + i)) continue;
            const uint32_t cell = table->cell ? table->cell[at + i] : (uint32_t)i;
            for (size_t v = 0; v < keep->voices; v++)
                ((cau_packed *)keep->weights[v])[n] =
                    (cau_packed){cell, weight_at(keep, v, at + i)};
            n++;
        }
        start[rows.first + r + 1] = n;
    }
}

/* n: offset of the first name. */
static void fill_names(const kept_rows *keep, kept_block rows, size_t n, uint64_t *name_at,
                       char *names)
{
    for (size_t r = 0; r < rows.count; r++) {
        const cau_str name = name_of(keep, rows.k[r]);
        if (name.n) memcpy(names + n, name.s, name.n);
        n += name.n;
        name_at[rows.first + r + 1] = n;
    }
}

typedef struct {
    const kept_rows *keep;
    const cau_model_places *at;
    char *base;
} fill_job;

static caucus_status fill_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const fill_job *j = self;
    const kept_rows *keep = j->keep;
    const kept_block rows = kept_in_block(keep, block);
    const row_counts *before = &keep->before[block];
    fill_names(keep, rows, before->name_bytes, (uint64_t *)(j->base + j->at->name_at),
               j->base + j->at->names);
    if (keep->packed) fill_packed(keep, rows, before->used, (uint64_t *)(j->base + j->at->start));
    for (size_t v = 0; !keep->packed && v < keep->voices; v++) fill_dense(keep, rows, v);
    return CAUCUS_OK;
}

static caucus_status place_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const fill_job *j = self;
    const kept_rows *keep = j->keep;
    cau_name_table_place(keep->slot, (size_t)keep->n.K, (size_t)keep->n.slots, keep->slots_at,
                         block, (cau_name_slot *)(j->base + j->at->slots));
    return CAUCUS_OK;
}

static void fill_observations(unsigned threads, char *base, const cau_model_places *at,
                              const kept_rows *keep)
{
    fill_job j = {keep, at, base};
    (void)cau_parallel(threads, cau_name_table_blocks((size_t)keep->n.K), place_block, &j);
    (void)cau_parallel(threads, keep->blocks, fill_block, &j);
}

static void fill_common(char *base, const cau_model_layout *l, const cau_model_parts *p,
                        cau_str template)
{
    uint64_t *label_at = (uint64_t *)(base + l->label_at);
    for (size_t y = 0; y < p->Y; y++) {
        cau_str label = p->label(p->self, y);
        if (label.n) memcpy(base + l->labels + label_at[y], label.s, label.n);
        label_at[y + 1] = label_at[y] + label.n + 1;
    }
    for (size_t i = 0; i < p->info.n; i++) {
        char c = p->info.s[i];
        base[l->info + i] = c == '\t' || c == '\n' ? '\0' : c;
    }
    if (template.n) memcpy(base + l->template, template.s, template.n);
    if (p->pool.J) memcpy(base + l->alpha, p->pool.alpha, p->pool.J * sizeof *p->pool.alpha);
}

/* Transitions and intercepts. */
static void fill_label_weights(char *base, const cau_model_layout *l, const cau_model_parts *p)
{
    for (size_t v = 0; v <= p->pool.J; v++) {
        const label_weights w = label_weights_of(p, v);
        float *plain = section(base, l, v, l->transitions, l->member.transitions);
        float *bias = section(base, l, v, l->bias, l->member.bias);
        for (size_t i = 0; w.plain && i < p->Y * p->Y; i++) plain[i] = rounded(w.plain[i]);
        for (size_t y = 0; w.bias && y < p->Y; y++) bias[y] = (float)w.bias[y];
    }
}

static void fill_gate(char *base, const cau_model_layout *l, const cau_model_parts *p,
                      const kept_rows *nodes)
{
    const size_t J = p->pool.J;
    if (!p->gate_base) return;
    memcpy(base + l->gate_base, p->gate_base, J * sizeof *p->gate_base);
    float *gate = (float *)(base + l->gate);
    for (size_t b = 0; b < nodes->blocks; b++) {
        const kept_block rows = kept_in_block(nodes, b);
        for (size_t r = 0; r < rows.count; r++)
            for (size_t j = 0; j < J; j++) *gate++ = gate_at(nodes, rows.k[r], j);
    }
}

/* ---- all of it ----------------------------------------------------------------------- */

static uint32_t flags_of(const cau_model_parts *p, const kept_rows *nodes, const kept_rows *edges)
{
    const struct {
        bool on;
        uint32_t flag;
    } list[] = {
        {p->bias, CAU_MODEL_BIAS},
        {p->transitions, CAU_MODEL_TRANSITIONS},
        {nodes->packed, CAU_MODEL_NODES_PACKED},
        {edges->packed, CAU_MODEL_EDGES_PACKED},
        {p->read.lower, CAU_MODEL_LOWER},
        {p->read.counts, CAU_MODEL_COUNTS},
        {p->read.values, CAU_MODEL_VALUES},
        {p->read.comments, CAU_MODEL_COMMENTS},
        {p->read.docstart, CAU_MODEL_DOCSTART},
        {p->gate_base, CAU_MODEL_GATE},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) flags |= list[i].on ? list[i].flag : 0;
    return flags;
}

static caucus_status check_label_weights(caucus_ctx *ctx, const cau_model_parts *p, size_t v)
{
    const label_weights w = label_weights_of(p, v);
    for (size_t y = 0; w.bias && y < p->Y; y++)
        if (!isfinite((float)w.bias[y]))
            return cau_fail(ctx, CAUCUS_ERR_NUMERIC,
                            "the default weight of a class is not finite; use --no-bias");
    for (size_t i = 0; w.plain && i < p->Y * p->Y; i++)
        if (!isfinite((float)w.plain[i]))
            return cau_fail(ctx, CAUCUS_ERR_NUMERIC,
                            "the weight of a transition is not finite; use a penalty");
    return CAUCUS_OK;
}

static caucus_status check_gate(caucus_ctx *ctx, const cau_model_parts *p)
{
    if (!p->gate_base) return CAUCUS_OK;
    if (!cau_pool_takes_gate(&p->pool))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a gate in a pool that is no mixture by transition; leave it out");
    for (size_t j = 0; j < p->pool.J; j++)
        if (!isfinite(p->gate_base[j]))
            return cau_fail(ctx, CAUCUS_ERR_NUMERIC,
                            "a number of the gate is not finite; use a stronger prior");
    return CAUCUS_OK;
}

static caucus_status check_common(caucus_ctx *ctx, const cau_model_parts *p)
{
    caucus_status st = CAUCUS_OK;
    if (!cau_model_pool_fits(&p->pool))
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "the members of the pool cannot vote like this; give 1 to %d of them, with "
                     "weights that are finite, and not negative in a mixture; a stack has one",
                     CAU_MEMBERS_MOST));
    for (size_t v = 0; v <= p->pool.J; v++) TRY(check_label_weights(ctx, p, v));
    TRY(check_gate(ctx, p));
done:
    return st;
}

static void set_voices(const cau_model_parts *p, kept_rows *nodes, kept_rows *edges)
{
    nodes->voices = edges->voices = 1 + p->pool.J;
    nodes->w[0] = p->nodes.w;
    edges->w[0] = p->edges.w;
    nodes->gate = p->gate_base ? p->gate : NULL;
    for (size_t j = 0; j < p->pool.J; j++) {
        nodes->w[1 + j] = p->member[j].nodes;
        edges->w[1 + j] = p->member[j].edges;
    }
}

static void set_sections(char *base, const cau_model_layout *l, kept_rows *nodes, kept_rows *edges)
{
    for (size_t v = 0; v < nodes->voices; v++) {
        nodes->weights[v] = section(base, l, v, l->nodes.weights, l->member.nodes);
        edges->weights[v] = section(base, l, v, l->edges.weights, l->member.edges);
    }
}

static cau_str data_name(const void *self, size_t k)
{
    return cau_alphabet_name(((const caucus_data *)self)->alphabets.names, (uint32_t)k);
}

static cau_str data_edge_name(const void *self, size_t k)
{
    return cau_alphabet_name(((const caucus_data *)self)->alphabets.edges, (uint32_t)k);
}

static cau_str data_label(const void *self, size_t y)
{
    return cau_alphabet_name(((const caucus_data *)self)->labels, (uint32_t)y);
}

cau_model_parts cau_model_parts_of(const caucus_data *data, cau_kind kind, cau_table nodes,
                                   cau_table edges, cau_member_part w, cau_str info)
{
    return (cau_model_parts){
        .kind = kind,
        .Y = cau_alphabet_size(data->labels),
        .nodes = {.table = nodes, .w = w.nodes, .scale = data->idf, .name = data_name},
        .edges = {.table = edges, .w = w.edges, .name = data_edge_name},
        .transitions = w.transitions,
        .bias = w.bias,
        .label = data_label,
        .self = data,
        .read = data->read,
        .info = info};
}

/* Multiplies the weights of rows by the scale of the part. */
static caucus_status scale_weights(caucus_ctx *ctx, kept_rows *keep)
{
    const cau_model_part *part = keep->part;
    for (size_t v = 0; part->scale && v < keep->voices; v++) {
        if (!keep->w[v]) continue;
        double *w = cau_alloc(cau_table_size(&part->table), sizeof *w);
        if (!w) return cau_fail_memory(ctx, "the model");
        for (size_t k = 0; k < part->table.rows; k++)
            for (size_t i = cau_table_at(&part->table, k); i < cau_table_at(&part->table, k + 1);
                 i++)
                w[i] = keep->w[v][i] * (double)part->scale[k];
        keep->w[v] = keep->scaled[v] = w;
    }
    return CAUCUS_OK;
}

caucus_status cau_model_build(caucus_ctx *ctx, const cau_model_parts *p, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    kept_rows nodes = {.part = &p->nodes, .self = p->self, .width = p->nodes.table.width};
    kept_rows edges = {.part = &p->edges, .self = p->self, .width = p->Y * p->Y};
    caucus_model *m = NULL;
    cau_model_layout l;
    cau_model_header h = {.magic = CAU_MODEL_MAGIC,
                          .version = CAU_MODEL_VERSION,
                          .order = CAU_MODEL_BYTE_ORDER,
                          .Y = p->Y,
                          .width = p->nodes.table.width,
                          .info_bytes = p->info.n,
                          .columns = p->read.columns,
                          .ngrams = p->read.ngrams,
                          .kind = (uint32_t)p->kind,
                          .format = (uint32_t)p->read.format,
                          .members = (uint32_t)p->pool.J,
                          .combine = (uint32_t)p->pool.combine,
                          .per = (uint32_t)p->pool.per,
                          .mix = (uint32_t)p->pool.mix};
    cau_str template = p->read.template ? cau_template_text(p->read.template) : p->template;

    TRY(check_common(ctx, p));
    set_voices(p, &nodes, &edges);
    TRY(scale_weights(ctx, &nodes));
    TRY(choose_rows(ctx, &nodes));
    TRY(choose_rows(ctx, &edges));
    TRY(index_names(ctx, &nodes, &edges, &h.base));
    h.nodes = nodes.n;
    h.edges = edges.n;
    h.flags = flags_of(p, &nodes, &edges);
    h.template_bytes = template.n;
    for (size_t y = 0; y < p->Y; y++) h.label_bytes += p->label(p->self, y).n + 1;

    m = cau_calloc(1, sizeof *m);
    if (!m || !cau_model_lay_out(&h, &l)) TRY(cau_fail_memory(ctx, "the model"));
    m->bytes = l.bytes;
    m->image = cau_calloc(l.bytes, 1); /* which the threads that fill it touch first */
    if (!m->image) TRY(cau_fail_memory(ctx, "the model"));
    cau_use_large_pages(m->image, m->bytes);
    set_sections(m->image, &l, &nodes, &edges);
    fill_observations(cau_threads(ctx), m->image, &l.nodes, &nodes);
    fill_observations(cau_threads(ctx), m->image, &l.edges, &edges);
    fill_common(m->image, &l, p, template);
    fill_label_weights(m->image, &l, p);
    fill_gate(m->image, &l, p, &nodes);
    memcpy(m->image, &h, sizeof h);
    cau_model_seal(m->image, &l);
    if (!cau_model_set_views(m, &h, &l)) TRY(cau_fail_memory(ctx, "the model"));
    TRY(cau_model_read_layout(ctx, m));
    *out = m;
    m = NULL;
done:
    cau_model_free(m);
    kept_rows_clear(&nodes);
    kept_rows_clear(&edges);
    return st;
}
