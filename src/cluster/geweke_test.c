/* geweke_test.c - Geweke's joint-distribution test of everything that is sampled at once.
 *
 * Parameters, partition and data have a joint distribution that can be drawn from in two ways: from
 * top to bottom, each given what is above it; or by a chain that takes turns, a sweep of the
 * sampler given the data, and new data given the rest. If the sampler is right both agree on the
 * mean of any function; a wrong sign or a forgotten factor shows as a difference of many standard
 * errors.
 *
 * Links are observations of the partition: answers to questions, of which soft ones are wrong with
 * a known probability. So the chain also takes turns with an annotator who answers new random
 * questions about the present partition; the joint distribution of the rest stays the same. [1]
 * Geweke. Getting It Right. JASA 2004. */

#include "support/support.h"

#include "cluster/state.h"
#include "support/exact_partitions.h"

enum { N = 5, V = 2, TOKENS = 4, FUNCTIONS = 10, DRAWS = 30000, BATCHES = 50 };

typedef struct {
    cau_likelihood likelihood;
    cau_rng rng;
    cau_dp_parameters p;
    uint32_t z[N];
    double x[N * V];
} geweke_world;

static const double mu0[V] = {0, 1}, b0[V] = {1, 0.5};

static cau_dp_options options_of(cau_likelihood likelihood, size_t split_merge)
{
    return (cau_dp_options){
        .likelihood = likelihood,
        .start = {.alpha = 1, .beta = 1, .k0 = 1, .a0 = 1, .mu0 = mu0, .b0 = b0, .b0_scale = 1},
        .alpha_shape = 2,
        .alpha_rate = 1.5,
        .split_merge = split_merge,
        .restricted = 1};
}

static void draw_parameters(geweke_world *w)
{
    w->p.alpha = cau_rng_gamma(&w->rng, 2) / 1.5;
    w->p.beta = cau_rng_gamma(&w->rng, 1);
    w->p.k0 = cau_rng_gamma(&w->rng, 1);
    w->p.a0 = cau_rng_gamma(&w->rng, 1);
    w->p.b0_scale = cau_rng_gamma(&w->rng, 1);
}

static void draw_partition(geweke_world *w)
{
    uint32_t K = 0;
    for (size_t i = 0; i < N; i++) {
        double u = cau_rng_real(&w->rng) * ((double)i + w->p.alpha);
        w->z[i] = u < (double)i ? w->z[(size_t)u] : K;
        K += w->z[i] == K;
    }
}

/* Tokens by Polya's urn; or a mean and a precision for each cluster, and numbers around it. */
static void draw_data(geweke_world *w)
{
    if (w->likelihood == CAU_MULTINOMIAL) {
        memset(w->x, 0, sizeof w->x);
        for (size_t i = 0; i < N; i++)
            for (size_t t = 0; t < TOKENS; t++) {
                double n[V], all = 0;
                for (size_t v = 0; v < V; v++) {
                    n[v] = w->p.beta;
                    for (size_t j = 0; j <= i; j++)
                        if (w->z[j] == w->z[i]) n[v] += w->x[j * V + v];
                    all += n[v];
                }
                const double u = cau_rng_real(&w->rng) * all;
                w->x[i * V + (u < n[0] ? 0 : 1)]++;
            }
        return;
    }
    for (uint32_t k = 0; k < N; k++)
        for (size_t v = 0; v < V; v++) {
            double precision = 0; /* what would overflow is drawn again: once in 10^4 */
            while (!(precision > 1e-80))
                precision = cau_rng_gamma(&w->rng, w->p.a0) / (w->p.b0[v] * w->p.b0_scale);
            const double mean = w->p.mu0[v] + cau_rng_normal(&w->rng) / sqrt(w->p.k0 * precision);
            for (size_t i = 0; i < N; i++)
                if (w->z[i] == k)
                    w->x[i * V + v] = mean + cau_rng_normal(&w->rng) / sqrt(precision);
        }
}

/* Functions of parameters, partition and data; bounded, because the tails of the data are heavy. */
static void measure(const geweke_world *w, double *out)
{
    double K = 0, largest = 0, near = 0, alike = 0;
    for (uint32_t k = 0; k < N; k++) {
        double n = 0;
        for (size_t i = 0; i < N; i++) n += w->z[i] == k;
        K += n > 0;
        if (n > largest) largest = n;
    }
    for (size_t i = 0; i < N * V; i++) near += fabs(w->x[i]) < 1.5;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) alike += fabs(w->x[i * V] - w->x[j * V]) < 1.2;
    const double values[FUNCTIONS] = {w->p.alpha,
                                      w->p.alpha * w->p.alpha,
                                      K,
                                      largest,
                                      near,
                                      alike,
                                      alike * K,
                                      w->likelihood == CAU_MULTINOMIAL ? w->p.beta : w->p.k0,
                                      w->likelihood == CAU_MULTINOMIAL ? w->p.beta * near : w->p.a0,
                                      w->likelihood == CAU_MULTINOMIAL ? w->p.beta * w->p.beta
                                                                       : w->p.b0_scale};
    memcpy(out, values, sizeof values);
}

