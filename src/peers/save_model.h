/* save_model.h - for the files of peers/: writing a model in the form of a peer. */

#ifndef CAU_PEERS_SAVE_MODEL_H
#define CAU_PEERS_SAVE_MODEL_H

#include "base/status.h"
#include "model/model.h"
#include "peers/peer_text.h"

/* A model that is to be written. */
typedef struct {
    caucus_ctx *ctx;
    const char *path;    /* of the new file, for messages */
    const char *program; /* that will read it */
    const caucus_model *model;
} cau_peer_target;

/* Writes a model into an empty buffer, which must then be checked for `failed`.
 * CAUCUS_ERR_UNSUPPORTED if the peer cannot express it. */
typedef caucus_status cau_peer_write(const cau_peer_target *target, cau_strbuf *out);

cau_peer_write cau_write_crfsuite, cau_write_crfpp, cau_write_crfpp_text, cau_write_wapiti;

/* Adds a number of 32 bits, little endian. */
static inline void cau_peer_put_u32(cau_strbuf *out, size_t x)
{
    const char bytes[] = {(char)x, (char)(x >> 8), (char)(x >> 16), (char)(x >> 24)};
    cau_strbuf_add(out, bytes, sizeof bytes);
}

/* The weights of row k that are not 0: out [width], cells ascending. Returns their number. */
size_t cau_row_weights(const cau_observations *of, size_t k, cau_packed *out);

/* CAUCUS_ERR_UNSUPPORTED: "FILE: PROGRAM has no WHAT; keep the model as it is". */
caucus_status cau_peer_lacks(const cau_peer_target *target, const char *what);

/* What no peer has: pools, one weight for all classes, and intercepts. */
caucus_status cau_check_single(const cau_peer_target *target);

#endif
