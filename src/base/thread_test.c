/* thread_test.c - every block runs once on a valid worker, and the result is the same each time. */

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
    atomic_int busy[8];   /* by worker: two blocks must not use its scratch memory at once */
    int times[BLOCKS];    /* needs no lock: each block has its own entry */
    size_t first_failing; /* from this block on, every third one fails */
} thread_run;

static caucus_status run_block(void *self, size_t block, unsigned worker)
{
    thread_run *j = self;
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
            thread_run *j = cau_calloc(1, sizeof *j);
            assert_non_null(j);
            j->threads = threads;
            j->first_failing = BLOCKS;
            assert_int_equal(cau_parallel(threads, blocks, run_block, j), CAUCUS_OK);
            for (size_t b = 0; b < BLOCKS; b++) assert_int_equal(j->times[b], b < blocks);
            free(j);
        }
    }
}

static void the_first_failing_block_decides(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        for (size_t first = 0; first < BLOCKS; first += 977) {
            thread_run *j = cau_calloc(1, sizeof *j);
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
} nested_sums;

static caucus_status inner(void *self, size_t block, unsigned worker)
{
    if (worker != 0) return CAUCUS_ERR_ARGUMENT; /* a nested call runs on one worker */
    ((size_t *)self)[block] = block;
    return CAUCUS_OK;
}

static caucus_status outer(void *self, size_t block, unsigned worker)
{
    (void)worker;
    return cau_parallel(4, 50, inner, ((nested_sums *)self)->sums[block]);
}

static void nested_loops_run_in_the_caller(void **state)
{
    (void)state;
    nested_sums n = {{{0}}};
    assert_int_equal(cau_parallel(3, 6, outer, &n), CAUCUS_OK);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 50; j++) assert_int_equal(n.sums[i][j], j);
}

/* Runs parallel loops from several threads of the program at once, and from a child after fork. */
static void *run_many_loops(void *unused)
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

static void concurrent_loops_are_independent(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, run_many_loops, NULL), 0);
    for (size_t t = 0; t < 4; t++) {
        void *wrong;
        pthread_join(threads[t], &wrong);
        assert_null(wrong);
    }
    pid_t child = fork();
    if (child == 0) _exit(run_many_loops(NULL) ? 1 : 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Each row of blocks waits for the whole row before it. */
enum { WIDTH = 7, ROWS = 300 };

typedef struct {
    size_t sum[ROWS][WIDTH];
    atomic_size_t done;
} row_sums;

static caucus_status add_row(void *self, size_t block, unsigned worker)
{
    row_sums *r = self;
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
    row_sums *alone = cau_calloc(1, sizeof *alone);
    assert_non_null(alone);
    assert_int_equal(cau_parallel(1, ROWS * WIDTH, add_row, alone), CAUCUS_OK);
    for (unsigned threads = 2; threads <= 8; threads++) {
        row_sums *r = cau_calloc(1, sizeof *r);
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
    assert_true(cau_threads(ctx) >= 1); /* the number of cores */
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
        cmocka_unit_test(the_first_failing_block_decides),
        cmocka_unit_test(nested_loops_run_in_the_caller),
        cmocka_unit_test(concurrent_loops_are_independent),
        cmocka_unit_test(blocks_wait_for_earlier_ones),
        cmocka_unit_test(a_context_chooses_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
