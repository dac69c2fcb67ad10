/* dataset_pass.c - see dataset_pass.h. The work is cut into blocks of about equal numbers of
 * non-zeros and of whole sequences; the cuts depend on the data alone. What has to be added over
 * blocks (the loss, the gradient of the common weights, the penalty) is kept per block and added in
 * their order.
 *
 *     for each block        scores X W into the cells, then residuals in their place
 *     for each observation  the sum of the cells of its occurrences
 *
 * Without the second line, cells are needed no longer than their block is worked on: those of all
 * instances come into being with the first gradient. Validation, and solvers that make gradients
 * of their own, do without.
 *
 * Observations on edges have cells of their own, which do not all fit in memory: edge_gradient.h.
 */

#include "infer/dataset_pass.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "infer/edge_gradient.h"
#include "math/kernels.h"

enum {
    BLOCK_NONZEROS = 1 << 15,
    BLOCKS_MIN = 64,       /* however large the sums of a block are */
    SUMS_MAX = 1 << 22,    /* numbers in the sums of all blocks, if that leaves enough blocks */
    FINISH_WEIGHTS = 8192, /* of the edge table, in one call */
    CHAINS = 64,           /* sequences in one call; they go by their length */
};

struct cau_pass {
    cau_pass_options o;
    const cau_kernels *kernels;
    size_t *row_first, row_blocks;       /* blocks of instances, in rows of X */
    size_t *column_first, column_blocks; /* blocks of observations */
    double *cells;                       /* [N][Y] scores, then residuals; NULL: not needed yet */
    double *brief;                       /* [threads][block_cells] those of a block */
    size_t block_cells;                  /* of the largest block, padded */
    double *logz;                        /* [N] scratch, for classifiers */
    size_t common;                       /* weights; a chain without transitions has none, */
    size_t sums;                         /* and counts them all the same */
    double *block_loss;                  /* [row_blocks] */
    double *block_common;                /* [row_blocks][sums] */
    double *block_extra;                 /* [column_blocks] */
    size_t *block_right, *block_counted; /* [row_blocks] */

    /* chains */
    cau_transitions transitions;
    cau_chain_work **work;   /* [threads] */
    cau_edge_batches *edges; /* NULL: no observations on edges */
    size_t batches;          /* at least 1 */
    uint32_t **path;         /* [threads] of the longest sequence */
    size_t longest;
};

/* What one run of the blocks works on. */
typedef struct {
    cau_pass *pass;
    const double *w;
    double *g;
    cau_finish_fn *finish;
    void *finish_self;
    bool whole; /* all cells are kept */
    bool expected_only;
    bool judged;               /* count the right labels as well */
    uint32_t *labels;          /* [N] note the labels as well; or NULL */
    double *logp;              /* [N] of cau_pass_gold */
    const double *weight;      /* [N] of cau_pass_weighed */
    size_t batch, first_block; /* the blocks at work */
} job;

size_t cau_pass_bytes(const cau_dataset *set)
{
    return (set->N * set->Y + set->N) * sizeof(double);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Moves the borders of blocks to the next border of an instance (one of explicit features has
 * several rows) or of a sequence. */
static void align_blocks(const cau_dataset *set, bool chain, size_t *first, size_t *blocks)
{
    size_t kept = 0, s = 0;
    for (size_t b = 0; b <= *blocks; b++) {
        size_t row = first[b] - first[b] % set->group;
        if (chain && set->sequence) {
            while (set->sequence[s] < row) s++;
            row = set->sequence[s];
        }
        if (kept == 0 || row > first[kept - 1]) first[kept++] = row;
    }
    if (kept > 0) *blocks = kept - 1;
}

/* The sequences of instances begin..end-1 are *s .. *e - 1. */
static void sequences_of(const cau_dataset *set, size_t begin, size_t end, size_t *s, size_t *e)
{
    const size_t want[2] = {begin, end};
    size_t found[2];
    for (int i = 0; i < 2; i++) {
        size_t low = 0, high = set->S;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (set->sequence[middle] < want[i])
                low = middle + 1;
            else
                high = middle;
        }
        found[i] = low;
    }
    *s = found[0];
    *e = found[1];
}

static size_t sequence_length(const cau_dataset *set, size_t s)
{
    return set->sequence ? set->sequence[s + 1] - set->sequence[s] : 1;
}

