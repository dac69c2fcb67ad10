/* maxent.c - loss and residuals of a maximum-entropy classifier.
 *
 *     p(y|x)  = exp(q_y) / sum_y' exp(q_y'),      q_y = sum_k w_ky f_k(x)
 *     loss    = sum_i -c_i log p(y_i|x_i) = sum_i c_i (log Z(x_i) - q_{y_i})
 *     d loss / d q_iy = c_i (p(y|x_i) - [y = y_i])
 *
 * infer/ computes the scores from the weights and the gradient from the residuals, both as products
 * with the sparse matrix of the data. The rest is local to an instance and computed here. The
 * kernel subtracts the largest score before exp, so scores of any size are safe.
 *
 * [1] Berger, Della Pietra, Della Pietra. A maximum entropy approach to natural language
 *     processing. Computational Linguistics 22(1), 1996. */

#include "model/chain.h"

#include <math.h>

#include "math/kernels.h"

caucus_status cau_maxent_residuals(size_t n, size_t Y, double *s, const uint32_t *gold,
                                   const float *weight, bool expected_only, double *logz,
                                   double *loss)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double c = weight ? (double)weight[i] : 1;
        sum -= c * s[i * Y + gold[i]];
    }
    cau_kernels_get()->softmax(n, Y, s, logz);
    for (size_t i = 0; i < n; i++) {
        double c = weight ? (double)weight[i] : 1;
        double *p = s + i * Y;
        sum += c * logz[i];
        for (size_t y = 0; weight && y < Y; y++) p[y] *= c;
        if (!expected_only) p[gold[i]] -= c;
    }
    *loss = sum;
    return isfinite(sum) ? CAUCUS_OK : CAUCUS_ERR_NUMERIC;
}
