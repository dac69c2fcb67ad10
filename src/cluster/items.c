/* items.c - turns entries into the matrix that is clustered.
 *
 * A builder holds entries (item, feature, value) in the order of the files. They go through these
 * steps; each renumbers what is left:
 *
 *     merge     sort by item and feature; entries of one line are added, of two lines are an error
 *     choose    drop items with too few occurrences
 *               ... from here on the entries are a sparse matrix
 *     weigh     x_iv <- x_iv log(N / n_v), n_v the items that have v, N the items left
 *     scale     x_iv <- x_iv total / sum_v x_iv; drop zeros
 *     close     drop features that no item has */

#include "cluster/items.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/items_read.h"

void cau_items_clear(cau_items *items)
{
    cau_alphabet_free(items->items);
    cau_alphabet_free(items->features);
    cau_csr_clear(&items->x);
    *items = (cau_items){0};
}

void cau_item_builder_clear(cau_item_builder *builder)
{
    cau_lines_free(builder->memory);
    cau_alphabet_free(builder->features);
    cau_alphabet_free(builder->items);
    cau_alphabet_free(builder->wanted);
    free(builder->place);
    free(builder->entry);
    *builder = (cau_item_builder){0};
}

/* ---- the steps ------------------------------------------------------------------------------ */

/* By item, then by feature, then in the order of reading. */
static int compare_entries(const void *left, const void *right)
{
    const cau_item_entry *a = left, *b = right;
    if (a->item != b->item) return a->item < b->item ? -1 : 1;
    if (a->feature != b->feature) return a->feature < b->feature ? -1 : 1;
    if (a->place.file != b->place.file) return a->place.file < b->place.file ? -1 : 1;
    return (a->place.line > b->place.line) - (a->place.line < b->place.line);
}

/* A failure at the first line of an item. */
#define FAIL_ITEM(ctx, builder, i, text)                                                           \
    cau_fail((ctx), CAUCUS_ERR_FORMAT, "%s:%zu: the item '%.*s' " text,                            \
             cau_item_file((builder), (builder)->place[i].file), (builder)->place[i].line,         \
             CAU_SHOWN(cau_alphabet_name((builder)->items, (i))))

static caucus_status merge(caucus_ctx *ctx, cau_item_builder *builder)
{
    size_t kept = 0;
    if (builder->entries)
        qsort(builder->entry, builder->entries, sizeof *builder->entry, compare_entries);
    for (size_t e = 0; e < builder->entries; e++) {
        const cau_item_entry *now = &builder->entry[e];
        cau_item_entry *last = kept ? &builder->entry[kept - 1] : NULL;
        if (!last || last->item != now->item || last->feature != now->feature) {
            builder->entry[kept++] = *now;
            continue;
        }
        const cau_str item = cau_alphabet_name(builder->items, now->item);
        const cau_str feature = cau_alphabet_name(builder->features, now->feature);
        const char *file = cau_item_file(builder, now->place.file);
        if (last->place.file != now->place.file || last->place.line != now->place.line)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "%s:%zu: '%.*s' has its '%.*s' in %s:%zu already; drop one of them",
                            file, now->place.line, CAU_SHOWN(item), CAU_SHOWN(feature),
                            cau_item_file(builder, last->place.file), last->place.line);
        last->value += now->value;
        if (!isfinite(last->value))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "%s:%zu: the counts of '%.*s' add up to a number that is not finite; "
                            "correct them",
                            file, now->place.line, CAU_SHOWN(feature));
    }
    builder->entries = kept;
    return CAUCUS_OK;
}

