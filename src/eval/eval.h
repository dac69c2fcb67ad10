/* eval.h - how well predicted labels, chunks and clusters agree with gold ones.
 *
 * From the gold and the predicted label of each token: accuracy, precision, recall and F1 of each
 * class, and confusions; for labels of chunks such as B-NP the output of conlleval and more; scores
 * of known and unknown words; scores of probabilities; and the significance of differences between
 * systems. */

#ifndef CAU_EVAL_EVAL_H
#define CAU_EVAL_EVAL_H

#include "base/strbuf.h"
#include "caucus.h"
#include "text/scheme.h"
#include <stdint.h>

typedef enum { CAU_UNIT_SENTENCE, CAU_UNIT_DOCUMENT } cau_unit; /* the order of --unit */
typedef enum { CAU_PAIRS_ALL, CAU_PAIRS_FIRST } cau_pairs;      /* the order of --pairs */

typedef struct {
    /* how lines are read */
    const char *delimiter; /* of columns; NULL: TAB or, in a line without TAB, blanks */
    bool probabilities;    /* columns are gold, label, then label:probability for every class */
    const char *gold;      /* a file whose last column is the gold label, or NULL */
    uint64_t word;         /* the column of the words, from 0 */
    bool header;           /* the first line of a file is not data */
    const char *label;     /* CoNLL-U: the field or attribute that is the label; NULL: upos */
    const cau_str *memory; /* borrowed contents of the files, then of those of `against`; their
                              names are then only for messages. NULL: the files are read */

    /* the meaning of labels */
    bool classes;           /* labels are classes even if they look like labels of chunks */
    cau_scheme_name scheme; /* NONE: any of the letters */
    bool strict;            /* chunks that begin or end with an illegal label are ignored */
    bool raw;               /* each label except O is a type, and each token a chunk */
    const char *outside;    /* another name of O, or NULL */

    /* more scores */
    cau_paths known;   /* training data with the known words and chunks */
    cau_paths against; /* other systems, tagged data of the same tokens */
    cau_unit unit;     /* for resampling */
    cau_pairs pairs;   /* which systems are compared */
    uint64_t resamples, seed;
    unsigned threads;
    const char *clusters; /* a file of item TAB class; the input is clusterings then */

    /* output */
    bool confusion; /* print the matrix */
    uint64_t bins;  /* of the calibration table */
    bool conlleval; /* the output of conlleval and nothing else */
    bool latex;     /* the same as a table for LaTeX */
    bool json;
    const char *plot_confusion, *plot_calibration; /* files, or NULL */
} cau_eval_options;

/* Rejects options that do not go together. */
caucus_status cau_eval_check(caucus_ctx *ctx, const cau_eval_options *options);

/* The character between columns, or 0. CAUCUS_ERR_ARGUMENT unless the option is one character. */
caucus_status cau_eval_delimiter(caucus_ctx *ctx, const cau_eval_options *options, char *out);

/* Reads tagged files ("-" is standard input), one after the other. CAUCUS_ERR_FORMAT with file
 * and line for malformed lines. Memory grows with the labels, the longest sentence and, if
 * systems are compared, the number of sentences; never with the tokens. */
caucus_status cau_scores_read(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, caucus_scores **out);

/* The same for labels in memory: see caucus.h. */
caucus_status cau_scores_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *labels, caucus_scores **out);
void cau_scores_free(caucus_scores *scores);

/* See caucus_scores_get and caucus_scores_write. */
double cau_scores_get(const caucus_scores *scores, const char *measure, const char *label);
caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user);

/* ---- without some features (robust.c) ------------------------------------------------
 *
 * A model tags the same data several times, the first time with all features and then without some.
 * The runs are scored, and each is compared with the first:
 *
 *     cau_robust_new(ctx, options, "test.txt", &robust);
 *     cau_robust_add(ctx, robust, NULL, tagged text);
 *     cau_robust_add(ctx, robust, "U2*", tagged text without these features); ...
 *     cau_robust_write(ctx, robust, write, user); */

typedef struct cau_robust cau_robust;

/* The options are copied; the data that they point to is borrowed, as is the name of the data, for
 * messages. Lines, labels, resampling and output are as in cau_scores_read. CAUCUS_ERR_ARGUMENT for
 * options that do not apply: other systems, gold labels in a file of their own, probabilities,
 * clusterings, conlleval's tables and figures. */
caucus_status cau_robust_new(caucus_ctx *ctx, const cau_eval_options *options, const char *data,
                             cau_robust **out);
void cau_robust_free(cau_robust *robust); /* NULL is fine */

/* Scores a run, the first with removed = NULL. Both texts are copied as far as they are needed.
 * Fails as cau_scores_read does, for instance on data of a single sentence, which cannot be
 * resampled; `robust` is unchanged then. */
caucus_status cau_robust_add(caucus_ctx *ctx, cau_robust *robust, const char *removed,
                             cau_str tagged);

/* The number of runs, and the scores of one, which belong to `robust`. For a run after the first,
 * cau_scores_get also gives the score of the first minus its own: "difference", "low", "high". */
size_t cau_robust_runs(const cau_robust *robust);
const caucus_scores *cau_robust_scores(const cau_robust *robust, size_t run);

/* Writes the table, or with options.json the JSON described in robust.c. */
caucus_status cau_robust_write(caucus_ctx *ctx, const cau_robust *robust, caucus_write_fn *write,
                               void *user);

#endif
