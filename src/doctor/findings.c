/* findings.c - see findings.h. The thresholds are here and in docs/doctor.md. */

#include "doctor/findings.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
    FEW = 20,   /* instances, below which nothing is said about shares */
    NAMES = 10, /* labels that a text names */
};
static const double NEARLY_ALL = .99; /* share of the instances of one class */
static const double TELLING = .995;   /* share of repeated values of a column with one label */

/* The text of the finding at hand. */
typedef struct {
    cau_tree *tree;
    const cau_survey *survey;
    cau_strbuf text;
} findings;

/* Opens a finding, with its text; the caller adds lines and calls end. */
__attribute__((format(printf, 4, 5))) static void begin(findings *f, const char *name,
                                                        uint64_t count, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    f->text.n = 0;
    cau_strbuf_add(&f->text, text, strlen(text));
    cau_tree_object(f->tree, NULL);
    cau_tree_string(f->tree, "finding", name);
    cau_tree_string(f->tree, "file", f->survey->path);
    cau_tree_count(f->tree, "count", count);
}

static void end(findings *f)
{
    if (f->text.failed) f->tree->failed = true;
    cau_tree_text(f->tree, "text", (cau_str){f->text.s, f->text.n});
    cau_tree_end(f->tree);
}

static void add_lines(findings *f, const cau_line_list *list)
{
    cau_tree_array(f->tree, "lines");
    for (uint64_t i = 0; i < list->count && i < CAU_LINES_KEPT; i++)
        cau_tree_count(f->tree, NULL, list->line[i]);
    cau_tree_end(f->tree);
}

/* Opens a finding about `count` things. */
static void begin_count(findings *f, const char *name, uint64_t count, const char *noun,
                        const char *text)
{
    begin(f, name, count, "%llu %s%s %s", (unsigned long long)count, noun, count == 1 ? "" : "s",
          text);
}

/* A finding about lines, or pairs of lines, if there are any: "3 lines with ...". */
static void on_lines(findings *f, const char *name, const cau_line_list *list, const char *noun,
                     const char *text)
{
    if (list->count == 0) return;
    begin_count(f, name, list->count, noun, text);
    add_lines(f, list);
    end(f);
}

static void on_pairs(findings *f, const char *name, const cau_line_pairs *pairs, const char *noun,
                     const char *text)
{
    if (pairs->count == 0) return;
    begin_count(f, name, pairs->count, noun, text);
    cau_tree_array(f->tree, "pairs");
    for (uint64_t i = 0; i < pairs->count && i < CAU_LINES_KEPT; i++) {
        cau_tree_array(f->tree, NULL);
        cau_tree_count(f->tree, NULL, pairs->first[i]);
        cau_tree_count(f->tree, NULL, pairs->second[i]);
        cau_tree_end(f->tree);
    }
    cau_tree_end(f->tree);
    end(f);
}

/* ---- labels ---------------------------------------------------------------------------- */

static size_t label_count(const cau_survey *s)
{
    return cau_alphabet_size(s->labels);
}

static cau_str label_name(const cau_survey *s, size_t y)
{
    return cau_alphabet_name(s->labels, (uint32_t)y);
}

/* Whether a finding about label y counts it. */
typedef bool label_test(const findings *f, const cau_survey *other, uint64_t rare, size_t y);

static bool is_rare(const findings *f, const cau_survey *other, uint64_t rare, size_t y)
{
    (void)other;
    return f->survey->label[y].count < rare;
}

static bool is_new(const findings *f, const cau_survey *other, uint64_t rare, size_t y)
{
    const cau_str name = label_name(f->survey, y);
    (void)rare;
    return cau_alphabet_find(other->labels, name.s, name.n) == CAU_UNKNOWN;
}

static bool is_fraction(const findings *f, const cau_survey *other, uint64_t rare, size_t y)
{
    const cau_str name = label_name(f->survey, y);
    double x;
    (void)other;
    (void)rare;
    return cau_parse_real(name.s, name.n, &x) && isfinite(x) && x != floor(x);
}

