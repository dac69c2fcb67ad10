/* workers_test.c - every job is worked on once, in batches, and a full queue refuses. */

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "serve/workers.h"
#include "support/support.h"

enum { JOBS = 500, THREADS = 3 };

typedef struct {
    cau_task job;
    atomic_int done;
} counted;

typedef struct {
    atomic_size_t batches, jobs;
    atomic_bool hold; /* workers wait until it is false */
    atomic_size_t holding;
} tally;

static void count(void *self, unsigned worker, cau_task *jobs)
{
    tally *t = self;
    assert_true(worker < THREADS);
    atomic_fetch_add(&t->holding, 1);
    while (atomic_load(&t->hold)) continue;
    atomic_fetch_add(&t->batches, 1);
    for (cau_task *job = jobs, *next; job; job = next) {
        next = job->next;
        atomic_fetch_add(&((counted *)job)->done, 1);
        atomic_fetch_add(&t->jobs, 1);
    }
}

static void test_every_job_once(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_workers *workers = NULL;
    tally t = {0};
    counted *jobs = calloc(JOBS, sizeof *jobs);
    assert_non_null(jobs);
    assert_ok(ctx, cau_workers_new(ctx, THREADS, JOBS, count, &t, &workers));
    for (int i = 0; i < JOBS; i++) assert_true(cau_workers_add(workers, &jobs[i].job));
    cau_workers_free(workers);
    for (int i = 0; i < JOBS; i++) assert_int_equal(jobs[i].done, 1);
    assert_true(t.batches <= t.jobs && t.jobs == JOBS);
    free(jobs);
    caucus_ctx_free(ctx);
}

/* One worker that is busy: what arrives meanwhile is one batch, except for a large job. */
static void test_batches(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_workers *workers = NULL;
    tally t = {.hold = true};
    counted jobs[9] = {0};
    jobs[8].job.cost = 1 << 20;
    assert_ok(ctx, cau_workers_new(ctx, 1, 8, count, &t, &workers));
    assert_true(cau_workers_add(workers, &jobs[0].job));
    while (!atomic_load(&t.holding)) continue;
    for (int i = 1; i < 9; i++) assert_true(cau_workers_add(workers, &jobs[i].job));
    assert_int_equal(cau_workers_waiting(workers), 8);
    counted refused = {0};
    assert_false(cau_workers_add(workers, &refused.job));
    atomic_store(&t.hold, false);
    cau_workers_free(workers);
    assert_int_equal(t.batches, 3); /* the first, seven together, the large one */
    assert_int_equal(t.jobs, 9);
    assert_int_equal(refused.done, 0);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_once),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
