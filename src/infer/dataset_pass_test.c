/* dataset_pass_test.c - two-step gradients (cau_pass_gold and cau_pass_weighed), and labels and
 * losses with and without the cells of all instances. Training tests the other passes. */

#include "infer/dataset_pass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/support.h"

enum { K = 7, Y = 3, MOST = (K + 1) * Y };

/* N instances; `weighted`: with random weights. */
static caucus_data *make_data(caucus_ctx *ctx, size_t N, bool valued, bool weighted, uint64_t seed)
{
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, seed);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < N; i++) {
        char name[K][16], label[3] = "y0";
        caucus_feature x[K];
        size_t n = 0;
        for (int k = 0; k < K; k++) {
            if (cau_rng_real(&rng) < 0.5) continue;
            snprintf(name[n], sizeof name[n], "f%d", k);
            x[n] = (caucus_feature){name[n], valued ? 2 * cau_rng_real(&rng) - 0.5 : 1};
            n++;
        }
        label[1] = (char)('0' + cau_rng_below(&rng, Y));
        assert_ok(ctx, cau_data_add(ctx, data, label, weighted ? cau_rng_real(&rng) : 1, x, n));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    assert_int_equal(data->train.K, K);
    assert_int_equal(data->train.Y, Y);
    return data;
}

/* A table of all pairs, or a list of some; the list has an empty row. */
static cau_table make_table(bool listed, size_t *start, uint32_t *cell)
{
    cau_table table = {.rows = K, .width = Y};
    if (!listed) return table;
    size_t n = 0;
    for (size_t k = 0; k < K; k++) {
        start[k] = n;
        for (uint32_t y = 0; y < Y; y++)
            if (k != 2 && (k + y) % 3 != 0) cell[n++] = y;
    }
    start[K] = n;
    table.start = start;
    table.cell = cell;
    return table;
}

static void make_weights(size_t n, uint64_t seed, double *w)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t k = 0; k < n; k++) w[k] = 2 * cau_rng_real(&rng) - 1;
}

/* The penalty l2/2 w^2 of the weights before `penalised`. */
typedef struct {
    double l2;
    size_t penalised;
} ridge_penalty;

static double add_ridge(void *self, size_t begin, size_t end, const double *w, double *g)
{
    const ridge_penalty *r = self;
    double sum = 0;
    for (size_t k = begin; k < end && k < r->penalised; k++) {
        sum += r->l2 / 2 * w[k] * w[k];
        g[k] += r->l2 * w[k];
    }
    return sum;
}

/* A pass and its data. The bits of `which` choose the variant. */
typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    size_t start[K + 1];
    uint32_t cell[K * Y];
    cau_pass_options o;
    size_t n;
    double w[MOST];
} pass_case;

enum { LISTED = 1, COMMON = 2, VALUED = 4, WEIGHTED = 8, CASES = 16 };

static void open_case(pass_case *p, unsigned which, size_t N)
{
    p->ctx = test_ctx();
    p->data = make_data(p->ctx, N, which & VALUED, which & WEIGHTED, 7 + which);
    p->o = (cau_pass_options){.set = &p->data->train,
                              .layout = {.nodes = make_table(which & LISTED, p->start, p->cell),
                                         .common = which & COMMON ? Y : 0},
                              .weight = p->data->train.weight,
                              .threads = 1};
    p->n = cau_table_size(&p->o.layout.nodes) + (which & COMMON ? Y : 0);
    make_weights(p->n, which, p->w);
}

static void close_case(pass_case *p)
{
    cau_data_free(p->data);
    caucus_ctx_free(p->ctx);
}

/* The score of class y for instance i, from the table. */
static double score(const pass_case *p, size_t i, size_t y)
{
    const cau_csr *x = &p->data->train.x;
    const cau_table *t = &p->o.layout.nodes;
    double s = p->o.layout.common ? p->w[cau_table_size(t) + y] : 0;
    for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
        const size_t k = x->column[e], at = cau_table_at(t, k);
        for (size_t j = at; j < cau_table_at(t, k + 1); j++)
            if ((t->cell ? t->cell[j] : j - at) == y)
                s += (x->value ? (double)x->value[e] : 1) * p->w[j];
    }
    return s;
}

