/* decode.h - from the scores of a sequence to its labels and their probabilities. */

#ifndef CAU_INFER_DECODE_H
#define CAU_INFER_DECODE_H

#include "infer/constraints.h"
#include "infer/dataset_scores.h"
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

/* What to compute beside the labels. */
typedef struct {
    cau_decode_rule rule;
    size_t nbest;     /* labellings; 0 and 1 are the best one; not with POSTERIOR */
    bool marginals;   /* p(y_t | x) of all labels */
    bool probability; /* p(labelling | x) */
    bool segments;    /* p(labels of a segment | x) */
    bool members;     /* the voters are members of a pool, also where it equals one model */
    const cau_scheme_constraints *scheme; /* borrowed; needed for `segments`; NULL: no constraint */
    const cau_dropped *dropped; /* labels of the member of a stack that are not observed, or NULL;
                                   cau_decoder_init alone reads it */
} cau_decode_options;

/* What decoding needs of a model or of J voters. Threads may share it. Embed it zeroed, clear it at
 * the end. Borrows the model or the pool, and the scheme. */
typedef struct {
    size_t Y;
    const cau_chain_ops *ops; /* NULL: positions are independent, a MaxEnt model */
    const cau_pool *pool;     /* that the voters are combined by, or NULL */
    bool sums;                /* the pool equals the model with the scores sum_j alpha_j s_j */
    size_t voters;
    cau_transitions *a;            /* [voters], and one for `sums`; NULL without ops */
    uint32_t *stacked;             /* [Y] of a stack: the observation of the model that stands for a
                                      label of its member, or CAU_UNKNOWN; else NULL */
    const cau_observations *nodes; /* of a stack: the observations of the model */
    cau_decode_options how;
} cau_decoder;

caucus_status cau_decoder_init(caucus_ctx *ctx, cau_decoder *decoder, const caucus_model *model,
                               const cau_decode_options *how);

/* The same for J vectors of weights of one layout, which are members of a pool with how->members. w
 * may be NULL: then cau_decoder_set_weights comes before decoding. */
caucus_status cau_decoder_init_weights(caucus_ctx *ctx, cau_decoder *decoder, size_t Y,
                                       const cau_weight_layout *layout, size_t J,
                                       const double *const *w, const cau_decode_options *how);

/* Sets the pool that combines the voters, which are its members; not a stack. cau_decoder_init does
 * it with the pool of the model. CAUCUS_ERR_MEMORY. */
caucus_status cau_decoder_combine(cau_decoder *decoder, const cau_pool *pool);

/* Reads the transitions of voter j again, after its weights have changed. */
void cau_decoder_set_weights(cau_decoder *decoder, const cau_weight_layout *layout, size_t j,
                             const double *w);
void cau_decoder_clear(cau_decoder *decoder);

/* The labels of one sequence, and the working memory of one thread. Embed it zeroed, init it, clear
 * it at the end. Only what the options ask for is set. */
typedef struct {
    size_t T;
    size_t count;        /* labellings: nbest, or fewer where fewer are possible */
    uint32_t *path;      /* [count][T], best first */
    double *probability; /* [count] */
    double *marginal;    /* [T][Y] */
    double *segment;     /* [count][T] of the segment that begins at t; -1: no segment begins */
    double score;        /* of the first labelling */
    double logz;         /* not set where only labels were asked for */
    bool uncertified;    /* exact decoding came to its limit, and there may be better labellings */

    size_t voters;
    cau_chain_work **work;           /* [voters]; NULL without ops */
    cau_lattice *lattice;            /* [voters] */
    cau_lattice *allowed;            /* [voters] of exact decoding, with the constraints */
    cau_pool_work *pool;             /* NULL without a pool or ops */
    double *node, *edge, *posterior; /* lattices with constraints */
    cau_scores sum;                  /* scores of all voters together, or those of a stack */
    size_t path_room, probability_room, marginal_room, segment_room;
    size_t node_room, edge_room, posterior_room;
} cau_decoded;

caucus_status cau_decoded_init(caucus_ctx *ctx, cau_decoded *decoded, const cau_decoder *decoder);
void cau_decoded_clear(cau_decoded *decoded);

/* Decodes a sequence of T >= 1 positions, given its scores by each voter and, of a gated pool, the
 * weights mixing [T][J] of the members at each position (else NULL). `forced` may be NULL.
 * Forbidden labels and transitions are impossible, and all probabilities are conditional on that.
 * CAUCUS_ERR_MEMORY; CAUCUS_ERR_NUMERIC when no labelling is possible. */
caucus_status cau_decode(const cau_decoder *decoder, cau_decoded *out, size_t T,
                         const cau_scores *scores, const double *mixing,
                         const cau_forced_labels *forced);

/* The lattices out->lattice [voters] of a sequence model, those of silent members included. Fails
 * like cau_decode. */
caucus_status cau_decode_lattices(const cau_decoder *decoder, cau_decoded *out, size_t T,
                                  const cau_scores *scores);

/* s [n] <- sum_j alpha_j s_j: the scores of J voters added up, nodes or (`own`) edges. */
void cau_add_scores(size_t J, const double *alpha, const cau_scores *scores, bool own, size_t n,
                    double *s);

#endif
