/* fuzz_reader.c - random bytes as data, in every format and with every option.
 *
 * The first byte selects format and options; the rest is the file. Either the reader refuses it
 * with one message, or its instances keep the invariants of reader.h. A second reader gives the
 * same instances by key: each key is the hash of the name. */

#include <math.h>

#include "support/feature_rows.h"
#include "text/reader.h"

#include "fuzz.h"

enum { BASE = 2 };

static void check_instance(const cau_instance *in, const cau_instance *by_key)
{
    require(in->groups >= 1 && in->groups == by_key->groups);
    require(in->row + in->groups <= in->block->rows);
    require(in->weight >= 0 && isfinite(in->weight));
    require(!in->label.s || in->label.n > 0);
    for (size_t g = 0; g < in->groups; g++)
        require(rows_agree(in->block, in->row + g, by_key->block, by_key->row + g));
}

/* Reads the whole file by name and by key. */
static void read_both(caucus_ctx *ctx, const cau_read_options *options, cau_str file)
{
    cau_reader *names = NULL, *keys = NULL;
    cau_read_event event = CAU_READ_BREAK, same;
    cau_instance in, by_key;
    size_t last = 0; /* line */
    caucus_status st = cau_reader_memory(ctx, "fuzz", file, options, CAU_BY_NAME, &names);
    require(cau_reader_memory(ctx, "fuzz", file, options, BASE, &keys) == st);
    while (!st && event != CAU_READ_END) {
        st = cau_reader_next(ctx, names, &event, &in);
        require(cau_reader_next(ctx, keys, &same, &by_key) == st && (st || same == event));
        if (st || event == CAU_READ_BREAK || event == CAU_READ_END) continue;
        require(in.number > last && in.line.s && in.number == by_key.number);
        last = in.number;
        if (event == CAU_READ_INSTANCE) check_instance(&in, &by_key);
    }
    if (st) require(st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]);
    cau_reader_free(names);
    cau_reader_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char edges[] = "U:%x[-1,0]/%x[0,0]\nU:%number[0,1]\nB:%x[0,0]\nB:%x[-1,0]\n";
    if (size == 0) return 0;
    const cau_str file = {(const char *)bytes + 1, size - 1};
    caucus_ctx *ctx = new_context();
    cau_template *template = NULL;
    if (bytes[0] & 0x80)
        require(!cau_template_parse(ctx, "template", (cau_str){edges, sizeof edges - 1}, NULL,
                                    &template));
    const cau_read_options options = {
        .format = (cau_format)(bytes[0] % 6),
        .ngrams = 1 + (bytes[0] >> 3) % 3,
        .lower = bytes[0] & 0x20,
        .counts = bytes[0] & 0x40,
        .values = bytes[0] & 0x80,
        .tokenize = bytes[0] & 0x80,
        .chars = bytes[0] & 0x08 ? "1-3" : NULL,
        .tfidf = bytes[0] & 0x10,
        .comments = bytes[0] & 0x20,
        .docstart = bytes[0] & 0x40,
        .template = template,
    };
    read_both(ctx, &options, file);
    cau_template_free(template);
    caucus_ctx_free(ctx);
    return 0;
}
