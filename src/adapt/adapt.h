/* adapt.h - domain adaptation: a model for a domain with few labels, with the help of others.
 *
 *     data of all domains ──▶ what is tuned, on a tenth held out ──▶ one method ──▶ model file
 *              └──▶ folds, subsets ──▶ all methods ──▶ which is best, and is that luck?
 *
 * data->train holds all domains; the unit of a sequence (of an instance, where there are none) is
 * its domain, and 0 is the one that matters (domains.h). data->test is of that domain. */

#ifndef CAU_ADAPT_ADAPT_H
#define CAU_ADAPT_ADAPT_H

#include "adapt/baselines.h"
#include "adapt/mega.h"
#include "study/study.h"

typedef struct {
    int method; /* cau_method; CAU_METHOD_ALL compares them */
    cau_train_options
        train; /* of every method; model auto: memm for data in sequences, else maxent */
    cau_mega_options mega;   /* l2, seen, no_bias, tied and threads come from elsewhere */
    const char *tune;        /* values of l2 to choose from, "0.1,1,10"; NULL: train.l2 it is */
    const char *const *name; /* [D] of the domains, for reports */
    size_t cutoff;           /* of parts of the data */
    uint64_t folds;   /* compare by cross-validation of the in-domain data; 0: on data->test */
    bool curve;       /* scores over the amount of in-domain data */
    uint64_t seeds;   /* of a curve */
    const char *plot; /* of a curve; or NULL */
    bool json;
    uint64_t seed;
    unsigned threads;
} cau_adapt_options;

/* What can be said before the data is read. */
caucus_status cau_adapt_check(caucus_ctx *ctx, const cau_adapt_options *options);

/* Whether the in-domain data is enough for a method: only-in, interpolate and feats need two labels
 * there. */
bool cau_adapt_learns(const caucus_data *data, cau_method method);

/* What was found on held-out data, or is as the options have it. */
typedef struct {
    double l2;
    double t;          /* weight of only-in in the interpolation */
    size_t iterations; /* of CEM; 0: as usual */
} cau_tuned;

/* Trains one method on all of data->train: first what is to be tuned, on a random tenth of the
 * in-domain data, which then is folded back in. Where the rest of it would be too little, nothing
 * is tuned and a note says so. *tuned, unless NULL, is what was found. Nothing is saved. */
caucus_status cau_adapt_train(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                              const cau_adapt_options *options, unsigned threads, cau_tuned *tuned,
                              caucus_model **out);

/* The method of the options, trained and saved where train.output says. */
caucus_status cau_adapt_fit(caucus_ctx *ctx, const caucus_data *data,
                            const cau_adapt_options *options, caucus_model **out);

/* Trains and scores many: all methods (or the one) by folds or on data->test, or a curve; writes a
 * table or JSON. *best is the method with the highest score, and of equal ones the first. `summary`
 * may be NULL (study/study.h). CAUCUS_ERR_STOPPED when the progress callback ended it. */
caucus_status cau_adapt_compare(caucus_ctx *ctx, const caucus_data *data,
                                const cau_adapt_options *options, caucus_write_fn *write,
                                void *user, cau_method *best, cau_study_summary *summary);

#endif
