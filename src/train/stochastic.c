/* stochastic.c - see stochastic.h. */

#include "train/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Allocates for the longest sequence, and for the one with the most observations. */
static caucus_status prepare_chain(caucus_ctx *ctx, cau_stochastic *s)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = s->problem->set;
    size_t longest = 1, most = 1;
    for (size_t i = 0; i < (set->sequence ? set->S : set->N); i++) {
        size_t first = cau_dataset_begin(set, i), T = cau_dataset_length(set, i);
        size_t all = set->x.start[first + T] - set->x.start[first];
        if (set->E) all += set->e.start[first + T] - set->e.start[first];
        if (T > longest) longest = T;
        if (all > most) most = all;
    }
    TRY(cau_transitions_init(ctx, &s->transitions, set->Y));
    TRY(cau_chain_work_new(ctx, set->Y, &s->work));
    s->best = cau_alloc(longest, sizeof *s->best);
    s->gold = cau_alloc(longest, sizeof *s->gold);
    s->allowed = cau_alloc(longest * set->Y, sizeof *s->allowed);
    s->counts = cau_vector(set->Y * set->Y, sizeof *s->counts);
    if (!s->best || !s->gold || !s->allowed || !s->counts) TRY(cau_fail_memory(ctx, "a sequence"));
    if (!set->E) goto done;
    s->start = cau_alloc(2 * longest + 1, sizeof *s->start);
    s->offset = cau_alloc(2 * longest, sizeof *s->offset);
    s->id = cau_alloc(most, sizeof *s->id);
    s->value = cau_alloc(most, sizeof *s->value);
    if (!s->start || !s->offset || !s->id || !s->value) TRY(cau_fail_memory(ctx, "a sequence"));
done:
    return st;
}

caucus_status cau_stochastic_init(caucus_ctx *ctx, cau_problem *problem, cau_stochastic *out)
{
    caucus_status st = CAUCUS_OK;
    cau_stochastic s = {.problem = problem};
    if (problem->chain) TRY(prepare_chain(ctx, &s));
    *out = s;
    s = (cau_stochastic){0};
done:
    cau_stochastic_clear(&s);
    return st;
}

void cau_stochastic_clear(cau_stochastic *s)
{
    cau_transitions_clear(&s->transitions);
    cau_chain_work_free(s->work);
    free(s->best);
    free(s->gold);
    free(s->counts);
    free(s->allowed);
    free(s->start);
    free(s->offset);
    free(s->id);
    free(s->value);
    cau_dropout_clear(&s->dropout);
    *s = (cau_stochastic){0};
}

/* ---- examples ------------------------------------------------------------------------------ */

/* A sequence with observations on edges: T groups of nodes, then T of edges. */
static void join_groups(cau_stochastic *s, size_t first, size_t T, cau_example *out)
{
    const cau_dataset *set = s->problem->set;
    const size_t Y = set->Y, x0 = set->x.start[first], e0 = set->e.start[first];
    const size_t nodes = set->x.start[first + T] - x0, all = nodes + set->e.start[first + T] - e0;
    for (size_t t = 0; t <= T; t++) {
        s->start[t] = set->x.start[first + t] - x0;
        s->start[T + t] = nodes + set->e.start[first + t] - e0;
        if (t == T) break;
        s->offset[t] = t * Y;
        s->offset[T + t] = T * Y + t * Y * Y;
    }
    memcpy(s->id, set->x.column + x0, nodes * sizeof *s->id);
    for (size_t e = nodes; e < all; e++)
        s->id[e] = (uint32_t)(set->K + set->e.column[e0 + e - nodes]);
    for (size_t e = 0; set->x.value && e < all; e++)
        s->value[e] = e < nodes ? set->x.value[x0 + e] : 1;
    *out = (cau_example){.groups = 2 * T,
                         .start = s->start,
                         .id = s->id,
                         .value = set->x.value ? s->value : NULL,
                         .offset = s->offset,
                         .scores = T * Y + T * Y * Y};
}

static void whole_example(cau_stochastic *s, size_t i, cau_example *out)
{
    const cau_dataset *set = s->problem->set;
    size_t first = i * set->group, groups = set->group;
    if (s->problem->chain) {
        first = cau_dataset_begin(set, i);
        groups = cau_dataset_length(set, i);
        if (set->E) {
            join_groups(s, first, groups, out);
            return;
        }
    }
    *out = (cau_example){.groups = groups,
                         .start = set->x.start + first,
                         .id = set->x.column,
                         .value = set->x.value,
                         .scores = groups * set->width};
}

static void example(void *self, size_t i, cau_example *out)
{
    cau_stochastic *s = self;
    whole_example(s, i, out);
    cau_dropout_thin(&s->dropout, i, out);
}

/* ---- losses -------------------------------------------------------------------------------- */

static caucus_status classifier_residual(const cau_problem *p, size_t i, double *scores,
                                         const double *w, double *g, double *loss)
{
    const size_t Y = p->set->Y;
    double logz;
    for (size_t y = 0; y < p->common; y++) scores[y] += w[y];
    caucus_status st = cau_maxent_residuals(1, Y, scores, p->set->gold + i,
                                            p->weight ? p->weight + i : NULL, false, &logz, loss);
    for (size_t y = 0; y < p->common; y++) g[y] += scores[y];
    return st;
}

