/* thread_test.c - every block runs once, on a valid worker, with the same result each time. */

#include "support/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread.h"

enum { BLOCKS = 5000 };

typedef struct {
    unsigned threads;
    atomic_int busy[8];   /* by worker: two blocks must not share its scratch memory */
    int times[BLOCKS];    /* written without a lock: each block has its own */
    size_t first_failing; /* every third block from here on fails */
} job;

static caucus_status run_block(void *self, size_t block, unsigned worker)
{
    job *j = self;
    if (worker >= j->threads) return CAUCUS_ERR_ARGUMENT;
    if (atomic_fetch_add(&j->busy[worker], 1) != 0) return CAUCUS_ERR_ARGUMENT;
    j->times[block]++;
    atomic_fetch_sub(&j->busy[worker], 1);
    if (block < j->first_failing || (block - j->first_failing) % 3 != 0) return CAUCUS_OK;
    return block == j->first_failing ? CAUCUS_ERR_NUMERIC : CAUCUS_ERR_IO;
}

static void each_block_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        for (size_t blocks = 0; blocks <= BLOCKS; blocks = blocks * 7 + 1) {
            job *j = cau_calloc(1, sizeof *j);
            assert_non_null(j);
            j->threads = threads;
            j->first_failing = BLOCKS;
            assert_int_equal(cau_parallel(threads, blocks, run_block, j), CAUCUS_OK);
            for (size_t b = 0; b < BLOCKS; b++) assert_int_equal(j->times[b], b < blocks);
            free(j);
        }
    }
}

static void the_lowest_failure_is_told(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        for (size_t first = 0; first < BLOCKS; first += 977) {
            job *j = cau_calloc(1, sizeof *j);
            assert_non_null(j);
            j->threads = threads;
            j->first_failing = first;
            assert_int_equal(cau_parallel(threads, BLOCKS, run_block, j), CAUCUS_ERR_NUMERIC);
            for (size_t b = 0; b < BLOCKS; b++) assert_int_equal(j->times[b], 1);
            free(j);
        }
    }
}

static caucus_status count_block(void *self, size_t block, unsigned worker)
{
    if (worker >= 4) return CAUCUS_ERR_ARGUMENT;
    ((size_t *)self)[block] += block + 1;
    return CAUCUS_OK;
}

typedef struct {
    size_t sums[6][50];
} nest;

static caucus_status inner(void *self, size_t block, unsigned worker)
{
    if (worker != 0) return CAUCUS_ERR_ARGUMENT; /* inline, so only one */
    ((size_t *)self)[block] = block;
    return CAUCUS_OK;
}

static caucus_status outer(void *self, size_t block, unsigned worker)
{
    (void)worker;
    return cau_parallel(4, 50, inner, ((nest *)self)->sums[block]);
}

static void jobs_inside_jobs_run_inline(void **state)
{
    (void)state;
    nest n = {{{0}}};
    assert_int_equal(cau_parallel(3, 6, outer, &n), CAUCUS_OK);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 50; j++) assert_int_equal(n.sums[i][j], j);
}

/* Jobs of several threads of the program at once, and of a child after a fork. */
static void *many_jobs(void *unused)
{
    static char wrong;
    (void)unused;
    for (int i = 0; i < 50; i++) {
        size_t sums[50] = {0};
        if (cau_parallel(4, 50, count_block, sums) != CAUCUS_OK) return &wrong;
        for (size_t b = 0; b < 50; b++)
            if (sums[b] != b + 1) return &wrong;
    }
    return NULL;
}

static void jobs_side_by_side(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, many_jobs, NULL), 0);
    for (size_t t = 0; t < 4; t++) {
        void *wrong;
        pthread_join(threads[t], &wrong);
        assert_null(wrong);
    }
    pid_t child = fork();
    if (child == 0) _exit(many_jobs(NULL) ? 1 : 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Rows of blocks, each of which needs all of the row before. */
enum { WIDTH = 7, ROWS = 300 };

typedef struct {
    size_t sum[ROWS][WIDTH];
    atomic_size_t done;
} rows;

static caucus_status add_row(void *self, size_t block, unsigned worker)
{
    rows *r = self;
    const size_t row = block / WIDTH, i = block % WIDTH;
    (void)worker;
    const double lost = cau_await(&r->done, row * WIDTH);
    size_t sum = i;
    for (size_t j = 0; row > 0 && j < WIDTH; j++) sum += r->sum[row - 1][j] % 1000;
    r->sum[row][i] = sum;
    atomic_fetch_add_explicit(&r->done, 1, memory_order_release);
    return lost >= 0 ? CAUCUS_OK : CAUCUS_ERR_ARGUMENT;
}

static void blocks_wait_for_earlier_ones(void **state)
{
    (void)state;
    rows *alone = cau_calloc(1, sizeof *alone);
    assert_non_null(alone);
    assert_int_equal(cau_parallel(1, ROWS * WIDTH, add_row, alone), CAUCUS_OK);
    for (unsigned threads = 2; threads <= 8; threads++) {
        rows *r = cau_calloc(1, sizeof *r);
        assert_non_null(r);
        assert_int_equal(cau_parallel(threads, ROWS * WIDTH, add_row, r), CAUCUS_OK);
        assert_memory_equal(r->sum, alone->sum, sizeof r->sum);
        free(r);
    }
    free(alone);
}

static void a_context_chooses_its_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(cau_threads(ctx) >= 1); /* the machine's */
    caucus_set_threads(ctx, 3);
    assert_int_equal(cau_threads(ctx), 3);
    caucus_set_threads(ctx, UINT32_MAX);
    assert_true(cau_threads(ctx) >= 1 && cau_threads(ctx) <= 4096);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_block_runs_once),
        cmocka_unit_test(the_lowest_failure_is_told),
        cmocka_unit_test(jobs_inside_jobs_run_inline),
        cmocka_unit_test(jobs_side_by_side),
        cmocka_unit_test(blocks_wait_for_earlier_ones),
        cmocka_unit_test(a_context_chooses_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
