/* scores.h - what a caucus_scores holds, for the files of this folder.
 *
 *   tagged.c       files -> tokens: the gold label and those of the systems
 *   eval.c         tokens -> the parts below, in one pass
 *   classes.c      precision, recall and F1 of labels
 *   calibration.c  columns of probabilities, and their scores
 *   confusion.c    pairs (gold, predicted): counts, tables, figure
 *   eval_report.c  all parts -> one tree -> text, JSON, single numbers, figures
 *
 * The other parts (chunks, known words, comparisons, clusterings) have headers of their own.
 * All are counts and sums: memory grows with the labels and, if systems are compared, with the
 * sentences, never with the tokens. */

#ifndef CAU_EVAL_SCORES_H
#define CAU_EVAL_SCORES_H

#include "base/alphabet.h"
#include "eval/chunk_scores.h"
#include "eval/clusters.h"
#include "eval/compare.h"
#include "eval/confusion.h"
#include "eval/eval.h"
#include "eval/known.h"
#include "text/columns.h"
#include "text/lines.h"

typedef struct {
    cau_str label; /* owned by the alphabet */
    uint64_t support, predicted, correct;
    double precision, recall, f1;
} cau_class_score;

/* Instances whose predicted label had a probability in [b/B, (b+1)/B). */
typedef struct {
    uint64_t count, correct;
    double confidence; /* sum of those probabilities */
} cau_bin;

/* Scores of the probabilities. The sums run over the `known` instances, whose gold label is a class
 * of the model; the bins run over all instances. */
typedef struct {
    bool given;          /* all else is 0 if the input has no probabilities */
    uint64_t known;      /* instances whose gold label is a class of the model */
    uint64_t impossible; /* of these: the gold label had probability 0 */
    double log_loss;     /* sum of -log p(gold), without the impossible */
    double brier;        /* sum of sum_y (p(y) - [y = gold])^2 */
    size_t B;
    cau_bin *bins; /* [B] */
} cau_calibration;

/* The measures of the whole input; NaN if not defined. */
typedef struct {
    double accuracy, low, high; /* the 95% interval of Wilson */
    double macro_precision, macro_recall, macro_f1;
    double log_loss, perplexity, brier, calibration_error;
} cau_measures;

/* The scores of system 0, and its comparison with the others. Parts that were not requested or do
 * not apply are NULL. */
struct caucus_scores {
    cau_tree tree; /* all results; eval_report.c describes it */

    cau_alphabet *labels;
    uint64_t instances, correct;
    uint64_t skipped; /* instances whose gold label is '?', in no other count */

    cau_confusion pairs; /* of classes */
    size_t Y;
    cau_class_score *classes; /* [Y] that occur as gold or predicted, in natural order */
    cau_calibration calibration;
    cau_measures measures;

    cau_chunk_scores *chunks; /* if the labels are labels of chunks */
    cau_words_known *known;
    cau_compare *compare;
};

/* ---- classes.c ----------------------------------------------------------------------- */

/* Derives the classes and the measures from the alphabet, the pairs and the counts. */
caucus_status cau_classes_finish(caucus_ctx *ctx, caucus_scores *scores);

/* The 95% interval of an accuracy, correct / count, with count > 0. */
void cau_wilson(uint64_t correct, uint64_t count, double *low, double *high);

/* ---- calibration.c ------------------------------------------------------------------- */

/* The `label:probability` columns of the lines. Zero it to start. The classes are learnt from
 * the first line and must be the first names in the alphabet: id y is class y. */
typedef struct {
    size_t Y;        /* 0 before the first line */
    double *p;       /* [Y] of the line read last */
    cau_str *fields; /* scratch */
    size_t capacity;
} cau_probability_columns;

void cau_probability_columns_clear(cau_probability_columns *columns);

/* Splits a line into columns->p, the label before the probabilities, and *rest, all before the
 * label ({NULL, 0} if there is nothing). CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_probability_columns_read(caucus_ctx *ctx, cau_probability_columns *columns,
                                           cau_alphabet *labels, const cau_lines *lines,
                                           cau_separator by, cau_str line, cau_str *rest,
                                           cau_str *label);

/* How far the sum of Y written probabilities may be from 1. */
double cau_probability_tolerance(size_t Y);

caucus_status cau_calibration_init(caucus_ctx *ctx, cau_calibration *calibration, size_t bins);

/* Adds one instance: p [Y] and the ids of its labels; predicted < Y, gold may be any. */
void cau_calibration_add(cau_calibration *calibration, size_t Y, const double *p, uint32_t gold,
                         uint32_t predicted);

/* Derives the measures of the probabilities. */
void cau_calibration_finish(caucus_scores *scores);

/* ---- eval_report.c ------------------------------------------------------------------- */

/* Puts all results into scores->tree. */
caucus_status cau_scores_finish(caucus_ctx *ctx, caucus_scores *scores);

#endif
