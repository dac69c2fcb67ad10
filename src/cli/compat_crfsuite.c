/* compat_crfsuite.c - crfsuite learn, tag and dump. */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"

static const char overview[] = "crfsuite learn [options] [DATA...]   train a model\n"
                               "crfsuite tag [options] [DATA]        tag data with a model\n"
                               "crfsuite dump MODEL                  print a model\n\n"
                               "`crfsuite learn -h` and `crfsuite tag -h` list the options.\n";

/* ---- learn ----------------------------------------------------------------------------------- */

static const char learn_help[] =
    "crfsuite learn [options] [DATA...]\n\n"
    "  -t, --type=TYPE        1d (the only type)\n"
    "  -a, --algorithm=NAME   lbfgs, l2sgd, ap, pa or arow\n"
    "  -p, --set=NAME=VALUE   a parameter of the algorithm\n"
    "  -m, --model=FILE       write the model to this file\n"
    "  -g, --split=N          with -x: N folds\n"
    "  -e, --holdout=M        score on the M-th file of data, from 1, and do not train on it\n"
    "  -x, --cross-validate   score by the folds of -g and write no model\n"
    "  -h, --help             show this help\n";

static const struct option learn_flags[] = {{"type", 1, NULL, 't'},
                                            {"algorithm", 1, NULL, 'a'},
                                            {"set", 1, NULL, 'p'},
                                            {"param", 1, NULL, 'p'},
                                            {"model", 1, NULL, 'm'},
                                            {"split", 1, NULL, 'g'},
                                            {"holdout", 1, NULL, 'e'},
                                            {"cross-validate", 0, NULL, 'x'},
                                            {"log-to-file", 0, NULL, 'l'},
                                            {"logbase", 1, NULL, 'L'},
                                            {"help", 0, NULL, 'h'},
                                            {"help-parameters", 0, NULL, 'H'},
                                            {0}};

/* What a parameter of an algorithm is here. */
typedef struct {
    const char *name;
    const char *option; /* ours with the same meaning; NULL: see `take` */
    enum { SAME, ALL, IGNORED, ONLY_ONE, NEGATED } take;
    const char *why; /* IGNORED, or what ONLY_ONE is */
} parameter;

static const char line_search[] = "there is one line search";
static const char calibration[] = "the learning rate is found by trials on a sample";

static const parameter common_parameters[] = {
    {"feature.minfreq", "cutoff", SAME, NULL},
    {"feature.possible_states", "states", ALL, NULL},
    {"feature.possible_transitions", "transitions", ALL, NULL},
    {0}};
static const parameter lbfgs_parameters[] = {{"c1", "c1", SAME, NULL},
                                             {"c2", "c2", SAME, NULL},
                                             {"max_iterations", "max-iterations", SAME, NULL},
                                             {"num_memories", "history", SAME, NULL},
                                             {"epsilon", "epsilon", SAME, NULL},
                                             {"period", "period", SAME, NULL},
                                             {"delta", "delta", SAME, NULL},
                                             {"linesearch", NULL, IGNORED, line_search},
                                             {"max_linesearch", NULL, IGNORED, line_search},
                                             {0}};
static const parameter sgd_parameters[] = {{"c2", "c2", SAME, NULL},
                                           {"max_iterations", "max-iterations", SAME, NULL},
                                           {"period", "period", SAME, NULL},
                                           {"delta", "delta", SAME, NULL},
                                           {"calibration.eta", NULL, IGNORED, calibration},
                                           {"calibration.rate", NULL, IGNORED, calibration},
                                           {"calibration.samples", NULL, IGNORED, calibration},
                                           {"calibration.candidates", NULL, IGNORED, calibration},
                                           {"calibration.max_trials", NULL, IGNORED, calibration},
                                           {0}};
static const parameter ap_parameters[] = {
    {"max_iterations", "max-iterations", SAME, NULL}, {"epsilon", NULL, ONLY_ONE, "0"}, {0}};
