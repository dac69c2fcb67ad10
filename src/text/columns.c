/* columns.c - splitting a line into columns. */

#include "text/columns.h"

#include <string.h>

cau_separator cau_separator_of(cau_str line, char delimiter)
{
    if (delimiter) return (cau_separator){delimiter, false};
    const bool tabs = line.n && memchr(line.s, '\t', line.n);
    return tabs ? (cau_separator){'\t', false} : (cau_separator){' ', true};
}

static bool end_columns(cau_str *rest, cau_str *column)
{
    *rest = *column = (cau_str){NULL, 0};
    return false;
}

bool cau_column_first(cau_str *rest, cau_separator by, cau_str *column)
{
    const char *at = rest->s, *end = at + rest->n;
    while (by.runs && at < end && *at == by.c) at++;
    if (!at || (by.runs && at == end)) return end_columns(rest, column);
    const char *stop = at < end ? memchr(at, by.c, (size_t)(end - at)) : NULL;
    *column = (cau_str){at, (size_t)((stop ? stop : end) - at)};
    *rest = stop ? (cau_str){stop + 1, (size_t)(end - stop - 1)} : (cau_str){NULL, 0};
    return true;
}

bool cau_column_last(cau_str *rest, cau_separator by, cau_str *column)
{
    while (by.runs && rest->n && rest->s[rest->n - 1] == by.c) rest->n--;
    if (!rest->s || (by.runs && rest->n == 0)) return end_columns(rest, column);
    const char *at = rest->n ? memrchr(rest->s, by.c, rest->n) : NULL;
    if (at) {
        *column = (cau_str){at + 1, (size_t)(rest->s + rest->n - (at + 1))};
        rest->n = (size_t)(at - rest->s);
    } else {
        *column = *rest;
        *rest = (cau_str){NULL, 0};
    }
    return true;
}

bool cau_delimiter_parse(const char *option, char *delimiter)
{
    const bool escaped = strcmp(option, "\\t") == 0;
    *delimiter = escaped ? '\t' : option[0];
    return escaped || (option[0] && !option[1]);
}
