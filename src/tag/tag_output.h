/* tag_output.h - writes the lines of a sequence with their labels and probabilities. */

#ifndef CAU_TAG_TAG_OUTPUT_H
#define CAU_TAG_TAG_OUTPUT_H

#include "infer/decode.h"
#include "report/report.h"

/* What is written, the same for all sequences; the forms are described in tag.h. */
typedef struct {
    const caucus_model *model;
    bool domain, label_probability, segments;
    bool probability; /* of the labelling, in a line before it */
    bool ranks;       /* and its rank */
    size_t shown;     /* labels whose probability is written */
    bool ranked;      /* the best first, not in the order of the model */
} cau_output_form;

/* A line of the input, or the part of it that is written again. */
typedef struct {
    size_t begin, length;          /* in the text of the page, with the TAB before the label */
    bool labelled;                 /* false: a line that is not data */
    const cau_conllu_label *field; /* CoNLL-U: where the label is; NULL: at the end */
} cau_output_line;

/* The lines of the current sequence. Embed it zeroed, clear it at the end. */
typedef struct {
    cau_strbuf text;
    cau_output_line *line; /* [count] */
    size_t count, room;
    uint32_t *best; /* [shown] the labels of a token by rank */
    size_t best_room;
} cau_output_page;

void cau_output_page_begin(cau_output_page *page); /* removes all lines, for the next sequence */
void cau_output_page_clear(cau_output_page *page);

/* Adds a line, with or without a label. Copies the text; {NULL, 0}: the label comes first. `field`,
 * borrowed, is where the label is in a line of CoNLL-U; NULL: after the text. */
caucus_status cau_output_page_add(caucus_ctx *ctx, cau_output_page *page, cau_str text,
                                  bool labelled, const cau_conllu_label *field);

/* Writes the page with its labels; mixing [T][J] are the weights of the members of a gated pool,
 * else NULL. What failed is told by the sheet later, but for memory of the page itself. */
caucus_status cau_output_page_write(caucus_ctx *ctx, cau_output_page *page,
                                    const cau_output_form *form, const cau_decoded *decoded,
                                    const double *mixing, cau_writer *sheet);

#endif
