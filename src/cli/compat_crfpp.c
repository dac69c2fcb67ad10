/* compat_crfpp.c - crf_learn and crf_test. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"

static const char version[] = "stands in for CRF++ 0.59\n";

/* ---- crf_learn ------------------------------------------------------------------------------- */

static const char learn_help[] =
    "crf_learn [options] TEMPLATE DATA MODEL\n"
    "crf_learn -C TEXT_MODEL MODEL\n\n"
    "  -f, --freq=INT         use features that occur in at least so many tokens (1)\n"
    "  -m, --maxiter=INT      stop after this many iterations (100000)\n"
    "  -c, --cost=FLOAT       C; the penalty is |w|^2/(2C), or |w|/C with CRF-L1 (1.0)\n"
    "  -e, --eta=FLOAT        stop when the objective changes by less than this share (0.0001)\n"
    "  -C, --convert          make a binary model of a text model\n"
    "  -t, --textmodel        also write a text model, MODEL.txt\n"
    "  -a, --algorithm=NAME   CRF, CRF-L2 or CRF-L1\n"
    "  -p, --thread=INT       number of threads; 0 is one per processor (0)\n"
    "  -H, --shrinking-size=INT\n"
    "                         ignored: it is for MIRA\n"
    "  -v, --version          show the version\n"
    "  -h, --help             show this help\n";

static const struct option learn_flags[] = {
    {"freq", 1, NULL, 'f'},      {"maxiter", 1, NULL, 'm'}, {"cost", 1, NULL, 'c'},
    {"eta", 1, NULL, 'e'},       {"convert", 0, NULL, 'C'}, {"textmodel", 0, NULL, 't'},
    {"algorithm", 1, NULL, 'a'}, {"thread", 1, NULL, 'p'},  {"shrinking-size", 1, NULL, 'H'},
    {"version", 0, NULL, 'v'},   {"help", 0, NULL, 'h'},    {0}};

typedef struct {
    double cost;
    bool l1, convert, text;
} crfpp_learning;

static void learn_flag(stand_in *s, crfpp_learning *l, int flag)
{
    switch (flag) {
    case 'f':
        stand_in_set(s, "cutoff", optarg);
        break;
    case 'm':
        stand_in_set(s, "max-iterations", optarg);
        break;
    case 'c':
        l->cost = stand_in_number(s, "-c", optarg);
        if (!(l->cost > 0)) stand_in_misused(s, "-c %s: C must be above 0", optarg);
        break;
    case 'e':
        stand_in_set(s, "delta", optarg);
        break;
    case 'C':
        l->convert = true;
        break;
    case 't':
        l->text = true;
        break;
    case 'a':
        l->l1 = strcmp(optarg, "CRF-L1") == 0;
        if (!l->l1 && strcmp(optarg, "CRF") != 0 && strcmp(optarg, "CRF-L2") != 0)
            stand_in_misused(s, "-a %s is not built in; there are CRF, CRF-L2 and CRF-L1", optarg);
        break;
    case 'p':
        stand_in_set(s, "threads", optarg);
        break;
    case 'H':
        stand_in_ignores(s, "-H", "it is for MIRA");
        break;
    default:
        fputs(flag == 'v' ? version : learn_help, stdout);
        s->stopped = true;
    }
}

/* A template with lines that CRF++ does not have would be noticed only when the model is written.
 */
static void check_template(stand_in *s, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = s->stopped ? NULL : fopen(path, "r"); /* the library reports one that is missing */
    for (size_t number = 1; file && !s->stopped && getline(&line, &room, file) > 0; number++) {
        if (!strchr("UB#\r\n", line[0]))
            stand_in_misused(s, "%s:%zu: a line of a template begins with U, B or #", path, number);
        for (const char *p = line; line[0] != '#' && (p = strchr(p, '%')) && !s->stopped; p++)
            if (p[1] != 'x' || p[2] != '[')
                stand_in_misused(s, "%s:%zu: the only macro of CRF++ is %%x[row,column]", path,
                                 number);
    }
    if (file) fclose(file);
    free(line);
}

