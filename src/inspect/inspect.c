/* inspect.c - which view of a model was asked for. */

#include "inspect/inspect.h"

#include "base/status.h"
#include "infer/score.h"
#include "inspect/views.h"
#include "model/dump.h"

static caucus_status check_options(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_inspect_options *options)
{
    if (options->dump && options->json)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--dump has a form of its own, which is not JSON; give one of --dump and "
                        "--json");
    if (options->dump + !!options->expectations + !!options->explain + !!options->members > 1)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--dump, --expectations, --explain and --members are different answers; "
                        "give one of them");
    if (options->members && model->pool.J == 0)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--members compares the experts of a pool, and this is a single model; "
                        "leave it out");
    const bool explains = !cau_voting(model) || model->gate.base || cau_stacked(model);
    if ((options->expectations && cau_voting(model)) || (options->explain && !explains))
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "--%s is about one table of weights, but here experts are asked, each by "
                        "its own; give a pool that is a product by sequence, or a single model",
                        options->explain ? "explain" : "expectations");
    return CAUCUS_OK;
}

/* The views read at most one file, at the speed of its lines: there is nothing in them that
 * more threads would make faster. */
caucus_status cau_inspect(caucus_ctx *ctx, const caucus_model *model,
                          const cau_inspect_options *options, unsigned threads,
                          caucus_write_fn *write, void *user)
{
    (void)threads;
    caucus_status st = CAUCUS_OK;
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    cau_template *template = NULL;
    cau_domain_view domains = {0};
    cau_pool_view experts = {0};
    cau_read_options read = model->read;
    if (options->format != CAU_FORMAT_AUTO) read.format = (cau_format)options->format;

    TRY(check_options(ctx, model, options));
    TRY(cau_model_verify(ctx, model));
    if (model->template.s && (options->expectations || options->explain || options->members))
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL, &template));
    read.template = template;
    if (options->dump) {
        TRY(cau_model_dump(ctx, model, write, user));
    } else if (options->expectations) {
        TRY(cau_expectations(model, &read, options->expectations, options->json, &sheet));
    } else if (options->explain) {
        TRY((model->gate.base ? cau_explain_gate : cau_explain)(model, &read, options->explain,
                                                                options->json, &sheet));
    } else {
        const bool pool = model->pool.J > 0, gate = model->gate.base != NULL;
        if (gate) TRY(cau_domain_view_make(ctx, model, options->top, &domains));
        if (pool) TRY(cau_pool_view_make(ctx, model, &read, options->members, &experts));
        TRY(cau_summary(model, gate ? &domains : NULL, pool ? &experts : NULL, options->top,
                        options->json, &sheet));
    }
    TRY(cau_writer_flush(&sheet, true));
done:
    cau_template_free(template);
    cau_domain_view_clear(&domains);
    cau_pool_view_clear(&experts);
    cau_writer_clear(&sheet);
    return st;
}
