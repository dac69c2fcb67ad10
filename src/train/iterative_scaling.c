/* iterative_scaling.c - GIS and IIS over a problem.
 *
 * A cell is a pair of instance and class; a feature (k,y) is active in the cells (i,y) of the
 * instances that have observation k. The mass of a cell is the sum of its active features,
 *     f#(x,y) = sum_k f_k(x,y)        (intercepts are features with value 1)
 * GIS needs the largest mass, C. IIS solves for each feature
 *     sum_m a_m exp(d m) = target,    a_m = sum of c_i p(y|x_i) f_k over its cells of mass m
 * with the distinct masses m numbered once ("bins"). Pairs that never occur keep weight 0 without a
 * penalty; under --states all they still count in the mass, as in MATH A.6; under --states seen
 * they are not features.
 *
 * For a sequence model the mass of a labelling is that of its nodes and edges. A MEMM is a
 * classifier at each position, and the edge from the previous position is among its features. A CRF
 * labels a whole sequence at once: all its cells have the mass of the sequence with the heaviest
 * label at each position, a bound that is as valid for the proof as the mass itself (Lafferty,
 * McCallum, Pereira 2001, algorithm T). Expected counts of edges are not divided by mass; they use
 * the largest, which makes their steps shorter, never wrong. */

#include "train/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/kernels.h"

typedef struct {
    double *a;         /* [bins] sums of the current feature, zero between features */
    uint32_t *touched; /* [bins] bins with a nonzero sum */
    double *term;      /* [bins] packed for the root finder */
    double *term_mass; /* [bins] */
} scratch;

struct cau_iterative_scaling {
    cau_problem *problem;
    bool iis, correction;
    double C;
    double *target;     /* [n] empirical counts */
    double *E;          /* [n] weights after folding in the correction feature */
    double *folded;     /* [n] weights with the correction feature folded in */
    double *mass;       /* [N*Y] of the cells */
    double target0, E0; /* counts of the correction feature */
    size_t bins;
    double *bin_mass; /* [bins] ascending */
    uint32_t *bin;    /* [N*Y] */
    scratch *scratch; /* [threads] */
};

