/* joint.h - experts over all features, trained together. The maths is in joint.c. */

#ifndef CAU_POOL_JOINT_H
#define CAU_POOL_JOINT_H

#include "pool/members.h"
#include "pool/pools.h"

/* Where the run ended, and what the penalty was. */
typedef struct {
    double loss, penalty;
    const char *solver;
    cau_stop_reason reason;
    size_t iterations, passes, best_iteration;
} cau_joint_end;

/* The rule by which such a run stops: that of the options, with the patience of the paper where
 * there is a development set and no other. */
cau_stop_rule cau_joint_stop(const cau_train_options *train, const caucus_data *data);

/* Learns J experts with equal weights 1/J: experts [J], zeroed. The problem is that of all
 * features in plain coordinates, without penalties. The solver of the options is fobos or
 * proximal. */
caucus_status cau_joint_train(caucus_ctx *ctx, const caucus_data *data, cau_problem *problem,
                              const cau_pool_options *pool, const cau_train_options *train,
                              uint64_t seed, size_t J, cau_expert *experts, cau_joint_end *end);

/* The penalty as a formula: "0.1/2 * sum over weights of (sum over experts of |w|)^2". */
void cau_joint_define(const cau_pool_options *pool, const cau_train_options *train,
                      cau_strbuf *out);

#endif
