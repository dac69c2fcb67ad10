/* comm_test.c - sums and exchanges between ranks, by a module whose ranks are threads of this
 * process. Sums are compared with those that one process adds in the order of the ranks. */

#include "comm/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "comm/join.h"
#include "support/support.h"

enum { RANKS_MOST = 5, LONG = 200000 };

/* ---- a module of threads --------------------------------------------------------------------- */

static struct {
    pthread_barrier_t barrier;
    size_t ranks;
    const void *const *out[RANKS_MOST];
    void *all[RANKS_MOST];
} board;
static _Thread_local size_t own_rank;

static int exchange(const void *const *out, const size_t *out_bytes, void *const *in,
                    const size_t *in_bytes)
{
    (void)out_bytes;
    board.out[own_rank] = out;
    pthread_barrier_wait(&board.barrier);
    for (size_t r = 0; r < board.ranks; r++)
        if (in_bytes[r]) memcpy(in[r], board.out[r][own_rank], in_bytes[r]);
    pthread_barrier_wait(&board.barrier);
    return 0;
}

static int share(void *all, const size_t *at)
{
    board.all[own_rank] = all;
    pthread_barrier_wait(&board.barrier);
    for (size_t r = 0; r < board.ranks; r++)
        if (r != own_rank)
            memcpy((char *)all + at[r], (char *)board.all[r] + at[r], at[r + 1] - at[r]);
    pthread_barrier_wait(&board.barrier);
    return 0;
}

static int broadcast(size_t root, void *data, size_t bytes)
{
    board.all[own_rank] = data;
    pthread_barrier_wait(&board.barrier);
    if (own_rank != root) memcpy(data, board.all[root], bytes);
    pthread_barrier_wait(&board.barrier);
    return 0;
}

static const cau_comm_module threads_module = {.version = CAU_COMM_VERSION,
                                               .name = "threads",
                                               .exchange = exchange,
                                               .share = share,
                                               .broadcast = broadcast};

typedef struct {
    size_t rank;
    void (*work)(cau_comm *comm);
} rank_thread;

static void *run_rank(void *self)
{
    const rank_thread *t = self;
    cau_comm c = {.module = &threads_module, .rank = t->rank, .ranks = board.ranks};
    own_rank = t->rank;
    assert_true(cau_comm_allocate(&c));
    t->work(&c);
    cau_comm_release(&c);
    return NULL;
}

