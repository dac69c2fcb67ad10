/* compat.c - caucus compat: stand-ins for the programs of other toolkits.
 *
 * The program is chosen by the first argument, or by the name under which caucus was started, so a
 * link called crf_learn is enough for scripts that start crf_learn. */

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"

static const struct {
    const char *name;
    stand_in_fn *run;
} programs[] = {{"crfsuite", compat_crfsuite},
                {"crf_learn", compat_crf_learn},
                {"crf_test", compat_crf_test},
                {"wapiti", compat_wapiti}};

stand_in_fn *compat_find(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, name) == 0) return programs[i].run;
    return NULL;
}

int cmd_compat(const request *r)
{
    stand_in_fn *run = compat_find(r->operand[0]);
    if (!run)
        return misused(
            "there is no stand-in for %s; there are crfsuite, crf_learn, crf_test and wapiti",
            r->operand[0]);
    return run(r->ctx, (int)r->operands, (char **)r->operand);
}

/* ---- flags ----------------------------------------------------------------------------------- */

void stand_in_begin(stand_in *s, caucus_ctx *ctx, const char *program, const char *options_of)
{
    *s = (stand_in){.ctx = ctx, .program = program, .start = seconds_now(), .previous = NAN};
    const caucus_status st = caucus_options_new(ctx, options_of, &s->options);
    if (st) {
        s->status = failed(ctx, st);
        s->stopped = true;
    }
    caucus_on_note(ctx, NULL, NULL); /* the programs write none */
    optind = 0;                      /* getopt begins again */
    opterr = 0;
}

int stand_in_end(stand_in *s)
{
    caucus_options_free(s->options);
    return s->status;
}

void stand_in_misused(stand_in *s, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s->stopped) s->status = misused("%s: %s", s->program, text);
    s->stopped = true;
}

void stand_in_ignores(const stand_in *s, const char *flag, const char *why)
{
    say("%s: %s is ignored: %s", s->program, flag, why);
}

int stand_in_flag(stand_in *s, int argc, char **argv, const char *letters,
                  const struct option *names)
{
    if (s->stopped) return -1;
    const int flag = getopt_long(argc, argv, letters, names, NULL);
    if (flag == '?' || flag == ':') {
        const char *given = optopt && optopt < 128 ? (char[]){'-', (char)optopt, '\0'}
                                                   : argv[optind ? optind - 1 : 0];
        stand_in_misused(s,
                         flag == '?' ? "there is no option %s; --help lists the options"
                                     : "%s needs a value; --help lists the options",
                         given);
        return -1;
    }
    if (flag == -1) {
        s->input = (const char **)argv + optind;
        s->inputs = (size_t)(argc - optind);
    }
    return flag;
}

void stand_in_set(stand_in *s, const char *name, const char *value)
{
    if (s->stopped) return;
    const caucus_status st = caucus_options_set(s->ctx, s->options, name, value);
    if (!st) return;
    s->status = failed(s->ctx, st);
    s->stopped = true;
}

void stand_in_set_number(stand_in *s, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    stand_in_set(s, name, text);
}

double stand_in_number(stand_in *s, const char *flag, const char *value)
{
    char *end;
    const double x = strtod(value, &end);
    if (end != value && !*end && isfinite(x)) return x;
    stand_in_misused(s, "%s %s: not a number", flag, value);
    return 1;
}

void stand_in_expect(stand_in *s, size_t least, size_t most, const char *usage)
{
    if (s->stopped || (s->inputs >= least && s->inputs <= most)) return;
    stand_in_misused(s, "%s; usage: %s", s->inputs < least ? "a file is missing" : "too many files",
                     usage);
}

/* ---- training and tagging -------------------------------------------------------------------- */

static void stop(stand_in *s, caucus_status st)
{
    s->status = output_status(s->ctx, st);
    s->stopped = s->stopped || st;
}

/* The progress function of the stand-in, stopped by a signal. */
typedef struct {
    stand_in *s;
    caucus_progress_fn *show;
} shown_progress;

static bool on_iteration(void *user, const caucus_progress *progress)
{
    const shown_progress *p = user;
    if (p->show) p->show(p->s, progress);
    p->s->previous = progress->objective;
    p->s->elapsed = progress->elapsed;
    return !caught_signal();
}

