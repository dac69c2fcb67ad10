/* texts.c - the words of a text, and what is in a file of data. */

#include <stdlib.h>

#include "api/options.h"
#include "base/status.h"
#include "base/utf8.h"
#include "text/words.h"

caucus_status caucus_words(caucus_ctx *ctx, const char *text, size_t length, caucus_word **out,
                           size_t *count)
{
    caucus_status st = CAUCUS_OK;
    cau_words words = {.text = {text, length}};
    caucus_word *list = NULL;
    cau_word word;
    size_t n = 0, room = 0;
    if (cau_utf8_check(text, length) != length)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the text is not valid UTF-8; convert it"));
    if (!CAU_GROW(list, room, 1)) TRY(cau_fail_memory(ctx, "the words of a text"));
    while (cau_words_next(&words, &word)) {
        if (!CAU_GROW(list, room, n + 1)) TRY(cau_fail_memory(ctx, "the words of a text"));
        list[n++] = (caucus_word){word.begin, word.end, word.from, word.to, word.first};
    }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    return st;
}

void caucus_words_free(caucus_word *words)
{
    free(words);
}

caucus_status caucus_doctor(caucus_ctx *ctx, const caucus_options *options, const char *path,
                            caucus_write_fn *write, void *user)
{
    const caucus_status st = cau_options_expect(ctx, options, "doctor", NULL);
    return st ? st
              : cau_doctor(ctx, &options->doctor, &options->data.read,
                           cau_options_threads(ctx, options), path, write, user);
}
