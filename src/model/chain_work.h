/* chain_work.h - the scratch memory of chains, and forward-backward in it. For the files of chains
 * (chain.c, forward_backward.c, nbest.c, crf.c, memm.c) and their tests. */

#ifndef CAU_MODEL_CHAIN_WORK_H
#define CAU_MODEL_CHAIN_WORK_H

#include "math/kernels.h"
#include "model/chain.h"

typedef struct cau_nbest cau_nbest; /* nbest.c */

/* The most sequences that go through forward-backward together. */
enum { CAU_TOGETHER = 8 };

/* Arrays grow and are not cleared; functions must not expect contents from earlier calls. Arrays
 * with rows of `stride` start at a multiple of 64 bytes. */
struct cau_chain_work {
    const cau_kernels *kernels;
    size_t Y, stride; /* stride: Y padded for the kernels */

    double *edge, *back; /* [Y][stride] edges of one position or of all, and their transpose */
    double *beta;        /* [CAU_TOGETHER][stride] */

    size_t T;                  /* capacity in positions of the following arrays */
    double *memory;            /* the block that holds them */
    double *S, *alpha, *gamma; /* [T][stride] */
    double *z;                 /* [T] */
    double *p;                 /* [T][Y] */

    size_t own_T; /* capacity for exponentials of edges that differ between positions */
    double *M;    /* [own_T][Y][stride] */

    size_t lattice_T;     /* capacity for the lattices of ops->lattice */
    double *lattice_node; /* [lattice_T][Y] */
    double *lattice_edge; /* [lattice_T][Y][Y] */

    cau_nbest *nbest; /* NULL until the first use */
};

/* Make room for T positions. On CAUCUS_ERR_MEMORY nothing changes. */
caucus_status cau_chain_reserve(cau_chain_work *work, size_t T);
caucus_status cau_chain_reserve_own(cau_chain_work *work, size_t T);
caucus_status cau_chain_reserve_lattice(cau_chain_work *work, size_t T);

/* to [Y][stride] = from [Y][Y], or its transpose. */
void cau_chain_pad(const cau_chain_work *work, const double *from, double *to);
void cau_chain_transpose(const cau_chain_work *work, size_t from_stride, const double *from,
                         double *to);

/* How much is known of the labels of a sequence. */
typedef enum { CAU_KNOWN_NOTHING, CAU_KNOWN_PARTLY, CAU_KNOWN_ALL } cau_label_knowledge;

cau_label_knowledge cau_chain_known(size_t T, const uint32_t *gold);

/* A sequence without any known label: all residuals are 0. */
void cau_chain_nothing(size_t Y, cau_chain_example *x);

/* The edges into position t > 0 of a lattice, [Y][Y]. */
static inline const double *cau_chain_edges(const cau_lattice *x, size_t t)
{
    return x->per_position ? x->edge + t * x->Y * x->Y : x->edge;
}

/* Viterbi's forward pass: work->alpha [T][stride] = the best score of all paths that end in a
 * label. There must be room. */
void cau_chain_forward_best(cau_chain_work *work, const cau_lattice *x);

void cau_nbest_free(cau_nbest *nbest);

/* ---- scaled forward-backward (fast); there must be room for T positions ------------------ */

/* Scores further apart than this need log space. */
enum { CAU_CHAIN_SPREAD = 200 };

/* exp of the edges, shifted. */
typedef struct {
    const double *e; /* [Y][stride]; or, with `per_position`, [T][Y][stride], from position 1 on */
    const double *back; /* [Y][stride] the transpose of e; not used with `per_position` */
    bool per_position;
    double shift; /* the sum subtracted from the scores of the edges of a path */
} cau_chain_matrices;

/* Sequences in one work, the longest first: sequence i has the positions first[i] up to
 * first[i + 1]. With the same edges at all positions they go step by step together, which replaces
 * matrix-vector products by matrix-matrix products. */
typedef struct {
    size_t n, first[CAU_TOGETHER + 1];
} cau_chain_group;

static inline cau_chain_group cau_chain_alone(size_t T)
{
    return (cau_chain_group){.n = 1, .first = {0, T}};
}

/* Computes S of the T positions from `first` on from node scores; *shift is the sum of the
 * subtracted maxima. False if scores are too far apart or not finite. */
bool cau_chain_exp_nodes(cau_chain_work *work, size_t first, size_t T, const double *node,
                         double *shift);

/* Computes the matrices of edges that are the same at all positions, in work->edge and work->back;
 * or of edges a + own, `per_position` [T][Y][Y] and `a` [Y][Y] (NULL: 0), in work->M, which must
 * have room. False as above. */
bool cau_chain_exp_plain(cau_chain_work *work, size_t T, const double *edge,
                         cau_chain_matrices *out);
bool cau_chain_exp_own(cau_chain_work *work, size_t T, const double *a, const double *own,
                       cau_chain_matrices *out);

/* Fills alpha and z from S, and logz [n] without the shifts. With `per_position` matrices the group
 * must be a single sequence. */
void cau_chain_forward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                       double *logz);

/* After that, fills gamma (0 at the first position of a sequence) and p [T][Y] = c p(y_t|x) of each
 * sequence, with its c. */
void cau_chain_backward(cau_chain_work *work, const cau_chain_group *g, const cau_chain_matrices *m,
                        const double *c, double *const *p);

/* After that, add c p(y_{t-1}, y_t|x): for each position of a single sequence to own [T][Y][Y], or
 * the sum over all T positions in the work to counts [Y][Y]. */
void cau_chain_add_own(cau_chain_work *work, size_t T, const cau_chain_matrices *m, double *own);
void cau_chain_add_counts(cau_chain_work *work, size_t T, const cau_chain_matrices *m,
                          double *counts);

/* ---- forward-backward in log space (slow, for scores of any size) ------------------------ */

/* Sets *logz, and adds c times the expectations to p [T][Y], own [T][Y][Y] and counts [Y][Y], any
 * of which may be NULL. Uses all scratch memory except p and the lattice. */
caucus_status cau_chain_sum_log(cau_chain_work *work, const cau_lattice *x, double c, double *logz,
                                double *p, double *own, double *counts);

#endif
