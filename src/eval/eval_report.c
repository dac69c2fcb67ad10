/* eval_report.c - all scores as one tree, and from it text, JSON, single numbers and figures.
 *
 * docs/evaluation.md describes the JSON. Its parts "chunks", "known" and "comparison" are made in
 * chunk_report.c, known.c and compare.c; clusterings have another tree (clusters.c).
 *
 * The text has accuracy, classes and confusions for classes. For chunks it begins with the output
 * of conlleval, byte for byte; the tables of labels follow only with --confusion. Known words,
 * comparisons and probabilities come last. A note below a table states each convention that changes
 * a number. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "report/plot.h"

enum { TOP_CONFUSIONS = 10 };

/* ---- the tree ------------------------------------------------------------------------ */

static void add_labels(cau_tree *tree, const caucus_scores *scores)
{
    const cau_measures *m = &scores->measures;
    const double interval[] = {m->low, m->high};
    cau_tree_fields(tree, {"instances", cau_json_count(scores->instances)},
                    {"skipped", cau_json_count(scores->skipped)},
                    {"correct", cau_json_count(scores->correct)},
                    {"accuracy", cau_json_number(m->accuracy)},
                    {"accuracy_interval", cau_json_numbers(interval, 2)});
    cau_tree_prf(tree, "macro", m->macro);
    cau_tree_prf(tree, "micro", (cau_prf){m->accuracy, m->accuracy, m->accuracy});
    cau_tree_array(tree, "classes");
    for (size_t y = 0; y < scores->Y; y++) {
        const cau_counts c = scores->classes[y].counts;
        const cau_prf prf = cau_counts_prf(c, 0);
        cau_tree_record(tree, NULL, {"label", cau_json_text(scores->classes[y].name)},
                        {"support", cau_json_count(c.gold)}, {"predicted", cau_json_count(c.found)},
                        {"correct", cau_json_count(c.correct)}, CAU_PRF_FIELDS(prf));
    }
    cau_tree_end(tree);
    cau_confusion_tree(&scores->pairs, tree, "pairs");
}

static void add_probabilities(cau_tree *tree, const caucus_scores *scores)
{
    const cau_measures *m = &scores->measures;
    const cau_calibration *c = &scores->calibration;
    const double B = (double)c->B, possible = (double)(c->known - c->impossible);
    cau_tree_object(tree, "probabilities");
    cau_tree_fields(
        tree, {"known", cau_json_count(c->known)}, {"impossible", cau_json_count(c->impossible)},
        {"log_loss", cau_json_number(m->log_loss)}, {"perplexity", cau_json_number(m->perplexity)},
        {"log_loss_possible", cau_json_number(c->log_loss / possible)},
        {"brier", cau_json_number(m->brier)},
        {"calibration_error", cau_json_number(m->calibration_error)});
    cau_tree_array(tree, "bins");
    for (size_t b = 0; b < c->B; b++) {
        const cau_bin *bin = &c->bins[b];
        const double mean = bin->confidence / (double)bin->count; /* 0 / 0 is NaN, and so null */
        cau_tree_record(tree, NULL, {"from", cau_json_number((double)b / B)},
                        {"to", cau_json_number((double)(b + 1) / B)},
                        {"count", cau_json_count(bin->count)},
                        {"confidence", cau_json_number(mean)},
                        {"accuracy", cau_json_number(cau_ratio(bin->correct, bin->count))});
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
}

caucus_status cau_scores_finish(caucus_ctx *ctx, caucus_scores *scores)
{
    cau_tree *tree = &scores->tree;
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "format", 1);
    add_labels(tree, scores);
    if (scores->calibration.given) add_probabilities(tree, scores);
    if (scores->chunks) cau_chunk_scores_tree(scores->chunks, tree);
    if (scores->known) cau_words_known_tree(scores->known, tree);
    if (scores->compare) cau_compare_tree(scores->compare, tree);
    cau_tree_end(tree);
    return cau_tree_status(ctx, tree);
}

/* ---- one number ---------------------------------------------------------------------- */

/* The difference of systems 0 and 1. */
#define PAIR "comparison.pairs.0."

