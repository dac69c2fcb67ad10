/* help.c - help for people: an overview, a page for each verb, and the formats of data.
 *
 * Options stand under their headings in the order of their rows, each with what its value may
 * be and its default:
 *
 *     -t, --threads N           0 asks the machine; results do not depend on it
 *                               (0 to 4096; default 0)
 *
 * Pages fill the terminal up to 100 columns, and 80 where there is no terminal. */

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { NARROWEST = 60, USUAL = 80, WIDEST = 100, DEEPEST = 28 };

static size_t page_width(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
    if (size.ws_col < NARROWEST) return NARROWEST;
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* A blank that a line is not broken at: those in a formula, and the ones marked by GLUE. */
enum { GLUE = 1 };

static bool breaks(const char *text, const char *at)
{
    return *at == ' ' && at[1] != '=' && !(at > text && at[-1] == '=');
}

/* Prints the words of one paragraph with an indent. The first line has something in its first
 * `at` columns already; if that is too long, the words start on the next line. */
static void print_words(FILE *out, const char *text, size_t length, size_t indent, size_t at,
                        size_t width)
{
    const char *begin = text, *end = text + length;
    bool first = true;
    while (text < end) {
        size_t word = 0;
        while (text + word < end && !breaks(begin, text + word)) word++;
        bool in_the_way = first && at > 0 && at + 2 > indent;
        bool full = !first && at + 1 + word > width;
        if (in_the_way || full) {
            fputc('\n', out);
            at = 0;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        for (; at < indent; at++) fputc(' ', out);
        for (size_t i = 0; i < word; i++) fputc(text[i] == GLUE ? ' ' : text[i], out);
        at += word;
        text += word;
        while (text < end && *text == ' ') text++;
        first = false;
    }
    fputc('\n', out);
}

static void print_paragraphs(FILE *out, const char *text, size_t indent, size_t width)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        print_words(out, text, length, indent, 0, width);
        text += length;
        if (end) {
            fputc('\n', out);
            text += 2;
        }
    }
}

/* One line for each line of the text, indented and otherwise as it is. */
static void print_lines(FILE *out, const char *text, size_t indent)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, text);
        text += length + (text[length] != '\0');
    }
}

void help_limits(const caucus_option_info *row, char *text, size_t size)
{
    const double endless = 1e6; /* limits beyond are there for safety, not for people */
    size_t n = 0;
    *text = '\0';
    switch (row->kind) {
    case CAUCUS_OPTION_FLAG:
        return;
    case CAUCUS_OPTION_COUNT:
    case CAUCUS_OPTION_REAL:
        if (row->max < endless)
            n = (size_t)snprintf(text, size, "%g to %g", row->min, row->max);
        else if (row->min >= 1)
            n = (size_t)snprintf(text, size, "at least %g", row->min);
        else if (row->min > 0)
            n = (size_t)snprintf(text, size, "above 0");
        break;
    case CAUCUS_OPTION_CHOICE:
        for (const char *c = row->choices; strchr(row->choices, '|') && *c && n + 3 < size; c++) {
            if (*c == '|') text[n++] = ',';
            text[n++] = *c == '|' ? ' ' : *c;
            text[n] = '\0';
        }
        break;
    case CAUCUS_OPTION_TEXT:
    case CAUCUS_OPTION_FILE:
    case CAUCUS_OPTION_FILES:
    case CAUCUS_OPTION_TEXTS:
        break;
    }
    if (row->default_value && n < size)
        snprintf(text + n, size - n, "%sdefault %s", n ? "; " : "", row->default_value);
}

/* "  -f, --format NAME"; returns its width. */
static size_t format_label(const caucus_option_info *row, char *text, size_t size)
{
    char letter[] = "    ";
    if (row->letter) memcpy(letter, (char[]){'-', row->letter, ',', ' '}, 4);
    int n = snprintf(text, size, "  %s--%s%s%s", letter, row->name, row->value ? " " : "",
                     row->value ? row->value : "");
    return (size_t)n;
}

