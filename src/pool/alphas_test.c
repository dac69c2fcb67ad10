/* alphas_test.c - votes and their weights, checked by enumeration of all labellings, central
 * differences, and a search over the weights. */

#include "pool/members.h"

#include <math.h>

#include "pool/members.h"
#include "support/pool_sample.h"

enum { MEMBERS = 3 };

/* Members with random weights for the features of a data set, and their votes on its dev set. */
typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    cau_problem problem;
    double *w[MEMBERS];
    cau_weight_layout layout;
    cau_votes *votes;
} alphas_bench;

static caucus_status new_votes(alphas_bench *b, size_t J, bool keep, unsigned threads)
{
    return cau_votes_new(b->ctx, &b->data->dev, &b->layout, J, (const double *const *)b->w, keep,
                         threads, &b->votes);
}

static void begin(alphas_bench *b, cau_model_choice model, const char *template, bool partial,
                  bool keep, unsigned threads)
{
    cau_rng rng;
    cau_rng_init(&rng, 11);
    *b = (alphas_bench){.ctx = test_ctx()};
    b->data = sample_read(b->ctx, template, 20, 70, partial, 4);
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, 1);
    o.model = model;
    assert_ok(b->ctx, cau_pool_problem(b->ctx, b->data, &o, 1, &b->problem));
    for (size_t j = 0; j < MEMBERS; j++) {
        b->w[j] = calloc(b->problem.n, sizeof(double));
        for (size_t k = 0; k < b->problem.n; k++)
            b->w[j][k] = (double)(j + 1) * (cau_rng_real(&rng) - 0.5);
    }
    b->layout = cau_problem_layout(&b->problem);
    assert_ok(b->ctx, new_votes(b, MEMBERS, keep, threads));
}

static void end(alphas_bench *b)
{
    cau_votes_free(b->votes);
    for (size_t j = 0; j < MEMBERS; j++) free(b->w[j]);
    cau_problem_clear(&b->problem);
    cau_data_free(b->data);
    caucus_ctx_free(b->ctx);
}

/* MaxEnt models need data without observations on edges. */
static const char nodes_only[] = "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[1,1]\n";
static const char *template_of(cau_model_choice model)
{
    return model == CAU_MODEL_MAXENT ? nodes_only : sample_bags;
}

/* ---- likelihoods ----------------------------------------------------------------------------- */

/* The score of a labelling under a vector of weights, computed directly from the data. For a MEMM
 * it is log p; per position, gold's score is replaced by the sum over labels. */
static double weight_at(const cau_table *table, const double *w, size_t k, size_t cell)
{
    for (size_t i = cau_table_at(table, k); i < cau_table_at(table, k + 1); i++)
        if ((table->cell ? table->cell[i] : i - cau_table_at(table, k)) == cell) return w[i];
    return 0;
}

static double step_score(const alphas_bench *b, const double *w, size_t i, bool first,
                         size_t before, size_t y)
{
    const cau_dataset *set = &b->data->dev;
    const cau_problem *p = &b->problem;
    const size_t Y = set->Y, pair = before * Y + y;
    double s = p->chain || !p->common ? 0 : w[p->n - p->common + y];
    for (size_t e = set->x.start[i]; e < set->x.start[i + 1]; e++)
        s += weight_at(&p->nodes, w, set->x.column[e], y);
    if (!p->chain || first) return s;
    if (p->common) s += w[p->n - p->common + pair];
    for (size_t e = set->E ? set->e.start[i] : 0; set->E && e < set->e.start[i + 1]; e++)
        s += weight_at(&p->edges, w + cau_table_size(&p->nodes), set->e.column[e], pair);
    return s;
}

static double path_score(const alphas_bench *b, const double *w, size_t begin_at, size_t T,
                         const uint32_t *path)
{
    const size_t Y = b->data->dev.Y;
    double score = 0;
    for (size_t t = 0; t < T; t++) {
        const size_t before = t ? path[t - 1] : 0;
        score += step_score(b, w, begin_at + t, t == 0, before, path[t]);
        if (b->problem.chain != &cau_memm_ops) continue;
        double z = 0;
        for (size_t y = 0; y < Y; y++) z += exp(step_score(b, w, begin_at + t, t == 0, before, y));
        score -= log(z);
    }
    return score;
}

