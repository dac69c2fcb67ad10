/* held_out.c - see held_out.h.
 *
 *     for each fold   part of the data without it ──▶ members ──▶ scores of the fold by each
 *
 * One part is in memory at a time. Of a fold there remain its labels and the scores, and where
 * there are observations on edges, whose scores are too many to keep, these and their weights. */

#include "pool/held_out.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "dataset/dataset_builder.h"
#include "dataset/subset.h"
#include "train/resolve_options.h"

typedef struct {
    cau_dataset set;
    cau_problem problem;
    cau_expert *experts; /* [J] */
    const double **w;    /* [J] */
    cau_votes *votes;
} fold;

struct cau_held_out {
    size_t J, count; /* folds that are done */
    fold *fold;      /* [count] */
    cau_votes **votes;
};

caucus_status cau_pool_problem(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *train, unsigned threads,
                               cau_problem *problem)
{
    cau_train_options o = *train;
    o.rows = o.edge_rows = NULL;
    if (cau_solver_is_perceptron(cau_train_solver(train, data))) o.l1 = o.l2 = 0;
    o.solver = CAU_SOLVER_SGD; /* sees the weights as the model does */
    return cau_problem_init(ctx, data, &o, threads, problem);
}

static void clear_fold(size_t J, fold *f)
{
    cau_votes_free(f->votes);
    cau_experts_clear(J, f->experts);
    free(f->experts);
    free(f->w);
    cau_problem_clear(&f->problem);
    cau_dataset_clear(&f->set);
}

void cau_held_out_free(cau_held_out *h)
{
    if (!h) return;
    for (size_t f = 0; h->fold && f < h->count; f++) clear_fold(h->J, &h->fold[f]);
    free(h->fold);
    free(h->votes);
    free(h);
}

cau_ballots cau_held_out_ballots(cau_held_out *h)
{
    return (cau_ballots){.votes = h->votes, .count = h->count, .J = h->J};
}

/* ---- masks --------------------------------------------------------------------------------- */

/* A mask over the names of a part of the data from one over all names; NULL of NULL. */
static bool map_mask(const cau_alphabet *all, const uint8_t *mask, const cau_alphabet *part,
                     uint8_t **out)
{
    const size_t size = cau_alphabet_size(part);
    if (!mask) return true;
    *out = cau_alloc(size, 1);
    for (uint32_t k = 0; *out && k < size; k++) {
        const cau_str name = cau_alphabet_name(part, k);
        (*out)[k] = mask[cau_alphabet_find(all, name.s, name.n)];
    }
    return *out;
}

static caucus_status map_partition(caucus_ctx *ctx, const caucus_data *data,
                                   const cau_partition *all, const caucus_data *part,
                                   cau_partition *out)
{
    const caucus_status st = cau_partition_all(ctx, all->J, out);
    for (size_t j = 0; j < all->J && !st; j++) {
        if (!map_mask(data->alphabets.names, all->rows[j], part->alphabets.names, &out->rows[j]) ||
            !map_mask(data->alphabets.edges, all->edge_rows[j], part->alphabets.edges,
                      &out->edge_rows[j]))
            return cau_fail_memory(ctx, "the members");
    }
    return st;
}

/* ---- folds --------------------------------------------------------------------------------- */

/* The fold of each sequence, of [S]: units in a random order, dealt in turn. */
static caucus_status deal(caucus_ctx *ctx, const cau_dataset *set, size_t folds, uint64_t seed,
                          uint32_t *of)
{
    size_t units = set->S;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t s = 0; set->unit && s < set->S; s++)
        if (s == 0 || set->unit[s] >= units) units = (size_t)set->unit[s] + 1;
    if (folds < 2 || folds > units)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--alphas-folds %zu of %zu sequences cannot be made; use between 2 and %zu",
                        folds, units, units);
    uint32_t *turn = cau_alloc(units, sizeof *turn);
    if (!turn) return cau_fail_memory(ctx, "the folds");
    for (size_t u = 0; u < units; u++) turn[u] = (uint32_t)(u % folds);
    cau_rng_shuffle(&rng, turn, units);
    for (size_t s = 0; s < set->S; s++) of[s] = turn[set->unit ? set->unit[s] : s];
    free(turn);
    return CAUCUS_OK;
}

