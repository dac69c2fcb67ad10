/* peers.h - model files of other programs, opened as ours and written as theirs.
 *
 * A file is recognised by its first bytes. Its labels, names and weights become the image of one of
 * our models (model/build.c), so a model of a peer is tagged, inspected, saved and trained from
 * like any other. docs/peer-models.md describes what is read from each program, and what is not. */

#ifndef CAU_PEERS_PEERS_H
#define CAU_PEERS_PEERS_H

#include "model/model.h"

/* Opens a model file: one of ours (cau_model_open), or one of a peer. CAUCUS_ERR_FORMAT for a
 * damaged file, CAUCUS_ERR_UNSUPPORTED for a model that our models cannot express. */
caucus_status cau_peers_open(caucus_ctx *ctx, const char *path, caucus_model **out);

/* The same from the bytes of a file, which are copied. */
caucus_status cau_peers_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                   caucus_model **out);

/* Whether a file begins like a model, ours or that of a peer. False if it cannot be read. */
bool cau_peers_is_model(caucus_ctx *ctx, const char *path);

/* The forms in which a model can be written, in the order of the option --as. */
typedef enum {
    CAU_AS_CAUCUS,
    CAU_AS_CRFSUITE,
    CAU_AS_CRFPP,
    CAU_AS_CRFPP_TEXT,
    CAU_AS_WAPITI,
    CAU_FORMS
} cau_model_form;

/* Writes a model. CAUCUS_ERR_UNSUPPORTED, and no file, if the peer has no such models. */
caucus_status cau_peers_save(caucus_ctx *ctx, const caucus_model *model, cau_model_form form,
                             const char *path);

#endif
