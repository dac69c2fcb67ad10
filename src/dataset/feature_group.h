/* feature_group.h - which pattern of its template a feature comes from.
 *
 * A feature is named by its pattern: "U05:the/cat" comes from "U05:%x[-1,0]/%x[0,0]". What stands
 * before the first ':' (or '=', or '[') of the name is its kind; a name with none of these is a
 * kind by itself where there are few of them, else of the kind "". */

#ifndef CAU_DATASET_FEATURE_GROUP_H
#define CAU_DATASET_FEATURE_GROUP_H

#include "base/alphabet.h"

typedef struct {
    cau_alphabet *names; /* of the kinds, in the order of their coming */
    uint32_t *of;        /* [K] the kind of each observation */
    size_t K;
} cau_feature_groups;

/* Of all names of an alphabet. Embed it zeroed, clear it at the end. */
caucus_status cau_feature_groups_init(caucus_ctx *ctx, const cau_alphabet *names,
                                      cau_feature_groups *kinds);
void cau_feature_groups_clear(cau_feature_groups *kinds);

/* The kind of a single name: all of it where it has no such sign. */
cau_str cau_feature_group_of(cau_str name);

#endif
