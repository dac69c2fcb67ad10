/* fit.c - a training run from data to model.
 *
 *     problem ◀── passes over the data, penalty
 *        ▲
 *     solver  ──step──▶  iterate ──▶ stopping rule, dev score, progress, checkpoint
 *
 * There is one loop for all solvers. It measures, decides whether to continue, and keeps the best
 * weights if there is a development set. It can be interrupted and resumed at the end of any
 * iteration: its whole state is in the blobs that a checkpoint writes. */

#include "train/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "base/thread.h"
#include "math/vector.h"
#include "train/checkpoint.h"
#include "train/describe.h"
#include "train/learner.h"
#include "train/resolve_options.h"
#include "train/seen.h"

enum { EXPERT_PATIENCE = 25 }; /* epochs, as in [1] of experts.c */

/* The state of the loop besides the solver and the best weights; plain data. */
typedef struct {
    cau_stop_state stop;
    double elapsed; /* seconds of earlier parts of the run */
    size_t passes;
    uint64_t ended; /* cau_stop_reason */
} fit_progress;

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    const cau_train_options *o;

    cau_problem problem;
    cau_learner learner;
    double *best;  /* [kept] the weights with the best dev score; NULL without a dev set */
    size_t kept;   /* weights of the model, or of all experts */
    double *model; /* [model_n] the weights of the model, if they differ from those of the solver */
    fit_progress run;
    char *checkpoint; /* path, or NULL */

    cau_pass *test;   /* over the test set; NULL until it is needed */
    uint32_t *answer; /* [test.N] for caucus_on_iterate, likewise */
} fit;

caucus_status cau_fit_check(caucus_ctx *ctx, const cau_train_options *o)
{
    caucus_status st = cau_options_check(ctx, o);
    if (st || !o->output) return st;
    return cau_output_probe(ctx, o->output);
}

caucus_status cau_fit_check_share(caucus_ctx *ctx, const cau_train_options *o)
{
    if (cau_solver_is_shared(o->solver)) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "--solver %s trains in one process; for several use lbfgs, owlqn, gis or "
                    "proximal",
                    cau_solver_name(o->solver));
}

static cau_learner learner_of(fit *f, uint64_t seed)
{
    return (cau_learner){.data = f->data,
                         .options = f->o,
                         .kind = cau_train_solver(f->o, f->data),
                         .seed = seed,
                         .problem = &f->problem};
}

/* Starts the solver at the initial weights. */
static caucus_status start(fit *f)
{
    caucus_status st = CAUCUS_OK;
    const cau_problem *p = &f->problem;
    double *w = cau_vector(p->n + 1, sizeof *w); /* + 1: the correction weight of GIS */
    if (!w) return cau_fail_memory(f->ctx, "the weights");
    if (f->o->start) {
        cau_problem_from_model(p, f->o->start, w);
    } else if (f->o->from) {
        TRY(cau_problem_weights_of(f->ctx, f->data, p, f->o->from, NULL, f->model));
        cau_problem_from_model(p, f->model, w);
    } else if (p->mean) {
        cau_problem_from_model(p, p->mean, w); /* with means, no columns are merged */
    }
    TRY(cau_learner_start(f->ctx, &f->learner, w));
done:
    free(w);
    return st;
}

/* ---- memory ---- */

/* Parses "800M", "4G" or plain bytes. */
static bool parse_size(const char *text, double *bytes)
{
    static const char units[] = "KMGT";
    size_t n = strlen(text);
    double scale = 1;
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    if (unit) {
        scale = ldexp(1, 10 * (int)(unit - units + 1));
        n--;
    }
    if (!cau_parse_real(text, n, bytes) || !isfinite(*bytes) || *bytes <= 0) return false;
    *bytes *= scale;
    return true;
}

