/* pools.c - a pool from data to model file.
 *
 *     bag, lop    a partition ──▶ members, each with a mask ──┐
 *     dropout     members, each with a seed ──────────────────┼──▶ alphas ──▶ sums of weights
 *     elitist     experts trained together, alpha = 1/J ──────┘
 *
 * All weights have the layout of a model with all features. So the weights of the pool,
 * sum_j alpha_j w_j, are a sum of vectors, and an observation is looked up once for all members. */

#include "pool/pools.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "dataset/feature_group.h"
#include "math/vector.h"
#include "pool/members.h"
#include "train/describe.h"
#include "train/learner.h"
#include "train/resolve_options.h"

enum { EXPERTS = 3 }; /* of elitist and dropout */
static const double dropout_share = 0.5;

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const cau_pool_options *o;
    cau_train_options train; /* of members */
    uint64_t seed;
    unsigned threads;

    cau_problem problem; /* over all features */
    cau_partition partition;
    size_t J;
    cau_trained_member *members;    /* [J] */
    const double **w_of;            /* [J] their weights */
    double alpha[CAU_MEMBERS_MOST]; /* [J] */
    double *w;                      /* [n] sum_j alpha_j w_j */
    cau_fit_result together;        /* of elitist */
    bool stopped;                   /* by the caller */
} pool_run;

/* ---- options ------------------------------------------------------------------------------- */

/* The options of members, or of experts together. The output and its checkpoint belong to the
 * pool. */
static cau_train_options member_options(const cau_pool_options *o, const cau_train_options *train)
{
    cau_train_options m = *train;
    m.output = NULL;
    m.resume = false;
    m.checkpoint = 0;
    m.rows = m.edge_rows = NULL;
    m.start = NULL;
    if (o->kind == CAU_POOL_ELITIST) {
        if (m.solver == CAU_SOLVER_AUTO) m.solver = CAU_SOLVER_FOBOS;
        m.prox = o->prox;
        m.spread = o->spread;
    } else {
        m.elitist = 0;
    }
    if (o->kind == CAU_POOL_DROPOUT) {
        if (m.solver == CAU_SOLVER_AUTO) m.solver = CAU_SOLVER_ADAGRAD;
        if (m.dropout == 0) m.dropout = dropout_share;
    }
    return m;
}

static caucus_status refuse(caucus_ctx *ctx, const char *sentence)
{
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s", sentence);
}

static caucus_status check_elitist(caucus_ctx *ctx, const cau_pool_options *o,
                                   const cau_train_options *train)
{
    const cau_solver_kind solver = train->solver;
    if (o->combine != CAU_COMBINE_PRODUCT || o->per != CAU_PER_SEQUENCE)
        return refuse(ctx,
                      "--pool elitist trains the product of its experts by sequence; leave out "
                      "--combine and --per");
    if (o->alphas != CAU_ALPHAS_EQUAL)
        return refuse(ctx, "--pool elitist has equal alphas: with others its penalty would mean "
                           "something else; leave out --alphas");
    if (o->partition != CAU_PARTITION_AUTO)
        return refuse(ctx, "--pool elitist shows all features to all experts; leave out "
                           "--partition, or use --pool lop");
    if (solver != CAU_SOLVER_AUTO && solver != CAU_SOLVER_FOBOS && solver != CAU_SOLVER_PROXIMAL)
        return refuse(ctx, "--pool elitist is trained by --solver fobos or proximal");
    if (o->prox == CAU_PROX_NORM && solver != CAU_SOLVER_PROXIMAL)
        return refuse(ctx, "--prox norm is a step for all weights at once; add --solver proximal");
    if (train->group != CAU_GROUP_NONE || train->dropout > 0 || train->mean || train->from)
        return refuse(ctx, "--pool elitist goes without --group, --dropout, --mean and --from; "
                           "leave them out, or use another pool");
    return CAUCUS_OK;
}

