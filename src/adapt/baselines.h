/* baselines.h - what MEGA is measured against: other ways to use labels of another domain.
 *
 *   only-in       train on the domain that matters alone
 *   only-out      train on the others alone
 *   mix           train on all
 *   mix-weighted  the same, the others weighted N_in / N_out
 *   interpolate   t p_in + (1-t) p_out of only-in and only-out
 *   feats         what only-out says of an instance is a feature of the in-domain model
 *   prior         the in-domain weights are pulled to those of only-out (Chelba and Acero 2004)
 *   augment       each feature in a general copy and one for its domain (Daume 2007)
 *
 * Each gives an ordinary model: a single one; for interpolate a mixture of two members, by
 * transition (MaxEnt, MEMM) or by sequence (CRF); for feats a stack (model/pool.h). */

#ifndef CAU_ADAPT_BASELINES_H
#define CAU_ADAPT_BASELINES_H

#include "train/fit.h"

/* In the order of --method. */
typedef enum {
    CAU_METHOD_MEGA,
    CAU_METHOD_ONLY_IN,
    CAU_METHOD_ONLY_OUT,
    CAU_METHOD_INTERPOLATE,
    CAU_METHOD_MIX,
    CAU_METHOD_MIX_WEIGHTED,
    CAU_METHOD_FEATS,
    CAU_METHOD_PRIOR,
    CAU_METHOD_AUGMENT,
    CAU_METHODS,
    CAU_METHOD_ALL = CAU_METHODS,
} cau_method;

const char *cau_method_name(cau_method method); /* "only-in", ... */

/* Trains any method but MEGA on data->train, whose units are domains as in domains.h. Nothing is
 * saved. t is the weight of only-in in the interpolation, others ignore it. Runs may go on at the
 * same time over the same data in several threads. */
caucus_status cau_baseline_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                 const cau_train_options *train, double t, uint64_t seed,
                                 unsigned threads, caucus_model **out);

/* The weight t in {0, .05, .. 1} with which an interpolated model labels most of data->test right;
 * of equals the one nearest to 1/2. */
caucus_status cau_baseline_weigh(caucus_ctx *ctx, const caucus_model *interpolated,
                                 const caucus_data *data, unsigned threads, double *t);

#endif
