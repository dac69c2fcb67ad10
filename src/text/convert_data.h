/* convert_data.h - data from one format to another.
 *
 * A reader gives instances, which are collected to examples: a sequence, or an instance by itself.
 * The writer of a format appends examples to a text. What a format cannot hold is an error with the
 * place and the remedy. */

#ifndef CAU_TEXT_CONVERT_DATA_H
#define CAU_TEXT_CONVERT_DATA_H

#include "text/reader.h"

typedef struct {
    cau_str name;
    float value;
} cau_named_feature;

/* An instance. All texts live as long as the example. */
typedef struct {
    size_t number; /* of its line */
    cau_str line;  /* as it stands in the file */
    cau_str label; /* {NULL, 0}: none */
    cau_str text;  /* formats of text, and the first word of a running text; else {NULL, 0} */
    cau_word word; /* running text: the place of the word */
    bool placed;   /* it has one */
    double weight;
    cau_part part;
    const cau_str *cell; /* [cells] formats of cells */
    size_t cells;
    const cau_named_feature *feature; /* [features] unless there are cells: of all groups */
    const size_t *group;              /* [groups + 1] where the features of each group begin */
    size_t features, groups;
    const cau_str *edge; /* [edges] features of the edge from the token before */
    size_t edges;
} cau_data_token;

typedef struct {
    const char *file;            /* for messages */
    size_t T;                    /* 1 for an instance by itself */
    const cau_data_token *token; /* [T] */
} cau_data_example;

/* What is written. */
typedef struct {
    cau_format from, to;
    cau_strbuf text; /* to which writers append; it is emptied now and then */
    size_t examples; /* before this one */
    bool values;     /* megam: features have values */
    cau_part part;   /* megam: of the examples before */
    bool unlabelled; /* columns: no line has a label */
    cau_strbuf scratch;
    cau_span_writer spans;
} cau_data_sheet;

typedef caucus_status cau_format_write_fn(caucus_ctx *ctx, cau_data_sheet *sheet,
                                          const cau_data_example *example);

/* CAUCUS_ERR_FORMAT "file:line: WHAT; REMEDY" for a token. */
caucus_status cau_cannot_hold(caucus_ctx *ctx, const cau_data_sheet *sheet,
                              const cau_data_example *x, size_t t, const char *what,
                              const char *remedy);

/* Adds a text as a JSON string. */
caucus_status cau_json_add_text(caucus_ctx *ctx, cau_strbuf *out, cau_str text);

cau_format_write_fn cau_text_write, cau_svmlight_write, cau_crfsuite_write, cau_megam_write,
    cau_columns_write, cau_conllu_write, cau_spans_write, cau_csv_write, cau_json_text_write,
    cau_json_tokens_write, cau_fasttext_write, cau_vw_write, cau_mallet_write,
    cau_simpletagger_write, cau_wapiti_write;

/* Writes the data of the file `from` to `to` ("-" is standard input and output) in another format.
 * A file is written as a whole or not at all. */
caucus_status cau_convert_data(caucus_ctx *ctx, const cau_read_options *read, cau_format format,
                               const char *from, const char *to);

#endif