static void test_gold(void **state)
{
    (void)state;
    enum { N = 40 };
    for (unsigned which = 0; which < CASES; which++) {
        pass_case p;
        cau_pass *pass = NULL;
        double logp[N];
        open_case(&p, which, N);
        assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
        assert_ok(p.ctx, cau_pass_gold(pass, p.w, logp));
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t y = 0; y < Y; y++) sum += exp(score(&p, i, y));
            assert_near(logp[i], score(&p, i, p.data->train.gold[i]) - log(sum), 1e-12);
        }
        cau_pass_free(pass);
        close_case(&p);
    }
}

/* With the weights of the options, the gradient equals that of cau_pass_gradient, bit for bit. */
static void test_weights_of_the_options(void **state)
{
    (void)state;
    enum { N = 60 };
    for (unsigned which = 0; which < CASES; which++) {
        pass_case p;
        cau_pass *pass = NULL;
        double logp[N], weight[N], g[MOST], want[MOST], loss, extra, wanted_extra, sum = 0;
        open_case(&p, which, N);
        ridge_penalty r = {.l2 = 0.7, .penalised = cau_table_size(&p.o.layout.nodes)};
        assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
        assert_ok(p.ctx, cau_pass_gradient(pass, p.w, &loss, want, add_ridge, &r, &wanted_extra));
        assert_ok(p.ctx, cau_pass_gold(pass, p.w, logp));
        for (size_t i = 0; i < N; i++) {
            weight[i] = p.o.weight ? (double)p.o.weight[i] : 1;
            sum -= weight[i] * logp[i];
        }
        assert_ok(p.ctx, cau_pass_weighed(pass, p.w, weight, g, add_ridge, &r, &extra));
        assert_near(sum, loss, 1e-10);
        assert_true(extra == wanted_extra);
        for (size_t k = 0; k < p.n; k++) assert_true(g[k] == want[k]);
        cau_pass_free(pass);
        close_case(&p);
    }
}

static double weighed_loss(pass_case *p, cau_pass *pass, size_t N, const double *weight,
                           double *logp)
{
    double sum = 0;
    assert_ok(p->ctx, cau_pass_gold(pass, p->w, logp));
    for (size_t i = 0; i < N; i++) sum -= weight[i] * logp[i];
    return sum;
}

static void test_central_differences(void **state)
{
    (void)state;
    enum { N = 30 };
    const double h = 1e-5;
    for (unsigned which = 0; which < CASES; which++) {
        pass_case p;
        cau_pass *pass = NULL;
        double logp[N], weight[N], g[MOST], extra;
        open_case(&p, which, N);
        make_weights(N, 99, weight);
        for (size_t i = 0; i < N; i++) weight[i] = i % 5 ? fabs(weight[i]) : 0;
        assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
        assert_ok(p.ctx, cau_pass_gold(pass, p.w, logp));
        assert_ok(p.ctx, cau_pass_weighed(pass, p.w, weight, g, NULL, NULL, &extra));
        assert_true(extra == 0);
        for (size_t k = 0; k < p.n; k++) {
            const double w = p.w[k];
            p.w[k] = w + h;
            const double up = weighed_loss(&p, pass, N, weight, logp);
            p.w[k] = w - h;
            const double down = weighed_loss(&p, pass, N, weight, logp);
            p.w[k] = w;
            assert_near(g[k], (up - down) / (2 * h), 1e-7);
        }
        cau_pass_free(pass);
        close_case(&p);
    }
}

