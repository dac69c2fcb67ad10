/* tag_output.h - the lines of a sequence, and what is written beside them. */

#ifndef CAU_TAG_TAG_OUTPUT_H
#define CAU_TAG_TAG_OUTPUT_H

#include "infer/decode.h"
#include "report/report.h"

/* How an answer looks; the forms are described in tag.h. The same for all sequences. */
typedef struct {
    const caucus_model *model;
    bool domain, label_probability, segments;
    bool probability; /* of the labelling, in a line before it */
    bool ranks;       /* and its rank */
    size_t shown;     /* labels whose probability is written */
    bool ranked;      /* the best first, not in the order of the model */
} cau_output_form;

/* A line of the input as far as it is written again. */
typedef struct {
    size_t begin, length; /* in the text of the page, with the TAB before the label */
    bool labelled;        /* or else it only stands there: a comment */
} cau_output_line;

/* The lines of the sequence at hand. Embed it zeroed, clear it at the end. */
typedef struct {
    cau_strbuf text;
    cau_output_line *line; /* [count] */
    size_t count, room;
    uint32_t *best; /* [shown] the labels of a token by rank */
    size_t best_room;
} cau_output_page;

void cau_output_page_begin(cau_output_page *page); /* the next sequence: empties it */
void cau_output_page_clear(cau_output_page *page);

/* A line that gets a label, or one that does not. The text is copied; {NULL, 0}: nothing comes
 * before the label. */
caucus_status cau_output_page_add(caucus_ctx *ctx, cau_output_page *page, cau_str text,
                                  bool labelled);

/* Writes the page with its labels; mixing [T][J] are the weights of the members of a gated pool,
 * else NULL. What failed is told by the sheet later, but for memory of the page itself. */
caucus_status cau_output_page_write(caucus_ctx *ctx, cau_output_page *page,
                                    const cau_output_form *form, const cau_decoded *decoded,
                                    const double *mixing, cau_writer *sheet);

#endif