/* A finding about the labels that pass a test: their number, the text, and the first of them. */
static void on_labels(findings *f, const char *name, label_test *test, const cau_survey *other,
                      uint64_t rare, const char *text)
{
    uint64_t count = 0;
    cau_line_list lines = {0};
    for (size_t y = 0; y < label_count(f->survey); y++)
        if (test(f, other, rare, y)) {
            cau_line_list_add(&lines, f->survey->label[y].line);
            count++;
        }
    if (count == 0) return;
    begin(f, name, count, "%llu label%s %s:", (unsigned long long)count, count == 1 ? "" : "s",
          text);
    for (size_t y = 0, shown = 0; y < label_count(f->survey) && shown <= NAMES; y++) {
        const cau_str label = label_name(f->survey, y);
        if (!test(f, other, rare, y)) continue;
        if (shown++ == NAMES)
            cau_strbuf_printf(&f->text, ", ...");
        else
            cau_strbuf_printf(&f->text, "%s %.*s", shown == 1 ? "" : ",", CAU_SHOWN(label));
    }
    add_lines(f, &lines);
    end(f);
}

static void find_in_labels(findings *f, const cau_survey *other, uint64_t rare)
{
    const cau_survey *s = f->survey;
    const size_t Y = label_count(s);
    const uint64_t labelled = s->instances - s->unlabelled.count;
    size_t top = 0;
    on_lines(f, "no-label", &s->unlabelled, "instance", "without a label");
    if (Y == 0) return;
    for (size_t y = 1; y < Y; y++)
        if (s->label[y].count > s->label[top].count) top = y;
    const double share = cau_ratio(s->label[top].count, labelled);
    const cau_str name = label_name(s, top);
    if (Y == 1 || (share >= NEARLY_ALL && labelled >= FEW && cau_survey_scheme(s) == CAU_SCHEMES)) {
        begin(f, "one-class", s->label[top].count,
              "the label %.*s covers %.1f%% of the instances; is it the right column (--label)?",
              CAU_SHOWN(name), 100 * share);
        end(f);
    }
    if (labelled >= FEW && Y > labelled / 2) {
        begin(f, "unique-labels", Y,
              "%zu different labels for %llu instances; is it the right column (--label)?", Y,
              (unsigned long long)labelled);
        end(f);
    } else {
        on_labels(f, "fractions", is_fraction, NULL, 0,
                  "with a fraction, though classes have names and numbers need a regression");
        if (!other)
            on_labels(f, "rare-labels", is_rare, NULL, rare,
                      "perhaps too rare to learn (see --rare)");
    }
    if (other) on_labels(f, "new-labels", is_new, other, 0, "missing from the training data");
}

static void find_in_scheme(findings *f)
{
    const cau_survey *s = f->survey;
    const size_t scheme = cau_survey_scheme(s);
    if (scheme < CAU_SCHEMES && s->broken[scheme].count) {
        begin(
            f, "broken-scheme", s->broken[scheme].count,
            "%llu label%s not allowed in %s, the scheme that fits best; `caucus convert --scheme` "
            "repairs them as conlleval reads them",
            (unsigned long long)s->broken[scheme].count, s->broken[scheme].count == 1 ? "" : "s",
            cau_scheme_text(cau_schemes[scheme]));
        add_lines(f, &s->broken[scheme]);
        end(f);
    }
    /* nearly all labels have a letter and a type */
    if (scheme == CAU_SCHEMES && s->foreign.count &&
        (double)s->foreign.count <= (1 - NEARLY_ALL) * (double)s->instances)
        on_lines(f, "foreign-labels", &s->foreign, "label", "of no scheme, unlike the others");
}

/* ---- sentences and columns --------------------------------------------------------------- */

static void find_in_sentences(findings *f, const cau_survey *other)
{
    const cau_survey *s = f->survey;
    const char *noun = cau_has_sequences(s->format) ? "sentence" : "instance";
    on_pairs(f, "two-labellings", &s->conflicts, noun,
             "with the words of an earlier one and other labels; correct one of the two");
    on_pairs(f, "duplicates", &s->duplicates, noun, "like an earlier one");
    if (other) {
        on_pairs(f, "leaks", &s->leaks, noun,
                 "of the test data also in the training data; scores on them say little");
        on_pairs(f, "leaked-otherwise", &s->leaked_conflicts, noun,
                 "of the test data also in the training data, with other labels");
    }
    on_lines(f, "long-sentences", &s->long_ones, noun,
             "of more than 250 tokens; is a blank line missing?");
}