caucus_status cau_pool_check(caucus_ctx *ctx, const cau_pool_options *o,
                             const cau_train_options *train)
{
    if (train->elitist > 0 && o->kind != CAU_POOL_ELITIST)
        return refuse(ctx, "--elitist is a penalty on experts; add --pool elitist");
    if (o->kind == CAU_POOL_NONE) return CAUCUS_OK;
    if (o->experts > CAU_MEMBERS_MOST)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--experts %llu: %d is the most",
                        (unsigned long long)o->experts, CAU_MEMBERS_MOST);
    if (train->resume)
        return refuse(ctx, "a pool has no checkpoint to go on from; leave out --resume");
    if (o->alphas == CAU_ALPHAS_EM && o->combine != CAU_COMBINE_MIXTURE)
        return refuse(ctx, "--alphas em is for mixtures; add --combine mixture, or use --alphas "
                           "learn");
    if (o->alphas == CAU_ALPHAS_LEARN && o->combine != CAU_COMBINE_PRODUCT)
        return refuse(ctx, "--alphas learn is for products; leave out --combine mixture, or use "
                           "--alphas em");
    if (o->free_alphas && o->alphas != CAU_ALPHAS_LEARN)
        return refuse(ctx, "--free-alphas belongs to --alphas learn");
    if (o->held_out == 1)
        return refuse(ctx, "--alphas-folds 1 would leave nothing to train on; use 2 or more");
    if (o->kind == CAU_POOL_DROPOUT && o->partition != CAU_PARTITION_AUTO)
        return refuse(ctx, "--pool dropout shows all features to all members; leave out "
                           "--partition, or use --pool bag");
    if (o->kind == CAU_POOL_ELITIST) {
        const caucus_status st = check_elitist(ctx, o, train);
        if (st) return st;
    }
    const cau_train_options m = member_options(o, train);
    return cau_options_check(ctx, &m);
}

static const char *alphas_name(const cau_pool_options *o)
{
    static const char *const names[] = {"equal", "grid", "em", "learn"};
    return names[o->alphas];
}

static caucus_status check_data(const pool_run *p)
{
    const cau_pool_options *o = p->o;
    if (o->alphas != CAU_ALPHAS_EQUAL && !p->data->dev.N && !o->held_out)
        return cau_fail(p->ctx, CAUCUS_ERR_ARGUMENT,
                        "--alphas %s needs data that the members were not trained on; add --dev, "
                        "--dev-fraction or --alphas-folds",
                        alphas_name(o));
    return cau_options_check_data(p->ctx, p->data, &p->train);
}

/* ---- members ------------------------------------------------------------------------------- */

/* By default, whole templates drop out if the features have templates. */
static caucus_status choose_dropout(pool_run *p)
{
    cau_feature_groups templates = {0};
    if (p->o->kind != CAU_POOL_DROPOUT || p->train.dropout_by != CAU_GROUP_NONE) return CAUCUS_OK;
    const caucus_status st = cau_feature_groups_init(p->ctx, p->data->alphabets.names, &templates);
    if (st) return st;
    const bool several = cau_alphabet_size(templates.names) > 1;
    p->train.dropout_by = several ? CAU_GROUP_TEMPLATE : CAU_GROUP_FEATURE;
    cau_feature_groups_clear(&templates);
    return CAUCUS_OK;
}

static caucus_status choose_members(pool_run *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t experts = p->o->experts ? (size_t)p->o->experts : EXPERTS;
    if (p->o->kind == CAU_POOL_BAG || p->o->kind == CAU_POOL_LOP)
        TRY(cau_partition_make(p->ctx, p->data, p->o, p->seed, &p->partition));
    else
        TRY(cau_partition_all(p->ctx, experts, &p->partition));
    p->J = p->partition.J;
    p->members = cau_calloc(p->J, sizeof *p->members);
    p->w_of = cau_calloc(p->J, sizeof(const double *));
    if (!p->members || !p->w_of) TRY(cau_fail_memory(p->ctx, "the members"));
done:
    return st;
}

/* Chooses the weights of the members by their votes on folds, or else on the development data. */
static caucus_status choose_alphas(pool_run *p, cau_fold_votes *folds)
{
    caucus_status st = CAUCUS_OK;
    cau_votes *votes = NULL;
    cau_pool_options o = *p->o;
    cau_vote_sets sets = {.votes = &votes, .count = 1, .J = p->J};
    if (p->stopped && !p->data->dev.N) { /* some folds are missing */
        if (o.alphas != CAU_ALPHAS_EQUAL)
            cau_note(p->ctx, "stopped before alphas could be chosen; they are equal");
        o.alphas = CAU_ALPHAS_EQUAL;
    }
    if (o.alphas != CAU_ALPHAS_EQUAL && folds) {
        sets = cau_fold_votes_sets(folds);
    } else if (o.alphas != CAU_ALPHAS_EQUAL) {
        const cau_weight_layout layout = cau_problem_layout(&p->problem);
        TRY(cau_votes_new(p->ctx, &p->data->dev, &layout, p->J, p->w_of, true, p->threads, &votes));
    }
    TRY(cau_alphas_choose(p->ctx, &o, &sets, p->J, p->alpha));
done:
    cau_votes_free(votes);
    return st;
}

