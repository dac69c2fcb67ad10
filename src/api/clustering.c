/* clustering.c - clustering as the public interface offers it. */

#include <string.h>

#include "api/options.h"
#include "base/status.h"

/* "0,1,3": three numbers of columns. */
static caucus_status parse_columns(caucus_ctx *ctx, const char *text, uint64_t columns[3])
{
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        const size_t n = strcspn(at, ",");
        if (!cau_parse_count(at, n, &columns[i]) || (at[n] == ',') != (i < 2))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--columns %s: not three numbers; write 0,1,3 for example", text);
        at += n + (i < 2);
    }
    return CAUCUS_OK;
}

caucus_status caucus_cluster(caucus_ctx *ctx, const caucus_options *options,
                             const char *const *paths, size_t count, caucus_ask_fn *ask,
                             void *ask_user, caucus_write_fn *write, void *user, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_options how = options->cluster;
    how.seed = options->seed;
    how.threads = cau_options_threads(ctx, options);
    if (options->cluster_columns)
        TRY(parse_columns(ctx, options->cluster_columns, how.items.columns));
    how.dp.restricted = 3;
    how.dp.fixed_alpha = cau_options_is_set(options, "alpha");
    if (!how.dp.fixed_alpha) how.dp.start.alpha = 1;
    how.dp.fixed_base = cau_options_is_set(options, "beta");
    how.dp.start.beta = how.dp.fixed_base ? options->cluster_beta : .5;
    how.dp.start.k0 = how.dp.fixed_base ? options->cluster_beta : .1;
    how.dp.start.a0 = how.dp.start.b0_scale = 1;
    TRY(cau_cluster(ctx, &how, paths, count, ask, ask_user, write, user, out));
done:
    return st;
}
