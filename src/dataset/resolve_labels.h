/* resolve_labels.h - labels as they are written become classes, and gold what is known of each
 * instance. */

#ifndef CAU_DATASET_RESOLVE_LABELS_H
#define CAU_DATASET_RESOLVE_LABELS_H

#include "dataset/dataset_builder.h"

/* Before, the gold of the piles are numbers of `labels`, in which labels stand as written. Then
 *   - `labels` holds the classes: the labels that the first pile, which is for training, has
 *     alone or in a set, in the order of their coming; or, with explicit features, the first
 *     `group` of them, which are the sections;
 *     The first `known` labels are classes in any case;
 *   - gold, sets and `partial` of each pile are what gold.h and dataset.h say. "?" is CAU_UNKNOWN,
 *     and so is a label that is no class. With `partial`, "a|b" is a set if it has two labels or
 *     more and no empty part, and anything if "?" is one of them; without, it is a label like
 *     any other. Labels that are no classes are left out of sets; one with a single label left
 *     is that label.
 * CAUCUS_ERR_FORMAT, with `where` in the sentence, when training does not know two classes, or,
 * without `partial`, the label of each instance. After a failure the piles are as they were and
 * `labels` may have more labels; it can be called again. */
caucus_status cau_resolve_labels(caucus_ctx *ctx, cau_alphabet *labels, size_t known,
                                 cau_dataset_builder *const *piles, size_t count, bool partial,
                                 const char *where);

#endif