static bool is_free(const cau_problem *p, const double *target, size_t k)
{
    if (p->fixed && p->fixed[k]) return false;
    return target[k] > 0 || (k < p->penalised && p->l2 > 0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static caucus_status refuse_negative(caucus_ctx *ctx, const caucus_data *data,
                                     const cau_iterative_scaling *b, uint32_t k, double v)
{
    cau_str name = cau_alphabet_name(data->alphabets.names, k);
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "%s needs features that are not negative, and '%.*s' has the value %g; use "
                    "--solver lbfgs",
                    b->iis ? "iis" : "gis", (int)(name.n < 100 ? name.n : 100), name.s, v);
}

/* Adds the mass of the features of each row and class. */
static caucus_status weigh_nodes(caucus_ctx *ctx, const caucus_data *data, cau_iterative_scaling *b)
{
    const cau_problem *p = b->problem;
    const cau_dataset *set = p->set;
    const cau_table *nodes = &p->nodes;
    size_t rows = set->N * set->group, width = set->width;
    for (size_t r = 0; r < rows; r++) {
        double *mass = b->mass + r * width;
        for (size_t j = 0; j < width; j++) mass[j] = p->common && !p->chain ? 1 : 0;
        for (size_t e = set->x.start[r]; e < set->x.start[r + 1]; e++) {
            double v = set->x.value ? (double)set->x.value[e] : 1;
            uint32_t k = set->x.column[e];
            if (cau_table_at(nodes, k) == cau_table_at(nodes, k + 1)) continue;
            if (v < 0) return refuse_negative(ctx, data, b, k, v);
            if (!nodes->start)
                for (size_t j = 0; j < width; j++) mass[j] += v;
            else
                for (size_t i = nodes->start[k]; i < nodes->start[k + 1]; i++)
                    mass[nodes->cell[i]] += v;
        }
    }
    return CAUCUS_OK;
}

/* The mass of the observations with weights on the edge into an instance. */
static double edge_mass(const cau_problem *p, size_t i)
{
    const cau_csr *e = &p->set->e;
    double sum = 0;
    for (size_t at = e->start[i]; at < e->start[i + 1]; at++) {
        const size_t k = e->column[at];
        sum += cau_table_at(&p->edges, k) < cau_table_at(&p->edges, k + 1);
    }
    return sum;
}

/* Adds the mass of edges; for a CRF, gives all cells of a sequence its mass. */
static void weigh_sequences(cau_iterative_scaling *b)
{
    const cau_problem *p = b->problem;
    const cau_dataset *set = p->set;
    const size_t Y = set->Y;
    for (size_t s = 0, i = 0; i < set->N; s++) {
        size_t first = i, end = set->sequence ? set->sequence[s + 1] : i + 1;
        double total = 0;
        for (; i < end; i++) {
            double edge = i > first && p->common ? 1 : 0, most = 0;
            if (i > first && set->E) edge += edge_mass(p, i);
            for (size_t y = 0; y < Y; y++) {
                double *mass = &b->mass[i * Y + y];
                *mass += edge;
                if (*mass > most) most = *mass;
            }
            total += most;
        }
        for (size_t c = first * Y; p->chain == &cau_crf_ops && c < end * Y; c++) b->mass[c] = total;
    }
}

/* Computes the mass of every cell. */
static caucus_status weigh_cells(caucus_ctx *ctx, const caucus_data *data, cau_iterative_scaling *b)
{
    const cau_dataset *set = b->problem->set;
    caucus_status st = weigh_nodes(ctx, data, b);
    if (st) return st;
    if (b->problem->chain) weigh_sequences(b);
    for (size_t c = 0; c < set->N * set->Y; c++)
        if (b->mass[c] > b->C) b->C = b->mass[c];
    return CAUCUS_OK;
}

/* Numbers the distinct masses. */
static caucus_status make_bins(caucus_ctx *ctx, cau_iterative_scaling *b)
{
    size_t cells = b->problem->set->N * b->problem->set->Y;
    b->bin_mass = cau_alloc(cells, sizeof *b->bin_mass);
    b->bin = cau_alloc(cells, sizeof *b->bin);
    b->scratch = cau_calloc(b->problem->threads, sizeof *b->scratch);
    if (!b->bin_mass || !b->bin || !b->scratch) return cau_fail_memory(ctx, "iis");
    memcpy(b->bin_mass, b->mass, cells * sizeof *b->mass);
    qsort(b->bin_mass, cells, sizeof *b->bin_mass, by_size);
    for (size_t c = 0; c < cells; c++)
        if (b->bins == 0 || b->bin_mass[c] != b->bin_mass[b->bins - 1])
            b->bin_mass[b->bins++] = b->bin_mass[c];
    for (size_t c = 0; c < cells; c++) {
        const double *at = bsearch(&b->mass[c], b->bin_mass, b->bins, sizeof *at, by_size);
        b->bin[c] = (uint32_t)(at - b->bin_mass);
    }
    for (unsigned t = 0; t < b->problem->threads; t++) {
        scratch *s = &b->scratch[t];
        s->a = cau_calloc(b->bins, sizeof *s->a);
        s->touched = cau_alloc(b->bins, sizeof *s->touched);
        s->term = cau_alloc(b->bins, sizeof *s->term);
        s->term_mass = cau_alloc(b->bins, sizeof *s->term_mass);
        if (!s->a || !s->touched || !s->term || !s->term_mass) return cau_fail_memory(ctx, "iis");
    }
    return CAUCUS_OK;
}

static caucus_status lost_contact(caucus_ctx *ctx)
{
    return cau_fail(ctx, CAUCUS_ERR_IO, "lost contact with the other processes");
}

/* The empirical counts and the largest mass of all processes. */
static caucus_status share_counts(caucus_ctx *ctx, cau_iterative_scaling *b)
{
    cau_comm *comm = b->problem->comm;
    cau_strbuf all = {0};
    if (!comm) return CAUCUS_OK;
    caucus_status st = cau_comm_sum(comm, b->problem->n, b->target);
    if (!st) st = cau_comm_collect(comm, (cau_str){(const char *)&b->C, sizeof b->C}, &all, NULL);
    for (size_t at = 0; !st && at < all.n; at += sizeof b->C) {
        double C;
        memcpy(&C, all.s + at, sizeof C);
        if (C > b->C) b->C = C;
    }
    cau_strbuf_clear(&all);
    return st ? lost_contact(ctx) : CAUCUS_OK;
}

caucus_status cau_iterative_scaling_new(caucus_ctx *ctx, const caucus_data *data,
                                        cau_problem *problem, bool iis, bool correction,
                                        cau_iterative_scaling **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = problem->set;
    cau_iterative_scaling *b = cau_calloc(1, sizeof *b);
    if (!b) return cau_fail_memory(ctx, "iterative scaling");
    b->problem = problem;
    b->iis = iis;
    b->correction = correction;
    b->target = cau_vector(problem->n, sizeof(double));
    b->E = cau_vector(problem->n, sizeof(double));
    b->folded = cau_vector(problem->n, sizeof(double));
    b->mass = cau_vector(set->N * set->Y, sizeof(double));
    if (!b->target || !b->E || !b->folded || !b->mass)
        TRY(cau_fail_memory(ctx, "iterative scaling"));
    cau_problem_counts(problem, b->target);
    TRY(weigh_cells(ctx, data, b));
    TRY(share_counts(ctx, b));
    if (b->C == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "no instance has a feature; use --solver lbfgs"));
    for (size_t i = 0; i < set->N; i++)
        b->target0 += (problem->weight ? (double)problem->weight[i] : 1) *
                      (b->C - b->mass[i * set->Y + set->gold[i]]);
    if (cau_comm_sum(problem->comm, 1, &b->target0)) TRY(lost_contact(ctx));
    if (iis) TRY(make_bins(ctx, b));
    *out = b;
    b = NULL;
done:
    cau_iterative_scaling_free(b);
    return st;
}