/* Leaves of a fold what its votes need. */
static void thin_out(size_t J, fold *f)
{
    cau_csr_clear(&f->set.x);
    if (f->problem.edges.rows == 0) cau_experts_clear(J, f->experts);
    cau_pass_free(f->problem.pass);
    f->problem.pass = NULL;
}

/* Trains on everything but fold `number`. */
static caucus_status run_fold(caucus_ctx *ctx, const cau_members_job *job, const uint32_t *of,
                              uint32_t number, cau_runs_heard *heard, fold *f)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = job->data->train.S, J = job->partition->J;
    caucus_data *part = NULL;
    cau_partition masks = {0};
    size_t trained = 0, held = 0;
    uint32_t *list = cau_alloc(S, sizeof *list);
    if (!list) TRY(cau_fail_memory(ctx, "a fold"));
    for (size_t s = 0; s < S; s++)
        if (of[s] != number) list[trained++] = (uint32_t)s;
    for (size_t s = 0; s < S; s++)
        if (of[s] == number) list[trained + held++] = (uint32_t)s;
    const cau_part_of which = {
        .train = list, .trained = trained, .test = list + trained, .held = held};
    TRY(cau_data_subset(ctx, job->data, &which, 1, &part));
    TRY(map_partition(ctx, job->data, job->partition, part, &masks));
    f->set = part->test; /* it is to be voted on, and members have no business with it */
    part->test = (cau_dataset){0};
    f->experts = cau_calloc(J, sizeof *f->experts);
    f->w = cau_calloc(J, sizeof(const double *));
    if (!f->experts || !f->w) TRY(cau_fail_memory(ctx, "the members"));
    TRY(cau_pool_problem(ctx, part, job->train, job->threads, &f->problem));
    cau_members_job run = *job;
    run.data = part;
    run.partition = &masks;
    run.problem = &f->problem;
    TRY(cau_members_train(ctx, &run, heard, f->experts));
    for (size_t j = 0; j < J; j++) f->w[j] = f->experts[j].w;
    const cau_weight_layout layout = cau_problem_layout(&f->problem);
    TRY(cau_votes_new(ctx, &f->set, &layout, J, f->w, true, job->threads, &f->votes));
    thin_out(J, f);
done:
    free(list);
    cau_partition_clear(&masks);
    cau_data_free(part);
    return st;
}

caucus_status cau_held_out_new(caucus_ctx *ctx, const cau_members_job *job, size_t folds,
                               cau_runs_heard *heard, cau_held_out **out)
{
    caucus_status st = CAUCUS_OK;
    cau_held_out *h = cau_calloc(1, sizeof *h);
    uint32_t *of = cau_alloc(job->data->train.S, sizeof *of);
    if (!h || !of) TRY(cau_fail_memory(ctx, "the folds"));
    h->J = job->partition->J;
    TRY(deal(ctx, &job->data->train, folds, job->seed, of));
    h->fold = cau_calloc(folds, sizeof *h->fold);
    h->votes = cau_calloc(folds, sizeof(cau_votes *));
    if (!h->fold || !h->votes) TRY(cau_fail_memory(ctx, "the folds"));
    for (uint32_t f = 0; f < folds && !atomic_load(&heard->stopped); f++) {
        TRY(run_fold(ctx, job, of, f, heard, &h->fold[h->count++]));
        h->votes[f] = h->fold[f].votes;
    }
    *out = h;
    h = NULL;
done:
    free(of);
    cau_held_out_free(h);
    return st;
}
