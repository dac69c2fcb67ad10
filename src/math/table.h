/* table.h - the layout of a table of weights.
 *
 * A table has a row for each observation and a cell for each label, or for each of the Y*Y pairs of
 * labels if the observation is on edges. Either every row has a weight for every cell, or each row
 * lists its cells (those seen together in the data). The weights themselves are in a separate
 * vector, row after row. */

#ifndef CAU_MATH_TABLE_H
#define CAU_MATH_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Plain data; the arrays are borrowed. */
typedef struct {
    size_t rows, width;
    size_t *start;  /* [rows + 1] first weight of each row; NULL: all rows have all cells */
    uint32_t *cell; /* [start[rows]] cell of each weight, ascending in a row; NULL with start */
} cau_table;

/* Row k has the weights cau_table_at(t, k) .. cau_table_at(t, k + 1) - 1. */
static inline size_t cau_table_at(const cau_table *t, size_t k)
{
    return t->start ? t->start[k] : k * t->width;
}

static inline size_t cau_table_size(const cau_table *t)
{
    return cau_table_at(t, t->rows);
}

#endif
