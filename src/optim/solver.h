/* solver.h - what every optimiser is to the code that runs it.
 *
 * An optimiser minimises F(w) and knows nothing about models: it sees a callback that gives
 * value and gradient (or expected counts, or single rows). One call of `step` is one
 * iteration. When to stop, what to report and when to write a checkpoint is decided outside,
 * once for all of them (stop.h, train/fit.c). */

#ifndef CAU_OPTIM_SOLVER_H
#define CAU_OPTIM_SOLVER_H

#include <stdbool.h>
#include <stddef.h>

#include "caucus.h"

/* F(w) and its gradient g [n]. CAUCUS_ERR_NUMERIC when F is not finite. */
typedef caucus_status cau_objective(void *self, const double *w, double *f, double *g);

/* Where a solver stands after an iteration. */
typedef struct {
    double f;       /* F at the current weights */
    double gnorm;   /* norm of the gradient (pseudo-gradient with l1); NaN if not known */
    double wnorm;   /* norm of the weights */
    size_t passes;  /* evaluations of the whole data so far */
    bool exhausted; /* no further progress is possible at this precision */
    bool estimate;  /* f is not F at these weights, but near it; see the solver */
} cau_iterate;

/* A piece of a solver's memory: all pieces together are its whole state, so that writing
 * them and reading them back later continues the run bit for bit. */
typedef struct {
    const char *name;
    void *data;
    size_t bytes;
} cau_blob;

enum { CAU_BLOBS_MAX = 16 };

typedef struct {
    const char *name;

    /* One iteration. *it is filled on success. On failure the state is that before the call
     * or later, but the weights are always finite. */
    caucus_status (*step)(void *solver, cau_iterate *it);

    /* The current weights [n], owned by the solver, stable until the next step. */
    const double *(*weights)(const void *solver);

    /* Fills blobs (at most CAU_BLOBS_MAX) and returns how many. The same pieces with the
     * same sizes for the same problem, before the first step as after the last. */
    size_t (*state)(void *solver, cau_blob *blobs);

    void (*free)(void *solver); /* NULL is fine */
} cau_solver_ops;

/* A solver at work: its functions and its object. */
typedef struct {
    const cau_solver_ops *ops;
    void *self;
} cau_solver;

#endif