static void print_option(FILE *out, const caucus_option_info *row, size_t indent, size_t width)
{
    char label[128], limits[256], text[1024];
    size_t at = format_label(row, label, sizeof label);
    help_limits(row, limits, sizeof limits);
    for (char *c = limits; *c; c++)
        if (*c == ' ' && c[-1] != ',' && c[-1] != ';') *c = GLUE;
    snprintf(text, sizeof text, *limits ? "%s (%s)" : "%s", row->help, limits);
    fputs(label, out);
    print_words(out, text, strlen(text), indent, at, width);
}

static void print_options(FILE *out, const verb *v, size_t width)
{
    static const caucus_option_info help = {
        .name = "help", .letter = 'h', .kind = CAUCUS_OPTION_FLAG, .help = "show this page"};
    const caucus_option_info *row;
    const char *group = NULL;
    char label[128];
    size_t indent = 0;
    for (size_t i = 0; (row = option_grouped(v, i)); i++) {
        size_t n = format_label(row, label, sizeof label) + 2;
        if (n > indent && n <= DEEPEST) indent = n;
    }
    for (size_t i = 0; (row = option_grouped(v, i)); i++) {
        if (!group || strcmp(group, row->group) != 0) fprintf(out, "\n%s\n", row->group);
        group = row->group;
        print_option(out, row, indent, width);
    }
    if (indent) print_option(out, &help, indent, width);
}

void help_verb(FILE *out, const verb *v)
{
    size_t width = page_width(out);
    fprintf(out, "caucus %s: %s\n\n  caucus %s %s\n\n", v->name, v->summary, v->name, v->synopsis);
    print_paragraphs(out, v->about, 0, width);
    print_options(out, v, width);
    if (v->examples) {
        fputs("\nExamples\n", out);
        print_lines(out, v->examples, 2);
    }
}

void help_overview(FILE *out)
{
    const verb *v;
    size_t longest = 0;
    for (size_t i = 0; (v = verb_at(i)); i++) {
        size_t n = strlen(v->name) + 1 + strlen(v->synopsis);
        if (n > longest) longest = n;
    }
    fputs("caucus: log-linear models for language\n\n", out);
    for (size_t i = 0; (v = verb_at(i)); i++) {
        int pad = (int)(longest - strlen(v->name) - 1);
        fprintf(out, "  caucus %s %-*s  %s\n", v->name, pad, v->synopsis, v->summary);
    }
    fputs("\nTrain on labelled lines, label others, and count how many are right:\n\n"
          "  caucus train -o spam.cau train.txt\n"
          "  caucus tag -m spam.cau test.txt | caucus eval\n\n"
          "`caucus VERB --help` explains a verb, `caucus manual | man -l -` shows everything.\n",
          out);
}

static void help_formats(FILE *out)
{
    size_t width = page_width(out);
    const format_text *f;
    fputs("Formats of data\n\n", out);
    for (size_t i = 0; (f = format_at(i)); i++) {
        int at = fprintf(out, "  %s", f->name);
        print_words(out, f->text, strlen(f->text), 12, (size_t)at, width);
    }
    fputc('\n', out);
    print_paragraphs(out,
                     "In all of them a line is an instance, training skips empty lines, and "
                     "gzip, zstd and xz are unpacked on the fly. --format forces a format.",
                     0, width);
}

int cmd_help(const request *r)
{
    if (r->operands == 0)
        help_overview(stdout);
    else if (strcmp(r->operand[0], "formats") == 0)
        help_formats(stdout);
    else if (verb_find(r->operand[0]))
        help_verb(stdout, verb_find(r->operand[0]));
    else
        return verb_unknown(r->operand[0]);
    return DONE;
}

int cmd_version(const request *r)
{
    (void)r;
    printf("caucus %s\n", caucus_version());
    return DONE;
}