void cau_iterative_scaling_free(cau_iterative_scaling *b)
{
    if (!b) return;
    for (unsigned t = 0; b->scratch && t < b->problem->threads; t++) {
        free(b->scratch[t].a);
        free(b->scratch[t].touched);
        free(b->scratch[t].term);
        free(b->scratch[t].term_mass);
    }
    free(b->scratch);
    free(b->bin_mass);
    free(b->bin);
    free(b->target);
    free(b->E);
    free(b->folded);
    free(b->mass);
    free(b);
}

void cau_iterative_scaling_fold(const cau_iterative_scaling *b, const double *solver, double *w)
{
    const cau_problem *p = b->problem;
    double w0 = b->correction ? solver[p->n] : 0;
    for (size_t k = 0; k < p->n; k++) w[k] = solver[k] - w0;
}

/* F and the expected counts at w. The penalty is that of the weights of the solver, before the
 * correction feature is folded in. */
static caucus_status expect(void *self, const double *w, double *f, double *gnorm)
{
    cau_iterative_scaling *b = self;
    const cau_problem *p = b->problem;
    double loss, penalty = 0, norm = 0;
    cau_iterative_scaling_fold(b, w, b->folded);
    caucus_status st = cau_pass_expect(p->pass, b->folded, &loss, b->E);
    if (p->comm && st == CAUCUS_ERR_NUMERIC) { /* the other processes wait for the sums */
        loss = NAN;
        st = CAUCUS_OK;
    }
    if (!st) st = cau_comm_sum(p->comm, p->n, b->E);
    if (!st) st = cau_comm_sum(p->comm, 1, &loss);
    if (st) return st;
    for (size_t k = 0; k < p->n; k++) {
        if (!is_free(p, b->target, k)) continue;
        double g = b->E[k] - b->target[k];
        if (k < p->penalised && p->l2 > 0) {
            double d = w[k] - (p->mean ? p->mean[k] : 0);
            penalty += p->l2 / 2 * d * d;
            g += p->l2 * d;
        }
        norm += g * g;
    }
    if (b->correction) {
        const double *cell = cau_pass_cells(p->pass);
        b->E0 = 0;
        for (size_t c = 0; c < p->set->N * p->set->Y; c++) b->E0 += cell[c] * (b->C - b->mass[c]);
        st = cau_comm_sum(p->comm, 1, &b->E0);
        if (st) return st;
        norm += (b->E0 - b->target0) * (b->E0 - b->target0);
    }
    *f = loss + penalty;
    *gnorm = sqrt(norm);
    return isfinite(*f) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}

typedef struct {
    cau_iterative_scaling *b;
    const double *w;
    double *d;
} scaling_job;

