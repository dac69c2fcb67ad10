/* score.h - scores of instances and sequences, by each voter of a model. */

#ifndef CAU_INFER_SCORE_H
#define CAU_INFER_SCORE_H

#include "infer/voters.h"
#include "model/lookup_cache.h"
#include "model/model.h"

/* The observations of a model that are dropped, which scoring treats as unknown. Embed it zeroed,
 * clear it at the end; threads may share it. */
typedef struct {
    uint64_t *nodes, *edges; /* a bit for each observation; NULL: no observation is dropped */
} cau_dropped;

/* Drops the observations whose names match one of the globs (base/utf8.h), and notes
 * globs that match no name. */
caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs);
void cau_dropped_clear(cau_dropped *dropped);

static inline bool cau_is_dropped(const uint64_t *bits, size_t row)
{
    return bits[row / 64] >> row % 64 & 1;
}

/* The nodes or the edges of instances that wait for their scores. The features of their blocks have
 * places, block after block, and at each place the observation of the model is looked up. */
typedef struct {
    const cau_observations *of;
    const uint64_t *dropped; /* a bit for each observation that is treated as unknown, or NULL */
    size_t places;
    size_t block;             /* the place of the first feature of the current block */
    uint64_t *key;            /* [places] of features that the cache lacks */
    uint32_t *row;            /* [places] the observation, or CAU_UNKNOWN, once it is looked up */
    size_t dropped_to;        /* places before this one are checked against `dropped` */
    cau_lookup_cache *recent; /* of nodes; NULL until needed */
    cau_open *open;           /* [opens] lookups that the cache lacks: the first `answered` have */
    size_t opens, answered, verified; /* rows, whose weights are verified up to `verified` */

    size_t used;       /* features of the waiting instances */
    size_t *start;     /* [groups of these instances + 1] */
    uint32_t *feature; /* [used] their places, and later their rows */
    float *value;      /* [used]; unset if all are 1 */
    bool plain;        /* all are */
    size_t key_room, row_room, open_room, start_room, feature_room, value_room;
} cau_lookup;

/* The features of consecutive instances as rows of a model, without those that it does not have.
 * Scoring needs nothing else of an instance. They come from a block (below) or from memory
 * (apply.c). */
typedef struct {
    size_t count;             /* instances */
    size_t groups;            /* groups of features in each: 1, or one for each class */
    const size_t *start;      /* [count * groups + 1] features of group g of instance i are
                                 start[i * groups + g] .. start[i * groups + g + 1] - 1 */
    const uint32_t *row;      /* observations of positions */
    const float *value;       /* NULL: all 1 */
    const size_t *edge_start; /* [count + 1]; NULL: no features on edges */
    const uint32_t *edge_row;
    const float *edge_value; /* NULL: all 1 */
    bool distinct;           /* no row occurs twice in an instance */
} cau_feature_rows;

/* The scores of a sequence by one voter. */
typedef struct {
    double *s;           /* [T][Y] */
    double *edge_scores; /* [T][Y][Y] scores of features on the edges into t; NULL: none */
    size_t s_room, own_room;
} cau_scores;

/* Scores the instances of blocks of keys under the base of the model, sequence by sequence. The
 * blocks must live as long as the scorer.
 * Features whose rows are known go to cau_scorer_add, without a reader. */
typedef struct {
    const caucus_model *model;
    size_t voters;
    caucus_model *voter; /* [voters] */
    bool members;        /* silent voters are scored, too */

    /* the sequence at hand */
    size_t T;
    cau_scores *scores; /* [voters] */
    double *mixing;     /* [T][J] of a gated pool, else NULL */
    size_t mixing_room;
    cau_gate_work gate;

    /* the last instances of it, which are not scored yet */
    size_t waits;
    cau_lookup nodes, edges;
    const cau_feature_block *block; /* that was looked up last, */
    uint64_t serial;                /* and its serial number then */
    bool once;                      /* a feature that a group has twice counts once */
    uint64_t *seen;                 /* [seen_mask + 1] hash table of the observations of a group */
    size_t seen_room, seen_mask;
    uint32_t group; /* the current one */
} cau_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model);

/* The same for the scores of all members of a pool, whatever their weights and however they are
 * combined; those of the model on top of a stack come after its member. */
caucus_status cau_scorer_init_members(caucus_ctx *ctx, cau_scorer *scorer,
                                      const caucus_model *pool);
void cau_scorer_clear(cau_scorer *scorer);

/* Treats dropped features as unknown. Borrows them; call it before anything is scored. */
void cau_scorer_drop(cau_scorer *scorer, const cau_dropped *dropped);

/* CAUCUS_ERR_FORMAT, with file and line, when an instance does not have as many groups of features
 * as the model needs: one for all classes, or one for each class (explicit features). */
caucus_status cau_check_groups(caucus_ctx *ctx, const caucus_model *model, const cau_reader *reader,
                               const cau_instance *instance);

/* A sequence: begin, its instances, finish; then T, scores and mixing are valid until the next
 * begin. An instance may be scored later, with others. The reader names the file in messages. Fails
 * like cau_check_groups, and with CAUCUS_ERR_FORMAT when weights of the model are damaged; after a
 * failure, begin starts again. */
void cau_scorer_begin(cau_scorer *scorer);
caucus_status cau_scorer_push(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                              const cau_instance *instance);
caucus_status cau_scorer_finish(caucus_ctx *ctx, cau_scorer *scorer);

/* Scores the next instances of the sequence, which have as many groups of features as the model
 * needs, at once. CAUCUS_ERR_MEMORY. */
caucus_status cau_scorer_add(caucus_ctx *ctx, cau_scorer *scorer, const cau_feature_rows *rows);

#endif