/* The library first saves a model of ours there: so the path is tried before the data is read, and
 * an interrupted run leaves the best model so far. */
static void try_output(stand_in *s, const char *path)
{
    if (path) stand_in_set(s, "output", path);
    if (!s->stopped) stop(s, caucus_train_check(s->ctx, s->options));
}

void stand_in_train(stand_in *s, const char *const *data, size_t count, const char *form,
                    const char *path, caucus_progress_fn *progress, caucus_model **out)
{
    if (s->stopped) return;
    for (size_t i = 0; i < count && path; i++)
        if (same_file(path, data[i])) {
            stand_in_misused(s, "%s is both the data and the model; give the model another name",
                             path);
            return;
        }
    caucus_data *set = NULL;
    try_output(s, path);
    if (s->stopped) return;
    stop(s, caucus_data_read(s->ctx, s->options, data, count, &set));
    stand_in_train_on(s, set, form, path, progress, out);
    caucus_data_free(set);
}

void stand_in_train_on(stand_in *s, const caucus_data *set, const char *form, const char *path,
                       caucus_progress_fn *progress, caucus_model **out)
{
    try_output(s, path);
    if (s->stopped) return;
    shown_progress shown = {s, progress};
    caucus_on_progress(s->ctx, on_iteration, &shown);
    catch_signals(false);
    caucus_status st = caucus_train(s->ctx, set, s->options, out);
    if (!st && path) st = caucus_model_export(s->ctx, *out, form, path);
    caucus_on_progress(s->ctx, NULL, NULL);
    stop(s, st);
    if (caught_signal()) s->status = 128 + caught_signal();
}

caucus_model *stand_in_open(stand_in *s, const char *path)
{
    caucus_model *model = NULL;
    if (s->stopped) return NULL;
    const caucus_status st = caucus_model_open(s->ctx, path, &model);
    if (!st) return model;
    s->status = failed(s->ctx, st);
    s->stopped = true;
    return NULL;
}

/* Lines of what the library writes in pieces. */
typedef struct {
    stand_in_line_fn *line;
    void *user;
    char *text;
    size_t length, room;
} line_splitter;

static caucus_status split_lines(void *user, const char *bytes, size_t length)
{
    line_splitter *l = user;
    for (const char *end; length; bytes = end) {
        const char *newline = memchr(bytes, '\n', length);
        const size_t n = newline ? (size_t)(newline - bytes) : length;
        if (l->length + n + 1 > l->room) {
            const size_t room = 2 * (l->length + n + 1);
            char *more = realloc(l->text, room);
            if (!more) return CAUCUS_ERR_MEMORY;
            l->text = more;
            l->room = room;
        }
        memcpy(l->text + l->length, bytes, n);
        l->length += n;
        end = bytes + n + (newline != NULL);
        length -= n + (newline != NULL);
        if (!newline) break;
        l->text[l->length] = '\0';
        l->length = 0;
        l->line(l->user, l->text);
    }
    return CAUCUS_OK;
}

void stand_in_tag(stand_in *s, const caucus_model *model, stand_in_line_fn *line, void *user)
{
    static const char *const standard_input[] = {"-"};
    const char *const *input = s->inputs ? s->input : standard_input;
    line_splitter lines = {line, user, NULL, 0, 0};
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < (s->inputs ? s->inputs : 1) && !st && !s->stopped; i++)
        st = caucus_tag(s->ctx, model, s->options, input[i], split_lines, &lines);
    free(lines.text);
    stop(s, st);
}

char *stand_in_last_column(char *line)
{
    char *tab = strrchr(line, '\t');
    if (!tab) return NULL;
    *tab = '\0';
    return tab + 1;
}

char *stand_in_split_probability(char *cell)
{
    char *colon = strrchr(cell, ':');
    if (!colon) return NULL;
    *colon = '\0';
    return colon + 1;
}

double stand_in_probability_of(const char *list, const char *label)
{
    const size_t n = strlen(label);
    for (const char *cell = list;; cell++) {
        const size_t length = strcspn(cell, "\t");
        if (length > n && memcmp(cell, label, n) == 0 && cell[n] == ':' &&
            !memchr(cell + n + 1, ':', length - n - 1))
            return strtod(cell + n + 1, NULL);
        cell += length;
        if (!*cell) return NAN;
    }
}
