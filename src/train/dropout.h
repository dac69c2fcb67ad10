/* dropout.h - examples that go without some of their features, others in each epoch.
 *
 * A model that leans on a few strong features learns nothing about the others. With dropout it
 * cannot rely on any: each time an example is learnt, a random part of it is not there.
 *
 *     by feature   each place of a feature goes with probability q; what stays is multiplied by
 *                  1/(1-q), so that scores are on average those of the whole example, which is
 *                  what the model will be used on
 *     by template  all features of a kind (dataset/feature_group.h) go together, each kind with
 * probability q, never all kinds. What stays is as it is: the model will be used on examples with
 *                  all kinds and on others that miss some, and its scores should be right for the
 *                  latter. With all kinds there it is then surer than it should be, not wrong.
 *
 * What goes depends on the seed, the epoch and the number of the example alone. So an example may
 * be asked for any number of times in an epoch, and a run that is resumed goes on as it would have
 * done. */

#ifndef CAU_TRAIN_DROPOUT_H
#define CAU_TRAIN_DROPOUT_H

#include "dataset/dataset.h"
#include "optim/online.h"
#include "train/fit.h"

/* All zero: no dropout. Plain examples while epoch is 0, as when a solver is made. */
typedef struct {
    double q;
    uint64_t seed, epoch;
    size_t kinds;   /* that have weights; 0: by feature */
    uint32_t *kind; /* [rows of both tables] */
    uint8_t *gone;  /* [kinds] in the example at hand */

    /* what is left of it */
    size_t *start;
    uint32_t *id;
    float *value;
} cau_dropout;

/* For the examples of a problem over data. CAU_GROUP_NONE leaves the choice open: by template where
 * features are of several kinds. Embed it zeroed, clear it at the end. */
caucus_status cau_dropout_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_online_problem *problem, double q, cau_group by,
                               uint64_t seed, cau_dropout *out);
void cau_dropout_clear(cau_dropout *dropout);

/* Leaves out a part of example i. The rest is valid until the next call. */
void cau_dropout_thin(cau_dropout *dropout, size_t i, cau_example *example);

#endif
