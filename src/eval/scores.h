/* scores.h - what a caucus_scores holds, for the files of this folder.
 *
 *   tagged.c       files -> tokens: the gold label and those of the systems
 *   eval.c         tokens -> the parts below, in one pass
 *   classes.c      precision, recall and F1 of labels
 *   calibration.c  columns of probabilities, and their scores
 *   confusion.c    pairs (gold, predicted): counts, tables, figure
 *   eval_report.c  all parts -> one tree -> text, JSON, single numbers, figures
 *
 *   chunk_scores.c, chunk_report.c   chunks: counts, and their report
 *   known.c        scores of known and unknown words
 *
 * Comparisons and clusterings have headers of their own. All scores are counts and sums: memory
 * grows with the number of labels and, if systems are compared, of different sentences, but not
 * with the number of tokens. */

#ifndef CAU_EVAL_SCORES_H
#define CAU_EVAL_SCORES_H

#include "base/alphabet.h"
#include "base/key_set.h"
#include "eval/chunks.h"
#include "eval/clusters.h"
#include "eval/compare.h"
#include "eval/eval.h"
#include "text/columns.h"
#include "text/lines.h"

/* ---- confusion.c: counts of pairs (gold, predicted) of classes or of types of chunks ------ */

typedef struct {
    uint32_t gold, predicted;
    uint64_t count;
} cau_pair;

/* Start with zeros. */
typedef struct {
    cau_key_set keys;
    cau_pair *pair; /* [keys.count] */
    size_t room;

    /* Set by cau_confusion_finish; from then on `gold` and `predicted` are indices of names. */
    size_t n;
    cau_str *name; /* [n]; {NULL, 0} stands for no counterpart, "" for chunks without a type */
} cau_confusion;

void cau_confusion_clear(cau_confusion *confusion);

/* Counts a pair once more; false if memory is short. */
bool cau_confusion_add(cau_confusion *confusion, uint32_t gold, uint32_t predicted);

/* Replaces each id x of the pairs by rank[x], and CAU_UNKNOWN by n - 1, then sorts the pairs. Takes
 * over name [n]. */
void cau_confusion_finish(cau_confusion *confusion, const uint32_t *rank, cau_str *name, size_t n);

/* The pairs as an array of {"gold", "predicted", "count"}, null for no counterpart. */
void cau_confusion_tree(const cau_confusion *confusion, cau_tree *tree, const char *key);

/* Prints the most frequent pairs that differ, at most `most` of them. */
void cau_confusion_print_list(const cau_confusion *confusion, cau_writer *out, size_t most);

/* Prints all pairs: a row for each gold label, a column for each predicted one, a dot for 0. If
 * that takes more than `width` columns, prints the list instead. */
void cau_confusion_print_matrix(const cau_confusion *confusion, cau_writer *out, size_t width,
                                size_t most);

/* Draws a figure. Of more than 60 names it shows the most frequent ones, with a note. `what` is
 * "classes" or "types". */
caucus_status cau_confusion_plot(caucus_ctx *ctx, const cau_confusion *confusion, const char *what,
                                 const char *path);

/* ---- chunk_scores.c: predicted chunks against gold chunks ------------------------------- */

/* The outcome of a chunk: how it compares with its counterpart, the chunk of the other side that
 * shares most tokens with it (chunk_scores.c has the details). */
typedef enum {
    CAU_CHUNK_RIGHT,     /* same span, same type */
    CAU_CHUNK_RETYPED,   /* same span, other type */
    CAU_CHUNK_MISPLACED, /* other span, same type */
    CAU_CHUNK_CONFUSED,  /* other span, other type */
    CAU_CHUNK_ALONE,     /* no chunk overlaps: a missed gold chunk, or a spurious found one */
    CAU_CHUNK_OUTCOMES
} cau_chunk_outcome;

/* Which ends of a misplaced chunk are wrong, how, and how many chunks take part. */
typedef enum { CAU_ENDS_LEFT, CAU_ENDS_RIGHT, CAU_ENDS_BOTH, CAU_ENDS } cau_chunk_ends;
typedef enum { CAU_SPAN_LONG, CAU_SPAN_SHORT, CAU_SPAN_SHIFTED, CAU_SPANS } cau_chunk_span;
typedef enum {
    CAU_PIECES_ONE,    /* one gold chunk, one found */
    CAU_PIECES_SPLIT,  /* several found chunks overlap the gold chunk */
    CAU_PIECES_JOINED, /* the found chunk overlaps several gold chunks */
    CAU_PIECES_MIXED,  /* both */
    CAU_PIECES
} cau_chunk_pieces;

enum { CAU_GOLD, CAU_FOUND }; /* the two sides */

/* Counts while sentences are added, measures at the end. Memory grows with the types and with the
 * pairs of types that occur. */
