/* votes.h - J experts with weights in doubles, applied to a labelled dataset: labels of the pool,
 * and the likelihoods and losses by which the weights of its members are chosen.
 *
 * The scores of all experts can be computed once, so that another combination costs no more than
 * decoding. */

#ifndef CAU_INFER_VOTES_H
#define CAU_INFER_VOTES_H

#include "infer/dataset_scores.h"
#include "model/pool.h"

typedef struct cau_votes cau_votes;

/* w [J] are weights of one layout; its tables and the weights are borrowed, like the set, until
 * cau_votes_free. With `keep` the scores are computed now ([J][N][Y] numbers), and later calls read
 * neither set->x nor any weights but those on edges; otherwise each call computes them. Later calls
 * run on up to `threads` threads, too. */
caucus_status cau_votes_new(caucus_ctx *ctx, const cau_dataset *set,
                            const cau_weight_layout *layout, size_t J, const double *const *w,
                            bool keep, unsigned threads, cau_votes **out);
void cau_votes_free(cau_votes *votes); /* NULL is fine */

/* One call at a time. All return CAUCUS_ERR_MEMORY, or CAUCUS_ERR_NUMERIC when a number is not
 * finite; the caller adds the message. */

/* Labels the set with a pool of the J experts: labels [N], unless NULL, and how many of the counted
 * instances are right (cau_count_right). */
caucus_status cau_votes_label(cau_votes *votes, const cau_pool *pool, uint32_t *labels,
                              size_t *right, size_t *counted);

/* log p_j(gold | x) of sequences, or log p_j(gold_t | gold_{t-1}, x) of positions: logp [cases][J].
 * Sequences with an unknown label are left out. */
size_t cau_votes_cases(const cau_votes *votes, cau_per per);
caucus_status cau_votes_likelihoods(cau_votes *votes, cau_per per, double *logp);

/* The loss -log p(gold | x) of a product with any weights alpha [J], over all sequences, and its
 * gradient g [J]. By transition, sequences with an unknown label are left out. */
caucus_status cau_votes_loss(cau_votes *votes, cau_per per, const double *alpha, double *loss,
                             double *g);

#endif
