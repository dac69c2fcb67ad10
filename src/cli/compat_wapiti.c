/* compat_wapiti.c - wapiti train, label and dump; compat_wapiti_update.c has update. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"

static const char overview[] =
    "wapiti train [options] [DATA] [MODEL]    train a model\n"
    "wapiti label [options] [DATA] [OUTPUT]   label data with a model\n"
    "wapiti dump [options] [MODEL] [OUTPUT]   print a model\n"
    "wapiti update [options] [PATCH] [MODEL]  change weights of a model\n\n"
    "`wapiti train -h` and so on list the options.\n";

/* Flags without a letter. */
enum { ME = 256, RSTATE, SSTATE, CLIP, HISTSZ, IGNORED_VALUE, IGNORED, FORCE, ALL };

/* A line of Wapiti's progress, unless the call was stopped. */
static void report(const stand_in *s, const char *line)
{
    if (!s->stopped) fprintf(stderr, "%s\n", line);
}

static void write_to(stand_in *s, const char *path)
{
    if (s->stopped || !path || freopen(path, "w", stdout)) return;
    say("%s: %s; check the path", path, strerror(errno));
    s->status = FAILED;
    s->stopped = true;
}

/* ---- reading text ---------------------------------------------------------------------------- */

/* A file of lines; "-" is standard input. */
typedef struct {
    const char *path;
    FILE *file;
    char *line;
    size_t room, number;
} wapiti_lines;

static bool open_lines(stand_in *s, wapiti_lines *in, const char *path)
{
    *in = (wapiti_lines){.path = path};
    if (s->stopped) return false;
    in->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!in->file) {
        say("%s: %s; check the path", path, strerror(errno));
        s->status = FAILED;
        s->stopped = true;
    }
    return in->file;
}

/* The next line without what isspace() finds at its end; NULL after the last. */
static char *next_line(wapiti_lines *in)
{
    ssize_t n = getline(&in->line, &in->room, in->file);
    if (n < 0) return NULL;
    while (n > 0 && isspace((unsigned char)in->line[n - 1])) n--;
    in->line[n] = '\0';
    in->number++;
    return in->line;
}

static void close_lines(wapiti_lines *in)
{
    if (in->file && in->file != stdin) fclose(in->file);
    free(in->line);
}

/* ---- train ----------------------------------------------------------------------------------- */

static const char train_help[] =
    "wapiti train [options] [DATA] [MODEL]\n\n"
    "  -T, --type=NAME        maxent, memm or crf (crf)\n"
    "  -a, --algo=NAME        l-bfgs, sgd-l1, bcd or rprop; all have the same optimum, which is\n"
    "                         found by L-BFGS and OWL-QN\n"
    "  -p, --pattern=FILE     patterns\n"
    "  -d, --devel=FILE       development data: the best iteration on it becomes the model\n"
    "  -t, --nthread=INT      number of threads (1)\n"
    "  -i, --maxiter=INT      stop after this many iterations\n"
    "  -1, --rho1=FLOAT       l1 penalty (0.5)\n"
    "  -2, --rho2=FLOAT       l2 penalty (0.0001)\n"
    "      --histsz=INT       history of L-BFGS (6)\n"
    "  -c, -j, -s, -o, -w, -e, --maxls, --eta0, --alpha, --kappa, --stp..., --cutoff\n"
    "                         are accepted, and have no meaning here\n"
    "  -h, --help             show this help\n";

static const struct option train_flags[] = {{"me", 0, NULL, ME},
                                            {"type", 1, NULL, 'T'},
                                            {"algo", 1, NULL, 'a'},
                                            {"pattern", 1, NULL, 'p'},
                                            {"model", 1, NULL, 'm'},
                                            {"devel", 1, NULL, 'd'},
                                            {"rstate", 1, NULL, RSTATE},
                                            {"sstate", 1, NULL, SSTATE},
                                            {"compact", 0, NULL, 'c'},
                                            {"sparse", 0, NULL, IGNORED},
                                            {"nthread", 1, NULL, 't'},
                                            {"jobsize", 1, NULL, IGNORED_VALUE},
                                            {"maxiter", 1, NULL, 'i'},
                                            {"rho1", 1, NULL, '1'},
                                            {"rho2", 1, NULL, '2'},
                                            {"objwin", 1, NULL, 'o'},
                                            {"stopwin", 1, NULL, 'w'},
                                            {"stopeps", 1, NULL, 'e'},
                                            {"clip", 0, NULL, CLIP},
                                            {"histsz", 1, NULL, HISTSZ},
                                            {"maxls", 1, NULL, IGNORED_VALUE},
                                            {"eta0", 1, NULL, IGNORED_VALUE},
                                            {"alpha", 1, NULL, IGNORED_VALUE},
                                            {"kappa", 1, NULL, IGNORED_VALUE},
                                            {"stpmin", 1, NULL, IGNORED_VALUE},
                                            {"stpmax", 1, NULL, IGNORED_VALUE},
                                            {"stpinc", 1, NULL, IGNORED_VALUE},
                                            {"stpdec", 1, NULL, IGNORED_VALUE},
                                            {"cutoff", 0, NULL, IGNORED},
                                            {"help", 0, NULL, 'h'},
                                            {0}};

