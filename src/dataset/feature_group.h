/* feature_group.h - groups of features by the pattern of the template that they come from.
 *
 * The name of a feature starts with the name of its pattern: "U05:the/cat" comes from
 * "U05:%x[-1,0]/%x[0,0]". The group of a feature is the part of its name before the first ':', '='
 * or '['. A name without these signs is a group of its own if there are few such names; if there
 * are many, all of them are in the group "". */

#ifndef CAU_DATASET_FEATURE_GROUP_H
#define CAU_DATASET_FEATURE_GROUP_H

#include "base/alphabet.h"

typedef struct {
    cau_alphabet *names; /* of the groups, in the order in which they appear */
    uint32_t *of;        /* [K] the group of each observation */
    size_t K;
} cau_feature_groups;

/* Groups all names of an alphabet. Embed it zeroed, clear it at the end. */
caucus_status cau_feature_groups_init(caucus_ctx *ctx, const cau_alphabet *names,
                                      cau_feature_groups *groups);
void cau_feature_groups_clear(cau_feature_groups *groups);

/* The group of a single name: the whole name if it has none of these signs. */
cau_str cau_feature_group_of(cau_str name);

#endif