/* CRF++ also prints the errors on the training data and the number of weights. */
static bool learn_progress(void *self, const caucus_progress *p)
{
    const stand_in *s = self;
    const double diff =
        isnan(s->previous) ? 1 : fabs(s->previous - p->objective) / fabs(s->previous);
    printf("iter=%zu terr=nan serr=nan act=nan obj=%.5f diff=%.5f\n", p->iteration - 1,
           p->objective, diff);
    fflush(stdout);
    return true;
}

static void export_model(stand_in *s, const caucus_model *model, const char *form, const char *path)
{
    if (s->stopped) return;
    s->status = output_status(s->ctx, caucus_model_export(s->ctx, model, form, path));
    s->stopped = s->status != DONE;
}

static void convert(stand_in *s)
{
    caucus_model *model = NULL;
    stand_in_expect(s, 2, 2, "crf_learn -C TEXT_MODEL MODEL");
    if (s->stopped) return;
    const caucus_status st = caucus_model_open(s->ctx, s->input[0], &model);
    if (st) s->status = failed(s->ctx, st);
    if (!st) export_model(s, model, "crfpp", s->input[1]);
    caucus_model_free(model);
}

static void learn(stand_in *s, const crfpp_learning *l)
{
    caucus_model *model = NULL;
    if (l->convert) {
        convert(s);
        return;
    }
    stand_in_expect(s, 3, 3, "crf_learn [options] TEMPLATE DATA MODEL");
    if (s->stopped) return;
    const char *path = s->input[2];
    check_template(s, s->input[0]);
    stand_in_set(s, "template", s->input[0]);
    stand_in_set_number(s, l->l1 ? "l1" : "l2", 1 / l->cost);
    if (l->l1) stand_in_set(s, "l2", "0");
    stand_in_set(s, "solver", l->l1 ? "owlqn" : "lbfgs");
    stand_in_train(s, s->input + 1, 1, "crfpp", path, learn_progress, &model);
    if (model && !s->stopped) {
        if (l->text) {
            char name[4096];
            snprintf(name, sizeof name, "%s.txt", path);
            export_model(s, model, "crfpp-text", name);
        }
        printf("\nNumber of sentences: %s\nNumber of features:  %s\nC:                   %.5f\n"
               "\nDone!%.2f s\n\n",
               caucus_model_info(model, "sequences"), caucus_model_info(model, "weights"), l->cost,
               seconds_now() - s->start);
    }
    caucus_model_free(model);
}