static const parameter pa_parameters[] = {{"max_iterations", "max-iterations", SAME, NULL},
                                          {"type", "pa-type", SAME, NULL},
                                          {"c", "pa-c", SAME, NULL},
                                          {"error_sensitive", "unit-margin", NEGATED, NULL},
                                          {"averaging", "last-weights", NEGATED, NULL},
                                          {"epsilon", NULL, ONLY_ONE, "0"},
                                          {0}};

static const parameter arow_parameters[] = {{"max_iterations", "max-iterations", SAME, NULL},
                                            {"variance", "arow-variance", SAME, NULL},
                                            {"gamma", "arow-gamma", SAME, NULL},
                                            {"epsilon", NULL, ONLY_ONE, "0"},
                                            {0}};

static const struct {
    const char *name, *solver;
    const parameter *parameters;
} algorithms[] = {{"lbfgs", "lbfgs", lbfgs_parameters},
                  {"l2sgd", "sgd", sgd_parameters},
                  {"ap", "perceptron", ap_parameters},
                  {"pa", "pa", pa_parameters},
                  {"arow", "arow", arow_parameters}};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, PARAMETERS_MOST = 64 };

typedef struct {
    size_t algorithm;
    const char *model;
    const char *set[PARAMETERS_MOST]; /* "NAME=VALUE" */
    size_t sets;
    long holdout; /* 0: none */
    const char *split;
    bool cross;
} learning;

static void set_algorithm(stand_in *s, learning *l, const char *name)
{
    for (l->algorithm = 0; l->algorithm < ALGORITHMS; l->algorithm++)
        if (strcmp(algorithms[l->algorithm].name, name) == 0) return;
    l->algorithm = 0;
    stand_in_misused(s, "-a %s is not built in; there are lbfgs, l2sgd, ap, pa and arow", name);
}

static void learn_flag(stand_in *s, learning *l, int flag)
{
    switch (flag) {
    case 't':
        if (strcmp(optarg, "1d") != 0 && strcmp(optarg, "crf1d") != 0)
            stand_in_misused(s, "-t %s is not built in; there is 1d", optarg);
        break;
    case 'a':
        set_algorithm(s, l, optarg);
        break;
    case 'p':
        if (l->sets < PARAMETERS_MOST)
            l->set[l->sets++] = optarg;
        else
            stand_in_misused(s, "more than %d parameters", PARAMETERS_MOST);
        break;
    case 'm':
        l->model = optarg;
        break;
    case 'g':
        l->split = optarg;
        break;
    case 'e':
        l->holdout = (long)stand_in_number(s, "-e", optarg);
        break;
    case 'x':
        l->cross = true;
        break;
    case 'l':
    case 'L':
        stand_in_misused(s, "-%c is not built in; redirect the output to a file", flag);
        break;
    default:
        fputs(learn_help, stdout);
        s->stopped = true;
    }
}

static const parameter *find_parameter(const parameter *list, const char *name, size_t length)
{
    for (; list->name; list++)
        if (strlen(list->name) == length && memcmp(list->name, name, length) == 0) return list;
    return NULL;
}

static void set_parameter(stand_in *s, const learning *l, const char *text)
{
    const size_t length = strcspn(text, "=");
    const char *value = text[length] ? text + length + 1 : "";
    const parameter *p = find_parameter(common_parameters, text, length);
    if (!p) p = find_parameter(algorithms[l->algorithm].parameters, text, length);
    if (!p || !text[length]) {
        stand_in_misused(s, p ? "-p %s has no value" : "-p %s: %s has no such parameter", text,
                         algorithms[l->algorithm].name);
        return;
    }
    const double x = strcmp(p->name, "linesearch") == 0 ? 0 : stand_in_number(s, p->name, value);
    switch (p->take) {
    case SAME:
        if (strcmp(p->option, "cutoff") == 0 && x < 1) value = "1"; /* 0 keeps all, as 1 does */
        if (strcmp(p->option, "max-iterations") == 0 && x >= INT_MAX) value = "0";
        stand_in_set(s, p->option, value);
        break;
    case ALL:
        stand_in_set(s, p->option, x != 0 ? "all" : "seen");
        break;
    case IGNORED:
        stand_in_ignores(s, p->name, p->why);
        break;
    case NEGATED:
        stand_in_set(s, p->option, x != 0 ? "0" : "1");
        break;
    case ONLY_ONE:
        if (x != strtod(p->why, NULL))
            stand_in_misused(s, "-p %s is not built in; %s is %s", text, p->name, p->why);
    }
}