/* The log of the sum of exp(score) over all labellings with a fixed beginning. */
static double log_sum(const alphas_bench *b, const double *w, size_t begin_at, size_t T,
                      const uint32_t *gold, size_t fixed)
{
    const size_t Y = b->data->dev.Y;
    size_t count = 1;
    double sum = 0;
    for (size_t t = fixed; t < T; t++) count *= Y;
    for (size_t n = 0; n < count; n++) {
        uint32_t path[8];
        size_t rest = n;
        for (size_t t = 0; t < T; t++) {
            path[t] = t < fixed ? gold[t] : (uint32_t)(rest % Y);
            if (t >= fixed) rest /= Y;
        }
        sum += exp(path_score(b, w, begin_at, T, path));
    }
    return log(sum);
}

static void test_likelihoods(void **state)
{
    (void)state;
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++) {
        alphas_bench b;
        begin(&b, model, template_of(model), false, model != CAU_MODEL_MEMM, 2);
        const cau_dataset *set = &b.data->dev;
        const bool chain = b.problem.chain;
        const size_t S = chain ? set->S : set->N;
        double *by_sequence = calloc(S * MEMBERS, sizeof(double));
        double *by_transition = calloc(set->N * MEMBERS, sizeof(double));
        assert_int_equal(cau_votes_cases(b.votes, CAU_PER_SEQUENCE), S);
        assert_int_equal(cau_votes_cases(b.votes, CAU_PER_TRANSITION), set->N);
        assert_ok(b.ctx, cau_votes_likelihoods(b.votes, CAU_PER_SEQUENCE, by_sequence));
        assert_ok(b.ctx, cau_votes_likelihoods(b.votes, CAU_PER_TRANSITION, by_transition));
        for (size_t s = 0; s < S; s++) {
            const size_t at = chain ? set->sequence[s] : s;
            const size_t T = chain ? set->sequence[s + 1] - at : 1;
            for (size_t j = 0; j < MEMBERS; j++) {
                const double z = log_sum(&b, b.w[j], at, T, set->gold + at, 0);
                const double gold = path_score(&b, b.w[j], at, T, set->gold + at);
                assert_near(by_sequence[s * MEMBERS + j], gold - z, 1e-9);
                for (size_t t = 0; t < T; t++)
                    assert_near(by_transition[(at + t) * MEMBERS + j],
                                log_sum(&b, b.w[j], at, T, set->gold + at, t + 1) -
                                    log_sum(&b, b.w[j], at, T, set->gold + at, t),
                                1e-9);
            }
        }
        free(by_sequence);
        free(by_transition);
        end(&b);
    }
}

/* ---- loss ------------------------------------------------------------------------------------ */

/* -log p(gold | x) of the product, by enumeration. */
static double loss_by_hand(const alphas_bench *b, const double *alpha, bool per_transition)
{
    const cau_dataset *set = &b->data->dev;
    const bool chain = b->problem.chain;
    const size_t Y = set->Y, S = chain ? set->S : set->N;
    double *sum = calloc(b->problem.n, sizeof(double)), loss = 0;
    for (size_t j = 0; j < MEMBERS; j++)
        for (size_t k = 0; k < b->problem.n; k++) sum[k] += alpha[j] * b->w[j][k];
    for (size_t s = 0; s < S; s++) {
        const size_t at = chain ? set->sequence[s] : s;
        const size_t T = chain ? set->sequence[s + 1] - at : 1;
        const uint32_t *gold = set->gold + at;
        if (!per_transition) {
            loss += log_sum(b, sum, at, T, gold, 0) - path_score(b, sum, at, T, gold);
            continue;
        }
        for (size_t t = 0; t < T; t++) {
            double z = 0, own = 0;
            for (uint32_t y = 0; y < Y; y++) {
                uint32_t path[8];
                double q = 0;
                memcpy(path, gold, T * sizeof *path);
                path[t] = y;
                for (size_t j = 0; j < MEMBERS; j++)
                    q += alpha[j] * (log_sum(b, b->w[j], at, T, path, t + 1) -
                                     log_sum(b, b->w[j], at, T, path, t));
                z += exp(q);
                if (y == gold[t]) own = q;
            }
            loss += log(z) - own;
        }
    }
    free(sum);
    return loss;
}

