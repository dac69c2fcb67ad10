/* minibatch.c - see rounds.h. The blocks of a run are, round after round, the looks of its
 * examples, the moves of the parts, and the second looks; they are handed out in that order, and
 * each waits for what it needs. */

#include "optim/minibatch.h"

#include "base/clock.h"
#include "base/thread.h"
#include "optim/rows.h"

enum {
    ROUND = 8,    /* examples that are visited side by side */
    WORTH = 2000, /* weights that an example touches, on average, for that to pay */
    SAMPLE = 100, /* examples that this is judged by */
    FEW = 64,     /* rounds in an epoch, at least */
    ALONE = 4,    /* runs without the other threads, when they were waited for too long */
};
#define LOST 0.25 /* share of a run that may go into waiting */

typedef struct {
    cau_minibatch *r;
    atomic_size_t looked, moved, checked;
    atomic_uint_least64_t lost; /* nanoseconds in which threads waited for each other */
} run;

size_t cau_minibatch_size(const cau_online_problem *p)
{
    const size_t step = p->examples / SAMPLE + 1;
    double weights = 0, count = 0;
    for (size_t i = 0; i < p->examples; i += step, count++) {
        cau_example e;
        p->example(p->self, i, &e);
        weights += (double)cau_rows_weights(p, &e);
    }
    return weights >= WORTH * count && p->examples >= FEW * ROUND ? ROUND : 1;
}

void cau_minibatch_init(cau_minibatch *r, const cau_online_problem *p)
{
    if (r->round == 0) r->round = cau_minibatch_size(p);
    r->threads = p->selves && r->round > 1 ? p->threads : 1;
}

size_t cau_minibatch_count(const cau_minibatch *r)
{
    return (r->count + r->round - 1) / r->round;
}

size_t cau_minibatch_visits(const cau_minibatch *r, size_t k)
{
    const size_t left = r->count - k * r->round;
    return left < r->round ? left : r->round;
}

/* Longer ones come first; equal ones stay as they stand. */
static void sort_round(const size_t *first, size_t visits, uint32_t *order)
{
    for (size_t i = 1; i < visits; i++) {
        const uint32_t here = order[i];
        const size_t mine = first[here + (size_t)1] - first[here];
        size_t j = i;
        for (; j > 0 && first[order[j - 1] + (size_t)1] - first[order[j - 1]] < mine; j--)
            order[j] = order[j - 1];
        order[j] = here;
    }
}

void cau_minibatch_sort(const cau_minibatch *r, size_t count, const size_t *first, uint32_t *order)
{
    for (size_t at = 0; at < count; at += r->round)
        sort_round(first, count - at < r->round ? count - at : r->round, order + at);
}

static void await(run *x, const atomic_size_t *count, size_t enough)
{
    const double seconds = cau_await(count, enough);
    if (seconds > 0)
        atomic_fetch_add_explicit(&x->lost, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

static caucus_status run_block(void *self, size_t block, unsigned worker)
{
    run *x = self;
    const cau_minibatch *r = x->r;
    const size_t round = r->round, moves = r->parts + 1, all = 2 * round + moves;
    const size_t k = block / all, i = block % all;
    caucus_status st = CAUCUS_OK;
    atomic_size_t *done = &x->checked;
    if (i < round) {
        await(x, &x->moved, k * moves);
        await(x, &x->checked, k * round);
        if (i < cau_minibatch_visits(r, k)) st = r->look(r->self, worker, k * round + i, i);
        done = &x->looked;
    } else if (i < round + moves) {
        const size_t part = i - round; /* the common weights first, which are one for all */
        await(x, &x->looked, (k + 1) * round);
        st = r->move(r->self, worker, k, part ? (unsigned)part - 1 : r->parts);
        done = &x->moved;
    } else if (r->wants && r->wants(r->self, k)) {
        await(x, &x->moved, (k + 1) * moves);
        if (i - round - moves < cau_minibatch_visits(r, k))
            st = r->check(r->self, worker, i - round - moves);
    }
    atomic_fetch_add_explicit(done, 1, memory_order_release);
    return st;
}

/* When the threads have waited for each other for long, which they do when the processors have
 * other work as well, one does the next runs by itself. */
caucus_status cau_minibatch_run(cau_minibatch *r, size_t count)
{
    const double begin = cau_seconds();
    run x = {.r = r};
    r->count = count;
    r->parts = r->alone ? 1 : r->threads;
    const size_t blocks = cau_minibatch_count(r) * (2 * r->round + r->parts + 1);
    caucus_status st = cau_parallel(r->parts, blocks, run_block, &x);
    const double lost = 1e-9 * (double)atomic_load(&x.lost);
    if (r->alone)
        r->alone--;
    else if (lost > LOST * (cau_seconds() - begin))
        r->alone = ALONE;
    return st;
}
