/* jobs_test.c - lists of jobs: every job runs once, progress counts runs, a stop ends or shortens
 * the list, and the failure with the lowest number is reported. */

#include "study/jobs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

enum { JOBS = 9, THREADS_MOST = 4 };

typedef struct {
    size_t runs;        /* per job */
    size_t failing[2];  /* jobs that fail; JOBS: no job */
    size_t calls[JOBS]; /* per job */
    unsigned threads[JOBS];
} job_case;

/* Imitates a solver: one iteration for each run, reported to the job's context. */
static caucus_status run_pretended_solver(void *self, cau_job *job)
{
    job_case *c = self;
    caucus_status st = CAUCUS_OK;
    const size_t j = job->number;
    snprintf(job->place, sizeof job->place, "job %zu", j);
    c->threads[j] = job->threads;
    for (size_t run = 0; run < c->runs; run++) {
        const caucus_progress p = {.solver = "pretended", .dev = run ? NAN : (double)j / JOBS};
        c->calls[j]++;
        job->ctx->progress(job->ctx->progress_user, &p);
        for (size_t i = 0; i < 2; i++)
            if (c->failing[i] == j) TRY(cau_fail(job->ctx, CAUCUS_ERR_NUMERIC, "not finite"));
        TRY(cau_job_report(job, (double)j / JOBS));
    }
    assert_near(job->dev, (double)j / JOBS, 0);
done:
    return st;
}

static const cau_job_kind pretended = {.run = run_pretended_solver};

typedef struct {
    size_t done, most;
} seen_progress;

static bool see_progress(void *user, const caucus_progress *p)
{
    seen_progress *seen = user;
    assert_string_equal(p->solver, "jobs");
    assert_in_range(p->iteration, seen->done, seen->done + 1);
    assert_int_equal(p->passes, 2 * JOBS);
    assert_int_equal(isnan(p->remaining), p->iteration == 0);
    seen->done = p->iteration;
    return seen->done < seen->most;
}

static void test_all(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        seen_progress seen = {.most = SIZE_MAX};
        caucus_on_progress(ctx, see_progress, &seen);
        cau_jobs jobs = {.ctx = ctx, .name = "jobs", .runs = 2 * JOBS, .threads = threads};
        cau_jobs_init(&jobs);
        job_case c = {.runs = 2, .failing = {JOBS, JOBS}};
        assert_ok(ctx, cau_jobs_run(&jobs, JOBS - 1, &pretended, &c));
        for (size_t j = 0; j < JOBS - 1; j++) {
            assert_int_equal(c.calls[j], 2);
            assert_int_equal(c.threads[j], 1);
        }
        assert_int_equal(seen.done, 2 * (JOBS - 1));
        /* a second list continues the count; its only job gets all threads */
        assert_ok(ctx, cau_jobs_run(&jobs, 1, &pretended, &c));
        assert_int_equal(c.threads[0], threads);
        assert_int_equal(seen.done, 2 * JOBS);
        cau_jobs_clear(&jobs);
    }
    caucus_ctx_free(ctx);
}

/* A stop ends the list; with `keep`, the other jobs still run and the caller is not called
 * again. */
static void test_stop(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++)
        for (int keep = 0; keep < 2; keep++) {
            seen_progress seen = {.most = 4};
            caucus_on_progress(ctx, see_progress, &seen);
            cau_jobs jobs = {
                .ctx = ctx, .name = "jobs", .runs = 2 * JOBS, .threads = threads, .keep = keep};
            cau_jobs_init(&jobs);
            job_case c = {.runs = 2, .failing = {JOBS, JOBS}};
            const caucus_status st = cau_jobs_run(&jobs, JOBS, &pretended, &c);
            assert_int_equal(seen.done, 4);
            assert_true(atomic_load(&jobs.stopped));
            if (keep)
                assert_int_equal(st, CAUCUS_OK);
            else
                assert_fails(ctx, st, CAUCUS_ERR_STOPPED, "stopped after 4 of 18 runs");
            size_t calls = 0;
            for (size_t j = 0; j < JOBS; j++) calls += c.calls[j];
            if (keep)
                assert_int_equal(calls, 2 * JOBS);
            else
                assert_in_range(calls, 4, 4 + threads);
            cau_jobs_clear(&jobs);
        }
    caucus_ctx_free(ctx);
}

/* Jobs before the failing one run undisturbed, so the report does not depend on timing. */
static void test_failure(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++)
        for (size_t first = 0; first < 3; first++) {
            cau_jobs jobs = {.ctx = ctx, .name = "jobs", .runs = 2 * JOBS, .threads = threads};
            cau_jobs_init(&jobs);
            job_case c = {.runs = 2, .failing = {first, 4}};
            char message[64];
            snprintf(message, sizeof message, "job %zu: not finite", first);
            assert_fails(ctx, cau_jobs_run(&jobs, JOBS, &pretended, &c), CAUCUS_ERR_NUMERIC,
                         message);
            for (size_t j = 0; j < first; j++) assert_int_equal(c.calls[j], 2);
            cau_jobs_clear(&jobs);
        }
    caucus_ctx_free(ctx);
}

static caucus_status run_list(void *self)
{
    cau_jobs jobs = {.ctx = self, .name = "jobs", .runs = 3, .threads = 1};
    job_case c = {.runs = 1, .failing = {JOBS, JOBS}};
    cau_jobs_init(&jobs);
    const caucus_status st = cau_jobs_run(&jobs, 3, &pretended, &c);
    cau_jobs_clear(&jobs);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_int_equal(test_every_allocation(run_list, ctx), 3); /* the contexts */
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("study/jobs", tests, NULL, NULL);
}
