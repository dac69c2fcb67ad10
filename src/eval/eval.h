/* eval.h - how well labels, chunks and clusters agree with the true ones.
 *
 * From the true and the given label of each token: accuracy, precision, recall and F1 of each
 * class, confusions; of the chunks that labels like B-NP tell of, what conlleval prints and more;
 * what is known from training and what is not; probabilities, if the file has them; and whether
 * one system is better than another or merely luckier. */

#ifndef CAU_EVAL_EVAL_H
#define CAU_EVAL_EVAL_H

#include "base/strbuf.h"
#include "caucus.h"
#include "text/scheme.h"
#include <stdint.h>

typedef enum { CAU_UNIT_SENTENCE, CAU_UNIT_DOCUMENT } cau_unit; /* the order of --unit */

typedef struct {
    /* how lines are read */
    const char *delimiter; /* of columns; NULL: TAB or, in a line that has none, blanks */
    bool probabilities;    /* columns are gold, label, then label:probability of every class */
    const char *gold;      /* a file whose last column is the true label; NULL: all have it */
    uint64_t word;         /* the column of the words, from 0 */
    const cau_str *memory; /* the bytes of the files, then of those of `against`, whose names are
                              for messages then; NULL: they are read. Borrowed */

    /* what labels mean */
    bool classes;        /* classes, whatever they look like */
    int scheme;          /* cau_scheme_name; NONE: any of the letters */
    bool strict;         /* labels that the scheme does not allow where they stand are O */
    bool raw;            /* each label but O is a type, and each token a chunk */
    const char *outside; /* another name of O; NULL: none */

    /* what is asked */
    cau_paths known;   /* training data: which words and chunks are known */
    cau_paths against; /* other systems, tagged data of the same tokens */
    int unit;          /* cau_unit: what resampling draws */
    uint64_t resamples, seed;
    unsigned threads;
    const char *clusters; /* a file of item TAB class: the input is clusterings */

    /* how it is answered */
    bool confusion; /* print the matrix */
    uint64_t bins;  /* of the calibration table */
    bool conlleval; /* what conlleval prints and nothing else */
    bool latex;     /* that as a table for LaTeX */
    bool json;
    const char *plot_confusion, *plot_calibration; /* files; NULL: none */
} cau_eval_options;

/* Refuses options that do not go together. */
caucus_status cau_eval_check(caucus_ctx *ctx, const cau_eval_options *options);

/* Reads tagged files ("-" is standard input), one after the other. CAUCUS_ERR_FORMAT with file
 * and line for what cannot be read. Memory grows with the labels, the longest sentence and, where
 * systems are compared, the number of sentences; never with the tokens. */
caucus_status cau_scores_read(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, caucus_scores **out);

/* The same of labels in memory: see caucus.h. */
caucus_status cau_scores_labels(caucus_ctx *ctx, const cau_eval_options *options,
                                const caucus_labels *labels, caucus_scores **out);
void cau_scores_free(caucus_scores *scores);

/* See caucus_scores_get and caucus_scores_write. */
double cau_scores_get(const caucus_scores *scores, const char *measure, const char *label);
caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user);

#endif
