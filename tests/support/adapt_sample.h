/* adapt_sample.h - data of several domains with a test set, the tenth that tuning holds out,
 * correct answers counted one by one, and subsets of the data. */

#ifndef CAU_SUPPORT_ADAPT_SAMPLE_H
#define CAU_SUPPORT_ADAPT_SAMPLE_H

#include "adapt/adapt.h"
#include "dataset/subset.h"
#include "infer/apply.h"
#include "support/mega_sample.h"

enum { SAMPLE_MOST = 400 }; /* sequences, or held-out instances */

/* In-domain sequences, those of each other domain, and test sequences. */
typedef struct {
    size_t in, out, test, others;
    bool chain;
    uint64_t seed;
} sample_sizes;

/* The domains share half of the dependence of labels on features. The caller frees the data. */
static inline caucus_data *sample_adapt(caucus_ctx *ctx, sample_sizes sizes)
{
    const size_t each = sizes.in + sizes.test > sizes.out ? sizes.in + sizes.test : sizes.out;
    const sample_law law = {.D = 1 + sizes.others,
                            .N = each,
                            .K = 10,
                            .Y = 3,
                            .dense = .3,
                            .apart = .5,
                            .chain = sizes.chain,
                            .seed = sizes.seed};
    uint32_t train[SAMPLE_MOST], test[SAMPLE_MOST];
    cau_part_of part = {.train = train, .test = test};
    caucus_data *all = sample_domains(ctx, &law), *data = NULL;
    assert_true(all->train.S <= SAMPLE_MOST);
    for (size_t s = 0; s < all->train.S; s++) {
        const size_t d = s / each, at = s % each;
        if (at < (d ? sizes.out : sizes.in))
            train[part.trained++] = (uint32_t)s;
        else if (d == 0 && at < sizes.in + sizes.test)
            test[part.held++] = (uint32_t)s;
    }
    assert_ok(ctx, cau_data_subset(ctx, all, &part, 0, &data));
    cau_data_free(all);
    return data;
}

static inline cau_adapt_options sample_adapt_options(cau_method method, cau_model_choice model)
{
    return (cau_adapt_options){
        .method = method,
        .train = {.model = model,
                  .l2 = 1,
                  .solver = CAU_SOLVER_LBFGS,
                  .transitions = CAU_TRANSITIONS_ALL,
                  .history = 6,
                  .stop = {.epsilon = 1e-4, .iterations = 200, .period = 10}},
        .mega = {.a = 2, .b = 2},
        .seed = 3,
        .threads = 1,
    };
}

/* Sets right[n] if the model labels instance n of data->test correctly, for all N; returns the
 * number of correct labels. */
static inline size_t sample_right(caucus_ctx *ctx, const caucus_model *model,
                                  const caucus_data *data, uint8_t *right)
{
    const cau_dataset *set = &data->test;
    uint32_t labels[4 * SAMPLE_MOST];
    size_t count = 0;
    assert_true(set->N <= sizeof labels / sizeof *labels);
    assert_ok(ctx, cau_apply_set(ctx, model, data, set, 1, labels, NULL));
    for (size_t n = 0; n < set->N; n++) {
        const bool same = labels[n] != CAU_UNKNOWN && labels[n] == set->gold[n];
        if (right) right[n] = same;
        count += same;
    }
    return count;
}

/* The in-domain sequences with this role: 1 is trained on, 2 held out, as in folds.h. The caller
 * frees them. */
static inline caucus_data *sample_part(caucus_ctx *ctx, const caucus_data *data,
                                       const unsigned char *role, size_t in)
{
    uint32_t train[SAMPLE_MOST], test[SAMPLE_MOST];
    cau_part_of part = {.train = train, .test = test};
    caucus_data *out = NULL;
    for (size_t s = 0; s < data->train.S; s++) {
        if (s >= in || role[s] == 1)
            train[part.trained++] = (uint32_t)s;
        else if (role[s] == 2)
            test[part.held++] = (uint32_t)s;
    }
    assert_ok(ctx, cau_data_subset(ctx, data, &part, 0, &out));
    return out;
}

/* Holds out a tenth of the in-domain sequences, rounded up: the first in a random order. */
static inline caucus_data *sample_tenth(caucus_ctx *ctx, const caucus_data *data, size_t in,
                                        uint64_t seed)
{
    uint32_t order[SAMPLE_MOST];
    unsigned char role[SAMPLE_MOST];
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t s = 0; s < in; s++) order[s] = (uint32_t)s;
    cau_rng_shuffle(&rng, order, in);
    memset(role, 1, sizeof role);
    for (size_t i = 0; i < (in + 9) / 10; i++) role[order[i]] = 2;
    return sample_part(ctx, data, role, in);
}

#endif
