/* pass.c - see pass.h. The work is cut into blocks of about equal numbers of non-zeros; the
 * cuts depend on the data alone. What has to be added over blocks (the loss, the gradient
 * of the default weights, the penalty) is kept per block and added in their order. */

#include "exec/pass.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"

enum { BLOCK_NONZEROS = 1 << 15 };

struct cau_pass {
    cau_pass_options o;
    const cau_kernels *kernels;
    size_t *row_first, row_blocks;       /* blocks of instances, in rows of X */
    size_t *column_first, column_blocks; /* blocks of observations */
    double *cells;                       /* [N][Y] scores, then residuals */
    double *logz;                        /* [N] scratch */
    double *block_loss;                  /* [row_blocks] */
    double *block_bias;                  /* [row_blocks][Y] */
    double *block_extra;                 /* [column_blocks] */
    size_t *block_right;                 /* [row_blocks] */
};

/* What one run of the blocks works on. */
typedef struct {
    cau_pass *pass;
    const double *w;
    double *g;
    cau_finish_fn *finish;
    void *finish_self;
    bool expected_only;
} job;

size_t cau_pass_bytes(const cau_dataset *set)
{
    return (set->N * set->Y + set->N) * sizeof(double);
}

/* Blocks of whole instances: an instance of explicit features has several rows. */
static void align_blocks(size_t *first, size_t *blocks, size_t group)
{
    size_t kept = 0;
    for (size_t b = 0; b <= *blocks; b++) {
        size_t row = first[b] - first[b] % group;
        if (kept == 0 || row > first[kept - 1]) first[kept++] = row;
    }
    if (kept > 0) *blocks = kept - 1;
}

caucus_status cau_pass_new(caucus_ctx *ctx, const cau_pass_options *options, cau_pass **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = options->set;
    cau_pass *pass = cau_calloc(1, sizeof *pass);
    if (!pass) return cau_fail_memory(ctx, "training");
    pass->o = *options;
    pass->kernels = cau_kernels_get();
    if (cau_csr_blocks(&set->x, BLOCK_NONZEROS, &pass->row_first, &pass->row_blocks) ||
        (set->xt.start &&
         cau_csr_blocks(&set->xt, BLOCK_NONZEROS, &pass->column_first, &pass->column_blocks)))
        TRY(cau_fail_memory(ctx, "training"));
    align_blocks(pass->row_first, &pass->row_blocks, set->group);

    pass->cells = cau_vector(set->N * set->Y, sizeof(double));
    pass->logz = cau_vector(set->N, sizeof(double));
    pass->block_loss = cau_calloc(pass->row_blocks, sizeof(double));
    pass->block_bias = cau_calloc(pass->row_blocks * set->Y, sizeof(double));
    pass->block_extra = cau_calloc(pass->column_blocks, sizeof(double));
    pass->block_right = cau_calloc(pass->row_blocks, sizeof(size_t));
    if (!pass->cells || !pass->logz || !pass->block_loss || !pass->block_bias ||
        !pass->block_extra || !pass->block_right)
        TRY(cau_fail_memory(ctx, "training"));
    *out = pass;
    pass = NULL;
done:
    cau_pass_free(pass);
    return st;
}

void cau_pass_free(cau_pass *pass)
{
    if (!pass) return;
    free(pass->row_first);
    free(pass->column_first);
    free(pass->cells);
    free(pass->logz);
    free(pass->block_loss);
    free(pass->block_bias);
    free(pass->block_extra);
    free(pass->block_right);
    free(pass);
}

const double *cau_pass_cells(const cau_pass *pass)
{
    return pass->cells;
}

/* The instances of block b, and their scores. */
static void score_block(const job *j, size_t b, size_t *begin, size_t *end)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t row = pass->row_first[b], row_end = pass->row_first[b + 1];
    const double *bias = pass->o.bias ? j->w + set->K * set->width : NULL;
    pass->kernels->rows(&set->x, row, row_end, set->width, j->w, bias,
                        pass->cells + row * set->width);
    *begin = row / set->group;
    *end = row_end / set->group;
}

static caucus_status residual_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t Y = set->Y, begin, end;
    score_block(j, b, &begin, &end);
    double *s = pass->cells + begin * Y;
    caucus_status st = pass->o.model->residuals(
        end - begin, Y, s, set->gold + begin, pass->o.weight ? pass->o.weight + begin : NULL,
        j->expected_only, pass->logz + begin, &pass->block_loss[b]);
    if (pass->o.bias) {
        double *sum = pass->block_bias + b * Y;
        for (size_t y = 0; y < Y; y++) sum[y] = 0;
        for (size_t i = 0; i < end - begin; i++)
            for (size_t y = 0; y < Y; y++) sum[y] += s[i * Y + y];
    }
    return st;
}

static caucus_status pull_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t begin = pass->column_first[b], end = pass->column_first[b + 1], width = set->width;
    pass->kernels->rows(&set->xt, begin, end, width, pass->cells, NULL, j->g + begin * width);
    pass->block_extra[b] =
        j->finish ? j->finish(j->finish_self, begin * width, end * width, j->w, j->g) : 0;
    return CAUCUS_OK;
}

static caucus_status run(job *j, double *loss, double *extra)
{
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    caucus_status st = cau_parallel(pass->o.threads, pass->row_blocks, residual_block, j);
    if (st) return st;
    double total = 0;
    for (size_t b = 0; b < pass->row_blocks; b++) total += pass->block_loss[b];
    if (!isfinite(total)) return CAUCUS_ERR_NUMERIC;
    *loss = total;
    if (!j->g) return CAUCUS_OK;

    st = cau_parallel(pass->o.threads, pass->column_blocks, pull_block, j);
    if (st) return st;
    double sum = 0;
    for (size_t b = 0; b < pass->column_blocks; b++) sum += pass->block_extra[b];
    if (pass->o.bias) {
        size_t at = set->K * set->width;
        for (size_t y = 0; y < set->Y; y++) {
            double g = 0;
            for (size_t b = 0; b < pass->row_blocks; b++) g += pass->block_bias[b * set->Y + y];
            j->g[at + y] = g;
        }
        if (j->finish) sum += j->finish(j->finish_self, at, at + set->Y, j->w, j->g);
    }
    if (extra) *extra = sum;
    return CAUCUS_OK;
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

static caucus_status accuracy_block(void *self, size_t b, unsigned worker)
{
    (void)worker;
    const job *j = self;
    cau_pass *pass = j->pass;
    const cau_dataset *set = pass->o.set;
    size_t begin, end, right = 0;
    score_block(j, b, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        const double *s = pass->cells + i * set->Y;
        size_t best = 0;
        for (size_t y = 1; y < set->Y; y++)
            if (s[y] > s[best]) best = y;
        right += best == set->gold[i];
    }
    pass->block_right[b] = right;
    return CAUCUS_OK;
}

double cau_pass_accuracy(cau_pass *pass, const double *w)
{
    job j = {.pass = pass, .w = w};
    cau_parallel(pass->o.threads, pass->row_blocks, accuracy_block, &j);
    size_t right = 0;
    for (size_t b = 0; b < pass->row_blocks; b++) right += pass->block_right[b];
    return pass->o.set->N ? (double)right / (double)pass->o.set->N : NAN;
}
