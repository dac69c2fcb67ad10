/* residuals.h - random sequences, their residuals for a CRF or MEMM, and central differences of a
 * loss that the test computes itself. */

#ifndef CAU_SUPPORT_RESIDUALS_H
#define CAU_SUPPORT_RESIDUALS_H

#include "model/chain_work.h"
#include "support/paths.h"

/* The loss of a sequence as a function of its scores; s [T][Y], a [Y][Y], own [T][Y][Y] or NULL. */
typedef long double loss_fn(size_t T, size_t Y, const double *s, const double *a, const double *own,
                            const uint32_t *gold, const cau_label_sets *sets);

typedef struct {
    size_t T, Y;
    double *s, *a, *own; /* scores; own may be NULL */
    uint32_t gold[64];
    double c;

    /* output of `run` */
    double loss, *r, *edges, *counts;
} residuals_case;

static inline residuals_case random_case(cau_rng *rng, size_t T, size_t Y, bool own, bool open,
                                         double size)
{
    residuals_case x = {.T = T, .Y = Y, .c = .5 + 2 * cau_rng_real(rng)};
    x.s = random_scores(rng, T * Y, size, 0);
    x.a = random_scores(rng, Y * Y, size, 0);
    x.own = own ? random_scores(rng, T * Y * Y, size, 0) : NULL;
    x.r = calloc(T * Y, sizeof *x.r);
    x.edges = calloc(T * Y * Y, sizeof *x.edges);
    x.counts = calloc(Y * Y, sizeof *x.counts);
    assert_true(x.r && x.edges && x.counts);
    random_gold(rng, T, Y, open, x.gold);
    return x;
}

static inline void case_clear(residuals_case *x)
{
    free(x->s), free(x->a), free(x->own), free(x->r), free(x->edges), free(x->counts);
}

/* Computes residuals with the named set of kernels (NULL: the best). The counts start from 1, since
 * the function adds to them. */
static inline caucus_status run(const cau_chain_ops *ops, residuals_case *x, const char *isa,
                                bool expected_only)
{
    caucus_ctx *ctx = test_ctx();
    cau_chain_work *work = NULL;
    cau_transitions a = {0};
    assert_ok(ctx, cau_chain_work_new(ctx, x->Y, &work));
    assert_ok(ctx, cau_transitions_init(ctx, &a, x->Y));
    cau_transitions_set(&a, x->a);
    if (isa) work->kernels = cau_kernels_named(isa);
    memcpy(x->r, x->s, x->T * x->Y * sizeof *x->r);
    if (x->own) memcpy(x->edges, x->own, x->T * x->Y * x->Y * sizeof *x->edges);
    for (size_t i = 0; i < x->Y * x->Y; i++) x->counts[i] = 1;
    cau_chain_example example = {.T = x->T,
                                 .s = x->r,
                                 .edge_scores = x->own ? x->edges : NULL,
                                 .gold = x->gold,
                                 .sets = sample_sets(),
                                 .weight = x->c,
                                 .expected_only = expected_only,
                                 .counts = x->counts};
    const caucus_status st = ops->residuals(work, &a, 1, &example, &x->loss);
    for (size_t i = 0; i < x->Y * x->Y; i++) x->counts[i] -= 1;
    cau_chain_work_free(work);
    cau_transitions_clear(&a);
    caucus_ctx_free(ctx);
    return st;
}

static inline double case_loss(loss_fn *loss, const residuals_case *x)
{
    return (double)(x->c * loss(x->T, x->Y, x->s, x->a, x->own, x->gold, sample_sets()));
}

/* r[i] is d loss / d w[i], for all n. */
static inline void check_differences(loss_fn *loss, const residuals_case *x, size_t n, double *w,
                                     const double *r)
{
    const double h = 1e-4;
    for (size_t i = 0; i < n; i++) {
        const double at = w[i];
        double d = 0;
        for (int side = -1; side <= 1; side += 2) { /* fourth order */
            w[i] = at + side * h;
            d += side * 8 * case_loss(loss, x);
            w[i] = at + side * 2 * h;
            d -= side * case_loss(loss, x);
        }
        w[i] = at;
        assert_near(r[i], d / (12 * h), 1e-10);
    }
}

/* Checks the loss and all residuals of random small sequences of all kinds. */
static inline void check_residuals(const cau_chain_ops *ops, loss_fn *loss)
{
    cau_rng rng;
    cau_rng_init(&rng, 11);
    for (size_t Y = 1; Y <= SMALL_Y; Y++)
        for (size_t T = 1; T <= SMALL_T; T++)
            for (size_t kind = 0; kind < 8; kind++) {
                residuals_case x = random_case(&rng, T, Y, kind & 1, kind & 2, 2);
                assert_int_equal(run(ops, &x, NULL, false), CAUCUS_OK);
                assert_near(x.loss, case_loss(loss, &x), 1e-12);
                check_differences(loss, &x, T * Y, x.s, x.r);
                check_differences(loss, &x, Y * Y, x.a, x.counts);
                if (x.own) check_differences(loss, &x, T * Y * Y, x.own, x.edges);
                case_clear(&x);
            }
}

/* Two runs gave the same output, within `near`. */
static inline void assert_same(const residuals_case *x, const residuals_case *y, double near)
{
    assert_near(x->loss, y->loss, near * (1 + fabs(y->loss)));
    for (size_t i = 0; i < x->T * x->Y; i++) assert_near(x->r[i], y->r[i], near);
    for (size_t i = 0; i < x->Y * x->Y; i++) assert_near(x->counts[i], y->counts[i], near);
    for (size_t i = 0; x->own && i < x->T * x->Y * x->Y; i++)
        assert_near(x->edges[i], y->edges[i], near);
}

