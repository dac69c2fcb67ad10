/* robust.c - the score of a model as a function of what is missing.
 *
 * Of the first run the text is kept. Every other is scored as a system that is compared with it,
 * both in memory and in lock step (tagged.c), so the difference has the interval of the paired
 * bootstrap over sentences or documents (compare.c), and what differs is the removal alone.
 *
 * As JSON:
 *
 *   {
 *     "format": 1,                 this layout; a change of meaning makes it 2
 *     "resamples": 10000, "seed": 1,                        of the intervals
 *     "robustness": [              in the order of the runs
 *       {"removed": null,                                   nothing: the first run
 *        "tokens": 46435,                                   with a known gold label
 *        "measure": "f1",                                   what "score" is: "f1" of chunks, or
 *        "score": 0.8545,                                   "accuracy" where labels are classes
 *        "accuracy": 0.9701,                                of tokens
 *        "precision": p, "recall": r, "f1": f,              of chunks; null where there are none
 *        "difference": null, "interval": null, "p": null},
 *       {"removed": "U2*", ...
 *        "difference": -0.0312,                             its score minus that of the first
 *        "interval": [-0.0350, -0.0270],                    95%, percentiles of the bootstrap
 *        "p": 0.0001},                                      one-sided: that the better one is
 * better
 *       ...]
 *   } */

#include "eval/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

enum {
    NAME_WIDTH_MAX = 40, /* a longer name breaks its row instead of widening all */
    RESAMPLES = 10000,   /* unless told otherwise */
};

typedef struct {
    const char *removed; /* NULL: nothing */
    caucus_scores *scores;
} run;