/* Trains the members alone: first on folds, if their votes on these are needed for alphas. */
static caucus_status train_alone(pool_run *p)
{
    caucus_status st = CAUCUS_OK;
    const bool needs_folds =
        p->o->held_out && !p->data->dev.N && p->o->alphas != CAU_ALPHAS_EQUAL && p->J > 1;
    const size_t folds = needs_folds ? (size_t)p->o->held_out : 0;
    const cau_member_options members = {.data = p->data,
                                        .train = &p->train,
                                        .partition = &p->partition,
                                        .seed = p->seed,
                                        .seeds = p->o->kind == CAU_POOL_DROPOUT};
    cau_fold_votes *votes = NULL;
    cau_jobs jobs = {.ctx = p->ctx,
                     .name = "members",
                     .runs = p->J * (folds + 1),
                     .threads = p->threads,
                     .keep = true};
    cau_jobs_init(&jobs);
    if (folds) TRY(cau_fold_votes_new(&jobs, &members, folds, &votes));
    const bool early = atomic_load(&jobs.stopped);
    TRY(cau_members_train(&jobs, &members, &p->problem, p->members));
    p->stopped = folds ? early : atomic_load(&jobs.stopped);
    for (size_t j = 0; j < p->J; j++) p->w_of[j] = p->members[j].w;
    TRY(choose_alphas(p, votes));
done:
    cau_fold_votes_free(votes);
    cau_jobs_clear(&jobs);
    return st;
}

/* Trains the experts together, and measures each of them. */
static caucus_status train_together(pool_run *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t n = p->problem.n;
    double none, share;
    p->train.experts = p->J;
    TRY(cau_fit_weights(p->ctx, p->data, &p->train, p->seed, p->threads, &p->together));
    for (size_t j = 0; j < p->J; j++) {
        cau_trained_member *m = &p->members[j];
        p->w_of[j] = m->w = cau_vector(n, sizeof *m->w);
        if (!m->w) TRY(cau_fail_memory(p->ctx, "the weights"));
        cau_vector_copy(p->threads, n, p->together.w + j * n, m->w);
        m->dev = NAN;
        if (p->problem.dev && cau_pass_accuracy(p->problem.dev, m->w, &m->dev))
            TRY(cau_fail_memory(p->ctx, "the development data"));
        st = cau_problem_measure(&p->problem, m->w, &m->objective, &none, &share);
        if (st) TRY(cau_fail(p->ctx, st, "the loss of an expert is not finite; use a penalty"));
        p->alpha[j] = 1 / (double)p->J;
    }
done:
    return st;
}

/* ---- measures ------------------------------------------------------------------------------ */

static cau_pool combination(const pool_run *p)
{
    return (cau_pool){
        .J = p->J, .combine = p->o->combine, .per = p->o->per, .mix = p->o->mix, .alpha = p->alpha};
}

/* The accuracy of the pool on a set, NaN if it has no labels; and the labels [N], unless NULL. */
static caucus_status measure_accuracy(const pool_run *p, const cau_dataset *set, uint32_t *labels,
                                      double *share)
{
    caucus_status st = CAUCUS_OK;
    const cau_weight_layout layout = cau_problem_layout(&p->problem);
    const cau_pool pool = combination(p);
    cau_votes *votes = NULL;
    size_t right = 0, counted = 0;
    TRY(cau_votes_new(p->ctx, set, &layout, p->J, p->w_of, false, p->threads, &votes));
    st = cau_votes_label(votes, &pool, labels, &right, &counted);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(p->ctx, st, "the probabilities of the members are not finite; use a penalty"));
    if (st) TRY(cau_fail_memory(p->ctx, "the data"));
    *share = counted ? (double)right / (double)counted : NAN;
done:
    cau_votes_free(votes);
    return st;
}

/* The measures of the pool, and its labels of the test set, unless NULL. */
static caucus_status measure(pool_run *p, uint32_t *labels, cau_outcome *out)
{
    caucus_status st = CAUCUS_OK;
    *out = (cau_outcome){.train = NAN, .dev = NAN, .test = NAN};
    st = cau_problem_measure(&p->problem, p->w, &out->loss, &out->penalty, &out->train);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(p->ctx, st, "the final objective is not finite; use a penalty"));
    if (st) TRY(cau_fail_memory(p->ctx, "the data"));
    if (p->o->kind == CAU_POOL_ELITIST) out->penalty = p->together.penalty;
    const cau_pool pool = combination(p);
    if (!cau_pool_collapses(&pool)) TRY(measure_accuracy(p, &p->data->train, NULL, &out->train));
    if (p->data->dev.N) TRY(measure_accuracy(p, &p->data->dev, NULL, &out->dev));
    if (p->data->test.N) TRY(measure_accuracy(p, &p->data->test, labels, &out->test));
