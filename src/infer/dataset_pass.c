/* dataset_pass.c - see dataset_pass.h. The loss, the gradient of the common weights and the penalty
 * are sums over blocks of the data: each block has its own, and they are added in block order.
 *
 *     for each block      scores X W into the cells, then residuals in their place
 *     for each feature    the sum of the cells of its occurrences
 *
 * Without the second step, cells are needed only while their block is worked on, so the cells of
 * all instances are allocated by the first gradient. Validation, and solvers that make their own
 * gradients, do without.
 *
 * Features on edges have cells of their own, too many for all to be kept: edge_gradient.h. */

#include "infer/dataset_pass.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/decode.h"
#include "infer/edge_gradient.h"
#include "math/kernels.h"

enum {
    BLOCK_NONZEROS = 1 << 15,
    BLOCKS_MIN = 64,       /* for sums of any size */
    SUMS_MAX = 1 << 22,    /* numbers in the sums of all blocks, beyond BLOCKS_MIN blocks */
    FINISH_WEIGHTS = 8192, /* of the edge table, in one call */
    CHAINS = 64,           /* sequences that a model kind gets at once, sorted by length */
};

struct cau_pass {
    cau_pass_options o;
    const cau_kernels *kernels;
    cau_sequence_blocks blocks;
    size_t *column_first, column_blocks; /* blocks of features */
    double *cells;                       /* [N][Y] scores, then residuals; NULL until needed */
    double *scratch;                     /* [threads][scratch_size] the same of a block */
    size_t scratch_size;                 /* of the largest block, padded */
    double *logz;                        /* [N] scratch, for classifiers */
    size_t sums;                         /* common weights, also where the layout has none */
    double *block_loss;                  /* [blocks] */
    double *block_common;                /* [blocks][sums] */
    double *block_extra;                 /* [column_blocks] */
    size_t *block_right, *block_counted; /* [blocks] */
    cau_decoder decoder;
    cau_decoded *decoded;    /* [threads] */
    cau_edge_batches *edges; /* NULL: no features on edges */
    size_t batches;          /* at least 1 */
};

/* One pass. */
typedef struct {
    cau_pass *pass;
    const double *w;
    double *g;
    cau_finish_fn *finish;
    void *finish_self;
    bool whole; /* all cells are kept */
    bool expected_only;
    bool measured;             /* count the right labels as well */
    uint32_t *labels;          /* [N] or NULL */
    double *logp;              /* [N] of cau_pass_gold */
    const double *weight;      /* [N] of cau_pass_weighed */
    size_t batch, first_block; /* the blocks at work */
} pass_job;

size_t cau_pass_bytes(const cau_dataset *set)
{
    return (set->N * set->Y + set->N) * sizeof(double);
}

