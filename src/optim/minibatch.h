/* minibatch.h - examples that are visited side by side.
 *
 * All examples of a round look at the same weights, and then all of them move these: each part of
 * the rows by one thread, in the order of the examples. So the result has the same bits at any
 * number of threads. That the examples of a round do not see each other's steps makes little
 * difference while they are few. */

#ifndef CAU_OPTIM_MINIBATCH_H
#define CAU_OPTIM_MINIBATCH_H

#include "optim/online.h"

typedef struct cau_minibatch cau_minibatch;
struct cau_minibatch {
    size_t round;     /* examples in one */
    unsigned threads; /* that may take part */
    void *self;

    /* The example at place `at` of the run, in place `slot` of its round; reads weights. */
    caucus_status (*look)(void *self, unsigned worker, size_t at, size_t slot);

    /* What round k does to one part of the rows; and, for part r->parts, to the common weights. */
    caucus_status (*move)(void *self, unsigned worker, size_t k, unsigned part);

    /* A second look at the examples of the rounds that want it, once they have moved. May be
     * NULL. */
    bool (*wants)(const void *self, size_t k);
    caucus_status (*check)(void *self, unsigned worker, size_t slot);

    /* of the run */
    size_t count;   /* examples */
    unsigned parts; /* threads that take part, and parts of the rows */
    unsigned alone; /* runs that one thread will do by itself */
};

/* How many examples make a round: several where they are work enough to be shared, else 1. */
size_t cau_minibatch_size(const cau_online_problem *problem);

/* Chooses the threads for a problem, and the size of a round if that is 0. */
void cau_minibatch_init(cau_minibatch *r, const cau_online_problem *problem);

/* The rounds of `count` examples. */
size_t cau_minibatch_count(const cau_minibatch *r);

/* The examples of round k: all but the last have r->round. */
size_t cau_minibatch_visits(const cau_minibatch *r, size_t k);

/* Of `count` examples in order, puts those with the most scores to the front of their round, so
 * that threads end together; first is that of cau_rows_first. */
void cau_minibatch_sort(const cau_minibatch *r, size_t count, const size_t *first, uint32_t *order);

/* Runs the rounds of `count` examples. All are run, whatever fails; the answer is the first
 * failure. */
caucus_status cau_minibatch_run(cau_minibatch *r, size_t count);

/* Whether a row belongs to a part; neighbouring rows often belong to the same. */
static inline bool cau_minibatch_own(const cau_minibatch *r, uint32_t row, unsigned part)
{
    const uint32_t mixed = row / 64 * UINT32_C(2654435761);
    return (uint64_t)mixed * r->parts >> 32 == part;
}

#endif