static void defaults(stand_in *s, const learning *l)
{
    stand_in_set(s, "format", "crfsuite");
    stand_in_set(s, "model", "crf");
    stand_in_set(s, "plain-labels", "1");
    stand_in_set(s, "states", "seen");
    stand_in_set(s, "transitions", "seen");
    stand_in_set(s, "solver", algorithms[l->algorithm].solver);
    if (l->algorithm < 2) stand_in_set(s, "c2", "1");
    if (l->algorithm == 0) {
        stand_in_set(s, "epsilon", "1e-5");
        stand_in_set(s, "delta", "1e-5");
        stand_in_set(s, "period", "10");
    } else if (l->algorithm == 1) {
        stand_in_set(s, "delta", "1e-6");
        stand_in_set(s, "period", "10");
        stand_in_set(s, "max-iterations", "1000");
    } else {
        stand_in_set(s, "max-iterations", "100");
    }
}

static bool learn_progress(void *self, const caucus_progress *p)
{
    (void)self;
    printf("***** Iteration #%zu *****\n", p->iteration);
    if (isfinite(p->objective)) printf("Loss: %f\n", p->objective);
    if (isfinite(p->gradient)) printf("Error norm: %f\n", p->gradient);
    printf("Seconds so far: %.3f\n\n", p->elapsed);
    fflush(stdout);
    return true;
}

/* Cross-validation prints a table of ours. */
static void cross_validate(stand_in *s, const char *const *data, size_t count)
{
    caucus_data *set = NULL;
    caucus_study *study = NULL;
    caucus_status st = caucus_data_read(s->ctx, s->options, data, count, &set);
    if (!st) st = caucus_study_run(s->ctx, set, s->options, &study);
    if (!st) st = caucus_study_write(s->ctx, study, output_write, NULL);
    caucus_study_free(study);
    caucus_data_free(set);
    s->status = output_status(s->ctx, st);
}

static void learn(stand_in *s, learning *l)
{
    static const char *standard_input[] = {"-"};
    caucus_model *model = NULL;
    if (s->stopped) return;
    const char **data = s->inputs ? s->input : standard_input;
    size_t count = s->inputs ? s->inputs : 1;
    defaults(s, l);
    for (size_t i = 0; i < l->sets; i++) set_parameter(s, l, l->set[i]);
    const char *c1 = caucus_options_get(s->options, "c1");
    if (!s->stopped && c1 && strtod(c1, NULL) > 0) stand_in_set(s, "solver", "owlqn");
    if (l->split && !l->cross)
        stand_in_misused(s, "-g without -x is not built in; give the groups as files");
    if (l->cross && !l->split) stand_in_misused(s, "-x needs -g N, the number of folds");
    if (l->holdout < 0 || (size_t)l->holdout > count || (l->holdout && count < 2))
        stand_in_misused(s, "-e %ld: there are %zu files of data", l->holdout, count);
    if (l->cross) stand_in_set(s, "folds", l->split);
    if (s->stopped) return;
    if (l->cross) {
        cross_validate(s, data, count);
        return;
    }
    if (l->holdout) { /* the file moves to the end */
        const char *held = data[l->holdout - 1];
        memmove(data + l->holdout - 1, data + l->holdout,
                (count - (size_t)l->holdout) * sizeof *data);
        data[--count] = held;
        stand_in_set(s, "test", held);
    }
    stand_in_train(s, data, count, "crfsuite", l->model, learn_progress, &model);
    if (model) {
        printf("Number of instances: %s\nNumber of attributes: %s\nNumber of labels: %zu\n"
               "Number of active features: %s\n",
               caucus_model_info(model, "sequences"), caucus_model_info(model, "features"),
               caucus_model_classes(model), caucus_model_info(model, "nonzero"));
        if (caucus_model_info(model, "test.accuracy"))
            printf("Item accuracy: %s\n", caucus_model_info(model, "test.accuracy"));
        printf("Total seconds required for training: %.3f\n", seconds_now() - s->start);
    }
    caucus_model_free(model);
}

