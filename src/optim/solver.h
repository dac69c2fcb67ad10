/* solver.h - the interface of all optimisers.
 *
 * An optimiser minimises F(w) and does not depend on models: it sees a callback that computes value
 * and gradient (or expected counts, or single rows). One call of `step` is one iteration. The
 * training loop decides when to stop, what to report and when to write a checkpoint, in one place
 * for all solvers (stop.h, train/fit.c). */

#ifndef CAU_OPTIM_SOLVER_H
#define CAU_OPTIM_SOLVER_H

#include <stdbool.h>
#include <stddef.h>

#include "caucus.h"

/* F(w) and its gradient g [n]. CAUCUS_ERR_NUMERIC when F is not finite. */
typedef caucus_status cau_objective(void *self, const double *w, double *f, double *g);

/* The state of the optimisation after an iteration. */
typedef struct {
    double f;       /* F at the current weights */
    double gnorm;   /* norm of the gradient (pseudo-gradient with l1); NaN if unknown */
    double wnorm;   /* norm of the weights */
    size_t passes;  /* passes over the data so far */
    bool exhausted; /* no further progress is possible at this precision */
    bool estimate;  /* f is an estimate of F at these weights; see the solver */
} cau_iterate;

/* A block of a solver's memory. All blocks together are its whole state: writing them and reading
 * them back later continues the run bit for bit. */
typedef struct {
    const char *name;
    void *data;
    size_t bytes;
    size_t rows, n, stride; /* vectors of which each process has a part: `rows` parts of n doubles,
                               `stride` apart, a multiple of CAU_BLOB_LINE; rows = 0: all is here */
} cau_blob;
enum { CAU_BLOB_LINE = 8 };

static inline cau_blob cau_blob_of(const char *name, void *data, size_t bytes)
{
    return (cau_blob){.name = name, .data = data, .bytes = bytes};
}

enum { CAU_BLOBS_MAX = 16 };

typedef struct {
    const char *name;

    /* Runs one iteration and fills *it. After a failure the state may have advanced, but the
     * weights are always finite. */
    caucus_status (*step)(void *solver, cau_iterate *it);

    /* The current weights [n], owned by the solver, stable until the next step. */
    const double *(*weights)(const void *solver);

    /* Fills blobs (at most CAU_BLOBS_MAX) and returns their number. For one problem the blocks and
     * their sizes never change. */
    size_t (*state)(void *solver, cau_blob *blobs);

    void (*free)(void *solver); /* NULL is fine */
} cau_solver_ops;

/* A solver: its functions and its object. */
typedef struct {
    const cau_solver_ops *ops;
    void *self;
} cau_solver;

#endif