const double *cau_pass_cells(const cau_pass *pass)
{
    return pass->cells;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static caucus_status make_blocks(caucus_ctx *ctx, cau_pass *pass)
{
    const cau_dataset *set = pass->o.set;
    const unsigned threads = pass->o.threads;
    /* large sums make large blocks */
    const size_t nonzeros = cau_csr_nonzeros(&set->x) + set->N;
    const size_t most = SUMS_MAX / pass->sums + BLOCKS_MIN;
    const size_t target = nonzeros / BLOCK_NONZEROS > most ? nonzeros / most : BLOCK_NONZEROS;
    if (cau_sequence_blocks_init(&pass->blocks, set, pass->o.layout.chain, target) ||
        (set->xt.start &&
         cau_csr_blocks(&set->xt, BLOCK_NONZEROS, &pass->column_first, &pass->column_blocks)))
        return cau_fail_memory(ctx, "training");

    const size_t blocks = pass->blocks.count;
    pass->scratch_size = cau_largest_block(&pass->blocks) * set->Y;
    pass->scratch_size += -pass->scratch_size % 8;
    pass->scratch = cau_vector(threads * pass->scratch_size, sizeof(double));
    pass->logz = cau_vector(pass->o.layout.chain ? 0 : set->N, sizeof(double));
    pass->block_loss = cau_calloc(blocks, sizeof(double));
    pass->block_common = cau_calloc(blocks * pass->sums, sizeof(double));
    pass->block_extra = cau_calloc(pass->column_blocks, sizeof(double));
    pass->block_right = cau_calloc(blocks, sizeof(size_t));
    pass->block_counted = cau_calloc(blocks, sizeof(size_t));
    pass->decoded = cau_calloc(threads, sizeof *pass->decoded);
    if (!pass->scratch || !pass->logz || !pass->block_loss || !pass->block_common ||
        !pass->block_extra || !pass->block_right || !pass->block_counted || !pass->decoded)
        return cau_fail_memory(ctx, "training");
    return CAUCUS_OK;
}

caucus_status cau_pass_new(caucus_ctx *ctx, const cau_pass_options *options, cau_pass **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = options->set;
    cau_pass *pass = cau_calloc(1, sizeof *pass);
    if (!pass) return cau_fail_memory(ctx, "training");
    const cau_weight_layout *layout = &pass->o.layout;
    pass->o = *options;
    pass->kernels = cau_kernels_get();
    pass->sums = layout->chain ? set->Y * set->Y : set->Y;
    pass->batches = 1;
    TRY(make_blocks(ctx, pass));
    TRY(cau_decoder_init_weights(ctx, &pass->decoder, set->Y, layout, 1, NULL,
                                 &(cau_decode_options){0}));
    for (unsigned i = 0; i < options->threads; i++)
        TRY(cau_decoded_init(ctx, &pass->decoded[i], &pass->decoder));
    if (layout->chain && set->E) {
        TRY(cau_edge_batches_new(ctx, set, layout, &pass->blocks, &pass->edges));
        pass->batches = cau_edge_batches_count(pass->edges);
    }
    *out = pass;
    pass = NULL;
done:
    cau_pass_free(pass);
    return st;
}

void cau_pass_free(cau_pass *pass)
{
    if (!pass) return;
    for (unsigned i = 0; pass->decoded && i < pass->o.threads; i++)
        cau_decoded_clear(&pass->decoded[i]);
    free(pass->decoded);
    cau_decoder_clear(&pass->decoder);
    cau_edge_batches_free(pass->edges);
    cau_sequence_blocks_clear(&pass->blocks);
    free(pass->column_first);
    free(pass->cells);
    free(pass->scratch);
    free(pass->logz);
    free(pass->block_loss);
    free(pass->block_common);
    free(pass->block_extra);
    free(pass->block_right);
    free(pass->block_counted);
    free(pass);
}

/* ---- scores and residuals ------------------------------------------------------------------- */

static caucus_status make_cells(cau_pass *pass)
{
    const cau_dataset *set = pass->o.set;
    if (!pass->cells) pass->cells = cau_vector_by(pass->o.threads, set->N * set->Y, sizeof(double));
    return pass->cells ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* The instances of block b, and their scores in its cells. */
static double *score_block(const pass_job *j, size_t b, unsigned worker, size_t *begin, size_t *end)
{
    cau_pass *pass = j->pass;
    *begin = cau_block_begin(&pass->blocks, b);
    *end = cau_block_begin(&pass->blocks, b + 1);
    double *s = j->whole ? pass->cells + *begin * pass->o.set->Y
                         : pass->scratch + worker * pass->scratch_size;
    cau_score_nodes(pass->o.set, &pass->o.layout, j->w, *begin, *end - *begin, s);
    return s;
}

/* The scores of the edges of a block, or NULL without features on edges. */
static double *score_edges(const pass_job *j, size_t begin, size_t end)
{
    cau_edge_batches *edges = j->pass->edges;
    return edges ? cau_edge_batches_scores(edges, j->batch, begin, end, j->w) : NULL;
}

/* Decodes block b, given its scores. The positions of a classifier are independent, so its block is
 * one sequence. */
static caucus_status decode_block(const pass_job *j, size_t b, size_t begin, size_t end, double *s,
                                  double *own, unsigned worker)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    cau_decoded *decoded = &pass->decoded[worker];
    size_t right = 0, counted = 0;
    for (size_t at = begin, q = pass->blocks.first[b]; at < end; q++) {
        const size_t T = pass->decoder.ops ? cau_sequence_length(&pass->blocks, q) : end - begin;
        const cau_scores scores = {.s = s + (at - begin) * set->Y,
                                   .edge_scores =
                                       own ? own + (at - begin) * set->Y * set->Y : NULL};
        const caucus_status st = cau_decode(&pass->decoder, decoded, T, &scores, NULL, NULL);
        if (st) return st;
        if (j->labels) memcpy(j->labels + at, decoded->path, T * sizeof *j->labels);
        cau_count_right(set, at, T, decoded->path, &right, &counted);
        at += T;
    }
    pass->block_right[b] = right;
    pass->block_counted[b] = counted;
    return CAUCUS_OK;
}

/* Inserts x into n examples, the longest first; among equals the earlier first. */
static void insert_by_length(cau_chain_example *examples, size_t n, cau_chain_example x)
{
    for (; n > 0 && examples[n - 1].T < x.T; n--) examples[n] = examples[n - 1];
    examples[n] = x;
}

static caucus_status chain_block(const pass_job *j, size_t b, double *s, double *own,
                                 unsigned worker)
{
    cau_pass *pass = j->pass;
    const cau_sequence_blocks *blocks = &pass->blocks;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y, begin = cau_block_begin(blocks, b), last = blocks->first[b + 1];
    double *sums = pass->block_common + b * pass->sums, total = 0;
    cau_chain_example x[CHAINS];
    memset(sums, 0, pass->sums * sizeof *sums);
    for (size_t q = blocks->first[b], n = 0; q < last; q++) {
        const size_t at = cau_sequence_at(blocks, q);
        insert_by_length(
            x, n++,
            (cau_chain_example){.T = cau_sequence_length(blocks, q),
                                .s = s + (at - begin) * Y,
                                .edge_scores = own ? own + (at - begin) * Y * Y : NULL,
                                .gold = set->gold + at,
                                .sets = &set->sets,
                                .weight = pass->o.weight ? (double)pass->o.weight[at] : 1,
                                .expected_only = j->expected_only,
                                .counts = sums});
        if (n < CHAINS && q + 1 < last) continue;
        double loss;
        const caucus_status st =
            pass->decoder.ops->residuals(*pass->decoded[worker].work, pass->decoder.a, n, x, &loss);
        if (st) return st;
        total += loss;
        n = 0;
    }
    pass->block_loss[b] = total;
    return CAUCUS_OK;
}

/* The gradient of the default weights: the sum of the residuals of block b. */
static void sum_cells(cau_pass *pass, size_t b, size_t count, const double *cells)
{
    const size_t Y = pass->o.set->Y;
    double *sum = pass->block_common + b * Y;
    for (size_t y = 0; y < Y; y++) sum[y] = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t y = 0; y < Y; y++) sum[y] += cells[i * Y + y];
}