static void find_in_column(findings *f, const cau_column_survey *c)
{
    const cau_survey *s = f->survey;
    uint64_t repeated = 0, telling = 0;
    if (s->instances < FEW) return;
    for (size_t v = 0; v < c->values.count; v++) {
        if (c->value[v].count < 2) continue;
        repeated += c->value[v].count;
        if (!c->value[v].mixed) telling += c->value[v].count;
    }
    if (c->values.count == 1) {
        begin(f, "constant-column", s->instances,
              "column %zu has the same value in all lines; it tells nothing", c->number);
    } else if (c->values.count == s->instances) {
        begin(f, "unique-column", s->instances,
              "column %zu has another value in each line, as a number of lines does; leave it out "
              "(--columns)",
              c->number);
    } else if (label_count(s) > 1 && repeated > s->instances / 2 &&
               cau_ratio(telling, repeated) >= TELLING) {
        begin(f, "telling-column", telling,
              "column %zu tells the label: %.1f%% of its repeated values have one label only; is "
              "it known when new data is tagged?",
              c->number, 100 * cau_ratio(telling, repeated));
    } else {
        return;
    }
    cau_tree_count(f->tree, "column", c->number);
    end(f);
}

/* Whether the first line has values that no other line has, its label among them. */
static void find_header(findings *f)
{
    const cau_survey *s = f->survey;
    bool header = s->columns > 0 && s->instances >= FEW && label_count(s) > 1 &&
                  s->label[0].count == 1 && s->label[0].line == 1;
    for (size_t j = 0; j < s->columns && header; j++) header = s->column[j].value[0].count == 1;
    if (!header) return;
    begin(f, "header", 1, "the first line looks like the names of the columns; say --header");
    cau_tree_array(f->tree, "lines");
    cau_tree_count(f->tree, NULL, 1);
    cau_tree_end(f->tree);
    end(f);
}

static void find_in_columns(findings *f)
{
    const cau_survey *s = f->survey;
    find_header(f);
    for (size_t j = 0; j < s->columns; j++) find_in_column(f, &s->column[j]);
}

/* ---- characters -------------------------------------------------------------------------- */

static void find_in_characters(findings *f)
{
    static const struct {
        cau_oddity odd;
        const char *name, *text;
    } list[] = {
        {CAU_ODD_SPACE, "odd-blanks", "with blanks such as U+00A0, which do not separate columns"},
        {CAU_ODD_INVISIBLE, "invisible",
         "with invisible characters such as U+200B: words that look equal are not"},
        {CAU_ODD_CONTROL, "controls", "with control characters"},
        {CAU_ODD_LOST, "lost", "with U+FFFD, which a wrong conversion leaves"},
        {CAU_ODD_MISREAD, "misread",
         "that look like UTF-8 read as Latin-1; convert the original again"},
    };
    const cau_characters *c = &f->survey->characters;
    if (c->byte_order_mark) {
        begin(f, "byte-order-mark", 1, "begins with a byte-order mark, which is dropped");
        end(f);
    }
    if (c->odd[CAU_ODD_CRLF].count && c->odd[CAU_ODD_CRLF].count < c->lines - 1)
        on_lines(f, "mixed-line-ends", &c->odd[CAU_ODD_CRLF], "line",
                 "with CR LF at the end, unlike the others; both are read");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        on_lines(f, list[i].name, &c->odd[list[i].odd], "line", list[i].text);
    if (c->odd[CAU_ODD_COMPOSED].count && c->odd[CAU_ODD_DECOMPOSED].count)
        on_lines(f, "mixed-normalisation", &c->odd[CAU_ODD_DECOMPOSED], "line",
                 "not in the normal form NFC, unlike others: accented letters are written in two "
                 "ways (uconv -x nfc)");
}

void cau_findings_add(cau_tree *tree, const cau_survey *survey, const cau_survey *other,
                      uint64_t rare)
{
    findings f = {.tree = tree, .survey = survey};
    find_in_labels(&f, other, rare);
    find_in_scheme(&f);
    find_in_sentences(&f, other);
    find_in_columns(&f);
    find_in_characters(&f);
    cau_strbuf_clear(&f.text);
}
