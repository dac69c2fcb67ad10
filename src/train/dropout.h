/* dropout.h - feature dropout: examples lose a random part of their features in each epoch.
 *
 * A model that relies on a few strong features learns little about the others. Dropout prevents it
 * from relying on any.
 *
 *     by feature   each occurrence of a feature is dropped with probability q; the others are
 *                  multiplied by 1/(1-q), so that the mean scores are those of the whole example
 *     by template  all features of a kind (dataset/feature_group.h) are dropped together, each kind
 *                  with probability q, but never all kinds. The others are not scaled: the model
 *                  will be used on examples with all kinds and on others without some of them, and
 *                  its scores should be right for the latter. With all kinds present it is then
 *                  overconfident, not wrong.
 *
 * The choice depends only on the seed, the epoch and the number of the example. So an example may
 * be read any number of times in an epoch, and a resumed run makes the same choices. */

#ifndef CAU_TRAIN_DROPOUT_H
#define CAU_TRAIN_DROPOUT_H

#include "dataset/dataset.h"
#include "optim/online.h"
#include "train/fit.h"

/* All zero: no dropout. While epoch is 0, as during the creation of a solver, nothing is dropped.
 */
typedef struct {
    double q;
    uint64_t seed, epoch;
    size_t kinds;   /* number of kinds with weights; 0: by feature */
    uint32_t *kind; /* [rows of both tables] */
    uint8_t *gone;  /* [kinds] dropped from the current example */

    /* the rest of the current example */
    size_t *start;
    uint32_t *id;
    float *value;
} cau_dropout;

/* For the examples of a problem over data. CAU_GROUP_NONE chooses: by template if features have
 * several kinds. Embed it zeroed, clear it at the end. */
caucus_status cau_dropout_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_online_problem *problem, double q, cau_group by,
                               uint64_t seed, cau_dropout *out);
void cau_dropout_clear(cau_dropout *dropout);

/* Drops a part of example i. The rest is valid until the next call. */
void cau_dropout_thin(cau_dropout *dropout, size_t i, cau_example *example);

#endif
