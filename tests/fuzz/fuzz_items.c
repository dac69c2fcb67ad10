/* fuzz_items.c - random bytes as items to cluster, in every format and with every option.
 *
 * The first byte selects format and options; the rest is the file. Either it is refused with a
 * message, or the items keep the invariants of items.h and a second reading gives the same items.
 */

#include <math.h>

#include "cluster/items_read.h"

#include "fuzz.h"

static void check(const cau_items *items, bool negative)
{
    const cau_csr *x = &items->x;
    require(x->rows == cau_alphabet_size(items->items) && x->start[0] == 0);
    for (size_t i = 0; i < x->rows; i++) {
        require(x->start[i] < x->start[i + 1]);
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            require(x->column[e] < x->columns);
            require(e == x->start[i] || x->column[e - 1] < x->column[e]);
            require(isfinite(x->value[e]) && x->value[e] != 0);
            require(negative || x->value[e] > 0);
        }
    }
}

/* Every item of a is in b, with the same features and values. */
static void require_same(const cau_items *a, const cau_items *b)
{
    for (uint32_t i = 0; i < a->x.rows; i++) {
        const cau_str name = cau_alphabet_name(a->items, i);
        const uint32_t j = cau_alphabet_find(b->items, name.s, name.n);
        require(j < b->x.rows);
        const size_t p = a->x.start[i], q = b->x.start[j], n = a->x.start[i + 1] - p;
        require(b->x.start[j + 1] - q == n);
        require(memcmp(a->x.column + p, b->x.column + q, n * sizeof *a->x.column) == 0);
        require(memcmp(a->x.value + p, b->x.value + q, n * sizeof *a->x.value) == 0);
    }
}

static caucus_status read_items(caucus_ctx *ctx, const cau_items_options *options, const char *path,
                                cau_items *out)
{
    cau_item_builder builder = {0};
    caucus_status st = cau_items_begin(ctx, options, &builder);
    if (!st) st = cau_items_read(ctx, &builder, &path, 1);
    if (!st) st = cau_items_finish(ctx, &builder, out);
    cau_item_builder_clear(&builder);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    memory_file file = memory_file_new(bytes + 1, size - 1);
    caucus_ctx *ctx = new_context();

    const char *path = file.path;
    const cau_items_options options = {
        .format = bytes[0] % 5,
        .columns = {0, bytes[0] & 0x80 ? 1 : 0, bytes[0] & 0x80 ? 3 : 0},
        .weigh = bytes[0] & 0x08 ? CAU_WEIGH_TFIDF : CAU_WEIGH_NONE,
        .total = bytes[0] & 0x10 ? 100 : 0,
        .least = bytes[0] & 0x20 ? 2 : 0,
        .only = bytes[0] & 0x40 ? path : NULL,
    };
    cau_items items = {0}, again = {0};
    if (read_items(ctx, &options, path, &items)) {
        require(caucus_message(ctx)[0] && !items.items);
    } else {
        const bool dense = options.format == CAU_ITEMS_AUTO || options.format == CAU_ITEMS_DENSE;
        require(items.x.columns == cau_alphabet_size(items.features));
        check(&items, dense);
        require(!read_items(ctx, &options, path, &again));
        require_same(&items, &again);
    }
    cau_items_clear(&items);
    cau_items_clear(&again);
    caucus_ctx_free(ctx);
    close(file.fd);
    return 0;
}