static caucus_status residual(void *self, size_t i, double *scores, const double *w, double *g,
                              double *loss)
{
    cau_stochastic *s = self;
    const cau_problem *p = s->problem;
    const cau_dataset *set = p->set;
    if (!p->chain) return classifier_residual(p, i, scores, w, g, loss);
    const size_t first = cau_dataset_begin(set, i), T = cau_dataset_length(set, i);
    cau_chain_example x = {.T = T,
                           .s = scores,
                           .edge_scores = set->E ? scores + T * set->Y : NULL,
                           .gold = set->gold + first,
                           .sets = &set->sets,
                           .weight = p->weight ? (double)p->weight[first] : 1,
                           .counts = p->common ? g : s->counts};
    cau_transitions_set(&s->transitions, p->common ? w : NULL);
    return p->chain->residuals(s->work, &s->transitions, 1, &x, loss);
}

/* ---- mistakes ------------------------------------------------------------------------------ */

/* The gold path, or, for partial labels, the best path that they allow. */
static caucus_status gold_path(cau_stochastic *s, const cau_lattice *x, const uint32_t *gold,
                               uint32_t *path)
{
    const cau_dataset *set = s->problem->set;
    bool whole = true;
    for (size_t t = 0; t < x->T; t++) {
        path[t] = gold[t];
        whole = whole && !(gold[t] & CAU_SET);
    }
    if (whole) return CAUCUS_OK;
    memcpy(s->allowed, x->node, x->T * x->Y * sizeof *s->allowed);
    for (size_t t = 0; t < x->T; t++) {
        if (gold[t] == CAU_UNKNOWN) continue;
        double *node = s->allowed + t * x->Y;
        const uint32_t *label = &gold[t];
        size_t count = 1, next = 0;
        if (gold[t] & CAU_SET) {
            const size_t at = set->sets.start[gold[t] - CAU_SET];
            label = set->sets.label + at;
            count = set->sets.start[gold[t] - CAU_SET + 1] - at;
        }
        for (uint32_t y = 0; y < x->Y; y++) {
            if (next < count && label[next] == y)
                next++;
            else
                node[y] = -INFINITY;
        }
    }
    cau_lattice allowed = *x;
    allowed.node = s->allowed;
    return cau_chain_best(s->work, &allowed, path, NULL);
}

/* Adds `c` to the cells of a path. */
static void mark(const cau_lattice *x, const uint32_t *path, double c, double *s, double *own,
                 double *g)
{
    for (size_t t = 0; t < x->T; t++) {
        s[t * x->Y + path[t]] += c;
        if (t == 0) continue;
        const size_t pair = path[t - 1] * x->Y + path[t];
        if (own) own[t * x->Y * x->Y + pair] += c;
        if (g) g[pair] += c;
    }
}

static caucus_status mistake(void *self, size_t i, double *scores, const double *w, double *g,
                             double *margin, size_t *wrong)
{
    caucus_status st = CAUCUS_OK;
    cau_stochastic *s = self;
    const cau_problem *p = s->problem;
    const cau_dataset *set = p->set;
    const size_t first = cau_dataset_begin(set, i), T = cau_dataset_length(set, i), Y = set->Y;
    double *own = set->E ? scores + T * Y : NULL;
    cau_lattice x;
    cau_transitions_set(&s->transitions, p->common ? w : NULL);
    TRY(p->chain->lattice(s->work, &s->transitions, T, scores, own, &x));
    TRY(cau_chain_best(s->work, &x, s->best, NULL));
    TRY(gold_path(s, &x, set->gold + first, s->gold));
    *wrong = 0;
    for (size_t t = 0; t < T; t++) *wrong += s->best[t] != s->gold[t];
    *margin = cau_chain_score(&x, s->best) - cau_chain_score(&x, s->gold);
    memset(scores, 0, (T * Y + (own ? T * Y * Y : 0)) * sizeof *scores);
    if (*wrong == 0) return CAUCUS_OK;
    mark(&x, s->best, 1, scores, own, p->common ? g : NULL);
    mark(&x, s->gold, -1, scores, own, p->common ? g : NULL);
done:
    return st;
}

/* ---- the problem --------------------------------------------------------------------------- */

static caucus_status whole_loss(void *self, const double *w, double *loss)
{
    const cau_stochastic *s = self;
    return cau_pass_gradient(s->problem->pass, w, loss, NULL, NULL, NULL, NULL);
}

cau_online_problem cau_stochastic_problem(cau_stochastic *s)
{
    const cau_problem *p = s->problem;
    const cau_dataset *set = p->set;
    return (cau_online_problem){.examples = p->chain && set->sequence ? set->S : set->N,
                                .nodes = p->nodes,
                                .edges = p->edges,
                                .common = p->common,
                                .common_penalised = p->penalised == p->n,
                                .l1 = p->l1,
                                .l2 = p->l2,
                                .mean = p->mean,
                                .fixed = p->fixed,
                                .self = s,
                                .example = example,
                                .residual = residual,
                                .mistake = p->chain ? mistake : NULL,
                                .loss = whole_loss};
}
