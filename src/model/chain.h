/* chain.h - what CRF and MEMM share: the labels of a sequence as paths through a lattice.
 *
 *     score(y) = sum_t node_t(y_t) + sum_{t>0} edge_t(y_{t-1}, y_t)
 *
 * Scores are logarithms, and -INFINITY is impossible. All functions work in the memory of a
 * cau_chain_work, which belongs to one thread; lattices may be shared. */

#ifndef CAU_MODEL_CHAIN_H
#define CAU_MODEL_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"
#include "dataset/gold.h"

/* Borrowed arrays. */
typedef struct {
    size_t T, Y;
    const double *node; /* [T][Y] */
    const double *edge; /* [Y][Y] from row to column, the same at all positions; or, with `own`,
                           [T][Y][Y], of which that of position 0 is not looked at */
    bool own;
} cau_lattice;

/* Working memory of one thread, grown to the longest sequence met. */
typedef struct cau_chain_work cau_chain_work;

caucus_status cau_chain_work_new(caucus_ctx *ctx, size_t Y, cau_chain_work **out);
void cau_chain_work_free(cau_chain_work *work); /* NULL is fine */

/* All of the following return CAUCUS_ERR_MEMORY when the work cannot grow, and, where every
 * path is impossible, CAUCUS_ERR_NUMERIC. T is at least 1. */

/* The best path [T] and its score. Among equals, the last label is the lowest one, then the
 * one before it, and so on back: so runs agree. path or score may be NULL. */
caucus_status cau_chain_best(cau_chain_work *work, const cau_lattice *x, uint32_t *path,
                             double *score);

/* The n best paths, the best first, ties in the order of cau_chain_best continued: paths
 * [n][T], scores [n]; *count is n, or fewer where there are fewer possible paths. Exact. */
caucus_status cau_chain_nbest(cau_chain_work *work, const cau_lattice *x, size_t n, uint32_t *paths,
                              double *scores, size_t *count);

/* log Z = log sum over all paths of exp score, for scores of any size. With `node`, p(y_t | x)
 * [T][Y]; with `edge`, p(y_{t-1}, y_t | x) [T][Y][Y], zero for t = 0. Either may be NULL; neither
 * may be an array of the lattice. */
caucus_status cau_chain_sum(cau_chain_work *work, const cau_lattice *x, double *logz, double *node,
                            double *edge);

/* log of the sum over the paths that have the labels path[begin .. end-1] there. */
caucus_status cau_chain_within(cau_chain_work *work, const cau_lattice *x, const uint32_t *path,
                               size_t begin, size_t end, double *logz);

/* Score of one path. */
double cau_chain_score(const cau_lattice *x, const uint32_t *path);

/* Sets row[y] to `rest` for all y that gold does not allow. */
void cau_chain_allow(size_t Y, uint32_t gold, const cau_label_sets *sets, double rest, double *row);

/* ---- training --------------------------------------------------------------------------- */

/* The plain transitions, the same everywhere, made ready once for each change of the weights.
 * Embed it zeroed, clear it at the end. */
typedef struct {
    size_t Y;
    bool set;      /* ready for a */
    double *a;     /* [Y][Y] scores from row to column */
    double top;    /* the largest of them */
    bool moderate; /* they are finite and near each other, so that no exp(a - top) is lost */
    size_t stride; /* Y padded for the kernels */
    double *e;     /* [Y][stride] exp(a - top) */
    double *back;  /* [Y][stride] the transpose of e */
} cau_transitions;

caucus_status cau_transitions_init(caucus_ctx *ctx, cau_transitions *t, size_t Y);
void cau_transitions_clear(cau_transitions *t);
void cau_transitions_set(cau_transitions *t, const double *a); /* [Y][Y]; NULL: all 0 */

/* One sequence as a training pass sees it. */
typedef struct {
    size_t T;
    double *s;   /* [T][Y] in: scores. out: c (p(y_t|x) - [y_t is gold]), or c p(y_t|x) */
    double *own; /* [T][Y][Y] the same for what observations add to the edges into t; or NULL */
    const uint32_t *gold;       /* [T] */
    const cau_label_sets *sets; /* of gold; may be NULL where there are none */
    double weight;              /* c */
    bool expected_only;         /* leave the gold part out */
    double *counts; /* [Y][Y] the same for the plain transitions: added to, never cleared */
} cau_chain_example;

/* A kind of sequence model as exec/ and train/ see it. */
typedef struct {
    const char *name;

    /* Loss -c log p(labels | x) of n sequences, summed over what partial labels leave open, and
     * the residuals in place. The longest sequence comes first, and they have the same counts: some
     * may be worked on together. CAUCUS_ERR_NUMERIC when the loss is not finite. */
    caucus_status (*residuals)(cau_chain_work *work, const cau_transitions *a, size_t n,
                               cau_chain_example *example, double *loss);

    /* The lattice whose paths have the model's scores: log p up to a constant (CRF), or log p
     * itself (MEMM). s and own as above, read only, and borrowed by *out together with memory
     * of `work`: valid until the work is used for another lattice of this function; the
     * functions above leave it alone. */
    caucus_status (*lattice)(cau_chain_work *work, const cau_transitions *a, size_t T,
                             const double *s, const double *own, cau_lattice *out);
} cau_chain_ops;

extern const cau_chain_ops cau_crf_ops, cau_memm_ops;

#endif
