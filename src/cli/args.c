/* args.c - reads the arguments of any verb, from the rows of its options.
 *
 *     --name value   --name=value   -x value   -xvalue
 *     --flag         --flag=0       -x         -xyz (several flags, the last may take a value)
 *     --             all behind it are operands
 *     -              an operand: standard input
 *
 * Options and operands may be mixed. What a value may be, and which options exclude each
 * other, is checked by caucus_options_set, so that every caller of the library hears the
 * same; here is only how they are written. */

#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const caucus_option_info *row_of_name(const verb *v, const char *name)
{
    const caucus_option_info *row;
    for (size_t i = 0; (row = caucus_option_at(v->name, i)); i++)
        if (strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0))
            return row;
    return NULL;
}

static const caucus_option_info *row_of_letter(const verb *v, char letter)
{
    const caucus_option_info *row;
    for (size_t i = 0; (row = caucus_option_at(v->name, i)); i++)
        if (row->letter == letter) return row;
    return NULL;
}

static int set(request *r, const char *name, const char *value)
{
    if (!r->options)
        return misused("there is no option --%s; caucus %s takes none but --help", name,
                       r->verb->name);
    caucus_status st = caucus_options_set(r->ctx, r->options, name, value);
    return st ? failed(r->ctx, st) : DONE;
}

/* "--name" or "--name=value", from which the value is cut off in place. May take the argument
 * that follows, and then advances *at to it. */
static int read_long(request *r, char ***at)
{
    char *name = **at + 2;
    if (strcmp(name, "help") == 0) {
        r->help = true;
        return DONE;
    }
    char *value = strchr(name, '=');
    if (value) *value++ = '\0';
    const caucus_option_info *row = row_of_name(r->verb, name);
    if (row && row->kind != CAUCUS_OPTION_FLAG && !value && (*at)[1]) value = *++*at;
    return set(r, name, value);
}

/* "-x", "-xvalue" or "-xyz". A long name behind a single dash is a slip, not a value: -output
 * must not quietly mean -o utput. */
static int read_short(request *r, char ***at)
{
    char *letters = **at + 1;
    if (row_of_name(r->verb, letters))
        return misused("there is no option -%s; did you mean --%s?", letters, letters);
    for (; *letters; letters++) {
        if (*letters == 'h') {
            r->help = true;
            return DONE;
        }
        const caucus_option_info *row = row_of_letter(r->verb, *letters);
        if (!row)
            return misused("there is no option -%c; caucus %s --help lists them", *letters,
                           r->verb->name);
        if (row->kind != CAUCUS_OPTION_FLAG) {
            const char *value = letters[1] ? letters + 1 : NULL;
            if (!value && (*at)[1]) value = *++*at;
            return set(r, row->name, value);
        }
        int status = set(r, row->name, NULL);
        if (status) return status;
    }
    return DONE;
}

static int check_operands(const request *r)
{
    const verb *v = r->verb;
    const char *blank = *v->synopsis ? " " : "";
    if (r->operands < v->least)
        return misused("an operand is missing; the form is caucus %s%s%s", v->name, blank,
                       v->synopsis);
    if (r->operands > v->most)
        return misused("'%s' is one operand too many; the form is caucus %s%s%s",
                       r->operand[v->most], v->name, blank, v->synopsis);
    return DONE;
}

int args_parse(caucus_ctx *ctx, const verb *v, char **argv, request *out)
{
    size_t count = 0;
    while (argv[count]) count++;
    *out = (request){.ctx = ctx, .verb = v, .operand = calloc(count + 1, sizeof *out->operand)};
    if (!out->operand) {
        say("out of memory for the arguments; give fewer of them");
        return FAILED;
    }
    if (caucus_option_at(v->name, 0)) {
        caucus_status st = caucus_options_new(ctx, v->name, &out->options);
        if (st) return failed(ctx, st);
    }

    bool ended = false; /* by "--" */
    for (char **at = argv; *at && !out->help; at++) {
        const char *arg = *at;
        int status = DONE;
        if (ended || arg[0] != '-' || arg[1] == '\0')
            out->operand[out->operands++] = arg;
        else if (strcmp(arg, "--") == 0)
            ended = true;
        else if (arg[1] == '-')
            status = read_long(out, &at);
        else
            status = read_short(out, &at);
        if (status) return status;
    }
    if (out->options) {
        const char *quiet = caucus_options_get(out->options, "quiet");
        out->quiet = quiet && strcmp(quiet, "1") == 0;
    }
    return out->help ? DONE : check_operands(out);
}

void args_clear(request *r)
{
    caucus_options_free(r->options);
    free(r->operand);
    *r = (request){0};
}

const char *const *args_inputs(const request *r, size_t *count)
{
    static const char *const standard_input[] = {"-", NULL};
    *count = r->operands ? r->operands : 1;
    return r->operands ? r->operand : standard_input;
}