/* Estimates the peak memory, notes it, and refuses if it exceeds the limit. */
static caucus_status check_memory(fit *f)
{
    static const double MB = 1024 * 1024;
    const cau_problem *p = &f->problem;
    const cau_dataset *set = p->set, *dev = &f->data->dev;
    double data = (double)(cau_dataset_bytes(&f->data->train) + cau_dataset_bytes(dev));
    double work = cau_learner_pulls(&f->learner) ? (double)cau_pass_bytes(set) : 0;
    double weights = (double)p->model_n * 12; /* doubles, and the floats of the file */
    if (p->dev) weights += (double)f->kept * sizeof *f->best;
    double solver = cau_learner_bytes(&f->learner);
    if (p->merged.column) data += (double)cau_dataset_bytes(set);
    double total = data + work + weights + solver, limit;
    cau_note(f->ctx,
             "training needs about %.1f MB: data %.1f, scores %.1f, weights and solver %.1f",
             total / MB, data / MB, work / MB, (weights + solver) / MB);
    if (!f->o->memory) return CAUCUS_OK;
    if (!parse_size(f->o->memory, &limit))
        return cau_fail(f->ctx, CAUCUS_ERR_ARGUMENT,
                        "--memory %s: not a size; write 800M or 4G for example", f->o->memory);
    if (total > limit)
        return cau_fail(f->ctx, CAUCUS_ERR_MEMORY,
                        "training needs about %.1f MB and --memory allows %s; raise it, or use "
                        "a higher --cutoff, a smaller --history or --solver sgd",
                        total / MB, f->o->memory);
    return CAUCUS_OK;
}

/* ---- checkpoints ---- */

/* The identity of the run for checkpoints: the data, and the options that affect the result.
 * Stopping rules are not included, so that a run can be extended. */
static uint64_t identity(const fit *f)
{
    const cau_dataset *set = &f->data->train;
    uint64_t numbers[] = {f->data->fingerprint,           cau_dataset_all(set), set->K, set->Y,
                          cau_dataset_all(&f->data->dev), f->learner.seed};
    uint64_t hash = cau_hash(numbers, sizeof numbers, 0);
    if (f->o->rows) hash = cau_hash(f->o->rows, set->K, hash);
    if (f->o->edge_rows) hash = cau_hash(f->o->edge_rows, set->E, hash);
    if (f->o->prior) hash = cau_hash(f->o->prior->image, f->o->prior->bytes, hash);
    return cau_hash(f->o->shape.s, f->o->shape.n, hash);
}

/* Lists the whole state at the end of an iteration. */
static size_t pieces(fit *f, cau_blob *blobs)
{
    size_t count = f->learner.solver.ops->state(f->learner.solver.self, blobs);
    blobs[count++] = cau_blob_of("progress", &f->run, sizeof f->run);
    if (f->best) blobs[count++] = cau_blob_of("best", f->best, f->kept * sizeof *f->best);
    return count;
}

static caucus_status save_checkpoint(fit *f)
{
    cau_blob blobs[CAU_BLOBS_MAX + 2];
    size_t count = pieces(f, blobs);
    return cau_checkpoint_save(f->ctx, f->problem.comm, f->checkpoint, identity(f), blobs, count);
}

static caucus_status resume(fit *f)
{
    cau_blob blobs[CAU_BLOBS_MAX + 2];
    size_t count = pieces(f, blobs);
    bool found;
    caucus_status st = cau_checkpoint_load(f->ctx, f->problem.comm, f->checkpoint, identity(f),
                                           blobs, count, &found);
    if (st) return st;
    if (found)
        cau_note(f->ctx, "%s: continuing after iteration %zu", f->checkpoint,
                 f->run.stop.iteration);
    else
        cau_note(f->ctx, "%s: no checkpoint; training starts from the beginning", f->checkpoint);
    return CAUCUS_OK;
}

/* ---- the loop ---- */

/* Whether the weights of the solver are those of the model. */
static bool own_weights(const fit *f)
{
    return cau_problem_is_plain(&f->problem) && !cau_solver_is_scaling(f->learner.kind) &&
           !f->o->from;
}

/* The current weights of the model, [n]. */
static const double *current(fit *f)
{
    const double *w = cau_learner_weights(&f->learner);
    if (f->learner.scaling)
        cau_iterative_scaling_fold(f->learner.scaling, w, f->model);
    else if (f->model)
        cau_problem_to_model(&f->problem, w, f->model);
    else
        return w;
    return f->model;
}

