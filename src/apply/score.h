/* score.h - scores of instances as a reader gives them. */

#ifndef CAU_APPLY_SCORE_H
#define CAU_APPLY_SCORE_H

#include "model/model.h"

/* Whether the features of an instance came in as many groups as the model wants: one for all
 * classes, or one for each (megam's explicit form). If not, CAUCUS_ERR_FORMAT, and the context
 * says so with file and line. */
caucus_status cau_score_check(caucus_ctx *ctx, const caucus_model *model, const cau_reader *reader,
                              const cau_instance *instance);

/* The class with the highest score, and the n best ones, the best first; the lower index first
 * among equals. n <= Y, best [n]. Nothing is allocated. */
uint32_t cau_best_class(const double *s, size_t Y);
void cau_best_classes(const double *s, size_t Y, size_t n, uint32_t *best);

/* A model seen through names of its own: to the tagger an unknown feature is nothing, but who
 * explains a decision has to name it. Features are numbered as they come, and looked up in
 * the model once for each name. */
typedef struct {
    const caucus_model *model;
    cau_alphabet *names; /* every feature met so far */
    uint32_t *row;       /* [looked_up] its observation in the model, or CAU_UNKNOWN */
    size_t looked_up, row_room;

    /* the instance at hand with the numbers of the model */
    size_t *start;
    uint32_t *id;
    float *value;
    size_t start_room, id_room, value_room;
} cau_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model);
void cau_scorer_clear(cau_scorer *scorer);

/* What to read files with. */
cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer);

/* s [Y] <- the scores of an instance that was read with this vocabulary. Afterwards row[] is
 * valid for all its features. */
caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s);

#endif
