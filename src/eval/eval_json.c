/* eval_json.c - the scores as JSON for programs.
 *
 *   {
 *     "format": 1,                   this layout; a change of meaning makes it 2
 *     "instances": 1000,             that were scored
 *     "skipped": 0,                  whose gold label is '?', in no other number
 *     "correct": 912,
 *     "accuracy": 0.912,
 *     "accuracy_interval": [0.8928, 0.9280],                 95%, Wilson
 *     "macro": {"precision": p, "recall": r, "f1": f},       over `classes`
 *     "micro": {"precision": p, "recall": r, "f1": f},
 *     "classes": [                   that occur as gold or predicted, in natural order
 *       {"label": "B-LOC", "support": 10, "predicted": 9, "correct": 8,
 *        "precision": p, "recall": r, "f1": f}, ...],
 *     "pairs": [                     that occur, by gold, then by predicted
 *       {"gold": "B-LOC", "predicted": "B-ORG", "count": 2}, ...],
 *     "probabilities": {             only where the input has them
 *       "known": 997,                instances whose gold label the model has
 *       "impossible": 0,             of these: the gold label has probability 0
 *       "log_loss": x,               nats an instance, over the known; null where infinite
 *       "perplexity": x,             or where none is known
 *       "brier": x,
 *       "calibration_error": x,
 *       "bins": [                    all of them, the empty ones as well
 *         {"from": 0.0, "to": 0.1, "count": 0, "confidence": null, "accuracy": null}, ...]
 *     },
 *     "chunks": {...},               where labels tell of chunks: chunk_report.c
 *     "known": {...},                with --known: known.c
 *     "comparison": {...}            with --against: compare.c
 *   }
 *
 * Of clusterings there is another tree, described in clusters.c.
 *
 * Keys are added without notice; those here keep their meaning within a format. */

#include <math.h>

#include "eval/scores.h"

enum { DIGITS = 15 }; /* all that a double is sure of: p-values and F1 are compared */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static void put_measures(cau_writer *sheet, json_t *to, double precision, double recall, double f1)
{
    cau_writer_put(sheet, to, "precision", number(precision));
    cau_writer_put(sheet, to, "recall", number(recall));
    cau_writer_put(sheet, to, "f1", number(f1));
}

static json_t *class_list(const caucus_scores *scores, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t y = 0; y < scores->Y; y++) {
        const cau_class_score *c = &scores->classes[y];
        json_t *item = json_object();
        cau_writer_put(sheet, item, "label", cau_writer_string(c->label));
        cau_writer_put(sheet, item, "support", count(c->support));
        cau_writer_put(sheet, item, "predicted", count(c->predicted));
        cau_writer_put(sheet, item, "correct", count(c->correct));
        put_measures(sheet, item, c->precision, c->recall, c->f1);
        cau_writer_push(sheet, list, item);
    }
    return list;
}

static json_t *pair_list(const caucus_scores *scores, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scores->P; i++) {
        const cau_pair *pair = &scores->pairs[i];
        json_t *item = json_object();
        cau_writer_put(sheet, item, "gold", cau_writer_string(scores->classes[pair->gold].label));
        cau_writer_put(sheet, item, "predicted",
                       cau_writer_string(scores->classes[pair->predicted].label));
        cau_writer_put(sheet, item, "count", count(pair->count));
        cau_writer_push(sheet, list, item);
    }
    return list;
}

static json_t *bin_list(const cau_calibration *calibration, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t b = 0; b < calibration->B; b++) {
        const cau_bin *bin = &calibration->bins[b];
        const double n = bin->count ? (double)bin->count : (double)NAN;
        const double B = (double)calibration->B;
        json_t *item = json_object();
        cau_writer_put(sheet, item, "from", number((double)b / B));
        cau_writer_put(sheet, item, "to", number((double)(b + 1) / B));
        cau_writer_put(sheet, item, "count", count(bin->count));
        cau_writer_put(sheet, item, "confidence", number(bin->confidence / n));
        cau_writer_put(sheet, item, "accuracy", number((double)bin->correct / n));
        cau_writer_push(sheet, list, item);
    }
    return list;
}

static json_t *probabilities(const caucus_scores *scores, cau_writer *sheet)
{
    const cau_measures *m = &scores->measures;
    const cau_calibration *c = &scores->calibration;
    json_t *object = json_object();
    cau_writer_put(sheet, object, "known", count(c->known));
    cau_writer_put(sheet, object, "impossible", count(c->impossible));
    cau_writer_put(sheet, object, "log_loss", number(m->log_loss));
    cau_writer_put(sheet, object, "perplexity", number(m->perplexity));
    cau_writer_put(sheet, object, "brier", number(m->brier));
    cau_writer_put(sheet, object, "calibration_error", number(m->calibration_error));
    cau_writer_put(sheet, object, "bins", bin_list(c, sheet));
    return object;
}

/* What is told of labels, whether they are classes or tell of chunks. */
static void put_labels(const caucus_scores *scores, cau_writer *sheet, json_t *root)
{
    const cau_measures *m = &scores->measures;
    json_t *interval = json_array(), *macro = json_object(), *micro = json_object();
    cau_writer_push(sheet, interval, number(m->low));
    cau_writer_push(sheet, interval, number(m->high));
    put_measures(sheet, macro, m->macro_precision, m->macro_recall, m->macro_f1);
    put_measures(sheet, micro, m->micro_precision, m->micro_recall, m->micro_f1);
    cau_writer_put(sheet, root, "instances", count(scores->instances));
    cau_writer_put(sheet, root, "skipped", count(scores->skipped));
    cau_writer_put(sheet, root, "correct", count(scores->correct));
    cau_writer_put(sheet, root, "accuracy", number(m->accuracy));
    cau_writer_put(sheet, root, "accuracy_interval", interval);
    cau_writer_put(sheet, root, "macro", macro);
    cau_writer_put(sheet, root, "micro", micro);
    cau_writer_put(sheet, root, "classes", class_list(scores, sheet));
    cau_writer_put(sheet, root, "pairs", pair_list(scores, sheet));
    if (scores->calibration.given)
        cau_writer_put(sheet, root, "probabilities", probabilities(scores, sheet));
}

static json_t *whole(const caucus_scores *scores, cau_writer *sheet)
{
    if (scores->clusterings) return cau_clusterings_json(scores->clusterings, sheet);
    json_t *root = json_object();
    cau_writer_put(sheet, root, "format", json_integer(1));
    put_labels(scores, sheet, root);
    if (scores->chunks) cau_chunk_scores_json(scores->chunks, sheet, root);
    if (scores->known) cau_words_known_json(scores->known, sheet, root);
    if (scores->compare) cau_compare_json(scores->compare, sheet, root);
    return root;
}

static int add_piece(const char *bytes, size_t length, void *text)
{
    cau_strbuf_add(text, bytes, length);
    return 0; /* a failure is kept in the text */
}

void cau_scores_json(const caucus_scores *scores, cau_writer *sheet)
{
    json_t *root = whole(scores, sheet);
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS);
    if (!root || json_dump_callback(root, add_piece, &sheet->text, flags))
        sheet->text.failed = true;
    json_decref(root);
    cau_strbuf_add(&sheet->text, "\n", 1);
}
