/* members.c - members of a pool that are trained alone.
 *
 * All members share the data; they differ in the features that they see, or in their seeds.
 *
 *     for each fold   training data without it ──▶ members ──▶ scores of the fold by each member
 *
 * Each member of each fold is a job. The first job of a fold makes its training data, and the last
 * one scores the fold and frees that data, so there are not many more such parts in memory than
 * threads. Of a fold, its labels and the scores are kept. Scores of observations on edges would be
 * too many: then these and the weights are kept instead. */

#include "pool/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "dataset/dataset_builder.h"
#include "dataset/subset.h"
#include "train/resolve_options.h"

void cau_members_clear(size_t J, cau_trained_member *members)
{
    for (size_t j = 0; members && j < J; j++) {
        free(members[j].w);
        members[j] = (cau_trained_member){0};
    }
}

/* ---- members ------------------------------------------------------------------------------- */

caucus_status cau_pool_problem(caucus_ctx *ctx, const caucus_data *data,
                               const cau_train_options *train, unsigned threads,
                               cau_problem *problem)
{
    cau_train_options o = *train;
    o.rows = o.edge_rows = NULL;
    if (cau_solver_is_perceptron(cau_train_solver(train, data))) o.l1 = o.l2 = 0;
    o.solver = CAU_SOLVER_SGD; /* whose weights are those of the model */
    return cau_problem_init(ctx, data, &o, threads, problem);
}

/* Copies the weights v of a table to their places in a table with more weights. */
static void expand(const cau_table *from, const double *v, const cau_table *to, double *w)
{
    for (size_t k = 0; k < from->rows; k++) {
        const size_t first = cau_table_at(from, k), place = cau_table_at(to, k);
        size_t at = place;
        for (size_t i = first; i < cau_table_at(from, k + 1); i++) {
            const size_t cell = from->cell ? from->cell[i] : i - first;
            while (to->cell && at < to->start[k + 1] && to->cell[at] < cell) at++;
            w[to->cell ? at : place + cell] = v[i];
        }
    }
}

static caucus_status keep_member(caucus_ctx *ctx, const cau_problem *p, const cau_fit_result *r,
                                 cau_trained_member *m)
{
    m->w = cau_vector(p->n, sizeof *m->w);
    if (!m->w) return cau_fail_memory(ctx, "the weights");
    expand(&r->nodes, r->w, &p->nodes, m->w);
    expand(&r->edges, r->w + cau_table_size(&r->nodes), &p->edges,
           m->w + cau_table_size(&p->nodes));
    for (size_t c = 1; c <= p->common; c++) m->w[p->n - c] = r->w[r->n - c];
    m->objective = r->objective;
    m->iterations = r->iterations;
    m->passes = r->passes;
    return CAUCUS_OK;
}

typedef struct {
    const cau_member_options *o;
    const cau_problem *problem;
    cau_trained_member *members;
} member_list;

static caucus_status train_member(const member_list *list, cau_job *job, size_t j)
{
    const cau_member_options *o = list->o;
    caucus_status st = CAUCUS_OK;
    cau_fit_result result = {0};
    cau_train_options train = *o->train;
    train.rows = o->partition->rows[j];
    train.edge_rows = o->partition->edge_rows[j];
    TRY(cau_fit_weights(job->ctx, o->data, &train, o->seed + (o->seeds ? j : 0), job->threads,
                        &result));
    TRY(keep_member(job->ctx, list->problem, &result, &list->members[j]));
    list->members[j].dev = job->dev;
    st = cau_job_report(job, job->dev);
done:
    cau_fit_result_clear(&result);
    return st;
}

/* A trained member as bytes: its numbers, then its weights. One that was not trained has none. */
static void write_member(const cau_problem *p, const cau_trained_member *m, cau_strbuf *out)
{
    if (!m->w) return;
    cau_strbuf_add(out, (const char *)m, sizeof *m);
    cau_strbuf_add(out, (const char *)m->w, p->n * sizeof *m->w);
}

static caucus_status read_member(caucus_ctx *ctx, const cau_problem *p, cau_str bytes,
                                 cau_trained_member *m)
{
    if (bytes.n == 0) return CAUCUS_OK;
    double *w = cau_vector(p->n, sizeof *w);
    if (!w) return cau_fail_memory(ctx, "the weights");
    memcpy(m, bytes.s, sizeof *m);
    m->w = memcpy(w, bytes.s + sizeof *m, p->n * sizeof *w);
    return CAUCUS_OK;
}

static caucus_status run_member(void *self, cau_job *job)
{
    const member_list *list = self;
    snprintf(job->place, sizeof job->place, "member '%s'", list->o->partition->name[job->number]);
    return train_member(list, job, job->number);
}

static void write_result(void *self, size_t number, cau_strbuf *out)
{
    const member_list *list = self;
    write_member(list->problem, &list->members[number], out);
}

static caucus_status read_result(void *self, cau_job *job, cau_str result)
{
    const member_list *list = self;
    return read_member(job->ctx, list->problem, result, &list->members[job->number]);
}