/* Means of the functions over DRAWS, and the variances of those means, from means of batches. */
static void describe(double (*f)[FUNCTIONS], double *mean, double *error2)
{
    for (size_t j = 0; j < FUNCTIONS; j++) {
        double batch[BATCHES] = {0};
        mean[j] = error2[j] = 0;
        for (size_t i = 0; i < DRAWS; i++) batch[i * BATCHES / DRAWS] += f[i][j] * BATCHES / DRAWS;
        for (size_t b = 0; b < BATCHES; b++) mean[j] += batch[b] / BATCHES;
        for (size_t b = 0; b < BATCHES; b++)
            error2[j] += (batch[b] - mean[j]) * (batch[b] - mean[j]) / (BATCHES * (BATCHES - 1.0));
    }
}

/* The answers of an annotator who sees the partition: all pairs of three random items without
 * error, and one random pair with an error of 1/5. */
static cau_constraints answer_questions(geweke_world *w, link_room *room)
{
    uint32_t item[N], groups[N], G = 0;
    bool asked[N] = {false};
    small_link links[N];
    size_t count = 0;
    for (uint32_t i = 0; i < N; i++) item[i] = i;
    cau_rng_shuffle(&w->rng, item, N);
    for (size_t i = 0; i < 3; i++) asked[item[i]] = true;
    for (size_t i = 0; i < N; i++) {
        groups[i] = G;
        for (size_t j = 0; j < i; j++)
            if (asked[i] && asked[j] && w->z[i] == w->z[j]) groups[i] = groups[j];
        G += groups[i] == G;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++)
            if (w->z[item[i]] != w->z[item[j]])
                links[count++] = (small_link){item[i], item[j], 'c', 0};
    cau_rng_shuffle(&w->rng, item, N);
    const bool together = w->z[item[0]] == w->z[item[1]], wrong = cau_rng_real(&w->rng) < .2;
    links[count++] = (small_link){item[0], item[1], 's', together != wrong ? log(4) : -log(4)};
    return make_links(N, groups, links, count, room);
}

static void both_ways_agree(cau_likelihood likelihood, size_t split_merge, bool ask)
{
    static double f[DRAWS][FUNCTIONS];
    double mean[2][FUNCTIONS], error2[2][FUNCTIONS];
    caucus_ctx *ctx = test_ctx();
    const cau_dp_options options = options_of(likelihood, split_merge);
    geweke_world w = {.likelihood = likelihood, .p = options.start};
    cau_rng_init(&w.rng, 77);
    for (size_t i = 0; i < DRAWS; i++) {
        draw_parameters(&w);
        draw_partition(&w);
        draw_data(&w);
        measure(&w, f[i]);
    }
    describe(f, mean[0], error2[0]);
    for (size_t i = 0; i < DRAWS; i++) {
        const cau_points points = {.N = N, .V = V, .dense = w.x};
        cau_chain_state *s = NULL;
        link_room room;
        cau_constraints links;
        if (ask) links = answer_questions(&w, &room);
        assert_ok(ctx, cau_sampler_resume(ctx, &points, &options, ask ? &links : NULL, &w.p, &w.rng,
                                          w.z, &s));
        assert_ok(ctx, cau_sampler_sweep(s));
        cau_sampler_partition(s, w.z);
        const cau_dp_parameters p = cau_sampler_parameters(s);
        w.p = (cau_dp_parameters){.alpha = p.alpha,
                                  .beta = p.beta,
                                  .k0 = p.k0,
                                  .a0 = p.a0,
                                  .mu0 = mu0,
                                  .b0 = b0,
                                  .b0_scale = p.b0_scale};
        w.rng = s->rng;
        cau_sampler_free(s);
        draw_data(&w);
        measure(&w, f[i]);
    }
    describe(f, mean[1], error2[1]);
    for (size_t j = 0; j < FUNCTIONS; j++) {
        const double error = sqrt(error2[0][j] + error2[1][j]);
        assert_near(mean[0][j], mean[1][j], 4 * error);
    }
    caucus_ctx_free(ctx);
}

static void counts(void **state)
{
    (void)state;
    both_ways_agree(CAU_MULTINOMIAL, 0, false);
    both_ways_agree(CAU_MULTINOMIAL, 2, false);
}

static void values(void **state)
{
    (void)state;
    both_ways_agree(CAU_GAUSSIAN, 0, false);
    both_ways_agree(CAU_GAUSSIAN, 2, false);
}

static void answers(void **state)
{
    (void)state;
    both_ways_agree(CAU_MULTINOMIAL, 0, true);
    both_ways_agree(CAU_MULTINOMIAL, 2, true);
    both_ways_agree(CAU_GAUSSIAN, 2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(values),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
