/* merged_columns.c - merges equal columns of a dataset.
 *
 * Observations that occur in exactly the same rows with the same values (a rare word and all
 * its rare character n-grams) always get the same gradient, so with a penalty that treats
 * them alike they have the same weight at the optimum. m such weights w are one variable
 *     u = m w         scores:  m w x = u x
 *                     l2:      m w^2 = u^2 / m
 *                     l1:      m |w| = |u|
 * and the problem over the u is the same problem with fewer columns, exactly. With character
 * n-grams as features more than half of the columns can go.
 *
 * The columns are the rows of the transpose. Equal ones are found by hashing and then compared
 * entry by entry, so the result is exact. The first of several equal columns is kept, with its
 * entries in each row. */

#include "dataset/merged_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "comm/comm.h"

static uint64_t column_hash(const cau_csr *xt, size_t k)
{
    size_t at = xt->start[k], n = xt->start[k + 1] - at;
    uint64_t hash = cau_hash(xt->column + at, n * sizeof *xt->column, n);
    return xt->value ? cau_hash(xt->value + at, n * sizeof *xt->value, hash) : hash;
}

static bool columns_equal(const cau_csr *xt, size_t a, size_t b)
{
    size_t i = xt->start[a], j = xt->start[b], n = xt->start[a + 1] - i;
    if (xt->start[b + 1] - j != n) return false;
    if (memcmp(xt->column + i, xt->column + j, n * sizeof *xt->column) != 0) return false;
    return !xt->value || memcmp(xt->value + i, xt->value + j, n * sizeof *xt->value) == 0;
}

/* The same for columns of which each process has some rows: columns with the same sum of hashes get
 * the same number. *equal tells whether they are equal in all processes, which is as good as
 * certain. */
static caucus_status number_parts(cau_comm *comm, const cau_csr *xt, uint32_t *column,
                                  size_t *distinct, bool *equal)
{
    caucus_status st = CAUCUS_OK;
    const size_t K = xt->rows, rank = cau_comm_rank(comm);
    cau_key_set hashes = {0};
    uint32_t *first = cau_alloc(K, sizeof *first);
    uint64_t *hash = cau_alloc(K, sizeof *hash), differ = 0;
    if (!first || !hash || !cau_key_set_reserve(&hashes, K)) TRY(CAUCUS_ERR_MEMORY);
    for (size_t k = 0; k < K; k++) {
        const uint64_t own = column_hash(xt, k);
        hash[k] = cau_hash(&own, sizeof own, rank + 1);
    }
    TRY(cau_comm_count(comm, K, hash));
    for (uint32_t k = 0; k < K; k++) {
        const size_t known = hashes.count;
        column[k] = (uint32_t)cau_key_set_add(&hashes, hash[k]);
        if (column[k] == known)
            first[known] = k;
        else
            differ |= !columns_equal(xt, first[column[k]], k);
    }
    TRY(cau_comm_union(comm, 1, &differ));
    *equal = !differ;
    *distinct = hashes.count;
done:
    cau_key_set_clear(&hashes);
    free(first);
    free(hash);
    return st;
}

/* Numbers the distinct columns: column[k] for each of K, and how many there are. Columns are found
 * by their hash; different ones with the same hash get other keys in turn. */
static caucus_status number_columns(const cau_csr *xt, uint32_t *column, size_t *distinct)
{
    const size_t K = xt->rows;
    cau_key_set hashes = {0};
    uint32_t *first = cau_alloc(K, sizeof *first); /* [distinct] the first of equal columns */
    caucus_status st = first && cau_key_set_reserve(&hashes, K) ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
    for (uint32_t k = 0; !st && k < K; k++) {
        uint64_t hash = column_hash(xt, k);
        for (;; hash++) {
            const size_t known = hashes.count;
            column[k] = (uint32_t)cau_key_set_add(&hashes, hash);
            if (column[k] == known) first[known] = k;
            if (column[k] == known || columns_equal(xt, first[column[k]], k)) break;
        }
    }
    *distinct = hashes.count;
    cau_key_set_clear(&hashes);
    free(first);
    return st;
}

/* The rows of x with the entries of the columns that are kept. */
static caucus_status keep_first(const cau_csr *x, const uint32_t *column, const uint8_t *first,
                                size_t distinct, size_t entries, cau_csr *out)
{
    cau_csr y = {.rows = x->rows,
                 .columns = distinct,
                 .start = cau_alloc(x->rows + 1, sizeof *y.start),
                 .column = cau_alloc(entries, sizeof *y.column),
                 .value = x->value ? cau_alloc(entries, sizeof *y.value) : NULL};
    if (!y.start || !y.column || (x->value && !y.value)) {
        cau_csr_clear(&y);
        return CAUCUS_ERR_MEMORY;
    }
    size_t to = 0;
    for (size_t i = 0; i < x->rows; i++) {
        y.start[i] = to;
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            if (!first[x->column[e]]) continue;
            y.column[to] = column[x->column[e]];
            if (y.value) y.value[to] = x->value[e];
            to++;
        }
    }
    y.start[x->rows] = to;
    *out = y;
    return CAUCUS_OK;
}

caucus_status cau_merge(caucus_ctx *ctx, const cau_dataset *set, cau_merged *out, bool *worth)
{
    caucus_status st = CAUCUS_OK;
    size_t K = set->K, distinct = 0, entries = 0;
    cau_merged m = {.set = *set};
    uint8_t *first = NULL;
    m.set.x = m.set.xt = (cau_csr){0};

    bool equal = true;
    m.column = cau_alloc(K, sizeof *m.column);
    if (!m.column) TRY(cau_fail_memory(ctx, "merging features"));
    st = set->all_N ? number_parts(ctx->comm, &set->xt, m.column, &distinct, &equal)
                    : number_columns(&set->xt, m.column, &distinct);
    if (st) TRY(cau_fail_memory(ctx, "merging features"));
    *worth = equal && distinct <= K - K / 10 && distinct < K;
    if (!*worth) goto done;

    m.set.K = distinct;
    m.count = cau_calloc(distinct, sizeof *m.count);
    first = cau_calloc(K, 1);
    if (!m.count || !first) TRY(cau_fail_memory(ctx, "merging features"));
    for (size_t k = 0; k < K; k++) {
        if (m.count[m.column[k]]++ == 0) {
            first[k] = 1;
            entries += set->xt.start[k + 1] - set->xt.start[k];
        }
    }
    if (keep_first(&set->x, m.column, first, distinct, entries, &m.set.x) ||
        cau_csr_transpose(cau_threads(ctx), &m.set.x, &m.set.xt))
        TRY(cau_fail_memory(ctx, "merging features"));
    *out = m;
    m = (cau_merged){0};
done:
    free(first);
    cau_merged_clear(&m);
    return st;
}

void cau_merged_clear(cau_merged *m)
{
    cau_csr_clear(&m->set.x);
    cau_csr_clear(&m->set.xt);
    free(m->column);
    free(m->count);
    *m = (cau_merged){0};
}
