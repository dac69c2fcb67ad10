/* help.c - help for people: the overview, the page of a command, the page of a topic.
 *
 *     -t, --threads N           number of threads; 0 is one per processor; results
 *                               do not depend on it (0 to 4096; default 0)
 *
 * A page is as wide as the terminal, up to 100 columns, and 80 columns without a terminal. */

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum {
    NARROWEST = 60,
    USUAL = 80,
    WIDEST = 100,
    TERM_INDENT = 16,
    DEEPEST = 28,   /* indent of the help texts */
    SHORT_PAGE = 24 /* a command with more options has a short page for the common ones */
};

static size_t page_width(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
    if (size.ws_col < NARROWEST) return NARROWEST;
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* Printed as a blank, but a line is not broken there. */
enum { GLUE = 1 };

/* A formula is not broken around '='. */
static bool breaks(const char *text, const char *at)
{
    return *at == ' ' && at[1] != '=' && !(at > text && at[-1] == '=');
}

/* Prints a paragraph with an indent. Something is already printed in the first `at` columns; if
 * that is too long, the paragraph begins on the next line. */
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

/* Prints an empty line and the first paragraph of a text; the rest of the text. */
static const char *print_paragraph(FILE *out, const char *text, size_t width)
{
    const char *end = strstr(text, "\n\n");
    fputc('\n', out);
    print_words(out, text, end ? (size_t)(end - text) : strlen(text), 0, 0, width);
    return end ? end + 2 : "";
}

void option_limits(const caucus_option_info *option, char *text, size_t size)
{
    const double endless = 1e3; /* larger limits are for safety and not worth printing */
    size_t n = 0;
    *text = '\0';
    switch (option->kind) {
    case CAUCUS_OPTION_FLAG:
        return;
    case CAUCUS_OPTION_COUNT:
    case CAUCUS_OPTION_REAL:
        if (option->max < endless)
            n = (size_t)snprintf(text, size, "%g to %g", option->min, option->max);
        else if (option->min >= 1)
            n = (size_t)snprintf(text, size, "at least %g", option->min);
        else if (option->min > 0)
            n = (size_t)snprintf(text, size, "above 0");
        break;
    case CAUCUS_OPTION_CHOICE:
        if (strstr(option->help, "caucus help formats")) break; /* which lists them */
        for (const char *c = option->choices; strchr(option->choices, '|') && *c && n + 3 < size;
             c++) {
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
    if (option->default_value && n < size)
        snprintf(text + n, size - n, "%sdefault %s", n ? "; " : "", option->default_value);
}

/* "  -f, --format NAME"; returns its width. */
static size_t format_label(const caucus_option_info *option, char *text, size_t size)
{
    char letter[] = "    ";
    if (option->letter) memcpy(letter, (char[]){'-', option->letter, ',', ' '}, 4);
    return (size_t)snprintf(text, size, "  %s--%s%s%s", letter, option->name,
                            option->value ? " " : "", option->value ? option->value : "");
}

static void print_option(FILE *out, const caucus_option_info *option, size_t indent, size_t width)
{
    char label[128], limits[256], text[1024];
    const size_t at = format_label(option, label, sizeof label);
    option_limits(option, limits, sizeof limits);
    for (char *c = limits; *c; c++)
        if (*c == ' ' && c[-1] != ',' && c[-1] != ';') *c = GLUE;
    snprintf(text, sizeof text, *limits ? "%s (%s)" : "%s", option->help, limits);
    fputs(label, out);
    print_words(out, text, strlen(text), indent, at, width);
}

const caucus_option_info *option_grouped(const command *c, size_t index)
{
    const caucus_option_info *first, *option;
    for (size_t i = 0; (first = caucus_option_at(c->name, i)); i++) {
        bool earlier = false; /* the group of option i had its turn */
        for (size_t j = 0; j < i && !earlier; j++)
            earlier = strcmp(caucus_option_at(c->name, j)->group, first->group) == 0;
        for (size_t j = i; !earlier && (option = caucus_option_at(c->name, j)); j++)
            if (strcmp(option->group, first->group) == 0 && index-- == 0) return option;
    }
    return NULL;
}

static void print_options(FILE *out, const command *c, bool all, size_t width)
{
    static const caucus_option_info help = {
        .name = "help", .letter = 'h', .kind = CAUCUS_OPTION_FLAG, .help = "show this page"};
    static const caucus_option_info help_all = {
        .name = "help-all", .kind = CAUCUS_OPTION_FLAG, .help = "show all options"};
    const caucus_option_info *option;
    const char *group = all ? NULL : "Common options";
    char label[128];
    size_t indent = 0;
    for (size_t i = 0; (option = caucus_option_at(c->name, i)); i++) {
        const size_t n = format_label(option, label, sizeof label) + 2;
        if ((all || option->common) && n > indent && n <= DEEPEST) indent = n;
    }
    if (!indent) return;
    if (!all) fprintf(out, "\n%s\n", group);
    for (size_t i = 0; (option = all ? option_grouped(c, i) : caucus_option_at(c->name, i)); i++) {
        if (!all && !option->common) continue;
        if (all && (!group || strcmp(group, option->group) != 0))
            fprintf(out, "\n%s\n", option->group);
        if (all) group = option->group;
        print_option(out, option, indent, width);
    }
    print_option(out, &help, indent, width);
    if (!all) print_option(out, &help_all, indent, width);
}

void help_command(FILE *out, const command *c, bool all)
{
    const size_t width = page_width(out);
    size_t options = 0;
    while (caucus_option_at(c->name, options)) options++;
    if (options <= SHORT_PAGE) all = true;
    fprintf(out, "caucus %s: %s\n\n  caucus %s%s%s\n", c->name, c->summary, c->name,
            *c->synopsis ? " " : "", c->synopsis);
    const char *rest = print_paragraph(out, c->about, width);
    while (all && *rest) rest = print_paragraph(out, rest, width);
    print_options(out, c, all, width);
    if (!c->examples) return;
    fputs("\nExamples\n", out);
    for (const char *at = c->examples; *at; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        fprintf(out, "  %.*s\n", (int)length, at);
        at += length;
    }
}

void help_overview(FILE *out)
{
    const command *c;
    const topic *t;
    fputs("caucus: log-linear models for language\n\n"
          "  caucus COMMAND [options] ...\n\n"
          "Commands\n",
          out);
    for (size_t i = 0; (c = command_at(i)); i++) fprintf(out, "  %-12s%s\n", c->name, c->summary);
    fputs("\nTopics\n", out);
    for (size_t i = 0; (t = topic_at(i)); i++) fprintf(out, "  %-12s%s\n", t->name, t->summary);
    fputs("\nExamples\n"
          "  caucus train -o spam.cau train.txt\n"
          "  caucus tag -m spam.cau test.txt | caucus eval\n\n"
          "`caucus COMMAND --help` and `caucus help TOPIC` show more,\n"
          "`caucus manual | man -l -` shows everything.\n",
          out);
}

static void help_topic(const topic *t)
{
    const size_t width = page_width(stdout);
    printf("%s: %s\n\n", t->name, t->summary);
    for (const topic_entry *e = t->entries; e->text; e++) {
        const size_t at = e->term ? (size_t)printf("  %s", e->term) : 0;
        if (!e->term && e > t->entries) putchar('\n');
        print_words(stdout, e->text, strlen(e->text), e->term ? TERM_INDENT : 0, at, width);
        if (!e->term && e[1].text) putchar('\n');
    }
}

int cmd_help(const request *r)
{
    const char *name = r->operands ? r->operand[0] : NULL;
    const command *c = name ? command_find(name) : NULL;
    const char *names[64] = {0};
    const topic *t;
    size_t count = 0;
    if (!name) help_overview(stdout);
    if (c) help_command(stdout, c, false);
    if (!name || c) return DONE;
    for (size_t i = 0; (t = topic_at(i)); i++) {
        names[count++] = t->name;
        if (strcmp(t->name, name) == 0) {
            help_topic(t);
            return DONE;
        }
    }
    const char *guess = caucus_nearest(name, names);
    if (!guess) guess = command_guess(name);
    if (guess) return misused("there is no command or topic '%s'; did you mean '%s'?", name, guess);
    return misused("there is no command or topic '%s'; `caucus help` lists them", name);
}