/* Checks the loss by enumeration and its gradient by central differences, also with partial
 * labels. */
static void test_loss(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        const cau_model_choice model = (cau_model_choice)(CAU_MODEL_MAXENT + i % 3);
        const bool partial = i / 6, per_transition = i / 3 % 2;
        const cau_per per = per_transition ? CAU_PER_TRANSITION : CAU_PER_SEQUENCE;
        const double alpha[MEMBERS] = {0.7, -0.2, 0.4};
        double loss, before, after, g[MEMBERS], ignored[MEMBERS];
        alphas_bench b;
        if (partial && model == CAU_MODEL_MAXENT) continue;
        begin(&b, model, template_of(model), partial, i % 2, 1 + (unsigned)i % 3);
        assert_ok(b.ctx, cau_votes_loss(b.votes, per, alpha, &loss, g));
        if (!partial) assert_near(loss, loss_by_hand(&b, alpha, per_transition), 1e-8);
        for (size_t j = 0; j < MEMBERS; j++) {
            double moved[MEMBERS];
            const double h = 1e-5;
            memcpy(moved, alpha, sizeof moved);
            moved[j] = alpha[j] + h;
            assert_ok(b.ctx, cau_votes_loss(b.votes, per, moved, &after, ignored));
            moved[j] = alpha[j] - h;
            assert_ok(b.ctx, cau_votes_loss(b.votes, per, moved, &before, ignored));
            assert_near((after - before) / (2 * h), g[j], 1e-6 * fmax(1, fabs(g[j])));
        }
        end(&b);
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A product per sequence labels like the model with the summed weights. */
static void test_labels(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const cau_model_choice model = (cau_model_choice)(CAU_MODEL_MAXENT + i % 3);
        const double alpha[MEMBERS] = {0.5, 0.2, 0.3};
        const cau_pool pool = {.J = MEMBERS, .alpha = alpha};
        size_t right, counted;
        double share;
        alphas_bench b;
        begin(&b, model, template_of(model), i >= 3 && model != CAU_MODEL_MAXENT, i % 2, 2);
        double *w = calloc(b.problem.n, sizeof *w);
        for (size_t j = 0; j < MEMBERS; j++)
            for (size_t k = 0; k < b.problem.n; k++) w[k] += alpha[j] * b.w[j][k];
        assert_ok(b.ctx, cau_votes_label(b.votes, &pool, NULL, &right, &counted));
        assert_ok(b.ctx, cau_pass_accuracy(b.problem.dev, w, &share));
        assert_near((double)right / (double)counted, share, 1e-12);
        assert_true(right > 0 && right < counted);

        /* if one member has all the weight, the pool equals it, however it combines */
        const double one[MEMBERS] = {0, 1, 0};
        assert_ok(b.ctx, cau_pass_accuracy(b.problem.dev, b.w[1], &share));
        for (int way = 0; way < 6; way++) {
            const cau_pool alone = {.J = MEMBERS,
                                    .combine = way < 2 ? CAU_COMBINE_PRODUCT : CAU_COMBINE_MIXTURE,
                                    .per = way == 1 || way == 2 ? CAU_PER_TRANSITION
                                                                : CAU_PER_SEQUENCE,
                                    .mix = way == 5   ? CAU_MIX_EXACT
                                           : way == 4 ? CAU_MIX_RESCORE
                                                      : CAU_MIX_CHAIN,
                                    .alpha = one};
            assert_ok(b.ctx, cau_votes_label(b.votes, &alone, NULL, &right, &counted));
            assert_near((double)right / (double)counted, share, 1e-12);
        }
        free(w);
        end(&b);
    }
}

/* ---- choices --------------------------------------------------------------------------------- */

static cau_vote_sets vote_sets_of(alphas_bench *b, size_t J)
{
    return (cau_vote_sets){.votes = &b->votes, .count = 1, .J = J};
}