typedef struct {
    const char *pattern, *devel;
    double rho1;
    double total; /* seconds at the last iteration */
} wapiti_training;

static void set_algorithm(stand_in *s, const char *name)
{
    static const char *const known[] = {"l-bfgs", "sgd-l1", "bcd", "rprop", "rprop+", "rprop-"};
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], name) != 0) i++;
    if (i == sizeof known / sizeof *known)
        stand_in_misused(s, "-a %s: there are l-bfgs, sgd-l1, bcd and rprop", name);
    else if (i)
        stand_in_ignores(s, "-a", "L-BFGS or OWL-QN finds the same optimum");
}

static void train_flag(stand_in *s, wapiti_training *t, int flag)
{
    static const char at_optimum[] = "training ends at the optimum";
    switch (flag) {
    case 'T':
        stand_in_set(s, "model", optarg);
        break;
    case 'a':
        set_algorithm(s, optarg);
        break;
    case 'p':
        t->pattern = optarg;
        break;
    case 'd':
        t->devel = optarg;
        break;
    case 't':
        stand_in_set(s, "threads", optarg);
        break;
    case 'i':
        stand_in_set(s, "max-iterations", optarg);
        break;
    case '1':
        t->rho1 = stand_in_number(s, "-1", optarg);
        break;
    case '2':
        stand_in_set(s, "rho2", optarg);
        break;
    case HISTSZ:
        stand_in_set(s, "history", optarg);
        break;
    case 'o':
    case 'w':
    case 'e':
        stand_in_ignores(s, (const char[]){'-', (char)flag, '\0'}, at_optimum);
        break;
    case 'c': /* observations without weights are never written */
        break;
    case 's':
    case 'j':
    case IGNORED:
    case IGNORED_VALUE:
        stand_in_ignores(s, "an option of speed or of another algorithm",
                         "the model does not depend on it");
        break;
    case 'm':
    case RSTATE:
    case SSTATE:
    case CLIP:
    case ME:
        stand_in_misused(s,
                         "-m, --rstate, --sstate, --clip and --me are not built in; caucus train "
                         "--from continues with a model, and --resume a training run");
        break;
    default:
        fputs(train_help, stdout);
        s->stopped = true;
    }
}

/* The patterns as Wapiti keeps them: without comments, the first letter in lower case. They work on
 * bytes, as in Wapiti. The caller frees the text; NULL after an error. */
static char *read_patterns(stand_in *s, const char *path)
{
    wapiti_lines in;
    char *text = NULL;
    size_t length = 0;
    if (!open_lines(s, &in, path)) return NULL;
    FILE *to = open_memstream(&text, &length);
    if (to) fputs("@bytes\n", to);
    for (char *line; to && (line = next_line(&in)) && !s->stopped;) {
        line[strcspn(line, "#")] = '\0';
        line[0] = (char)tolower((unsigned char)line[0]);
        if (line[0] && !strchr("ub*", line[0]))
            stand_in_misused(s, "%s:%zu: a pattern begins with u, b or *", path, in.number);
        fprintf(to, "%s\n", line);
    }
    if (!to || fclose(to)) stand_in_misused(s, "out of memory");
    close_lines(&in);
    return text;
}

/* Splits a line at what isspace() finds; the number of cells, at most `most`. */
static size_t split_cells(char *line, const char **cell, size_t most)
{
    size_t count = 0;
    for (char *p = line; *p && count < most;) {
        while (isspace((unsigned char)*p)) p++;
        if (*p) cell[count++] = p;
        while (*p && !isspace((unsigned char)*p)) p++;
        if (*p) *p++ = '\0';
    }
    return count;
}

enum { CELLS_MOST = 1024 };