done:
    return st;
}

static size_t sum_iterations(const pool_run *p)
{
    size_t sum = p->together.iterations;
    for (size_t j = 0; j < p->J; j++) sum += p->members[j].iterations;
    return sum;
}

static size_t sum_passes(const pool_run *p)
{
    size_t sum = p->together.passes;
    for (size_t j = 0; j < p->J; j++) sum += p->members[j].passes;
    return sum;
}

/* ---- notes of the model -------------------------------------------------------------------- */

static void describe_pool(const pool_run *p, cau_strbuf *out)
{
    static const char *const kinds[] = {"none", "bag", "lop", "elitist", "dropout"};
    const cau_pool pool = combination(p);
    cau_strbuf_printf(out, "pool\t%s\n", kinds[p->o->kind]);
    cau_strbuf_printf(out, "experts\t%zu\n", p->J);
    cau_strbuf_printf(out, "combine\t%s\n", cau_combine_name(pool.combine));
    cau_strbuf_printf(out, "per\t%s\n", cau_per_name(pool.per));
    if (pool.combine == CAU_COMBINE_MIXTURE && pool.per == CAU_PER_SEQUENCE)
        cau_strbuf_printf(out, "mix\t%s\n", cau_mix_name(pool.mix));
    cau_strbuf_printf(out, "alphas\t%s\n", alphas_name(p->o));
}

static void define_penalty(const pool_run *p, cau_strbuf *out)
{
    const cau_problem *of = &p->problem;
    if (p->o->kind == CAU_POOL_ELITIST) {
        cau_experts_define(&p->train, out);
        return;
    }
    if (of->l1 == 0 && of->l2 == 0) cau_strbuf_printf(out, "none");
    if (of->l1 > 0)
        cau_strbuf_printf(out, "%g * %s", of->l1, of->groups ? "sum over groups" : "sum of |w|");
    if (of->l1 > 0 && of->l2 > 0) cau_strbuf_printf(out, " + ");
    if (of->l2 > 0) cau_strbuf_printf(out, "%g/2 * sum of w^2", of->l2);
    if (of->l1 > 0 || of->l2 > 0) cau_strbuf_printf(out, ", of each expert");
}

static void describe_member(const pool_run *p, size_t j, cau_strbuf *out)
{
    const cau_trained_member *m = &p->members[j];
    const uint8_t *mask = p->partition.rows[j];
    const size_t number = j + 1;
    size_t seen = 0;
    for (size_t k = 0; k < p->data->train.K; k++) seen += !mask || mask[k];
    cau_strbuf_printf(out, "expert.%zu.name\t", number);
    cau_strbuf_escape(out, cau_str_of(p->partition.name[j]));
    cau_strbuf_printf(out, "\nexpert.%zu.alpha\t%.9g\n", number, p->alpha[j]);
    cau_strbuf_printf(out, "expert.%zu.features\t%zu\n", number, seen);
    cau_strbuf_printf(out, "expert.%zu.nonzero\t%zu\n", number,
                      cau_count_nonzero(p->problem.n, m->w));
    if (p->o->kind == CAU_POOL_ELITIST) {
        cau_strbuf_printf(out, "expert.%zu.loss\t%.12g\n", number, m->objective);
    } else {
        cau_strbuf_printf(out, "expert.%zu.objective\t%.12g\n", number, m->objective);
        cau_strbuf_printf(out, "expert.%zu.iterations\t%zu\n", number, m->iterations);
    }
    if (!isnan(m->dev)) cau_strbuf_printf(out, "expert.%zu.dev.accuracy\t%.6f\n", number, m->dev);
}

static caucus_status describe(pool_run *p, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf about = {0}, penalty = {0}, members = {0};
    cau_run run = {.data = p->data,
                   .options = &p->train,
                   .problem = &p->problem,
                   .solver = cau_train_solver(&p->train, p->data),
                   .seed = p->seed,
                   .ended = p->stopped ? CAU_STOP_CALLER : p->together.ended,
                   .iterations = p->together.iterations,
                   .best_iteration = p->together.best_iteration,
                   .passes = sum_passes(p),
                   .w = p->w};
    TRY(measure(p, NULL, &run.end));
    describe_pool(p, &about);
    define_penalty(p, &penalty);
    for (size_t j = 0; j < p->J; j++) describe_member(p, j, &members);
    TRY(cau_strbuf_status(p->ctx, &about));
    TRY(cau_strbuf_status(p->ctx, &penalty));
    TRY(cau_strbuf_status(p->ctx, &members));
    run.pool = (cau_str){about.s, about.n};
    run.penalty = (cau_str){penalty.s, penalty.n};
    run.members = (cau_str){members.s, members.n};
    cau_run_describe(&run, out);
    TRY(cau_strbuf_status(p->ctx, out));
done:
    cau_strbuf_clear(&about);
    cau_strbuf_clear(&penalty);
    cau_strbuf_clear(&members);
    return st;
}

