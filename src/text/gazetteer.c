/* gazetteer.c - a set of all beginnings of all names.
 *
 * "New York City" enters as "New", "New York" and "New York City", of which the last is marked as
 * a name. A search at a position adds cell after cell and stops as soon as what it has begins no
 * name, so that nearly every position costs one look. */

#include "text/gazetteer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

struct cau_lexicon {
    cau_alphabet *beginnings;
    bool *whole; /* [beginnings] is a name itself */
    size_t room;
    bool lower;
};

caucus_status cau_lexicon_new(caucus_ctx *ctx, bool lower, cau_lexicon **out)
{
    caucus_status st = CAUCUS_OK;
    cau_lexicon *lexicon = cau_calloc(1, sizeof *lexicon);
    if (!lexicon) return cau_fail_memory(ctx, "a gazetteer");
    lexicon->lower = lower;
    TRY(cau_alphabet_new(ctx, &lexicon->beginnings));
    *out = lexicon;
    lexicon = NULL;
done:
    cau_lexicon_free(lexicon);
    return st;
}

void cau_lexicon_free(cau_lexicon *lexicon)
{
    if (!lexicon) return;
    cau_alphabet_free(lexicon->beginnings);
    free(lexicon->whole);
    free(lexicon);
}

/* Adds a word to what has been read of a name. */
static void add_word(const cau_lexicon *lexicon, cau_strbuf *words, cau_str word)
{
    if (words->n) cau_strbuf_add(words, " ", 1);
    if (lexicon->lower)
        cau_utf8_lower(words, word.s, word.n);
    else
        cau_strbuf_add(words, word.s, word.n);
}

/* The number of a beginning, which is added if it is new; CAU_UNKNOWN for want of memory. */
static uint32_t add_beginning(cau_lexicon *lexicon, const cau_strbuf *words)
{
    const size_t before = cau_alphabet_size(lexicon->beginnings);
    if (words->failed || !CAU_GROW(lexicon->whole, lexicon->room, before + 1)) return CAU_UNKNOWN;
    const uint32_t id = cau_alphabet_add(lexicon->beginnings, words->s, words->n);
    if (id == before) lexicon->whole[id] = false;
    return id;
}

caucus_status cau_lexicon_add(caucus_ctx *ctx, cau_lexicon *lexicon, cau_str name)
{
    cau_strbuf words = {0};
    uint32_t id = 0;
    for (size_t at = 0; at < name.n && id != CAU_UNKNOWN;) {
        const size_t first = at;
        while (at < name.n && name.s[at] != ' ' && name.s[at] != '\t') at++;
        if (at > first) {
            add_word(lexicon, &words, (cau_str){name.s + first, at - first});
            id = add_beginning(lexicon, &words);
        } else {
            at++;
        }
    }
    const bool any = words.n > 0;
    cau_strbuf_clear(&words);
    if (id == CAU_UNKNOWN) return cau_fail_memory(ctx, "a gazetteer");
    if (any) lexicon->whole[id] = true;
    return CAUCUS_OK;
}

caucus_status cau_lexicon_find(const cau_lexicon *lexicon, const cau_str *cells, size_t stride,
                               size_t T, cau_strbuf *scratch, char *tags)
{
    for (size_t t = 0; t < T;) {
        size_t length = 0; /* of the longest name from t on */
        scratch->n = 0;
        for (size_t u = t; u < T; u++) {
            add_word(lexicon, scratch, cells[u * stride]);
            if (scratch->failed) return CAUCUS_ERR_MEMORY;
            if (scratch->n == 0) break; /* an empty cell begins nothing */
            const uint32_t id = cau_alphabet_find(lexicon->beginnings, scratch->s, scratch->n);
            if (id == CAU_UNKNOWN) break;
            if (lexicon->whole[id]) length = u - t + 1;
        }
        if (length == 0) {
            tags[t++] = 'O';
            continue;
        }
        memset(tags + t, 'I', length);
        tags[t] = length == 1 ? 'S' : 'B';
        if (length > 1) tags[t + length - 1] = 'E';
        t += length;
    }
    return CAUCUS_OK;
}
