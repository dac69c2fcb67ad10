/* utf8.c - which bytes are UTF-8, after table 3-7 of the Unicode standard:
 *
 *     00..7F
 *     C2..DF  80..BF
 *     E0      A0..BF  80..BF                 (80..9F would be over-long)
 *     E1..EC  80..BF  80..BF
 *     ED      80..9F  80..BF                 (A0..BF would be surrogates)
 *     EE..EF  80..BF  80..BF
 *     F0      90..BF  80..BF  80..BF         (80..8F would be over-long)
 *     F1..F3  80..BF  80..BF  80..BF
 *     F4      80..8F  80..BF  80..BF         (90..BF would be above U+10FFFF)
 *
 * Only the second byte has a range that depends on the first. */

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

/* Length of the ASCII prefix, rounded down to a multiple of 8 bytes. */
static size_t skip_ascii(const char *s, size_t n)
{
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        uint64_t w[4];
        memcpy(w, s + i, sizeof w);
        if ((w[0] | w[1] | w[2] | w[3]) & 0x8080808080808080u) break;
    }
    for (; n - i >= 8; i += 8) {
        uint64_t w;
        memcpy(&w, s + i, sizeof w);
        if (w & 0x8080808080808080u) break;
    }
    return i;
}

/* Length of the character at u, of which n > 0 bytes are available; 0 when it is invalid. */
static size_t character_length(const unsigned char *u, size_t n)
{
    unsigned char first = u[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (n < length) return 0;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (u[1] < low || u[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if ((u[i] & 0xC0) != 0x80) return 0;
    return length;
}

size_t cau_utf8_check(const char *s, size_t n)
{
    size_t i = skip_ascii(s, n);
    while (i < n) {
        size_t length = character_length((const unsigned char *)s + i, n - i);
        if (length == 0) return i;
        i += length;
        if (length == 1) i += skip_ascii(s + i, n - i);
    }
    return n;
}

void cau_utf8_lower(cau_strbuf *out, const char *s, size_t n)
{
    char piece[256]; /* added when full, to save a call for each letter */
    size_t length = 0;
    for (size_t i = 0; i < n;) {
        if (length > sizeof piece - 4) {
            cau_strbuf_add(out, piece, length);
            length = 0;
        }
        unsigned char c = (unsigned char)s[i];
        if (c < 0x80) {
            piece[length++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
            i++;
            continue;
        }
        size_t bytes = character_length((const unsigned char *)s + i, n - i);
        if (bytes == 0) { /* invalid despite the contract: copied unchanged */
            piece[length++] = s[i++];
            continue;
        }
        utf8proc_int32_t code;
        utf8proc_iterate((const utf8proc_uint8_t *)s + i, (utf8proc_ssize_t)bytes, &code);
        length += (size_t)utf8proc_encode_char(utf8proc_tolower(code),
                                               (utf8proc_uint8_t *)piece + length);
        i += bytes;
    }
    cau_strbuf_add(out, piece, length);
}

/* The end of the UTF-8 character at `at`: its first byte and the bytes 10xxxxxx that follow. */
static size_t next_character(cau_str text, size_t at)
{
    do at++;
    while (at < text.n && ((unsigned char)text.s[at] & 0xC0) == 0x80);
    return at;
}

/* Each '*' first matches nothing. When the rest does not match, the last '*' takes one more byte;
 * there is no need to extend an earlier one. */
bool cau_glob(cau_str glob, cau_str text)
{
    size_t g = 0, at = 0, star = SIZE_MAX, taken = 0; /* star: after the last '*' */
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
