/* pools.h - training of models that vote.
 *
 *   bag      members that see different features, each trained alone (Sutton et al. 2006)
 *   lop      the same with a partition: a logarithmic opinion pool, whose weights may be learnt
 *   elitist  experts over all features, trained together; a penalty makes them compete for each
 *            feature (Wang and Manning 2013)
 *   dropout  ours: members trained alone, each example going without a random part of its features,
 *            so that none learns to lean on a strong one
 *
 *     partition ──▶ masks ──▶ members (side by side) ──▶ alphas on held-out data ──▶ one model file
 *                  experts trained together ────────────────▲
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
    CAU_ALPHAS_GRID,  /* the best score on the development data, steps of 1/20 (two members; more:
                         coordinate by coordinate) */
    CAU_ALPHAS_EM,    /* mixtures: EM on the development data */
    CAU_ALPHAS_LEARN, /* products: gradient on the development data */
} cau_alphas_kind;

typedef struct {
    int kind;         /* cau_pool_kind */
    uint64_t experts; /* 0: as many as the partition has, 2 for lop, 3 for elitist and dropout */
    int partition;    /* cau_partition_kind */
    int combine, per, mix; /* model/pool.h */
    int alphas;            /* cau_alphas_kind */
    bool free_alphas;      /* learnt alphas need not be positive and sum to 1 */
    uint64_t held_out;     /* folds of the training data that stand in for development data where
                              there is none; 0: development data it must be */
    int prox;              /* cau_prox_kind, of elitist */
    double spread;         /* experts start uniform in [-spread, spread] */
} cau_pool_options;

/* What can be said without data: options that do not go together. */
caucus_status cau_pool_check(caucus_ctx *ctx, const cau_pool_options *pool,
                             const cau_train_options *train);

/* Learns a pool from data->train, with data->dev for stopping and for alphas, and saves it where
 * train->output says. Members run side by side, each on one thread; the same model at any number
 * of threads. */
caucus_status cau_pool_fit(caucus_ctx *ctx, const caucus_data *data, const cau_pool_options *pool,
                           const cau_train_options *train, uint64_t seed, unsigned threads,
                           caucus_model **out);

/* The same without a model file, for studies: the labels of data->test, and what was measured.
 * There are no weights in the result: pools do not start from others. */
caucus_status cau_pool_answer(caucus_ctx *ctx, const caucus_data *data,
                              const cau_pool_options *pool, const cau_train_options *train,
                              uint64_t seed, unsigned threads, cau_fit_result *result);

#endif