static int main_learn(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    learning l = {0};
    stand_in_begin(&s, ctx, "crfsuite learn", "train");
    for (int flag;
         (flag = stand_in_flag(&s, argc, argv, ":t:a:p:m:g:e:xlL:hH", learn_flags)) != -1;)
        learn_flag(&s, &l, flag);
    learn(&s, &l);
    return stand_in_end(&s);
}

/* ---- tag ------------------------------------------------------------------------------------- */

static const char tag_help[] =
    "crfsuite tag [options] [DATA]\n\n"
    "  -m, --model=FILE       model, of CRFsuite or of caucus\n"
    "  -t, --test             score the labels\n"
    "  -r, --reference        print the label of the data before that of the model\n"
    "  -p, --probability      print the probability of each sequence of labels\n"
    "  -i, --marginal         print the probability of each label\n"
    "  -l, --marginal-all     print the probabilities of all labels\n"
    "  -q, --quiet            print no labels\n"
    "  -h, --help             show this help\n";

static const struct option tag_flags[] = {
    {"model", 1, NULL, 'm'},       {"test", 0, NULL, 't'},     {"reference", 0, NULL, 'r'},
    {"probability", 0, NULL, 'p'}, {"marginal", 0, NULL, 'i'}, {"marginal-all", 0, NULL, 'l'},
    {"quiet", 0, NULL, 'q'},       {"help", 0, NULL, 'h'},     {0}};

typedef struct {
    size_t match, model, gold;
} label_counts;

typedef struct {
    const char *path;
    bool test, gold, probability, marginal, all, quiet;
    const caucus_model *model;
    label_counts *count;                   /* [classes] */
    size_t items, right, sequences, whole; /* sequences that are right as a whole */
    bool inside, wrong;                    /* in a sequence; with an error */
} tagging;

static void tag_flag(stand_in *s, tagging *t, int flag)
{
    switch (flag) {
    case 'm':
        t->path = optarg;
        break;
    case 't':
        t->test = true;
        break;
    case 'r':
        t->gold = true;
        break;
    case 'p':
        t->probability = true;
        break;
    case 'i':
        t->marginal = true;
        break;
    case 'l':
        t->all = true;
        break;
    case 'q':
        t->quiet = true;
        break;
    default:
        fputs(tag_help, stdout);
        s->stopped = true;
    }
}

static size_t class_of(const caucus_model *model, const char *label)
{
    const size_t classes = caucus_model_classes(model);
    size_t i = 0;
    while (i < classes && strcmp(caucus_model_class(model, i), label) != 0) i++;
    return i;
}

static void count_label(tagging *t, const char *gold, const char *label)
{
    const size_t g = class_of(t->model, gold), m = class_of(t->model, label);
    const size_t classes = caucus_model_classes(t->model);
    const bool right = strcmp(gold, label) == 0;
    if (g < classes) t->count[g].gold++;
    if (m < classes) t->count[m].model++;
    if (right && g < classes) t->count[g].match++;
    t->items++;
    t->right += right;
    t->wrong = t->wrong || !right;
}

static void end_sequence(tagging *t)
{
    if (t->inside) {
        t->sequences++;
        t->whole += !t->wrong;
    }
    t->inside = t->wrong = false;
}

