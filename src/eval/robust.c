/* robust.c - the score of a model without some of its features.
 *
 * The tagged text of the first run is kept. Every other run is scored as a system that is compared
 * with it, both in memory and token by token (tagged.c). So the difference has an interval by the
 * paired bootstrap over sentences or documents (compare.c).
 * docs/evaluation.md describes the JSON. */

#include "eval/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

enum { RESAMPLES = 10000 }; /* by default */

typedef struct {
    const char *removed; /* NULL: nothing */
    caucus_scores *scores;
} robust_run;

struct cau_robust {
    cau_eval_options options;
    const char *data;
    cau_arena arena; /* of the names */
    cau_strbuf full; /* the text of the first run */
    robust_run *runs;
    size_t count, room;
};

static const char *conflict(const cau_eval_options *o)
{
    if (o->against.count || o->gold)
        return "--drop compares a model with itself, by the labels of the data; drop it, or "
               "--against and --gold";
    if (o->clusters) return "--drop is about labels and --clusters about clusterings; drop one";
    if (o->conlleval || o->latex)
        return "--drop has a table of its own; leave out --conlleval and --latex";
    if (o->probabilities || o->confusion || o->plot_confusion || o->plot_calibration)
        return "--drop compares scores; leave out --probabilities, --confusion and the figures";
    return NULL;
}

caucus_status cau_robust_new(caucus_ctx *ctx, const cau_eval_options *options, const char *data,
                             cau_robust **out)
{
    const char *wrong = conflict(options);
    if (wrong) return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "%s", wrong);
    cau_robust *robust = cau_calloc(1, sizeof *robust);
    if (!robust) return cau_fail_memory(ctx, "the scores");
    robust->options = *options;
    robust->options.pairs = CAU_PAIRS_ALL; /* there is one pair */
    if (!robust->options.resamples) robust->options.resamples = RESAMPLES;
    robust->data = data;
    *out = robust;
    return CAUCUS_OK;
}

void cau_robust_free(cau_robust *robust)
{
    if (!robust) return;
    for (size_t i = 0; i < robust->count; i++) cau_scores_free(robust->runs[i].scores);
    free(robust->runs);
    cau_strbuf_clear(&robust->full);
    cau_arena_clear(&robust->arena);
    free(robust);
}

/* ---- runs ---------------------------------------------------------------------------- */

static caucus_status score(caucus_ctx *ctx, const cau_robust *robust, cau_str tagged,
                           caucus_scores **out)
{
    const cau_str memory[] = {tagged, {robust->full.s, robust->full.n}};
    cau_eval_options options = robust->options;
    options.memory = memory;
    if (robust->count > 0)
        options.against = (cau_paths){1, &robust->data};
    else
        options.unit = CAU_UNIT_SENTENCE; /* nothing is compared yet */
    return cau_scores_read(ctx, &options, &robust->data, 1, out);
}

caucus_status cau_robust_add(caucus_ctx *ctx, cau_robust *robust, const char *removed,
                             cau_str tagged)
{
    caucus_status st = CAUCUS_OK;
    robust_run next = {0};
    TRY(score(ctx, robust, tagged, &next.scores));
    if (removed) next.removed = cau_arena_copy(&robust->arena, removed, strlen(removed));
    if ((removed && !next.removed) || !CAU_GROW(robust->runs, robust->room, robust->count + 1))
        TRY(cau_fail_memory(ctx, "the scores"));
    if (robust->count == 0) {
        cau_strbuf_clear(&robust->full); /* of a run that failed here */
        cau_strbuf_add(&robust->full, tagged.s, tagged.n);
        TRY(cau_strbuf_status(ctx, &robust->full));
    }
    robust->runs[robust->count++] = next;
    next.scores = NULL; /* the runs own them from here */
done:
    cau_scores_free(next.scores);
    return st;
}

size_t cau_robust_runs(const cau_robust *robust)
{
    return robust->count;
}

const caucus_scores *cau_robust_scores(const cau_robust *robust, size_t i)
{
    return robust->runs[i].scores;
}

/* ---- the tree ------------------------------------------------------------------------ */

