/* read_text.c - label TAB words.
 *
 *     spam<TAB>win a prize , win now
 *
 * Words are separated by blanks and by tabs after the first, or found by the rules of words.h. They
 * are copied to a scratch text with one space between words, so every n-gram is a part of that
 * text:
 *
 *     win a prize , win now
 *     ^   ^ ^     ^ ^   ^       word[i], where word i starts
 *
 * and word i to word j is the text from word[i] to word[j + 1] - 1. A line without a TAB, or with
 * nothing before it, has no label. An empty line is an instance without words, so tagging writes
 * one line for each line of the file.
 *
 * Character n-grams are those of "<word>", as in %chars of a template. Their names begin with a
 * space, which no word does.
 *
 * With tfidf each occurrence counts 1 / sqrt(sum over the features of the line of count^2), so the
 * vector of the counts has length 1. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/formats.h"
#include "text/token.h"
#include "text/words.h"

enum { CHARS_MOST = 16 };

caucus_status cau_text_chars_parse(caucus_ctx *ctx, const char *text, size_t *least, size_t *most)
{
    const char *hyphen = strchr(text, '-');
    uint64_t from, to;
    const bool right =
        cau_parse_count(text, hyphen ? (size_t)(hyphen - text) : strlen(text), &from) &&
        cau_parse_count(hyphen ? hyphen + 1 : text, strlen(hyphen ? hyphen + 1 : text), &to) &&
        from >= 1 && from <= to && to <= CHARS_MOST;
    if (!right)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--chars '%s': give the lengths of character n-grams, such as 2-5 or 3, at "
                        "most %d",
                        text, CHARS_MOST);
    *least = (size_t)from;
    *most = (size_t)to;
    return CAUCUS_OK;
}

/* ---- words ------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return cau_is_blank(c) || c == '\n' || c == '\r';
}

/* Cuts the next word off the front of a text. */
static bool next_word(const cau_reader *r, cau_words *words, cau_str *rest, cau_str *word)
{
    cau_word found;
    if (!r->options.tokenize) {
        const char *p = rest->s, *end = rest->s + rest->n;
        while (p < end && is_space(*p)) p++;
        const char *from = p;
        while (p < end && !is_space(*p)) p++;
        *word = (cau_str){from, (size_t)(p - from)};
        *rest = (cau_str){p, (size_t)(end - p)};
        return word->n > 0;
    }
    if (!cau_words_next(words, &found)) return false;
    *word = (cau_str){words->text.s + found.begin, found.end - found.begin};
    return true;
}

/* Copies the words of the text to r->scratch. word[0..*count] are the offsets of these words, and
 * the offset at which one more would start. */
static caucus_status split_words(caucus_ctx *ctx, cau_reader *r, cau_str text, size_t *count)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf *copy = &r->scratch;
    cau_words words = {.text = text};
    cau_str word;
    copy->n = 0;
    for (*count = 0;; ++*count) {
        if (!CAU_GROW(r->word, r->word_room, *count + 1))
            TRY(cau_fail_memory(ctx, "the words of a line"));
        r->word[*count] = copy->n;
        if (!next_word(r, &words, &text, &word)) break;
        if (r->options.lower)
            cau_utf8_lower(copy, word.s, word.n);
        else
            cau_strbuf_add(copy, word.s, word.n);
        cau_strbuf_add(copy, " ", 1);
    }
    TRY(cau_strbuf_status(ctx, copy));
done:
    return st;
}

/* ---- features ---------------------------------------------------------------------------- */

/* Adds the character n-grams of "<word>", but not "<" and ">" alone. The n-gram is put after the
 * marked word, with a space before it. */
static caucus_status add_chars(caucus_ctx *ctx, cau_reader *r, cau_str word)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf *marked = &r->marked;
    marked->n = 0;
    if (!cau_strbuf_reserve(marked, 2 * word.n + 5)) TRY(cau_strbuf_status(ctx, marked));
    cau_strbuf_add(marked, "<", 1);
    cau_strbuf_add(marked, word.s, word.n);
    cau_strbuf_add(marked, ">", 1);
    const size_t n = marked->n;
    cau_grams grams = {{marked->s, n}, r->chars_least, r->chars_most, 0, 0, 0};
    for (cau_str gram; cau_grams_next(&grams, &gram);) {
        if (grams.n == 1 && (grams.at == 0 || grams.end == n)) continue;
        marked->n = n;
        cau_strbuf_add(marked, " ", 1);
        cau_strbuf_add(marked, gram.s, gram.n);
        TRY(cau_reader_add_copy(ctx, r, (cau_str){marked->s + n, gram.n + 1}, 1));
    }
done:
    return st;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Divides the values of the line, which are 1 for each occurrence, by the length of the vector of
 * counts. Features are told apart by their hashes. */
static caucus_status normalise(caucus_ctx *ctx, cau_reader *r)
{
    const size_t n = r->block.nodes.used;
    double squares = 0;
    if (n == 0) return CAUCUS_OK;
    if (!CAU_GROW(r->hash, r->hash_room, n)) return cau_fail_memory(ctx, "the words of a line");
    cau_feature_block_end(&r->block); /* the names are valid now */
    for (size_t i = 0; i < n; i++) {
        const cau_str name = r->block.base == CAU_BY_NAME ? r->block.nodes.name[i] : (cau_str){0};
        r->hash[i] = name.s ? cau_hash(name.s, name.n, 0) : r->block.nodes.key[i];
    }
    qsort(r->hash, n, sizeof *r->hash, compare_hashes);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && r->hash[j] == r->hash[i];) j++;
        squares += (double)(j - i) * (double)(j - i);
    }
    return cau_scale_features(&r->block.nodes, (float)(1 / sqrt(squares)))
               ? CAUCUS_OK
               : cau_fail_memory(ctx, "the features of an instance");
}

caucus_status cau_reader_words(caucus_ctx *ctx, cau_reader *r, cau_str text)
{
    caucus_status st = CAUCUS_OK;
    size_t count;
    r->now.text = text;
    TRY(split_words(ctx, r, text, &count));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = r->word[i];
        for (size_t j = i; j < count && j - i < r->options.ngrams; j++)
            TRY(cau_reader_add(ctx, r, (cau_str){r->scratch.s + begin, r->word[j + 1] - 1 - begin},
                               1));
        if (r->chars_most)
            TRY(add_chars(ctx, r, (cau_str){r->scratch.s + begin, r->word[i + 1] - 1 - begin}));
    }
    if (r->options.tfidf) TRY(normalise(ctx, r));
done:
    return st;
}

caucus_status cau_text_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    (void)kind;
    const char *tab = memchr(line.s, '\t', line.n);
    if (tab) {
        const size_t n = (size_t)(tab - line.s);
        if (n) r->now.label = (cau_str){line.s, n};
        line = (cau_str){tab + 1, line.n - n - 1};
    }
    return cau_reader_words(ctx, r, line);
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
