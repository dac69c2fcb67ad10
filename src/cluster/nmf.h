/* nmf.h - non-negative matrix factorisation, V ~ W H, by projected gradients (Lin 2007). */

#ifndef CAU_CLUSTER_NMF_H
#define CAU_CLUSTER_NMF_H

#include "math/csr.h"

typedef struct {
    size_t rank;
    double tolerance;  /* stop when the projected gradient is this share of the first; 1e-4 */
    size_t iterations; /* at most */
    size_t starts;     /* random starts; the one with the smallest error wins */
    uint64_t seed;
    unsigned threads; /* starts that run in parallel */
} cau_nmf_options;

/* Both factors. Each component is scaled so that its row of H sums to 1; rows of W are the features
 * of the items. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t N, V, rank;
    double *w;         /* [N][rank] */
    double *h;         /* [rank][V] */
    double error;      /* 1/2 |V - WH|^2 */
    double gradient;   /* norm of the projected gradient, as a share of the first */
    size_t iterations; /* of the best start */
    bool converged;
} cau_nmf;

/* CAUCUS_ERR_FORMAT for negative values or a rank above the dimensions. Calls `trace`, unless it is
 * NULL, with the error after each iteration of each start, from any thread. The same result at any
 * number of threads. */
typedef void cau_nmf_trace(void *self, size_t start, size_t iteration, double error);
caucus_status cau_nmf_fit(caucus_ctx *ctx, const cau_csr *v, const cau_nmf_options *options,
                          cau_nmf_trace *trace, void *self, cau_nmf *out);
void cau_nmf_clear(cau_nmf *nmf);

#endif
