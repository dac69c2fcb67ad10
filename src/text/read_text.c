/* read_text.c - label TAB words.
 *
 *     spam<TAB>win a prize , win now
 *
 * Words are separated by blanks and by tabs after the first. They are copied to a scratch text with
 * one space between words, so every n-gram is a part of that text:
 *
 *     win a prize , win now
 *     ^   ^ ^     ^ ^   ^       word[i], where word i starts
 *
 * and word i to word j is the text from word[i] to word[j + 1] - 1. A line without a TAB, or with
 * nothing before it, has no label. An empty line is an instance without words, so tagging writes
 * one line for each line of the file. */

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/formats.h"

/* Copies the text to r->scratch and closes the gaps in the copy. word[0..*count] are the offsets of
 * its words, and the offset at which one more would start. */
static caucus_status split_words(caucus_ctx *ctx, cau_reader *r, cau_str text, size_t *count)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf *copy = &r->scratch;
    copy->n = 0;
    if (r->options.lower)
        cau_utf8_lower(copy, text.s, text.n);
    else
        cau_strbuf_add(copy, text.s, text.n);
    cau_strbuf_add(copy, " ", 1);
    TRY(cau_strbuf_status(ctx, copy));

    cau_str rest = {copy->s, copy->n}, word;
    char *to = copy->s; /* never ahead of `rest`: a blank follows every word */
    for (*count = 0;; ++*count) {
        if (!CAU_GROW(r->word, r->word_room, *count + 1))
            TRY(cau_fail_memory(ctx, "the words of a line"));
        r->word[*count] = (size_t)(to - copy->s);
        if (!cau_token(&rest, &word)) break;
        if (to != word.s) memmove(to, word.s, word.n);
        to += word.n;
        *to++ = ' ';
    }
done:
    return st;
}

caucus_status cau_text_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    (void)kind;
    caucus_status st = CAUCUS_OK;
    const char *tab = memchr(line.s, '\t', line.n);
    if (tab) {
        const size_t n = (size_t)(tab - line.s);
        if (n) r->now.label = (cau_str){line.s, n};
        line = (cau_str){tab + 1, line.n - n - 1};
    }

    size_t count;
    TRY(split_words(ctx, r, line, &count));
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count && j - i < r->options.ngrams; j++) {
            const cau_str name = {r->scratch.s + r->word[i], r->word[j + 1] - 1 - r->word[i]};
            TRY(cau_reader_add(ctx, r, name, 1));
        }
done:
    return st;
}

caucus_status cau_reader_text(caucus_ctx *ctx, cau_reader *r, const char *text, cau_strbuf *line)
{
    const size_t n = strlen(text);
    if (cau_utf8_check(text, n) != n)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the text is not valid UTF-8; convert it");
    line->n = 0;
    cau_strbuf_add(line, "\t", 1); /* no label */
    cau_strbuf_add(line, text, n);
    cau_strbuf_add(line, "\n", 1);
    const caucus_status st = cau_strbuf_status(ctx, line);
    if (st) return st;
    for (char *c = line->s + 1; c < line->s + n + 1; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    cau_reader_continue(r, (cau_str){line->s, line->n}, 1);
    return CAUCUS_OK;
}
