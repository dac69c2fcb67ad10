/* detect.c - detects the format of a file from its first lines.
 *
 * Each format either does not fit these lines, may fit them, or surely fits: it has marks that the
 * others lack. If some surely fit, the others are out. A file whose lines fit one format is read as
 * that one, and a note reports it. If several are left, the user chooses.
 *
 *   spans         surely: every line is a JSON object with a text and one of the keys of spans
 *   conllu        surely: ten fields, the first one the number of a word
 *   json-*        surely: objects with the keys of one of them
 *   svmlight      surely: every line is "label index:value ...", and there are features
 *   fasttext      surely: __label__ in half of the lines
 *   vw            surely: a '|' after a number, a tag or nothing in every line
 *   wapiti        surely: all observations begin with u, b or * and have a ':' or '='
 *   crfsuite      surely: TABs, and most fields after the first have a '=' or ':'
 *   megam         surely: $$$WEIGHT and the like, DEV or TEST alone on a line, or '#' after the
 *                 label of every line; maybe: blanks in some line
 *   columns       surely: the same number of columns in every line, and the last one is a tag such
 *                 as B-NP, or blank lines end sequences; maybe: the same number, or only the tags
 *   text          surely: one TAB at most, and no blank lines, or several words after it
 *   csv, tsv      surely: a header with a usual name, or for csv with three columns or more, and
 *                 the same number of fields in every record; maybe: without such a name
 *   mallet        maybe: three words or more in every line, no TAB, no blank lines
 *   simpletagger  maybe: no TAB, and blank lines between others
 *
 * A template, or an option that only some formats have, excludes the others. Blank lines matter as
 * gaps between other lines. Comments and -DOCSTART- are skipped if the options have them. */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text/columns.h"
#include "text/formats.h"

enum { CUT_LINE = 1 << 19 }; /* a line this long may have been cut by the peek */

/* How well the lines fit a format. */
typedef enum { CAU_FIT_NO, CAU_FIT_MAYBE, CAU_FIT_SURE } cau_fit;

