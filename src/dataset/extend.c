/* extend.c - copies a dataset as a part that is the whole (subset.h) and then rewrites its matrix
 * row by row, with the additional features after the others. */

#include "dataset/extend.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/subset.h"
#include "text/formats.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the additional features");
}

static caucus_status copy(caucus_ctx *ctx, const caucus_data *data, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    const size_t S = data->train.S;
    uint32_t *all = cau_alloc(S, sizeof *all);
    if (!all) TRY(no_memory(ctx));
    for (size_t s = 0; s < S; s++) all[s] = (uint32_t)s;
    TRY(cau_data_subset(ctx, data, &(cau_part_of){.train = all, .trained = S, .whole = true}, 0,
                        out));
done:
    free(all);
    return st;
}

static caucus_status add_names(caucus_ctx *ctx, cau_alphabet *names, const cau_extension *more)
{
    for (size_t k = 0; k < more->count; k++) {
        const size_t before = cau_alphabet_size(names);
        const cau_str name = more->name(more->self, k);
        if (!name.s || cau_alphabet_add(names, name.s, name.n) == CAU_UNKNOWN)
            return no_memory(ctx);
        if (cau_alphabet_size(names) == before)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "the data has a feature '%.*s' already, which is the name of one that "
                            "is added to it; rename it",
                            CAU_SHOWN(name));
    }
    return CAUCUS_OK;
}

/* A matrix under construction. */
typedef struct {
    cau_csr x;
    size_t entries, column_room, value_room;
    uint32_t *extra; /* [most] of the current instance */
    float *value;    /* [most] */
} matrix_writer;

/* Appends the entries first..end-1 of a list, with `by` added to their columns. value NULL: all
 * are 1. */
static bool append(matrix_writer *w, const uint32_t *column, const float *value, size_t first,
                   size_t end, uint32_t by)
{
    const size_t need = w->entries + end - first;
    if (!CAU_GROW(w->x.column, w->column_room, need) || !CAU_GROW(w->x.value, w->value_room, need))
        return false;
    for (size_t i = first; i < end; i++, w->entries++) {
        w->x.column[w->entries] = column[i] + by;
        w->x.value[w->entries] = value ? value[i] : 1;
    }
    return true;
}

/* Writes the rows of x, each with the additional features of its instance. Values are freed if all
 * are 1. */
static bool write_rows(const cau_csr *x, const cau_extension *more, matrix_writer *w)
{
    bool plain = true;
    w->x.start = cau_alloc(x->rows + 1, sizeof *w->x.start);
    w->extra = cau_alloc(more->most, sizeof *w->extra);
    w->value = cau_alloc(more->most, sizeof *w->value);
    if (!w->x.start || !w->extra || !w->value) return false;
    w->x.start[0] = 0;
    for (size_t n = 0; n < x->rows; n++) {
        for (size_t i = 0; i < more->most; i++) w->value[i] = 1;
        const size_t count = more->extra(more->self, n, w->extra, w->value, more->most);
        if (!append(w, x->column, x->value, x->start[n], x->start[n + 1], 0) ||
            !append(w, w->extra, w->value, 0, count, (uint32_t)x->columns))
            return false;
        w->x.start[n + 1] = w->entries;
    }
    for (size_t i = 0; plain && i < w->entries; i++) plain = w->x.value[i] == 1;
    if (plain) {
        free(w->x.value);
        w->x.value = NULL;
    }
    w->x.rows = x->rows;
    w->x.columns = x->columns + more->count;
    return true;
}

static caucus_status add_features(caucus_ctx *ctx, cau_dataset *train, const cau_extension *more)
{
    matrix_writer w = {0};
    const bool done = write_rows(&train->x, more, &w);
    free(w.extra);
    free(w.value);
    if (!done) {
        cau_csr_clear(&w.x);
        return no_memory(ctx);
    }
    cau_csr_clear(&train->x);
    cau_csr_clear(&train->xt);
    train->x = w.x;
    train->K = w.x.columns;
    return cau_csr_transpose(cau_threads(ctx), &train->x, &train->xt) ? no_memory(ctx) : CAUCUS_OK;
}

caucus_status cau_data_extend(caucus_ctx *ctx, const caucus_data *data, const cau_extension *more,
                              caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *longer = NULL;
    size_t K;
    if (data->train.group > 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "features that are given for each class apart cannot be added to; use another "
                     "form of data or another method"));
    if (!cau_size_add(data->train.K, more->count, &K) || K >= CAU_UNKNOWN)
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "2^32 features or more; use a higher cut-off or fewer domains"));
    TRY(copy(ctx, data, &longer));
    TRY(add_names(ctx, longer->alphabets.names, more));
    TRY(add_features(ctx, &longer->train, more));
    longer->test.K = longer->test.x.columns = K;
    longer->dev.K = longer->dev.x.columns = K;
    longer->fingerprint = cau_hash(&more->count, sizeof more->count, longer->fingerprint);
    *out = longer;
    longer = NULL;
done:
    cau_data_free(longer);
    return st;
}
