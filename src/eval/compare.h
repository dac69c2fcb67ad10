/* compare.h - is one system better than another, or merely luckier?
 *
 * McNemar's test on tokens; paired bootstrap and approximate randomisation on the F1 of chunks
 * (or the accuracy, where labels are classes) over sentences or documents; for more than two
 * systems all pairs, with Holm's correction. */

#ifndef CAU_EVAL_COMPARE_H
#define CAU_EVAL_COMPARE_H

#include "base/sheet.h"
#include "eval/chunks.h"
#include "eval/eval.h"

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
 * are units of their own where labels are classes: a file without blank lines. */
caucus_status cau_compare_break(cau_compare *compare, const cau_counts *counts, bool document);

/* All tests, in parallel; the same at any number of threads. CAUCUS_ERR_FORMAT when there is
 * nothing to resample: fewer than two units, or no document marks where documents are asked
 * for. To be called once, after the last sentence. */
caucus_status cau_compare_finish(caucus_ctx *ctx, cau_compare *compare, bool chunks,
                                 uint64_t resamples, uint64_t seed, unsigned threads);

/* One of: "mcnemar", "mcnemar-p", "mcnemar-exact", "difference", "low", "high", "bootstrap-p",
 * "randomisation-p" between systems a and b (b against a); NaN for others. */
double cau_compare_get(const cau_compare *compare, size_t a, size_t b, const char *measure);

/* The tables, and the same as the value of a key "comparison" of `root`. */
void cau_compare_report(const cau_compare *compare, cau_sheet *sheet);
void cau_compare_json(const cau_compare *compare, cau_sheet *sheet, json_t *root);

/* ---- the tests themselves (significance.c) ------------------------------------------------ */

/* b tokens that only the first got right, c only the second. chi2 = (|b-c|-1)^2/(b+c), 0 where
 * |b-c| <= 1; p of it with one degree of freedom; and the exact two-sided binomial p. */
typedef struct {
    double chi2, p, exact;
} cau_mcnemar;
cau_mcnemar cau_mcnemar_test(uint64_t b, uint64_t c);

/* adjusted [n] of p [n] by Holm: at most 1, in the order of p. CAUCUS_ERR_MEMORY. */
caucus_status cau_holm(const double *p, size_t n, double *adjusted);

/* What resampling says of F1_2 - F1_1 over units whose counts are a [units] and b [units]. */
typedef struct {
    double difference;    /* as measured */
    double low, high;     /* 95% interval of the bootstrap, percentiles */
    double bootstrap;     /* one-sided p, (1 + #{delta* <= 0}) / (B + 1), for the better system */
    double randomisation; /* two-sided p, (1 + #{|delta*| >= |delta|}) / (R + 1) */
} cau_resampled;
caucus_status cau_resample(caucus_ctx *ctx, size_t units, const cau_counts *a, const cau_counts *b,
                           uint64_t resamples, uint64_t seed, unsigned threads, cau_resampled *out);

#endif