/* Counts over the lines. */
typedef struct {
    size_t lines;   /* that are not blank */
    bool gaps;      /* blank lines between them */
    bool documents; /* a -DOCSTART- line that is skipped */
    size_t least_columns, most_columns;
    size_t least_tabs, most_tabs;
    bool tagged;               /* every line ends with a tag that is not its first column */
    size_t tags;               /* tags that are not "O" */
    bool named;                /* all tab-separated fields after the first contain a '=' */
    size_t comments, sections; /* lines that start with '#'; others with '#' after the label */
    bool marks;                /* $$$ or DEV or TEST */
    size_t features;           /* index:value, in lines that look like svmlight */
    bool svmlight;             /* all lines do */
    size_t labels;             /* lines that have a __label__ */
    bool vw;                   /* all lines have a '|' after a number, a tag or nothing */
    bool wapiti;               /* all observations look like those of Wapiti */
    bool directive;            /* a line begins with @weight */
    size_t fields, marked;     /* after TABs; with '=' or ':' */
    bool blank_fields;         /* some of these have blanks */
    size_t phrases;            /* lines with one TAB and a blank after it */
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

static bool begins_with(cau_str text, const char *start)
{
    const size_t n = strlen(start);
    return text.n >= n && memcmp(text.s, start, n) == 0;
}

static bool has_fasttext_label(cau_str line)
{
    cau_str token;
    while (cau_token(&line, &token))
        if (begins_with(token, "__label__")) return true;
    return false;
}

/* Whether a line has a '|' after a number, more numbers and a tag, or after nothing. */
static bool looks_vw(cau_str line)
{
    const char *bar = memchr(line.s, '|', line.n);
    cau_str head = {line.s, bar ? (size_t)(bar - line.s) : 0}, token;
    if (!bar) return false;
    if (!cau_token(&head, &token)) return true;
    return is_number(token) || token.s[0] == '\'';
}

/* Whether all columns but the last one, at least one, are observations of Wapiti. */
static bool looks_wapiti(cau_str line)
{
    cau_str token, next;
    if (!cau_token(&line, &token)) return false;
    for (size_t count = 0;; count++, token = next) {
        if (!cau_token(&line, &next)) return count > 0;
        if (!memchr("ub*", token.s[0], 3)) return false;
        if (token.n > 1 && !memchr(token.s, ':', token.n) && !memchr(token.s, '=', token.n))
            return false;
    }
}

/* Counts the fields after TABs. */
static void summarise_fields(line_summary *all, cau_str line)
{
    cau_str field;
    size_t count = 0;
    for (cau_str rest = line; cau_column_first(&rest, (cau_separator){'\t', false}, &field);
         count++) {
        if (count == 0 || field.n == 0) continue;
        all->fields++;
        all->marked += memchr(field.s, '=', field.n) || memchr(field.s, ':', field.n);
        if (!memchr(field.s, ' ', field.n)) continue;
        all->blank_fields = true;
        if (count == 1 && !rest.s) all->phrases++;
    }
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

    all->labels += has_fasttext_label(line);
    all->vw &= looks_vw(line);
    all->wapiti &= looks_wapiti(line);
    all->directive |= begins_with(first, "@weight:");
    summarise_fields(all, line);
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
                        .svmlight = true,
                        .vw = true,
                        .wapiti = true};
    bool gap = false;
    for (size_t i = 0; i < count; i++) {
        cau_str line = lines[i], rest = line, token;
        if (cau_is_comment(options, line)) continue;
        all.documents |= cau_is_docstart(options, line);
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

/* ---- CSV --------------------------------------------------------------------------------- */

static bool is_usual_name(cau_str name)
{
    static const char *const usual[] = {"label",     "labels",   "class",  "target", "category",
                                        "sentiment", "text",     "review", "id",     "idx",
                                        "index",     "sentence", NULL};
    for (size_t i = 0; usual[i]; i++)
        if (name.n == strlen(usual[i]) && strncasecmp(name.s, usual[i], name.n) == 0) return true;
    return false;
}

/* The number of fields of a record that begins with line *i, which moves behind the record; 0 if
 * the lines end inside of it. */
static size_t count_fields(char delimiter, const cau_str *lines, size_t count, size_t *i,
                           bool *quotes)
{
    cau_str record = lines[(*i)++];
    size_t fields = 1;
    bool quoted = false, first = true;
    for (size_t at = 0;; at++) {
        if (at == record.n) {
            if (!quoted) return fields;
            if (*i == count) return 0;
            record = lines[(*i)++];
            at = (size_t)-1;
            continue;
        }
        const char c = record.s[at];
        if (c == '"' && (first || quoted)) {
            quoted = !quoted; /* a doubled quote closes and opens */
            *quotes = true;
            first = quoted ? false : at + 1 < record.n && record.s[at + 1] == '"';
            continue;
        }
        first = !quoted && c == delimiter;
        fields += first;
    }
}

/* How well the lines fit CSV with this delimiter. */
static cau_fit fit_csv(char delimiter, const cau_str *lines, size_t count)
{
    size_t i = 0, records = 1, blanks;
    bool quotes = false, usual = false, plain = true;
    cau_str rest, name;
    while (i < count && lines[i].n == 0) i++;
    if (i == count) return CAU_FIT_NO;
    rest = lines[i];
    const size_t fields = count_fields(delimiter, lines, count, &i, &quotes);
    if (fields < 2) return CAU_FIT_NO;
    while (cau_column_first(&rest, (cau_separator){delimiter, false}, &name)) {
        if (name.n >= 2 && name.s[0] == '"') name = (cau_str){name.s + 1, name.n - 2};
        blanks = 0;
        for (size_t k = 0; k < name.n; k++) blanks += cau_is_blank(name.s[k]);
        plain &= name.n > 0 && !is_number(name) && blanks <= 2 && !cau_is_blank(name.s[0]);
        usual |= is_usual_name(name);
    }
    for (; i < count; records++) {
        if (lines[i].n == 0) {
            i++, records--;
            continue;
        }
        const size_t found = count_fields(delimiter, lines, count, &i, &quotes);
        if (found && found != fields) return CAU_FIT_NO;
    }
    if (!plain || records < 2) return CAU_FIT_NO;
    const bool wide = delimiter == ',' && (quotes || (fields >= 3 && records >= 3));
    return usual || wide ? CAU_FIT_SURE : CAU_FIT_MAYBE;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static bool has_array(const json_t *object, const char *key)
{
    return json_is_array(json_object_get(object, key));
}

/* How well the first object fits: *text and *tokens. False if the lines are not JSON. */
static bool fit_json(const cau_read_options *options, const cau_str *lines, size_t count,
                     cau_fit *text, cau_fit *tokens)
{
    if (count == 0) return false;
    const char *at = lines[0].s, *end = lines[count - 1].s + lines[count - 1].n;
    while (at < end && memchr(" \t\r\n", *at, 4)) at++;
    const bool array = at < end && *at == '[';
    if (array) at++;
    while (at < end && memchr(" \t\r\n", *at, 4)) at++;
    if (at == end || *at != '{') return false;

    const char *key = options->layout.text;
    json_error_t error;
    json_t *object = json_loadb(at, (size_t)(end - at), JSON_DISABLE_EOF_CHECK, &error);
    const bool spans = json_object_get(object, "spans") || json_object_get(object, "entities");
    const bool words = has_array(object, "tokens") || has_array(object, "words");
    *text = *tokens = object ? CAU_FIT_NO : CAU_FIT_MAYBE; /* too long, or damaged */
    if (object && !words && !spans && json_is_string(json_object_get(object, key ? key : "text")))
        *text = CAU_FIT_SURE;
    if (words && !json_is_object(json_array_get(json_object_get(object, "tokens"), 0)))
        *tokens = CAU_FIT_SURE;
    if (words && !spans && key) *text = CAU_FIT_SURE;
    json_decref(object);
    return true;
}

/* ---- all formats ------------------------------------------------------------------------- */

static void fit_tabs(const line_summary *all, cau_fit *fit)
{
    const bool several = all->most_tabs >= 2, tagged = all->tagged && all->tags;
    const bool equal = all->least_columns == all->most_columns && all->least_columns >= 2;
    if (all->most_tabs == 0) return;
    if (all->directive || (2 * all->marked >= all->fields && (several || all->named)))
        fit[CAU_FORMAT_CRFSUITE] = CAU_FIT_SURE;
    else if (several)
        fit[CAU_FORMAT_CRFSUITE] = CAU_FIT_MAYBE;
    if (!several && !(tagged && equal) && (!all->gaps || (all->phrases > 0 && !equal)))
        fit[CAU_FORMAT_TEXT] = fit[CAU_FORMAT_CRFSUITE] ? CAU_FIT_MAYBE : CAU_FIT_SURE;
    else if (!several || all->blank_fields || !all->marked)
        fit[CAU_FORMAT_TEXT] = CAU_FIT_MAYBE;
}

static void fit_blanks(const line_summary *all, cau_fit *fit)
{
    const bool equal = all->least_columns == all->most_columns && all->least_columns >= 2;
    const bool tagged = all->tagged && all->tags;
    const bool tabs = all->most_tabs > 0;
    if (equal && (tagged || all->gaps || all->documents))
        fit[CAU_FORMAT_COLUMNS] = CAU_FIT_SURE;
    else if (equal || tagged)
        fit[CAU_FORMAT_COLUMNS] = CAU_FIT_MAYBE;
    if (tabs || all->most_columns < 2) return;
    fit[CAU_FORMAT_MEGAM] = CAU_FIT_MAYBE;
    if (all->least_columns >= 3 && !all->gaps) fit[CAU_FORMAT_MALLET] = CAU_FIT_MAYBE;
    if (all->gaps || tagged) fit[CAU_FORMAT_SIMPLETAGGER] = CAU_FIT_MAYBE;
}

/* Excludes formats that the options do not go with. */
static void exclude(const cau_read_options *options, cau_fit *fit)
{
    const cau_layout_options *layout = &options->layout;
    for (cau_format f = CAU_FORMAT_AUTO; f < CAU_FORMATS; f++) {
        const bool csv = f == CAU_FORMAT_CSV || f == CAU_FORMAT_TSV;
        if ((options->cells && !cau_has_cells(f)) || (layout->header && f != CAU_FORMAT_COLUMNS) ||
            (layout->text && !csv && f != CAU_FORMAT_JSON_TEXT) ||
            (layout->delimiter && !csv && f != CAU_FORMAT_COLUMNS) ||
            ((layout->no_header || layout->no_quotes) && !csv))
            fit[f] = CAU_FIT_NO;
    }
}

static void fit_all(const cau_read_options *options, const cau_str *lines, size_t count,
                    const line_summary *all, cau_fit *fit)
{
    if (cau_spans_look(lines, count)) {
        fit[CAU_FORMAT_SPANS] = CAU_FIT_SURE;
        return;
    }
    if (cau_conllu_looks(lines, count)) {
        fit[CAU_FORMAT_CONLLU] = CAU_FIT_SURE;
        return;
    }
    if (fit_json(options, lines, count, &fit[CAU_FORMAT_JSON_TEXT], &fit[CAU_FORMAT_JSON_TOKENS]))
        return;
    fit_tabs(all, fit);
    fit_blanks(all, fit);
    if (all->svmlight && all->features) {
        fit[CAU_FORMAT_SVMLIGHT] = CAU_FIT_SURE;
        fit[CAU_FORMAT_CRFSUITE] = CAU_FIT_NO;
    }
    if (2 * all->labels >= all->lines) fit[CAU_FORMAT_FASTTEXT] = CAU_FIT_SURE;
    if (all->vw) fit[CAU_FORMAT_VW] = CAU_FIT_SURE;
    if (all->marks || (all->sections && all->sections + all->comments == all->lines)) {
        fit[CAU_FORMAT_MEGAM] = CAU_FIT_SURE;
        fit[CAU_FORMAT_TEXT] = CAU_FIT_NO;
    }
    if (all->wapiti) {
        fit[CAU_FORMAT_WAPITI] = CAU_FIT_SURE;
        fit[CAU_FORMAT_COLUMNS] = CAU_FIT_NO;
    }
    fit[CAU_FORMAT_CSV] = fit_csv(',', lines, count);
    if (!all->gaps) fit[CAU_FORMAT_TSV] = fit_csv('\t', lines, count);
    if (fit[CAU_FORMAT_TSV] == CAU_FIT_SURE) /* the header is no text, and no tag */
        fit[CAU_FORMAT_TEXT] = fit[CAU_FORMAT_COLUMNS] = CAU_FIT_NO;
    if (fit[CAU_FORMAT_CRFSUITE] == CAU_FIT_SURE && all->tagged && all->tags)
        fit[CAU_FORMAT_CRFSUITE] = CAU_FIT_NO; /* 'a=b' and ':' as words of columns */
    else if (fit[CAU_FORMAT_CRFSUITE] == CAU_FIT_SURE && all->named)
        fit[CAU_FORMAT_COLUMNS] = CAU_FIT_NO;
}

cau_format cau_detect(const cau_read_options *options, const cau_str *lines, size_t count,
                      bool *empty, bool candidate[CAU_FORMATS])
{
    const line_summary all = summarise(options, lines, count);
    cau_fit fit[CAU_FORMATS] = {CAU_FIT_NO}, best = CAU_FIT_MAYBE;
    cau_format format = CAU_FORMAT_AUTO;
    size_t left = 0;
    *empty = all.lines == 0;
    if (*empty) return CAU_FORMAT_AUTO;
    fit_all(options, lines, count, &all, fit);
    exclude(options, fit);
    for (size_t f = 1; f < CAU_FORMATS; f++)
        if (fit[f] > best) best = fit[f];
    for (size_t f = 1; f < CAU_FORMATS; f++) {
        candidate[f] = fit[f] == best;
        if (!candidate[f]) continue;
        format = (cau_format)f;
        left++;
    }
    return left == 1 ? format : CAU_FORMAT_AUTO;
}