/* The parameters kept from an iteration: the weights of the model, or of all experts. */
static const double *parameters(fit *f)
{
    return f->o->experts ? cau_learner_parameters(&f->learner) : current(f);
}

static caucus_status lost_contact(const fit *f)
{
    return cau_fail(f->ctx, CAUCUS_ERR_IO, "lost contact with the other processes");
}

/* What an iteration took, the same in all processes: rank 0 has the clock. */
typedef struct {
    double elapsed, imbalance;
    bool due; /* a checkpoint */
} fit_clock;

/* Makes the clock of all processes that of rank 0, and finds the imbalance since the last call. */
static caucus_status share_clock(fit *f, fit_clock *clock)
{
    caucus_status st = CAUCUS_OK;
    cau_problem *p = &f->problem;
    cau_strbuf all = {0};
    double sum = 0, most = 0;
    if (!p->comm) return CAUCUS_OK;
    TRY(cau_comm_collect(p->comm, (cau_str){(const char *)&p->busy, sizeof p->busy}, &all, NULL));
    for (size_t r = 0; r < cau_comm_ranks(p->comm); r++) {
        double busy;
        memcpy(&busy, all.s + r * sizeof busy, sizeof busy);
        sum += busy;
        most = fmax(most, busy);
    }
    p->busy = 0;
    TRY(cau_comm_broadcast(p->comm, 0, clock, sizeof *clock));
    clock->imbalance = sum > 0 ? most * (double)cau_comm_ranks(p->comm) / sum - 1 : 0;
done:
    cau_strbuf_clear(&all);
    return st;
}

/* Accuracy on a set, of which each process may have a part. */
static caucus_status accuracy(fit *f, cau_pass *pass, const double *w, double *share)
{
    const caucus_status st = cau_pass_accuracy(pass, w, share);
    return st ? st : cau_problem_share(&f->problem, pass, share);
}

static bool report(fit *f, const cau_stop_rule *rule, const cau_iterate *it, double dev,
                   const fit_clock *clock)
{
    caucus_ctx *ctx = f->ctx;
    if (!ctx->progress) return true;
    caucus_progress p = {.solver = cau_solver_name(f->learner.kind),
                         .iteration = f->run.stop.iteration,
                         .passes = it->passes,
                         .objective = it->f,
                         .gradient = it->gnorm,
                         .dev = dev,
                         .elapsed = clock->elapsed,
                         .remaining = cau_stop_remaining(rule, &f->run.stop, it, clock->elapsed),
                         .norm = it->wnorm,
                         .weights = f->problem.free_n,
                         .imbalance = clock->imbalance};
    return ctx->progress(ctx->progress_user, &p);
}

/* labels [test.N] may be NULL. */
static caucus_status measure_test(fit *f, const double *w, uint32_t *labels, double *share)
{
    if (!f->test) {
        const cau_pass_options options = cau_problem_model_pass(&f->problem, &f->data->test);
        const caucus_status st = cau_pass_new(f->ctx, &options, &f->test);
        if (st) return st;
    }
    if (cau_pass_label(f->test, w, labels, share) || cau_problem_share(&f->problem, f->test, share))
        return cau_fail_memory(f->ctx, "the test data");
    return CAUCUS_OK;
}

/* Tells the caller about the weights of an iteration. */
static caucus_status show_iterate(fit *f)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = f->data->test.N;
    if (!f->ctx->iterate || f->problem.comm) return CAUCUS_OK; /* processes see parts */
    const double *w = current(f);
    double share;
    if (N && !f->answer && !(f->answer = cau_alloc(N, sizeof *f->answer)))
        TRY(cau_fail_memory(f->ctx, "the test data"));
    if (N) TRY(measure_test(f, w, f->answer, &share));
    f->ctx->iterate(f->ctx->iterate_user,
                    &(caucus_iterate){.nonzero = cau_count_nonzero(f->problem.model_n, w),
                                      .labels = N ? f->answer : NULL,
                                      .count = N});
done:
    return st;
}

