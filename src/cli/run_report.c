/* run_report.c - what train and adapt share: studies, and what is reported of a new model. */

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli.h"

/* "8 features, " for a key that the model has; nothing for others. */
static void print_value(const caucus_model *model, const char *key, const char *before,
                        const char *after)
{
    const char *value = caucus_model_info(model, key);
    if (value) fprintf(stderr, "%s%s%s", before, value, after);
}

/* The number that a key of the model holds; NaN for none. */
static double number(const caucus_model *model, const char *key)
{
    const char *value = caucus_model_info(model, key);
    return value ? strtod(value, NULL) : NAN;
}

/* "accuracy 99.53% on the training data, 90.62% on the development data (iteration 31)" */
static void print_accuracy(const caucus_model *model)
{
    static const struct {
        const char *key, *data;
    } sets[] = {
        {"train.accuracy", "training"}, {"dev.accuracy", "development"}, {"test.accuracy", "test"}};
    const char *before = "accuracy ";
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        double share = number(model, sets[i].key);
        if (isnan(share)) continue;
        fprintf(stderr, "%s%.2f%% on the %s data", before, 100 * share, sets[i].data);
        if (i == 1) print_value(model, "dev.iteration", " (best at iteration ", ")");
        before = ", ";
    }
    if (before[0] == ',') fputc('\n', stderr);
}

static void print_size(const char *path)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) return;
    double size = (double)file.st_size;
    size_t unit = 0;
    for (; size >= 1000 && unit < 4; unit++) size /= 1000;
    fprintf(stderr, "%s: %.*f %s\n", path, unit > 0 && size < 100, size, units[unit]);
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

/* "groups: 5 of 14 kept; dropped: U00 U01" */
static void print_groups(const caucus_model *model)
{
    if (!caucus_model_info(model, "groups")) return;
    print_value(model, "groups.kept", "groups: ", " of ");
    print_value(model, "groups", "", " kept");
    print_value(model, "groups.dropped", "; dropped: ", "");
    fprintf(stderr, "; %.0f%% less to look up in tagging\n", 100 * number(model, "groups.spared"));
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

void report_model(const caucus_model *model, const char *path, double reading, double training)
{
    print_value(model, "model", "", "");
    print_value(model, "instances", ": ", " instances");
    print_value(model, "features", ", ", " features");
    print_value(model, "classes", ", ", " classes");
    print_value(model, "weights", ", ", " weights");
    if (number(model, "nonzero") < number(model, "weights"))
        print_value(model, "nonzero", ", ", " of them not 0");
    fputc('\n', stderr);
    print_pool(model);
    print_groups(model);
    print_domains(model);

    const double objective = number(model, "objective"), penalty = number(model, "penalty");
    const int digits = decimals(objective);
    if (isfinite(penalty))
        fprintf(stderr, "objective %.*f = loss %.*f + penalty %.*f\n", digits, objective, digits,
                number(model, "loss"), digits, penalty);
    else if (isfinite(objective))
        fprintf(stderr, "objective %.*f, loss %.*f\n", digits, objective, digits,
                number(model, "loss"));
    print_value(model, "penalty.definition", "penalty = ", "\n");

    print_value(model, "stop", "stopped: ", "; ");
    print_value(model, "iterations", "", " iterations, ");
    print_value(model, "passes", "", " passes, ");
    fprintf(stderr, "%.2f s (and %.2f s reading)\n", training, reading);
    print_accuracy(model);
    print_size(path);
}

caucus_status run_study(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                        caucus_model **best)
{
    caucus_study *study = NULL;
    caucus_options *chosen = NULL;
    caucus_status st = caucus_study_run(ctx, data, options, &study);
    if (!st) st = caucus_study_write(ctx, study, output_write, NULL);
    if (!st && best && caucus_study_best(study) != CAUCUS_NONE) {
        st = caucus_study_options(ctx, study, caucus_study_best(study), &chosen);
        if (!st) st = caucus_train(ctx, data, chosen, best);
    }
    caucus_options_free(chosen);
    caucus_study_free(study);
    return st;
}