static const struct {
    const char *name, *path;
} measure_paths[] = {
    {"accuracy", "accuracy"},
    {"macro-precision", "macro.precision"},
    {"macro-recall", "macro.recall"},
    {"macro-f1", "macro.f1"},
    {"micro-precision", "micro.precision"},
    {"micro-recall", "micro.recall"},
    {"micro-f1", "micro.f1"},
    {"log-loss", "probabilities.log_loss"},
    {"perplexity", "probabilities.perplexity"},
    {"brier", "probabilities.brier"},
    {"calibration-error", "probabilities.calibration_error"},
    {"chunk-precision", "chunks.micro.precision"},
    {"chunk-recall", "chunks.micro.recall"},
    {"chunk-f1", "chunks.micro.f1"},
    {"chunk-macro-precision", "chunks.macro.precision"},
    {"chunk-macro-recall", "chunks.macro.recall"},
    {"chunk-macro-f1", "chunks.macro.f1"},
    {"chunk-weighted-precision", "chunks.weighted.precision"},
    {"chunk-weighted-recall", "chunks.weighted.recall"},
    {"chunk-weighted-f1", "chunks.weighted.f1"},
    {"chunk-support", "chunks.support"},
    {"chunk-found", "chunks.found"},
    {"chunk-correct", "chunks.correct"},
    {"accuracy-tokens", "chunks.tokens.accuracy"},
    {"accuracy-inside", "chunks.tokens.inside_accuracy"},
    {"illegal-gold", "chunks.illegal.gold"},
    {"illegal-predicted", "chunks.illegal.predicted"},
    {"mcnemar", PAIR "chi2"},
    {"mcnemar-p", PAIR "p.mcnemar"},
    {"mcnemar-exact", PAIR "p.exact"},
    {"difference", PAIR "difference"},
    {"low", PAIR "interval.0"},
    {"high", PAIR "interval.1"},
    {"bootstrap-p", PAIR "p.bootstrap"},
    {"randomisation-p", PAIR "p.randomisation"},
};

/* A member of the object in a list whose `key` is `name`. */
static double member_of(const json_t *list, const char *key, const char *name, const char *member)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (strcmp(json_string_value(cau_at(item, key)), name) != 0) continue;
        const json_t *value = json_object_get(item, member);
        return json_is_number(value) ? json_number_value(value) : NAN;
    }
    return NAN;
}

/* If a type of chunks and a label have the same name, the type is meant. */
double cau_scores_get(const caucus_scores *scores, const char *measure, const char *label)
{
    const json_t *root = scores->tree.root;
    const json_t *of_clusterings = cau_at(root, "measures");
    if (of_clusterings)
        return label ? NAN : cau_number_at(json_object_get(of_clusterings, measure), "mean");
    if (label) {
        const double x = member_of(cau_at(root, "chunks.types"), "type", label, measure);
        return isnan(x) ? member_of(cau_at(root, "classes"), "label", label, measure) : x;
    }
    const bool infinite = cau_count_at(root, "probabilities.impossible") > 0;
    if (infinite && (strcmp(measure, "log-loss") == 0 || strcmp(measure, "perplexity") == 0))
        return INFINITY;
    for (size_t i = 0; i < sizeof measure_paths / sizeof *measure_paths; i++)
        if (strcmp(measure, measure_paths[i].name) == 0)
            return cau_number_at(root, measure_paths[i].path);
    return NAN;
}

/* ---- text ---------------------------------------------------------------------------- */

static void print_classes(const json_t *root, cau_writer *out)
{
    static const cau_column columns[] = {
        {"class", "<{label}"},  {"precision", "{precision:.4f}"}, {"recall", "{recall:.4f}"},
        {"    F1", "{f1:.4f}"}, {"   support", "{support}"},      {" predicted", "{predicted}"}};
    const size_t Y = json_array_size(cau_at(root, "classes"));
    cau_strbuf_add(&out->text, "\n", 1);
    cau_text_table table = cau_text_table_begin(out, columns, 6);
    cau_text_table_rows(&table, cau_at(root, "classes"));
    cau_text_table_row(&table, "macro average", cau_at(root, "macro"));
    cau_text_table_row(&table, "micro average", cau_at(root, "micro"));
    cau_text_table_end(&table);
    cau_strbuf_printf(
        &out->text,
        "(0/0 is shown as 0. Macro is the mean over the %zu class%s that occur%s as gold "
        "or predicted label;\nmicro equals the accuracy, because each instance has "
        "one label.)\n",
        Y, Y == 1 ? "" : "es", Y == 1 ? "s" : "");
}

