/* pools.h - training of pools: models that vote.
 *
 *   bag      members that see different features, each trained alone (Sutton et al. 2006)
 *   lop      the same with a partition: a logarithmic opinion pool, whose weights may be learned
 *   elitist  experts over all features, trained together; a penalty makes them compete for each
 *            feature (Wang and Manning 2013)
 *   dropout  members trained alone, each example without a random part of its features, so that no
 *            member relies on a single strong feature; our own
 *
 *     partition ──▶ masks ──▶ members, in parallel ──▶ alphas on held-out data ──▶ one model file
 *                  experts trained together ──────────────▲
 */

#ifndef CAU_POOL_POOLS_H
#define CAU_POOL_POOLS_H

#include "model/pool.h"
#include "train/fit.h"

/* In the order of the options. */
typedef enum {
    CAU_POOL_NONE,
    CAU_POOL_BAG,
    CAU_POOL_LOP,
    CAU_POOL_ELITIST,
    CAU_POOL_DROPOUT,
} cau_pool_kind;
typedef enum {
    CAU_PARTITION_AUTO, /* bags of the template if it has any, else by template, else random */
    CAU_PARTITION_BAGS,
    CAU_PARTITION_TEMPLATE,
    CAU_PARTITION_RANDOM,
    CAU_PARTITION_SEQUENTIAL,
} cau_partition_kind;
typedef enum {
    CAU_ALPHAS_EQUAL,
    CAU_ALPHAS_GRID,  /* best score on the development data, in steps of 1/20; with more than two
                         members one coordinate at a time */
    CAU_ALPHAS_EM,    /* mixtures: EM on the development data */
    CAU_ALPHAS_LEARN, /* products: gradient on the development data */
} cau_alphas_kind;

typedef struct {
    cau_pool_kind kind;
    uint64_t experts; /* 0: as many as the partition has, 2 for lop, 3 for elitist and dropout */
    cau_partition_kind partition;
    cau_combine combine;
    cau_per per;
    cau_mix mix;
    cau_alphas_kind alphas;
    bool free_alphas;   /* learned alphas need not be positive and sum to 1 */
    uint64_t held_out;  /* folds of the training data to use if there is no development data; 0:
                           development data is required */
    cau_prox_kind prox; /* of elitist */
    double spread;      /* elitist experts start uniformly in [-spread, spread] */
} cau_pool_options;

/* Refuses options that contradict each other; needs no data. */
caucus_status cau_pool_check(caucus_ctx *ctx, const cau_pool_options *pool,
                             const cau_train_options *train);

/* Trains a pool on data->train, with data->dev for stopping and for alphas, and saves it as
 * train->output. Members are trained in parallel, each on one thread; the model does not depend on
 * the number of threads. */
caucus_status cau_pool_fit(caucus_ctx *ctx, const caucus_data *data, const cau_pool_options *pool,
                           const cau_train_options *train, uint64_t seed, unsigned threads,
                           caucus_model **out);

/* The same without a model, for studies: the labels of data->test and the measures. The result has
 * no weights, since pools do not start from others. */
caucus_status cau_pool_fit_labels(caucus_ctx *ctx, const caucus_data *data,
                                  const cau_pool_options *pool, const cau_train_options *train,
                                  uint64_t seed, unsigned threads, cau_fit_result *result);

#endif
