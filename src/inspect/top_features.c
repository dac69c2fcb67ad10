/* top_features.c - the strongest weights.
 *
 * A first pass counts the weights of each sign, so that no list gets more room than it can fill,
 * for any `top`. A second pass fills a heap for each list, whose root is the weakest entry. */

#include <stdlib.h>

#include "base/status.h"
#include "inspect/inspect.h"

/* ---- one list ------------------------------------------------------------------------ */

static bool weaker(cau_top_feature a, cau_top_feature b)
{
    if (a.size != b.size) return a.size < b.size;
    return a.k != b.k ? a.k > b.k : a.cell > b.cell;
}

/* Restores the order of a heap of n whose root has changed. */
static void sift_down(cau_top_feature *heap, size_t n)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && weaker(heap[child + 1], heap[child])) child++;
        if (!weaker(heap[child], heap[i])) return;
        cau_top_feature held = heap[i];
        heap[i] = heap[child];
        heap[child] = held;
    }
}

static void add_to_list(cau_top_list *l, cau_top_feature e)
{
    if (l->room == 0) return;
    if (l->count < l->room) {
        size_t i = l->count++;
        for (; i > 0 && weaker(e, l->entries[(i - 1) / 2]); i = (i - 1) / 2)
            l->entries[i] = l->entries[(i - 1) / 2];
        l->entries[i] = e;
    } else if (weaker(l->entries[0], e)) {
        l->entries[0] = e;
        sift_down(l->entries, l->count);
    }
}

/* Turns the heap into a list, strongest first. */
static void sort_list(cau_top_list *l)
{
    for (size_t n = l->count; n > 1; n--) {
        cau_top_feature weakest = l->entries[0];
        l->entries[0] = l->entries[n - 1];
        l->entries[n - 1] = weakest;
        sift_down(l->entries, n - 1);
    }
}

/* ---- all lists ------------------------------------------------------------------------ */

typedef void visit_weight_fn(cau_top_features *s, size_t k, size_t cell, float w);

/* Calls `visit` with every weight that is not zero. */
static void for_each_weight(const cau_observations *of, cau_top_features *s, visit_weight_fn *visit)
{
    for (size_t k = 0; k < of->K; k++) {
        if (of->dense) {
            const float *w = of->dense + k * of->width;
            for (size_t j = 0; j < of->width; j++)
                if (w[j] != 0) visit(s, k, j, w[j]);
        } else {
            for (uint64_t i = of->start[k]; i < of->start[k + 1]; i++)
                if (of->packed[i].weight != 0)
                    visit(s, k, of->packed[i].cell, of->packed[i].weight);
        }
    }
}

static cau_top_list *list_of(const cau_top_features *s, size_t cell, float w)
{
    return &s->lists[(s->by_cell ? cell : 0) * CAU_SIGNS + (w > 0 ? CAU_FOR : CAU_AGAINST)];
}

static void count_weight(cau_top_features *s, size_t k, size_t cell, float w)
{
    (void)k;
    s->nonzeros++;
    list_of(s, cell, w)->room++;
}

static void keep_weight(cau_top_features *s, size_t k, size_t cell, float w)
{
    add_to_list(list_of(s, cell, w),
                (cau_top_feature){w > 0 ? w : -w, (uint32_t)k, (uint32_t)cell});
}

caucus_status cau_top_features_find(caucus_ctx *ctx, const cau_observations *of, bool by_cell,
                                    uint64_t top, cau_top_features *s)
{
    const size_t lists = (by_cell ? of->width : 1) * CAU_SIGNS;
    size_t total = 0;
    *s = (cau_top_features){.by_cell = by_cell};
    s->lists = cau_calloc(lists, sizeof *s->lists);
    if (!s->lists) return cau_fail_memory(ctx, "the strongest features");
    for_each_weight(of, s, count_weight);
    for (size_t i = 0; i < lists; i++) {
        if (s->lists[i].room > top) s->lists[i].room = (size_t)top;
        total += s->lists[i].room;
    }
    s->entries = cau_alloc(total, sizeof *s->entries);
    if (!s->entries) return cau_fail_memory(ctx, "the strongest features");
    cau_top_feature *at = s->entries;
    for (size_t i = 0; i < lists; i++) {
        s->lists[i].entries = at;
        at += s->lists[i].room;
    }
    for_each_weight(of, s, keep_weight);
    for (size_t i = 0; i < lists; i++) sort_list(&s->lists[i]);
    return CAUCUS_OK;
}

void cau_top_features_clear(cau_top_features *s)
{
    free(s->lists);
    free(s->entries);
    *s = (cau_top_features){0};
}
