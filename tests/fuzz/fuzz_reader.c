/* fuzz_reader.c - libFuzzer target: any bytes, read in any format with any options.
 *
 * The first byte picks format and options; the rest is the file. Whatever it holds, the reader
 * must answer with instances that keep the promises of reader.h, or with one sentence. A second
 * reading with the names of the first must see the same. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool promise)
{
    if (!promise) abort();
}

static void check_instance(const cau_instance *in, size_t names)
{
    require(in->groups >= 1 && in->start[0] == 0);
    require(in->weight >= 0 && isfinite(in->weight));
    require(!in->label.s || in->label.n > 0);
    for (size_t g = 0; g < in->groups; g++) {
        require(in->start[g] <= in->start[g + 1]);
        for (size_t i = in->start[g]; i < in->start[g + 1]; i++) {
            require(in->id[i] < names);
            require(!in->value || (in->value[i] != 0 && isfinite(in->value[i])));
        }
    }
}

/* Reads all; *hash sums up what was seen. */
static caucus_status read_all(caucus_ctx *ctx, const cau_read_options *options, cau_str file,
                              cau_alphabet *names, bool grows, uint64_t *hash)
{
    cau_reader *r = NULL;
    cau_read_event event = CAU_READ_BREAK;
    cau_instance in;
    caucus_status st =
        cau_reader_memory(ctx, "fuzz", file, options,
                          grows ? cau_vocabulary_growing(names) : cau_vocabulary_fixed(names), &r);
    while (!st && event != CAU_READ_END) {
        st = cau_reader_next(ctx, r, &event, &in);
        if (st || event != CAU_READ_INSTANCE) continue;
        check_instance(&in, cau_alphabet_size(names));
        *hash = *hash * 31 + in.start[in.groups] + in.label.n;
        for (size_t i = 0; i < in.start[in.groups]; i++) *hash = *hash * 31 + in.id[i];
    }
    if (st) require(st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]);
    cau_reader_free(r);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    const cau_read_options options = {
        .format = (cau_format)(bytes[0] % 6),
        .ngrams = 1 + (bytes[0] >> 3) % 3,
        .lower = bytes[0] & 0x20,
        .counts = bytes[0] & 0x40,
        .values = bytes[0] & 0x80,
    };
    const cau_str file = {(const char *)bytes + 1, size - 1};
    caucus_ctx *ctx = NULL;
    cau_alphabet *names = NULL;
    uint64_t first = 0, second = 0;
    require(!caucus_ctx_new(&ctx) && !cau_alphabet_new(ctx, &names));
    const caucus_status st = read_all(ctx, &options, file, names, true, &first);
    require(read_all(ctx, &options, file, names, false, &second) == st && first == second);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
    return 0;
}
