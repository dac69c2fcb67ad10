/* detect.c - detects the format of a file from its first lines.
 *
 * The first rule that holds decides. Blank lines matter only as gaps between other lines. Columns
 * are separated by blanks or tabs. Comments and -DOCSTART- are skipped if the options have them. A
 * tag is "O" or like "B-NP".
 *
 *   0 spans     every line is a JSON object with a text and one of the keys of spans
 *     conllu    every line has the ten fields of CoNLL-U, the first one the number of a word
 *   1 svmlight  every line is "label index:value ...", "qid:n" and comments allowed, and there
 *               are features; where tabs are used the label must be a number
 *   2 megam     $$$WEIGHT and the like after a label, DEV or TEST alone on a line, or '#' after
 *               the label in every line
 *   3 columns   the last of two or more columns is a tag in every line, not "O" in all of them
 *   4 columns   the same number of columns, two or more, in every line; if there are tabs, also
 *               gaps or two tabs in a line
 *     crfsuite  the same, but tabs separate three or more, and all but the first hold a '='
 *   5 text      there are tabs, but never two in a line; or the same number of them in every
 *               line, and no gaps
 *   6 crfsuite  there are other tabs
 *   7 columns   two or more columns in some line, and gaps: the reader will name the odd line
 *   8 megam     two or more columns in some line
 *   9 no format
 *
 * So "dog NN" without gaps is columns with a space but text with a tab. Items of CRFsuite that all
 * have the same number of attributes are taken for columns unless they are written name=value. A
 * note reports the detected format. */

#include <string.h>

#include "text/formats.h"

enum { CUT_LINE = 1 << 19 }; /* a line this long may have been cut by the peek */

/* Counts over the lines. */
typedef struct {
    size_t lines; /* that are not blank */
    bool gaps;    /* blank lines between them */
    size_t least_columns, most_columns;
    size_t least_tabs, most_tabs;
    bool tagged;               /* every line ends with a tag that is not its first column */
    size_t tags;               /* tags that are not "O" */
    bool named;                /* all tab-separated fields after the first contain a '=' */
    size_t comments, sections; /* lines that start with '#'; others with '#' after the label */
    bool marks;                /* $$$ or DEV or TEST */
    size_t features;           /* index:value, in lines that look like svmlight */
    bool svmlight;             /* all lines do */
} line_summary;

static bool is_number(cau_str s)
{
    double ignored;
    return cau_parse_real(s.s, s.n, &ignored);
}

static bool is_index_value(cau_str token)
{
    const char *colon = memchr(token.s, ':', token.n);
    if (!colon) return false;
    const cau_str index = {token.s, (size_t)(colon - token.s)};
    const cau_str value = {colon + 1, token.n - index.n - 1};
    uint64_t ignored;
    return is_number(value) &&
           (cau_is_text(index, "qid") || cau_parse_count(index.s, index.n, &ignored));
}

/* Whether a line is "label index:value ... # comment", with the number of features. */
static bool looks_svmlight(cau_str line, size_t *features)
{
    const bool tabs = memchr(line.s, '\t', line.n);
    const char *comment = memchr(line.s, '#', line.n);
    if (comment) line.n = (size_t)(comment - line.s);
    cau_str token;
    *features = 0;
    if (!cau_token(&line, &token)) return comment;
    if (is_index_value(token)) return false;
    if (tabs && !is_number(token)) return false;
    while (cau_token(&line, &token)) {
        if (!is_index_value(token)) return false;
        ++*features;
    }
    return true;
}

static bool is_directive(cau_str token)
{
    return cau_is_text(token, "$$$WEIGHT") || cau_is_text(token, "$$$TASK") ||
           cau_is_text(token, "$$$OUTOFDOMAIN");
}

/* Whether a token is a tag of chunks, in any of the usual schemes; *other than "O". */
static bool is_tag(cau_str token, bool *other)
{
    *other = token.n > 2 && token.s[1] == '-' && memchr("BIELMSU", token.s[0], 7);
    return *other || cau_is_text(token, "O");
}

