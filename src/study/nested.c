/* nested.c - the subsets of a learning curve. */

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "study/folds.h"

enum {
    HALVINGS = 6,  /* at most */
    SMALLEST = 10, /* sequences of a subset, where there are more */
    HELD_PART = 5, /* one in so many units is held out where there is no test data */
};

/* How many of the units are held out: a fifth, but one at least. */
static size_t units_held(const caucus_data *data, size_t units)
{
    if (data->test.N) return 0;
    return units < 2 * HELD_PART ? 1 : units / HELD_PART;
}

size_t cau_curve_sizes(const caucus_data *data)
{
    const size_t units = cau_cv_groups_in(&data->train), held = units_held(data, units);
    const size_t sequences = data->train.S - (held ? data->train.S / HELD_PART : 0);
    size_t halvings = 0;
    while (halvings < HALVINGS && (sequences >> (halvings + 1)) >= SMALLEST &&
           (units - held) >> (halvings + 1))
        halvings++;
    return halvings + 1;
}

caucus_status cau_curve_subset(caucus_ctx *ctx, const caucus_data *data, uint64_t seed,
                               size_t halvings, unsigned char *role)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = data->train.S;
    size_t *ends = NULL, units = 0, u = 0;
    uint32_t *order = cau_alloc(S, sizeof *order);
    if (!order) TRY(cau_fail_memory(ctx, "the order of the units"));
    TRY(cau_cv_groups_shuffled(ctx, data, seed, order, &ends, &units));
    const size_t held = units_held(data, units), begin = held ? ends[held - 1] : 0;
    const size_t size = ((S - begin - 1) >> halvings) + 1; /* rounded up */
    for (u = held; u + 1 < units && ends[u] - begin < size;) u++;
    const size_t end = ends[u];
    for (size_t i = 0; i < S; i++)
        role[order[i]] = i < begin ? CAU_HELD : i < end ? CAU_TRAINED : CAU_UNUSED;
done:
    free(ends);
    free(order);
    return st;
}
