/* share.c - the part of the data that one process of several trains on. */

#include <stdlib.h>

#include "base/status.h"
#include "base/thread.h"
#include "comm/comm.h"
#include "dataset/dataset_builder.h"

/* Features and instances before sequence s, the measure of the work. */
static size_t work_before(const cau_dataset *set, size_t s)
{
    const size_t i = cau_dataset_begin(set, s);
    return set->x.start[i * set->group] + (set->E ? set->e.start[i] : 0) + i;
}

/* The first sequence of a rank. */
static size_t first_of_rank(const cau_dataset *set, size_t S, size_t rank, size_t ranks)
{
    const double work = (double)work_before(set, S) * (double)rank / (double)ranks;
    size_t low = 0, high = S;
    if (rank == ranks) return S;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if ((double)work_before(set, middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replaces a set by the part of this rank. */
static caucus_status keep_part(caucus_ctx *ctx, cau_dataset *set, bool train)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = set->sequence ? set->S : set->N, ranks = cau_comm_ranks(ctx->comm);
    cau_dataset_builder part = {0};
    uint32_t *which = NULL;
    if (set->N == 0) return CAUCUS_OK;
    const size_t first = first_of_rank(set, S, ctx->rank, ranks);
    const size_t end = first_of_rank(set, S, ctx->rank + 1, ranks);
    bool empty = false; /* of any rank: all fail together */
    for (size_t r = 0; r < ranks; r++)
        empty |= first_of_rank(set, S, r, ranks) == first_of_rank(set, S, r + 1, ranks);
    if (empty)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "%zu sequences are too few for %zu processes; start fewer", S, ranks));
    which = cau_alloc(end - first, sizeof *which);
    if (!which) TRY(cau_fail_memory(ctx, "a part of the data"));
    for (size_t s = first; s < end; s++) which[s - first] = (uint32_t)s;
    if (cau_builder_take(&part, set, which, end - first) ||
        cau_builder_close(&part, set->group, set->K, set->E, set->Y) ||
        (train && cau_csr_transpose(cau_threads(ctx), &part.set.x, &part.set.xt)))
        TRY(cau_fail_memory(ctx, "a part of the data"));
    part.set.all_N = set->N;
    part.set.all_S = set->S;
    part.set.sets = set->sets; /* all sets of labels, by their numbers */
    set->sets = (cau_label_sets){0};
    part.set.partial = set->partial;
    cau_dataset_clear(set);
    *set = part.set;
    part = (cau_dataset_builder){0};
done:
    free(which);
    cau_builder_clear(&part);
    return st;
}

caucus_status cau_data_share(caucus_ctx *ctx, caucus_data *data)
{
    caucus_status st = CAUCUS_OK;
    if (!ctx->comm || data->shared) return CAUCUS_OK;
    TRY(keep_part(ctx, &data->train, true));
    TRY(keep_part(ctx, &data->dev, false));
    TRY(keep_part(ctx, &data->test, false));
    data->shared = true;
done:
    return st;
}