/* Adds the sequences of a file, whose last column is the label. *columns is the number of columns
 * of all lines, or 0 before the first. */
static caucus_status read_data(stand_in *s, caucus_data *data, const char *path, size_t *columns)
{
    caucus_status st = CAUCUS_OK;
    wapiti_lines in;
    const char *cell[CELLS_MOST];
    if (!open_lines(s, &in, path)) return CAUCUS_OK;
    for (char *line; !st && !s->stopped && (line = next_line(&in));) {
        const size_t count = split_cells(line, cell, CELLS_MOST);
        if (count == 0) {
            st = caucus_data_break(s->ctx, data);
            continue;
        }
        if (*columns == 0) *columns = count;
        if (count != *columns || count < 2) {
            if (count < 2)
                say("%s:%zu: one column only; the label must be the last of two or more", path,
                    in.number);
            else
                say("%s:%zu: %zu columns, but earlier lines have %zu; fix the line or drop it",
                    path, in.number, count, *columns);
            s->status = FAILED;
            s->stopped = true;
        } else {
            st = caucus_data_add_cells(s->ctx, data, cell[count - 1], 1, cell, count - 1);
            if (st) say("%s:%zu: %s", path, in.number, caucus_message(s->ctx));
        }
    }
    if (!st && !s->stopped) st = caucus_data_break(s->ctx, data);
    close_lines(&in);
    return st;
}

/* Wapiti also prints the number of weights that are not 0 and, without -d, errors on the data. */
static bool train_progress(void *self, const caucus_progress *p)
{
    const stand_in *s = self;
    fprintf(stderr, "  [%4zu] obj=%-10.2f act=NA", p->iteration, p->objective);
    if (isfinite(p->dev))
        fprintf(stderr, " err=%5.2f%%/NA", 100 * (1 - p->dev));
    else
        fprintf(stderr, " err=NA/NA");
    fprintf(stderr, " time=%.2fs/%.2fs\n", p->elapsed - s->elapsed, p->elapsed);
    return true;
}

static caucus_data *read_training(stand_in *s, const wapiti_training *t, const char *path)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *data = NULL;
    size_t columns = 0;
    report(s, "* Load patterns");
    char *patterns = read_patterns(s, t->pattern);
    if (!s->stopped) st = caucus_data_new(s->ctx, s->options, &data);
    if (!s->stopped && !st) st = caucus_data_template(s->ctx, data, patterns);
    report(s, "* Load training data");
    if (!s->stopped && !st) st = read_data(s, data, path, &columns);
    if (t->devel && !s->stopped && !st) {
        report(s, "* Load development data");
        st = caucus_data_part(s->ctx, data, CAUCUS_PART_DEV);
        if (!st) st = read_data(s, data, t->devel, &columns);
    }
    if (!s->stopped && !st) st = caucus_data_close(s->ctx, data);
    free(patterns);
    if (st) {
        s->status = failed(s->ctx, st);
        s->stopped = true;
    }
    return data;
}

/* The model on standard output, from a file that is removed. */
static void print_model(stand_in *s, const char *path)
{
    char bytes[1 << 14];
    FILE *file = s->stopped ? NULL : fopen(path, "rb");
    for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        if (output_write(NULL, bytes, n)) s->status = FAILED;
    if (file) fclose(file);
    remove(path);
}

static void train(stand_in *s, wapiti_training *t)
{
    caucus_model *model = NULL;
    stand_in_expect(s, 0, 2, "wapiti train [options] [DATA] [MODEL]");
    if (!s->stopped && !t->pattern)
        stand_in_misused(s, "-p PATTERN is missing; data that are observations themselves are not "
                            "built in, caucus train --format crfsuite reads such data");
    if (t->rho1 > 0) stand_in_set_number(s, "rho1", t->rho1);
    stand_in_set(s, "solver", t->rho1 > 0 ? "owlqn" : "lbfgs");
    if (s->stopped) return;
    char temporary[] = "/tmp/wapiti.XXXXXX";
    const char *output = s->inputs > 1 ? s->input[1] : temporary;
    const int made = s->inputs > 1 ? -1 : mkstemp(temporary);
    if (s->inputs < 2 && made < 0) stand_in_misused(s, "/tmp cannot be written; name the model");
    if (made >= 0) close(made);
    caucus_data *data = read_training(s, t, s->inputs ? s->input[0] : "-");
    report(s, "* Train the model with l-bfgs");
    stand_in_train_on(s, data, "wapiti", output, train_progress, &model);
    if (model) report(s, "* Save the model\n* Done");
    if (made >= 0) print_model(s, temporary);
    caucus_data_free(data);
    caucus_model_free(model);
}

