/* options.c - setting, reading and copying the options of a command. */

#include "api/options.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/option_table.h"
#include "base/status.h"

enum { ALL_COMMANDS = ~0u };

static unsigned command_bit(const char *name)
{
    const cau_command_bit *c = cau_command_bits;
    while (c->name && strcmp(c->name, name) != 0) c++;
    return c->bit;
}

static const char *command_name(unsigned bits)
{
    const cau_command_bit *c = cau_command_bits;
    while (!(c->bit & bits)) c++;
    return c->name;
}

static bool is_called(const cau_option_row *r, const char *name)
{
    return strcmp(r->info.name, name) == 0 || (r->info.alias && strcmp(r->info.alias, name) == 0);
}

/* The row of an option of any of these commands (bits), or NULL. */
static const cau_option_row *find_row(unsigned commands, const char *name)
{
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++)
        if ((r->commands & commands) && is_called(r, name)) return r;
    return NULL;
}

const caucus_option_info *caucus_option_at(const char *command, size_t index)
{
    const unsigned bit = command_bit(command);
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++)
        if ((r->commands & bit) && index-- == 0) return &r->info;
    return NULL;
}

/* ---- names that do not exist ----------------------------------------------------------------- */

/* An exact part of a name counts as three edits, so that "calibration" finds "plot-calibration".
 * A short word is another word after one edit, a long one after three. */
const char *caucus_nearest(const char *word, const char *const *names)
{
    const size_t n = strlen(word), limit = n < 4 ? 1 : n < 8 ? 2 : 3;
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (; *names; names++) {
        size_t edits = strcasecmp(word, *names) == 0 ? 0 : cau_edit_distance(word, *names);
        if (edits > limit && (n < 4 || !strstr(*names, word))) continue;
        if (edits > limit) edits = 3;
        if (edits < least && edits < strlen(*names)) {
            least = edits;
            best = *names;
        }
    }
    return best;
}

/* The names that other tools use come first, then options of other commands, then spelling. */
static caucus_status unknown_option(caucus_ctx *ctx, unsigned command, const char *name)
{
    const char *names[CAU_OPTIONS_MAX + 1], *guess = NULL;
    size_t count = 0;
    for (const cau_option_slip *slip = cau_option_slips; slip->name && !guess; slip++)
        if (strcmp(slip->name, name) == 0 && find_row(command, slip->option)) guess = slip->option;
    const cau_option_row *other = find_row(ALL_COMMANDS, name);
    if (other && !guess && strcmp(name, "output") == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%s has no option --output; it writes to standard output, which > FILE "
                        "redirects",
                        command_name(command));
    if (other && !guess)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s is an option of %s, not of %s", name,
                        command_name(other->commands), command_name(command));
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++)
        if (r->commands & command) names[count++] = r->info.name;
    names[count] = NULL;
    if (!guess) guess = caucus_nearest(name, names);
    if (guess)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "there is no option --%s; did you mean --%s?",
                        name, guess);
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "there is no option --%s; caucus %s --help-all lists all options", name,
                    command_name(command));
}

/* ---- values ---------------------------------------------------------------------------------- */

static caucus_status unknown_choice(caucus_ctx *ctx, const caucus_option_info *info,
                                    const char *text)
{
    enum { MOST_CHOICES = 32 };
    char list[256];
    const char *names[MOST_CHOICES + 1], *guess;
    size_t count = 0;
    assert(strlen(info->choices) < sizeof list);
    strcpy(list, info->choices);
    for (char *rest = NULL, *name = strtok_r(list, "|", &rest); name && count < MOST_CHOICES;
         name = strtok_r(NULL, "|", &rest))
        names[count++] = name;
    names[count] = NULL;
    guess = caucus_nearest(text, names);
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s %s: unknown choice; %s%s%schoose one of %s",
                    info->name, text, guess ? "did you mean " : "", guess ? guess : "",
                    guess ? "? " : "", info->choices);
}

/* The index of a text among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    int index = 0;
    for (const char *at = choices;; at++, index++) {
        const size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, text, n) == 0) return index;
        at += length;
        if (!*at) return -1;
    }
}

/* The other side of the pair with `text` on one side, in "old=new|old=new": the new name of an old
 * one, or the reverse; `text` itself without such a pair. */
static cau_str other_name(const char *aliases, const char *text, bool old)
{
    while (aliases && *aliases) {
        const cau_str before = {aliases, strcspn(aliases, "=")};
        const cau_str after = {before.s + before.n + 1, strcspn(before.s + before.n + 1, "|")};
        const cau_str side = old ? after : before;
        if (side.n == strlen(text) && memcmp(side.s, text, side.n) == 0)
            return old ? before : after;
        aliases = after.s + after.n + (after.s[after.n] == '|');
    }
    return cau_str_of(text);
}

static bool is_list(const cau_option_row *r)
{
    return r->info.kind == CAUCUS_OPTION_FILES || r->info.kind == CAUCUS_OPTION_TEXTS;
}

