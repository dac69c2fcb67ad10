/* cmd_train.c - caucus train: read, learn, report. The library saves the model, as it needs to
 * know when it may give up the checkpoint; what Ctrl-C does is in stopping.c. */

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "stopping.h"

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
    caucus_on_progress(r->ctx, stopping_progress, &p);

    double start = seconds_now(), read = start;
    caucus_status st = caucus_train_check(r->ctx, r->options);
    if (!st) st = caucus_data_read(r->ctx, r->options, r->operand, r->operands, &data);
    if (!st) {
        read = seconds_now();
        stopping_catch(p.live && !p.quiet);
        st = study ? run_study(r->ctx, data, r->options, path ? &model : NULL)
                   : caucus_train(r->ctx, data, r->options, &model);
        progress_end(&p);
    }
    if (study)
        status = output_status(r->ctx, st);
    else if (st)
        status = failed(r->ctx, st);
    if (st == CAUCUS_ERR_STOPPED && stopping_signal()) status = 128 + stopping_signal();
    if (model && !r->quiet) report_model(model, path, read - start, seconds_now() - read);
    if (model && has_checkpoint(path)) {
        if (!r->quiet)
            say("stopped before the end; %s holds the best model so far, and the same command "
                "with --resume goes on",
                path);
        if (stopping_signal()) status = 128 + stopping_signal();
    }
    caucus_model_free(model);
    caucus_data_free(data);
    return status;
}
