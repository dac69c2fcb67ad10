/* cmd_train.c - caucus train: read, learn, report. The library saves the model, as it needs to
 * know when it may give up the checkpoint.
 *
 * The first Ctrl-C (or SIGTERM) asks training to end after its iteration: the handler only
 * notes the signal, the progress callback passes it on, and the model so far is saved like
 * any other. The handler also puts the default action back, so that the second one kills at
 * once; a file is then what it was, since models appear whole or not at all. While data is
 * being read there is nothing to save, and the default action is in place. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "progress.h"

/* The number of the signal that asked for the end, and whether somebody at a terminal waits for
 * an answer. A handler can reach nothing but such variables. */
static volatile sig_atomic_t stop_signal, answer;

static void default_action(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
}

static void on_signal(int number)
{
    static const char text[] = "\ncaucus: stopping after this iteration; once more ends at once\n";
    int error = errno;
    stop_signal = number;
    default_action(SIGINT);
    default_action(SIGTERM);
    if (answer && write(STDERR_FILENO, text, sizeof text - 1) < 0) answer = 0;
    errno = error;
}

/* A signal that the caller has ignored (nohup, a background job of a script) stays ignored. */
static void catch_signal(int number)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static bool on_progress(void *user, const caucus_progress *now)
{
    progress_step(user, now);
    return stop_signal == 0;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the report ---------------------------------------------------------------------- */

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
    fputc('\n', stderr);
}

static void report(const caucus_model *model, const char *path, double reading, double training)
{
    print_value(model, "model", "", ": ");
    print_value(model, "instances", "", " instances, ");
    print_value(model, "features", "", " features, ");
    print_value(model, "classes", "", " classes, ");
    print_value(model, "weights", "", " weights");
    if (number(model, "nonzero") < number(model, "weights"))
        print_value(model, "nonzero", ", ", " of them not 0");
    fputc('\n', stderr);
    print_pool(model);
    print_groups(model);

    double objective = number(model, "objective");
    int digits = decimals(objective);
    fprintf(stderr, "objective %.*f = loss %.*f + penalty %.*f\n", digits, objective, digits,
            number(model, "loss"), digits, number(model, "penalty"));
    print_value(model, "penalty.definition", "penalty = ", "\n");

    print_value(model, "stop", "stopped: ", "; ");
    print_value(model, "iterations", "", " iterations, ");
    print_value(model, "passes", "", " passes, ");
    fprintf(stderr, "%.2f s (and %.2f s reading)\n", training, reading);
    print_accuracy(model);
    print_size(path);
}

/* ---- the verb ------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* A model written over the data it comes from would be the loss of the data. */
static int check_paths(const request *r, const char *path, bool study)
{
    static const char *const sets[][2] = {{"dev", "development"}, {"test", "test"}};
    if (!path && study) return DONE;
    if (!path)
        return misused("train needs -o MODEL, the file to write; the form is caucus train %s",
                       r->verb->synopsis);
    for (size_t i = 0; i < r->operands; i++)
        if (same_file(path, r->operand[i]))
            return misused("%s is both the data and the model; give -o another name", path);
    for (size_t i = 0; i < 2; i++) {
        const char *set = caucus_options_get(r->options, sets[i][0]);
        if (set && same_file(path, set))
            return misused("%s is both the %s data and the model; give -o another name", path,
                           sets[i][1]);
    }
    return DONE;
}

/* Many runs and a table, rather than one run. */
static bool is_study(const caucus_options *options)
{
    return strcmp(caucus_options_get(options, "folds"), "0") != 0 ||
           strcmp(caucus_options_get(options, "curve"), "0") != 0 ||
           caucus_options_get(options, "grid");
}

/* A run that ended before its time leaves its checkpoint; one that finished removes it. */
static bool has_checkpoint(const char *path)
{
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%s.checkpoint", path);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

int cmd_train(const request *r)
{
    const char *path = caucus_options_get(r->options, "output");
    const bool study = is_study(r->options);
    int status = check_paths(r, path, study);
    if (status) return status;

    caucus_data *data = NULL;
    caucus_model *model = NULL;
    progress p;
    progress_init(&p, r->quiet);
    caucus_on_note(r->ctx, progress_note, &p);
    caucus_on_progress(r->ctx, on_progress, &p);

    double start = seconds_now(), read = start;
    caucus_status st = caucus_train_check(r->ctx, r->options);
    if (!st) st = caucus_data_read(r->ctx, r->options, r->operand, r->operands, &data);
    if (!st) {
        answer = p.live && !p.quiet;
        read = seconds_now();
        catch_signal(SIGINT);
        catch_signal(SIGTERM);
        st = study
                 ? caucus_study(r->ctx, data, r->options, output_write, NULL, path ? &model : NULL)
                 : caucus_train(r->ctx, data, r->options, &model);
        progress_end(&p);
    }
    if (study)
        status = output_status(r->ctx, st);
    else if (st)
        status = failed(r->ctx, st);
    if (st == CAUCUS_ERR_STOPPED && stop_signal) status = 128 + stop_signal;
    if (model && !r->quiet) report(model, path, read - start, seconds_now() - read);
    if (model && has_checkpoint(path)) {
        if (!r->quiet)
            say("stopped before the end; %s holds the best model so far, and the same command "
                "with --resume goes on",
                path);
        if (stop_signal) status = 128 + stop_signal;
    }
    caucus_model_free(model);
    caucus_data_free(data);
    return status;
}