/* Refuses items without features, and drops those with fewer than `least` occurrences. */
static caucus_status choose(caucus_ctx *ctx, cau_item_builder *builder)
{
    caucus_status st = CAUCUS_OK;
    const size_t N = cau_alphabet_size(builder->items);
    const double least = (double)builder->options->least;
    uint32_t *number = cau_alloc(N, sizeof *number); /* new number of each item */
    if (!number) TRY(cau_fail_memory(ctx, "the items"));

    uint32_t left = 0;
    size_t kept = 0, e = 0;
    for (uint32_t i = 0; i < N; i++) {
        const size_t first = e;
        double total = 0;
        for (; e < builder->entries && builder->entry[e].item == i; e++)
            total += builder->entry[e].value;
        if (e == first)
            TRY(FAIL_ITEM(ctx, builder, i, "has no feature that is not 0; drop the line"));
        number[i] = least == 0 || total >= least; /* a total may be negative */
        if (!number[i]) continue;
        builder->place[left] = builder->place[i];
        for (size_t from = first; from < e; from++, kept++) {
            builder->entry[kept] = builder->entry[from];
            builder->entry[kept].item = left;
        }
        left++;
    }
    builder->entries = kept;
    cau_alphabet_filter(builder->items, number);
    if (left == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "no item has %" PRIu64 " occurrences or more; ask for fewer",
                     builder->options->least));
done:
    free(number);
    return st;
}

static caucus_status make_matrix(caucus_ctx *ctx, const cau_item_builder *builder, cau_csr *out)
{
    const size_t N = cau_alphabet_size(builder->items);
    cau_csr x = {.rows = N, .columns = cau_alphabet_size(builder->features)};
    x.start = cau_calloc(N + 1, sizeof *x.start);
    x.column = cau_alloc(builder->entries, sizeof *x.column);
    x.value = cau_alloc(builder->entries, sizeof *x.value);
    if (!x.start || !x.column || !x.value) {
        cau_csr_clear(&x);
        return cau_fail_memory(ctx, "the items");
    }
    for (size_t e = 0; e < builder->entries; e++) {
        x.start[builder->entry[e].item + (size_t)1]++;
        x.column[e] = builder->entry[e].feature;
        x.value[e] = builder->entry[e].value;
    }
    for (size_t i = 0; i < N; i++) x.start[i + 1] += x.start[i];
    *out = x;
    return CAUCUS_OK;
}

/* The factor that scales the sum of row i to `total`, after weighting by idf unless it is NULL; 1
 * for a row that sums to 0. */
static caucus_status scale_of(caucus_ctx *ctx, const cau_item_builder *builder, const cau_csr *x,
                              const double *idf, uint32_t i, double *scale)
{
    double sum = 0;
    *scale = 1;
    if (builder->options->total == 0) return CAUCUS_OK;
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
        sum += (double)x->value[e] * (idf ? idf[x->column[e]] : 1);
    if (sum < 0)
        return FAIL_ITEM(ctx, builder, i,
                         "has values with a negative sum, which cannot be scaled; do not ask for "
                         "a total");
    if (sum > 0) *scale = builder->options->total / sum;
    return CAUCUS_OK;
}

/* Weights by idf [V], unless it is NULL, and scales; drops zeros. */
static caucus_status weigh(caucus_ctx *ctx, const cau_item_builder *builder, const double *idf,
                           cau_csr *x)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < x->rows; i++) {
        const size_t first = kept;
        double scale;
        const caucus_status st = scale_of(ctx, builder, x, idf, i, &scale);
        if (st) return st;
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            const uint32_t v = x->column[e];
            const float value = (float)((double)x->value[e] * (idf ? idf[v] : 1) * scale);
            if (!isfinite(value))
                return FAIL_ITEM(ctx, builder, i,
                                 "has values that are too large once they are weighed; scale them "
                                 "down");
            if (value == 0) continue;
            x->column[kept] = v;
            x->value[kept++] = value;
        }
        x->start[i] = first;
        if (kept == first)
            return FAIL_ITEM(ctx, builder, i,
                             "has nothing left once its features are weighed: every item has them; "
                             "drop it, or do without tf-idf");
    }
    x->start[x->rows] = kept;
    return CAUCUS_OK;
}

/* Drops the features that no item has, and renumbers the others. */
static caucus_status close_features(caucus_ctx *ctx, cau_alphabet *features, cau_csr *x)
{
    uint32_t *number = cau_calloc(x->columns, sizeof *number);
    if (!number) return cau_fail_memory(ctx, "the features");
    for (size_t e = 0; e < cau_csr_nonzeros(x); e++) number[x->column[e]] = 1;
    cau_alphabet_filter(features, number);
    for (size_t e = 0; e < cau_csr_nonzeros(x); e++) x->column[e] = number[x->column[e]];
    x->columns = cau_alphabet_size(features);
    free(number);
    return CAUCUS_OK;
}

