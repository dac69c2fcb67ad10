/* folds.h - which sequences a run trains on and which it holds out. */

#ifndef CAU_STUDY_FOLDS_H
#define CAU_STUDY_FOLDS_H

#include "dataset/dataset.h"

/* The number of groups in a set. The sequences of a group, for instance those of a document, are
 * always on the same side of a split (`unit` of dataset.h). Without groups each sequence stands for
 * itself, or each instance if the set has no sequences. */
size_t cau_count_groups(const cau_dataset *set);
const char *cau_groups_word(const cau_dataset *set); /* "units", "sequences" or "instances" */

/* Folds for cross-validation: fold [S] in 0..K-1 of each sequence. They depend on the seed, no fold
 * is empty, and each has its share of each label as nearly as whole groups allow.
 * CAUCUS_ERR_ARGUMENT if there are fewer groups than folds. */
caucus_status cau_folds(caucus_ctx *ctx, const cau_dataset *set, size_t K, uint64_t seed,
                        uint32_t *fold);

/* The use of a sequence in one run. */
typedef enum { CAU_UNUSED, CAU_TRAINED, CAU_HELD } cau_role;

/* The number of sizes of a learning curve: all training data, a half, a quarter and so on down to
 * 1/64, but at least 10 sequences and one group. `tested`: there is test data. Without it, a fifth
 * of the groups is held out. */
size_t cau_curve_sizes(const cau_dataset *set, bool tested);

/* One subset of a learning curve: role [S], a cau_role of each sequence. Whole groups are taken in
 * a random order until they make up 1/2^halvings of the sequences, so the subsets of a seed are
 * nested. Without test data, the first fifth of the groups in that order is held out from all
 * subsets of the seed. */
caucus_status cau_curve_subset(caucus_ctx *ctx, const cau_dataset *set, bool tested, uint64_t seed,
                               size_t halvings, unsigned char *role);

#endif
