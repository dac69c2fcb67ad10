/* classes.c - precision, recall and F1 of labels.
 *
 * For a class with `support` instances that have it as gold label, `predicted` instances that got
 * it, and `correct` instances with both,
 *     precision = correct / predicted,  recall = correct / support,
 *     F1 = 2 correct / (predicted + support)
 * each 0 for 0/0.
 *
 * Macro averages are means over the classes that occur as gold or predicted label. Micro averages
 * are computed from the sums of the counts; because each instance has one gold and one predicted
 * label, precision, recall and F1 then all equal the accuracy.
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

typedef struct {
    uint32_t id;
    cau_named_counts class;
} numbered_class;

static int compare_classes(const void *a, const void *b)
{
    return cau_natural_compare(((const numbered_class *)a)->class.name,
                               ((const numbered_class *)b)->class.name);
}

/* The counts of each label of the alphabet. */
static void count_labels(const caucus_scores *scores, numbered_class *all, size_t labels)
{
    for (uint32_t id = 0; id < labels; id++)
        all[id] = (numbered_class){id, {.name = cau_alphabet_name(scores->labels, id)}};
    for (size_t i = 0; i < scores->pairs.keys.count; i++) {
        const cau_pair *pair = &scores->pairs.pair[i];
        all[pair->gold].class.counts.gold += pair->count;
        all[pair->predicted].class.counts.found += pair->count;
        if (pair->gold == pair->predicted) all[pair->gold].class.counts.correct += pair->count;
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
        if (all[i].class.counts.gold || all[i].class.counts.found) all[Y++] = all[i];
    qsort(all, Y, sizeof *all, compare_classes);
    for (uint32_t y = 0; y < Y; y++) {
        rank[all[y].id] = y;
        name[y] = all[y].class.name;
        scores->classes[y] = all[y].class;
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
    const double a = cau_ratio(correct, count);
    const double centre = a + z * z / (2 * n);
    const double half = z * sqrt(a * (1 - a) / n + z * z / (4 * n * n));
    const double scale = 1 + z * z / n;
    /* the ends 0 and 1 are exact in theory, so rounding must not move them */
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
        const cau_prf class = cau_counts_prf(scores->classes[y].counts, 0);
        m->macro.precision += class.precision / Y;
        m->macro.recall += class.recall / Y;
        m->macro.f1 += class.f1 / Y;
    }
    m->accuracy = cau_ratio(scores->correct, scores->instances);
    cau_wilson(scores->correct, scores->instances, &m->low, &m->high);
    return CAUCUS_OK;
}
