/* measures.c - from counts to measures.
 *
 * For a class with `support` instances that have it, `predicted` instances that got it, and
 * `correct` ones where both agree:
 *     precision = correct / predicted,  recall = correct / support,
 *     F1 = 2 correct / (predicted + support)
 * each 0 where its denominator is. (That is the harmonic mean of precision and recall, with
 * the convention that it is 0 where both are.)
 *
 * Macro averages are means over the classes that occur as gold or predicted. Micro averages
 * take the counts of all classes together; as each instance has one gold and one predicted
 * label, all three are equal to the accuracy.
 *
 * The 95% interval of the accuracy a over n instances is that of Wilson [1], which also holds
 * near 0 and 1, with z = 1.96:
 *     ( a + z^2/2n  -+  z sqrt( a(1-a)/n + z^2/4n^2 ) ) / ( 1 + z^2/n )
 *
 * [1] Wilson. Probable Inference, the Law of Succession, and Statistical Inference. 1927. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* ---- classes and pairs in order ------------------------------------------------------ */

static int compare_classes(const void *a, const void *b)
{
    return cau_natural_compare(((const cau_class_score *)a)->label,
                               ((const cau_class_score *)b)->label);
}

static int compare_pairs(const void *a, const void *b)
{
    const cau_pair *p = a, *q = b;
    if (p->gold != q->gold) return p->gold < q->gold ? -1 : 1;
    return (p->predicted > q->predicted) - (p->predicted < q->predicted);
}

/* Fills classes, and rank, and renumbers and sorts the pairs by it. */
static caucus_status order_classes(caucus_ctx *ctx, caucus_scores *scores)
{
    size_t labels = cau_alphabet_size(scores->labels);
    scores->classes = cau_calloc(labels, sizeof *scores->classes);
    scores->rank = cau_alloc(labels, sizeof *scores->rank);
    if (!scores->classes || !scores->rank) return cau_fail_memory(ctx, "the classes");

    for (size_t id = 0; id < labels; id++) {
        scores->rank[id] = CAU_UNKNOWN;
        scores->classes[id].id = (uint32_t)id;
        scores->classes[id].label = cau_alphabet_name(scores->labels, (uint32_t)id);
    }
    for (size_t i = 0; i < scores->P; i++) {
        const cau_pair *pair = &scores->pairs[i];
        scores->classes[pair->gold].support += pair->count;
        scores->classes[pair->predicted].predicted += pair->count;
        if (pair->gold == pair->predicted) scores->classes[pair->gold].correct += pair->count;
    }
    for (size_t id = 0; id < labels; id++)
        if (scores->classes[id].support || scores->classes[id].predicted)
            scores->classes[scores->Y++] = scores->classes[id];
    qsort(scores->classes, scores->Y, sizeof *scores->classes, compare_classes);

    for (size_t y = 0; y < scores->Y; y++) scores->rank[scores->classes[y].id] = (uint32_t)y;
    for (size_t i = 0; i < scores->P; i++) {
        cau_pair *pair = &scores->pairs[i];
        pair->gold = scores->rank[pair->gold];
        pair->predicted = scores->rank[pair->predicted];
    }
    qsort(scores->pairs, scores->P, sizeof *scores->pairs, compare_pairs);
    return CAUCUS_OK;
}

/* ---- measures ------------------------------------------------------------------------ */

static void measure_accuracy(caucus_scores *scores)
{
    cau_measures *m = &scores->measures;
    const double z = 1.959963984540054, n = (double)scores->instances; /* 97.5% quantile */
    double a = ratio(scores->correct, scores->instances);
    double centre = a + z * z / (2 * n);
    double half = z * sqrt(a * (1 - a) / n + z * z / (4 * n * n));
    double scale = 1 + z * z / n;
    m->accuracy = a;
    /* The ends that are exact in theory are so whatever the rounding. */
    m->low = a > 0 ? fmax(0, (centre - half) / scale) : 0;
    m->high = a < 1 ? fmin(1, (centre + half) / scale) : 1;
    m->micro_precision = m->micro_recall = m->micro_f1 = a;
}