static caucus_status prepare_chain(caucus_ctx *ctx, cau_pass *pass)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = pass->o.set;
    const unsigned threads = pass->o.threads;
    for (size_t s = 0; s < set->S; s++)
        if (sequence_length(set, s) > pass->longest) pass->longest = sequence_length(set, s);
    TRY(cau_transitions_init(ctx, &pass->transitions, set->Y));
    pass->work = cau_calloc(threads, sizeof(cau_chain_work *));
    pass->path = cau_calloc(threads, sizeof(uint32_t *));
    if (!pass->work || !pass->path) TRY(cau_fail_memory(ctx, "training"));
    for (unsigned i = 0; i < threads; i++) {
        TRY(cau_chain_work_new(ctx, set->Y, &pass->work[i]));
        pass->path[i] = cau_alloc(pass->longest, sizeof(uint32_t));
        if (!pass->path[i]) TRY(cau_fail_memory(ctx, "training"));
    }
    if (set->E) {
        TRY(cau_edge_batches_new(ctx, set, pass->o.edges, pass->row_first, pass->row_blocks,
                                 &pass->edges));
        pass->batches = cau_edge_batches_count(pass->edges);
    }
done:
    return st;
}

static size_t largest_block(const cau_pass *pass)
{
    size_t most = 0;
    for (size_t b = 0; b < pass->row_blocks; b++) {
        const size_t rows = pass->row_first[b + 1] - pass->row_first[b];
        if (rows > most) most = rows;
    }
    return most;
}

caucus_status cau_pass_new(caucus_ctx *ctx, const cau_pass_options *options, cau_pass **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = options->set;
    const bool chain = options->chain;
    cau_pass *pass = cau_calloc(1, sizeof *pass);
    if (!pass) return cau_fail_memory(ctx, "training");
    pass->o = *options;
    pass->kernels = cau_kernels_get();
    pass->sums = chain ? set->Y * set->Y : set->Y;
    pass->common = options->common ? pass->sums : 0;
    pass->batches = 1;

    /* Large sums make large blocks. */
    size_t target = BLOCK_NONZEROS, nonzeros = cau_csr_nonzeros(&set->x) + set->N;
    size_t most = SUMS_MAX / pass->sums + BLOCKS_MIN;
    if (nonzeros / target > most) target = nonzeros / most;
    if (cau_csr_blocks(&set->x, target, &pass->row_first, &pass->row_blocks) ||
        (set->xt.start &&
         cau_csr_blocks(&set->xt, BLOCK_NONZEROS, &pass->column_first, &pass->column_blocks)))
        TRY(cau_fail_memory(ctx, "training"));
    align_blocks(set, chain, pass->row_first, &pass->row_blocks);

    pass->block_cells = largest_block(pass) * set->width;
    pass->block_cells += -pass->block_cells % 8;
    pass->brief = cau_vector(options->threads * pass->block_cells, sizeof(double));
    if (!chain) pass->logz = cau_vector(set->N, sizeof(double));
    pass->block_loss = cau_calloc(pass->row_blocks, sizeof(double));
    pass->block_common = cau_calloc(pass->row_blocks * pass->sums, sizeof(double));
    pass->block_extra = cau_calloc(pass->column_blocks, sizeof(double));
    pass->block_right = cau_calloc(pass->row_blocks, sizeof(size_t));
    pass->block_counted = cau_calloc(pass->row_blocks, sizeof(size_t));
    if (!pass->brief || (!chain && !pass->logz) || !pass->block_loss || !pass->block_common ||
        !pass->block_extra || !pass->block_right || !pass->block_counted)
        TRY(cau_fail_memory(ctx, "training"));
    if (chain) TRY(prepare_chain(ctx, pass));
    *out = pass;
    pass = NULL;
done:
    cau_pass_free(pass);
    return st;
}

void cau_pass_free(cau_pass *pass)
{
    if (!pass) return;
    for (unsigned i = 0; i < pass->o.threads; i++) {
        if (pass->work) cau_chain_work_free(pass->work[i]);
        if (pass->path) free(pass->path[i]);
    }
    free(pass->work);
    free(pass->path);
    cau_transitions_clear(&pass->transitions);
    cau_edge_batches_free(pass->edges);
    free(pass->row_first);
    free(pass->column_first);
    free(pass->cells);
    free(pass->brief);
    free(pass->logz);
    free(pass->block_loss);
    free(pass->block_common);
    free(pass->block_extra);
    free(pass->block_right);
    free(pass->block_counted);
    free(pass);
}

const double *cau_pass_cells(const cau_pass *pass)
{
    return pass->cells;
}

/* ---- scores and residuals ------------------------------------------------------------------- */

/* Where the weights of the edge table and the common ones begin. */
static size_t edges_at(const cau_pass *pass)
{
    return cau_table_size(&pass->o.nodes);
}