/* A line is: label of the data (if it has one), label, and perhaps label:probability of all. */
static void tag_line(void *user, char *line)
{
    tagging *t = user;
    if (!*line) {
        end_sequence(t);
        if (!t->quiet) putchar('\n');
        return;
    }
    if (!t->inside && line[0] == '#' && line[1] == ' ' && !strchr(line, '\t')) {
        if (!t->quiet) printf("@probability\t%f\n", strtod(line + 2, NULL));
        return;
    }
    t->inside = true;
    char *all = NULL, *label;
    const char *gold = line;
    if (t->marginal || t->all) {
        all = line + strlen(line);
        for (size_t k = caucus_model_classes(t->model); k && all > line;)
            if (*--all == '\t') k--;
        *all++ = '\0';
    }
    label = stand_in_last_column(line);
    if (!label) {
        label = line;
        gold = "";
    }
    if (t->test) count_label(t, gold, label);
    if (t->quiet) return;
    if (t->gold) printf("%s\t", gold);
    fputs(label, stdout);
    if (t->marginal) printf(":%f", stand_in_probability_of(all, label));
    char *rest = all;
    for (char *cell; t->all && (cell = strtok_r(rest, "\t", &rest));) {
        const char *p = stand_in_split_probability(cell);
        printf("\t%s:%f", cell, p ? strtod(p, NULL) : NAN);
    }
    putchar('\n');
}

static double ratio(size_t a, size_t b)
{
    return b ? (double)a / (double)b : 0;
}