static caucus_status residual_block(void *self, size_t block, unsigned worker)
{
    const pass_job *j = self;
    cau_pass *pass = j->pass;
    const size_t b = j->first_block + block;
    size_t begin, end;
    double *s = score_block(j, b, worker, &begin, &end), *own = score_edges(j, begin, end);
    caucus_status st = j->measured ? decode_block(j, b, begin, end, s, own, worker) : CAUCUS_OK;
    if (st) return st;
    if (pass->decoder.ops) return chain_block(j, b, s, own, worker);

    st = cau_maxent_residuals(end - begin, pass->o.set->Y, s, pass->o.set->gold + begin,
                              pass->o.weight ? pass->o.weight + begin : NULL, j->expected_only,
                              pass->logz + begin, &pass->block_loss[b]);
    if (pass->o.layout.common) sum_cells(pass, b, end - begin, s);
    return st;
}

/* ---- gradients ------------------------------------------------------------------------------ */

static caucus_status pull_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const pass_job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const cau_table *nodes = &pass->o.layout.nodes;
    const size_t begin = pass->column_first[b], end = pass->column_first[b + 1];
    const size_t at = cau_table_at(nodes, begin);
    if (nodes->start)
        pass->kernels->pull_listed(&set->xt, begin, end, nodes, pass->cells, j->g);
    else
        pass->kernels->rows(&set->xt, begin, end, set->width, pass->cells, NULL, j->g + at);
    pass->block_extra[b] =
        j->finish ? j->finish(j->finish_self, at, cau_table_at(nodes, end), j->w, j->g) : 0;
    return CAUCUS_OK;
}