/* The log likelihood of a mixture. */
static double mixture(const double *logp, size_t cases, size_t J, const double *alpha)
{
    double total = 0;
    for (size_t n = 0; n < cases; n++) {
        double sum = 0;
        for (size_t j = 0; j < J; j++) sum += alpha[j] * exp(logp[n * J + j]);
        total += log(sum);
    }
    return total;
}

static void test_em(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const cau_per per = i % 2 ? CAU_PER_TRANSITION : CAU_PER_SEQUENCE;
        const cau_pool_options o = {
            .combine = CAU_COMBINE_MIXTURE, .per = per, .alphas = CAU_ALPHAS_EM};
        double alpha[MEMBERS], equal[MEMBERS] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
        alphas_bench b;
        begin(&b, CAU_MODEL_CRF, sample_bags, i >= 2, true, 2);
        cau_vote_sets sets = vote_sets_of(&b, MEMBERS);
        assert_ok(b.ctx, cau_alphas_choose(b.ctx, &o, &sets, MEMBERS, alpha));
        const size_t cases = cau_votes_cases(b.votes, per);
        double *logp = calloc(cases * MEMBERS, sizeof *logp);
        assert_ok(b.ctx, cau_votes_likelihoods(b.votes, per, logp));
        const double best = mixture(logp, cases, MEMBERS, alpha);
        assert_near(alpha[0] + alpha[1] + alpha[2], 1, 1e-12);
        assert_true(best > mixture(logp, cases, MEMBERS, equal) + 1e-3);

        /* no other weights are better */
        for (int first = 0; first <= 50; first++)
            for (int second = 0; first + second <= 50; second++) {
                const double other[MEMBERS] = {first / 50.0, second / 50.0,
                                               (50 - first - second) / 50.0};
                assert_true(mixture(logp, cases, MEMBERS, other) <= best + 1e-5);
            }
        free(logp);
        end(&b);
    }
}

static void test_learn(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const cau_model_choice model = i < 4 ? CAU_MODEL_CRF : CAU_MODEL_MAXENT;
        const cau_per per = i % 2 ? CAU_PER_TRANSITION : CAU_PER_SEQUENCE;
        const bool is_free = i / 2 % 2;
        const cau_pool_options o = {.per = per, .alphas = CAU_ALPHAS_LEARN, .free_alphas = is_free};
        double alpha[MEMBERS], loss, other, g[MEMBERS], ignored[MEMBERS];
        alphas_bench b;
        begin(&b, model, template_of(model), false, true, 2);
        cau_vote_sets sets = vote_sets_of(&b, MEMBERS);
        assert_ok(b.ctx, cau_alphas_choose(b.ctx, &o, &sets, MEMBERS, alpha));
        assert_ok(b.ctx, cau_votes_loss(b.votes, per, alpha, &loss, g));
        if (is_free) { /* the gradient is 0 */
            for (size_t j = 0; j < MEMBERS; j++) assert_near(g[j], 0, 1e-4);
        } else {
            assert_near(alpha[0] + alpha[1] + alpha[2], 1, 1e-12);
            for (int first = 0; first <= 20; first++)
                for (int second = 0; first + second <= 20; second++) {
                    const double at[MEMBERS] = {first / 20.0, second / 20.0,
                                                (20 - first - second) / 20.0};
                    assert_ok(b.ctx, cau_votes_loss(b.votes, per, at, &other, ignored));
                    assert_true(loss <= other + 1e-4);
                }
        }
        end(&b);
    }
}

/* With two members, checks the best of all 21 weights; equal weights win ties. With three, no
 * change of a single weight is better. */