/* Sequences in one call, the longest first, give what each gives alone. Of the kinds, 3 has partial
 * labels, 5 needs log space and 7 has its own edge scores. */
static inline void check_bunch(const cau_chain_ops *ops, cau_rng *rng, size_t n, size_t Y,
                               const char *isa)
{
    enum { MOST = 20 };
    residuals_case all[MOST];
    cau_chain_example x[MOST];
    double loss = 0, want = 0, *counts = calloc(Y * Y, sizeof *counts);
    double *alone = calloc(Y * Y, sizeof *alone);
    caucus_ctx *ctx = test_ctx();
    cau_chain_work *work = NULL;
    cau_transitions a = {0};
    assert_true(counts && alone && n <= MOST);
    assert_ok(ctx, cau_chain_work_new(ctx, Y, &work));
    assert_ok(ctx, cau_transitions_init(ctx, &a, Y));
    for (size_t i = 0, T = 12; i < n; i++) {
        const size_t kind = cau_rng_below(rng, n % 2 ? 1000 : 10);
        if (T > 1) T -= cau_rng_below(rng, 3) / 2;
        all[i] = random_case(rng, T, Y, kind == 7, kind == 3, 3);
        if (kind == 5) all[i].s[0] = -1000;
        if (i > 0) memcpy(all[i].a, all[0].a, Y * Y * sizeof *all[i].a);
        assert_int_equal(run(ops, &all[i], isa, false), CAUCUS_OK);
        want += all[i].loss;
        for (size_t k = 0; k < Y * Y; k++) alone[k] += all[i].counts[k];
        x[i] = (cau_chain_example){.T = T,
                                   .s = all[i].s,
                                   .edge_scores = all[i].own,
                                   .gold = all[i].gold,
                                   .sets = sample_sets(),
                                   .weight = all[i].c,
                                   .counts = counts};
    }
    cau_transitions_set(&a, all[0].a);
    if (isa) work->kernels = cau_kernels_named(isa);
    assert_int_equal(ops->residuals(work, &a, n, x, &loss), CAUCUS_OK);
    assert_near(loss, want, 1e-12 * (1 + want));
    for (size_t k = 0; k < Y * Y; k++) assert_near(counts[k], alone[k], 1e-11);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all[i].T * Y; k++) assert_near(all[i].s[k], all[i].r[k], 1e-12);
        for (size_t k = 0; all[i].own && k < all[i].T * Y * Y; k++)
            assert_near(all[i].own[k], all[i].edges[k], 1e-12);
        case_clear(&all[i]);
    }
    cau_chain_work_free(work);
    cau_transitions_clear(&a);
    caucus_ctx_free(ctx);
    free(counts), free(alone);
}

static inline void check_together(const cau_chain_ops *ops)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    cau_rng rng;
    cau_rng_init(&rng, 13);
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!cau_kernels_named(isas[k])) continue;
        for (size_t n = 1; n <= 20; n++)
            for (size_t Y = 1 + n % 3; Y < 80; Y += Y < 30 ? 3 : 16)
                check_bunch(ops, &rng, n, Y, isas[k]);
    }
}

/* All sets of kernels agree, at any width. */
static inline void check_kernels(const cau_chain_ops *ops)
{
    static const char *const isas[] = {"avx2", "avx512"};
    static const size_t widths[] = {1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 22, 24, 31, 33, 50, 65, 100};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t kind = 0; kind < 4; kind++) {
            cau_rng rng, again;
            cau_rng_init(&rng, w);
            again = rng;
            const size_t T = 1 + w % 11, Y = widths[w];
            residuals_case x = random_case(&rng, T, Y, kind & 1, kind & 2, 4);
            assert_int_equal(run(ops, &x, "baseline", false), CAUCUS_OK);
            for (size_t k = 0; k < 2; k++) {
                if (!cau_kernels_named(isas[k])) continue;
                rng = again;
                residuals_case y = random_case(&rng, T, Y, kind & 1, kind & 2, 4);
                assert_int_equal(run(ops, &y, isas[k], false), CAUCUS_OK);
                assert_same(&y, &x, 1e-12);
                case_clear(&y);
            }
            case_clear(&x);
        }
}

/* Fails every allocation of residuals and lattice in turn. */
typedef struct {
    const cau_chain_ops *ops;
    caucus_ctx *ctx;
} memory_case;

static inline caucus_status allocate(void *self)
{
    const memory_case *m = self;
    enum { T = 3, Y = 3 };
    cau_chain_work *work = NULL;
    cau_transitions a = {0};
    caucus_status st = cau_chain_work_new(m->ctx, Y, &work);
    if (!st) st = cau_transitions_init(m->ctx, &a, Y);
    for (size_t t = 1; !st && t <= T; t++) {
        double s[T * Y] = {0}, own[T * Y * Y] = {0}, counts[Y * Y] = {0}, loss;
        const uint32_t gold[T] = {0, CAU_UNKNOWN, 2};
        if (t == T) s[0] = -1000; /* in log space */
        cau_chain_example x = {
            .T = t, .s = s, .edge_scores = own, .gold = gold, .weight = 1, .counts = counts};
        cau_lattice lattice;
        st = m->ops->lattice(work, &a, t, s, own, &lattice);
        if (!st) st = m->ops->residuals(work, &a, 1, &x, &loss);
    }
    cau_chain_work_free(work);
    cau_transitions_clear(&a);
    return st;
}

static inline void check_memory(const cau_chain_ops *ops)
{
    memory_case self = {.ops = ops, .ctx = test_ctx()};
    assert_true(test_every_allocation(allocate, &self) >= 10);
    caucus_ctx_free(self.ctx);
}

#endif
