/* score.h - scores of instances and sequences as a reader gives them. */

#ifndef CAU_INFER_SCORE_H
#define CAU_INFER_SCORE_H

#include "infer/dropped_features.h"
#include "infer/voters.h"
#include "model/lookup_cache.h"
#include "model/model.h"

/* What the reader has met, and which observations of the model that is: for the nodes or for
 * the edges. */
typedef struct {
    const cau_observations *of;
    const uint64_t *dropped; /* a bit for each observation that is treated as unknown, or NULL */
    uint64_t *hash;          /* without names: [count] of the features not scored yet */
    size_t count, hash_room;
    cau_lookup_cache *recent; /* without names, of the nodes: see recent.h */
    cau_open *open;           /* [opens] what is not recent, of which some are answered */
    size_t opens, answered, settled, open_room; /* settled: also their weights are verified */
    const uint32_t *row; /* the observation of a feature in the model, or CAU_UNKNOWN */
    uint32_t *found;     /* [looked_up] where these are kept, unless somebody else does */
    size_t looked_up, found_room;
} cau_lookup;

/* Features with the numbers of a lookup, then with those of the model. */
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

/* The features of consecutive instances as rows of a model: those that it does not have are left
 * out. This is all that scoring needs of an instance; it comes from a reader (below) or from a data
 * set (apply_set.c). */
typedef struct {
    size_t count;             /* instances */
    size_t groups;            /* groups of features in each: 1, or one for each class */
    const size_t *start;      /* [count * groups + 1] features of group g of instance i are
                                 start[i * groups + g] .. start[i * groups + g + 1] - 1 */
    const uint32_t *row;      /* observations of positions */
    const float *value;       /* NULL: all 1 */
    const size_t *edge_start; /* [count + 1]; NULL: no observations on edges */
    const uint32_t *edge_row;
    const float *edge_value; /* NULL: all 1 */
    bool distinct;           /* no row stands twice in an instance */
} cau_feature_rows;

/* The scores of a sequence by one voter. */
typedef struct {
    double *s;   /* [T][Y] */
    double *own; /* [T][Y][Y] what observations add to the edges into t; NULL: the model has none */
    size_t s_room, own_room;
} cau_scores;

/* A model as seen by one reader: a vocabulary for it, and the scores of what it reads.
 *
 * With `names`, features are numbered as they come and keep their names, also those that the
 * model does not know: whoever explains a decision has to name them. Without, a feature is
 * its place in what is being read, and lives as long; that is for the tagger, and fast
 * (score.c).
 *
 * Features whose rows are known already go to cau_scorer_add, without a reader. */
typedef struct {
    const caucus_model *model;
    size_t voters;
    caucus_model *voter;     /* [voters] */
    bool members;            /* silent voters are scored, too */
    cau_alphabets alphabets; /* every feature met so far; both NULL without names */
    cau_lookup nodes, edges;

    /* With names, views of the above for whoever explains: */
    cau_alphabet *names, *edge_names;
    const uint32_t *row, *edge_row; /* the observation of each name, or CAU_UNKNOWN */

    /* the sequence at hand */
    size_t T;
    cau_scores *scores; /* [voters] */
    double *say;        /* [T][J] of a gated pool, else NULL */
    size_t say_room;
    cau_gate_work gate;

    /* what of it is not scored yet, or the one instance */
    cau_features node, edge;
    size_t *start, *edge_start; /* of a cau_feature_rows */
    size_t start_room, edge_start_room;
    cau_waiting *waiting;
    size_t waits, waiting_room;
    size_t held;    /* so many instances that come next have their features in what was read */
    uint64_t *seen; /* [seen_mask + 1] the observations of a group: see score.c */
    size_t seen_room, seen_mask;
    uint32_t group; /* that is being added */
} cau_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                              bool names);

/* The same without names, for the scores of all members of a pool, whatever their weights and
 * however they are combined; those of the model on top of a stack come after its member. */
caucus_status cau_scorer_init_members(caucus_ctx *ctx, cau_scorer *scorer,
                                      const caucus_model *pool);
void cau_scorer_clear(cau_scorer *scorer);

/* From here on, what is dropped is unknown. Borrowed; before anything is read. */
void cau_scorer_drop(cau_scorer *scorer, const cau_dropped *dropped);

/* What to open the reader with. The scorer must not move from here on. */
cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer);

/* s [Y] <- the scores of an instance that was read with this vocabulary, without what stands on
 * the edge to it; for a pool by the sums of its weights. With names, row[] is then valid for all of
 * them. CAUCUS_ERR_FORMAT, and a sentence with file and line, when the features did not come in as
 * many groups as the model wants: one for all classes, or one for each (megam's explicit form). */
caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s);

/* A sequence: begin, its instances as they are read, finish; then T, scores and say are valid until
 * the next begin. A failure is told as by cau_scorer_scores; begin starts afresh after one. */
void cau_scorer_begin(cau_scorer *scorer);

/* Scores the instances that come next in the sequence, or fails with CAUCUS_ERR_MEMORY and a
 * sentence. The features must come in as many groups as the model wants. */
caucus_status cau_scorer_add(caucus_ctx *ctx, cau_scorer *scorer, const cau_feature_rows *rows);

/* The same for what a reader gives. Instances may wait for others or for the end of the sequence.
 */
caucus_status cau_scorer_push(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                              const cau_instance *instance);
caucus_status cau_scorer_finish(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader);

#endif
