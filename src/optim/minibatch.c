/* minibatch.c - see minibatch.h. The blocks of a run are, for each minibatch, the computations of
 * its examples, the updates of the parts, and the checks. They are handed out in that order, and
 * each waits for the blocks that it depends on. */

#include "optim/minibatch.h"

#include "base/clock.h"
#include "base/thread.h"
#include "optim/rows.h"

enum {
    DEFAULT_SIZE = 8,     /* examples */
    WORTH_SHARING = 2000, /* mean number of weights of an example */
    SAMPLE = 100,         /* examples that the mean is taken over */
    LEAST_PER_EPOCH = 64, /* minibatches */
    SERIAL_RUNS = 4,      /* after a run that waited too long */
};
#define MOST_WAITING 0.25 /* share of the time of a run */

typedef struct {
    cau_minibatch *b;
    atomic_size_t computed, updated, checked; /* blocks done */
    atomic_uint_least64_t waited;             /* nanoseconds, all threads together */
} minibatch_run;

size_t cau_minibatch_size(const cau_online_problem *p)
{
    const size_t step = p->examples / SAMPLE + 1;
    double weights = 0, count = 0;
    for (size_t i = 0; i < p->examples; i += step, count++) {
        cau_example e;
        p->example(p->self, i, &e);
        weights += (double)cau_rows_weights(p, &e);
    }
    const bool enough = p->examples >= LEAST_PER_EPOCH * DEFAULT_SIZE;
    return weights >= WORTH_SHARING * count && enough ? DEFAULT_SIZE : 1;
}

void cau_minibatch_init(cau_minibatch *b, const cau_online_problem *p)
{
    if (b->size == 0) b->size = cau_minibatch_size(p);
    b->threads = p->selves && b->size > 1 ? p->threads : 1;
}

size_t cau_minibatch_count(const cau_minibatch *b)
{
    return (b->count + b->size - 1) / b->size;
}

size_t cau_minibatch_examples(const cau_minibatch *b, size_t k)
{
    const size_t left = b->count - k * b->size;
    return left < b->size ? left : b->size;
}

/* A stable sort by decreasing number of scores. */
static void sort_examples(const size_t *first, size_t count, uint32_t *order)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t here = order[i];
        const size_t mine = first[here + (size_t)1] - first[here];
        size_t j = i;
        for (; j > 0 && first[order[j - 1] + (size_t)1] - first[order[j - 1]] < mine; j--)
            order[j] = order[j - 1];
        order[j] = here;
    }
}

void cau_minibatch_sort(const cau_minibatch *b, size_t count, const size_t *first, uint32_t *order)
{
    for (size_t at = 0; at < count; at += b->size)
        sort_examples(first, count - at < b->size ? count - at : b->size, order + at);
}

static void await(minibatch_run *x, const atomic_size_t *count, size_t enough)
{
    const double seconds = cau_await(count, enough);
    if (seconds > 0)
        atomic_fetch_add_explicit(&x->waited, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

static caucus_status run_minibatch_block(void *self, size_t block, unsigned worker)
{
    minibatch_run *x = self;
    const cau_minibatch *b = x->b;
    const size_t size = b->size, updates = b->parts + 1, all = 2 * size + updates;
    const size_t k = block / all, i = block % all;
    caucus_status st = CAUCUS_OK;
    atomic_size_t *done = &x->checked;
    if (i < size) {
        await(x, &x->updated, k * updates);
        await(x, &x->checked, k * size);
        if (i < cau_minibatch_examples(b, k)) st = b->compute(b->self, worker, k * size + i, i);
        done = &x->computed;
    } else if (i < size + updates) {
        const size_t part = i - size; /* the common weights first: they are not divided */
        await(x, &x->computed, (k + 1) * size);
        st = b->update(b->self, worker, k, part ? (unsigned)part - 1 : b->parts);
        done = &x->updated;
    } else if (b->checks && b->checks(b->self, k)) {
        await(x, &x->updated, (k + 1) * updates);
        if (i - size - updates < cau_minibatch_examples(b, k))
            st = b->check(b->self, worker, i - size - updates);
    }
    atomic_fetch_add_explicit(done, 1, memory_order_release);
    return st;
}

/* On a busy machine the threads wait for each other for long. The next runs are then serial. */
caucus_status cau_minibatch_run(cau_minibatch *b, size_t count)
{
    const double begin = cau_seconds();
    minibatch_run x = {.b = b};
    b->count = count;
    b->parts = b->serial ? 1 : b->threads;
    const size_t blocks = cau_minibatch_count(b) * (2 * b->size + b->parts + 1);
    caucus_status st = cau_parallel(b->parts, blocks, run_minibatch_block, &x);
    const double waited = 1e-9 * (double)atomic_load(&x.waited);
    if (b->serial)
        b->serial--;
    else if (waited > MOST_WAITING * (cau_seconds() - begin))
        b->serial = SERIAL_RUNS;
    return st;
}