static void measure_classes(caucus_scores *scores)
{
    cau_measures *m = &scores->measures;
    double Y = (double)scores->Y;
    for (size_t y = 0; y < scores->Y; y++) {
        cau_class_score *c = &scores->classes[y];
        c->precision = ratio(c->correct, c->predicted);
        c->recall = ratio(c->correct, c->support);
        c->f1 = 2 * (double)c->correct / ((double)c->predicted + (double)c->support);
        m->macro_precision += c->precision / Y;
        m->macro_recall += c->recall / Y;
        m->macro_f1 += c->f1 / Y;
    }
}

static void measure_calibration(caucus_scores *scores)
{
    cau_measures *m = &scores->measures;
    const cau_calibration *c = &scores->calibration;
    m->log_loss = m->perplexity = m->brier = m->calibration_error = NAN;
    if (!c->given) return;
    if (c->known) {
        m->log_loss = c->impossible ? INFINITY : c->log_loss / (double)c->known;
        m->perplexity = exp(m->log_loss);
        m->brier = c->brier / (double)c->known;
    }
    m->calibration_error = 0;
    for (size_t b = 0; b < c->B; b++)
        m->calibration_error +=
            fabs((double)c->bins[b].correct - c->bins[b].confidence) / (double)scores->instances;
}

caucus_status cau_scores_finish(caucus_ctx *ctx, caucus_scores *scores)
{
    caucus_status st = order_classes(ctx, scores);
    if (st) return st;
    measure_accuracy(scores);
    measure_classes(scores);
    measure_calibration(scores);
    return CAUCUS_OK;
}

/* ---- one measure by name ------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset; /* in cau_measures */
} whole[] = {
#define MEASURE(name, field)                                                                       \
    {                                                                                              \
        name, offsetof(cau_measures, field)                                                        \
    }
    MEASURE("accuracy", accuracy),
    MEASURE("macro-precision", macro_precision),
    MEASURE("macro-recall", macro_recall),
    MEASURE("macro-f1", macro_f1),
    MEASURE("micro-precision", micro_precision),
    MEASURE("micro-recall", micro_recall),
    MEASURE("micro-f1", micro_f1),
    MEASURE("log-loss", log_loss),
    MEASURE("perplexity", perplexity),
    MEASURE("brier", brier),
    MEASURE("calibration-error", calibration_error),
#undef MEASURE
};

static double class_measure(const cau_class_score *c, const char *measure)
{
    if (strcmp(measure, "precision") == 0) return c->precision;
    if (strcmp(measure, "recall") == 0) return c->recall;
    if (strcmp(measure, "f1") == 0) return c->f1;
    if (strcmp(measure, "support") == 0) return (double)c->support;
    return NAN;
}

static double class_get(const caucus_scores *scores, const char *measure, const char *label)
{
    if (label) {
        uint32_t id = cau_alphabet_find(scores->labels, label, strlen(label));
        if (id == CAU_UNKNOWN || scores->rank[id] == CAU_UNKNOWN) return NAN;
        return class_measure(&scores->classes[scores->rank[id]], measure);
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(measure, whole[i].name) == 0)
            return *(const double *)((const char *)&scores->measures + whole[i].offset);
    return NAN;
}

/* The parts are asked in turn: a type of chunks comes before a label of the same name. What a
 * comparison is asked for is between systems 0 and 1. */
double cau_scores_get(const caucus_scores *scores, const char *measure, const char *label)
{
    if (scores->clusterings) return label ? NAN : cau_clusterings_get(scores->clusterings, measure);
    double x = NAN;
    if (scores->chunks) x = cau_chunk_scores_get(scores->chunks, measure, label);
    if (isnan(x)) x = class_get(scores, measure, label);
    if (isnan(x) && scores->compare && !label) x = cau_compare_get(scores->compare, 0, 1, measure);
    return x;
}