caucus_status cau_members_train(cau_jobs *jobs, const cau_member_options *options,
                                const cau_problem *problem, cau_trained_member *members)
{
    static const cau_job_kind kind = {
        .run = run_member, .write = write_result, .read = read_result};
    member_list list = {.o = options, .problem = problem, .members = members};
    return cau_jobs_run(jobs, options->partition->J, &kind, &list);
}

/* ---- masks of a part of the data ----------------------------------------------------------- */

/* From a mask over all names, that over the names of a part; NULL stays NULL. False if memory is
 * short. */
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

/* A fold and its members. */
typedef struct {
    pthread_mutex_t lock; /* held while its first job begins it and its last job ends it */
    size_t left;          /* members that are not trained yet */
    caucus_data *data;    /* the training data without the fold; NULL before and after its jobs */
    cau_partition masks;  /* over this data */
    cau_dataset set;      /* the fold */
    cau_problem problem;
    cau_trained_member *members; /* [J] */
    const double **w;            /* [J] */
} voted_fold;

struct cau_fold_votes {
    const cau_member_options *options;
    uint32_t *of;      /* [S] the fold of each sequence */
    size_t J, count;   /* members, folds */
    voted_fold *fold;  /* [count] */
    cau_votes **votes; /* [count] */
};

/* Frees everything of a fold but its lock. */
static void clear_fold(size_t J, voted_fold *f)
{
    cau_data_free(f->data);
    cau_partition_clear(&f->masks);
    cau_members_clear(J, f->members);
    free(f->members);
    free(f->w);
    cau_problem_clear(&f->problem);
    cau_dataset_clear(&f->set);
    f->data = NULL;
    f->members = NULL;
    f->w = NULL;
}

void cau_fold_votes_free(cau_fold_votes *v)
{
    if (!v) return;
    for (size_t f = 0; f < v->count; f++) {
        cau_votes_free(v->votes[f]);
        clear_fold(v->J, &v->fold[f]);
        pthread_mutex_destroy(&v->fold[f].lock);
    }
    free(v->fold);
    free(v->votes);
    free(v->of);
    free(v);
}

cau_vote_sets cau_fold_votes_sets(cau_fold_votes *v)
{
    return (cau_vote_sets){.votes = v->votes, .count = v->count, .J = v->J};
}

/* The fold of each sequence, of [S]: groups are dealt out in a random order. */
static caucus_status deal_folds(caucus_ctx *ctx, const cau_dataset *set, size_t folds,
                                uint64_t seed, uint32_t *of)
{
    size_t groups = set->S;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t s = 0; set->unit && s < set->S; s++)
        if (s == 0 || set->unit[s] >= groups) groups = (size_t)set->unit[s] + 1;
    if (folds < 2 || folds > groups)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--alphas-folds %zu of %zu sequences cannot be made; use between 2 and %zu",
                        folds, groups, groups);
    uint32_t *turn = cau_alloc(groups, sizeof *turn);
    if (!turn) return cau_fail_memory(ctx, "the folds");
    for (size_t u = 0; u < groups; u++) turn[u] = (uint32_t)(u % folds);
    cau_rng_shuffle(&rng, turn, groups);
    for (size_t s = 0; s < set->S; s++) of[s] = turn[set->unit ? set->unit[s] : s];
    free(turn);
    return CAUCUS_OK;
}

/* Makes the data of a fold and the layout of its weights, for its first job. */
static caucus_status begin_fold(const cau_fold_votes *v, cau_job *job, uint32_t number,
                                voted_fold *f)
{
    caucus_status st = CAUCUS_OK;
    const cau_member_options *o = v->options;
    const size_t S = o->data->train.S;
    uint32_t *list = cau_alloc(S, sizeof *list);
    if (!list) TRY(cau_fail_memory(job->ctx, "a fold"));
    cau_part_of part = {.train = list};
    for (size_t s = 0; s < S; s++)
        if (v->of[s] != number) list[part.trained++] = (uint32_t)s;
    part.test = list + part.trained;
    for (size_t s = 0; s < S; s++)
        if (v->of[s] == number) list[part.trained + part.held++] = (uint32_t)s;
    TRY(cau_data_subset(job->ctx, o->data, &part, 1, &f->data));
    TRY(map_partition(job->ctx, o->data, o->partition, f->data, &f->masks));
    f->set = f->data->test; /* for the votes; members must not see it */
    f->data->test = (cau_dataset){0};
    f->members = cau_calloc(v->J, sizeof *f->members);
    f->w = cau_calloc(v->J, sizeof(const double *));
    if (!f->members || !f->w) TRY(cau_fail_memory(job->ctx, "the members"));
    TRY(cau_pool_problem(job->ctx, f->data, o->train, job->threads, &f->problem));
done:
    free(list);
    if (st) clear_fold(v->J, f); /* the next job tries again, and fails in the same way */
    return st;
}