/* Finishes the edge table, some rows at a time. */
static double finish_edges(const pass_job *j)
{
    const cau_table *table = &j->pass->o.layout.edges;
    const size_t from = cau_layout_edges_at(&j->pass->o.layout);
    double sum = 0;
    for (size_t k = 0; j->finish && k < table->rows;) {
        const size_t at = cau_table_at(table, k++);
        while (k < table->rows && cau_table_at(table, k + 1) - at <= FINISH_WEIGHTS) k++;
        sum += j->finish(j->finish_self, from + at, from + cau_table_at(table, k), j->w, j->g);
    }
    return sum;
}

static double finish_common(const pass_job *j)
{
    const cau_pass *pass = j->pass;
    const size_t common = pass->o.layout.common, at = cau_layout_common_at(&pass->o.layout);
    for (size_t c = 0; c < common; c++) {
        double g = 0;
        for (size_t b = 0; b < pass->blocks.count; b++) g += pass->block_common[b * pass->sums + c];
        j->g[at + c] = g;
    }
    return common && j->finish ? j->finish(j->finish_self, at, at + common, j->w, j->g) : 0;
}

/* The gradient of the residuals in the cells. */
static caucus_status pull(pass_job *j, double *extra)
{
    const cau_pass *pass = j->pass;
    const caucus_status st = cau_parallel(pass->o.threads, pass->column_blocks, pull_block, j);
    if (st) return st;
    double sum = 0;
    for (size_t b = 0; b < pass->column_blocks; b++) sum += pass->block_extra[b];
    sum += finish_edges(j);
    sum += finish_common(j);
    if (extra) *extra = sum;
    return CAUCUS_OK;
}

/* Runs fn for all blocks, batch by batch where there are features on edges. */
static caucus_status run_blocks(pass_job *j, cau_block_fn *fn)
{
    cau_pass *pass = j->pass;
    const unsigned threads = pass->o.threads;
    cau_decoder_set_weights(&pass->decoder, &pass->o.layout, 0, j->w);
    for (j->batch = 0; j->batch < pass->batches; j->batch++) {
        size_t end = pass->blocks.count;
        if (pass->edges) cau_edge_batches_at(pass->edges, j->batch, &j->first_block, &end);
        caucus_status st = cau_parallel(threads, end - j->first_block, fn, j);
        if (!st && pass->edges && j->g)
            st = cau_edge_batches_pull(pass->edges, j->batch, threads, j->g);
        if (st) return st;
    }
    return CAUCUS_OK;
}

static caucus_status run(pass_job *j, double *loss, double *extra)
{
    cau_pass *pass = j->pass;
    const cau_weight_layout *layout = &pass->o.layout;
    j->whole = j->g;
    if (j->whole && make_cells(pass)) return CAUCUS_ERR_MEMORY;
    if (pass->edges && j->g)
        memset(j->g + cau_layout_edges_at(layout), 0,
               cau_table_size(&layout->edges) * sizeof *j->g);
    const caucus_status st = run_blocks(j, residual_block);
    if (st) return st;
    double total = 0;
    for (size_t b = 0; b < pass->blocks.count; b++) total += pass->block_loss[b];
    if (!isfinite(total)) return CAUCUS_ERR_NUMERIC;
    *loss = total;
    return j->g ? pull(j, extra) : CAUCUS_OK;
}

caucus_status cau_pass_gradient(cau_pass *pass, const double *w, double *loss, double *g,
                                cau_finish_fn *finish, void *self, double *extra)
{
    pass_job j = {.pass = pass, .w = w, .g = g, .finish = finish, .finish_self = self};
    return run(&j, loss, extra);
}

