/* questions.h - selects the pairs of items to ask about: those whose answers are least certain, or
 * of these the ones whose answers tell most. */

#ifndef CAU_CLUSTER_QUESTIONS_H
#define CAU_CLUSTER_QUESTIONS_H

#include "base/rng.h"
#include "cluster/links.h"
#include "cluster/sampler.h"

typedef struct {
    uint32_t a, b;   /* a < b */
    double together; /* the share of samples in which they are in one cluster */
} cau_question;

/* The clusters of one sample z [N] as linked lists in ascending order: next [N] is the following
 * item of the same cluster, UINT32_MAX after the last; last [N] is scratch. */
static inline void cau_list_clusters(const uint32_t *z, size_t N, uint32_t *last, uint32_t *next)
{
    for (size_t k = 0; k < N; k++) last[k] = UINT32_MAX;
    for (size_t i = N; i-- > 0;) {
        next[i] = last[z[i]];
        last[z[i]] = (uint32_t)i;
    }
}

/* p(together) of all pairs: out [N(N-1)/2], pair (a, b), a < b, at cau_pair_index. Samples with
 * keep[s] == 0 do not count; keep may be NULL. O(S sum of squares of cluster sizes). The caller
 * owns the table: 2 N^2 bytes, 83 kB for 204 items and 200 MB for 10,000. No other function here
 * needs it. CAUCUS_ERR_ARGUMENT when no sample counts. */
static inline size_t cau_pair_index(size_t N, size_t a, size_t b)
{
    return a * N - a * (a + 1) / 2 + b - a - 1;
}
caucus_status cau_co_membership(const cau_partitions *samples, const uint8_t *keep, float *out);

/* The n open pairs (cau_links_state) with the highest entropy of `together`, the highest first;
 * ties are broken at random. *count is less than n if there are fewer. Pairs in `skip` [skips], as
 * pair indices, are left out. out has room for n. Takes the time of the table above but memory O(S
 * N + n), so N is not limited. Only CAUCUS_ERR_MEMORY. */
caucus_status cau_questions_best(caucus_ctx *ctx, const cau_partitions *samples,
                                 const uint8_t *keep, const cau_links *links, const uint64_t *skip,
                                 size_t skips, cau_rng *rng, size_t n, cau_question *out,
                                 size_t *count);

/* The same, but uniformly at random from the open pairs. `together` is NaN without samples. */
caucus_status cau_questions_random(caucus_ctx *ctx, const cau_partitions *samples,
                                   const cau_links *links, const uint64_t *skip, size_t skips,
                                   cau_rng *rng, size_t n, cau_question *out, size_t *count);

/* How much the answers to candidates q [count] would tell, if each answer is right with probability
 * `trust` (from .5 to 1). Both reorder the candidates and keep the order of those that tie; `keep`
 * as above. Only CAUCUS_ERR_MEMORY. Time for C candidates and S samples: O(S^2 N + C S^2), and O(n
 * C S min(S, 256)), but with 256 for the minimum if trust < 1. by_vi      the first is the question
 * after whose answer the samples are expected to be nearest to each other: the mean variation of
 * information over pairs of samples jointly    the first n are chosen one after the other, each for
 * the information that its answer adds to the answers of those before it, whatever they are */
caucus_status cau_questions_by_vi(caucus_ctx *ctx, const cau_partitions *samples,
                                  const uint8_t *keep, double trust, cau_question *q, size_t count);
caucus_status cau_questions_jointly(caucus_ctx *ctx, const cau_partitions *samples,
                                    const uint8_t *keep, double trust, cau_rng *rng, size_t n,
                                    cau_question *q, size_t count);

/* Sets keep[s] = 0 [S] for samples that disagree with an answer. Returns the number of samples
 * left. */
size_t cau_questions_filter(const cau_partitions *samples, const cau_question *question,
                            bool together, uint8_t *keep);

#endif
