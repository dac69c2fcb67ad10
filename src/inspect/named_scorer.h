/* named_scorer.h - the scores of single instances whose features keep their names, for
 * explanations.
 */

#ifndef CAU_INSPECT_NAMED_SCORER_H
#define CAU_INSPECT_NAMED_SCORER_H

#include "model/model.h"

/* It must not move once it is initialised. */
typedef struct {
    const caucus_model *model;
    cau_alphabet *names;           /* of all features so far, also those that the model lacks */
    uint32_t *row;                 /* for each name the observation of the model, or CAU_UNKNOWN */
    cau_indexed_instance instance; /* the one scored last, by the numbers of these names */

    size_t rows, row_room;
    cau_alphabets alphabets;
    cau_interner interner;
    uint32_t *id; /* the features that the model has, by their rows */
    float *value;
    size_t *start;
    size_t id_room, value_room, start_room;
} cau_named_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_named_scorer_init(caucus_ctx *ctx, cau_named_scorer *scorer,
                                    const caucus_model *model);
void cau_named_scorer_clear(cau_named_scorer *scorer);

/* s [Y] <- the scores of an instance from a reader of names, without those of the edge into it; for
 * a pool by the sums of its weights. Fails like cau_check_groups and cau_intern. */
caucus_status cau_named_scores(caucus_ctx *ctx, cau_named_scorer *scorer, const cau_reader *reader,
                               const cau_instance *instance, double *s);

#endif
