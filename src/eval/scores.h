/* scores.h - what a caucus_scores holds, for the files of this room.
 *
 *   tagged.c        files -> tokens: the true label and those of the systems
 *   eval.c          tokens -> the parts below, in one pass
 *   classes.c       tokens -> counted pairs of labels
 *   calibration.c   columns of probabilities -> sums
 *   measures.c      counts and sums -> measures
 *   report.c        all parts -> tables for people
 *   report_json.c   all parts -> JSON for programs
 *   report_plot.c   confusions and calibration -> figures
 *
 * The other parts (chunks, known words, comparisons, clusterings) have headers of their own.
 * Everything is counts and sums, so memory grows with the labels, with the sentences where
 * systems are compared, and never with the tokens. */

#ifndef CAU_EVAL_SCORES_H
#define CAU_EVAL_SCORES_H

#include "base/key_set.h"
#include "eval/chunk_scores.h"
#include "eval/clusters.h"
#include "eval/compare.h"
#include "eval/eval.h"
#include "eval/known.h"
#include "text/alphabet.h"
#include "text/lines.h"

/* How often `predicted` was the answer where `gold` was right. While reading, both are ids of
 * the alphabet; after cau_scores_finish they are indices of `classes`. */
typedef struct {
    uint32_t gold, predicted;
    uint64_t count;
} cau_pair;

typedef struct {
    uint32_t id;   /* in the alphabet */
    cau_str label; /* owned by the alphabet */
    uint64_t support, predicted, correct;
    double precision, recall, f1;
} cau_class_score;

/* Instances whose predicted label had a probability in [b/B, (b+1)/B). */
typedef struct {
    uint64_t count, correct;
    double confidence; /* sum of those probabilities */
} cau_bin;

/* What the probabilities were worth. The sums run over the `known` instances, whose gold label
 * the model has; the bins run over all. */
typedef struct {
    bool given;          /* all else is 0 where the input has no probabilities */
    uint64_t known;      /* instances whose gold label is a class of the model */
    uint64_t impossible; /* of these: the gold label had probability 0 */
    double log_loss;     /* sum of -log p(gold), without the impossible */
    double brier;        /* sum of sum_y (p(y) - [y = gold])^2 */
    size_t B;
    cau_bin *bins; /* [B] */
} cau_calibration;

/* The measures of the whole input; NaN where there is none. */
typedef struct {
    double accuracy, low, high; /* the 95% interval of Wilson */
    double macro_precision, macro_recall, macro_f1;
    double micro_precision, micro_recall, micro_f1;
    double log_loss, perplexity, brier, calibration_error;
} cau_measures;

/* Of system 0, but for the comparison. The parts that are pointers are NULL where they are not
 * asked for or do not apply. */
struct caucus_scores {
    cau_clusterings *clusterings; /* where the input is clusterings; then there is nothing else */

    cau_alphabet *labels;
    uint64_t instances, correct;
    uint64_t skipped; /* instances whose gold label is '?', in no other count */

    size_t P;
    cau_pair *pairs; /* [P] by gold, then by predicted */

    size_t Y;
    cau_class_score *classes; /* [Y] that occur as gold or predicted, in natural order */
    uint32_t *rank;           /* [labels] id -> index of classes, or CAU_UNKNOWN */

    cau_calibration calibration;
    cau_measures measures;

    cau_chunk_scores *chunks; /* where labels tell of chunks */
    cau_words_known *known;
    cau_compare *compare;
};

/* Counts of pairs. Start with zeros. */
typedef struct {
    cau_key_set keys;
    cau_pair *pair; /* [keys.count] in the order of their first occurrence */
    size_t room;
} cau_pair_counts;

/* Counts a pair once more; false if memory is short. */
bool cau_pair_counts_add(cau_pair_counts *counts, uint32_t gold, uint32_t predicted);
void cau_pair_counts_clear(cau_pair_counts *counts);

/* What stands between columns: a character each time, or any number of them. */
typedef struct {
    char c;
    bool runs;
} cau_separator;

/* The `label:probability` columns of the lines. Zero it to start. The classes are learnt from
 * the first line and must be the first names in the alphabet: id y is class y. */
typedef struct {
    size_t Y;        /* 0 before the first line */
    double *p;       /* [Y] of the line read last */
    cau_str *fields; /* scratch */
    size_t capacity;
} cau_probability_columns;

/* How far from 1 the sum of the probabilities of Y classes may be: they are written with nine
 * digits. */
double cau_probability_tolerance(size_t Y);

void cau_probability_columns_clear(cau_probability_columns *columns);

/* Splits a line at a separator (blanks: runs of them are one) into probabilities, which are in
 * columns->p then, the label before them, and *rest, all that stands before the label; {NULL, 0}
 * where nothing does. CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_probability_columns_read(caucus_ctx *ctx, cau_probability_columns *columns,
                                           cau_alphabet *labels, const cau_lines *lines,
                                           cau_separator by, cau_str line, cau_str *rest,
                                           cau_str *label);

caucus_status cau_calibration_init(caucus_ctx *ctx, cau_calibration *calibration, size_t bins);

/* Adds one instance: p [Y] and the ids of its labels; predicted < Y, gold may be any. */
void cau_calibration_add(cau_calibration *calibration, size_t Y, const double *p, uint32_t gold,
                         uint32_t predicted);

/* Derives classes, rank and measures from the alphabet, the pairs and the counts. */
caucus_status cau_scores_finish(caucus_ctx *ctx, caucus_scores *scores);

/* The report as JSON, and what to draw. The layout is described in report_json.c. */
void cau_scores_json(const caucus_scores *scores, cau_writer *sheet);
caucus_status cau_scores_plot(caucus_ctx *ctx, const caucus_scores *scores,
                              const cau_eval_options *options);

/* For messages: how many bytes of a label to print, at most 80 and whole characters, so that
 * "%.*s" takes it: CAU_SHOWN(label). */
int cau_shown(cau_str label);
#define CAU_SHOWN(label) cau_shown(label), (label).s

#endif