/* Frees the members of a fold that is scored. Votes with observations on edges need them. */
static void drop_members(const cau_fold_votes *v, voted_fold *f)
{
    if (f->members && f->problem.edges.rows == 0) cau_members_clear(v->J, f->members);
}

/* Scores a fold, and frees what its votes do not need. */
static caucus_status end_fold(const cau_fold_votes *v, cau_job *job, voted_fold *f,
                              cau_votes **votes)
{
    const cau_weight_layout layout = cau_problem_layout(&f->problem);
    for (size_t j = 0; j < v->J; j++) f->w[j] = f->members[j].w;
    const caucus_status st =
        cau_votes_new(job->ctx, &f->set, &layout, v->J, f->w, true, job->jobs->threads, votes);
    cau_csr_clear(&f->set.x);
    if (!job->jobs->ctx->comm) drop_members(v, f); /* else they are still to be sent */
    cau_pass_free(f->problem.pass);
    f->problem.pass = NULL;
    cau_data_free(f->data);
    f->data = NULL;
    return st;
}

/* Notes that a member of a fold is there; the last one ends the fold. */
static caucus_status finish_member(const cau_fold_votes *v, cau_job *job, uint32_t number,
                                   voted_fold *f)
{
    caucus_status st = CAUCUS_OK;
    pthread_mutex_lock(&f->lock);
    if (--f->left == 0) st = end_fold(v, job, f, &v->votes[number]);
    pthread_mutex_unlock(&f->lock);
    return st;
}

/* A job: one member of one fold. */
static caucus_status run_fold_member(void *self, cau_job *job)
{
    const cau_fold_votes *v = self;
    const uint32_t number = (uint32_t)(job->number / v->J);
    const size_t j = job->number % v->J;
    voted_fold *f = &v->fold[number];
    caucus_status st = CAUCUS_OK;
    if (atomic_load(&job->jobs->stopped)) return CAUCUS_OK;
    snprintf(job->place, sizeof job->place, "fold %u", number + 1);
    pthread_mutex_lock(&f->lock);
    if (!f->data) st = begin_fold(v, job, number, f);
    pthread_mutex_unlock(&f->lock);
    if (st) return st;
    cau_member_options options = *v->options;
    options.data = f->data;
    options.partition = &f->masks;
    const member_list list = {.o = &options, .problem = &f->problem, .members = f->members};
    snprintf(job->place, sizeof job->place, "fold %u, member '%s'", number + 1,
             v->options->partition->name[j]);
    st = train_member(&list, job, j);
    return st ? st : finish_member(v, job, number, f);
}

/* The members of a fold of another process are sent, and this one scores them again: that takes
 * less than sending the scores. */
static void write_fold_member(void *self, size_t number, cau_strbuf *out)
{
    const cau_fold_votes *v = self;
    const voted_fold *f = &v->fold[number / v->J];
    write_member(&f->problem, &f->members[number % v->J], out);
}

static caucus_status read_fold_member(void *self, cau_job *job, cau_str result)
{
    const cau_fold_votes *v = self;
    const uint32_t number = (uint32_t)(job->number / v->J);
    voted_fold *f = &v->fold[number];
    caucus_status st = CAUCUS_OK;
    if (result.n == 0) return CAUCUS_OK; /* stopped */
    if (!f->data) st = begin_fold(v, job, number, f);
    if (!st) st = read_member(job->ctx, &f->problem, result, &f->members[job->number % v->J]);
    return st ? st : finish_member(v, job, number, f);
}

caucus_status cau_fold_votes_new(cau_jobs *jobs, const cau_member_options *o, size_t folds,
                                 cau_fold_votes **out)
{
    caucus_status st = CAUCUS_OK;
    cau_job_kind kind = {
        .run = run_fold_member, .write = write_fold_member, .read = read_fold_member};
    caucus_ctx *ctx = jobs->ctx;
    cau_fold_votes *v = cau_calloc(1, sizeof *v);
    if (!v) return cau_fail_memory(ctx, "the folds");
    v->options = o;
    v->of = cau_alloc(o->data->train.S, sizeof *v->of);
    if (!v->of) TRY(cau_fail_memory(ctx, "the folds"));
    v->J = o->partition->J;
    kind.together = v->J;
    TRY(deal_folds(ctx, &o->data->train, folds, o->seed, v->of));
    v->fold = cau_calloc(folds, sizeof *v->fold);
    v->votes = cau_calloc(folds, sizeof(cau_votes *));
    if (!v->fold || !v->votes) TRY(cau_fail_memory(ctx, "the folds"));
    for (; v->count < folds; v->count++) {
        v->fold[v->count].left = v->J;
        pthread_mutex_init(&v->fold[v->count].lock, NULL);
    }
    TRY(cau_jobs_run(jobs, folds * v->J, &kind, v));
    for (size_t f = 0; f < folds; f++) drop_members(v, &v->fold[f]);
    *out = v;
    v = NULL;
done:
    cau_fold_votes_free(v);
    return st;
}
