/* manual.c - caucus manual: the manual page caucus(1), in the man macros of roff.
 *
 * The text is that of the help: commands, options and topics, in plain ASCII. In roff a backslash
 * begins a command, as do a dot and a quote at the start of a line, and a hyphen, a quote or a
 * tilde is printed as a typographic character that no shell understands. print_char writes each of
 * them so that it is printed as it is. The page has no date, since it belongs to a version. */

#include <ctype.h>
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

/* Text on one line, without filling. */
static void print_verbatim(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) print_char(text[i], i == 0);
}

/* Text to fill. The source is broken at blanks to stay readable, and after each sentence, as roff
 * expects. */
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
static void print_option(const caucus_option_info *option)
{
    char limits[256], text[1024];
    option_limits(option, limits, sizeof limits);
    int n = snprintf(text, sizeof text, *limits ? "%s (%s)." : "%s.", option->help, limits);
    puts(".TP");
    if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    print_verbatim(option->name, strlen(option->name));
    fputs("\\fR", stdout);
    if (option->value) printf(" \\fI%s\\fR", option->value);
    putchar('\n');
    print_filled(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    putchar('\n');
}

/* "caucus tag [options] ...", with the command in bold. */
static void print_synopsis(const command *c)
{
    printf("\\fBcaucus %s\\fR", c->name);
    if (*c->synopsis) putchar(' ');
    print_verbatim(c->synopsis, strlen(c->synopsis));
    putchar('\n');
}

static void print_command(const command *c)
{
    const caucus_option_info *option;
    const char *group = NULL;
    fputs(".SS ", stdout);
    print_synopsis(c);
    print_paragraphs(c->about);
    for (size_t i = 0; (option = option_grouped(c, i)); i++) {
        if (!group || strcmp(group, option->group) != 0) printf(".PP\n\\fI%s\\fR\n", option->group);
        group = option->group;
        print_option(option);
    }
    if (c->examples) print_examples(c->examples);
}

static void print_topic(const topic *t)
{
    fputs(".SH ", stdout);
    for (const char *c = t->name; *c; c++) putchar(toupper((unsigned char)*c));
    putchar('\n');
    for (const topic_entry *e = t->entries; e->text; e++) {
        if (e->term) {
            fputs(".TP\n\\fB", stdout);
            print_verbatim(e->term, strlen(e->term));
            puts("\\fR");
        } else if (e > t->entries) {
            puts(".PP");
        }
        print_filled(e->text, strlen(e->text));
        putchar('\n');
    }
}

int cmd_manual(const request *r)
{
    (void)r;
    const command *c;
    const topic *t;
    printf(".\\\" Written by `caucus manual` from the tables of the program.\n"
           ".TH CAUCUS 1 \"\" \"caucus %s\" \"User Commands\"\n"
           ".SH NAME\n"
           "caucus \\- log\\-linear models for language\n"
           ".SH SYNOPSIS\n.nf\n",
           caucus_version());
    for (size_t i = 0; (c = command_at(i)); i++) print_synopsis(c);
    puts(".fi\n"
         ".SH DESCRIPTION\n"
         "Caucus trains log\\-linear models on labelled text: maximum\\-entropy classifiers\n"
         "(multinomial logistic regression), maximum\\-entropy Markov models and\n"
         "linear\\-chain conditional random fields.\n"
         "It labels data with them, scores the labels, shows what a model has learned,\n"
         "adapts models to new domains, and groups items without labels.\n"
         "Results go to standard output, notes and progress to standard error.\n"
         ".PP\n"
         "A value follows its option as \\fB\\-\\-name\\fR \\fIvalue\\fR,\n"
         "\\fB\\-\\-name=\\fR\\fIvalue\\fR, \\fB\\-x\\fR \\fIvalue\\fR or\n"
         "\\fB\\-x\\fR\\fIvalue\\fR.\n"
         "Options and files may be mixed, \\fB\\-\\-\\fR ends the options, and \\fB\\-\\fR is\n"
         "standard input.\n"
         "Every command has \\fB\\-\\-help\\fR.\n"
         "It shows the common options if there are many; \\fB\\-\\-help\\-all\\fR shows all.\n"
         ".SH COMMANDS");
    for (size_t i = 0; (c = command_at(i)); i++) print_command(c);
    for (size_t i = 0; (t = topic_at(i)); i++) print_topic(t);
    puts(".SH FILES\n"
         ".TP\n"
         "\\fIMODEL\\fR\n"
         "The model, with its training options, seed, scores and the fingerprint of\n"
         "its data.\n"
         "It is written to a temporary file and renamed: the path has the old file or the\n"
         "new one, never a part.\n"
         ".TP\n"
         "\\fIMODEL\\fR.checkpoint\n"
         "The state of an unfinished training run, for \\fB\\-\\-resume\\fR.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n"
         "\\fBCAUCUS_ISA\\fR\n"
         "\\fBbaseline\\fR, \\fBavx2\\fR or \\fBavx512\\fR: the instruction set to use,\n"
         "instead of the best that the processor has.\n"
         ".SH EXIT STATUS\n"
         ".TP\n0\n"
         "Success.\n"
         ".TP\n1\n"
         "An error in the data, a file or the system; one line says where, and what\n"
         "to do.\n"
         ".TP\n2\n"
         "Wrong usage.\n"
         ".TP\n130, 143\n"
         "Training was stopped by Ctrl\\-C or SIGTERM; the best model so far was saved.");
    return DONE;
}
