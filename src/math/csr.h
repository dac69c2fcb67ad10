/* csr.h - sparse matrices by rows, and their transposes. */

#ifndef CAU_MATH_CSR_H
#define CAU_MATH_CSR_H

#include <stddef.h>
#include <stdint.h>

#include "caucus.h"

/* Row i holds columns column[start[i] .. start[i+1]) with their values. A matrix whose
 * values are all 1 has no value array: 4 bytes for each non-zero. */
typedef struct {
    size_t rows, columns;
    size_t *start;    /* [rows + 1] */
    uint32_t *column; /* [start[rows]] */
    float *value;     /* [start[rows]], or NULL: all are 1 */
} cau_csr;

static inline size_t cau_csr_nonzeros(const cau_csr *x)
{
    return x->start ? x->start[x->rows] : 0;
}

/* out = x', the same for any number of threads. The columns ascend in each row of the result. On
 * CAUCUS_ERR_MEMORY `out` is unchanged. */
caucus_status cau_csr_transpose(unsigned threads, const cau_csr *x, cau_csr *out);

void cau_csr_clear(cau_csr *x);

/* Splits the rows into blocks of about `target` non-zeros each (at least one row). *first [*blocks
 * + 1] has the first row of each block, then x->rows; free it. The blocks depend only on the
 * matrix, not on the number of threads. *blocks = 0 for a matrix without rows. */
caucus_status cau_csr_blocks(const cau_csr *x, size_t target, size_t **first, size_t *blocks);

#endif