/* log(N / n_v), n_v the number of rows of x with v; 0 if there is none. */
static void count_idf(const cau_csr *x, double *idf)
{
    for (size_t v = 0; v < x->columns; v++) idf[v] = 0;
    for (size_t e = 0; e < cau_csr_nonzeros(x); e++) idf[x->column[e]]++;
    for (size_t v = 0; v < x->columns; v++)
        if (idf[v] > 0) idf[v] = log((double)x->rows / idf[v]);
}

void cau_items_idf(const cau_items *items, double *idf)
{
    count_idf(&items->x, idf);
}

/* ---- from files to items -------------------------------------------------------------------- */

static caucus_status check_options(caucus_ctx *ctx, const cau_items_options *options)
{
    const uint64_t *c = options->columns;
    const bool given = c[0] || c[1] || c[2];
    if (given && (c[0] == c[1] || c[0] == c[2] || c[1] == c[2]))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--columns names a column twice; item, feature and count are three");
    if (!(options->total >= 0) || !isfinite(options->total))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "rows cannot be scaled to %g; take a number above 0", options->total);
    return CAUCUS_OK;
}

/* Notes items of the list that are missing. The first line of the list may be a heading. */
static void note_missing(caucus_ctx *ctx, const cau_item_builder *builder)
{
    const size_t wanted = cau_alphabet_size(builder->wanted);
    size_t missing = 0;
    cau_str first = {0};
    for (uint32_t i = 0; i < wanted; i++) {
        const cau_str name = cau_alphabet_name(builder->wanted, i);
        if (cau_alphabet_find(builder->items, name.s, name.n) != CAU_UNKNOWN) continue;
        if (missing++ == 0) first = name;
    }
    if (missing)
        cau_note(ctx, "%s: %zu of its %zu items are not in the data, '%.*s' is the first",
                 builder->options->only, missing, wanted, CAU_SHOWN(first));
}

caucus_status cau_items_begin(caucus_ctx *ctx, const cau_items_options *options,
                              cau_item_builder *builder)
{
    caucus_status st = CAUCUS_OK;
    builder->options = options;
    TRY(check_options(ctx, options));
    TRY(cau_alphabet_new(ctx, &builder->items));
    TRY(cau_alphabet_new(ctx, &builder->features));
    if (options->only) {
        TRY(cau_alphabet_new(ctx, &builder->wanted));
        TRY(cau_items_read_list(ctx, options->only, builder->wanted));
    }
done:
    return st;
}

caucus_status cau_items_finish(caucus_ctx *ctx, cau_item_builder *builder, cau_items *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_items_options *options = builder->options;
    double *idf = NULL;
    cau_csr x = {0};
    if (cau_alphabet_size(builder->items) == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no items%s%s",
                     builder->files ? cau_item_file(builder, 0) : "the data",
                     options->only ? " of those in " : "; give lines of an item and its features",
                     options->only ? options->only : ""));
    if (builder->wanted) note_missing(ctx, builder);

    TRY(merge(ctx, builder));
    TRY(choose(ctx, builder));
    TRY(make_matrix(ctx, builder, &x));
    if (options->weigh == CAU_WEIGH_TFIDF) {
        idf = cau_alloc(x.columns, sizeof *idf);
        if (!idf) TRY(cau_fail_memory(ctx, "the weights of features"));
        count_idf(&x, idf);
    }
    TRY(weigh(ctx, builder, idf, &x));
    TRY(close_features(ctx, builder->features, &x));
    *out = (cau_items){.items = builder->items, .features = builder->features, .x = x};
    builder->items = builder->features = NULL; /* the caller owns all of it from here */
    cau_item_builder_clear(builder);
    x = (cau_csr){0};
done:
    free(idf);
    cau_csr_clear(&x);
    return st;
}
