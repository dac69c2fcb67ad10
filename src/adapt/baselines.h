/* baselines.h - the methods that MEGA is compared with.
 *
 *   only-in       trains on the target domain alone
 *   only-out      trains on the source domains alone
 *   mix           trains on all domains
 *   mix-weighted  the same, with source instances weighted by N_target / N_source
 *   interpolate   t p_target + (1-t) p_source, of only-in and only-out
 *   feats         the label that only-out predicts is a feature of the target model
 *   prior         target weights are drawn to those of only-out (Chelba and Acero 2004)
 *   augment       each feature in a general copy and in one for its domain (Daume 2007)
 *
 * Each gives an ordinary model: a single one, a mixture of two members for interpolate (by
 * transition for MaxEnt and MEMM, by sequence for CRF), or a stack for feats (model/pool.h). All
 * work for MaxEnt, MEMM and CRF. Several source domains are taken as one, except that augment has
 * copies for each.
 *
 * Labels and features of one side only: only-in, only-out and feats never predict a label that
 * their training data lacks. In interpolate such a label has probability 0 for the member without
 * it (join.h). prior has all labels and features; those that the target data lacks keep the weights
 * of only-out. In augment only observations have copies: observations on edges, transitions and
 * default weights are shared by all domains. */

#ifndef CAU_ADAPT_BASELINES_H
#define CAU_ADAPT_BASELINES_H

#include "base/alphabet.h"
#include "model/model.h"
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

/* MEGA as published, or with tied components (mega.h). */
static inline bool cau_method_is_mega(cau_method method)
{
    return method == CAU_METHOD_MEGA || method == CAU_METHOD_TIED;
}

const char *cau_method_name(cau_method method); /* "only-in", ... */

/* Trains any method but MEGA on data->train, whose groups are domains (domains.h). Other sets are
 * ignored, and nothing is saved. t is the weight of only-in in an interpolation. Threads may train
 * on the same data at the same time. The notes of the model have its `method`, those of its
 * training, and those of another model that it is based on as `out.KEY` (in an interpolation
 * `in.KEY` and `out.KEY`). CAUCUS_ERR_FORMAT if a domain that the method needs is empty or has too
 * few labels, CAUCUS_ERR_ARGUMENT if the data has no domains, CAUCUS_ERR_UNSUPPORTED for feats and
 * augment with features that are given for each class (megam's explicit form). */
caucus_status cau_baseline_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                                 const cau_train_options *train, double t, uint64_t seed,
                                 unsigned threads, caucus_model **out);

/* Labels data->test with a model: label [test.N]; *right is the number of correct labels. */
caucus_status cau_label_test(caucus_ctx *ctx, const caucus_model *model, const caucus_data *data,
                             unsigned threads, uint32_t *label, size_t *right);

/* The weight t in {0, .05, .. 1} for which an interpolated model labels most of data->test right;
 * of equal ones the one nearest to 1/2, then the lower one. */
caucus_status cau_baseline_weigh(caucus_ctx *ctx, const caucus_model *interpolated,
                                 const caucus_data *data, unsigned threads, double *t);

/* ---- join.c: several models as one, and models without copies of features -------------------- */

/* The joined model has the labels of all models. A model that was trained without a label gives it
 * the default weight CAU_JOIN_NEVER, also in chains, so that its probability is 0; with a weight of
 * 0 it would be as likely as any other. After a label that a MEMM was trained without, that MEMM
 * uses the observations alone. */

#define CAU_JOIN_NEVER (-1e6)

/* A pool whose members are single models of the same kind, which read their input in the same way.
 * Its observations and labels are those of all models, in the order in which they first occur; the
 * template is that of the first model. `top`, unless NULL, is the main model of a stack with one
 * member, and comes first. `info` are the notes of the joined model; a stack takes those of `top`.
 * CAUCUS_ERR_ARGUMENT if the models do not fit together. */
typedef struct {
    const caucus_model *const *member; /* [pool.J] */
    const caucus_model *top;
    cau_pool pool;
    cau_str info;
} cau_join_parts;
caucus_status cau_join(caucus_ctx *ctx, const cau_join_parts *parts, caucus_model **out);

/* A single model over the observations `names` alone, with the weights of their copies added:
 *     w[name] = w[name] + w[name suffix]
 * Observations on edges, transitions, default weights and notes stay as they are. */
caucus_status cau_fold(caucus_ctx *ctx, const caucus_model *model, const cau_alphabet *names,
                       cau_str suffix, caucus_model **out);

#endif
