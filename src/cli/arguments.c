/* arguments.c - reads the arguments of any command, from the table of its options.
 *
 *     --name value   --name=value   -x value   -xvalue
 *     --flag         --flag=0       -x         -xyz (several flags, the last may take a value)
 *     --             all arguments after it are operands
 *     -              an operand: standard input
 *
 * Options and operands may be mixed. caucus_options_set checks values and combinations, so that
 * every caller of the library gets the same messages; this file knows only the syntax. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The option with this name or letter, or NULL. */
static const caucus_option_info *find_option(const command *c, const char *name, char letter)
{
    const caucus_option_info *option;
    for (size_t i = 0; (option = caucus_option_at(c->name, i)); i++)
        if (name ? strcmp(option->name, name) == 0 ||
                       (option->alias && strcmp(option->alias, name) == 0)
                 : option->letter == letter)
            return option;
    return NULL;
}

/* Sets an option; an unknown one may be a misspelt --help. */
static int set_option(request *r, const char *name, const char *value)
{
    static const char *const help[] = {"help", "help-all", NULL};
    const char *guess = find_option(r->command, name, 0) ? NULL : caucus_nearest(name, help);
    if (guess) return misused("there is no option --%s; did you mean --%s?", name, guess);
    if (!r->options)
        return misused("there is no option --%s; caucus %s has only --help", name,
                       r->command->name);
    const caucus_status st = caucus_options_set(r->ctx, r->options, name, value);
    return st ? failed(r->ctx, st) : DONE;
}

/* Whether the argument after an option is another option instead of its value. A number may begin
 * with a minus sign, and a text with anything. */
static bool value_is_missing(const request *r, const caucus_option_info *option, const char *value)
{
    if (!value || value[0] != '-' || value[1] == '\0') return false;
    if (option->kind == CAUCUS_OPTION_TEXT || option->kind == CAUCUS_OPTION_TEXTS) return false;
    if (value[1] == '-') return true;
    return find_option(r->command, NULL, value[1]) != NULL;
}

/* Sets an option whose value is the next argument, and advances *at to it. */
static int set_from_next(request *r, const caucus_option_info *option, char ***at)
{
    char *value = (*at)[1];
    if (value_is_missing(r, option, value))
        return misused("--%s needs a value before %s: --%s %s", option->name, value, option->name,
                       option->value);
    if (value) ++*at;
    return set_option(r, option->name, value);
}

/* "--name" or "--name=value", which is cut at the '=' in place. */
static int read_long(request *r, char ***at)
{
    char *name = **at + 2, *value = strchr(name, '=');
    r->help = strcmp(name, "help") == 0;
    r->help_all = strcmp(name, "help-all") == 0;
    if (r->help || r->help_all) return DONE;
    if (value) *value++ = '\0';
    const caucus_option_info *option = find_option(r->command, name, 0);
    if (option && option->kind != CAUCUS_OPTION_FLAG && !value) return set_from_next(r, option, at);
    return set_option(r, name, value);
}

/* "-x", "-xvalue" or "-xyz". A long name after a single dash is a mistake, not a value: -output
 * must not silently mean -o utput. */
static int read_short(request *r, char ***at)
{
    char *letters = **at + 1;
    if (find_option(r->command, letters, 0))
        return misused("there is no option -%s; did you mean --%s?", letters, letters);
    for (; *letters; letters++) {
        const caucus_option_info *option = find_option(r->command, NULL, *letters);
        if (*letters == 'h') {
            r->help = true;
            return DONE;
        }
        if (!option && letters == **at + 1 && letters[1]) return set_option(r, letters, NULL);
        if (!option && *letters == 'o' && r->options) return set_option(r, "output", NULL);
        if (!option)
            return misused("there is no option -%c; caucus %s --help lists the options", *letters,
                           r->command->name);
        if (option->kind != CAUCUS_OPTION_FLAG)
            return letters[1] ? set_option(r, option->name, letters + 1)
                              : set_from_next(r, option, at);
        const int status = set_option(r, option->name, NULL);
        if (status) return status;
    }
    return DONE;
}

/* The name of the first missing operand: the required ones are the last words of the synopsis. */
static const char *missing_operand(const request *r)
{
    const char *at = r->command->synopsis + strlen(r->command->synopsis);
    for (size_t n = r->command->least - r->operands; n > 0; n--) do
            at--;
        while (at > r->command->synopsis && at[-1] != ' ');
    return at;
}

static int check_operands(const request *r)
{
    const command *c = r->command;
    const char *blank = *c->synopsis ? " " : "";
    if (r->operands < c->least) {
        const char *missing = missing_operand(r);
        return misused("%s needs %.*s; usage: caucus %s %s", c->name, (int)strcspn(missing, " ."),
                       missing, c->name, c->synopsis);
    }
    if (r->operands > c->most)
        return misused("unexpected argument '%s'; usage: caucus %s%s%s", r->operand[c->most],
                       c->name, blank, c->synopsis);
    return DONE;
}

int request_parse(caucus_ctx *ctx, const command *c, char **argv, request *out)
{
    size_t count = 0;
    while (argv[count]) count++;
    *out = (request){.ctx = ctx, .command = c, .operand = calloc(count + 1, sizeof *out->operand)};
    if (!out->operand) {
        say("out of memory for the arguments; give fewer of them");
        return FAILED;
    }
    if (caucus_option_at(c->name, 0)) {
        const caucus_status st = caucus_options_new(ctx, c->name, &out->options);
        if (st) return failed(ctx, st);
    }

    bool ended = false; /* by "--", or because another program's options follow */
    for (char **at = argv; *at && !out->help && !out->help_all; at++) {
        const char *arg = *at;
        int status = DONE;
        ended = ended || (c->raw && out->operands);
        if (ended || arg[0] != '-' || arg[1] == '\0')
            out->operand[out->operands++] = arg;
        else if (strcmp(arg, "--") == 0)
            ended = true;
        else
            status = arg[1] == '-' ? read_long(out, &at) : read_short(out, &at);
        if (status) return status;
    }
    if (out->options) out->quiet = strcmp(caucus_options_get(out->options, "quiet"), "1") == 0;
    return out->help || out->help_all ? DONE : check_operands(out);
}

void request_clear(request *r)
{
    caucus_options_free(r->options);
    free(r->operand);
    *r = (request){0};
}

const char *const *request_inputs(const request *r, size_t *count)
{
    static const char *const standard_input[] = {"-", NULL};
    *count = r->operands ? r->operands : 1;
    if (r->operands) return r->operand;
    if (!r->quiet && isatty(STDIN_FILENO)) say("reading from the terminal; Ctrl-D ends the input");
    return standard_input;
}
