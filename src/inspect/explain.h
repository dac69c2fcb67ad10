/* explain.h - what each feature of one line adds to the scores of one table of weights. */

#ifndef CAU_INSPECT_EXPLAIN_H
#define CAU_INSPECT_EXPLAIN_H

#include "infer/score.h"
#include "report/report.h"

enum { CAU_EXPLAINED = 5 }; /* classes shown: as many as fit beside each other on a terminal */

/* One feature of the line. */
typedef struct {
    uint32_t id; /* in the scorer's names */
    bool known;  /* to the model */
    double value;
    double part[CAU_EXPLAINED]; /* what it adds to each class shown */
    double separates;           /* part[0] - part[1] */
} cau_term;

/* Embed it zeroed, clear it at the end. */
typedef struct {
    const caucus_model *model;
    cau_scorer scorer;
    cau_reader *reader;
    cau_str gold;  /* {NULL,0}: not given */
    double *s, *p; /* [Y] scores and probabilities */
    uint32_t best[CAU_EXPLAINED];
    size_t shown;    /* of them */
    cau_term *terms; /* [count], those that the model knows first */
    size_t known, count;
    uint32_t answer, stacked; /* of a stack: what its member says, in the scorer's names, and as an
                                 observation of the model */
} cau_explanation;

/* Explains a line of input; borrows the model. CAUCUS_ERR_ARGUMENT for what is not one line. */
caucus_status cau_explanation_make(caucus_ctx *ctx, const caucus_model *model,
                                   const cau_read_options *read, const char *line,
                                   cau_explanation *out);
void cau_explanation_clear(cau_explanation *e);

/* As a table, and as keys of an object (explain.c). */
caucus_status cau_explanation_text(const cau_explanation *e, cau_writer *sheet);
void cau_explanation_json(const cau_explanation *e, cau_writer *sheet, json_t *root);

#endif