static int main_train(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    wapiti_training t = {.rho1 = 0.5};
    stand_in_begin(&s, ctx, "wapiti train", "train");
    static const char *const defaults[][2] = {{"model", "crf"},   {"no-bias", NULL},
                                              {"states", "all"},  {"transitions", "all"},
                                              {"rho2", "0.0001"}, {"threads", "1"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        stand_in_set(&s, defaults[i][0], defaults[i][1]);
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":T:a:p:m:d:cst:j:i:1:2:o:w:e:h",
                                         train_flags)) != -1;)
        train_flag(&s, &t, flag);
    train(&s, &t);
    return stand_in_end(&s);
}

/* ---- label ----------------------------------------------------------------------------------- */

static const char label_help[] =
    "wapiti label [options] [DATA] [OUTPUT]\n\n"
    "  -m, --model=FILE       model, of Wapiti or of caucus\n"
    "  -l, --label            print labels alone\n"
    "  -c, --check            the data is labelled: report errors\n"
    "  -p, --post             the most probable label of each token\n"
    "  -s, --score            with -p: add the probabilities of labels\n"
    "  -n, --nbest=INT        print the best labellings\n"
    "      --force            labels in the data are kept\n"
    "  -h, --help             show this help\n";

static const struct option label_flags[] = {{"me", 0, NULL, ME},     {"model", 1, NULL, 'm'},
                                            {"label", 0, NULL, 'l'}, {"check", 0, NULL, 'c'},
                                            {"score", 0, NULL, 's'}, {"post", 0, NULL, 'p'},
                                            {"nbest", 1, NULL, 'n'}, {"force", 0, NULL, FORCE},
                                            {"help", 0, NULL, 'h'},  {0}};

typedef struct {
    size_t gold, model, match;
} wapiti_counts;

typedef struct {
    const char *path;
    bool labels, check, score, post, force;
    double nbest;
    const caucus_model *model;
    wapiti_counts *count; /* [classes] */
    size_t tokens, wrong, sequences, wrong_sequences;
    bool inside, error; /* in a sequence; with an error */
    bool other;         /* not the best labelling */
    double product;     /* of the probabilities of the sequence so far */
    char *text;         /* of the sequence: with -s it follows its score */
    size_t length, room;
} wapiti_labelling;

static void label_flag(stand_in *s, wapiti_labelling *t, int flag)
{
    switch (flag) {
    case 'm':
        t->path = optarg;
        break;
    case 'l':
        t->labels = true;
        break;
    case 'c':
        t->check = true;
        break;
    case 's':
        t->score = true;
        break;
    case 'p':
        t->post = true;
        break;
    case 'n':
        t->nbest = stand_in_number(s, "-n", optarg);
        break;
    case FORCE:
        t->force = true;
        break;
    case ME:
        stand_in_misused(s,
                         "--me is not built in; caucus tag reads the model and CRFsuite's items");
        break;
    default:
        fputs(label_help, stdout);
        s->stopped = true;
    }
}

static wapiti_counts *counts_of(const wapiti_labelling *t, const char *label)
{
    for (size_t y = 0; y < caucus_model_classes(t->model); y++)
        if (strcmp(caucus_model_class(t->model, y), label) == 0) return &t->count[y];
    return NULL;
}

/* Labels that the model does not know are left out. */
static void check_label(wapiti_labelling *t, const char *line, const char *label)
{
    const char *end = line + strlen(line), *gold = end;
    while (gold > line && !isspace((unsigned char)gold[-1])) gold--;
    wapiti_counts *of = counts_of(t, gold), *given = counts_of(t, label);
    t->tokens++;
    if (!of || !given) return;
    of->gold++;
    given->model++;
    if (of == given) {
        of->match++;
    } else {
        t->wrong++;
        t->error = true;
    }
}

static void end_sequence(wapiti_labelling *t)
{
    if (!t->inside) return;
    if (t->score) printf("# 0 %f\n%.*s", t->product, (int)t->length, t->text ? t->text : "");
    putchar('\n');
    if (!t->other) {
        t->sequences++;
        t->wrong_sequences += t->error;
    }
    t->inside = t->error = false;
    t->product = 1;
    t->length = 0;
}

