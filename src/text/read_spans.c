/* read_spans.c - running text as sequences of words, one for each sentence (spans.h).
 *
 * The words of a record are found at once, and given out sentence by sentence. An instance has the
 * place of its word; the first of a record has the text as well. A record without words is an aside
 * with its text. */

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/formats.h"
#include "text/token.h"

/* Reads records up to one that counts; *more is false at the end of the lines. */
static caucus_status next_record(caucus_ctx *ctx, cau_reader *r, bool *more)
{
    caucus_status st = CAUCUS_OK;
    const bool raw = r->options.format == CAU_FORMAT_RAW;
    for (bool skipped = true; skipped;) {
        cau_str line, rest, token;
        TRY(cau_lines_next(ctx, r->lines, &line));
        *more = line.s;
        if (!*more) goto done;
        rest = line;
        if (raw)
            TRY(cau_span_text_raw(ctx, &r->running, line));
        else if (cau_token(&rest, &token))
            TRY(cau_span_text_read(ctx, &r->running, r->lines, line, NULL, &skipped));
        if (raw) skipped = false;
    }
    TRY(cau_span_text_align(ctx, &r->running, r->lines, r->options.misaligned));
done:
    return st;
}

/* Adds the words of the next sentence. */
static caucus_status add_sentence(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    cau_span_text *x = &r->running;
    r->sentence = r->next_word;
    do {
        const cau_word *word = &x->word[r->next_word];
        const cau_str cell = {x->text.s + word->begin, word->end - word->begin};
        r->scratch.n = 0;
        if (x->labelled) cau_span_text_label(x, r->next_word, &r->scratch);
        TRY(cau_strbuf_status(ctx, &r->scratch));
        TRY(cau_sequence_token(ctx, r, &cell, 1, (cau_str){r->scratch.s, r->scratch.n}));
        r->next_word++;
    } while (r->next_word < x->words && !x->word[r->next_word].first);
    TRY(cau_sequence_break(ctx, r));
    TRY(cau_sequence_close(ctx, r));
done:
    return st;
}

caucus_status cau_running_sequence(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    bool more = true;
    cau_columns_reset(r);
    if (r->options.columns > 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the model looks at %zu columns, and running text has words alone; "
                            "train one on words",
                     CAU_AT_ARGS(r->lines), (size_t)r->options.columns));
    if (r->next_word == r->running.words) {
        r->next_word = r->running.words = 0;
        TRY(next_record(ctx, r, &more));
    }
    if (!more)
        r->sequence.ended = true;
    else if (r->running.words == 0)
        TRY(cau_sequence_aside(ctx, r));
    else
        TRY(add_sentence(ctx, r));
done:
    if (st) {
        cau_columns_reset(r);
        r->next_word = r->running.words = 0;
    }
    return st;
}

caucus_status cau_spans_write(caucus_ctx *ctx, cau_data_sheet *sheet, const cau_data_example *x)
{
    caucus_status st = CAUCUS_OK;
    cau_span_writer *w = &sheet->spans;
    size_t room = 0, characters = 0;
    cau_word *word = NULL;
    cau_str *label = cau_alloc(x->T, sizeof *label);
    if (!x->token->cell)
        TRY(cau_cannot_hold(ctx, sheet, x, 0, "what is not made of words",
                            "write text, csv or crfsuite"));
    if (!label || !CAU_GROW(word, room, x->T)) TRY(cau_fail_memory(ctx, "an example"));
    sheet->scratch.n = 0;
    for (size_t t = 0; t < x->T; t++) {
        const cau_data_token *token = &x->token[t];
        const cau_str cell = token->cell[0];
        label[t] = token->label;
        word[t] = token->word;
        if (token->placed) continue;
        if (t) cau_strbuf_add(&sheet->scratch, " ", 1);
        characters += t > 0;
        word[t].from = characters;
        for (size_t i = 0; i < cell.n; i += cau_token_step(cell.s + i, cell.n - i)) characters++;
        word[t].to = characters;
        cau_strbuf_add(&sheet->scratch, cell.s, cell.n);
    }
    TRY(cau_strbuf_status(ctx, &sheet->scratch));
    const cau_str joined = {sheet->scratch.s ? sheet->scratch.s : "", sheet->scratch.n};
    if ((!x->token->placed && !cau_span_writer_begin(w, &sheet->text, joined)) ||
        (x->token->text.s && !cau_span_writer_begin(w, &sheet->text, x->token->text)) ||
        !cau_span_writer_add(w, word, label, NULL, x->T))
        TRY(cau_fail_memory(ctx, "an example"));
done:
    free(word);
    free(label);
    return st;
}
