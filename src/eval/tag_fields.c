/* tag_fields.c - recognises what `tag` writes besides labels.
 *
 *     # 0 0.93                                 rank and probability of the sequence
 *     The DT B-NP | B-NP | 0.97 | 0.95 | B-NP:0.97 | O:0.03          | is a TAB
 *     ^             ^      ^             ^
 *     line          label  numbers       pairs
 *
 * Pairs are the longest run of fields at the end that are label:p in all lines. Numbers are at most
 * three columns before them, of numbers from 0 to 1 or "_". Labels may be numbers themselves, but
 * hardly ever fractions: some pair, and some number of the first of these columns, must have a
 * fraction (or that column is "_" throughout). */

#include "eval/tag_fields.h"

#include <string.h>

#include "text/columns.h"

enum { NUMBERS_MAX = 3 };

static const cau_separator tab = {'\t', false};

/* A number from 0 to 1; *fraction is set if it is written with a point or an exponent. */
static bool is_share(cau_str text, bool *fraction)
{
    double p;
    if (!cau_parse_real(text.s, text.n, &p) || !(p >= 0 && p <= 1)) return false;
    *fraction |= memchr(text.s, '.', text.n) || memchr(text.s, 'e', text.n);
    return true;
}

static bool is_pair(cau_str field, bool *fraction)
{
    const char *colon = field.n ? memrchr(field.s, ':', field.n) : NULL;
    if (!colon || colon == field.s) return false;
    return is_share((cau_str){colon + 1, (size_t)(field.s + field.n - colon - 1)}, fraction);
}

static bool is_number(cau_str field, bool *fraction)
{
    return (field.n == 1 && field.s[0] == '_') || is_share(field, fraction);
}

bool cau_is_probability(cau_str label)
{
    bool fraction = false;
    return is_share(label, &fraction) && fraction;
}

bool cau_is_probability_pair(cau_str label)
{
    bool fraction = false;
    return is_pair(label, &fraction) && fraction;
}

/* The line without its last `count` columns. */
static cau_str without(cau_str line, size_t count)
{
    cau_str column;
    while (count-- > 0 && cau_column_last(&line, tab, &column)) {
    }
    return line;
}

static bool is_token(cau_str line)
{
    return line.n && !(line.s[0] == '#' && !memchr(line.s, '\t', line.n));
}

/* The number of columns before the last `skip` that are `fits` in all lines, at most `most`;
 * *columns is the least number of columns of a line. */
static size_t run_of(const cau_str *lines, size_t count, size_t skip, size_t most,
                     bool fits(cau_str, bool *), size_t *columns)
{
    *columns = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        cau_str rest = without(lines[i], skip), column;
        size_t run = 0, all = 0;
        bool ignored = false;
        if (!is_token(lines[i])) continue;
        while (run < most && cau_column_last(&rest, tab, &column) && fits(column, &ignored)) run++;
        for (rest = lines[i]; cau_column_last(&rest, tab, &column);) all++;
        if (run < most) most = run;
        if (all < *columns) *columns = all;
    }
    return *columns == SIZE_MAX ? 0 : most;
}

/* Whether some line has a fraction in one of the `run` columns before the last `skip`. With
 * `first`, only the first of them is looked at, which may also be "_" in all lines. */
static bool has_fraction(const cau_str *lines, size_t count, size_t skip, size_t run,
                         bool fits(cau_str, bool *), bool first)
{
    bool fraction = false, blank = first;
    for (size_t i = 0; i < count; i++) {
        cau_str rest = without(lines[i], first ? skip + run - 1 : skip), column;
        if (!is_token(lines[i])) continue;
        for (size_t k = first ? run - 1 : 0; k < run; k++) {
            cau_column_last(&rest, tab, &column);
            fits(column, &fraction);
            blank &= column.n == 1 && column.s[0] == '_';
        }
    }
    return fraction || blank;
}

cau_tag_fields cau_tag_fields_find(const cau_str *lines, size_t count, size_t keep)
{
    cau_tag_fields f = {0};
    size_t columns;
    for (size_t i = 0; i < count; i++) f.tabs |= memchr(lines[i].s, '\t', lines[i].n) != NULL;
    if (!f.tabs) return f;
    f.pairs = run_of(lines, count, 0, SIZE_MAX, is_pair, &columns);
    if (f.pairs && !has_fraction(lines, count, 0, f.pairs, is_pair, false)) f.pairs = 0;
    f.numbers = run_of(lines, count, f.pairs, NUMBERS_MAX, is_number, &columns);
    while (f.numbers && !has_fraction(lines, count, f.pairs, f.numbers, is_number, true))
        f.numbers--;
    if (f.pairs + f.numbers + keep > columns) f.pairs = f.numbers = 0;
    return f;
}

/* Cuts the text up to the next blank off *rest. */
static cau_str next_word(cau_str *rest)
{
    cau_str word = {0};
    cau_column_first(rest, (cau_separator){' ', true}, &word);
    return word;
}

/* "# rank p" or "# p", with "uncertified" or not. */
static bool is_header(cau_str line, bool must_have_fraction, uint64_t *rank)
{
    bool fraction = false;
    uint64_t first = 0;
    cau_str word = next_word(&line), last;
    if (!(word.n == 1 && word.s[0] == '#')) return false;
    word = next_word(&line);
    last = next_word(&line);
    const bool ranked =
        last.n && cau_parse_count(word.s, word.n, &first) && is_share(last, &fraction);
    if (ranked)
        last = next_word(&line);
    else if (!word.n || !is_share(word, &fraction))
        return false;
    if (last.n == sizeof "uncertified" - 1 && memcmp(last.s, "uncertified", last.n) == 0)
        last = next_word(&line);
    if (last.n || (must_have_fraction && !fraction)) return false;
    *rank = ranked ? first : 0;
    return true;
}

bool cau_tag_comment(const cau_tag_fields *fields, cau_str line, uint64_t *rank)
{
    if (!line.n || line.s[0] != '#' || memchr(line.s, '\t', line.n)) return false;
    return is_header(line, !fields->tabs, rank) || fields->tabs;
}
