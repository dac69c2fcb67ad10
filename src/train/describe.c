/* describe.c - see describe.h. */

#include "train/describe.h"

#include "train/resolve_options.h"

size_t cau_count_nonzero(size_t n, const double *w)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++) count += w[k] != 0;
    return count;
}

/* The penalty as a formula, and in the units of other tools. */
static void define_penalty(const cau_problem *p, cau_group group, cau_strbuf *out)
{
    static const char *const groups[] = {
        [CAU_GROUP_FEATURE] = "features", [CAU_GROUP_TEMPLATE] = "templates"};
    if (p->l1 == 0 && p->l2 == 0) cau_strbuf_printf(out, "none");
    if (p->l1 > 0 && p->groups)
        cau_strbuf_printf(out, "%g * sum over %s of sqrt(weights * sum of w^2)", p->l1,
                          groups[group]);
    else if (p->l1 > 0)
        cau_strbuf_printf(out, "%g * sum of |w|", p->l1);
    if (p->l1 > 0 && p->l2 > 0) cau_strbuf_printf(out, " + ");
    if (p->l2 > 0) {
        cau_strbuf_printf(out, "%g/2 * sum of %s", p->l2, p->mean ? "(w - mean)^2" : "w^2");
        cau_strbuf_printf(out, " (CRFsuite c2 %g; LIBLINEAR, scikit-learn, CRF++ C %g; sigma^2 %g)",
                          p->l2 / 2, 1 / p->l2, 1 / p->l2);
    }
    if (p->penalised < p->n && (p->l1 > 0 || p->l2 > 0))
        cau_strbuf_printf(out, "; the intercept is not regularised");
}

/* Which model the mean was. (One that is named by its path is among the options that are kept.) */
static void describe_prior(const caucus_model *prior, cau_strbuf *out)
{
    const char *data = cau_model_info(prior, "fingerprint");
    cau_strbuf_printf(out, "mean\t%s of %zu features and %zu classes", cau_kind_name(prior->kind),
                      prior->nodes.K, prior->Y);
    if (data) cau_strbuf_printf(out, ", trained on data with fingerprint %s", data);
    cau_strbuf_printf(out, "\n");
}

/* The share of the feature occurrences in the training data whose features fell out of the model:
 * tagging saves these lookups. */
static double saved_lookups(const cau_run *run)
{
    const cau_table nodes = cau_problem_model_nodes(run->problem);
    const cau_csr *xt = &run->data->train.xt;
    uint64_t gone = 0;
    for (size_t k = 0; k < nodes.rows; k++) {
        const size_t at = cau_table_at(&nodes, k), end = cau_table_at(&nodes, k + 1);
        if (cau_count_nonzero(end - at, run->w + at) == 0) gone += xt->start[k + 1] - xt->start[k];
    }
    uint64_t counts[2] = {gone, cau_csr_nonzeros(xt)};
    if (cau_comm_count(run->problem->comm, 2, counts) || counts[1] == 0) return 0;
    return (double)counts[0] / (double)counts[1];
}

void cau_run_describe(const cau_run *run, cau_strbuf *out)
{
    const cau_problem *p = run->problem;
    const cau_outcome *end = &run->end;
    const caucus_data *data = run->data;
    const cau_train_options *o = run->options;
    cau_strbuf_printf(out, "model\t%s\n", cau_kind_name(cau_train_kind(o, data)));
    cau_strbuf_add(out, run->pool.s, run->pool.n);
    cau_strbuf_printf(out, "solver\t%s\n", cau_solver_name(run->solver));
    cau_strbuf_printf(out, "instances\t%zu\n", cau_dataset_all(p->set));
    if (p->chain) cau_strbuf_printf(out, "sequences\t%zu\n", cau_dataset_all_sequences(p->set));
    cau_strbuf_printf(out, "features\t%zu\n", data->train.K);
    if (p->edges.rows) cau_strbuf_printf(out, "edge.features\t%zu\n", p->edges.rows);
    cau_strbuf_printf(out, "classes\t%zu\n", p->set->Y);
    cau_strbuf_printf(out, "weights\t%zu\n", p->free_n);
    cau_strbuf_printf(out, "nonzero\t%zu\n", cau_count_nonzero(p->model_n, run->w));
    if (p->groups && !run->pool.n) {
        cau_group_penalty_describe(p->groups, run->w, out);
        cau_strbuf_printf(out, "groups.spared\t%.4f\n", saved_lookups(run));
    }
    if (!cau_solver_is_perceptron(run->solver)) {
        cau_strbuf_printf(out, "objective\t%.12g\n", end->loss + end->penalty);
        cau_strbuf_printf(out, "loss\t%.12g\n", end->loss);
        cau_strbuf_printf(out, "penalty\t%.12g\n", end->penalty);
    }
    cau_strbuf_printf(out, "penalty.definition\t");
    cau_strbuf_add(out, run->penalty.s, run->penalty.n);
    if (!run->pool.n) define_penalty(p, o->group, out);
    cau_strbuf_printf(out, "\n");
    if (o->prior) describe_prior(o->prior, out);
    if (run->ended != CAU_STOP_NOT) cau_strbuf_printf(out, "stop\t%s\n", cau_stop_text(run->ended));
    if (run->iterations) cau_strbuf_printf(out, "iterations\t%zu\n", run->iterations);
    cau_strbuf_printf(out, "passes\t%zu\n", run->passes);
    if (p->dev) {
        if (run->iterations) cau_strbuf_printf(out, "dev.iteration\t%zu\n", run->best_iteration);
        cau_strbuf_printf(out, "dev.instances\t%zu\n", cau_dataset_all(&data->dev));
        cau_strbuf_printf(out, "dev.accuracy\t%.6f\n", end->dev);
    }
    cau_strbuf_printf(out, "train.accuracy\t%.6f\n", end->train);
    if (data->test.N) cau_strbuf_printf(out, "test.accuracy\t%.6f\n", end->test);
    cau_strbuf_add(out, run->members.s, run->members.n);
    cau_strbuf_printf(out, "seed\t%llu\n", (unsigned long long)run->seed);
    cau_strbuf_printf(out, "fingerprint\t%016llx\n", (unsigned long long)data->fingerprint);
    cau_strbuf_add(out, o->kept.s, o->kept.n);
}