/* Prints, or keeps until the score of the sequence is known. */
static void put_line(wapiti_labelling *t, const char *line, const char *label, double p)
{
    char score[512] = "";
    if (t->score) snprintf(score, sizeof score, "\t%s/%f", label, p);
    const char *before = t->labels ? "" : line, *tab = t->labels ? "" : "\t";
    if (!t->score) {
        printf("%s%s%s\n", before, tab, label);
        return;
    }
    const size_t n = strlen(before) + strlen(tab) + strlen(label) + strlen(score) + 2;
    if (t->length + n > t->room) {
        char *more = realloc(t->text, 2 * (t->length + n));
        if (!more) return;
        t->text = more;
        t->room = 2 * (t->length + n);
    }
    t->length += (size_t)snprintf(t->text + t->length, n, "%s%s%s%s\n", before, tab, label, score);
}

/* A line is: columns, label, and perhaps its probability. */
static void label_line(void *user, char *line)
{
    wapiti_labelling *t = user;
    if (!*line) {
        end_sequence(t);
        return;
    }
    if (t->nbest > 1 && !t->inside && line[0] == '#' && line[1] == ' ' && !strchr(line, '\t')) {
        t->other = strtod(line + 2, NULL) >= 1; /* "# rank p" */
        return;
    }
    t->inside = true;
    const char *probability = t->score ? stand_in_last_column(line) : NULL;
    const double p = probability ? strtod(probability, NULL) : 1;
    const char *label = stand_in_last_column(line);
    if (!label) return;
    t->product *= p;
    if (t->check && !t->other) check_label(t, line, label);
    put_line(t, line, label, p);
}

static void print_errors(const wapiti_labelling *t)
{
    fprintf(stderr,
            "    Nb sequences  : %zu\n    Token error   : %5.2f%%\n    Sequence error: %5.2f%%\n"
            "* Per label statistics\n",
            t->sequences, 100 * (double)t->wrong / (double)t->tokens,
            100 * (double)t->wrong_sequences / (double)t->sequences);
    for (size_t y = 0; y < caucus_model_classes(t->model); y++) {
        const wapiti_counts *c = &t->count[y];
        const double recall = (double)c->match / (double)c->gold;
        const double precision = (double)c->match / (double)c->model;
        fprintf(stderr, "    %-6s  Pr=%.2f  Rc=%.2f  F1=%.2f\n", caucus_model_class(t->model, y),
                precision, recall, 2 * precision * recall / (precision + recall));
    }
}

static void label(stand_in *s, wapiti_labelling *t)
{
    caucus_model *model = NULL;
    stand_in_expect(s, 0, 2, "wapiti label [options] [DATA] [OUTPUT]");
    if (!s->stopped && !t->path) stand_in_misused(s, "-m MODEL is missing");
    if (t->check && t->force) stand_in_misused(s, "-c and --force cannot be used together");
    if (t->score && (!t->post || t->nbest > 1))
        stand_in_misused(s, "-s without -p, or with -n, is not built in: there are probabilities, "
                            "and no other scores; give -s -p");
    if (t->post && t->nbest > 1) stand_in_misused(s, "-p with -n is not built in; leave one out");
    if (!(t->nbest >= 1)) stand_in_misused(s, "-n %g: give 1 or more", t->nbest);
    if (t->score) stand_in_set(s, "label-probability", NULL);
    if (t->force) stand_in_set(s, "forced", NULL);
    if (t->nbest > 1) stand_in_set_number(s, "nbest", t->nbest);
    report(s, "* Load model");
    model = stand_in_open(s, t->path);
    const char *kind = model ? caucus_model_info(model, "model") : "";
    const bool apart =
        kind && strcmp(kind, "maxent") == 0; /* each label is the most probable one */
    if (t->post && !apart) stand_in_set(s, "decode", "posterior");
    if (t->nbest > 1 && apart) stand_in_misused(s, "-n is not built in for maxent models");
    if (s->inputs > 1) write_to(s, s->input[1]);
    if (s->inputs > 1) s->inputs = 1;
    if (!s->stopped) {
        t->model = model;
        t->count = calloc(caucus_model_classes(model), sizeof *t->count);
        if (!t->count) stand_in_misused(s, "out of memory");
        report(s, "* Label sequences");
        if (t->count) stand_in_tag(s, model, label_line, t);
        end_sequence(t);
    }
    if (!s->stopped && t->check) print_errors(t);
    report(s, "* Done");
    free(t->count);
    free(t->text);
    caucus_model_free(model);
}