/* With enough instances for many blocks. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const unsigned threads[] = {1, 2, 5};
    pass_case p;
    open_case(&p, LISTED | COMMON | VALUED, N);
    double *logp[3], g[3][MOST], *weight = malloc(N * sizeof *weight);
    assert_non_null(weight);
    make_weights(N, 3, weight);
    for (size_t t = 0; t < 3; t++) {
        cau_pass *pass = NULL;
        logp[t] = malloc(N * sizeof *logp[t]);
        assert_non_null(logp[t]);
        p.o.threads = threads[t];
        assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
        assert_ok(p.ctx, cau_pass_gold(pass, p.w, logp[t]));
        assert_ok(p.ctx, cau_pass_weighed(pass, p.w, weight, g[t], NULL, NULL, NULL));
        assert_memory_equal(logp[t], logp[0], N * sizeof *logp[t]);
        assert_memory_equal(g[t], g[0], p.n * sizeof *g[t]);
        cau_pass_free(pass);
    }
    for (size_t t = 0; t < 3; t++) free(logp[t]);
    free(weight);
    close_case(&p);
}

/* Labels and losses are equal before and after the cells of all instances are allocated. */
static void test_without_cells(void **state)
{
    (void)state;
    enum { N = 20000 };
    for (unsigned threads = 1; threads <= 3; threads++) {
        pass_case p;
        cau_pass *pass = NULL;
        double loss[3], share[3], g[MOST];
        open_case(&p, LISTED | COMMON | VALUED | WEIGHTED, N);
        uint32_t *labels[2] = {malloc(N * sizeof **labels), malloc(N * sizeof **labels)};
        assert_true(labels[0] && labels[1]);
        p.o.threads = threads;
        assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
        assert_null(cau_pass_cells(pass));
        assert_ok(p.ctx, cau_pass_label(pass, p.w, labels[0], &share[0]));
        assert_ok(p.ctx, cau_pass_measure(pass, p.w, &loss[0], &share[1]));
        assert_null(cau_pass_cells(pass));
        assert_ok(p.ctx, cau_pass_gradient(pass, p.w, &loss[1], g, NULL, NULL, NULL));
        assert_non_null(cau_pass_cells(pass));
        assert_ok(p.ctx, cau_pass_label(pass, p.w, labels[1], &share[2]));
        assert_ok(p.ctx, cau_pass_gradient(pass, p.w, &loss[2], NULL, NULL, NULL, NULL));
        assert_true(loss[0] == loss[1] && loss[1] == loss[2]);
        assert_true(share[0] == share[1] && share[1] == share[2]);
        assert_memory_equal(labels[0], labels[1], N * sizeof **labels);
        free(labels[0]);
        free(labels[1]);
        cau_pass_free(pass);
        close_case(&p);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    enum { N = 10 };
    pass_case p;
    cau_pass *pass = NULL;
    double logp[N];
    open_case(&p, 0, N);
    p.w[4] = NAN;
    assert_ok(p.ctx, cau_pass_new(p.ctx, &p.o, &pass));
    assert_int_equal(cau_pass_gold(pass, p.w, logp), CAUCUS_ERR_NUMERIC);
    p.w[4] = 1e300; /* large, but finite */
    assert_ok(p.ctx, cau_pass_gold(pass, p.w, logp));
    cau_pass_free(pass);
    close_case(&p);
}

static caucus_status make_pass(void *self)
{
    pass_case *p = self;
    cau_pass *pass = NULL;
    double logp[10], weight[10] = {1, 2}, g[MOST];
    caucus_status st = cau_pass_new(p->ctx, &p->o, &pass);
    if (!st) st = cau_pass_gold(pass, p->w, logp);
    if (!st) st = cau_pass_weighed(pass, p->w, weight, g, NULL, NULL, NULL);
    cau_pass_free(pass);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    pass_case p;
    open_case(&p, COMMON, 10);
    assert_true(test_every_allocation(make_pass, &p) > 5);
    close_case(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gold),
        cmocka_unit_test(test_weights_of_the_options),
        cmocka_unit_test(test_central_differences),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_without_cells),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