static const void *field_of(const caucus_options *options, const cau_option_row *r)
{
    return (const char *)options + r->field;
}

/* Adds one path or text to a list. The earlier list stays in the arena, which is small. */
static caucus_status append(caucus_ctx *ctx, caucus_options *options, cau_paths *list,
                            const char *text)
{
    const char **more = cau_arena_alloc(&options->arena, list->count + 1, sizeof(char *));
    if (!more) return cau_fail_memory(ctx, "an option");
    for (size_t i = 0; i < list->count; i++) more[i] = list->path[i];
    more[list->count] = text;
    *list = (cau_paths){list->count + 1, more};
    return CAUCUS_OK;
}

/* Checks a value against its row and stores it in the field, which may point to it: `text` must
 * live as long as the options. Numbers are copied by memcpy, since a count may be a size_t or a
 * uint64_t and a choice any enum; FIELD has checked the widths. */
static caucus_status assign(caucus_ctx *ctx, caucus_options *options, const cau_option_row *r,
                            const char *text)
{
    const caucus_option_info *info = &r->info;
    void *field = (char *)options + r->field;
    const size_t n = strlen(text);

    switch (info->kind) {
    case CAUCUS_OPTION_FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s takes no value; leave out '%s', or write 0 or 1", info->name,
                            text);
        *(bool *)field = text[0] == '1';
        break;
    case CAUCUS_OPTION_COUNT: {
        uint64_t count;
        if (!cau_parse_count(text, n, &count) || (double)count < info->min ||
            (double)count > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s %s: expected a whole number from %.0f to %.0f", info->name, text,
                            info->min, info->max);
        memcpy(field, &count, sizeof count);
        break;
    }
    case CAUCUS_OPTION_REAL: {
        double real;
        if (!cau_parse_real(text, n, &real) || !isfinite(real) || real < info->min ||
            real > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s %s: expected a number from %g to %g",
                            info->name, text, info->min, info->max);
        *(double *)field = r->convert == TWICE ? 2 * real : r->convert == INVERSE ? 1 / real : real;
        break;
    }
    case CAUCUS_OPTION_CHOICE: {
        const int index = choice_index(info->choices, text);
        if (index < 0) return unknown_choice(ctx, info, text);
        memcpy(field, &index, sizeof index);
        break;
    }
    case CAUCUS_OPTION_TEXT:
    case CAUCUS_OPTION_FILE:
    case CAUCUS_OPTION_FILES:
    case CAUCUS_OPTION_TEXTS:
        if (n == 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s: the value is empty", info->name);
        if (is_list(r)) return append(ctx, options, field, text);
        *(const char **)field = text;
        break;
    }
    return CAUCUS_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

caucus_status caucus_options_new(caucus_ctx *ctx, const char *command, caucus_options **out)
{
    const unsigned bit = command_bit(command);
    if (!bit)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "there is no command '%s'; take train, tag, eval, adapt, cluster, inspect, "
                        "convert or features",
                        command);
    caucus_options *options = cau_calloc(1, sizeof *options);
    if (!options) return cau_fail_memory(ctx, "the options");
    options->command = bit;
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++) {
        if (!(r->commands & bit) || !r->info.default_value) continue;
        const caucus_status st = assign(ctx, options, r, r->info.default_value);
        if (st) {
            caucus_options_free(options);
            return st;
        }
    }
    *out = options;
    return CAUCUS_OK;
}

void caucus_options_free(caucus_options *options)
{
    if (!options) return;
    cau_arena_clear(&options->arena);
    free(options);
}

/* The value of a row as it was set, or NULL. */
static const char *text_of(const caucus_options *options, const cau_option_row *r)
{
    return options->text[r - cau_option_rows];
}

/* Another row that was set and sets the same member, as --C and --l2 do; or NULL. */
static const cau_option_row *find_rival(const caucus_options *options, const cau_option_row *r)
{
    for (const cau_option_row *other = cau_option_rows; other->info.name; other++)
        if (other != r && other->field == r->field && text_of(options, other)) return other;
    return NULL;
}

caucus_status caucus_options_set(caucus_ctx *ctx, caucus_options *options, const char *name,
                                 const char *value)
{
    const cau_option_row *r = find_row(options->command, name);
    if (!r) return unknown_option(ctx, options->command, name);
    if (!value && r->info.kind != CAUCUS_OPTION_FLAG)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s needs a value: --%s %s", name, name,
                        r->info.value);
    const cau_option_row *rival = find_rival(options, r);
    if (rival)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--%s and --%s set the same thing; give one of them", rival->info.name,
                        name);

    const cau_str copied = other_name(r->aliases, value ? value : "1", false);
    const char *text = cau_arena_copy(&options->arena, copied.s, copied.n);
    if (!text) return cau_fail_memory(ctx, "an option");
    const caucus_status st = assign(ctx, options, r, text);
    if (!st) options->text[r - cau_option_rows] = text;
    return st;
}