static size_t common_at(const cau_pass *pass)
{
    return edges_at(pass) + cau_table_size(&pass->o.edges);
}

/* Makes room for the cells of all instances. */
static caucus_status make_cells(cau_pass *pass)
{
    const cau_dataset *set = pass->o.set;
    if (!pass->cells) pass->cells = cau_vector_by(pass->o.threads, set->N * set->Y, sizeof(double));
    return pass->cells ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* The instances of block b, and their scores: those of the first, where its cells are. */
static double *score_block(const job *j, size_t b, unsigned worker, size_t *begin, size_t *end)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t row = pass->row_first[b], row_end = pass->row_first[b + 1];
    double *cells =
        j->whole ? pass->cells + row * set->width : pass->brief + worker * pass->block_cells;
    *begin = row / set->group;
    *end = row_end / set->group;
    const double *bias = pass->common && !pass->o.chain ? j->w + common_at(pass) : NULL;
    if (!pass->o.nodes.start) {
        pass->kernels->rows(&set->x, row, row_end, set->width, j->w, bias, cells);
        return cells;
    }
    pass->kernels->rows_listed(&set->x, row, row_end, &pass->o.nodes, j->w, cells);
    for (size_t i = 0; bias && i < (row_end - row) * set->Y; i++) cells[i] += bias[i % set->Y];
    return cells;
}

/* The scores of the edges of a block, or NULL where observations have no say in them. */
static double *score_edges(const job *j, size_t begin, size_t end)
{
    cau_pass *pass = j->pass;
    if (!pass->edges) return NULL;
    return cau_edge_batches_scores(pass->edges, pass->kernels, j->batch, begin, end,
                                   j->w + edges_at(pass));
}

/* Notes a label and whether it is right; what partial labels leave open is not counted. */
static void judge(const job *j, size_t i, uint32_t label, size_t *right, size_t *counted)
{
    const cau_dataset *set = j->pass->o.set;
    if (j->labels) j->labels[i] = label;
    if (set->partial && (set->gold[i] & CAU_SET)) return;
    *right += label == set->gold[i];
    ++*counted;
}

static caucus_status judge_chains(const job *j, size_t begin, size_t end, const double *s,
                                  const double *own, unsigned worker, size_t *right,
                                  size_t *counted)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y;
    uint32_t *path = pass->path[worker];
    size_t q, last;
    if (set->sequence)
        sequences_of(set, begin, end, &q, &last);
    else
        q = begin, last = end;
    for (size_t at = begin; q < last; q++) {
        const size_t T = sequence_length(set, q);
        cau_lattice x;
        caucus_status st =
            pass->o.chain->lattice(pass->work[worker], &pass->transitions, T, s + (at - begin) * Y,
                                   own ? own + (at - begin) * Y * Y : NULL, &x);
        if (!st) st = cau_chain_best(pass->work[worker], &x, path, NULL);
        if (st) return st;
        for (size_t t = 0; t < T; t++) judge(j, at + t, path[t], right, counted);
        at += T;
    }
    return CAUCUS_OK;
}

/* Counts the right labels of block b, whose scores are in s and in own. */
static caucus_status judge_block(const job *j, size_t b, size_t begin, size_t end, const double *s,
                                 const double *own, unsigned worker)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t right = 0, counted = 0;
    caucus_status st = CAUCUS_OK;
    if (pass->o.chain) {
        st = judge_chains(j, begin, end, s, own, worker, &right, &counted);
    } else {
        for (size_t i = begin; i < end; i++, s += set->Y) {
            uint32_t best = 0;
            for (uint32_t y = 1; y < set->Y; y++)
                if (s[y] > s[best]) best = y;
            judge(j, i, best, &right, &counted);
        }
    }
    pass->block_right[b] = right;
    pass->block_counted[b] = counted;
    return st;
}

/* Puts x among n examples, the longest of which comes first; equals in the order they came. */
static void insert_by_length(cau_chain_example *among, size_t n, cau_chain_example x)
{
    for (; n > 0 && among[n - 1].T < x.T; n--) among[n] = among[n - 1];
    among[n] = x;
}

