/* cut.c - the ends of records that may hold line ends and brackets inside of quotes. */

#include "text/cut.h"

#include <string.h>

#include "base/strbuf.h"
#include "text/lines.h"

/* Whether a quote at bytes[at] is the first character of a field. */
static bool opens(char delimiter, const char *bytes, size_t at, size_t n)
{
    if (at == 0 || bytes[at - 1] == delimiter || bytes[at - 1] == '\n') return true;
    return at == 3 && cau_byte_order_mark((cau_str){bytes, n}) == 3;
}

bool cau_quoted_end(cau_record_scan *scan, char delimiter, const char *bytes, size_t *at, size_t n)
{
    while (*at < n) {
        const char *from = bytes + *at, *quote;
        if (scan->quoted) {
            quote = memchr(from, '"', n - *at);
            *at = quote ? (size_t)(quote - bytes) : n;
            if (*at + 1 >= n) return false; /* the next character decides */
            scan->quoted = bytes[*at + 1] == '"';
            *at += scan->quoted ? 2 : 1;
            continue;
        }
        const char *newline = memchr(from, '\n', n - *at);
        const size_t end = newline ? (size_t)(newline - bytes) + 1 : n;
        quote = memchr(from, '"', end - *at);
        if (quote) {
            scan->quoted = opens(delimiter, bytes, (size_t)(quote - bytes), n);
            *at = (size_t)(quote - bytes) + 1;
            continue;
        }
        *at = end;
        if (newline) return true;
    }
    return false;
}

bool cau_json_end(cau_record_scan *scan, size_t depth, const char *bytes, size_t *at, size_t n)
{
    for (; *at < n; ++*at) {
        const char c = bytes[*at];
        if (scan->escaped) {
            scan->escaped = false;
        } else if (scan->quoted) {
            scan->quoted = c != '"';
            scan->escaped = c == '\\';
        } else if (c == '"') {
            scan->quoted = true;
        } else if (c == '{' || c == '[') {
            scan->depth++;
        } else if ((c == '}' || c == ']') && scan->depth > 0) {
            if (--scan->depth == depth) {
                ++*at;
                return true;
            }
        }
    }
    return false;
}
