/* compare.h - the significance of differences between systems.
 *
 * McNemar's test on tokens; paired bootstrap and approximate randomisation on the F1 of chunks
 * (or the accuracy, if labels are classes) over sentences or documents; all p-values beside those
 * that Holm's method corrects for the number of pairs. */

#ifndef CAU_EVAL_COMPARE_H
#define CAU_EVAL_COMPARE_H

#include "base/rng.h"
#include "eval/chunks.h"
#include "eval/eval.h"
#include "report/report.h"

typedef struct cau_compare cau_compare;

/* For two systems or more. `names` [systems] are copied. `pairs`: all pairs of systems are
 * compared, or the first system with each other one. */
caucus_status cau_compare_new(caucus_ctx *ctx, size_t systems, const char *const *names,
                              cau_unit unit, cau_pairs pairs, cau_compare **out);
void cau_compare_free(cau_compare *compare);

/* Counts a token with a known gold label: right [systems]. CAUCUS_ERR_MEMORY. */
caucus_status cau_compare_token(cau_compare *compare, const bool *right);

/* Ends a sentence, which has the tokens since the last end. counts [systems] are the counts of its
 * chunks, or NULL if labels are classes; a single NULL makes all labels classes. `document`: the
 * sentence begins a document. For classes the tokens after the last end are the last sentence;
 * without any end (a file without blank lines) each token is a unit. */
caucus_status cau_compare_break(cau_compare *compare, const cau_counts *counts, bool document);

/* Runs all tests on `threads` threads; the results do not depend on their number. Call it once,
 * after the last sentence. CAUCUS_ERR_FORMAT if there is nothing to resample: fewer than two units,
 * or units are documents and no line marks one. */
caucus_status cau_compare_finish(caucus_ctx *ctx, cau_compare *compare, bool chunks,
                                 uint64_t resamples, uint64_t seed, unsigned threads);

/* Adds the results under the key "comparison" of the object that is open in the tree; and prints
 * that subtree as tables. */
void cau_compare_tree(const cau_compare *compare, cau_tree *tree);
void cau_compare_print(const json_t *comparison, cau_writer *out);

/* ---- the tests themselves (significance.c) ------------------------------------------------ */

/* b tokens are right only in the first system, c only in the second. chi2 = (|b-c|-1)^2 / (b+c),
 * or 0 if |b-c| <= 1; its p with one degree of freedom; and the exact two-sided binomial p. */
typedef struct {
    double chi2, p, exact;
} cau_mcnemar;
cau_mcnemar cau_mcnemar_test(uint64_t b, uint64_t c);

/* s(n) = log n! - log(sqrt(2 pi n) (n/e)^n), n >= 1. */
double cau_stirling_remainder(double n);

/* adjusted [n]: the values p [n] after Holm's correction for n tests. CAUCUS_ERR_MEMORY. */
caucus_status cau_holm(const double *p, size_t n, double *adjusted);

/* ---- resampling (resample.c) --------------------------------------------------------------- */

/* The contribution of a unit to a score, which is the sum of hits over the sum of bases; 0 for 0/0.
 * For F1 they are 2 correct and found + gold, for accuracy the right tokens and all tokens. */
typedef struct {
    uint64_t hits, base;
} cau_share;

/* A multiset of units, each a share [systems]. Equal units are stored once and counted, so memory
 * grows with the number of different units. */
typedef struct cau_shares cau_shares;
caucus_status cau_shares_new(caucus_ctx *ctx, size_t systems, cau_shares **out);
void cau_shares_free(cau_shares *units);
caucus_status cau_shares_add(cau_shares *units, const cau_share *share); /* CAUCUS_ERR_MEMORY */
uint64_t cau_shares_count(const cau_shares *units);

/* The score of one system, and its 95% interval by the percentiles of the bootstrap. */
typedef struct {
    double score, low, high;
} cau_interval;

/* The difference score_b - score_a by resampling. */
typedef struct {
    double difference;    /* on the data */
    double low, high;     /* 95% interval of the bootstrap, percentiles */
    double bootstrap;     /* two-sided p, min(1, 2 (1 + #{delta* <= 0}) / (B + 1)) for delta > 0 */
    double randomisation; /* two-sided p, (1 + #{|delta*| >= |delta|}) / (B + 1) */
} cau_resampled;

/* Fills `scores` [systems], and `pairs` for the systems a < b with a < firsts, in the order of
 * cau_pair_at. The results do not depend on the number of threads. CAUCUS_ERR_MEMORY, or
 * CAUCUS_ERR_ARGUMENT without units or resamples. */
caucus_status cau_resample(caucus_ctx *ctx, const cau_shares *units, uint64_t resamples,
                           uint64_t seed, unsigned threads, size_t firsts, cau_interval *scores,
                           cau_resampled *pairs);

/* The index of the pair a < b among (0,1) (0,2) .. (0,S-1) (1,2) .. (S-2,S-1). */
static inline size_t cau_pair_at(size_t systems, size_t a, size_t b)
{
    return a * (2 * systems - a - 1) / 2 + (b - a - 1);
}

/* A binomial random number: the successes of n trials with probability p. */
uint64_t cau_binomial(cau_rng *rng, uint64_t n, double p);

#endif