static int main_label(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    wapiti_labelling t = {.nbest = 1, .product = 1};
    stand_in_begin(&s, ctx, "wapiti label", "tag");
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":m:lcspn:h", label_flags)) != -1;)
        label_flag(&s, &t, flag);
    label(&s, &t);
    return stand_in_end(&s);
}

/* ---- dump ------------------------------------------------------------------------------------ */

static const char dump_help[] = "wapiti dump [options] [MODEL] [OUTPUT]\n\n"
                                "  -p, --prec=INT         digits of weights (5)\n"
                                "      --all              also print weights of 0\n"
                                "  -h, --help             show this help\n";

static const struct option dump_flags[] = {
    {"prec", 1, NULL, 'p'}, {"all", 0, NULL, ALL}, {"help", 0, NULL, 'h'}, {0}};

typedef struct {
    const caucus_model *model;
    int digits;
    bool all;
} wapiti_dump;

/* The lines of a feature with `from` labels before, or none. True if there were any. */
static bool dump_weights(const wapiti_dump *d, const char *name, size_t n, size_t from,
                         const double *w)
{
    const size_t Y = caucus_model_classes(d->model);
    bool any = false;
    for (size_t i = 0; i < (from ? from * Y : Y); i++) {
        if (w[i] == 0 && !d->all) continue;
        printf("%.*s\t%s\t%s\t%.*f\n", (int)n, name,
               from ? caucus_model_class(d->model, i / Y) : "#",
               caucus_model_class(d->model, i % Y), d->digits, w[i]);
        any = true;
    }
    return any;
}

static caucus_status dump_features(stand_in *s, const wapiti_dump *d, caucus_feature_kind kind,
                                   double *w)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < caucus_model_features(d->model, kind) && !st; i++) {
        size_t n = 0;
        const char *name = caucus_model_feature(d->model, kind, i, &n);
        st = caucus_model_weights(s->ctx, d->model, CAUCUS_NONE, kind, i, w);
        const size_t from = kind == CAUCUS_EDGE_FEATURES ? caucus_model_classes(d->model) : 0;
        if (!st && name && dump_weights(d, name, n, from, w)) putchar('\n');
    }
    return st;
}

static int main_dump(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    wapiti_dump d = {.digits = 5};
    stand_in_begin(&s, ctx, "wapiti dump", "tag");
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":p:h", dump_flags)) != -1;) {
        if (flag == 'p') d.digits = (int)stand_in_number(&s, "-p", optarg);
        if (flag == ALL) d.all = true;
        if (flag == 'h') {
            fputs(dump_help, stdout);
            s.stopped = true;
        }
    }
    stand_in_expect(&s, 1, 2, "wapiti dump [options] MODEL [OUTPUT]");
    caucus_model *model = stand_in_open(&s, s.stopped ? NULL : s.input[0]);
    if (s.inputs > 1) write_to(&s, s.input[1]);
    if (!s.stopped) {
        const size_t Y = caucus_model_classes(model);
        double *w = calloc(Y * Y, sizeof *w);
        d.model = model;
        caucus_status st = w ? dump_features(&s, &d, CAUCUS_TOKEN_FEATURES, w) : CAUCUS_ERR_MEMORY;
        if (!st) st = dump_features(&s, &d, CAUCUS_EDGE_FEATURES, w);
        for (size_t i = 0; i < Y * Y && !st; i++)
            w[i] = caucus_model_transition(model, CAUCUS_NONE, i / Y, i % Y);
        if (!st && dump_weights(&d, "b", 1, Y, w)) putchar('\n');
        s.status = output_status(ctx, st);
        free(w);
    }
    caucus_model_free(model);
    return stand_in_end(&s);
}

int compat_wapiti(caucus_ctx *ctx, int argc, char **argv)
{
    static const struct {
        const char *name, *letter;
        int (*run)(caucus_ctx *ctx, int argc, char **argv);
    } commands[] = {{"train", "t", main_train},
                    {"label", "l", main_label},
                    {"dump", "d", main_dump},
                    {"update", "u", compat_wapiti_update}};
    const char *what = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(what, commands[i].name) == 0 || strcmp(what, commands[i].letter) == 0)
            return commands[i].run(ctx, argc - 1, argv + 1);
    if (strcmp(what, "--version") == 0) {
        fputs("stands in for Wapiti v1.5.0\n", stderr);
        return DONE;
    }
    if (strcmp(what, "-h") != 0 && strcmp(what, "--help") != 0)
        return misused("wapiti: there is no command '%s'; there are train, label, dump and update",
                       what);
    fputs(overview, stdout);
    return DONE;
}
