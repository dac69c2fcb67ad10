/* join.h - several models as the members of one. */

#ifndef CAU_ADAPT_JOIN_H
#define CAU_ADAPT_JOIN_H

#include "model/model.h"

/* One model with the observations of all, in the order of their coming, and the models as members.
 * They must be of the same kind, and read the same way: the way of reading and the template of the
 * first is kept. Labels of any of them are labels of all; one that a member lacks has weights 0 in
 * it (which all data of one read has not: cau_data_subset may drop labels). `top`, unless NULL, is
 * the main model of a stack; then J = 1. `info` is what is said of the whole. */
typedef struct {
    const caucus_model *const *member; /* [J] */
    const caucus_model *top;
    cau_pool pool;
    cau_str info;
} cau_join_parts;
caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out);

#endif
