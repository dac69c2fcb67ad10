/* tfidf.c - see tfidf.h. */

#include "dataset/tfidf.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Gives a matrix an array of values, where all are 1. */
static bool make_values(cau_csr *x)
{
    const size_t n = cau_csr_nonzeros(x);
    if (x->value) return true;
    x->value = cau_alloc(n, sizeof *x->value);
    for (size_t i = 0; x->value && i < n; i++) x->value[i] = 1;
    return x->value;
}

static void multiply(cau_csr *x, const float *idf)
{
    const size_t n = cau_csr_nonzeros(x);
    for (size_t i = 0; i < n; i++) x->value[i] *= idf[x->column[i]];
}

float *cau_tfidf_weigh(cau_dataset *train, cau_dataset *const *sets, size_t count)
{
    const size_t K = train->x.columns, n = cau_csr_nonzeros(&train->x);
    size_t *texts = cau_calloc(K, sizeof *texts);
    float *idf = cau_alloc(K, sizeof *idf);
    bool room = texts && idf;
    for (size_t i = 0; i < count && room; i++) room = make_values(&sets[i]->x);
    if (!room) {
        free(texts);
        free(idf);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) texts[train->x.column[i]]++;
    for (size_t k = 0; k < K; k++)
        idf[k] = (float)(log((1 + (double)train->N) / (1 + (double)texts[k])) + 1);
    for (size_t i = 0; i < count; i++) multiply(&sets[i]->x, idf);
    free(texts);
    return idf;
}
