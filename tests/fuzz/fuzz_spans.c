/* fuzz_spans.c - random bytes as records of spans. Either a record is refused with one message, or
 * its spans are words in order, and what is written is read back with the same spans. */

#include "base/utf8.h"
#include "text/spans.h"

#include "fuzz.h"

/* Reads the record on a line and fits its spans. */
static caucus_status read_record(caucus_ctx *ctx, cau_span_text *x, cau_str line,
                                 cau_misaligned misaligned, bool *skipped)
{
    cau_lines *lines = NULL;
    caucus_status st = cau_lines_memory(ctx, "fuzz", line, &lines);
    if (!st) st = cau_span_text_read(ctx, x, lines, line, NULL, skipped);
    if (!st && !*skipped) st = cau_span_text_align(ctx, x, lines, misaligned);
    cau_lines_free(lines);
    return st;
}

static void check(const cau_span_text *x)
{
    for (size_t i = 0; i < x->spans; i++) {
        require(x->span[i].from < x->span[i].to);
        require(i == 0 || x->span[i].from >= x->span[i - 1].to);
    }
    for (size_t w = 0; w < x->words; w++) {
        const size_t s = x->owner[w];
        require(s == SIZE_MAX || s < x->spans);
        if (s == SIZE_MAX) continue;
        require(x->word[w].from >= x->span[s].from && x->word[w].to <= x->span[s].to);
        require(!x->word[w].first || w == 0 || x->owner[w - 1] != s);
    }
}

/* Writes the labels of the words as spans, and reads these. */
static void check_round_trip(caucus_ctx *ctx, const cau_span_text *x)
{
    cau_span_writer writer = {0};
    cau_strbuf out = {0}, label = {0};
    cau_span_text again = {0};
    bool skipped = false;
    require(cau_span_writer_begin(&writer, &out, (cau_str){x->text.s, x->text.n}));
    cau_str *labels = calloc(x->words + 1, sizeof *labels);
    size_t *end = calloc(x->words + 1, sizeof *end);
    require(labels && end);
    for (size_t w = 0; w < x->words; w++) {
        cau_span_text_label(x, w, &label);
        end[w] = label.n;
    }
    for (size_t w = 0, begin = 0; w < x->words; begin = end[w++])
        labels[w] = (cau_str){label.s + begin, end[w] - begin};
    require(cau_span_writer_add(&writer, x->word, labels, NULL, x->words));
    require(cau_span_writer_end(&writer, &out));
    require(out.n > 0);
    require(!read_record(ctx, &again, (cau_str){out.s, out.n - 1}, CAU_MISALIGNED_FAIL, &skipped));
    require(!skipped && again.spans == x->spans);
    for (size_t i = 0; i < x->spans; i++) {
        require(again.span[i].from == x->span[i].from && again.span[i].to == x->span[i].to);
        require(again.span[i].label.n == x->span[i].label.n &&
                memcmp(again.span[i].label.s, x->span[i].label.s, x->span[i].label.n) == 0);
    }
    free(labels);
    free(end);
    cau_span_writer_clear(&writer);
    cau_span_text_clear(&again);
    cau_strbuf_clear(&out);
    cau_strbuf_clear(&label);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const cau_str line = {(const char *)bytes, size};
    if (cau_utf8_check(line.s, size) != size || memchr(bytes, '\n', size) ||
        memchr(bytes, '\0', size))
        return 0;
    caucus_ctx *ctx = new_context();
    for (int how = CAU_MISALIGNED_FAIL; how <= CAU_MISALIGNED_DROP; how++) {
        cau_span_text x = {0};
        bool skipped = false;
        const caucus_status st = read_record(ctx, &x, line, (cau_misaligned)how, &skipped);
        require(!st || (st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]));
        if (!st && !skipped) check(&x);
        if (!st && !skipped && x.labelled) check_round_trip(ctx, &x);
        cau_span_text_clear(&x);
    }
    caucus_ctx_free(ctx);
    return 0;
}