/* ---- the pool ------------------------------------------------------------------------------ */

static caucus_status build(pool_run *p, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    const cau_weight_layout layout = cau_problem_layout(&p->problem);
    cau_member_part member[CAU_MEMBERS_MOST];
    cau_strbuf info = {0};
    TRY(describe(p, &info));
    for (size_t j = 0; j < p->J; j++) member[j] = cau_layout_part(&layout, p->w_of[j]);
    cau_model_parts parts =
        cau_model_parts_of(p->data, cau_train_kind(&p->train, p->data), layout.nodes, layout.edges,
                           cau_layout_part(&layout, p->w), (cau_str){info.s, info.n});
    parts.pool = combination(p);
    parts.member = member;
    TRY(cau_model_build(p->ctx, &parts, out));
done:
    cau_strbuf_clear(&info);
    return st;
}

/* From the options to the weights of the pool. */
static caucus_status run(pool_run *p, const cau_train_options *train)
{
    caucus_status st = CAUCUS_OK;
    const bool together = p->o->kind == CAU_POOL_ELITIST;
    p->train = member_options(p->o, train);
    TRY(cau_pool_check(p->ctx, p->o, train));
    TRY(check_data(p));
    if (train->output) TRY(cau_output_probe(p->ctx, train->output));
    TRY(choose_dropout(p));
    cau_train_options layout = p->train;
    layout.dropout = 0;
    if (together) layout.l1 = layout.l2 = 0; /* experts have penalties of their own */
    TRY(cau_pool_problem(p->ctx, p->data, &layout, p->threads, &p->problem));
    TRY(choose_members(p));
    if (together)
        TRY(train_together(p));
    else
        TRY(train_alone(p));
    p->w = cau_vector(p->problem.n, sizeof *p->w);
    if (!p->w) TRY(cau_fail_memory(p->ctx, "the weights"));
    cau_vector_combine(p->threads, p->problem.n, p->J, p->alpha, p->w_of, p->w);
done:
    return st;
}

static void clear(pool_run *p)
{
    cau_members_clear(p->J, p->members);
    free(p->members);
    cau_fit_result_clear(&p->together);
    free(p->w_of);
    free(p->w);
    cau_partition_clear(&p->partition);
    cau_problem_clear(&p->problem);
}

caucus_status cau_pool_fit(caucus_ctx *ctx, const caucus_data *data,
                           const cau_pool_options *options, const cau_train_options *train,
                           uint64_t seed, unsigned threads, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    pool_run p = {.ctx = ctx, .data = data, .o = options, .seed = seed, .threads = threads};
    TRY(run(&p, train));
    TRY(build(&p, &model));
    if (train->output) TRY(cau_model_save(ctx, model, train->output));
    *out = model;
    model = NULL;
done:
    cau_model_free(model);
    clear(&p);
    return st;
}

caucus_status cau_pool_fit_labels(caucus_ctx *ctx, const caucus_data *data,
                                  const cau_pool_options *options, const cau_train_options *train,
                                  uint64_t seed, unsigned threads, cau_fit_result *result)
{
    caucus_status st = CAUCUS_OK;
    cau_outcome end;
    cau_fit_result r = {0};
    pool_run p = {.ctx = ctx, .data = data, .o = options, .seed = seed, .threads = threads};
    TRY(run(&p, train));
    r.answer = cau_alloc(data->test.N, sizeof *r.answer);
    if (!r.answer) TRY(cau_fail_memory(ctx, "the labels"));
    TRY(measure(&p, r.answer, &end));
    r.nonzero = cau_count_nonzero(p.problem.n, p.w);
    r.objective = end.loss + end.penalty;
    r.train_accuracy = end.train;
    r.iterations = sum_iterations(&p);
    r.passes = sum_passes(&p);
    *result = r;
    r = (cau_fit_result){0};
done:
    cau_fit_result_clear(&r);
    clear(&p);
    return st;
}
