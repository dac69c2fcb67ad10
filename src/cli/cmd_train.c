/* cmd_train.c - caucus train: read, learn, save, report.
 *
 * The first Ctrl-C (or SIGTERM) asks training to end after its iteration: the handler only
 * notes the signal, the progress callback passes it on, and the model so far is saved like
 * any other. The handler also puts the default action back, so that the second one kills at
 * once; a file is then what it was, since models appear whole or not at all. While data is
 * being read there is nothing to save, and the default action is in place. */

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli.h"
#include "progress.h"

/* The number of the signal that asked for the end; a handler can reach nothing else. */
static volatile sig_atomic_t stop_signal;

static void default_action(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
}

static void on_signal(int number)
{
    stop_signal = number;
    default_action(SIGINT);
    default_action(SIGTERM);
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
static void print_count(const caucus_model *model, const char *key, const char *before,
                        const char *after)
{
    const char *value = caucus_model_info(model, key);
    if (value) fprintf(stderr, "%s%s%s", before, value, after);
}

static void print_number(const caucus_model *model, const char *key, const char *before)
{
    const char *value = caucus_model_info(model, key);
    if (!value) return;
    double x = strtod(value, NULL);
    fprintf(stderr, "%s%.*f", before, decimals(x), x);
}

static void print_score(const caucus_model *model, const char *key, const char *name,
                        const char **before)
{
    const char *value = caucus_model_info(model, key);
    if (!value) return;
    fprintf(stderr, "%s%.2f%% of the %s data", *before, 100 * strtod(value, NULL), name);
    *before = ", ";
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

static void report(const caucus_model *model, const char *path, double seconds)
{
    print_count(model, "model", "", ": ");
    print_count(model, "instances", "", " instances, ");
    print_count(model, "features", "", " features, ");
    print_count(model, "classes", "", " classes, ");
    print_count(model, "weights", "", " weights");
    print_count(model, "nonzero", ", ", " of them not 0");
    fputc('\n', stderr);

    print_number(model, "objective", "objective ");
    print_number(model, "loss", " = loss ");
    print_number(model, "penalty", " + penalty ");
    fputc('\n', stderr);
    print_count(model, "penalty.definition", "penalty = ", "\n");

    print_count(model, "stop", "stopped: ", "; ");
    print_count(model, "iterations", "", " iterations, ");
    print_count(model, "passes", "", " passes, ");
    fprintf(stderr, "%.1f s\n", seconds);

    const char *before = "right: ";
    print_score(model, "train.accuracy", "training", &before);
    print_score(model, "dev.accuracy", "development", &before);
    print_score(model, "test.accuracy", "test", &before);
    if (before[0] == ',') fputc('\n', stderr);
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
static int check_paths(const request *r, const char *path)
{
    if (!path)
        return misused("train needs -o MODEL, the file to write; the form is caucus train %s",
                       r->verb->synopsis);
    const char *dev = caucus_options_get(r->options, "dev");
    for (size_t i = 0; i < r->operands; i++)
        if (same_file(path, r->operand[i]))
            return misused("%s is both the data and the model; give -o another name", path);
    if (dev && same_file(path, dev))
        return misused("%s is both the development data and the model; give -o another name", path);
    return DONE;
}

int cmd_train(const request *r)
{
    const char *path = caucus_options_get(r->options, "output");
    int status = check_paths(r, path);
    if (status) return status;

    caucus_data *data = NULL;
    caucus_model *model = NULL;
    progress p;
    progress_init(&p, r->quiet);
    caucus_on_note(r->ctx, progress_note, &p);
    caucus_on_progress(r->ctx, on_progress, &p);

    double start = seconds_now();
    caucus_status st = caucus_data_read(r->ctx, r->options, r->operand, r->operands, &data);
    if (!st) {
        catch_signal(SIGINT);
        catch_signal(SIGTERM);
        st = caucus_train(r->ctx, data, r->options, &model);
        progress_end(&p);
    }
    if (!st) st = caucus_model_save(r->ctx, model, path);
    if (st)
        status = failed(r->ctx, st);
    else if (!r->quiet)
        report(model, path, seconds_now() - start);

    if (!st && stop_signal) {
        if (!r->quiet)
            say("stopped before the end; %s holds the best model so far, and the same command "
                "with --resume goes on",
                path);
        status = 128 + stop_signal;
    }
    caucus_model_free(model);
    caucus_data_free(data);
    return status;
}
