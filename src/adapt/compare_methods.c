/* compare_methods.c - which methods take part, on which data, and who wins: cau_adapt_compare. */

#include <stdlib.h>

#include "adapt/contest.h"
#include "base/memory.h"
#include "base/status.h"
#include "study/folds.h"

/* MEGA first, against which the others are tested. A curve of one method shows those beside it that
 * say most; a CRF cannot be mixed label by label. */
static void choose_methods(caucus_ctx *ctx, cau_contest *c)
{
    static const cau_method beside[] = {CAU_METHOD_MEGA, CAU_METHOD_PRIOR, CAU_METHOD_ONLY_OUT,
                                        CAU_METHOD_MIX};
    const cau_adapt_options *o = c->options;
    const bool crf = o->train.model == CAU_MODEL_CRF;
    if (o->method != CAU_METHOD_ALL && !o->curve) {
        c->method[c->M++] = (cau_method)o->method;
    } else if (o->method == CAU_METHOD_ALL) {
        for (int m = 0; m < CAU_METHODS; m++)
            if (!crf || !cau_method_is_mega((cau_method)m)) c->method[c->M++] = (cau_method)m;
        if (crf)
            cau_note(ctx, "MEGA mixes label by label, which a CRF cannot, and does not take part");
    } else {
        c->method[c->M++] = (cau_method)o->method;
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            if (beside[i] != (cau_method)o->method && !(crf && cau_method_is_mega(beside[i])))
                c->method[c->M++] = beside[i];
    }
}

static caucus_status check_data(caucus_ctx *ctx, const caucus_data *data,
                                const cau_adapt_options *o)
{
    if (!o->folds && !o->curve && !data->test.N)
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "methods are compared on data that they were not trained on; add --test, or "
            "--folds 10");
    const size_t in = cau_contest_in(data).train.S;
    const char *what = data->train.sequence ? "sequences" : "instances";
    if (o->folds > in)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--folds %llu: there are only %zu in-domain %s to spread over them; use "
                        "fewer folds",
                        (unsigned long long)o->folds, in, what);
    if (o->curve && in < (data->test.N ? 1 : 2))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--curve needs more in-domain data than %zu %s; add some%s", in, what,
                        in ? ", or --test" : "");
    return CAUCUS_OK;
}

static cau_method winner(const cau_contest *c)
{
    size_t best = 0;
    double most = -1;
    for (size_t m = 0; m < c->M; m++) {
        const cau_standing r = cau_contest_row(c, c->rows - 1, m);
        const double score = cau_contest_score(c, &r.pooled);
        if (score > most) {
            most = score;
            best = m;
        }
    }
    return c->method[best];
}

caucus_status cau_adapt_compare(caucus_ctx *ctx, const caucus_data *data,
                                const cau_adapt_options *o, caucus_write_fn *write, void *user,
                                cau_method *best)
{
    caucus_status st = CAUCUS_OK;
    cau_writer sheet = {.ctx = ctx, .write = write, .user = user};
    cau_contest c = {.data = data, .options = o};
    TRY(cau_adapt_check(ctx, o));
    TRY(check_data(ctx, data, o));
    if (cau_tags_learn(&c.tags, data->labels)) TRY(cau_fail_memory(ctx, "the labels"));
    c.chunked = cau_tally_chunked(&data->train, &c.tags);
    choose_methods(ctx, &c);
    const caucus_data in = cau_contest_in(data);
    c.rows = o->curve ? cau_curve_sizes(&in) : 1;
    c.columns = (size_t)(o->curve ? o->seeds : o->folds ? o->folds : 1);
    size_t cells;
    if (cau_size_mul(c.rows, c.columns, &cells) && cau_size_mul(cells, c.M, &cells))
        c.trial = cau_calloc(cells, sizeof *c.trial);
    c.size = cau_calloc(c.rows, sizeof *c.size);
    if (!c.trial || !c.size) TRY(cau_fail_memory(ctx, "the runs"));
    TRY(cau_contest_run(ctx, &c));
    if (o->json)
        cau_contest_json(&c, &sheet);
    else
        cau_contest_table(&c, &sheet);
    TRY(cau_writer_flush(&sheet, true));
    if (o->plot) TRY(cau_contest_plot(ctx, &c));
    *best = winner(&c);
done:
    cau_writer_clear(&sheet);
    cau_tags_clear(&c.tags);
    free(c.trial);
    free(c.size);
    return st;
}
