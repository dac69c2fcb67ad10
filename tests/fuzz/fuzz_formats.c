/* fuzz_formats.c - random bytes as data in columns that are chosen, in CoNLL-U, and in the formats
 * that become columns or text.
 *
 * The first byte selects the format, the second the options; the rest is the file. Either the
 * reader refuses it with one message, or its instances keep the invariants of reader.h. A label
 * that is written into a line of CoNLL-U is found there again. */

#include <math.h>

#include "text/reader.h"

#include "fuzz.h"

/* Writes another label into a line, reads it, and writes the first one again. */
static void check_field(const cau_instance *in)
{
    cau_strbuf other = {0}, again = {0};
    cau_conllu_add(&other, in->line, in->field, CAU_STR("X"));
    const cau_str line = {other.s, other.n}, label = cau_conllu_label_of(line, in->field);
    require(label.n == 1 && label.s[0] == 'X');
    cau_conllu_add(&again, line, in->field, cau_conllu_label_of(in->line, in->field));
    require(again.n > 0);
    cau_strbuf_clear(&other);
    cau_strbuf_clear(&again);
}

static void check_instance(const cau_instance *in)
{
    require(in->groups == 1 && in->row < in->block->rows);
    require(in->weight >= 0 && isfinite(in->weight));
    require(!in->label.s || in->label.n > 0);
    require(in->line.s != NULL);
    if (in->field) check_field(in);
}

static void read_all(caucus_ctx *ctx, const cau_read_options *options, cau_str file)
{
    cau_reader *reader = NULL;
    cau_read_event event = CAU_READ_BREAK;
    cau_instance in;
    size_t last = 0; /* line */
    caucus_status st = cau_reader_memory(ctx, "fuzz", file, options, CAU_BY_NAME, &reader);
    while (!st && event != CAU_READ_END) {
        st = cau_reader_next(ctx, reader, &event, &in);
        if (st || event == CAU_READ_BREAK || event == CAU_READ_END) continue;
        require(in.number >= last);
        last = in.number;
        if (event == CAU_READ_INSTANCE) check_instance(&in);
    }
    require(!st ||
            ((st == CAUCUS_ERR_FORMAT || st == CAUCUS_ERR_ARGUMENT) && caucus_message(ctx)[0]));
    cau_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const columns[] = {NULL, "0", "1,0", "form,upos"};
    static const char *const labels[] = {NULL, "2", "feats.Case", "xpos"};
    static const char *const delimiters[] = {NULL, ",", "\\t", ";"};
    if (size < 2) return 0;
    caucus_ctx *ctx = new_context();
    const cau_read_options options = {
        .format = CAU_FORMAT_COLUMNS + bytes[0] % (CAU_FORMATS - CAU_FORMAT_COLUMNS),
        .columns = bytes[0] & 0x80 ? 1 : 0,
        .layout = {.columns = columns[bytes[1] & 3],
                   .label = labels[(bytes[1] >> 2) & 3],
                   .delimiter = delimiters[(bytes[1] >> 4) & 3],
                   .header = bytes[1] & 0x40,
                   .no_label = bytes[1] & 0x80},
    };
    read_all(ctx, &options, (cau_str){(const char *)bytes + 2, size - 2});
    caucus_ctx_free(ctx);
    return 0;
}