static void test_grid(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const cau_model_choice model = i % 2 ? CAU_MODEL_CRF : CAU_MODEL_MAXENT;
        cau_pool_options o = {.combine = i & 2 ? CAU_COMBINE_MIXTURE : CAU_COMBINE_PRODUCT,
                              .per = i & 4 ? CAU_PER_TRANSITION : CAU_PER_SEQUENCE,
                              .alphas = CAU_ALPHAS_GRID};
        cau_pool pool = {.combine = o.combine, .per = o.per};
        double alpha[MEMBERS], at[MEMBERS];
        size_t right, counted, best;
        alphas_bench b;
        begin(&b, model, template_of(model), false, true, 2);

        cau_vote_sets three = vote_sets_of(&b, MEMBERS);
        assert_ok(b.ctx, cau_alphas_choose(b.ctx, &o, &three, MEMBERS, alpha));
        pool.J = MEMBERS;
        pool.alpha = alpha;
        assert_ok(b.ctx, cau_votes_label(b.votes, &pool, NULL, &best, &counted));
        pool.alpha = at;
        for (size_t j = 0; j < MEMBERS; j++)
            for (int step = 0; step <= 20; step++) {
                const double rest = 1 - alpha[j];
                for (size_t k = 0; k < MEMBERS; k++)
                    at[k] = k == j     ? step / 20.0
                            : rest > 0 ? alpha[k] / rest * (1 - step / 20.0)
                                       : (1 - step / 20.0) / 2;
                assert_ok(b.ctx, cau_votes_label(b.votes, &pool, NULL, &right, &counted));
                assert_true(right <= best);
            }

        cau_votes_free(b.votes);
        b.votes = NULL;
        pool.J = 2;
        assert_ok(b.ctx, new_votes(&b, 2, true, 2));
        cau_vote_sets two = vote_sets_of(&b, 2);
        assert_ok(b.ctx, cau_alphas_choose(b.ctx, &o, &two, 2, alpha));
        pool.alpha = alpha;
        assert_ok(b.ctx, cau_votes_label(b.votes, &pool, NULL, &best, &counted));
        pool.alpha = at;
        for (int step = 0; step <= 20; step++) {
            at[0] = step / 20.0;
            at[1] = 1 - at[0];
            assert_ok(b.ctx, cau_votes_label(b.votes, &pool, NULL, &right, &counted));
            assert_true(right <= best);
            if (step == 10 && right == best) assert_near(alpha[0], 0.5, 0);
        }
        end(&b);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct {
    alphas_bench *b;
    cau_pool_options o;
} alphas_memory_job;

static caucus_status choose(void *self)
{
    const alphas_memory_job *job = self;
    alphas_bench *b = job->b;
    double alpha[MEMBERS];
    cau_vote_sets sets = vote_sets_of(b, MEMBERS);
    cau_votes_free(b->votes);
    b->votes = NULL;
    caucus_status st = new_votes(b, MEMBERS, true, 1);
    if (!st) st = cau_alphas_choose(b->ctx, &job->o, &sets, MEMBERS, alpha);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    alphas_bench b;
    begin(&b, CAU_MODEL_CRF, sample_bags, false, true, 1);
    alphas_memory_job job = {.b = &b};
    static const struct {
        cau_alphas_kind alphas;
        cau_combine combine;
        cau_per per;
    } cases[] = {
        {CAU_ALPHAS_GRID, CAU_COMBINE_PRODUCT, CAU_PER_SEQUENCE},
        {CAU_ALPHAS_GRID, CAU_COMBINE_MIXTURE, CAU_PER_TRANSITION},
        {CAU_ALPHAS_EM, CAU_COMBINE_MIXTURE, CAU_PER_SEQUENCE},
        {CAU_ALPHAS_EM, CAU_COMBINE_MIXTURE, CAU_PER_TRANSITION},
        {CAU_ALPHAS_LEARN, CAU_COMBINE_PRODUCT, CAU_PER_SEQUENCE},
        {CAU_ALPHAS_LEARN, CAU_COMBINE_PRODUCT, CAU_PER_TRANSITION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        job.o = (cau_pool_options){
            .combine = cases[i].combine, .per = cases[i].per, .alphas = cases[i].alphas};
        assert_true(test_every_allocation(choose, &job) > 20);
    }
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likelihoods), cmocka_unit_test(test_loss),
        cmocka_unit_test(test_labels),      cmocka_unit_test(test_em),
        cmocka_unit_test(test_learn),       cmocka_unit_test(test_grid),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("pool/alphas", tests, NULL, NULL);
}
