/* minibatch.h - minibatches on several threads.
 *
 * All examples of a minibatch read the same weights, one thread per example. Then all of them
 * update the weights: the rows of weights are divided into parts, and one thread applies the
 * updates of all examples to one part, in the order of the examples. The result has the same bits
 * at any number of threads. Minibatches are small, so it matters little that their examples do not
 * see each other's updates. */

#ifndef CAU_OPTIM_MINIBATCH_H
#define CAU_OPTIM_MINIBATCH_H

#include "optim/online.h"

typedef struct cau_minibatch cau_minibatch;
struct cau_minibatch {
    size_t size;      /* examples of a minibatch */
    unsigned threads; /* the most that may take part */
    void *self;

    /* Reads the weights for the example at position `at` of the run, which is number `slot` of its
     * minibatch. */
    caucus_status (*compute)(void *self, unsigned worker, size_t at, size_t slot);

    /* Applies the updates of minibatch k to one part of the rows, or, for part b->parts, to the
     * common weights. */
    caucus_status (*update)(void *self, unsigned worker, size_t k, unsigned part);

    /* Reads the weights again after the update, for the examples of those minibatches for which
     * `checks` is true. Both may be NULL. */
    bool (*checks)(const void *self, size_t k);
    caucus_status (*check)(void *self, unsigned worker, size_t slot);

    /* the current run */
    size_t count;    /* examples */
    unsigned parts;  /* number of threads, and of parts of the rows */
    unsigned serial; /* the number of following runs that use one thread */
};

/* The default size of a minibatch: 1, or more if examples are large enough to be worth sharing
 * between threads. */
size_t cau_minibatch_size(const cau_online_problem *problem);

/* Sets the number of threads for a problem, and the size of a minibatch if that is 0. */
void cau_minibatch_init(cau_minibatch *b, const cau_online_problem *problem);

/* The number of minibatches of the current run. */
size_t cau_minibatch_count(const cau_minibatch *b);

/* The number of examples of minibatch k: b->size for all but the last. */
size_t cau_minibatch_examples(const cau_minibatch *b, size_t k);

/* Sorts the examples within each minibatch by decreasing number of scores, so that threads finish
 * together. order [count]; first is that of cau_rows_first. */
void cau_minibatch_sort(const cau_minibatch *b, size_t count, const size_t *first, uint32_t *order);

/* Runs the minibatches of `count` examples. All of them run, even after a failure; returns the
 * first failure. */
caucus_status cau_minibatch_run(cau_minibatch *b, size_t count);

/* Whether a row belongs to a part. Rows that are close in number often share a part. */
static inline bool cau_minibatch_owns(const cau_minibatch *b, uint32_t row, unsigned part)
{
    const uint32_t mixed = row / 64 * UINT32_C(2654435761);
    return (uint64_t)mixed * b->parts >> 32 == part;
}

#endif