static double root(const scaling_job *j, size_t k, size_t terms, const double *a,
                   const double *mass)
{
    const cau_problem *p = j->b->problem;
    bool penalised = k < p->penalised;
    return cau_scaling_root(terms, a, mass, j->b->target[k], j->w[k],
                            p->mean && penalised ? p->mean[k] : 0, penalised ? p->l2 : 0);
}

enum { BLOCK = 4096 }; /* weights (GIS) or observations (IIS) of a block */

static caucus_status gis_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const scaling_job *j = self;
    const cau_iterative_scaling *b = j->b;
    size_t end = (block + 1) * BLOCK < b->problem->n ? (block + 1) * BLOCK : b->problem->n;
    for (size_t k = block * BLOCK; k < end; k++)
        j->d[k] = is_free(b->problem, b->target, k) ? root(j, k, 1, &b->E[k], &b->C) : 0;
    return CAUCUS_OK;
}

/* The step of feature `k` with the cells of class j in the given rows. */
static double iis_step(const scaling_job *j, size_t k, size_t column, const uint32_t *rows,
                       const float *value, size_t count, scratch *s)
{
    const cau_iterative_scaling *b = j->b;
    const double *cell = cau_pass_cells(b->problem->pass);
    size_t width = b->problem->set->width, touched = 0, terms = 0;
    for (size_t e = 0; e < count; e++) {
        size_t at = (rows ? rows[e] : e) * width + column;
        double add = cell[at] * (value ? (double)value[e] : 1);
        if (add == 0) continue;
        if (s->a[b->bin[at]] == 0) s->touched[touched++] = b->bin[at];
        s->a[b->bin[at]] += add;
    }
    for (size_t t = 0; t < touched; t++) {
        s->term[terms] = s->a[s->touched[t]];
        s->term_mass[terms++] = b->bin_mass[s->touched[t]];
        s->a[s->touched[t]] = 0;
    }
    return terms ? root(j, k, terms, s->term, s->term_mass) : 0;
}

static caucus_status iis_block(void *self, size_t block, unsigned worker)
{
    const scaling_job *j = self;
    const cau_iterative_scaling *b = j->b;
    const cau_dataset *set = b->problem->set;
    const cau_csr *xt = &set->xt;
    const cau_table *nodes = &b->problem->nodes;
    size_t end = (block + 1) * BLOCK < set->K ? (block + 1) * BLOCK : set->K;
    for (size_t o = block * BLOCK; o < end; o++) {
        size_t from = xt->start[o], count = xt->start[o + 1] - from;
        size_t at = cau_table_at(nodes, o), stop = cau_table_at(nodes, o + 1);
        for (size_t k = at; k < stop; k++)
            j->d[k] =
                is_free(b->problem, b->target, k)
                    ? iis_step(j, k, nodes->cell ? nodes->cell[k] : k - at, xt->column + from,
                               xt->value ? xt->value + from : NULL, count, &b->scratch[worker])
                    : 0;
    }
    return CAUCUS_OK;
}

static caucus_status update(void *self, const double *w, double *d)
{
    cau_iterative_scaling *b = self;
    const cau_problem *p = b->problem;
    scaling_job j = {.b = b, .w = w, .d = d};
    if (b->iis) {
        cau_parallel(p->threads, (p->set->K + BLOCK - 1) / BLOCK, iis_block, &j);
        for (size_t k = cau_table_size(&p->nodes); k < p->n; k++) {
            d[k] = 0;
            if (!is_free(p, b->target, k)) continue;
            d[k] = p->chain ? root(&j, k, 1, &b->E[k], &b->C)
                            : iis_step(&j, k, k - (p->n - p->common), NULL, NULL, p->set->N,
                                       &b->scratch[0]);
        }
    } else {
        cau_parallel(p->threads, (p->n + BLOCK - 1) / BLOCK, gis_block, &j);
    }
    if (b->correction) d[p->n] = b->target0 > 0 && b->E0 > 0 ? log(b->target0 / b->E0) / b->C : 0;
    return CAUCUS_OK;
}

cau_scaling_problem cau_iterative_scaling_problem(cau_iterative_scaling *b)
{
    return (cau_scaling_problem){.n = b->problem->n + (b->correction ? 1 : 0),
                                 .threads = b->problem->threads,
                                 .self = b,
                                 .expect = expect,
                                 .update = update};
}