typedef struct {
    caucus_ctx *ctx;
    uint64_t tokens, right;        /* right: both labels are the same */
    uint64_t inside, right_inside; /* of tokens whose gold label is not O */
    uint64_t outcome[2][CAU_CHUNK_OUTCOMES];
    uint64_t misplaced[CAU_ENDS][CAU_SPANS], pieces[CAU_PIECES]; /* of gold chunks */

    cau_counts *count; /* [types] by the numbers of cau_tags */
    size_t types, room;
    cau_confusion confusion; /* of types */

    /* After cau_chunk_scores_finish: */
    cau_scheme_name scheme;
    bool strict, raw;
    uint64_t illegal[2];
    size_t n;
    cau_named_counts *type; /* [n] types of gold or found chunks, by the bytes of their names */
    char *names;            /* their bytes */
    cau_counts all;
    cau_prf micro, macro, weighted; /* weighted by the gold chunks of a type */
} cau_chunk_scores;

caucus_status cau_chunk_scores_new(caucus_ctx *ctx, cau_chunk_scores **out);
void cau_chunk_scores_free(cau_chunk_scores *scores);

/* Counts a sentence of system 0. `tags` has learnt its labels, and is the same for all sentences.
 * CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_add(cau_chunk_scores *scores, const cau_tags *tags,
                                   const cau_sentence *sentence);

/* After the last sentence: the types in order, the measures. `illegal` labels of gold and of the
 * system, by the scheme. CAUCUS_ERR_MEMORY. */
caucus_status cau_chunk_scores_finish(cau_chunk_scores *scores, const cau_tags *tags,
                                      const uint64_t illegal[2]);

/* ---- chunk_report.c ------------------------------------------------------------------ */

/* The output of conlleval, byte for byte; with `latex` that of its option -l. */
void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_writer *out, bool latex);

/* Adds the results under the key "chunks" of the object that is open in the tree. */
void cau_chunk_scores_tree(const cau_chunk_scores *scores, cau_tree *tree);

/* Prints that subtree as tables, and the confusion of types as a matrix or a list. */
void cau_chunk_scores_print(const json_t *chunks, const cau_confusion *confusion, cau_writer *out);

/* ---- known.c: words of training data, and chunks of words ------------------------------- */

typedef struct cau_words_known cau_words_known;

/* Reads training data in columns: the word is column options->word, the label the last one. Exact
 * forms: case matters. Free it with cau_words_known_free. CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_words_known_read(caucus_ctx *ctx, const cau_eval_options *options,
                                   cau_words_known **out);
void cau_words_known_free(cau_words_known *known);

/* The number of a word, or CAU_UNKNOWN if training does not have it. */
uint32_t cau_words_known_form(const cau_words_known *known, cau_str word);

/* Counts a sentence with its forms, of system 0. `tags` has learnt its labels. */
void cau_words_known_add(cau_words_known *known, const cau_tags *tags,
                         const cau_sentence *sentence);

/* Adds the results under the key "known" of the object that is open in the tree; and prints that
 * subtree as tables, for chunks or, if labels are classes, of accuracies. */
void cau_words_known_tree(const cau_words_known *known, cau_tree *tree);
void cau_words_known_print(const json_t *known, cau_writer *out);

/* ---- all scores ------------------------------------------------------------------------ */

/* Instances whose predicted label had a probability in [b/B, (b+1)/B). */
typedef struct {
    uint64_t count, correct;
    double confidence; /* sum of those probabilities */
} cau_bin;

/* Scores of the probabilities. The sums run over the `known` instances, whose gold label is a class
 * of the model; the bins run over all instances. */
typedef struct {
    bool given;          /* false: the input has no probabilities, and the rest is 0 */
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
    cau_prf macro;
    double log_loss, perplexity, brier, calibration_error;
} cau_measures;

/* The scores of system 0, and its comparison with the others. Parts that were not requested or do
 * not apply are NULL. */
struct caucus_scores {
    cau_tree tree; /* all results; docs/evaluation.md describes it */

    cau_alphabet *labels;
    uint64_t instances, correct;
    uint64_t skipped; /* instances whose gold label is '?', in no other count */

    cau_confusion pairs; /* of classes */
    size_t Y;
    cau_named_counts *classes; /* [Y] that occur as gold or predicted, in natural order */
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

/* Splits a line into *rest ({NULL, 0} if it is empty), the predicted label, and the probabilities
 * columns->p, with `between` columns between these two. CAUCUS_ERR_FORMAT with file and line. */
caucus_status cau_probability_columns_read(caucus_ctx *ctx, cau_probability_columns *columns,
                                           cau_alphabet *labels, const cau_lines *lines,
                                           cau_separator by, size_t between, cau_str line,
                                           cau_str *rest, cau_str *label);

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
