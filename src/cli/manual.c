/* manual.c - caucus manual: the manual page caucus(1), in the man macros of roff.
 *
 * The words are those of the help, from the rows of verbs and options, plain ASCII. To roff, a
 * backslash is a command, a dot or a quote at the start of a line is one too, and a hyphen,
 * a quote or a tilde becomes a typographic cousin that no shell understands when it is copied
 * from the page: print_char writes each of them as what it is. The page has no date: it
 * belongs to a version, not to a day. */

#include <string.h>

#include "cli.h"

static void print_char(char c, bool starts_line)
{
    static const struct {
        char c;
        const char *roff;
    } escapes[] = {
        {'\\', "\\e"},   {'-', "\\-"},   {'`', "\\(ga"},
        {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"},
    };
    if (c == '.' && starts_line) fputs("\\&", stdout);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (c == escapes[i].c) {
            fputs(escapes[i].roff, stdout);
            return;
        }
    putchar(c);
}

/* Text as it is, on one line. */
static void print_verbatim(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) print_char(text[i], i == 0);
}

/* Text to be filled: the source is broken at blanks to stay readable, and behind a sentence,
 * where roff wants it. */
static void print_filled(const char *text, size_t length)
{
    size_t column = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ' && (column > 60 || (i > 0 && text[i - 1] == '.'))) {
            putchar('\n');
            column = 0;
        } else {
            print_char(text[i], column++ == 0);
        }
    }
}

static void print_paragraphs(const char *text)
{
    for (;;) {
        const char *end = strstr(text, "\n\n");
        print_filled(text, end ? (size_t)(end - text) : strlen(text));
        putchar('\n');
        if (!end) return;
        puts(".PP");
        text = end + 2;
    }
}

/* One command a line. */
static void print_examples(const char *text)
{
    puts(".PP\n.RS 4\n.nf");
    while (*text) {
        size_t length = strcspn(text, "\n");
        print_verbatim(text, length);
        putchar('\n');
        text += length + (text[length] != '\0');
    }
    puts(".fi\n.RE");
}

/* The option in bold, its value in italics, then help and limits. */
static void print_option(const caucus_option_info *row)
{
    char limits[256], text[1024];
    help_limits(row, limits, sizeof limits);
    int n = snprintf(text, sizeof text, *limits ? "%s (%s)." : "%s.", row->help, limits);
    puts(".TP");
    if (row->letter) printf("\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", stdout);
    print_verbatim(row->name, strlen(row->name));
    fputs("\\fR", stdout);
    if (row->value) printf(" \\fI%s\\fR", row->value);
    putchar('\n');
    print_filled(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    putchar('\n');
}

/* "caucus tag [options] ...", with the verb in bold. */
static void print_form(const verb *v)
{
    printf("\\fBcaucus %s\\fR", v->name);
    if (*v->synopsis) putchar(' ');
    print_verbatim(v->synopsis, strlen(v->synopsis));
    putchar('\n');
}

static void print_verb(const verb *v)
{
    const caucus_option_info *row;
    const char *group = NULL;
    fputs(".SS ", stdout);
    print_form(v);
    print_paragraphs(v->about);
    for (size_t i = 0; (row = option_grouped(v, i)); i++) {
        if (!group || strcmp(group, row->group) != 0) printf(".PP\n\\fI%s\\fR\n", row->group);
        group = row->group;
        print_option(row);
    }
    if (v->examples) print_examples(v->examples);
}

int cmd_manual(const request *r)
{
    (void)r;
    const verb *v;
    const format_text *f;
    printf(".\\\" Written by `caucus manual` from the tables of the program.\n"
           ".TH CAUCUS 1 \"\" \"caucus %s\" \"User Commands\"\n"
           ".SH NAME\n"
           "caucus \\- log\\-linear models for language\n"
           ".SH SYNOPSIS\n.nf\n",
           caucus_version());
    for (size_t i = 0; (v = verb_at(i)); i++) print_form(v);
    puts(".fi\n"
         ".SH DESCRIPTION\n"
         "Caucus learns maximum\\-entropy classifiers (multinomial logistic\n"
         "regression) from labelled text or features, applies them, scores them\n"
         "and explains them.\n"
         "Results go to standard output, notes and progress to standard error.\n"
         ".PP\n"
         "A value follows its option as \\fB\\-\\-name\\fR \\fIvalue\\fR,\n"
         "\\fB\\-\\-name=\\fR\\fIvalue\\fR, \\fB\\-x\\fR \\fIvalue\\fR or\n"
         "\\fB\\-x\\fR\\fIvalue\\fR.\n"
         "Options may stand between files, \\fB\\-\\-\\fR ends them, and \\fB\\-\\fR is\n"
         "standard input.\n"
         "Every verb has \\fB\\-\\-help\\fR.\n"
         ".SH VERBS");
    for (size_t i = 0; (v = verb_at(i)); i++) print_verb(v);
    puts(".SH FORMATS");
    for (size_t i = 0; (f = format_at(i)); i++) {
        printf(".TP\n\\fB%s\\fR\n", f->name);
        print_paragraphs(f->text);
    }
    puts(".SH FILES\n"
         ".TP\n"
         "\\fIMODEL\\fR\n"
         "The model, with its training options, seed, scores and the fingerprint of\n"
         "its data.\n"
         "It is written beside and renamed: the path holds the old file or the new\n"
         "one, never a part.\n"
         ".TP\n"
         "\\fIMODEL\\fR.checkpoint\n"
         "Where a training run stands, for \\fB\\-\\-resume\\fR.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n"
         "\\fBCAUCUS_ISA\\fR\n"
         "\\fBbaseline\\fR, \\fBavx2\\fR or \\fBavx512\\fR: the instructions to compute with,\n"
         "instead of the best that the processor has.\n"
         ".SH EXIT STATUS\n"
         ".TP\n0\n"
         "Success.\n"
         ".TP\n1\n"
         "The data, a file or the system is at fault; one line says where, and what\n"
         "to do.\n"
         ".TP\n2\n"
         "The command makes no sense as it was written.\n"
         ".TP\n130, 143\n"
         "Training was stopped by Ctrl\\-C or SIGTERM; the model so far was saved.");
    return DONE;
}
