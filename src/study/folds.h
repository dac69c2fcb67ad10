/* folds.h - which units are held out together, and which subset comes before which. */

#ifndef CAU_STUDY_FOLDS_H
#define CAU_STUDY_FOLDS_H

#include "dataset/dataset.h"

/* How many units a set is made of (dataset.h), and what they are called: "sequences", say. */
size_t cau_cv_groups_in(const cau_dataset *set);
const char *cau_cv_groups_text(const cau_dataset *set);

/* The first instance of sequence s; that of S is N. */
size_t cau_sequence_begin(const cau_dataset *set, size_t s);

/* The fold of each sequence of data->train (instance, where there are none): fold [S] in 0..K-1.
 * Sequences of one unit stay together. Seeded, and stratified: each fold gets its share of each
 * label as nearly as whole units allow, and no fold is empty. CAUCUS_ERR_ARGUMENT when there are
 * fewer units than folds. */
caucus_status cau_folds(caucus_ctx *ctx, const caucus_data *data, size_t K, uint64_t seed,
                        uint32_t *fold);

/* The sequences in a random order in which units stay together: order [S], and the ends [units]
 * of the units in it, to be freed. Prefixes are nested subsets. */
caucus_status cau_cv_groups_shuffled(caucus_ctx *ctx, const caucus_data *data, uint64_t seed,
                                     uint32_t *order, size_t **ends, size_t *units);

/* What becomes of a sequence in one run. */
typedef enum { CAU_UNUSED, CAU_TRAINED, CAU_HELD } cau_role;

/* The subsets of a learning curve: all data that there is to train on, a half of it, a quarter, and
 * so on down to 1/64, but at least 10 sequences and a unit. How many sizes that makes: */
size_t cau_curve_sizes(const caucus_data *data);

/* One of them: role [S] is a cau_role for each sequence. Units are taken whole, in a random order,
 * until 1/2^halvings of the sequences is reached; so the subsets of a seed are nested. Without test
 * data, the first fifth of the units in that order is held out from all of them. */
caucus_status cau_curve_subset(caucus_ctx *ctx, const caucus_data *data, uint64_t seed,
                               size_t halvings, unsigned char *role);

#endif
