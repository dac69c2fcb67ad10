/* score.h - scores of instances as a reader gives them. */

#ifndef CAU_APPLY_SCORE_H
#define CAU_APPLY_SCORE_H

#include "model/model.h"

/* The class with the highest score, and the n best ones, the best first; the lower index first
 * among equals. n <= Y, best [n]. Nothing is allocated. */
uint32_t cau_best_class(const double *s, size_t Y);
void cau_best_classes(const double *s, size_t Y, size_t n, uint32_t *best);

/* A model as seen by one reader: a vocabulary for it, and the scores of what it reads.
 *
 * With `names`, features are numbered as they come and keep their names, also those that the
 * model does not know: whoever explains a decision has to name them. Without, a feature is
 * its place in the line, and lives as long; that is for the tagger, and fast (score.c). */
typedef struct {
    const caucus_model *model;
    cau_alphabet *names; /* every feature met so far, or NULL */
    uint64_t *hash;      /* without names: [count] of the features of the line */
    size_t count, hash_room;
    uint32_t *row; /* [looked_up] the observation of a feature in the model, or CAU_UNKNOWN */
    size_t looked_up, row_room;

    /* the instance at hand with the numbers of the model */
    size_t *start;
    uint32_t *id;
    float *value;
    size_t start_room, id_room, value_room;
    uint32_t *seen; /* [K] the group in which an observation came last; NULL until needed */
    uint32_t group; /* that is being added */
} cau_scorer;

/* Borrows the model. Clear it in either case; a zeroed one may be cleared as well. */
caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                              bool names);
void cau_scorer_clear(cau_scorer *scorer);

/* What to open the reader with. The scorer must not move from here on. */
cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer);

/* s [Y] <- the scores of an instance that was read with this vocabulary. With names, row[] is
 * then valid for all of them. CAUCUS_ERR_FORMAT, and a sentence with file and line, when the
 * features did not come in as many groups as the model wants: one for all classes, or one for
 * each (megam's explicit form). */
caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s);

#endif
