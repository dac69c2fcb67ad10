/* questions.h - which pair of items to ask about: the one whose answer is least certain. */

#ifndef CAU_CLUSTER_QUESTIONS_H
#define CAU_CLUSTER_QUESTIONS_H

#include "base/rng.h"
#include "cluster/links.h"
#include "cluster/partitions.h"

typedef struct {
    uint32_t a, b;   /* a < b */
    double together; /* the share of samples in which they are */
} cau_question;

/* The clusters of one sample z [N] as lists in ascending order: next [N] is the item behind each in
 * its cluster, UINT32_MAX behind the last; last [N] is working memory. */
static inline void cau_list_clusters(const uint32_t *z, size_t N, uint32_t *last, uint32_t *next)
{
    for (size_t k = 0; k < N; k++) last[k] = UINT32_MAX;
    for (size_t i = N; i-- > 0;) {
        next[i] = last[z[i]];
        last[z[i]] = (uint32_t)i;
    }
}

/* p(together) of all pairs: out [N(N-1)/2], pair (a, b), a < b, at cau_pair_index. Samples with
 * keep[s] == 0 do not count; keep may be NULL. O(S sum of squares of cluster sizes). The table is
 * the caller's: 2 N^2 bytes, 83 kB for 204 items and 200 MB for 10,000. Nothing else here needs it.
 * CAUCUS_ERR_ARGUMENT when no sample counts. */
static inline size_t cau_pair_index(size_t N, size_t a, size_t b)
{
    return a * N - a * (a + 1) / 2 + b - a - 1;
}
caucus_status cau_co_membership(const cau_partitions *samples, const uint8_t *keep, float *out);

/* The n open pairs (cau_links_state) with the highest entropy of together, the highest first; ties
 * at random. Fewer where there are not so many: *count. Pairs in `skip` [skips], as pair indices,
 * are passed over. out has room for n. The time is that of the table above, the memory O(S N + n):
 * there is no limit to N. Only CAUCUS_ERR_MEMORY. */
caucus_status cau_questions_best(caucus_ctx *ctx, const cau_partitions *samples,
                                 const uint8_t *keep, const cau_links *links, const uint64_t *skip,
                                 size_t skips, cau_rng *rng, size_t n, cau_question *out,
                                 size_t *count);

/* The same at random, uniform over the open pairs. `together` is NaN when there are no samples. */
caucus_status cau_questions_random(caucus_ctx *ctx, const cau_partitions *samples,
                                   const cau_links *links, const uint64_t *skip, size_t skips,
                                   cau_rng *rng, size_t n, cau_question *out, size_t *count);

/* Marks samples that disagree with an answer: keep[s] = 0 [S]. Returns how many are left. */
size_t cau_questions_filter(const cau_partitions *samples, const cau_question *question,
                            bool together, uint8_t *keep);

#endif