caucus_status cau_pass_expect(cau_pass *pass, const double *w, double *loss, double *E)
{
    pass_job j = {.pass = pass, .w = w, .g = E, .expected_only = true};
    return run(&j, loss, NULL);
}

/* ---- accuracy ------------------------------------------------------------------------------- */

void cau_pass_counts(const cau_pass *pass, size_t *right, size_t *counted)
{
    *right = *counted = 0;
    for (size_t b = 0; b < pass->blocks.count; b++) {
        *right += pass->block_right[b];
        *counted += pass->block_counted[b];
    }
}

static double share_right(const cau_pass *pass)
{
    size_t right, counted;
    cau_pass_counts(pass, &right, &counted);
    return counted ? (double)right / (double)counted : NAN;
}

caucus_status cau_pass_measure(cau_pass *pass, const double *w, double *loss, double *share)
{
    pass_job j = {.pass = pass, .w = w, .measured = true};
    const caucus_status st = run(&j, loss, NULL);
    if (!st) *share = share_right(pass);
    return st;
}

static caucus_status label_block(void *self, size_t block, unsigned worker)
{
    const pass_job *j = self;
    const size_t b = j->first_block + block;
    size_t begin, end;
    double *s = score_block(j, b, worker, &begin, &end);
    return decode_block(j, b, begin, end, s, score_edges(j, begin, end), worker);
}

caucus_status cau_pass_label(cau_pass *pass, const double *w, uint32_t *labels, double *share)
{
    pass_job j = {.pass = pass, .w = w, .labels = labels};
    const caucus_status st = run_blocks(&j, label_block);
    if (!st) *share = share_right(pass);
    return st;
}

caucus_status cau_pass_accuracy(cau_pass *pass, const double *w, double *share)
{
    return cau_pass_label(pass, w, NULL, share);
}

/* ---- gradients with weights from predictions ------------------------------------------------ */

/* log p(gold|x) of the instances of a block; p(y|x) stays in the cells. */
static caucus_status gold_block(void *self, size_t b, unsigned worker)
{
    const pass_job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y;
    size_t begin, end;
    double *s = score_block(j, b, worker, &begin, &end);
    for (size_t i = begin; i < end; i++) j->logp[i] = s[(i - begin) * Y + set->gold[i]];
    pass->kernels->softmax(end - begin, Y, s, pass->logz + begin);
    bool finite = true;
    for (size_t i = begin; i < end; i++) {
        j->logp[i] -= pass->logz[i];
        finite &= isfinite(j->logp[i]);
    }
    return finite ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

caucus_status cau_pass_gold(cau_pass *pass, const double *w, double *logp)
{
    assert(!pass->o.layout.chain);
    pass_job j = {.pass = pass, .w = w, .logp = logp, .whole = true};
    if (make_cells(pass)) return CAUCUS_ERR_MEMORY;
    return cau_parallel(pass->o.threads, pass->blocks.count, gold_block, &j);
}

/* Turns p(y|x_i) in the cells of a block into c_i (p(y|x_i) - [y = gold_i]). */
static caucus_status weigh_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const pass_job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y;
    const size_t begin = cau_block_begin(&pass->blocks, b);
    const size_t end = cau_block_begin(&pass->blocks, b + 1);
    double *r = pass->cells + begin * Y;
    for (size_t i = begin; i < end; i++, r += Y) {
        for (size_t y = 0; y < Y; y++) r[y] *= j->weight[i];
        r[set->gold[i]] -= j->weight[i];
    }
    if (pass->o.layout.common) sum_cells(pass, b, end - begin, pass->cells + begin * Y);
    return CAUCUS_OK;
}

caucus_status cau_pass_weighed(cau_pass *pass, const double *w, const double *weight, double *g,
                               cau_finish_fn *finish, void *self, double *extra)
{
    pass_job j = {
        .pass = pass, .w = w, .g = g, .weight = weight, .finish = finish, .finish_self = self};
    const caucus_status st = cau_parallel(pass->o.threads, pass->blocks.count, weigh_block, &j);
    return st ? st : pull(&j, extra);
}
