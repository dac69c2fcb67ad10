/* data_adding.h - the state of data while it grows, shared by reading files (dataset.c) and adding
 * from memory (data_adding.c). */

#ifndef CAU_DATASET_DATA_ADDING_H
#define CAU_DATASET_DATA_ADDING_H

#include "base/memory.h"
#include "dataset/cv_groups.h"
#include "dataset/dataset_builder.h"
#include "text/formats.h"

/* A token in cells that waits for the end of its sequence. */
typedef struct {
    uint32_t label; /* its number among the labels */
    double weight;
} cau_waiting_token;

struct cau_data_adding {
    cau_data_options options; /* texts in the arena; `known` and `read.template` are not kept */
    cau_arena arena;
    const char *where; /* the name of the data in messages */
    cau_dataset_builder train, dev, test;
    cau_shape shape;      /* of all files read so far */
    cau_cv_groups groups; /* that training sequences belong to */
    bool partial, plain;  /* labels of sequences may be partial; all labels are plain names */
    bool split;           /* the dev set was split off */
    bool resolved;        /* labels are classes; only the last step is left */
    size_t known_names, known_edges, known_labels; /* the first names, which are always kept */

    /* from memory */
    enum {
        CAU_NO_FORM,
        CAU_FORM_FEATURES,
        CAU_FORM_CELLS,
        CAU_FORM_TEXT
    } form;                  /* of all instances */
    cau_part part;           /* to which instances are added */
    cau_interner interner;   /* of the training data, or of all data from memory */
    cau_feature_block block; /* the features of an instance */
    cau_reader *reader;      /* of cells or text; NULL before the first */
    cau_waiting_token *row;  /* [rows] of the current sequence */
    size_t rows, row_room;
    cau_strbuf line; /* scratch */
};

cau_dataset_builder *cau_adding_to(struct cau_data_adding *adding, cau_part part);

/* Copies from a reader, for later files and for the model, the shape of lines, the number of
 * columns and the default template. */
caucus_status cau_adding_learn(caucus_ctx *ctx, caucus_data *data, const cau_reader *reader);

/* Ends data from memory: its last sequences, and the order of domains. */
caucus_status cau_adding_end(caucus_ctx *ctx, caucus_data *data);

#endif
