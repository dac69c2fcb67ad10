/* cmd_train.c - caucus train and caucus adapt: read, train, report.
 *
 * The library saves the model, because it must know when the checkpoint can be removed. progress.c
 * handles Ctrl-C. */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- the report ------------------------------------------------------------------------------ */

/* Prints "BEFORE value AFTER" if the model has the key. */
static void print_value(const caucus_model *model, const char *key, const char *before,
                        const char *after)
{
    const char *value = caucus_model_info(model, key);
    if (value) fprintf(stderr, "%s%s%s", before, value, after);
}

/* The number of a key of the model; NaN if it has none. */
static double number(const caucus_model *model, const char *key)
{
    const char *value = caucus_model_info(model, key);
    return value ? strtod(value, NULL) : NAN;
}

/* "crf: 300 sentences, 4810 tokens, 10339 features, 12 labels, 15159 weights" */
static void print_sizes(const caucus_model *model)
{
    const bool sequences = caucus_model_info(model, "sequences");
    print_value(model, "model", "", ": ");
    print_value(model, "sequences", "", " sentences, ");
    print_value(model, "instances", "", sequences ? " tokens" : " instances");
    print_value(model, "features", ", ", " features");
    print_value(model, "classes", ", ", sequences ? " labels" : " classes");
    print_value(model, "weights", ", ", " weights");
    if (number(model, "nonzero") < number(model, "weights"))
        print_value(model, "nonzero", ", ", " of them not 0");
    fputc('\n', stderr);
}

/* "pool: bag, product per sequence; experts words 0.50, looks 0.50" */
static void print_pool(const caucus_model *model)
{
    if (!caucus_model_info(model, "pool")) return;
    print_value(model, "pool", "pool: ", ", ");
    print_value(model, "combine", "", " ");
    print_value(model, "per", "per ", "; experts");
    for (int expert = 1;; expert++) {
        char key[64];
        snprintf(key, sizeof key, "expert.%d.name", expert);
        const char *name = caucus_model_info(model, key);
        if (!name) break;
        snprintf(key, sizeof key, "expert.%d.alpha", expert);
        fprintf(stderr, "%s %s %.2f", expert > 1 ? "," : "", name, number(model, key));
    }
    fputc('\n', stderr);
}

/* "groups: 5 of 14 kept; dropped: U00 U01; tagging looks up 40% fewer features" */
static void print_groups(const caucus_model *model)
{
    if (!caucus_model_info(model, "groups")) return;
    print_value(model, "groups.kept", "groups: ", " of ");
    print_value(model, "groups", "", " kept");
    print_value(model, "groups.dropped", "; dropped: ", "");
    fprintf(stderr, "; tagging looks up %.0f%% fewer features\n",
            100 * number(model, "groups.spared"));
}

/* "domain calls.txt: 1000 instances, p(general) 0.31" */
static void print_domains(const caucus_model *model)
{
    for (int domain = 1;; domain++) {
        char key[64];
        snprintf(key, sizeof key, "domain.%d.name", domain);
        if (!caucus_model_info(model, key)) return;
        print_value(model, key, "domain ", ": ");
        snprintf(key, sizeof key, "domain.%d.instances", domain);
        print_value(model, key, "", " instances, ");
        snprintf(key, sizeof key, "domain.%d.pi", domain);
        fprintf(stderr, "p(general) %.2f\n", number(model, key));
    }
}

/* "objective 147.8695 = loss 45.1848 + penalty 102.6847" */
static void print_objective(const caucus_model *model)
{
    const double objective = number(model, "objective"), penalty = number(model, "penalty");
    const int digits = decimals(objective);
    if (!isfinite(objective)) return;
    fprintf(stderr, "objective %.*f%s loss %.*f", digits, objective, isfinite(penalty) ? " =" : ",",
            digits, number(model, "loss"));
    if (isfinite(penalty)) fprintf(stderr, " + penalty %.*f", digits, penalty);
    fputc('\n', stderr);
}

/* "accuracy 99.53% on the training data, 90.62% on the development data (best at iteration 31)" */
static void print_accuracy(const caucus_model *model)
{
    static const struct {
        const char *key, *data;
    } sets[] = {
        {"train.accuracy", "training"}, {"dev.accuracy", "development"}, {"test.accuracy", "test"}};
    const char *before = "accuracy ";
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const double share = number(model, sets[i].key);
        if (isnan(share)) continue;
        fprintf(stderr, "%s%.2f%% on the %s data", before, 100 * share, sets[i].data);
        if (i == 1) print_value(model, "dev.iteration", " (best at iteration ", ")");
        before = ", ";
    }
    if (before[0] == ',') fputc('\n', stderr);
}

/* "spam.cau: 629 kB" */
static void print_file_size(const char *path)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) return;
    double size = (double)file.st_size;
    size_t unit = 0;
    for (; size >= 1000 && unit < 4; unit++) size /= 1000;
    fprintf(stderr, "%s: %.*f %s\n", path, unit > 0 && size < 100, size, units[unit]);
}