const char *caucus_options_get(const caucus_options *options, const char *name)
{
    const cau_option_row *r = find_row(options->command, name);
    if (!r) return NULL;
    return text_of(options, r) ? text_of(options, r) : r->info.default_value;
}

const char *caucus_options_get_at(const caucus_options *options, const char *name, size_t index)
{
    const cau_option_row *r = find_row(options->command, name);
    if (!r || !is_list(r)) return r && index == 0 ? caucus_options_get(options, name) : NULL;
    const cau_paths *list = field_of(options, r);
    return index < list->count ? list->path[index] : NULL;
}

const char *const cau_options_all[] = {NULL};

caucus_status cau_options_copy(caucus_ctx *ctx, const caucus_options *options,
                               const char *const *without, caucus_options **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_options *copy = NULL;
    TRY(caucus_options_new(ctx, command_name(options->command), &copy));
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++) {
        const char *value;
        size_t w = 0;
        while (without[w] && strcmp(without[w], r->info.name) != 0) w++;
        if (without[w] || !text_of(options, r)) continue;
        for (size_t i = 0; (value = caucus_options_get_at(options, r->info.name, i)); i++)
            TRY(caucus_options_set(ctx, copy, r->info.name, value));
    }
    *out = copy;
    copy = NULL;
done:
    caucus_options_free(copy);
    return st;
}

const caucus_option_info *cau_options_varies(const caucus_options *options, const char *name,
                                             bool *penalty)
{
    static const char *const groups[] = {CAU_GROUP_MODEL, CAU_GROUP_UNITS, CAU_GROUP_SOLVER,
                                         CAU_GROUP_POOL, CAU_GROUP_STOP};
    const cau_option_row *r = find_row(options->command, name);
    if (!r || r->info.kind == CAUCUS_OPTION_TEXT || r->info.kind == CAUCUS_OPTION_FILE ||
        is_list(r))
        return NULL;
    *penalty = r->field == offsetof(caucus_options, train.l1) ||
               r->field == offsetof(caucus_options, train.l2) ||
               r->field == offsetof(caucus_options, train.elitist);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(r->info.group, groups[i]) == 0) return &r->info;
    return NULL;
}

bool cau_options_is_set(const caucus_options *options, const char *name)
{
    const cau_option_row *r = find_row(options->command, name);
    return r && text_of(options, r);
}

/* Whether a text is just another way to write the default. */
static bool is_default(const cau_option_row *r, const char *text)
{
    const char *standard = r->info.default_value;
    double x, y;
    if (!standard) return false;
    if (r->info.kind != CAUCUS_OPTION_COUNT && r->info.kind != CAUCUS_OPTION_REAL)
        return strcmp(text, standard) == 0;
    return cau_parse_real(text, strlen(text), &x) &&
           cau_parse_real(standard, strlen(standard), &y) && x == y;
}

/* Whether a text names an open file of this process, a number that means nothing later. */
static bool is_descriptor(const cau_option_row *r, const char *text)
{
    return r->info.kind == CAUCUS_OPTION_FILE &&
           (strncmp(text, "/proc/self/fd/", 14) == 0 || strncmp(text, "/dev/fd/", 8) == 0);
}

/* Two spellings of the same request give the same file: defaults are not noted, and l1 and l2
 * always are, in our unit. */
void cau_options_kept(const caucus_options *options, cau_options_which which, cau_strbuf *out)
{
    for (const cau_option_row *r = cau_option_rows; r->info.name; r++) {
        const char *text = text_of(options, r), *name = r->info.name;
        if (!r->kept || !(r->commands & options->command)) continue;
        if (which == CAU_OPTIONS_SHAPE && strcmp(r->info.group, CAU_GROUP_STOP) == 0) continue;
        if (strcmp(name, "l1") == 0 || strcmp(name, "l2") == 0) {
            const double *x = field_of(options, r);
            cau_strbuf_printf(out, "option.%s\t%.17g\n", name, *x);
        } else if (text && !is_default(r, text) && !is_descriptor(r, text)) {
            /* A checkpoint from before a choice was renamed must still agree. */
            const bool old = which == CAU_OPTIONS_SHAPE;
            cau_strbuf_printf(out, "option.%s\t", name);
            cau_strbuf_escape(out, old ? other_name(r->aliases, text, true) : cau_str_of(text));
            cau_strbuf_add(out, "\n", 1);
        }
    }
}

bool cau_options_of(const caucus_options *options, const char *command)
{
    return options->command == command_bit(command);
}

caucus_status cau_options_expect(caucus_ctx *ctx, const caucus_options *options, const char *first,
                                 const char *second)
{
    if (cau_options_of(options, first) || (second && cau_options_of(options, second)))
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "these are the options of '%s'; make those of '%s'%s%s%s instead",
                    command_name(options->command), first, second ? " or '" : "",
                    second ? second : "", second ? "'" : "");
}
