/* compare.h - is one system better than another, or merely luckier?
 *
 * McNemar's test on tokens; paired bootstrap and approximate randomisation on the F1 of chunks
 * (or the accuracy, where labels are classes) over sentences or documents; for more than two
 * systems all pairs, with Holm's correction. */

#ifndef CAU_EVAL_COMPARE_H
#define CAU_EVAL_COMPARE_H

#include "base/rng.h"
#include "eval/chunks.h"
#include "eval/eval.h"
#include "report/report.h"

typedef struct cau_compare cau_compare;

/* Of two systems or more. `names` [systems] are copied. */
caucus_status cau_compare_new(caucus_ctx *ctx, size_t systems, const char *const *names,
                              cau_unit unit, cau_compare **out);
void cau_compare_free(cau_compare *compare);

/* One token with a known gold label: right [systems]. CAUCUS_ERR_MEMORY. */
caucus_status cau_compare_token(cau_compare *compare, const bool *right);

/* The end of a sentence: the tokens since the last end are one. counts [systems] are those of its
 * chunks, or NULL where labels are classes (throughout, or not at all: the last word counts).
 * `document` tells that the sentence was the first of a document. Tokens that no end ever followed
 * are, where labels are classes, the last sentence; and where there was no end at all, a file
 * without blank lines, units of their own. */
caucus_status cau_compare_break(cau_compare *compare, const cau_counts *counts, bool document);

/* All tests, in parallel; the same at any number of threads. CAUCUS_ERR_FORMAT when there is
 * nothing to resample: fewer than two units, or no document marks where documents are asked
 * for. To be called once, after the last sentence. */
caucus_status cau_compare_finish(caucus_ctx *ctx, cau_compare *compare, bool chunks,
                                 uint64_t resamples, uint64_t seed, unsigned threads);

/* Adds the results under the key "comparison" of the object that is open in the tree; and prints
 * that subtree as tables. */
void cau_compare_tree(const cau_compare *compare, cau_tree *tree);
void cau_compare_print(const json_t *comparison, cau_writer *out);

/* ---- the tests themselves (significance.c) ------------------------------------------------ */

/* b tokens that only the first got right, c only the second. chi2 = (|b-c|-1)^2/(b+c), 0 where
 * |b-c| <= 1; p of it with one degree of freedom; and the exact two-sided binomial p. */
typedef struct {
    double chi2, p, exact;
} cau_mcnemar;
cau_mcnemar cau_mcnemar_test(uint64_t b, uint64_t c);

/* adjusted [n] of p [n] by Holm: at most 1, in the order of p. CAUCUS_ERR_MEMORY. */
caucus_status cau_holm(const double *p, size_t n, double *adjusted);

/* ---- resampling (resample.c) --------------------------------------------------------------- */

/* What a unit adds to a score, which is the sum of hits over the sum of bases, 0 where that is 0.
 * F1 has 2 correct over found + gold; accuracy has the right tokens over all. */
typedef struct {
    uint64_t hits, base;
} cau_share;

/* A bag of units, each a share [systems]. Units that are alike are kept once and counted, so it
 * grows with the units that differ. */
typedef struct cau_shares cau_shares;
caucus_status cau_shares_new(caucus_ctx *ctx, size_t systems, cau_shares **out);
void cau_shares_free(cau_shares *units);
caucus_status cau_shares_add(cau_shares *units, const cau_share *share); /* CAUCUS_ERR_MEMORY */
uint64_t cau_shares_count(const cau_shares *units);

/* The score of one system, and its 95% interval by the percentiles of the bootstrap. */
typedef struct {
    double score, low, high;
} cau_interval;

/* What resampling says of score_b - score_a. */
typedef struct {
    double difference;    /* as measured */
    double low, high;     /* 95% interval of the bootstrap, percentiles */
    double bootstrap;     /* one-sided p, (1 + #{delta* <= 0}) / (B + 1), for the better system */
    double randomisation; /* two-sided p, (1 + #{|delta*| >= |delta|}) / (B + 1) */
} cau_resampled;

/* `scores` [systems], and `pairs` of all systems a < b in the order of cau_pair_at. The same at
 * any number of threads. CAUCUS_ERR_MEMORY, or CAUCUS_ERR_ARGUMENT without units or resamples. */
caucus_status cau_resample(caucus_ctx *ctx, const cau_shares *units, uint64_t resamples,
                           uint64_t seed, unsigned threads, cau_interval *scores,
                           cau_resampled *pairs);

/* Where the pair a < b stands among (0,1) (0,2) .. (0,S-1) (1,2) .. (S-2,S-1). */
static inline size_t cau_pair_at(size_t systems, size_t a, size_t b)
{
    return a * (2 * systems - a - 1) / 2 + (b - a - 1);
}

/* How many of n trials of probability p, from 0 to 1, succeed. */
uint64_t cau_binomial(cau_rng *rng, uint64_t n, double p);

#endif
