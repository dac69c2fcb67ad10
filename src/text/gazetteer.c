/* gazetteer.c - the set of all prefixes of all names.
 *
 * "New York City" is stored as "New", "New York" and "New York City"; the last one is marked as a
 * name. A search at a position adds one cell after the other and stops when the text is no prefix
 * of a name, so nearly every position costs one lookup. */

#include "text/gazetteer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

struct cau_lexicon {
    cau_alphabet *prefixes;
    bool *whole; /* [prefixes] the prefix is a name itself */
    size_t room;
    bool lower;
};

caucus_status cau_lexicon_new(caucus_ctx *ctx, bool lower, cau_lexicon **out)
{
    caucus_status st = CAUCUS_OK;
    cau_lexicon *lexicon = cau_calloc(1, sizeof *lexicon);
    if (!lexicon) return cau_fail_memory(ctx, "a gazetteer");
    lexicon->lower = lower;
    TRY(cau_alphabet_new(ctx, &lexicon->prefixes));
    *out = lexicon;
    lexicon = NULL;
done:
    cau_lexicon_free(lexicon);
    return st;
}

void cau_lexicon_free(cau_lexicon *lexicon)
{
    if (!lexicon) return;
    cau_alphabet_free(lexicon->prefixes);
    free(lexicon->whole);
    free(lexicon);
}

/* Appends a word to the words of a name. */
static void add_word(const cau_lexicon *lexicon, cau_strbuf *words, cau_str word)
{
    if (words->n) cau_strbuf_add(words, " ", 1);
    if (lexicon->lower)
        cau_utf8_lower(words, word.s, word.n);
    else
        cau_strbuf_add(words, word.s, word.n);
}

/* The number of a prefix, which is added if it is new; CAU_UNKNOWN when memory is short. */
static uint32_t add_prefix(cau_lexicon *lexicon, const cau_strbuf *words)
{
    const size_t before = cau_alphabet_size(lexicon->prefixes);
    if (words->failed || !CAU_GROW(lexicon->whole, lexicon->room, before + 1)) return CAU_UNKNOWN;
    const uint32_t id = cau_alphabet_add(lexicon->prefixes, words->s, words->n);
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
            id = add_prefix(lexicon, &words);
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
        size_t length = 0; /* of the longest name that starts at t */
        scratch->n = 0;
        for (size_t u = t; u < T; u++) {
            add_word(lexicon, scratch, cells[u * stride]);
            if (scratch->failed) return CAUCUS_ERR_MEMORY;
            if (scratch->n == 0) break; /* no name starts with an empty cell */
            const uint32_t id = cau_alphabet_find(lexicon->prefixes, scratch->s, scratch->n);
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
