/* decode.h - from the scores of a sequence to its labels and their probabilities. */

#ifndef CAU_INFER_DECODE_H
#define CAU_INFER_DECODE_H

#include "infer/constraints.h"
#include "infer/score.h"
#include "model/chain.h"
#include "model/model.h"

/* The label with the highest score, and the n <= Y best ones in best [n], best first; among equals
 * the lower index first. */
uint32_t cau_best_class(const double *s, size_t Y);
void cau_best_classes(const double *s, size_t Y, size_t n, uint32_t *best);

/* In the order of the option. */
typedef enum {
    CAU_DECODE_VITERBI,   /* the most probable labelling */
    CAU_DECODE_POSTERIOR, /* the most probable label at each position */
} cau_decode_rule;

/* What is wanted beside the labels. */
typedef struct {
    cau_decode_rule rule;
    size_t nbest;     /* labellings; 0 and 1 are the best one; not with POSTERIOR */
    bool marginals;   /* p(y_t | x) of all labels */
    bool probability; /* p(labelling | x) */
    bool segments;    /* p(labels of a segment | x) */
    const cau_scheme_constraints
        *scheme;                /* borrowed; needed for `segments`; NULL: nothing is forbidden */
    const cau_dropped *dropped; /* what the member of a stack answers, if it is among these, is not
                                   observed; NULL: none is. Looked at by cau_decoder_init only */
} cau_decode_options;

/* A model or a pool ready to decode with: constant, shared by threads. Embed it zeroed, clear it at
 * the end. Borrows the model and the scheme. */
typedef struct {
    const caucus_model *model;
    const cau_chain_ops *ops; /* NULL: positions do not depend on each other */
    const cau_pool *pool;     /* of members that vote, or NULL (score.h) */
    size_t voters;
    cau_transitions *a; /* [voters]; NULL without ops */
    uint32_t *stacked;  /* [Y] of a stack: the observation that a label of its member is, or
                           CAU_UNKNOWN; else NULL */
    cau_decode_options how;
} cau_decoder;

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *decoder, const caucus_model *model,
                               const cau_decode_options *how);
void cau_decoder_clear(cau_decoder *decoder);

/* The answer for one sequence, and the memory that one thread works in. Embed it zeroed, init
 * it, clear it at the end. What was not asked for is not set. */
typedef struct {
    size_t T;
    size_t count;        /* labellings: nbest, or fewer where there are not so many */
    uint32_t *path;      /* [count][T], the best first */
    double *probability; /* [count] of each */
    double *marginal;    /* [T][Y] */
    double *segment;     /* [count][T] of the segment that begins at t; -1: none does */
    double score;        /* of the first labelling */
    double logz;         /* unless nothing but the labels was asked for */

    size_t voters;
    cau_chain_work **work; /* [voters], the first also for what they give together; NULL: positions
                              do not depend on each other */
    cau_lattice *lattice;  /* [voters] of each */
    cau_pool_work *pool;   /* NULL: nobody votes */
    double *node, *edge, *posterior; /* lattices with constraints */
    double *stack;                   /* [T][Y] scores of a stack */
    size_t path_room, probability_room, marginal_room, segment_room;
    size_t node_room, edge_room, posterior_room, stack_room;
} cau_decoded;

caucus_status cau_decoded_init(caucus_ctx *ctx, cau_decoded *decoded, const cau_decoder *decoder);
void cau_decoded_clear(cau_decoded *decoded);

/* Labels that are given: gold [T] and its sets (dataset/gold.h). */
typedef struct {
    const uint32_t *gold;
    const cau_label_sets *sets;
} cau_forced;

/* Decodes a sequence of T >= 1 positions, given its scores by each voter, and, for a gated pool,
 * who has how much say (score.h; else NULL). forced may be NULL. Labels and transitions that are
 * forbidden or not the given ones are impossible, and all probabilities are those of the model
 * given that. CAUCUS_ERR_MEMORY; CAUCUS_ERR_NUMERIC when no labelling is possible. */
caucus_status cau_decode(const cau_decoder *decoder, cau_decoded *out, size_t T,
                         const cau_scores *scores, const double *say, const cau_forced *forced);

/* The best labels of a sequence from memory: path [T], and, unless NULL, marginal [T][Y], the
 * score of the path and log Z (their difference is the log probability of the path). A feature
 * counts wherever the model knows its name, among the nodes, the edges or both; others are
 * ignored. CAUCUS_ERR_ARGUMENT for values that are not finite, and for models in megam's explicit
 * form. Safe from many threads at once, each with a context of its own. */
caucus_status cau_label(caucus_ctx *ctx, const caucus_model *model, const caucus_item *items,
                        size_t T, uint32_t *path, double *marginal, double *score, double *logz);

/* p(y | x) of a single instance from memory, [Y]: what cau_label says of a sequence of one. For any
 * model, and pools; untouched on failure. CAUCUS_ERR_ARGUMENT as above; CAUCUS_ERR_FORMAT when the
 * model is damaged; CAUCUS_ERR_MEMORY for a mixture or a stack only, since otherwise nothing is
 * allocated. */
caucus_status cau_predict(const caucus_model *model, const caucus_feature *features, size_t count,
                          double *p);

#endif
