/* kinds.c - see kinds.h. */

#include "data/kinds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* So many names that do not tell their pattern are kinds by themselves: flags such as "capital".
 * More of them are words, and are one kind. */
enum { ALONE_MAX = 64 };

/* How many bytes stand before the first sign that ends a kind; all, where there is none. */
static size_t prefix_of(cau_str name)
{
    size_t n = 0;
    while (n < name.n && name.s[n] != ':' && name.s[n] != '=' && name.s[n] != '[') n++;
    return n;
}

cau_str cau_kind_of(cau_str name)
{
    return (cau_str){name.s, prefix_of(name)};
}

caucus_status cau_kinds_init(caucus_ctx *ctx, const cau_alphabet *names, cau_kinds *kinds)
{
    caucus_status st = CAUCUS_OK;
    size_t alone = 0;
    cau_kinds k = {.K = cau_alphabet_size(names)};
    TRY(cau_alphabet_new(ctx, &k.names));
    k.of = cau_alloc(k.K, sizeof *k.of);
    if (!k.of) TRY(cau_fail_memory(ctx, "the kinds of features"));
    for (uint32_t i = 0; i < k.K; i++) {
        const cau_str name = cau_alphabet_name(names, i);
        alone += prefix_of(name) == name.n;
    }
    for (uint32_t i = 0; i < k.K; i++) {
        const cau_str name = cau_alphabet_name(names, i);
        const size_t n = prefix_of(name);
        k.of[i] = cau_alphabet_add(k.names, name.s, n == name.n && alone > ALONE_MAX ? 0 : n);
        if (k.of[i] == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the kinds of features"));
    }
    *kinds = k;
    k = (cau_kinds){0};
done:
    cau_kinds_clear(&k);
    return st;
}

void cau_kinds_clear(cau_kinds *kinds)
{
    cau_alphabet_free(kinds->names);
    free(kinds->of);
    *kinds = (cau_kinds){0};
}

/* Where the character at `at` ends: behind a first byte and the bytes 10xxxxxx that follow it. */
static size_t next_character(cau_str text, size_t at)
{
    do at++;
    while (at < text.n && ((unsigned char)text.s[at] & 0xC0) == 0x80);
    return at;
}

/* A star first stands for nothing. When the rest does not fit, the last star takes one byte more:
 * an earlier one need not, since what it could take the last one can as well. */
bool cau_glob(cau_str glob, cau_str text)
{
    size_t g = 0, at = 0, star = SIZE_MAX, taken = 0; /* star: behind the last one */
    while (at < text.n || (g < glob.n && glob.s[g] == '*')) {
        const char want = g < glob.n ? glob.s[g] : '\0';
        if (want == '*') {
            star = ++g;
            taken = at;
        } else if (want == '?') {
            g++;
            at = next_character(text, at);
        } else if (g < glob.n && want == text.s[at]) {
            g++;
            at++;
        } else if (star != SIZE_MAX) {
            g = star;
            at = ++taken;
        } else {
            return false;
        }
    }
    return g == glob.n;
}
