/* score.h - scores of instances and sequences, by each voter of a model. */

#ifndef CAU_INFER_SCORE_H
#define CAU_INFER_SCORE_H

#include "infer/dropped_features.h"
#include "infer/voters.h"
#include "model/lookup_cache.h"
#include "model/model.h"

/* The features that a reader found, and the observations of the model that they are: for the nodes
 * or for the edges. */
typedef struct {
    const cau_observations *of;
    const uint64_t *dropped; /* a bit for each observation that is treated as unknown, or NULL */
    uint64_t *hash;          /* without names: [count] of the features that are not scored yet */
    size_t count, hash_room;
    cau_lookup_cache *recent; /* of the nodes, without names; NULL until needed */
    cau_open *open;           /* [opens] those that the cache lacks; the first are looked up */
    size_t opens, answered, settled, open_room; /* settled: their weights are verified as well */
    const uint32_t *row; /* the observation of a feature in the model, or CAU_UNKNOWN */
    uint32_t *found;     /* [looked_up] the memory of these */
    size_t looked_up, found_room;
} cau_lookup;

/* Features, numbered first by a lookup and then by the model. */
typedef struct {
    uint32_t *id;
    float *value;
    size_t id_room, value_room;
} cau_features;

/* An instance of a sequence that waits for its scores. */
typedef struct {
    size_t node_end, edge_end; /* where its features end */
    bool plain;                /* all of its values are 1 */
} cau_waiting;

/* The features of consecutive instances as rows of a model, without those that it does not have.
 * Scoring needs nothing else of an instance. They come from a reader (below) or from memory
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

/* A vocabulary for one reader, and the scores of what it reads.
 *
 * With `names`, features are numbered as they occur and keep their names, unknown ones included, so
 * that an explanation can name them. Without, the number of a feature is its place in what is being
 * read, valid until it is scored; that is fast (score.c), and for tagging.
 *
 * Features whose rows are known go to cau_scorer_add, without a reader. */
typedef struct {
    const caucus_model *model;
    size_t voters;
    caucus_model *voter;     /* [voters] */
    bool members;            /* silent voters are scored, too */
    cau_alphabets alphabets; /* all features so far; both NULL without names */
    cau_lookup nodes, edges;

    /* With names, views of the above for explanations: */
    cau_alphabet *names, *edge_names;
    const uint32_t *row, *edge_row; /* the observation of each name, or CAU_UNKNOWN */

    /* the sequence at hand */
    size_t T;
    cau_scores *scores; /* [voters] */
    double *mixing;     /* [T][J] of a gated pool, else NULL */
    size_t mixing_room;
    cau_gate_work gate;

    /* the part of it that is not scored yet, or the one instance */
    cau_features node, edge;
    size_t *start, *edge_start; /* of a cau_feature_rows */
    size_t start_room, edge_start_room;
    cau_waiting *waiting;
    size_t waits, waiting_room;
    size_t held;    /* the next instances whose features have places already */
    uint64_t *seen; /* [seen_mask + 1] hash table of the observations of a group */
    size_t seen_room, seen_mask;
    uint32_t group; /* the current one */
} cau_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                              bool names);

/* The same without names, for the scores of all members of a pool, whatever their weights and
 * however they are combined; those of the model on top of a stack come after its member. */
caucus_status cau_scorer_init_members(caucus_ctx *ctx, cau_scorer *scorer,
                                      const caucus_model *pool);
void cau_scorer_clear(cau_scorer *scorer);

/* Treats dropped features as unknown. Borrows them; call it before anything is read. */
void cau_scorer_drop(cau_scorer *scorer, const cau_dropped *dropped);

/* The vocabulary for opening a reader. The scorer must not move from here on. */
cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer);

/* s [Y] <- the scores of an instance that was read with this vocabulary, without those of the edge
 * into it; for a pool by the sums of its weights. With names, row[] is then valid for all features.
 * CAUCUS_ERR_FORMAT, with file and line, when the instance does not have as many groups of features
 * as the model needs: one for all classes, or one for each class (explicit features). */
caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s);

/* A sequence: begin, its instances, finish; then T, scores and mixing are valid until the next
 * begin. Fails like cau_scorer_scores; after a failure, begin starts again. */
void cau_scorer_begin(cau_scorer *scorer);

/* Scores the next instances of the sequence, which have as many groups of features as the model
 * needs. CAUCUS_ERR_MEMORY. */
caucus_status cau_scorer_add(caucus_ctx *ctx, cau_scorer *scorer, const cau_feature_rows *rows);

/* The same for an instance from a reader, which may be scored later, with others. */
caucus_status cau_scorer_push(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                              const cau_instance *instance);
caucus_status cau_scorer_finish(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader);

#endif