static double f1(double precision, double recall)
{
    return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

static void print_scores(const tagging *t, double seconds)
{
    const size_t classes = caucus_model_classes(t->model);
    double p_sum = 0, r_sum = 0, f_sum = 0;
    printf("Performance by label (#match, #model, #ref) (precision, recall, F1):\n");
    for (size_t i = 0; i < classes; i++) {
        const label_counts *c = &t->count[i];
        const double p = ratio(c->match, c->model), r = ratio(c->match, c->gold), f = f1(p, r);
        if (c->gold == 0)
            printf("    %s: (%zu, %zu, %zu) (******, ******, ******)\n",
                   caucus_model_class(t->model, i), c->match, c->model, c->gold);
        else
            printf("    %s: (%zu, %zu, %zu) (%1.4f, %1.4f, %1.4f)\n",
                   caucus_model_class(t->model, i), c->match, c->model, c->gold, p, r, f);
        p_sum += c->gold ? p : 0;
        r_sum += c->gold ? r : 0;
        f_sum += c->gold ? f : 0;
    }
    const double n = (double)classes;
    printf("Macro-average precision, recall, F1: (%f, %f, %f)\n", p_sum / n, r_sum / n, f_sum / n);
    printf("Item accuracy: %zu / %zu (%1.4f)\n", t->right, t->items, ratio(t->right, t->items));
    printf("Instance accuracy: %zu / %zu (%1.4f)\n", t->whole, t->sequences,
           ratio(t->whole, t->sequences));
    printf("Elapsed time: %f [sec] (%.1f [instance/sec])\n", seconds,
           seconds > 0 ? (double)t->sequences / seconds : 0);
}

static int main_tag(caucus_ctx *ctx, int argc, char **argv)
{
    stand_in s;
    tagging t = {0};
    caucus_model *model = NULL;
    stand_in_begin(&s, ctx, "crfsuite tag", "tag");
    for (int flag; (flag = stand_in_flag(&s, argc, argv, ":m:trpilqh", tag_flags)) != -1;)
        tag_flag(&s, &t, flag);
    if (!s.stopped && !t.path) stand_in_misused(&s, "-m MODEL is missing");
    if (t.marginal || t.all) stand_in_set(&s, "probabilities", NULL);
    if (t.probability) stand_in_set(&s, "sequence-probability", NULL);
    model = stand_in_open(&s, t.path);
    if (!s.stopped) {
        t.model = model;
        t.count = calloc(caucus_model_classes(model) + 1, sizeof *t.count);
        if (t.count)
            stand_in_tag(&s, model, tag_line, &t);
        else
            stand_in_misused(&s, "out of memory");
        end_sequence(&t);
    }
    if (!s.stopped && t.test) print_scores(&t, seconds_now() - s.start);
    free(t.count);
    caucus_model_free(model);
    return stand_in_end(&s);
}

/* ---- dump ------------------------------------------------------------------------------------ */

static void dump_names(const caucus_model *model)
{
    const size_t classes = caucus_model_classes(model);
    const size_t features = caucus_model_features(model, CAUCUS_TOKEN_FEATURES);
    printf("FILEHEADER = {\n  magic: lCRF\n  type: FOMC\n  version: 100\n  num_labels: %zu\n"
           "  num_attrs: %zu\n}\n\nLABELS = {\n",
           classes, features);
    for (size_t i = 0; i < classes; i++) printf("  %5zu: %s\n", i, caucus_model_class(model, i));
    printf("}\n\nATTRIBUTES = {\n");
    for (size_t i = 0; i < features; i++) {
        size_t n = 0;
        const char *name = caucus_model_feature(model, CAUCUS_TOKEN_FEATURES, i, &n);
        printf("  %5zu: %.*s\n", i, (int)n, name ? name : "");
    }
    printf("}\n\n");
}

static caucus_status dump_weights(caucus_ctx *ctx, const caucus_model *model, double *w)
{
    const size_t classes = caucus_model_classes(model);
    caucus_status st = CAUCUS_OK;
    printf("TRANSITIONS = {\n");
    for (size_t i = 0; i < classes; i++)
        for (size_t j = 0; j < classes; j++) {
            const double x = caucus_model_transition(model, CAUCUS_NONE, i, j);
            if (x != 0)
                printf("  (1) %s --> %s: %f\n", caucus_model_class(model, i),
                       caucus_model_class(model, j), x);
        }
    printf("}\n\nSTATE_FEATURES = {\n");
    for (size_t i = 0; i < caucus_model_features(model, CAUCUS_TOKEN_FEATURES) && !st; i++) {
        size_t n = 0;
        const char *name = caucus_model_feature(model, CAUCUS_TOKEN_FEATURES, i, &n);
        st = caucus_model_weights(ctx, model, CAUCUS_NONE, CAUCUS_TOKEN_FEATURES, i, w);
        for (size_t j = 0; j < classes && !st && name; j++)
            if (w[j] != 0)
                printf("  (0) %.*s --> %s: %f\n", (int)n, name, caucus_model_class(model, j), w[j]);
    }
    printf("}\n\n");
    return st;
}

static int main_dump(caucus_ctx *ctx, int argc, char **argv)
{
    caucus_model *model = NULL;
    if (argc != 2) return misused("crfsuite dump: usage: crfsuite dump MODEL");
    caucus_status st = caucus_model_open(ctx, argv[1], &model);
    if (st) return failed(ctx, st);
    double *w = calloc(caucus_model_classes(model) + 1, sizeof *w);
    if (w) {
        dump_names(model);
        st = dump_weights(ctx, model, w);
    }
    free(w);
    caucus_model_free(model);
    return w ? output_status(ctx, st) : FAILED;
}

int compat_crfsuite(caucus_ctx *ctx, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "learn") == 0) return main_learn(ctx, argc - 1, argv + 1);
    if (strcmp(what, "tag") == 0) return main_tag(ctx, argc - 1, argv + 1);
    if (strcmp(what, "dump") == 0) return main_dump(ctx, argc - 1, argv + 1);
    if (strcmp(what, "-h") != 0 && strcmp(what, "--help") != 0)
        return misused("crfsuite: there is no command '%s'; there are learn, tag and dump", what);
    fputs(overview, stdout);
    return DONE;
}
