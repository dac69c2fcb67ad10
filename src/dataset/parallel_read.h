/* parallel_read.h - reading the instances of a file on all threads. */

#ifndef CAU_DATASET_PARALLEL_READ_H
#define CAU_DATASET_PARALLEL_READ_H

#include "dataset/cv_groups.h"
#include "dataset/dataset_builder.h"
#include "text/reader.h"

/* Where instances are added. Borrows everything. */
typedef struct {
    cau_interner *interner; /* with the alphabets of all files; it adds names for training */
    cau_alphabet *labels;
    cau_dataset_builder *builder[3]; /* by cau_part; NULL: no instance can belong to the part */
    cau_cv_groups *groups;           /* that training sequences belong to */
    bool partial, plain;             /* see cau_data_options */
    size_t chunk;                    /* bytes that a thread reads at a time; 0: choose */
} cau_read_target;

/* Reads all of a file that a reader has opened, for training or as the dev or test set. The outcome
 * is the same at any number of threads, and so is the message of a failure, after which the
 * builders can only be cleared. */
caucus_status cau_parallel_read_file(caucus_ctx *ctx, const cau_read_target *target,
                                     cau_reader *reader, cau_part file);

#endif
