/* compat_wapiti_update.c - wapiti update: changes weights in a model of Wapiti.
 *
 * The library has no function that changes a weight, so this works on the text of the file
 * (docs/peer-models.md), after the library has opened it and so checked it:
 *
 *     #mdl#2#6          type, number of weights
 *     #rdr#3/0/0        number of patterns; then so many strings LENGTH:text,
 *     #qrk#2            number of labels; strings
 *     #qrk#3            number of observations; strings
 *     0=0x1p+0          weights by their number: Y for u, Y x Y for b, both for *
 *
 * A line of the patch is: observation, label before or #, label, weight. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"

static const char update_help[] =
    "wapiti update [options] [PATCH] [MODEL]\n\n"
    "  -m, --model=FILE       model to change\n"
    "  -c, --compact          leave out observations without weights\n"
    "  -h, --help             show this help\n\n"
    "A line of the patch: observation, label before or #, label, "
    "weight; weight 0 removes it.\n";

static const struct option update_flags[] = {
    {"model", 1, NULL, 'm'}, {"compact", 0, NULL, 'c'}, {"help", 0, NULL, 'h'}, {0}};

/* A string of the file. */
typedef struct {
    const char *s;
    size_t n;
} file_string;

/* A weight; of those with the same number the last one in `order` counts. */
typedef struct {
    unsigned long long number;
    size_t order;
    double w;
} numbered_weight;

typedef struct {
    char *text; /* of the file, with a NUL */
    size_t length;
    const char *header, *body, *weights; /* the number of weights; after its line; the weights */
    file_string *label, *observation;
    size_t labels, observations;
    numbered_weight *weight;
    size_t count, room;
} patched_model;

static bool read_all(patched_model *f, const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t room = 1 << 16;
    f->text = malloc(room);
    while (in && f->text) {
        const size_t n = fread(f->text + f->length, 1, room - f->length - 1, in);
        f->length += n;
        if (n == 0) break;
        if (room - f->length < 2) {
            char *more = realloc(f->text, room *= 2);
            if (!more) free(f->text);
            f->text = more;
        }
    }
    const bool good = in && f->text && !ferror(in);
    if (good) f->text[f->length] = '\0';
    if (in) fclose(in);
    return good;
}

static file_string next_string(const char **at)
{
    char *colon;
    const size_t n = strtoull(*at, &colon, 10);
    *at = colon + 1 + n + 2; /* the text, a comma, a newline */
    return (file_string){colon + 1, n};
}

static file_string *next_strings(const char **at, size_t *count)
{
    char *newline;
    *count = strtoull(*at + strlen("#qrk#"), &newline, 10);
    *at = newline + 1;
    file_string *list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; list && i < *count; i++) list[i] = next_string(at);
    return list;
}

static bool add_weight(patched_model *f, unsigned long long number, double w)
{
    if (f->count == f->room) {
        numbered_weight *more = realloc(f->weight, (2 * f->room + 16) * sizeof *more);
        if (!more) return false;
        f->weight = more;
        f->room = 2 * f->room + 16;
    }
    f->weight[f->count] = (numbered_weight){number, f->count, w};
    f->count++;
    return true;
}

/* Finds the parts of a file that the library has checked. */
static bool split_file(patched_model *f)
{
    const char *at = strchr(f->text, '\n'), *end;
    for (f->header = at; f->header[-1] != '#';) f->header--;
    f->body = ++at;
    size_t patterns = strtoull(at + strlen("#rdr#"), NULL, 10);
    for (at = strchr(at, '\n') + 1; patterns; patterns--) (void)next_string(&at);
    f->label = next_strings(&at, &f->labels);
    f->observation = next_strings(&at, &f->observations);
    f->weights = at;
    while (f->label && f->observation && *at) {
        char *equals;
        const unsigned long long number = strtoull(at, &equals, 10);
        const double w = strtod(equals + 1, (char **)&end);
        if (!add_weight(f, number, w)) return false;
        at = end + (*end == '\n');
    }
    return f->label && f->observation;
}

static size_t find_string(const file_string *list, size_t count, const char *text)
{
    const size_t n = strlen(text);
    size_t i = 0;
    while (i < count && (list[i].n != n || memcmp(list[i].s, text, n) != 0)) i++;
    return i;
}

/* The number of the first weight of an observation. */
static unsigned long long first_weight(const patched_model *f, size_t observation)
{
    const unsigned long long Y = f->labels;
    unsigned long long first = 0;
    for (size_t i = 0; i < observation; i++) {
        const char kind = f->observation[i].s[0];
        first += (kind != 'b' ? Y : 0) + (kind != 'u' ? Y * Y : 0);
    }
    return first;
}

