/* resolve_labels.h - turns labels as they are written into classes, and gold into classes or sets.
 */

#ifndef CAU_DATASET_RESOLVE_LABELS_H
#define CAU_DATASET_RESOLVE_LABELS_H

#include "dataset/dataset_builder.h"

/* What "?" and "a|b" are. */
typedef enum {
    CAU_LABELS_KNOWN,   /* an unknown label, which training refuses, and a label like any other */
    CAU_LABELS_PARTIAL, /* an unknown label, and a set of labels */
    CAU_LABELS_PLAIN,   /* labels like any other */
} cau_label_reading;

/* Before the call, gold of the sets under construction is a number of `labels`, which holds labels
 * as they are written. After the call
 *
 *   - `labels` holds the classes, in the order in which they appear: the first `known` labels,
 *     and those of the first set, the training set, alone or in a set of labels. With explicit
 *     features, they are the first `group` labels, one per section;
 *   - gold, sets and `partial` of each set are as in dataset.h. "?" and labels that are not
 *     classes become CAU_UNKNOWN. With CAU_LABELS_PARTIAL, "a|b" is a set of labels if it has at
 *     least two labels and no empty part, and CAU_UNKNOWN if one of its parts is "?". Labels that
 * are not classes are removed from sets; a set with one label left becomes that label.
 *
 * CAUCUS_ERR_FORMAT, with `where` in the message, when training has fewer than two classes or,
 * with CAU_LABELS_KNOWN, an unknown label. A failure may add labels to `labels` and changes nothing
 * else; the call can be repeated. */
caucus_status cau_resolve_labels(caucus_ctx *ctx, cau_alphabet *labels, size_t known,
                                 cau_dataset_builder *const *builders, size_t count,
                                 cau_label_reading reading, const char *where);

#endif