int compat_crf_learn(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    crfpp_learning l = {.cost = 1};
    stand_in_begin(&s, ctx, "crf_learn", "train");
    static const char *const defaults[][2] = {{"format", "columns"},  {"model", "crf"},
                                              {"no-bias", NULL},      {"states", "all"},
                                              {"transitions", "all"}, {"delta", "0.0001"},
                                              {"period", "3"},        {"max-iterations", "100000"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        stand_in_set(&s, defaults[i][0], defaults[i][1]);
    for (int flag;
         (flag = stand_in_flag(&s, argc, argv, ":f:m:c:e:Cta:p:H:vh", learn_flags)) != -1;)
        learn_flag(&s, &l, flag);
    learn(&s, &l);
    return stand_in_end(&s);
}

/* ---- crf_test -------------------------------------------------------------------------------- */

static const char test_help[] =
    "crf_test [options] -m MODEL [DATA...]\n\n"
    "  -m, --model=FILE       model, of CRF++ or of caucus\n"
    "  -n, --nbest=INT        print the best labellings\n"
    "  -v, --verbose=INT      1: add probabilities; 2: those of all labels\n"
    "  -c, --cost-factor=FLOAT\n"
    "                         multiplies all weights (1.0, the only one with -v and -n)\n"
    "  -o, --output=FILE      write to this file\n"
    "      --version          show the version\n"
    "  -h, --help             show this help\n";

static const struct option test_flags[] = {{"model", 1, NULL, 'm'},   {"nbest", 1, NULL, 'n'},
                                           {"verbose", 1, NULL, 'v'}, {"cost-factor", 1, NULL, 'c'},
                                           {"output", 1, NULL, 'o'},  {"version", 0, NULL, 'V'},
                                           {"help", 0, NULL, 'h'},    {0}};

typedef struct {
    const char *model, *output;
    double nbest, verbose, cost_factor;
    size_t classes;
    bool inside; /* a sequence */
} crfpp_testing;

static void test_flag(stand_in *s, crfpp_testing *t, int flag)
{
    switch (flag) {
    case 'm':
        t->model = optarg;
        break;
    case 'n':
        t->nbest = stand_in_number(s, "-n", optarg);
        break;
    case 'v':
        t->verbose = stand_in_number(s, "-v", optarg);
        break;
    case 'c':
        t->cost_factor = stand_in_number(s, "-c", optarg);
        break;
    case 'o':
        t->output = optarg;
        break;
    default:
        fputs(flag == 'V' ? version : test_help, stdout);
        s->stopped = true;
    }
}

/* The columns of a line, separated by TABs. */
static void print_cells(char *line)
{
    for (char *rest = line, *cell; (cell = strtok_r(rest, " \t", &rest));) printf("%s\t", cell);
}

static void end_sequence(crfpp_testing *t)
{
    if (t->inside) putchar('\n');
    t->inside = false;
}

/* "# 0.5" or "# 0 0.5": the probability of a sequence, and its rank. */
static void print_heading(const char *line)
{
    const char *last = strrchr(line, ' ');
    printf("%.*s%f\n", (int)(last + 1 - line), line, strtod(last + 1, NULL));
}

/* A line is: columns, label, and perhaps its probability, or label:probability of all labels. */
static void test_line(void *user, char *line)
{
    crfpp_testing *t = user;
    if (!*line) {
        end_sequence(t);
        return;
    }
    if (!t->inside && line[0] == '#' && line[1] == ' ' && !strchr(line, '\t')) {
        print_heading(line);
        return;
    }
    t->inside = true;
    const char *probability = NULL;
    char *all = NULL;
    if (t->verbose >= 2) {
        all = line + strlen(line);
        for (size_t k = t->classes; k && all > line;)
            if (*--all == '\t') k--;
        *all++ = '\0';
    } else if (t->verbose >= 1) {
        probability = stand_in_last_column(line);
    }
    const char *label = stand_in_last_column(line);
    if (label) print_cells(line);
    fputs(label ? label : line, stdout);
    if (probability) printf("/%f", strtod(probability, NULL));
    if (all) {
        printf("/%f", stand_in_probability_of(all, label ? label : line));
        for (char *rest = all, *cell; (cell = strtok_r(rest, "\t", &rest));) {
            const char *p = stand_in_split_probability(cell);
            printf("\t%s/%f", cell, p ? strtod(p, NULL) : NAN);
        }
    }
    putchar('\n');
}

static void set_outputs(stand_in *s, const crfpp_testing *t)
{
    char nbest[32];
    snprintf(nbest, sizeof nbest, "%.0f", t->nbest);
    if (t->nbest >= 1) stand_in_set(s, "nbest", nbest);
    if (t->verbose >= 1 && t->nbest < 1) stand_in_set(s, "sequence-probability", NULL);
    if (t->verbose >= 2)
        stand_in_set(s, "probabilities", NULL);
    else if (t->verbose >= 1)
        stand_in_set(s, "label-probability", NULL);
}

int compat_crf_test(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    crfpp_testing t = {.cost_factor = 1};
    caucus_model *model = NULL;
    stand_in_begin(&s, ctx, "crf_test", "tag");
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":m:n:v:c:o:h", test_flags)) != -1;)
        test_flag(&s, &t, flag);
    if (!s.stopped && !t.model) stand_in_misused(&s, "-m MODEL is missing");
    if (!(t.cost_factor > 0) || (t.cost_factor != 1 && (t.verbose >= 1 || t.nbest >= 1)))
        stand_in_misused(&s, "-c %g is not built in with -v and -n; probabilities are those of 1",
                         t.cost_factor);
    set_outputs(&s, &t);
    model = stand_in_open(&s, t.model);
    if (t.output && !s.stopped && !freopen(t.output, "w", stdout)) {
        say("%s: cannot be written; check the path", t.output);
        s.status = FAILED;
        s.stopped = true;
    }
    if (!s.stopped) {
        t.classes = caucus_model_classes(model);
        stand_in_tag(&s, model, test_line, &t);
        end_sequence(&t);
    }
    caucus_model_free(model);
    return stand_in_end(&s);
}