static void add_run(cau_tree *tree, const robust_run *r)
{
    const json_t *scores = r->scores->tree.root, *micro = cau_at(scores, "chunks.micro");
    const json_t *pair = cau_at(scores, "comparison.pairs.0"); /* this run, then the first */
    const double accuracy = cau_number_at(scores, "accuracy"), f1 = cau_number_at(micro, "f1");
    /* 0 - x is the difference the other way, without a negative zero */
    const double interval[] = {0 - cau_number_at(pair, "interval.1"),
                               0 - cau_number_at(pair, "interval.0")};
    cau_tree_record(
        tree, NULL, {"removed", cau_json_string(r->removed)},
        {"tokens", cau_json_count(r->scores->instances)},
        {"measure", cau_json_string(micro ? "f1" : "accuracy")},
        {"score", cau_json_number(micro ? f1 : accuracy)}, {"accuracy", cau_json_number(accuracy)},
        {"precision", cau_json_number(cau_number_at(micro, "precision"))},
        {"recall", cau_json_number(cau_number_at(micro, "recall"))}, {"f1", cau_json_number(f1)},
        {"difference", cau_json_number(0 - cau_number_at(pair, "difference"))},
        {"interval", pair ? cau_json_numbers(interval, 2) : json_null()},
        {"p", cau_json_number(cau_number_at(pair, "p.bootstrap"))});
}

/* ---- text ---------------------------------------------------------------------------- */

static void print_table(const json_t *root, cau_writer *out)
{
    static const cau_column chunks[] = {
        {"removed", "<{removed}"},
        {"  tokens", "{tokens}"},
        {"accuracy", "{accuracy:.4f}"},
        {"precision", "{precision:.4f}"},
        {"recall", "{recall:.4f}"},
        {"    F1", "{f1:.4f}"},
        {"difference", "{difference:.4f}"},
        {"95% interval", "{interval.0:.4f} to {interval.1:.4f}"},
    };
    static const cau_column classes[] = {
        {"removed", "<{removed}"},
        {"  tokens", "{tokens}"},
        {"accuracy", "{accuracy:.4f}"},
        {"difference", "{difference:.4f}"},
        {"95% interval", "{interval.0:.4f} to {interval.1:.4f}"},
    };
    const json_t *runs = cau_at(root, "robustness");
    const char *measure = json_string_value(cau_at(runs, "0.measure"));
    const bool f1 = measure && strcmp(measure, "f1") == 0;
    cau_text_table table = cau_text_table_begin(out, f1 ? chunks : classes, f1 ? 8 : 5);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        json_t *row = json_copy((json_t *)run);
        if (!row) out->text.failed = true;
        /* the difference of the first run, or of another measure, is left out */
        if (i == 0 || !json_equal(cau_at(run, "measure"), cau_at(runs, "0.measure"))) {
            json_object_del(row, "difference");
            json_object_del(row, "interval");
        }
        cau_text_table_row(&table, json_is_null(cau_at(run, "removed")) ? "nothing" : NULL, row);
        json_decref(row);
    }
    cau_text_table_end(&table);
    cau_print(out, root, f1 ? "(The difference is in F1" : "(The difference is in accuracy");
    cau_print(out, root,
              " from the run with nothing removed, with the interval of the paired\n"
              "bootstrap; {resamples} resamples, seed {seed}.)\n");
}

caucus_status cau_robust_write(caucus_ctx *ctx, const cau_robust *robust, caucus_write_fn *write,
                               void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    cau_tree tree = {0};
    cau_tree_object(&tree, NULL);
    cau_tree_fields(&tree, {"format", cau_json_count(1)},
                    {"resamples", cau_json_count(robust->options.resamples)},
                    {"seed", cau_json_count(robust->options.seed)});
    cau_tree_array(&tree, "robustness");
    for (size_t i = 0; i < robust->count; i++) add_run(&tree, &robust->runs[i]);
    cau_tree_end(&tree);
    cau_tree_end(&tree);
    TRY(cau_tree_status(ctx, &tree));
    if (robust->options.json)
        cau_print_json(&out, tree.root, CAU_DIGITS_DOUBLE);
    else
        print_table(tree.root, &out);
    TRY(cau_writer_flush(&out, true));
done:
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
    return st;
}