/* Whether the run was interrupted and may be resumed. */
static bool unfinished(const fit *f)
{
    return f->run.ended == CAU_STOP_CALLER || f->run.ended == CAU_STOP_TIME;
}

/* The stopping rule of the options. Perceptrons have no objective: they end without mistakes, or
 * after a number of epochs. So does FOBOS, whose steps shrink forever. Experts that are trained
 * together end when the development score stops rising. */
static cau_stop_rule stop_rule(const fit *f)
{
    cau_stop_rule rule = f->o->stop;
    const bool mistakes = cau_solver_is_perceptron(f->learner.kind);
    if (mistakes) rule.delta = 0;
    if (rule.period == 0 && f->learner.kind == CAU_SOLVER_SDCA) rule.period = 5;
    if (rule.iterations == 0 && (mistakes || f->learner.kind == CAU_SOLVER_FOBOS))
        rule.iterations = CAU_EPOCHS;
    if (rule.patience == 0 && f->o->experts && f->problem.dev) rule.patience = EXPERT_PATIENCE;
    return rule;
}

static caucus_status iterate(fit *f)
{
    double began = cau_seconds() - f->run.elapsed, saved = cau_seconds();
    const cau_stop_rule rule = stop_rule(f);
    f->run.ended = CAU_STOP_NOT;
    while (f->run.ended == CAU_STOP_NOT) {
        cau_iterate it = {0};
        caucus_status st = cau_learner_step(&f->learner, f->run.stop.iteration, &it);
        if (st == CAUCUS_ERR_NUMERIC)
            return cau_fail(f->ctx, st,
                            "the objective is not finite at iteration %zu; use a stronger penalty, "
                            "smaller feature values or a smaller --rate",
                            f->run.stop.iteration + 1);
        if (st == CAUCUS_ERR_IO) return lost_contact(f);
        if (st) return cau_fail_memory(f->ctx, "training");

        bool better = false;
        double dev = NAN;
        if (f->problem.dev && accuracy(f, f->problem.dev, current(f), &dev))
            return cau_fail_memory(f->ctx, "the development data");
        f->run.elapsed = cau_seconds() - began;
        f->run.passes = it.passes;
        const bool saves = f->o->checkpoint > 0 && cau_seconds() - saved >= f->o->checkpoint;
        fit_clock clock = {.elapsed = f->run.elapsed, .due = saves};
        if (share_clock(f, &clock)) return lost_contact(f);
        f->run.elapsed = clock.elapsed;
        f->run.ended = cau_stop_check(&rule, &f->run.stop, &it, dev, f->run.elapsed, &better);
        if (f->best && better) cau_vector_copy(f->problem.threads, f->kept, parameters(f), f->best);
        st = show_iterate(f);
        if (st) return st;
        bool stop = !report(f, &rule, &it, dev, &clock);
        if (cau_comm_broadcast(f->problem.comm, 0, &stop, sizeof stop)) return lost_contact(f);
        if (stop && f->run.ended == CAU_STOP_NOT) f->run.ended = CAU_STOP_CALLER;

        const bool due = clock.due;
        if (f->checkpoint && (unfinished(f) || (due && f->run.ended == CAU_STOP_NOT))) {
            st = save_checkpoint(f);
            if (st) return st;
            saved = cau_seconds();
        }
    }
    return CAUCUS_OK;
}

/* ---- the model ---- */

/* labels [test.N] of the test set may be NULL. */
static caucus_status measure(fit *f, const double *w, uint32_t *labels, cau_outcome *out)
{
    caucus_status st = CAUCUS_OK;
    cau_problem *p = &f->problem;
    double *own = NULL;
    const double *v = w;
    *out = (cau_outcome){.loss = NAN, .penalty = NAN, .train = NAN, .dev = NAN, .test = NAN};
    if (!cau_problem_is_plain(p)) {
        v = own = cau_vector(p->n, sizeof *own);
        if (!own) TRY(cau_fail_memory(f->ctx, "the weights"));
        cau_problem_from_model(p, w, own);
    }
    if (cau_solver_is_perceptron(f->learner.kind)) /* has no objective */
        st = cau_pass_accuracy(p->pass, v, &out->train);
    else
        st = cau_problem_measure(p, v, &out->loss, &out->penalty, &out->train);
    if (st == CAUCUS_ERR_NUMERIC)
        TRY(cau_fail(f->ctx, st, "the final objective is not finite; use a penalty"));
    if (st || (p->dev && accuracy(f, p->dev, w, &out->dev)))
        TRY(cau_fail_memory(f->ctx, "the data"));
    if (f->data->test.N) TRY(measure_test(f, w, labels, &out->test));
done:
    free(own);
    return st;
}

