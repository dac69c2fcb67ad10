/* cmd_adapt.c - caucus adapt: read the domains, learn or compare, report. */

#include <string.h>

#include "cli.h"
#include "stopping.h"

/* Many runs and a table, rather than one run. */
static bool compares(const caucus_options *options)
{
    return strcmp(caucus_options_get(options, "method"), "all") == 0 ||
           strcmp(caucus_options_get(options, "folds"), "0") != 0 ||
           strcmp(caucus_options_get(options, "curve"), "0") != 0;
}

static int check_paths(const request *r, const char *path, bool table)
{
    static const char *const sets[] = {"target", "source", "test"};
    for (size_t i = 0; i < 2; i++)
        if (!caucus_options_get(r->options, sets[i]))
            return misused("adapt needs --%s FILE; the form is caucus adapt %s", sets[i],
                           r->verb->synopsis);
    if (!path && !table)
        return misused("adapt needs -o MODEL, the file to write; the form is caucus adapt %s",
                       r->verb->synopsis);
    const char *set;
    for (size_t i = 0; path && i < 3; i++)
        for (size_t k = 0; (set = caucus_options_get_at(r->options, sets[i], k)); k++)
            if (same_file(path, set))
                return misused("%s is both data and the model; give -o another name", path);
    return DONE;
}

int cmd_adapt(const request *r)
{
    const char *path = caucus_options_get(r->options, "output");
    const bool table = compares(r->options);
    int status = check_paths(r, path, table);
    if (status) return status;

    caucus_data *data = NULL;
    caucus_model *model = NULL;
    progress p;
    progress_init(&p, r->quiet);
    caucus_on_note(r->ctx, progress_note, &p);
    caucus_on_progress(r->ctx, stopping_progress, &p);

    double start = seconds_now(), read = start;
    caucus_status st = caucus_data_read(r->ctx, r->options, NULL, 0, &data);
    if (!st) {
        read = seconds_now();
        stopping_catch(p.live && !p.quiet);
        st = table ? run_study(r->ctx, data, r->options, path ? &model : NULL)
                   : caucus_train(r->ctx, data, r->options, &model);
        progress_end(&p);
    }
    status = output_status(r->ctx, st);
    if (stopping_signal() && (st == CAUCUS_ERR_STOPPED || model)) status = 128 + stopping_signal();
    if (model && !r->quiet) report_model(model, path, read - start, seconds_now() - read);
    if (model && stopping_signal() && !r->quiet)
        say("stopped before the end; %s holds what there was by then", path);
    caucus_model_free(model);
    caucus_data_free(data);
    return status;
}