static void report_model(const caucus_model *model, const char *path, double reading,
                         double training)
{
    print_sizes(model);
    print_pool(model);
    print_groups(model);
    print_domains(model);
    print_objective(model);
    print_value(model, "penalty.definition", "penalty = ", "\n");
    print_value(model, "stop", "stopped: ", "; ");
    print_value(model, "iterations", "", " iterations, ");
    print_value(model, "passes", "", " passes, ");
    fprintf(stderr, "%.2f s (and %.2f s to read the data)\n", training, reading);
    print_accuracy(model);
    print_file_size(path);
}

/* ---- the commands ---------------------------------------------------------------------------- */

/* Whether an option that is 0 by default was set. */
static bool is_on(const request *r, const char *name)
{
    return strcmp(caucus_options_get(r->options, name), "0") != 0;
}

/* A model is required unless many runs make a table. Refuses to write it over a file of data, which
 * is an operand or the value of one of these options. */
static int check_output(const request *r, const char *path, bool study, const char *const *options)
{
    const char *data;
    if (!path && study) return DONE;
    if (!path)
        return misused("%s needs -o MODEL, the file to write; usage: caucus %s %s",
                       r->command->name, r->command->name, r->command->synopsis);
    for (size_t i = 0; i < r->operands; i++)
        if (same_file(path, r->operand[i]))
            return misused("%s is both the data and the model; give -o another name", path);
    for (; *options; options++)
        for (size_t i = 0; (data = caucus_options_get_at(r->options, *options, i)); i++)
            if (same_file(path, data))
                return misused("%s is both --%s and the model; give -o another name", path,
                               *options);
    return DONE;
}

/* An interrupted run leaves its checkpoint; one that finished removes it. */
static bool has_checkpoint(const char *path)
{
    char name[PATH_MAX];
    const int n = snprintf(name, sizeof name, "%s.checkpoint", path);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

/* Runs a study and writes its table. Unless `best` is NULL, the best setting or method is then
 * trained on all data; a learning curve has none. */
static caucus_status run_study(const request *r, const caucus_data *data, caucus_model **best)
{
    caucus_study *study = NULL;
    caucus_options *chosen = NULL;
    caucus_status st = caucus_study_run(r->ctx, data, r->options, &study);
    if (!st) st = caucus_study_write(r->ctx, study, output_write, NULL);
    if (!st && best && caucus_study_best(study) != CAUCUS_NONE) {
        st = caucus_study_options(r->ctx, study, caucus_study_best(study), &chosen);
        if (!st) st = caucus_train(r->ctx, data, chosen, best);
    }
    caucus_options_free(chosen);
    caucus_study_free(study);
    return st;
}

/* Reads the data, trains, saves the model to `path` unless that is NULL, and reports. */
static int run_training(const request *r, const char *path, bool study)
{
    const bool adapts = r->command->run == cmd_adapt;
    caucus_data *data = NULL;
    caucus_model *model = NULL;
    progress_line p;
    progress_init(&p, r);
    const double start = seconds_now();
    double read = start;
    caucus_status st = adapts ? CAUCUS_OK : caucus_train_check(r->ctx, r->options);
    if (!st) st = caucus_data_read(r->ctx, r->options, r->operand, r->operands, &data);
    if (!st) {
        read = seconds_now();
        catch_signals(p.live && !p.quiet);
        st = study ? run_study(r, data, path ? &model : NULL)
                   : caucus_train(r->ctx, data, r->options, &model);
        progress_end(&p);
    }

    int status = output_status(r->ctx, st);
    const bool resumable = model && has_checkpoint(path);
    const bool unfinished = resumable || (model && adapts && caught_signal());
    if (caught_signal() && (st == CAUCUS_ERR_STOPPED || unfinished)) status = 128 + caught_signal();
    if (model && !r->quiet) {
        report_model(model, path, read - start, seconds_now() - read);
        if (unfinished)
            say("stopped early; %s has the %s", path,
                resumable ? "best model so far, and the same command with --resume continues"
                          : "model so far");
    }
    caucus_model_free(model);
    caucus_data_free(data);
    return status;
}

int cmd_train(const request *r)
{
    static const char *const data_options[] = {"dev", "test", NULL};
    const char *path = caucus_options_get(r->options, "output");
    const bool study =
        is_on(r, "folds") || is_on(r, "curve") || caucus_options_get(r->options, "grid");
    const int status = check_output(r, path, study, data_options);
    return status ? status : run_training(r, path, study);
}

int cmd_adapt(const request *r)
{
    static const char *const data_options[] = {"target", "source", "test", NULL};
    const char *path = caucus_options_get(r->options, "output");
    const bool study = strcmp(caucus_options_get(r->options, "method"), "all") == 0 ||
                       is_on(r, "folds") || is_on(r, "curve");
    for (size_t i = 0; i < 2; i++)
        if (!caucus_options_get(r->options, data_options[i]))
            return misused("adapt needs --%s FILE; usage: caucus adapt %s", data_options[i],
                           r->command->synopsis);
    const int status = check_output(r, path, study, data_options);
    return status ? status : run_training(r, path, study);
}
