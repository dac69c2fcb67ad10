/* predict.c - which clusters new items would go to.
 *
 * For each of K clusters of a partition, and for a new one,
 *     log n_k + log p(x | X_k),      log alpha + log p(x)
 * which are the weights by which the sampler would seat the item, were it the last to come. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/component.h"

/* Seats the points as z says, and leaves lane K empty. */
static caucus_status seat_all(cau_components *c, const uint32_t *z, size_t K)
{
    const size_t N = c->units->N;
    uint32_t *nowhere = cau_alloc(N, sizeof *nowhere);
    if (!nowhere) return CAUCUS_ERR_MEMORY;
    for (size_t i = 0; i < N; i++) nowhere[i] = CAU_NO_LANE;
    caucus_status st = cau_components_arrange(c, &c->base, K + 1, nowhere);
    free(nowhere);
    if (st) return st;
    for (size_t i = 0; i < N; i++) cau_components_add(c, i, z[i]);
    if (c->extent < K + 1) c->extent = K + 1; /* even if some cluster holds nothing */
    return CAUCUS_OK;
}

caucus_status cau_predict_clusters(const cau_points *points, const cau_dp_options *options,
                                   const cau_dp_parameters *parameters, const uint32_t *z, size_t K,
                                   const cau_points *fresh, double *out)
{
    caucus_ctx *ctx = NULL; /* for sentences that nobody reads: the chains have checked the data */
    cau_movers units = {0};
    cau_components c = {0};
    double *row = NULL;
    cau_dp_options given = *options;
    given.start = *parameters;
    given.fixed_alpha = given.fixed_base = true;
    if (fresh->V != points->V && given.likelihood != CAU_PRIOR_ONLY) return CAUCUS_ERR_ARGUMENT;
    for (size_t i = 0; i < points->N; i++)
        if (z[i] >= K) return CAUCUS_ERR_ARGUMENT;

    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_movers_init(ctx, points, &given, NULL, &units);
    if (!st) {
        cau_components_init(&c, &units, parameters);
        row = cau_alloc(2 * points->V, sizeof *row);
        st = row ? seat_all(&c, z, K) : CAUCUS_ERR_MEMORY;
    }
    for (size_t i = 0; i < fresh->N && !st; i++) {
        cau_components_weigh_row(&c, fresh, i, row, c.weight);
        for (size_t k = 0; k < K; k++) out[i * (K + 1) + k] = c.weight[k] + c.log_size[k];
        out[i * (K + 1) + K] = c.weight[K] + log(parameters->alpha);
    }
    free(row);
    cau_components_clear(&c);
    cau_movers_clear(&units);
    caucus_ctx_free(ctx);
    return st;
}