/* Runs `work` by 1 to RANKS_MOST ranks. */
static void run_ranks(void (*work)(cau_comm *comm))
{
    work(NULL);
    for (size_t ranks = 1; ranks <= RANKS_MOST; ranks++) {
        pthread_t thread[RANKS_MOST];
        rank_thread self[RANKS_MOST];
        board.ranks = ranks;
        pthread_barrier_init(&board.barrier, NULL, (unsigned)ranks);
        for (size_t r = 0; r < ranks; r++) {
            self[r] = (rank_thread){r, work};
            assert_int_equal(pthread_create(&thread[r], NULL, run_rank, &self[r]), 0);
        }
        for (size_t r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
        pthread_barrier_destroy(&board.barrier);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Number i of rank r: its sums depend on the order. */
static double number(size_t r, size_t i)
{
    return (double)((r * 7919 + i * 104729) % 1000003) * (r % 2 ? 1e-9 : 1e5);
}

static double sum_of(size_t ranks, size_t i)
{
    double sum = number(0, i);
    for (size_t r = 1; r < ranks; r++) sum += number(r, i);
    return sum;
}

static void sum_lengths(cau_comm *c)
{
    static const size_t lengths[] = {0, 1, 3, 256, 257, LONG};
    const size_t rank = cau_comm_rank(c), ranks = cau_comm_ranks(c);
    double *v = malloc(LONG * sizeof *v);
    uint64_t *count = malloc(LONG * sizeof *count);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const size_t n = lengths[l];
        for (size_t i = 0; i < n; i++) v[i] = number(rank, i);
        assert_int_equal(cau_comm_sum(c, n, v), CAUCUS_OK);
        for (size_t i = 0; i < n; i++) assert_true(v[i] == sum_of(ranks, i));
        for (size_t i = 0; i < n; i++) count[i] = i + rank;
        assert_int_equal(cau_comm_count(c, n, count), CAUCUS_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(count[i], ranks * i + ranks * (ranks - 1) / 2);
        for (size_t i = 0; i < n; i++) count[i] = (uint64_t)1 << rank;
        assert_int_equal(cau_comm_union(c, n, count), CAUCUS_OK);
        for (size_t i = 0; i < n; i++) assert_int_equal(count[i], ((uint64_t)1 << ranks) - 1);
    }
    free(v);
    free(count);
}

static void test_sums(void **state)
{
    (void)state;
    run_ranks(sum_lengths);
}

/* Parts of unequal sizes, one of them empty, one of several pieces. */
static void sum_and_share(cau_comm *c)
{
    const size_t rank = cau_comm_rank(c), ranks = cau_comm_ranks(c);
    static const size_t sizes[RANKS_MOST] = {70001, 0, 5, 33000, 1};
    size_t first[RANKS_MOST + 1] = {0};
    for (size_t r = 0; r < ranks; r++) first[r + 1] = first[r] + sizes[r];
    double *v = malloc(first[ranks] * sizeof *v);
    for (size_t i = 0; i < first[ranks]; i++) v[i] = number(rank, i);
    const uint64_t before = cau_comm_spent(c).bytes;
    assert_int_equal(cau_comm_sum_parts(c, first, v, v + first[rank]), CAUCUS_OK);
    /* it sends what it must, and no more */
    assert_int_equal(cau_comm_spent(c).bytes - before,
                     (first[ranks] - sizes[rank]) * sizeof *v * (ranks > 1));
    for (size_t i = first[rank]; i < first[rank + 1]; i++) assert_true(v[i] == sum_of(ranks, i));
    for (size_t i = 0; i < first[ranks]; i++)
        if (i < first[rank] || i >= first[rank + 1]) v[i] = -1;
    assert_int_equal(cau_comm_share(c, first, v), CAUCUS_OK);
    for (size_t i = 0; i < first[ranks]; i++) assert_true(v[i] == sum_of(ranks, i));
    free(v);
}

static void test_parts(void **state)
{
    (void)state;
    run_ranks(sum_and_share);
}

static void send_texts(cau_comm *c)
{
    static const char *const texts[RANKS_MOST] = {"one ", "", "three ", "four ", "5"};
    static const char *const wanted[RANKS_MOST] = {">one ", ">one ", ">one three ",
                                                   ">one three four ", ">one three four 5"};
    const size_t rank = cau_comm_rank(c), ranks = cau_comm_ranks(c);
    cau_strbuf all = {0}, root = {0};
    size_t end[RANKS_MOST], before, total;
    cau_strbuf_add(&all, ">", 1);
    cau_strbuf_add(&root, ">", 1);
    assert_int_equal(cau_comm_collect(c, cau_str_of(texts[rank]), &all, end), CAUCUS_OK);
    assert_string_equal(all.s, wanted[ranks - 1]);
    assert_int_equal(end[ranks - 1], all.n - 1);
    assert_int_equal(cau_comm_gather(c, cau_str_of(texts[rank]), &root, NULL), CAUCUS_OK);
    assert_string_equal(root.s, rank ? ">" : wanted[ranks - 1]);
    for (size_t from = 0; from < ranks; from++) {
        size_t said = rank;
        assert_int_equal(cau_comm_broadcast(c, from, &said, sizeof said), CAUCUS_OK);
        assert_int_equal(said, from);
    }
    assert_int_equal(cau_comm_before(c, rank + 1, &before, &total), CAUCUS_OK);
    assert_int_equal(before, rank * (rank + 1) / 2);
    assert_int_equal(total, ranks * (ranks + 1) / 2);
    cau_strbuf_clear(&all);
    cau_strbuf_clear(&root);
}

static void test_texts(void **state)
{
    (void)state;
    run_ranks(send_texts);
}

/* What launchers set. */
static void test_launchers(void **state)
{
    (void)state;
    size_t rank;
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",     "PMI_RANK",
        "MV2_COMM_WORLD_SIZE",  "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "CAUCUS_MPI"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
    assert_int_equal(cau_launched(&rank), 1);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    setenv("SLURM_PROCID", "3", 1);
    assert_int_equal(cau_launched(&rank), 4);
    assert_int_equal(rank, 3);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("OMPI_COMM_WORLD_RANK", "nonsense", 1);
    assert_int_equal(cau_launched(&rank), 2);
    assert_int_equal(rank, 0);
    setenv("CAUCUS_MPI", "none", 1);
    assert_int_equal(cau_launched(&rank), 1);
    setenv("CAUCUS_MPI", "/no/such/module.so", 1);
    caucus_ctx *ctx = test_ctx();
    cau_comm *comm;
    assert_fails(ctx, cau_comm_join(ctx, &comm), CAUCUS_ERR_UNSUPPORTED, "/no/such/module.so: ");
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_launchers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