/* Applies a line of the patch; an error is its text, or NULL. */
static const char *apply_line(patched_model *f, char *line)
{
    char *word[5] = {0}, *rest = line, *end;
    size_t words = 0;
    while (words < 5 && (word[words] = strtok_r(rest, " \t\r\n\v\f", &rest))) words++;
    if (words == 0) return NULL;
    if (words != 4) return "not observation, label before or #, label, weight";
    const size_t o = find_string(f->observation, f->observations, word[0]);
    const bool edge = strcmp(word[1], "#") != 0;
    const size_t before = edge ? find_string(f->label, f->labels, word[1]) : 0;
    const size_t y = find_string(f->label, f->labels, word[2]);
    const double w = strtod(word[3], &end);
    if (o == f->observations) return "the model has no such observation";
    const char kind = f->observation[o].s[0];
    if (kind == (edge ? 'u' : 'b')) return "the observation has no such weights";
    if (before == f->labels || y == f->labels) return "the model has no such label";
    if (*end || !(w - w == 0)) return "not a weight";
    const unsigned long long Y = f->labels;
    const unsigned long long cell = (edge && kind == '*' ? Y : 0) + (edge ? before * Y : 0) + y;
    return add_weight(f, first_weight(f, o) + cell, w) ? NULL : "out of memory";
}

static int compare_weights(const void *a, const void *b)
{
    const numbered_weight *p = a, *q = b;
    if (p->number != q->number) return p->number < q->number ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Whether weight i stands in the new file. */
static bool is_kept(const patched_model *f, size_t i)
{
    return f->weight[i].w != 0 &&
           (i + 1 == f->count || f->weight[i + 1].number != f->weight[i].number);
}

static bool write_file(patched_model *f, FILE *out)
{
    size_t active = 0;
    if (f->count) qsort(f->weight, f->count, sizeof *f->weight, compare_weights);
    for (size_t i = 0; i < f->count; i++) active += is_kept(f, i);
    fwrite(f->text, 1, (size_t)(f->header - f->text), out);
    fprintf(out, "%zu\n", active);
    fwrite(f->body, 1, (size_t)(f->weights - f->body), out);
    for (size_t i = 0; i < f->count; i++)
        if (is_kept(f, i)) fprintf(out, "%llu=%a\n", f->weight[i].number, f->weight[i].w);
    return fflush(out) == 0 && !ferror(out);
}

static void apply_patch(stand_in *s, patched_model *f, const char *path)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!in) {
        say("%s: cannot be read; check the path", path);
        s->status = FAILED;
        s->stopped = true;
    }
    while (in && !s->stopped && getline(&line, &room, in) > 0) {
        number++;
        const char *error = apply_line(f, line);
        if (!error) continue;
        say("%s:%zu: %s; correct the line", path, number, error);
        s->status = FAILED;
        s->stopped = true;
    }
    if (in && in != stdin) fclose(in);
    free(line);
}

/* Writes the model to a file, or to standard output. */
static void write_model(stand_in *s, patched_model *f, const char *path, bool compact)
{
    FILE *out = path ? fopen(path, "wb") : stdout;
    const bool good = out && write_file(f, out) && (!path || fclose(out) == 0);
    if (!good) {
        say("%s: cannot be written; check the path", path ? path : "standard output");
        s->status = FAILED;
        return;
    }
    caucus_model *model = path && compact ? stand_in_open(s, path) : NULL;
    if (model)
        s->status = output_status(s->ctx, caucus_model_export(s->ctx, model, "wapiti", path));
    caucus_model_free(model);
}

int compat_wapiti_update(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    patched_model f = {0};
    const char *path = NULL;
    bool compact = false;
    stand_in_begin(&s, ctx, "wapiti update", "tag");
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":m:ch", update_flags)) != -1;) {
        if (flag == 'm') path = optarg;
        if (flag == 'c') compact = true;
        if (flag == 'h') {
            fputs(update_help, stdout);
            s.stopped = true;
        }
    }
    stand_in_expect(&s, 0, 2, "wapiti update [options] [PATCH] [MODEL]");
    if (!s.stopped && !path) stand_in_misused(&s, "-m MODEL is missing");
    if (compact && s.inputs < 2) stand_in_misused(&s, "-c needs the name of the new model");
    caucus_model_free(stand_in_open(&s, path));
    if (!s.stopped && (!read_all(&f, path) || strncmp(f.text, "#mdl#", 5) != 0))
        stand_in_misused(&s, "%s is not a model of Wapiti; convert it with --as wapiti", path);
    if (!s.stopped && !split_file(&f)) stand_in_misused(&s, "out of memory");
    apply_patch(&s, &f, s.inputs ? s.input[0] : "-");
    if (!s.stopped) write_model(&s, &f, s.inputs > 1 ? s.input[1] : NULL, compact);
    free(f.text);
    free(f.label);
    free(f.observation);
    free(f.weight);
    return stand_in_end(&s);
}
