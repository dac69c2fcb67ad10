/* fuzz_words.c - random bytes as running text: words are in order, cover all but blanks, and their
 * places in characters are those in bytes. */

#include "base/utf8.h"
#include "text/token.h"
#include "text/words.h"

#include "fuzz.h"

static size_t count_characters(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i += cau_token_step(s + i, n - i)) count++;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const cau_str text = {(const char *)bytes, cau_utf8_check((const char *)bytes, size)};
    cau_words words = {.text = text};
    cau_word word;
    size_t at = 0, characters = 0;
    for (bool any = false; cau_words_next(&words, &word); any = true) {
        require(word.begin >= at && word.end > word.begin && word.end <= text.n);
        require(any || word.first);
        for (size_t i = at; i < word.begin; i++) /* no letter, digit or sign is left out */
            require((unsigned char)text.s[i] <= ' ' || (unsigned char)text.s[i] >= 0x7F);
        characters += count_characters(text.s + at, word.begin - at);
        require(word.from == characters);
        characters += count_characters(text.s + word.begin, word.end - word.begin);
        require(word.to == characters);
        at = word.end;
    }
    for (size_t i = at; i < text.n; i++)
        require((unsigned char)text.s[i] <= ' ' || (unsigned char)text.s[i] >= 0x7F);
    return 0;
}
