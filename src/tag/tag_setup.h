/* tag_setup.h - a model and the options of "tag", ready to label sequences of files or of memory.
 */

#ifndef CAU_TAG_TAG_SETUP_H
#define CAU_TAG_TAG_SETUP_H

#include "infer/decode.h"
#include "tag/tag.h"

/* Threads may share it. Embed it zeroed, clear it at the end. Borrows the model. */
typedef struct {
    const caucus_model *model;
    cau_scheme_constraints scheme;
    cau_dropped dropped;
    cau_decoder decoder;
} cau_tag_setup;

/* CAUCUS_ERR_ARGUMENT for options that do not go together or do not suit the model. */
caucus_status cau_tag_setup_init(caucus_ctx *ctx, cau_tag_setup *setup, const caucus_model *model,
                                 const cau_tag_options *options);
void cau_tag_setup_clear(cau_tag_setup *setup);

#endif
