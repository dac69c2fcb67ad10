/* report_json.c - the scores as JSON for programs.
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
 *     }
 *   }
 *
 * Keys are added without notice; those here keep their meaning within a format. */

#include <jansson.h>
#include <math.h>

#include "base/status.h"
#include "eval/scores.h"

/* Each of these gives a new value, or NULL when memory is short; jansson passes a NULL inside
 * a larger value on as a NULL of the whole. */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *average(double precision, double recall, double f1)
{
    return json_pack("{so so so}", "precision", number(precision), "recall", number(recall), "f1",
                     number(f1));
}

static json_t *label_text(cau_str label)
{
    return json_stringn(label.s, label.n);
}

static json_t *class_list(const caucus_scores *scores)
{
    json_t *list = json_array();
    for (size_t y = 0; list && y < scores->Y; y++) {
        const cau_class_score *c = &scores->classes[y];
        json_t *item =
            json_pack("{so sI sI sI so so so}", "label", label_text(c->label), "support",
                      (json_int_t)c->support, "predicted", (json_int_t)c->predicted, "correct",
                      (json_int_t)c->correct, "precision", number(c->precision), "recall",
                      number(c->recall), "f1", number(c->f1));
        if (json_array_append_new(list, item)) goto failed;
    }
    return list;
failed:
    json_decref(list);
    return NULL;
}

static json_t *pair_list(const caucus_scores *scores)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < scores->P; i++) {
        const cau_pair *pair = &scores->pairs[i];
        json_t *item = json_pack(
            "{so so sI}", "gold", label_text(scores->classes[pair->gold].label), "predicted",
            label_text(scores->classes[pair->predicted].label), "count", (json_int_t)pair->count);
        if (json_array_append_new(list, item)) goto failed;
    }
    return list;
failed:
    json_decref(list);
    return NULL;
}

static json_t *bin_list(const cau_calibration *calibration)
{
    json_t *list = json_array();
    for (size_t b = 0; list && b < calibration->B; b++) {
        const cau_bin *bin = &calibration->bins[b];
        double n = bin->count ? (double)bin->count : NAN, B = (double)calibration->B;
        json_t *item =
            json_pack("{so so sI so so}", "from", number((double)b / B), "to",
                      number((double)(b + 1) / B), "count", (json_int_t)bin->count, "confidence",
                      number(bin->confidence / n), "accuracy", number((double)bin->correct / n));
        if (json_array_append_new(list, item)) goto failed;
    }
    return list;
failed:
    json_decref(list);
    return NULL;
}

static json_t *probability_object(const caucus_scores *scores)
{
    const cau_measures *m = &scores->measures;
    const cau_calibration *c = &scores->calibration;
    return json_pack("{sI sI so so so so so}", "known", (json_int_t)c->known, "impossible",
                     (json_int_t)c->impossible, "log_loss", number(m->log_loss), "perplexity",
                     number(m->perplexity), "brier", number(m->brier), "calibration_error",
                     number(m->calibration_error), "bins", bin_list(c));
}

static json_t *whole_object(const caucus_scores *scores)
{
    const cau_measures *m = &scores->measures;
    json_t *root =
        json_pack("{si sI sI sI so s[oo] so so so so}", "format", 1, "instances",
                  (json_int_t)scores->instances, "skipped", (json_int_t)scores->skipped, "correct",
                  (json_int_t)scores->correct, "accuracy", number(m->accuracy), "accuracy_interval",
                  number(m->low), number(m->high), "macro",
                  average(m->macro_precision, m->macro_recall, m->macro_f1), "micro",
                  average(m->micro_precision, m->micro_recall, m->micro_f1), "classes",
                  class_list(scores), "pairs", pair_list(scores));
    if (root && scores->calibration.given &&
        json_object_set_new(root, "probabilities", probability_object(scores))) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* jansson's callback knows only success and failure: the status waits here. */
typedef struct {
    caucus_write_fn *write;
    void *user;
    caucus_status st;
} sink;

static int write_piece(const char *bytes, size_t length, void *data)
{
    sink *to = data;
    to->st = to->write(to->user, bytes, length);
    return to->st ? -1 : 0;
}

caucus_status cau_scores_json(caucus_ctx *ctx, const caucus_scores *scores, caucus_write_fn *write,
                              void *user)
{
    sink to = {write, user, CAUCUS_OK};
    json_t *root = whole_object(scores);
    if (!root) return cau_fail_memory(ctx, "the JSON report");
    int failed =
        json_dump_callback(root, write_piece, &to, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    if (to.st) return to.st;
    if (failed) return cau_fail_memory(ctx, "the JSON report");
    return write(user, "\n", 1);
}