static caucus_status describe(fit *f, const double *w, cau_strbuf *out)
{
    cau_run r = {.data = f->data,
                 .options = f->o,
                 .problem = &f->problem,
                 .solver = f->learner.kind,
                 .seed = f->learner.seed,
                 .ended = (cau_stop_reason)f->run.ended,
                 .iterations = f->run.stop.iteration,
                 .best_iteration = f->run.stop.best_iteration,
                 .passes = f->run.passes,
                 .w = w};
    caucus_status st = measure(f, w, NULL, &r.end);
    if (st) return st;
    cau_run_describe(&r, out);
    return cau_strbuf_status(f->ctx, out);
}

/* The final parameters, [kept]. Frees a solver with much memory before the model is built. */
static const double *final_weights(fit *f)
{
    const double *w = f->best ? f->best : parameters(f);
    if (!f->best && w != f->model) return w; /* few vectors, one of which holds these weights */
    cau_learner_stop(&f->learner);
    return w;
}

static caucus_status build(fit *f, caucus_model **out)
{
    cau_strbuf info = {0}, pruned = {0};
    const cau_problem *p = &f->problem;
    const double *w = final_weights(f);
    cau_weight_layout layout = cau_problem_layout(p);
    layout.nodes = cau_problem_model_nodes(p);
    caucus_status st = describe(f, w, &info);
    cau_model_parts parts =
        cau_model_parts_of(f->data, cau_train_kind(f->o, f->data), layout.nodes, layout.edges,
                           cau_layout_part(&layout, w), (cau_str){info.s, info.n});
    if (!st && p->groups && f->data->template) {
        cau_group_penalty_prune(p->groups, w, cau_template_text(f->data->template), &pruned);
        st = cau_strbuf_status(f->ctx, &pruned);
    }
    if (pruned.n) {
        parts.read.template = NULL;
        parts.template = (cau_str){pruned.s, pruned.n};
    }
    if (!st && f->ctx->rank == 0) st = cau_model_build(f->ctx, &parts, out);
    cau_strbuf_clear(&pruned);
    cau_strbuf_clear(&info);
    return st;
}

/* ---- the run ---- */

/* MODEL.checkpoint, if there is an output. */
static caucus_status name_checkpoint(fit *f)
{
    cau_strbuf path = {0};
    if (!f->o->output) return CAUCUS_OK;
    cau_strbuf_printf(&path, "%s.checkpoint", f->o->output);
    f->checkpoint = path.s;
    return cau_strbuf_status(f->ctx, &path);
}

/* Runs from the options to the last iteration. */
static caucus_status run(fit *f, unsigned threads)
{
    caucus_status st = CAUCUS_OK;
    TRY(cau_fit_check(f->ctx, f->o));
    TRY(cau_options_check_data(f->ctx, f->data, f->o));
    if (f->data->shared) TRY(cau_fit_check_share(f->ctx, f->o));
    TRY(name_checkpoint(f));
    cau_train_options layout = *f->o;
    if (layout.experts) { /* experts have penalties of their own and the coordinates of the model */
        layout.l1 = layout.l2 = 0;
        layout.solver = CAU_SOLVER_SGD;
    }
    TRY(cau_problem_init(f->ctx, f->data, &layout, threads, &f->problem));
    TRY(cau_learner_prepare(f->ctx, &f->learner));
    f->kept = f->o->experts ? cau_learner_size(&f->learner) : f->problem.model_n;
    TRY(check_memory(f));
    if (f->problem.dev) f->best = cau_vector(f->kept, sizeof *f->best);
    if (!own_weights(f)) f->model = cau_vector(f->problem.model_n, sizeof *f->model);
    if ((f->problem.dev && !f->best) || (!own_weights(f) && !f->model))
        TRY(cau_fail_memory(f->ctx, "the weights"));
    TRY(start(f));
    if (f->o->resume) TRY(resume(f));
    TRY(iterate(f));
done:
    return st;
}

