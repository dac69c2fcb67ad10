/* classes.c - precision, recall and F1 of labels.
 *
 * For a class with `support` instances that have it as gold label, `predicted` instances that got
 * it, and `correct` instances with both,
 *     precision = correct / predicted,  recall = correct / support,
 *     F1 = 2 correct / (predicted + support)
 * each 0 if it would divide by 0. (F1 is the harmonic mean of precision and recall, 0 if both are.)
 *
 * Macro averages are means over the classes that occur as gold or predicted label. Micro averages
 * take the counts of all classes together: as each instance has one gold and one predicted label,
 * precision, recall and F1 all equal the accuracy.
 *
 * The 95% interval of the accuracy a over n instances is that of Wilson [1], which also holds
 * near 0 and 1, with z = 1.96:
 *     ( a + z^2/2n  -+  z sqrt( a(1-a)/n + z^2/4n^2 ) ) / ( 1 + z^2/n )
 *
 * [1] Wilson. Probable Inference, the Law of Succession, and Statistical Inference. 1927. */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

typedef struct {
    uint32_t id;
    cau_class_score score;
} numbered_class;

static int compare_classes(const void *a, const void *b)
{
    return cau_natural_compare(((const numbered_class *)a)->score.label,
                               ((const numbered_class *)b)->score.label);
}

/* The counts of each label of the alphabet. */
static void count_labels(const caucus_scores *scores, numbered_class *all, size_t labels)
{
    for (uint32_t id = 0; id < labels; id++)
        all[id] = (numbered_class){id, {.label = cau_alphabet_name(scores->labels, id)}};
    for (size_t i = 0; i < scores->pairs.keys.count; i++) {
        const cau_pair *pair = &scores->pairs.pair[i];
        all[pair->gold].score.support += pair->count;
        all[pair->predicted].score.predicted += pair->count;
        if (pair->gold == pair->predicted) all[pair->gold].score.correct += pair->count;
    }
}

/* Fills scores->classes, and numbers the pairs by them. */
static caucus_status order_classes(caucus_ctx *ctx, caucus_scores *scores)
{
    caucus_status st = CAUCUS_OK;
    const size_t labels = cau_alphabet_size(scores->labels);
    size_t Y = 0;
    numbered_class *all = cau_alloc(labels, sizeof *all);
    uint32_t *rank = cau_alloc(labels, sizeof *rank);
    cau_str *name = cau_alloc(labels, sizeof *name);
    scores->classes = cau_calloc(labels, sizeof *scores->classes);
    if (!all || !rank || !name || !scores->classes) TRY(cau_fail_memory(ctx, "the classes"));
    count_labels(scores, all, labels);
    for (size_t i = 0; i < labels; i++)
        if (all[i].score.support || all[i].score.predicted) all[Y++] = all[i];
    qsort(all, Y, sizeof *all, compare_classes);
    for (uint32_t y = 0; y < Y; y++) {
        rank[all[y].id] = y;
        name[y] = all[y].score.label;
        scores->classes[y] = all[y].score;
    }
    scores->Y = Y;
    cau_confusion_finish(&scores->pairs, rank, name, Y);
    name = NULL; /* the confusion owns it from here */
done:
    free(all);
    free(rank);
    free(name);
    return st;
}

void cau_wilson(uint64_t correct, uint64_t count, double *low, double *high)
{
    const double z = 1.959963984540054, n = (double)count; /* 97.5% quantile */
    const double a = ratio(correct, count);
    const double centre = a + z * z / (2 * n);
    const double half = z * sqrt(a * (1 - a) / n + z * z / (4 * n * n));
    const double scale = 1 + z * z / n;
    /* Rounding must not move the ends that are exact in theory. */
    *low = a > 0 ? fmax(0, (centre - half) / scale) : 0;
    *high = a < 1 ? fmin(1, (centre + half) / scale) : 1;
}

caucus_status cau_classes_finish(caucus_ctx *ctx, caucus_scores *scores)
{
    const caucus_status st = order_classes(ctx, scores);
    if (st) return st;
    cau_measures *m = &scores->measures;
    const double Y = (double)scores->Y;
    for (size_t y = 0; y < scores->Y; y++) {
        cau_class_score *c = &scores->classes[y];
        c->precision = ratio(c->correct, c->predicted);
        c->recall = ratio(c->correct, c->support);
        c->f1 = 2 * (double)c->correct / ((double)c->predicted + (double)c->support);
        m->macro_precision += c->precision / Y;
        m->macro_recall += c->recall / Y;
        m->macro_f1 += c->f1 / Y;
    }
    m->accuracy = ratio(scores->correct, scores->instances);
    cau_wilson(scores->correct, scores->instances, &m->low, &m->high);
    return CAUCUS_OK;
}
