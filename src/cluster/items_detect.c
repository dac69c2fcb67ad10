/* items_detect.c - detects the format of items.
 *
 * The first rule decides that fits the first nonblank lines of a file:
 *
 *   1 long      the options say which columns to use
 *   2 svmlight  every line is "index:value ...", with an optional number before and an optional
 *               comment after '#'; no TABs
 *   3 rows      every line is an item and one or more of "feature:number"
 *   4 dense     the same number of columns, two or more, in every line; all cells after the first
 *               are numbers, except in the first line, which may have names
 *     long      the same with three columns and an item that repeats: 17 may be a feature
 *   5 long      the same number of columns, three or more, and a number after the second column in
 *               every line except the first
 *   6 rows      every line has a TAB: an item and words, each of which counts 1
 *   7 unknown
 *
 * The separator is a TAB if the first line has one, else a comma, else blanks. */

#include "cluster/items_read.h"

enum { CUT_LINE = 1 << 19 }; /* a line of this length may be truncated */

/* The common properties of the lines. */
typedef struct {
    size_t lines;   /* number of nonblank lines */
    bool svmlight;  /* all are index:value */
    bool pairs;     /* all are item feature:number */
    bool tabs;      /* every line has a TAB */
    size_t columns; /* of every line; 0: they differ */
    bool numbers;   /* all cells after the first are numbers, except in the first line */
    bool counts;    /* each line except the first has a number after the second column */
    bool again;     /* an item repeats */
} items_shape;

static bool is_index_value(cau_str token)
{
    cau_str index, value;
    uint64_t ignored;
    return cau_item_pair(token, &index, &value) && cau_item_is_number(value) &&
           (cau_parse_count(index.s, index.n, &ignored) || cau_is_text(index, "qid"));
}

static bool looks_svmlight(cau_str line)
{
    const char *comment = memchr(line.s, '#', line.n);
    if (memchr(line.s, '\t', line.n)) return false;
    if (comment) line.n = (size_t)(comment - line.s);
    cau_str token;
    if (!cau_token(&line, &token)) return comment;
    if (cau_item_is_number(token) && !cau_token(&line, &token)) return false;
    do
        if (!is_index_value(token)) return false;
    while (cau_token(&line, &token));
    return true;
}

static bool looks_pairs(cau_str line)
{
    cau_str token, name, number;
    size_t pairs = 0;
    (void)cau_item_name(&line);
    for (; line.s && cau_token(&line, &token); pairs++)
        if (!cau_item_pair(token, &name, &number) || !cau_item_is_number(number)) return false;
    return pairs > 0;
}

static void summarise_columns(items_shape *all, cau_str line, char separator)
{
    size_t columns = 0;
    bool numbers = true, count = false;
    for (cau_str cell; cau_item_cell(&line, separator, &cell); columns++) {
        const bool number = cau_item_is_number(cell);
        numbers &= columns == 0 || number;
        count |= columns >= 2 && number;
    }
    if (all->lines == 0) all->columns = columns;
    if (columns != all->columns) all->columns = 0;
    if (all->lines <= 1)
        all->numbers = all->counts = true; /* the second line: the first may be a header */
    all->numbers &= numbers;
    all->counts &= count;
}

static bool same_text(cau_str a, cau_str b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* Whether the item of lines[at] is in an earlier line. There are few lines, so a slow search is
 * fine. */
static bool was_before(const cau_str *lines, size_t at, char separator)
{
    cau_str line = lines[at], item, other;
    if (!cau_item_cell(&line, separator, &item)) return false;
    for (size_t i = 0; i < at; i++) {
        line = lines[i];
        if (cau_item_cell(&line, separator, &other) && same_text(item, other)) return true;
    }
    return false;
}

static items_shape summarise(const cau_str *lines, size_t count)
{
    items_shape all = {.svmlight = true, .pairs = true, .tabs = true};
    char separator = 0;
    for (size_t i = 0; i < count; i++) {
        cau_str line = lines[i];
        if (cau_item_blank(line)) continue;
        if (all.lines == 0) separator = cau_item_separator(line);
        if (line.n >= CUT_LINE) /* without the last column */
            while (line.n > 1 && line.s[--line.n] != separator) continue;
        all.svmlight &= looks_svmlight(line);
        all.pairs &= looks_pairs(line);
        all.tabs &= memchr(line.s, '\t', line.n) != NULL;
        all.again |= was_before(lines, i, separator);
        summarise_columns(&all, line, separator);
        all.lines++;
    }
    return all;
}

cau_items_format cau_items_detect(const cau_items_options *options, const cau_str *lines,
                                  size_t count, bool *empty)
{
    const items_shape all = summarise(lines, count);
    *empty = all.lines == 0;
    if (*empty) return CAU_ITEMS_AUTO;

    if (options->columns[0] || options->columns[1] || options->columns[2]) return CAU_ITEMS_LONG;
    if (all.svmlight) return CAU_ITEMS_SVMLIGHT;
    if (all.pairs) return CAU_ITEMS_ROWS;
    if (all.columns >= 2 && all.numbers)
        return all.columns == 3 && all.again ? CAU_ITEMS_LONG : CAU_ITEMS_DENSE;
    if (all.columns >= 3 && all.counts) return CAU_ITEMS_LONG;
    return all.tabs ? CAU_ITEMS_ROWS : CAU_ITEMS_AUTO;
}
