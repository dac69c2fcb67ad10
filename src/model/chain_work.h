/* chain_work.h - the working memory of chains and the sums made in it; for the files of chains
 * (chain.c, sums.c, nbest.c, crf.c, memm.c) and their tests. The maths is in sums.c. */

#ifndef CAU_MODEL_CHAIN_WORK_H
#define CAU_MODEL_CHAIN_WORK_H

#include "math/kernels.h"
#include "model/chain.h"

typedef struct cau_nbest cau_nbest; /* nbest.c */

/* How many sequences are summed side by side. */
enum { CAU_TOGETHER = 8 };

/* Arrays are grown, and then not cleared: what a function leaves in them is its own affair.
 * All arrays with rows of `stride` start at a multiple of 64 bytes. */
struct cau_chain_work {
    const cau_kernels *kernels;
    size_t Y, stride; /* stride: Y padded for the kernels */

    double *edge, *back; /* [Y][stride] edges of a position or of all, and their transpose */
    double *beta;        /* [CAU_TOGETHER][stride] */

    size_t T;                  /* positions that there is room for in the following */
    double *memory;            /* the block in which they lie */
    double *S, *alpha, *gamma; /* [T][stride] */
    double *z;                 /* [T] */
    double *p;                 /* [T][Y] */

    size_t own_T; /* the same for exponentials of edges that differ between positions */
    double *M;    /* [own_T][Y][stride] */

    size_t lattice_T;     /* the same for what ops->lattice makes */
    double *lattice_node; /* [lattice_T][Y] */
    double *lattice_edge; /* [lattice_T][Y][Y] */

    cau_nbest *nbest; /* NULL until it is asked for */
};

/* Make room for T positions; CAUCUS_ERR_MEMORY with everything as it was. */
caucus_status cau_chain_reserve(cau_chain_work *work, size_t T);
caucus_status cau_chain_reserve_own(cau_chain_work *work, size_t T);
caucus_status cau_chain_reserve_lattice(cau_chain_work *work, size_t T);

/* to [Y][stride] = from [Y][Y], or its transpose. */
void cau_chain_pad(const cau_chain_work *work, const double *from, double *to);
void cau_chain_transpose(const cau_chain_work *work, size_t from_stride, const double *from,
                         double *to);

/* What is known of the labels of a sequence: nothing, something, all. */
typedef enum { CAU_KNOWN_NOTHING, CAU_KNOWN_PARTLY, CAU_KNOWN_ALL } cau_known;

cau_known cau_chain_known(size_t T, const uint32_t *gold);

/* Where nothing is known there is nothing to learn: all residuals 0. */
void cau_chain_nothing(size_t Y, cau_chain_example *x);

/* The edges into position t > 0 of a lattice, [Y][Y]. */
static inline const double *cau_chain_edges(const cau_lattice *x, size_t t)
{
    return x->own ? x->edge + t * x->Y * x->Y : x->edge;
}

/* The best scores of all paths that end in a label, into work->alpha [T][stride]; there must be
 * room. The best label before y then has the largest alpha + edge. */
void cau_chain_forward_best(cau_chain_work *work, const cau_lattice *x);

void cau_nbest_free(cau_nbest *nbest);

/* ---- scaled sums (the fast ones), for T positions that there is room for ---------------- */

/* Scores further apart than this are left to log space. */
enum { CAU_CHAIN_SPREAD = 200 };

/* exp of the edges, shifted. */
typedef struct {
    const double *e;    /* [Y][stride]; or, with `own`, [T][Y][stride], from position 1 on */
    const double *back; /* [Y][stride] the transpose of e; not used with `own` */
    bool own;
    double shift; /* sum over the edges of a path of what was subtracted from their scores */
} cau_chain_matrices;

/* Sequences in one work, the longest first: sequence i has the positions first[i] up to
 * first[i + 1]. Where edges are plain they go step by step together, which is a product of
 * matrices and not one of a matrix and a vector. */
typedef struct {
    size_t n, first[CAU_TOGETHER + 1];
} cau_chain_group;

static inline cau_chain_group cau_chain_alone(size_t T)
{
    return (cau_chain_group){.n = 1, .first = {0, T}};
}

/* S of the T positions from `first` on from node scores; *shift is the sum of what was
 * subtracted. False, with nothing of use, where scores are too far apart or not finite. */
bool cau_chain_exp_nodes(cau_chain_work *work, size_t first, size_t T, const double *node,
                         double *shift);

/* The matrices of plain edges into work->edge and work->back; and those of positions that add
 * `own` [T][Y][Y] to `a` [Y][Y] (NULL: 0) into work->M, which must have room. False as above. */
bool cau_chain_exp_plain(cau_chain_work *work, size_t T, const double *edge,
                         cau_chain_matrices *out);
bool cau_chain_exp_own(cau_chain_work *work, size_t T, const double *a, const double *own,
                       cau_chain_matrices *out);

/* Fills alpha and z from S, and logz [n], up to the shifts. Matrices of positions are for a
 * sequence alone. */
void cau_chain_forward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                       double *logz);

/* Then fills gamma (0 at the first position of a sequence) and the p [T][Y] = c p(y_t|x) of each
 * sequence, with its c. */
void cau_chain_backward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                        const double *c, double *const *p);

/* Then adds c p(y_{t-1}, y_t|x): for each position of a sequence alone to own [T][Y][Y], or, for
 * plain edges, the sum over all T positions in the work to counts [Y][Y]. */
void cau_chain_add_own(cau_chain_work *work, size_t T, const cau_chain_matrices *m, double *own);
void cau_chain_add_counts(cau_chain_work *work, size_t T, const cau_chain_matrices *m,
                          double *counts);

/* ---- sums in log space (slow, for scores of any size) ----------------------------------- */

/* log Z into *logz, and c times the expectations added to p [T][Y], own [T][Y][Y] and counts
 * [Y][Y], any of which may be NULL. Uses all of the work but p and the lattice. */
caucus_status cau_chain_sum_log(cau_chain_work *work, const cau_lattice *x, double c, double *logz,
                                double *p, double *own, double *counts);

#endif