/* Counts the tabs; clears *named if a field after the first has no '='. */
static size_t count_tabs(cau_str line, bool *named)
{
    size_t tabs = 0;
    const char *tab, *end = line.s + line.n, *p = line.s;
    while ((tab = memchr(p, '\t', (size_t)(end - p)))) {
        tabs++;
        p = tab + 1;
        const char *stop = memchr(p, '\t', (size_t)(end - p));
        if (!memchr(p, '=', (size_t)((stop ? stop : end) - p))) *named = false;
    }
    return tabs;
}

static void summarise_line(line_summary *all, cau_str line)
{
    const bool comment = line.s[0] == '#';
    size_t columns = 0, features;
    cau_str rest = line, token, first = {0}, last = {0};
    bool other = false;
    while (cau_token(&rest, &token)) {
        columns++;
        last = token;
        if (columns == 1) first = token;
        if (columns == 2 && !comment && cau_is_text(token, "#")) all->sections++;
        if (columns == 2 && is_directive(token)) all->marks = true;
    }
    if (columns == 1 && (cau_is_text(first, "DEV") || cau_is_text(first, "TEST")))
        all->marks = true;
    all->comments += comment;
    all->tagged &= columns > 1 && is_tag(last, &other);
    all->tags += all->tagged && other;

    const size_t tabs = count_tabs(line, &all->named);
    if (columns < all->least_columns) all->least_columns = columns;
    if (columns > all->most_columns) all->most_columns = columns;
    if (tabs < all->least_tabs) all->least_tabs = tabs;
    if (tabs > all->most_tabs) all->most_tabs = tabs;

    if (!looks_svmlight(line, &features)) all->svmlight = false;
    all->features += features;
    all->lines++;
}

static line_summary summarise(const cau_read_options *options, const cau_str *lines, size_t count)
{
    line_summary all = {.least_columns = SIZE_MAX,
                        .least_tabs = SIZE_MAX,
                        .tagged = true,
                        .named = true,
                        .svmlight = true};
    bool gap = false;
    for (size_t i = 0; i < count; i++) {
        cau_str line = lines[i], rest = line, token;
        if (cau_is_comment(options, line)) continue;
        if (!cau_token(&rest, &token) || cau_is_docstart(options, line)) {
            gap = all.lines > 0;
            continue;
        }
        if (line.n >= CUT_LINE)
            while (line.n > 1 && !cau_is_blank(line.s[line.n - 1])) line.n--;
        all.gaps |= gap;
        summarise_line(&all, line);
    }
    return all;
}

cau_format cau_detect(const cau_read_options *options, const cau_str *lines, size_t count,
                      bool *empty)
{
    const line_summary all = summarise(options, lines, count);
    *empty = all.lines == 0;
    if (*empty) return CAU_FORMAT_AUTO;

    if (cau_spans_look(lines, count)) return CAU_FORMAT_SPANS;
    if (cau_conllu_looks(lines, count)) return CAU_FORMAT_CONLLU;
    if (all.svmlight && all.features) return CAU_FORMAT_SVMLIGHT;
    if (all.marks || (all.sections && all.sections + all.comments == all.lines))
        return CAU_FORMAT_MEGAM;
    if (all.tagged && all.tags) return CAU_FORMAT_COLUMNS;

    const bool tabs = all.most_tabs > 0;
    const bool same_tabs = all.least_tabs == all.most_tabs;
    if (all.least_columns == all.most_columns && all.most_columns >= 2 &&
        (!tabs || all.gaps || all.most_tabs >= 2))
        return all.named && same_tabs && all.most_tabs >= 2 ? CAU_FORMAT_CRFSUITE
                                                            : CAU_FORMAT_COLUMNS;
    if (tabs && (all.most_tabs == 1 || (same_tabs && !all.gaps))) return CAU_FORMAT_TEXT;
    if (tabs) return CAU_FORMAT_CRFSUITE;
    if (all.most_columns < 2) return CAU_FORMAT_AUTO;
    return all.gaps ? CAU_FORMAT_COLUMNS : CAU_FORMAT_MEGAM;
}
