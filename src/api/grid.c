/* grid.c - the settings of a grid such as "l2=0.1,1,10 l1=0,1".
 *
 *     grid   = axis { (blank | ';') axis }
 *     axis   = name '=' value { ',' value }
 *
 * A name is any option of "train" that may vary, in any unit: C=0.1,1 is a grid as well. Each
 * setting is a copy of the options in which the values are set by caucus_options_set, which checks
 * them. */

#include "api/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { AXES_MAX = 16, SETTINGS_MAX = 100000 };

typedef struct {
    const char *name;
    const char **value; /* [values] */
    size_t values;
} grid_axis;

/* Cuts the text up to the next of the characters `ends` off the front of *rest; false at the end.
 */
static bool cut_part(const char **rest, const char *ends, cau_str *part)
{
    *rest += strspn(*rest, ends);
    *part = (cau_str){*rest, strcspn(*rest, ends)};
    *rest += part->n;
    return part->n > 0;
}

static caucus_status fail_grid(caucus_ctx *ctx, const char *text)
{
    return cau_fail(
        ctx, CAUCUS_ERR_ARGUMENT,
        "--grid %s: not name=value,value; write for example --grid 'l2=0.1,1,10 l1=0,1'", text);
}

static caucus_status read_axis(caucus_ctx *ctx, cau_grid *grid, const caucus_options *options,
                               cau_str text, grid_axis *out, bool *penalty)
{
    const char *equals = memchr(text.s, '=', text.n);
    if (!equals || equals == text.s) return fail_grid(ctx, options->grid);
    const size_t n = (size_t)(equals - text.s);
    const char *values = cau_arena_copy(&grid->arena, equals + 1, text.n - n - 1);
    out->name = cau_arena_copy(&grid->arena, text.s, n);
    out->value = cau_arena_alloc(&grid->arena, text.n, sizeof(char *));
    if (!values || !out->name || !out->value) return cau_fail_memory(ctx, "the grid");
    if (!cau_options_varies(options, out->name, penalty))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--grid %s: the option '%s' cannot vary; take a penalty, or another "
                        "option of the model, the solver or the stopping rule that is not a text",
                        options->grid, out->name);
    if (cau_options_is_set(options, out->name))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--%s is set, and varies in --grid as well; leave one of them out",
                        out->name);
    cau_str value;
    while (cut_part(&values, ",", &value)) {
        const char *copy = cau_arena_copy(&grid->arena, value.s, value.n);
        if (!copy) return cau_fail_memory(ctx, "the grid");
        out->value[out->values++] = copy;
    }
    return out->values ? CAUCUS_OK : fail_grid(ctx, options->grid);
}

static caucus_status fit_pool(caucus_ctx *ctx, const caucus_data *data, const cau_setting *setting,
                              const cau_train_options *options, uint64_t seed, unsigned threads,
                              cau_fit_result *result, double *own)
{
    (void)own;
    return cau_pool_fit_labels(ctx, data, setting->self, options, seed, threads, result);
}

/* Makes setting i; the last axis varies fastest. */
static caucus_status make_setting(caucus_ctx *ctx, cau_grid *grid, const caucus_options *options,
                                  const grid_axis *axes, size_t count, size_t i)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf text = {0};
    size_t stride = grid->count;
    TRY(cau_options_copy(ctx, options, cau_options_all, &grid->options[i]));
    caucus_options *own = grid->options[i];
    for (size_t a = 0; a < count; a++) {
        stride /= axes[a].values;
        const char *value = axes[a].value[i / stride % axes[a].values];
        TRY(caucus_options_set(ctx, own, axes[a].name, value));
        cau_strbuf_printf(&text, "%s%s=%s", a ? " " : "", axes[a].name, value);
    }
    TRY(cau_strbuf_status(ctx, &text));
    cau_setting *setting = &grid->settings[i];
    setting->text = cau_arena_copy(&grid->arena, text.n ? text.s : "", text.n);
    if (!setting->text) TRY(cau_fail_memory(ctx, "the grid"));
    setting->train = own->train;
    setting->train.output = NULL;
    setting->train.resume = false;
    setting->penalty = own->train.l1 + own->train.l2 + own->train.elitist;
    if (own->pool.kind != CAU_POOL_NONE) {
        setting->fit = fit_pool;
        setting->self = &own->pool;
        grid->warm = false;
    }
done:
    cau_strbuf_clear(&text);
    return st;
}

caucus_status cau_grid_init(caucus_ctx *ctx, const caucus_options *options, cau_grid *grid)
{
    caucus_status st = CAUCUS_OK;
    grid_axis axes[AXES_MAX] = {0};
    size_t count = 0;
    const char *rest = options->grid ? options->grid : "";
    cau_str part;
    *grid = (cau_grid){.count = 1, .warm = true};
    while (cut_part(&rest, "; \t", &part)) {
        bool penalty = false;
        if (count == AXES_MAX)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--grid varies more than %d options; take fewer",
                         AXES_MAX));
        TRY(read_axis(ctx, grid, options, part, &axes[count], &penalty));
        grid->warm = grid->warm && penalty;
        grid->count *= axes[count++].values;
        if (grid->count > SETTINGS_MAX)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                         "--grid has more than %d settings; take fewer values", SETTINGS_MAX));
    }
    if (options->grid && count == 0) TRY(fail_grid(ctx, options->grid));
    grid->options = cau_calloc(grid->count, sizeof(caucus_options *));
    grid->settings = cau_calloc(grid->count, sizeof *grid->settings);
    if (!grid->options || !grid->settings) TRY(cau_fail_memory(ctx, "the grid"));
    for (size_t i = 0; i < grid->count; i++) TRY(make_setting(ctx, grid, options, axes, count, i));
done:
    return st;
}

void cau_grid_clear(cau_grid *grid)
{
    for (size_t i = 0; grid->options && i < grid->count; i++) caucus_options_free(grid->options[i]);
    free(grid->options);
    free(grid->settings);
    cau_arena_clear(&grid->arena);
    *grid = (cau_grid){0};
}