struct cau_robust {
    cau_eval_options options;
    const char *data;
    cau_arena arena; /* of the names */
    cau_strbuf full; /* the text of the first run */
    run *runs;
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
    run next = {0};
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

/* ---- rows ---------------------------------------------------------------------------- */

/* The numbers of a run; NaN where there is none. */
typedef struct {
    cau_str removed; /* {NULL, 0}: nothing */
    bool chunks;
    uint64_t tokens;
    double accuracy, precision, recall, f1;
    double difference, low, high, p; /* to the first run */
} row;

static row row_of(const run *r)
{
    const caucus_scores *s = r->scores;
    row x = {.removed = {r->removed, r->removed ? strlen(r->removed) : 0},
             .chunks = s->chunks != NULL,
             .tokens = s->instances,
             .accuracy = s->measures.accuracy,
             .precision = cau_scores_get(s, "chunk-precision", NULL),
             .recall = cau_scores_get(s, "chunk-recall", NULL),
             .f1 = cau_scores_get(s, "chunk-f1", NULL),
             .difference = NAN,
             .low = NAN,
             .high = NAN,
             .p = NAN};
    if (s->compare) { /* system 0 is this run, system 1 the first */
        x.difference = cau_compare_get(s->compare, 1, 0, "difference") + 0.0; /* -0 is 0 */
        x.low = cau_compare_get(s->compare, 1, 0, "low") + 0.0;
        x.high = cau_compare_get(s->compare, 1, 0, "high") + 0.0;
        x.p = cau_compare_get(s->compare, 1, 0, "bootstrap-p");
    }
    return x;
}

/* ---- as a table ---------------------------------------------------------------------- */

static cau_str name_of(const row *x)
{
    return x->removed.s ? x->removed : CAU_STR("nothing");
}

static void add_number(cau_writer *sheet, double x, size_t width)
{
    if (isnan(x))
        cau_writer_right(sheet, CAU_STR("-"), width);
    else
        cau_writer_number(sheet, x, 4, width);
}

/* `chunks`: differences are those of F1. A run whose labels are classes all the same has none. */
static void add_row(cau_writer *sheet, const row *x, size_t width, bool chunks)
{
    cau_writer_left(sheet, name_of(x), width);
    cau_writer_number(sheet, (double)x->tokens, 0, 10);
    add_number(sheet, x->accuracy, 10);
    if (chunks) {
        add_number(sheet, x->precision, 11);
        add_number(sheet, x->recall, 8);
        add_number(sheet, x->f1, 8);
    }
    if (!isnan(x->difference) && x->chunks == chunks) {
        add_number(sheet, x->difference, 12);
        add_number(sheet, x->low, 10);
        cau_strbuf_printf(&sheet->text, " to ");
        cau_strbuf_fixed(&sheet->text, x->high, 4);
    }
    cau_strbuf_add(&sheet->text, "\n", 1);
}

static void write_table(const cau_robust *robust, cau_writer *sheet)
{
    cau_strbuf *text = &sheet->text;
    const bool chunks = robust->count && robust->runs[0].scores->chunks;
    size_t width = strlen("removed");
    for (size_t i = 0; i < robust->count; i++) {
        const row x = row_of(&robust->runs[i]);
        size_t w = cau_text_width(name_of(&x));
        if (w > NAME_WIDTH_MAX) w = NAME_WIDTH_MAX;
        if (w > width) width = w;
    }
    cau_writer_left(sheet, CAU_STR("removed"), width);
    cau_strbuf_printf(text, "    tokens  accuracy%s  difference   95%% interval\n",
                      chunks ? "  precision  recall      F1" : "");
    for (size_t i = 0; i < robust->count; i++) {
        const row x = row_of(&robust->runs[i]);
        add_row(sheet, &x, width, chunks);
    }
    cau_strbuf_printf(
        text,
        "(The difference is that of %s to nothing removed, its interval by the paired "
        "bootstrap;\n%llu resamples, seed %llu.)\n",
        chunks ? "F1" : "accuracy", (unsigned long long)robust->options.resamples,
        (unsigned long long)robust->options.seed);
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *number(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *json_row(const row *x, cau_writer *sheet)
{
    json_t *object = json_object(), *interval = json_null();
    if (!isnan(x->difference)) interval = json_pack("[ff]", x->low, x->high);
    const struct {
        const char *key;
        json_t *value;
    } pairs[] = {
        {"removed", x->removed.s ? cau_writer_string(x->removed) : json_null()},
        {"tokens", json_integer((json_int_t)x->tokens)},
        {"measure", json_string(x->chunks ? "f1" : "accuracy")},
        {"score", number(x->chunks ? x->f1 : x->accuracy)},
        {"accuracy", number(x->accuracy)},
        {"precision", number(x->precision)},
        {"recall", number(x->recall)},
        {"f1", number(x->f1)},
        {"difference", number(x->difference)},
        {"interval", interval},
        {"p", number(x->p)},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cau_writer_put(sheet, object, pairs[i].key, pairs[i].value);
    return object;
}

static void write_json(const cau_robust *robust, cau_writer *sheet)
{
    json_t *root = json_object(), *rows = json_array();
    for (size_t i = 0; i < robust->count; i++) {
        const row x = row_of(&robust->runs[i]);
        cau_writer_push(sheet, rows, json_row(&x, sheet));
    }
    cau_writer_put(sheet, root, "format", json_integer(1));
    cau_writer_put(sheet, root, "resamples", json_integer((json_int_t)robust->options.resamples));
    cau_writer_put(sheet, root, "seed", json_integer((json_int_t)robust->options.seed));
    cau_writer_put(sheet, root, "robustness", rows);
    cau_writer_json(sheet, root, false);
    cau_strbuf_add(&sheet->text, "\n", 1);
}

caucus_status cau_robust_write(caucus_ctx *ctx, const cau_robust *robust, caucus_write_fn *write,
                               void *user)
{
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    (robust->options.json ? write_json : write_table)(robust, &sheet);
    caucus_status st = cau_writer_flush(&sheet, true);
    cau_writer_clear(&sheet);
    return st;
}
