/* votes.h - what the members of a pool say of a labelled set, for choosing their weights and for
 * measuring them.
 *
 * The scores of all members are computed once, so that asking again with other weights costs no
 * more than decoding. */

#ifndef CAU_INFER_VOTES_H
#define CAU_INFER_VOTES_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "model/pool.h"

/* The weights of members, all of the same layout (train/problem.h): those of the node table, of
 * the edge table, and the common ones. Borrowed. */
typedef struct {
    size_t J;
    const double *const *w; /* [J][all weights] */
    cau_table nodes, edges;
    size_t common;              /* weights; 0: none */
    const cau_chain_ops *chain; /* NULL: classifiers */
} cau_panel;

typedef struct cau_votes cau_votes;

/* Borrows the set and the weights until cau_votes_free. With `keep` the scores are computed now
 * ([J][N][Y] numbers), and after that set->x is not looked at, nor are weights but those on edges;
 * else they are computed each time anew. Works on up to `threads` threads, now and later. */
caucus_status cau_votes_new(caucus_ctx *ctx, const cau_dataset *set, const cau_panel *panel,
                            bool keep, unsigned threads, cau_votes **out);
void cau_votes_free(cau_votes *votes); /* NULL is fine */

/* All of the following return CAUCUS_ERR_MEMORY, and CAUCUS_ERR_NUMERIC when something is not
 * finite; whoever asks adds the words. One of them at a time. */

/* How many instances the pool labels right, of how many, as cau_pass_accuracy counts them. The pool
 * has the J of the panel. */
caucus_status cau_votes_count(cau_votes *votes, const cau_pool *pool, size_t *right,
                              size_t *counted);

/* The same, and the labels [N] that are meant. */
caucus_status cau_votes_label(cau_votes *votes, const cau_pool *pool, uint32_t *labels,
                              size_t *right, size_t *counted);

/* log p_j(gold | x) of sequences, or log p_j(gold_t | gold_{t-1}, x) of positions: logp [cases][J].
 * Cases are those of the sequences all of whose labels are known. */
size_t cau_votes_cases(const cau_votes *votes, cau_per per);
caucus_status cau_votes_likelihoods(cau_votes *votes, cau_per per, double *logp);

/* The loss -log p(gold | x) of a product with weights alpha [J], of which nothing is asked, over
 * all sequences, and its gradient g [J]. By transition, sequences with unknown labels are left
 * out. */
caucus_status cau_votes_loss(cau_votes *votes, cau_per per, const double *alpha, double *loss,
                             double *g);

#endif
