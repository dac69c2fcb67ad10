/* save.c - writes a model as one of a peer (peers.h), and what the writers share (save_model.h). */

#include "base/output.h"
#include "peers/peers.h"
#include "peers/save_model.h"

/* In the order of cau_model_form. */
static const struct {
    const char *program;
    cau_peer_write *write; /* NULL: our own form */
} forms[] = {{"Caucus", NULL},
             {"CRFsuite", cau_write_crfsuite},
             {"CRF++", cau_write_crfpp},
             {"CRF++", cau_write_crfpp_text},
             {"Wapiti", cau_write_wapiti}};

size_t cau_row_weights(const cau_observations *of, size_t k, cau_packed *out)
{
    size_t n = 0;
    if (of->dense) {
        const float *row = of->dense + k * of->width;
        for (size_t c = 0; c < of->width; c++)
            if (row[c] != 0) out[n++] = (cau_packed){(uint32_t)c, row[c]};
        return n;
    }
    for (uint64_t i = of->start[k]; i < of->start[k + 1]; i++)
        if (of->packed[i].weight != 0) out[n++] = of->packed[i];
    return n;
}

caucus_status cau_peer_lacks(const cau_peer_target *to, const char *what)
{
    return cau_fail(to->ctx, CAUCUS_ERR_UNSUPPORTED, "%s: %s has no %s; keep the model as it is",
                    to->path, to->program, what);
}

caucus_status cau_check_single(const cau_peer_target *to)
{
    const caucus_model *m = to->model;
    if (m->pool.J) return cau_peer_lacks(to, "pools");
    if (m->nodes.width != m->Y)
        return cau_peer_lacks(to, "features with one weight for all classes");
    for (size_t y = 0; m->bias && y < m->Y; y++)
        if (m->bias[y] != 0) return cau_peer_lacks(to, "intercepts (train with --no-bias)");
    return CAUCUS_OK;
}

caucus_status cau_peers_save(caucus_ctx *ctx, const caucus_model *model, cau_model_form form,
                             const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf bytes = {0};
    cau_output *file = NULL;
    const cau_peer_target target = {ctx, path, forms[form].program, model};
    if (!forms[form].write) return cau_model_save(ctx, model, path);
    TRY(cau_model_verify(ctx, model));
    TRY(forms[form].write(&target, &bytes));
    TRY(cau_strbuf_status(ctx, &bytes));
    TRY(cau_output_open(ctx, path, &file));
    TRY(cau_output_write(ctx, file, bytes.s, bytes.n));
    TRY(cau_output_commit(ctx, file));
done:
    cau_output_free(file);
    cau_strbuf_clear(&bytes);
    return st;
}
