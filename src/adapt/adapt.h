/* adapt.h - domain adaptation: a model for a target domain with few labels, with the help of source
 * domains.
 *
 *     data of all domains ──▶ tuning, on a held-out tenth ──▶ one method ──▶ model file
 *              └──▶ folds, subsets ──▶ all methods ──▶ which is best, and is that significant?
 *
 * data->train holds all domains. The group of a sequence (of an instance, without sequences) is its
 * domain, and 0 is the target (domains.h). data->test belongs to the target. */

#ifndef CAU_ADAPT_ADAPT_H
#define CAU_ADAPT_ADAPT_H

#include "adapt/baselines.h"
#include "adapt/mega.h"
#include "study/study.h"

typedef struct {
    cau_method method;       /* CAU_METHOD_ALL compares them */
    cau_train_options train; /* of every method; the model "auto" is a MEMM for data in sequences,
                                else MaxEnt */
    cau_mega_options mega;   /* l2, seen, no_bias, tied and threads are set from the others */
    const char *tune;        /* penalties to choose from, "0.1,1,10"; NULL: train.l2 */
    const char *const *name; /* [D] of the domains, for reports */
    size_t cutoff;           /* of parts of the data */
    uint64_t folds;          /* compare by cross-validation of the target; 0: on data->test */
    bool curve;              /* scores over the amount of target data */
    uint64_t seeds;          /* of a curve */
    const char *plot;        /* of a curve; or NULL */
    bool json;
    uint64_t seed;
    unsigned threads;
} cau_adapt_options;

/* Checks what does not depend on the data. */
caucus_status cau_adapt_check(caucus_ctx *ctx, const cau_adapt_options *options);

/* Whether the target data is enough for a method: only-in, interpolate and feats need two labels
 * there. */
bool cau_adapt_learns(const caucus_data *data, cau_method method);

/* Chosen on held-out data, or as in the options. */
typedef struct {
    double l2;
    double t;          /* weight of only-in in the interpolation */
    size_t iterations; /* of CEM; 0: the default */
} cau_tuned;

/* Trains one method on data->train. Parameters are tuned first, on a random tenth of the
 * target data, which then becomes training data again. If the rest of the target data is too little
 * to train on, nothing is tuned, and a note says so. *tuned, unless NULL, receives the choice.
 * Nothing is saved. */
caucus_status cau_adapt_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                              const cau_adapt_options *options, unsigned threads, cau_tuned *tuned,
                              caucus_model **out);

/* Trains the method of the options, and saves the model as train.output. */
caucus_status cau_adapt_fit(caucus_ctx *ctx, const caucus_data *data,
                            const cau_adapt_options *options, caucus_model **out);

/* Compares all methods (or one) by folds or on data->test, or along a curve; writes a table or
 * JSON. *best is the method with the highest score, of equal ones the first. `summary` may be NULL
 * (study/study.h). CAUCUS_ERR_STOPPED when the progress callback ended it. */
caucus_status cau_adapt_compare(caucus_ctx *ctx, const caucus_data *data,
                                const cau_adapt_options *options, caucus_write_fn *write,
                                void *user, cau_method *best, cau_study_summary *summary);

#endif
