/* fuzz_items.c - any bytes as items, in any form and with any options.
 *
 * The first byte picks form and options; the rest is the file. Whatever it holds, it is refused
 * with a sentence, or the items keep the promises of items.h; and read again they are the same. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cluster/items.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool promise)
{
    if (!promise) abort();
}

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

/* Every item of `a` is in `b`, with the same numbers. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    char path[64];
    const int file = memfd_create("items", 0);
    require(file >= 0 && write(file, bytes + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    caucus_ctx *ctx = NULL;
    require(!caucus_ctx_new(&ctx));

    const char *same = path;
    const cau_items_options options = {
        .format = bytes[0] % 5,
        .columns = {0, bytes[0] & 0x80 ? 1 : 0, bytes[0] & 0x80 ? 3 : 0},
        .weigh = bytes[0] & 0x08 ? CAU_WEIGH_TFIDF : CAU_WEIGH_NONE,
        .total = bytes[0] & 0x10 ? 100 : 0,
        .least = bytes[0] & 0x20 ? 2 : 0,
        .only = bytes[0] & 0x40 ? path : NULL,
    };
    cau_items items = {0}, again = {0};
    if (cau_items_read(ctx, &options, &same, 1, &items)) {
        require(caucus_message(ctx)[0] && !items.items);
    } else {
        const bool dense = options.format == CAU_ITEMS_AUTO || options.format == CAU_ITEMS_DENSE;
        require(items.x.columns == cau_alphabet_size(items.features));
        check(&items, dense);
        require(!cau_items_read(ctx, &options, &same, 1, &again));
        require_same(&items, &again);
    }
    cau_items_clear(&items);
    cau_items_clear(&again);
    caucus_ctx_free(ctx);
    close(file);
    return 0;
}