static void clear(fit *f)
{
    cau_pass_free(f->test);
    cau_learner_clear(&f->learner);
    cau_problem_clear(&f->problem);
    free(f->answer);
    free(f->best);
    free(f->model);
    free(f->checkpoint);
}

caucus_status cau_fit(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *options,
                      uint64_t seed, unsigned threads, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *model = NULL;
    fit f = {.ctx = ctx, .data = data, .o = options};
    f.learner = learner_of(&f, seed);
    TRY(run(&f, threads));
    TRY(build(&f, &model));
    if (options->output && model) TRY(cau_model_save(ctx, model, options->output));
    if (f.checkpoint && !unfinished(&f) && ctx->rank == 0)
        unlink(f.checkpoint); /* nothing can fail from here on */
    *out = model;
    model = NULL;
done:
    cau_model_free(model);
    clear(&f);
    return st;
}

/* Copies theta [n][J] to w [J][n]; w_k = sum_j theta_kj / J goes to *product, to be freed. */
static caucus_status split_experts(fit *f, const double *theta, double *w, double **product)
{
    const size_t n = f->problem.n, J = f->o->experts;
    *product = cau_vector(n, sizeof **product);
    if (!*product) return cau_fail_memory(f->ctx, "the weights");
    for (size_t j = 0; j < J; j++)
        for (size_t k = 0; k < n; k++) w[j * n + k] = theta[k * J + j];
    cau_vector_copy(f->problem.threads, n, cau_experts_product(f->learner.experts, theta),
                    *product);
    return CAUCUS_OK;
}

caucus_status cau_fit_weights(caucus_ctx *ctx, const caucus_data *data,
                              const cau_train_options *options, uint64_t seed, unsigned threads,
                              cau_fit_result *result)
{
    caucus_status st = CAUCUS_OK;
    cau_outcome end;
    cau_fit_result r = {0};
    double *product = NULL;
    fit f = {.ctx = ctx, .data = data, .o = options};
    f.learner = learner_of(&f, seed);
    TRY(run(&f, threads));
    const double *w = final_weights(&f);
    r = (cau_fit_result){.n = f.problem.model_n,
                         .w = cau_vector(f.kept, sizeof *r.w),
                         .answer = cau_alloc(data->test.N, sizeof *r.answer),
                         .iterations = f.run.stop.iteration,
                         .best_iteration = f.run.stop.best_iteration,
                         .passes = f.run.passes,
                         .ended = (cau_stop_reason)f.run.ended,
                         .seconds = f.run.elapsed};
    if (!r.w || !r.answer) TRY(cau_fail_memory(ctx, "the weights"));
    if (options->experts) {
        r.penalty = cau_experts_penalty(f.learner.experts, w);
        TRY(split_experts(&f, w, r.w, &product));
        w = product;
    } else {
        cau_vector_copy(threads, r.n, w, r.w);
    }
    r.nonzero = cau_count_nonzero(r.n, w);
    TRY(measure(&f, w, r.answer, &end));
    const cau_table nodes = cau_problem_model_nodes(&f.problem);
    TRY(cau_table_copy(ctx, &nodes, &r.nodes));
    TRY(cau_table_copy(ctx, &f.problem.edges, &r.edges));
    r.penalty += end.penalty;
    r.objective = end.loss + r.penalty;
    r.train_accuracy = end.train;
    *result = r;
    r = (cau_fit_result){0};
done:
    free(product);
    cau_fit_result_clear(&r);
    clear(&f);
    return st;
}

void cau_fit_result_clear(cau_fit_result *result)
{
    free(result->w);
    free(result->answer);
    cau_table_clear(&result->nodes);
    cau_table_clear(&result->edges);
    *result = (cau_fit_result){0};
}
