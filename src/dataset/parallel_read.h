/* parallel_read.h - the instances of a file go onto piles: read by one thread, or by all of them.
 */

#ifndef CAU_DATASET_PARALLEL_READ_H
#define CAU_DATASET_PARALLEL_READ_H

#include "dataset/cv_groups.h"
#include "dataset/dataset_builder.h"
#include "text/reader.h"

/* Where what is read goes to. All is borrowed. */
typedef struct {
    cau_alphabets *alphabets; /* that the reader's vocabulary asks */
    cau_alphabet *labels;
    cau_dataset_builder *pile[3]; /* by cau_part; NULL: nothing can come that belongs there */
    cau_cv_groups *units;         /* that training sequences belong to */
    bool partial;                 /* labels of sequences may be partial */
    size_t piece;                 /* bytes of a piece that a thread reads; 0: as is best */
} cau_parallel_read;

/* Whether the instances of a format come in sequences. */
bool cau_has_sequences(cau_format format);

/* The characters that may stand in a line between two sequences; NULL: there is no such line. Where
 * the format is not known yet, those that may do so in all. */
const char *cau_format_blanks(cau_format format);

/* Reads all of a file that a reader has opened, for training (its names then grow the alphabets)
 * or as the dev or test set. What it leaves is the same at any number of threads, and so is the
 * sentence of a failure, after which the piles are good for nothing but cau_builder_clear. */
caucus_status cau_parallel_read_file(caucus_ctx *ctx, const cau_parallel_read *to,
                                     cau_reader *reader, cau_part file);

#endif
