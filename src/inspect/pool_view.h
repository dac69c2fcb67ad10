/* pool_view.h - the experts of a pool: what each is made of, what they share, how well they do.
 *
 * The part "experts" of `inspect` on a pool. A feature is active in an expert when one of its
 * weights there is not 0; features on edges count like all others, transitions and default
 * weights do not. As JSON, the value of a key "experts" of the summary:
 *
 *   {
 *     "combine": "product",        or "mixture", "stack"
 *     "per": "sequence",           or "transition"
 *     "mix": null,                 how a mixture by sequence is decoded: "chain", ...
 *     "features": 12000,           that are active in any expert
 *     "members": [
 *       {"name": "ngrams",                                  null where it has none
 *        "alpha": 0.5,
 *        "features": 8000,                                  active ones
 *        "weights": 20000,                                  of these, not 0
 *        "alone": 5000,                                     features that no other expert uses
 *        "only": [                                          the strongest of them
 *          {"feature": NAME, "label": LABEL, "weight": w},  no label where features are given for
 *          {"feature": NAME, "from": LABEL, "to": LABEL,    each class apart; on edges two
 *           "weight": w}, ...],
 *        "accuracy": 0.95}, ...],                           of its labels, if data was given
 *     "jaccard": [[1, 0.25], [0.25, 1]],                    features active in both, over those in
 *                                                           one; 1 where neither has any
 *     "data": {                    if data was given
 *       "positions": 46435,
 *       "labelled": 46435,         of these: those that accuracy is about; null without any
 *       "accuracy": 0.96,          of the pool
 *       "differ": [[0, 0.07], [0.07, 0]],                   share of positions where two experts
 *                                                           have different labels
 *       "disagreement": 0.07,      its mean over all pairs
 *       "ambiguity": 0.01}         in nats: ballot.c
 *   } */

#ifndef CAU_INSPECT_POOL_VIEW_H
#define CAU_INSPECT_POOL_VIEW_H

#include "base/memory.h"
#include "inspect/expert_agreement.h"
#include "report/report.h"

typedef struct {
    cau_str name; /* {NULL, 0}: none */
    size_t features, weights;
    size_t first, alone; /* the features of it alone, in `lone` */
} cau_expert;

/* A feature that one expert uses alone, and its strongest weight. */
typedef struct {
    float weight;
    uint32_t k, cell;
    uint32_t expert;
    bool edge;
} cau_lone;

typedef struct {
    const caucus_model *model;
    size_t features;    /* active in any expert */
    cau_expert *expert; /* [J] */
    size_t *common;     /* [J][J] features that are active in both */
    cau_lone *lone;     /* [lones] by expert, the strongest first */
    size_t lones, lone_room;
    cau_expert_agreement ballot; /* positions = 0: no data was given */
    cau_arena arena;             /* of the names */
} cau_pool_view;

/* Looks into a pool; `data`, which is read as `read` says, may be NULL. Embed it zeroed, clear it
 * at the end. Borrows the model. */
caucus_status cau_pool_view_make(caucus_ctx *ctx, const caucus_model *pool,
                                 const cau_read_options *read, const char *data,
                                 cau_pool_view *out);
void cau_pool_view_clear(cau_pool_view *view);

/* What the file says under a key, unescaped, as a copy in an arena; *out stays as it is where it
 * says nothing. */
caucus_status cau_info_name(caucus_ctx *ctx, const caucus_model *model, const char *key,
                            cau_arena *arena, cau_str *out);

/* Features active in both of two experts over those active in one; 1 where neither has any. */
double cau_pool_view_jaccard(const cau_pool_view *view, size_t i, size_t j);

/* As text, and as a key of `root`; with the `top` strongest features of each expert alone. */
caucus_status cau_pool_view_text(const cau_pool_view *view, uint64_t top, cau_writer *sheet);
void cau_pool_view_json(const cau_pool_view *view, uint64_t top, cau_writer *sheet, json_t *root);

#endif
