/* chain.h - linear chains, shared by CRF and MEMM: the labels of a sequence as paths through a
 * lattice.
 *
 *     score(y) = sum_t node_t(y_t) + sum_{t>0} edge_t(y_{t-1}, y_t)
 *
 * Scores are logarithms; -INFINITY is impossible. All functions use the scratch memory of a
 * cau_chain_work, which belongs to one thread; threads may share lattices. */

#ifndef CAU_MODEL_CHAIN_H
#define CAU_MODEL_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"
#include "dataset/dataset.h"

/* Borrowed arrays. */
typedef struct {
    size_t T, Y;
    const double *node; /* [T][Y] */
    const double *edge; /* [Y][Y] from row to column, the same at all positions; or, with
                           `per_position`, [T][Y][Y], of which position 0 is ignored */
    bool per_position;
} cau_lattice;

/* Scratch memory of one thread; grows to the longest sequence. */
typedef struct cau_chain_work cau_chain_work;

caucus_status cau_chain_work_new(caucus_ctx *ctx, size_t Y, cau_chain_work **out);
void cau_chain_work_free(cau_chain_work *work); /* NULL is fine */

/* The following functions return CAUCUS_ERR_MEMORY when the scratch memory cannot grow, and
 * CAUCUS_ERR_NUMERIC when every path is impossible. T is at least 1. */

/* The best path [T] and its score. Ties are broken by the lowest last label, then by the lowest
 * label before it, and so on. path or score may be NULL. */
caucus_status cau_chain_best(cau_chain_work *work, const cau_lattice *x, uint32_t *path,
                             double *score);

/* The exact n best paths, the best first, ties as in cau_chain_best: paths [n][T], scores [n].
 * *count is n, or less if there are fewer possible paths. */
caucus_status cau_chain_nbest(cau_chain_work *work, const cau_lattice *x, size_t n, uint32_t *paths,
                              double *scores, size_t *count);

/* log Z = log sum over all paths of exp score, for scores of any size; node [T][Y] = p(y_t | x);
 * edge [T][Y][Y] = p(y_{t-1}, y_t | x), zero for t = 0. Either may be NULL; neither may be an array
 * of the lattice. */
caucus_status cau_chain_sum(cau_chain_work *work, const cau_lattice *x, double *logz, double *node,
                            double *edge);

/* Log of the sum over the paths with the labels path[begin .. end-1] at these positions. */
caucus_status cau_chain_within(cau_chain_work *work, const cau_lattice *x, const uint32_t *path,
                               size_t begin, size_t end, double *logz);

/* The score of one path. */
double cau_chain_score(const cau_lattice *x, const uint32_t *path);

/* Sets row[y] to `rest` for every y that gold does not allow. */
void cau_chain_allow(size_t Y, uint32_t gold, const cau_label_sets *sets, double rest, double *row);

/* ---- training --------------------------------------------------------------------------- */

/* The transitions between labels, and their exponentials, which are computed once for each change
 * of the weights. Embed it zeroed, clear it at the end. */
typedef struct {
    size_t Y;
    bool set;      /* the exponentials are those of a */
    double *a;     /* [Y][Y] scores from row to column */
    double top;    /* the largest of them */
    bool moderate; /* they are finite and close enough that no exp(a - top) underflows */
    size_t stride; /* Y padded for the kernels */
    double *e;     /* [Y][stride] exp(a - top) */
    double *back;  /* [Y][stride] the transpose of e */
} cau_transitions;

caucus_status cau_transitions_init(caucus_ctx *ctx, cau_transitions *t, size_t Y);
void cau_transitions_clear(cau_transitions *t);
void cau_transitions_set(cau_transitions *t, const double *a); /* [Y][Y]; NULL: all 0 */

/* One sequence in a training pass. */
typedef struct {
    size_t T;
    double *s;            /* [T][Y] in: scores. out: c (p(y_t|x) - [y_t is gold]), or c p(y_t|x) */
    double *edge_scores;  /* [T][Y][Y] the same for scores of observations on the edges into t; or
                             NULL */
    const uint32_t *gold; /* [T] */
    const cau_label_sets *sets; /* of gold; may be NULL if gold has no sets */
    double weight;              /* c */
    bool expected_only;         /* leave out the gold part */
    double *counts;             /* [Y][Y] the same for the transitions: added to, never cleared */
} cau_chain_example;

/* A kind of sequence model, as used by infer/ and train/. */
typedef struct {
    const char *name;

    /* Loss -c log p(labels | x) of n sequences, with the sum over the labellings that partial
     * labels allow, and the residuals in place. The longest sequence comes first, and all have the
     * same counts, so that several may be processed together. CAUCUS_ERR_NUMERIC when the loss is
     * not finite. */
    caucus_status (*residuals)(cau_chain_work *work, const cau_transitions *a, size_t n,
                               cau_chain_example *example, double *loss);

    /* The lattice whose paths have the scores of the model: log p up to a constant (CRF), or log p
     * itself (MEMM). *out borrows s and own, which are read only, and memory of `work`. It is valid
     * until the next call of this function with the same work; the functions above keep it. */
    caucus_status (*lattice)(cau_chain_work *work, const cau_transitions *a, size_t T,
                             const double *s, const double *own, cau_lattice *out);
} cau_chain_ops;

extern const cau_chain_ops cau_crf_ops, cau_memm_ops;

/* ---- maxent.c: a classifier, which labels each instance by itself ---------------------------- */

/* The loss of n instances and its residuals, in place and without memory of its own.
 *   s       [n][Y]  in: scores. out: c_i (p(y|x_i) - [y = gold_i]), or, with expected_only,
 *                   c_i p(y|x_i)
 *   gold    [n]
 *   weight  [n]     c_i, or NULL: all 1
 *   logz    [n]     scratch
 *   loss            out: sum_i -c_i log p(gold_i|x_i)
 * CAUCUS_ERR_NUMERIC when the loss is not finite. Threads may share only gold and weight. */
caucus_status cau_maxent_residuals(size_t n, size_t Y, double *s, const uint32_t *gold,
                                   const float *weight, bool expected_only, double *logz,
                                   double *loss);

#endif