static caucus_status chain_block(const job *j, size_t b, size_t begin, size_t end, double *s,
                                 double *own, cau_chain_work *work)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y;
    double *sums = pass->block_common + b * pass->sums, total = 0;
    cau_chain_example x[CHAINS];
    size_t q, last, n = 0;
    memset(sums, 0, pass->sums * sizeof *sums);
    if (set->sequence)
        sequences_of(set, begin, end, &q, &last);
    else
        q = begin, last = end;
    for (size_t at = begin; q < last; q++) {
        const size_t T = sequence_length(set, q);
        insert_by_length(
            x, n++,
            (cau_chain_example){.T = T,
                                .s = s + (at - begin) * Y,
                                .own = own ? own + (at - begin) * Y * Y : NULL,
                                .gold = set->gold + at,
                                .sets = &set->sets,
                                .weight = pass->o.weight ? (double)pass->o.weight[at] : 1,
                                .expected_only = j->expected_only,
                                .counts = sums});
        at += T;
        if (n < CHAINS && q + 1 < last) continue;
        double loss;
        caucus_status st = pass->o.chain->residuals(work, &pass->transitions, n, x, &loss);
        if (st) return st;
        total += loss;
        n = 0;
    }
    pass->block_loss[b] = total;
    return CAUCUS_OK;
}

/* What the residuals of block b, which has so many instances, say of the default weights. */
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
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t b = j->first_block + block, Y = set->Y, begin, end;
    double *s = score_block(j, b, worker, &begin, &end), *own = score_edges(j, begin, end);
    caucus_status st = j->judged ? judge_block(j, b, begin, end, s, own, worker) : CAUCUS_OK;
    if (st) return st;
    if (pass->o.chain) return chain_block(j, b, begin, end, s, own, pass->work[worker]);

    st = cau_maxent_ops.residuals(end - begin, Y, s, set->gold + begin,
                                  pass->o.weight ? pass->o.weight + begin : NULL, j->expected_only,
                                  pass->logz + begin, &pass->block_loss[b]);
    if (pass->common) sum_cells(pass, b, end - begin, s);
    return st;
}

/* ---- gradients ------------------------------------------------------------------------------ */

static caucus_status pull_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const cau_table *nodes = &pass->o.nodes;
    size_t begin = pass->column_first[b], end = pass->column_first[b + 1];
    size_t at = cau_table_at(nodes, begin);
    if (nodes->start)
        pass->kernels->pull_listed(&set->xt, begin, end, nodes, pass->cells, j->g);
    else
        pass->kernels->rows(&set->xt, begin, end, set->width, pass->cells, NULL, j->g + at);
    pass->block_extra[b] =
        j->finish ? j->finish(j->finish_self, at, cau_table_at(nodes, end), j->w, j->g) : 0;
    return CAUCUS_OK;
}

/* The edge table, some rows at a time. */
static double finish_edges(const job *j)
{
    const cau_pass *pass = j->pass;
    const cau_table *table = &pass->o.edges;
    const size_t from = edges_at(pass);
    double sum = 0;
    for (size_t k = 0; j->finish && k < table->rows;) {
        size_t at = cau_table_at(table, k++);
        while (k < table->rows && cau_table_at(table, k + 1) - at <= FINISH_WEIGHTS) k++;
        sum += j->finish(j->finish_self, from + at, from + cau_table_at(table, k), j->w, j->g);
    }
    return sum;
}

static double finish_common(const job *j)
{
    const cau_pass *pass = j->pass;
    const size_t at = common_at(pass);
    for (size_t c = 0; c < pass->common; c++) {
        double g = 0;
        for (size_t b = 0; b < pass->row_blocks; b++) g += pass->block_common[b * pass->sums + c];
        j->g[at + c] = g;
    }
    if (!pass->common || !j->finish) return 0;
    return j->finish(j->finish_self, at, at + pass->common, j->w, j->g);
}

/* The gradient of the residuals that are in the cells. */
static caucus_status pull(job *j, double *extra)
{
    const cau_pass *pass = j->pass;
    caucus_status st = cau_parallel(pass->o.threads, pass->column_blocks, pull_block, j);
    if (st) return st;
    double sum = 0;
    for (size_t b = 0; b < pass->column_blocks; b++) sum += pass->block_extra[b];
    sum += finish_edges(j);
    sum += finish_common(j);
    if (extra) *extra = sum;
    return CAUCUS_OK;
}

static caucus_status run(job *j, double *loss, double *extra)
{
    cau_pass *pass = j->pass;
    const unsigned threads = pass->o.threads;
    j->whole = j->g;
    if (j->whole && make_cells(pass)) return CAUCUS_ERR_MEMORY;
    if (pass->o.chain)
        cau_transitions_set(&pass->transitions, pass->common ? j->w + common_at(pass) : NULL);
    if (pass->edges && j->g)
        memset(j->g + edges_at(pass), 0, cau_table_size(&pass->o.edges) * sizeof *j->g);
    for (j->batch = 0; j->batch < pass->batches; j->batch++) {
        size_t end = pass->row_blocks;
        j->first_block = 0;
        if (pass->edges) cau_edge_batches_at(pass->edges, j->batch, &j->first_block, &end);
        caucus_status st = cau_parallel(threads, end - j->first_block, residual_block, j);
        if (!st && pass->edges && j->g)
            st = cau_edge_batches_pull(pass->edges, pass->kernels, j->batch, threads,
                                       j->g + edges_at(pass));
        if (st) return st;
    }
    double total = 0;
    for (size_t b = 0; b < pass->row_blocks; b++) total += pass->block_loss[b];
    if (!isfinite(total)) return CAUCUS_ERR_NUMERIC;
    *loss = total;
    return j->g ? pull(j, extra) : CAUCUS_OK;
}

