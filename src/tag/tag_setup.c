/* tag_setup.c - a model and the options of "tag", ready to label sequences. */

#include "tag/tag_setup.h"

#include <string.h>

#include "base/status.h"

/* Refuses combinations that make no sense. */
static caucus_status check_options(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_tag_options *o)
{
    if (o->probabilities && o->top)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--probabilities writes all labels and --top the best ones; give one of "
                        "them");
    if (o->nbest && o->decode == CAU_DECODE_POSTERIOR)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--nbest ranks whole labellings and --decode posterior chooses each label "
                        "for itself; give one of them");
    const struct {
        bool given;
        const char *name;
    } for_sequences[] = {{o->sequence_probability, "sequence-probability"},
                         {o->nbest > 0, "nbest"},
                         {o->decode != CAU_DECODE_VITERBI, "decode"},
                         {o->scheme != CAU_SCHEME_NONE, "scheme"},
                         {o->forced, "forced"},
                         {o->segments, "segments"}};
    for (size_t i = 0; i < sizeof for_sequences / sizeof *for_sequences; i++)
        if (model->kind == CAU_KIND_MAXENT && for_sequences[i].given)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s is for sequence models, and this is a maxent model; leave it out",
                            for_sequences[i].name);
    if (o->domain && !model->gate.base)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--domain is for models of several domains, and this one has no gate; make "
                        "one with `caucus adapt`, or leave it out");
    return CAUCUS_OK;
}

/* Some models of LIBLINEAR (peers/load_liblinear.c) have labels alone. */
static caucus_status check_probabilities(caucus_ctx *ctx, const caucus_model *model,
                                         const cau_tag_options *o)
{
    const char *kind = cau_model_info(model, "probabilities");
    if (!kind || strcmp(kind, "none") != 0 || !(o->probabilities || o->top || o->label_probability))
        return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                    "this model of LIBLINEAR gives labels without probabilities: its classes were "
                    "trained one against the rest, or as support vectors; leave out the "
                    "probabilities");
}

caucus_status cau_tag_setup_init(caucus_ctx *ctx, cau_tag_setup *setup, const caucus_model *model,
                                 const cau_tag_options *o)
{
    caucus_status st = CAUCUS_OK;
    const bool scheme = o->scheme != CAU_SCHEME_NONE || o->segments;
    const cau_decode_options how = {
        .rule = o->decode,
        .nbest = (size_t)o->nbest,
        .marginals = o->probabilities || o->top || o->label_probability,
        .probability = o->sequence_probability || o->nbest > 0,
        .segments = o->segments,
        .scheme = scheme ? &setup->scheme : NULL,
        .dropped = &setup->dropped,
    };
    *setup = (cau_tag_setup){.model = model};
    TRY(check_options(ctx, model, o));
    TRY(check_probabilities(ctx, model, o));
    if (o->drop.count) TRY(cau_model_verify(ctx, model)); /* all names are compared */
    TRY(cau_dropped_init(ctx, &setup->dropped, model, o->drop));
    if (scheme) TRY(cau_scheme_constraints_init(ctx, &setup->scheme, model, o->scheme));
    TRY(cau_decoder_init(ctx, &setup->decoder, model, &how));
done:
    if (st) cau_tag_setup_clear(setup);
    return st;
}

void cau_tag_setup_clear(cau_tag_setup *setup)
{
    cau_decoder_clear(&setup->decoder);
    cau_scheme_constraints_clear(&setup->scheme);
    cau_dropped_clear(&setup->dropped);
    *setup = (cau_tag_setup){0};
}
