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
 * transition (MaxEnt, MEMM) or by sequence (CRF); for feats a stack (model/pool.h). All work for
 * MaxEnt, MEMM and CRF, and with several other domains, which are then taken as one (augment has a
 * copy of the features for each).
 *
 * What only one domain has: only-in and only-out never answer a label that they have not seen, nor
 * does feats answer one that only others have; in interpolate it is impossible for the member that
 * does not know it (join.h). prior knows all labels and features: those that the in-domain data
 * lacks keep the weights of only-out. In augment, observations have copies; those on edges,
 * transitions and default weights are shared by all domains. */

#ifndef CAU_ADAPT_BASELINES_H
#define CAU_ADAPT_BASELINES_H

#include "train/fit.h"

/* In the order of --method. */
typedef enum {
    CAU_METHOD_MEGA,
    CAU_METHOD_TIED,
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

/* Whether it is MEGA, as the article has it or with components that are tied (mega.h). */
static inline bool cau_method_is_mega(cau_method method)
{
    return method == CAU_METHOD_MEGA || method == CAU_METHOD_TIED;
}

const char *cau_method_name(cau_method method); /* "only-in", ... */

/* Trains any method but MEGA on data->train, whose units are domains as in domains.h; the other
 * sets are not looked at, and nothing is saved. t is the weight of only-in in the interpolation,
 * others ignore it. Runs may go on at the same time over the same data in several threads. The
 * model notes its `method`, what it notes of training, and that of another model behind it as
 * `out.KEY`
 * (`in.KEY` in an interpolation). CAUCUS_ERR_FORMAT, with a sentence, when a domain that the method
 * needs is empty or knows too few labels; CAUCUS_ERR_ARGUMENT when the data has no units;
 * CAUCUS_ERR_UNSUPPORTED for feats and augment with features that are given for each class apart.
 */
caucus_status cau_baseline_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                 const cau_train_options *train, double t, uint64_t seed,
                                 unsigned threads, caucus_model **out);

/* Labels data->test with a model: label [test.N]; *right is the number of correct labels. */
caucus_status cau_label_test(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                             unsigned threads, uint32_t *label, size_t *right);

/* The weight t in {0, .05, .. 1} with which an interpolated model labels most of data->test right;
 * of equals the one nearest to 1/2, then the lower. */
caucus_status cau_baseline_weigh(caucus_ctx *ctx, const caucus_model *interpolated,
                                 const caucus_data *data, unsigned threads, double *t);

#endif