static void print_probabilities(const json_t *root, cau_writer *out)
{
    static const cau_column columns[] = {{"confidence    ", "<{from:.3f} to {to:.3f}"},
                                         {"     count", "{count}"},
                                         {"mean confidence", "{confidence:.4f}"},
                                         {"accuracy", "{accuracy:.4f}"}};
    const json_t *p = cau_at(root, "probabilities"), *bins = cau_at(p, "bins");
    const uint64_t known = cau_count_at(p, "known");
    const uint64_t unknown = cau_count_at(root, "instances") - known;
    cau_strbuf_add(&out->text, "\n", 1);
    if (cau_count_at(p, "impossible"))
        cau_print(out, p,
                  "log-loss infinite: the gold label of {impossible} instance{impossible:|s} has "
                  "probability 0; {log_loss_possible:.4f} nats per instance over the others\n");
    else if (known)
        cau_print(out, p,
                  "log-loss {log_loss:.4f} nats per instance, perplexity {perplexity:.4f}\n");
    if (known)
        cau_print(out, p,
                  "Brier score {brier:.4f}: sum over classes of (p - [gold])^2, 0 is best, 2 is "
                  "worst\n");
    if (unknown)
        cau_strbuf_printf(
            &out->text,
            "%llu instance%s a gold label that is not a class of the model; log-loss and Brier "
            "score are over the other %llu\n",
            (unsigned long long)unknown, unknown == 1 ? " has" : "s have",
            (unsigned long long)known);
    cau_print(out, p, "calibration error {calibration_error:.4f}: ");
    cau_strbuf_printf(&out->text, "mean of |accuracy - confidence| over %zu bins\n\n",
                      json_array_size(bins));
    cau_text_table table = cau_text_table_begin(out, columns, 4);
    for (size_t b = 0; b < json_array_size(bins); b++)
        if (cau_count_at(json_array_get(bins, b), "count"))
            cau_text_table_row(&table, NULL, json_array_get(bins, b));
    cau_text_table_end(&table);
}

static void print_scores(const caucus_scores *scores, const cau_eval_options *options,
                         cau_writer *out)
{
    const json_t *root = scores->tree.root;
    if (scores->chunks) {
        cau_chunk_scores_conlleval(scores->chunks, out, options->latex);
        if (options->conlleval || options->latex) return;
        cau_strbuf_add(&out->text, "\n", 1);
        cau_chunk_scores_print(cau_at(root, "chunks"), &scores->chunks->confusion, out);
    } else {
        cau_print(out, root,
                  "accuracy {accuracy:.4f}: {correct} of {instances} instances right, 95% interval "
                  "{accuracy_interval.0:.4f} to {accuracy_interval.1:.4f} (Wilson)\n");
    }
    if (scores->skipped)
        cau_print(out, root, "{skipped} instance{skipped:|s} left out: the gold label is '?'\n");
    if (!scores->chunks || options->confusion) {
        print_classes(root, out);
        if (scores->correct < scores->instances) {
            cau_strbuf_add(&out->text, "\n", 1);
            cau_confusion_print_list(&scores->pairs, out, TOP_CONFUSIONS);
        }
    }
    if (options->confusion) {
        cau_strbuf_add(&out->text, "\n", 1);
        cau_confusion_print_matrix(&scores->pairs, out, SIZE_MAX, 0);
    }
    if (scores->known) cau_words_known_print(cau_at(root, "known"), out);
    if (scores->compare) {
        cau_strbuf_add(&out->text, "\n", 1);
        cau_compare_print(cau_at(root, "comparison"), out);
    }
    if (scores->calibration.given) print_probabilities(root, out);
}

/* ---- figures ------------------------------------------------------------------------- */

static caucus_status plot_calibration(caucus_ctx *ctx, const caucus_scores *scores,
                                      const char *path)
{
    caucus_status st = CAUCUS_OK;
    const size_t B = scores->calibration.B;
    double *x = cau_alloc(B, 5 * sizeof *x); /* [5][B] */
    if (!x) TRY(cau_fail_memory(ctx, "the figure"));
    double *confidence = x, *accuracy = x + B, *low = x + 2 * B, *high = x + 3 * B;
    double *count = x + 4 * B;
    for (size_t b = 0; b < B; b++) {
        const cau_bin *bin = &scores->calibration.bins[b];
        count[b] = (double)bin->count;
        confidence[b] = bin->confidence / count[b]; /* 0 / 0 is NaN */
        accuracy[b] = (double)bin->correct / count[b];
        low[b] = high[b] = NAN;
        if (bin->count) cau_wilson(bin->correct, bin->count, &low[b], &high[b]);
    }
    const cau_reliability plot = {
        B, confidence, accuracy, low, high, count, scores->measures.calibration_error};
    TRY(cau_plot_reliability(ctx, path, &plot));
done:
    free(x);
    return st;
}

/* ---- writing ----------------------------------------------------------------------- */

caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    if (options->json)
        cau_print_json(&out, scores->tree.root, CAU_DIGITS_DOUBLE);
    else if (cau_at(scores->tree.root, "measures"))
        cau_clusterings_print(scores->tree.root, &out);
    else
        print_scores(scores, options, &out);
    TRY(cau_writer_flush(&out, true));
    if (options->plot_confusion && scores->chunks)
        TRY(cau_confusion_plot(ctx, &scores->chunks->confusion, "types", options->plot_confusion));
    else if (options->plot_confusion)
        TRY(cau_confusion_plot(ctx, &scores->pairs, "classes", options->plot_confusion));
    if (options->plot_calibration) TRY(plot_calibration(ctx, scores, options->plot_calibration));
done:
    cau_writer_clear(&out);
    return st;
}