caucus_status cau_pass_gradient(cau_pass *pass, const double *w, double *loss, double *g,
                                cau_finish_fn *finish, void *self, double *extra)
{
    job j = {.pass = pass, .w = w, .g = g, .finish = finish, .finish_self = self};
    return run(&j, loss, extra);
}

caucus_status cau_pass_expect(cau_pass *pass, const double *w, double *loss, double *E)
{
    job j = {.pass = pass, .w = w, .g = E, .expected_only = true};
    return run(&j, loss, NULL);
}

/* ---- weights that follow from what is said of the instances ---------------------------------- */

/* log p(gold|x) of the instances of a block; p(y|x) stays in the cells. */
static caucus_status gold_block(void *self, size_t b, unsigned worker)
{
    const job *j = self;
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
    assert(!pass->o.chain);
    job j = {.pass = pass, .w = w, .logp = logp, .whole = true};
    if (make_cells(pass)) return CAUCUS_ERR_MEMORY;
    return cau_parallel(pass->o.threads, pass->row_blocks, gold_block, &j);
}

/* p(y|x_i) in the cells of a block becomes c_i (p(y|x_i) - [y = gold_i]). */
static caucus_status weigh_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    const size_t Y = set->Y, group = set->group;
    const size_t begin = pass->row_first[b] / group, end = pass->row_first[b + 1] / group;
    double *r = pass->cells + begin * Y;
    for (size_t i = begin; i < end; i++, r += Y) {
        for (size_t y = 0; y < Y; y++) r[y] *= j->weight[i];
        r[set->gold[i]] -= j->weight[i];
    }
    if (pass->common) sum_cells(pass, b, end - begin, pass->cells + begin * Y);
    return CAUCUS_OK;
}

caucus_status cau_pass_weighed(cau_pass *pass, const double *w, const double *weight, double *g,
                               cau_finish_fn *finish, void *self, double *extra)
{
    job j = {.pass = pass, .w = w, .g = g, .weight = weight, .finish = finish, .finish_self = self};
    caucus_status st = cau_parallel(pass->o.threads, pass->row_blocks, weigh_block, &j);
    return st ? st : pull(&j, extra);
}

/* ---- accuracy ------------------------------------------------------------------------------- */

static double share_right(const cau_pass *pass)
{
    size_t right = 0, counted = 0;
    for (size_t b = 0; b < pass->row_blocks; b++) {
        right += pass->block_right[b];
        counted += pass->block_counted[b];
    }
    return counted ? (double)right / (double)counted : NAN;
}

caucus_status cau_pass_measure(cau_pass *pass, const double *w, double *loss, double *share)
{
    job j = {.pass = pass, .w = w, .judged = true};
    caucus_status st = run(&j, loss, NULL);
    if (!st) *share = share_right(pass);
    return st;
}

static caucus_status accuracy_block(void *self, size_t block, unsigned worker)
{
    const job *j = self;
    size_t b = j->first_block + block, begin, end;
    const double *s = score_block(j, b, worker, &begin, &end);
    return judge_block(j, b, begin, end, s, score_edges(j, begin, end), worker);
}

caucus_status cau_pass_label(cau_pass *pass, const double *w, uint32_t *labels, double *share)
{
    job j = {.pass = pass, .w = w, .labels = labels};
    if (pass->o.chain)
        cau_transitions_set(&pass->transitions, pass->common ? w + common_at(pass) : NULL);
    for (j.batch = 0; j.batch < pass->batches; j.batch++) {
        size_t end = pass->row_blocks;
        if (pass->edges) cau_edge_batches_at(pass->edges, j.batch, &j.first_block, &end);
        caucus_status st = cau_parallel(pass->o.threads, end - j.first_block, accuracy_block, &j);
        if (st) return st;
    }
    *share = share_right(pass);
    return CAUCUS_OK;
}

caucus_status cau_pass_accuracy(cau_pass *pass, const double *w, double *share)
{
    return cau_pass_label(pass, w, NULL, share);
}
