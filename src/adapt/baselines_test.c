/* baselines_test.c - compares each method with ordinary training on files that contain its
 * transformed data, and with formulas over the probabilities of models. */

#include "adapt/baselines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "infer/apply.h"
#include "support/label_sample.h"
#include "support/train_sample.h"

/* ---- data in several domains --------------------------------------------------------------- */

enum { DOMAINS = 3, MOST = 24, LONGEST = 4, FEATURES = 4 };

typedef struct {
    const char *label;
    size_t count;
    char name[FEATURES][8];
    double value[FEATURES];
    caucus_feature x[FEATURES + 1]; /* points to the fields above */
    char answer[16];                /* the label from another model as a feature, or "" */
} baselines_token;

typedef struct {
    size_t S, T[MOST];
    baselines_token at[MOST][LONGEST];
} baselines_domain;

/* Labels A and B are in all domains, C only in domain 0, D only in the others. Features `a` are in
 * all domains, `i` only in domain 0, `o` only in the others. */
static void make_token(cau_rng *rng, size_t d, baselines_token *t)
{
    const size_t kind = cau_rng_below(rng, 3);
    static const char *const labels[2][3] = {{"A", "B", "C"}, {"A", "B", "D"}};
    t->label = labels[d > 0][cau_rng_real(rng) < .3 ? cau_rng_below(rng, 3) : kind];
    t->count = 0;
    snprintf(t->name[t->count++], 8, "a%zu", kind);
    snprintf(t->name[t->count++], 8, "%c%u", d ? 'o' : 'i', (unsigned)cau_rng_below(rng, 3) % 8);
    if (cau_rng_real(rng) < .7)
        snprintf(t->name[t->count++], 8, "a%u", 3 + (unsigned)cau_rng_below(rng, 3) % 8);
    for (size_t i = 0; i < t->count; i++) {
        t->value[i] = i == 1 ? .5 : 1;
        t->x[i] = (caucus_feature){t->name[i], t->value[i]};
    }
    t->answer[0] = 0;
}

static void make_domains(baselines_domain *all, uint64_t seed)
{
    static const size_t sizes[] = {12, 24, 8};
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t d = 0; d < DOMAINS; d++) {
        all[d].S = sizes[d];
        for (size_t s = 0; s < all[d].S; s++) {
            all[d].T[s] = 1 + cau_rng_below(&rng, LONGEST);
            for (size_t t = 0; t < all[d].T[s]; t++) make_token(&rng, d, &all[d].at[s][t]);
        }
    }
}

static size_t instances(const baselines_domain *d)
{
    size_t N = 0;
    for (size_t s = 0; s < d->S; s++) N += d->T[s];
    return N;
}

/* unchanged; a copy of each feature for its domain; with another model's labels */
enum { PLAIN, COPIES, WITH_ANSWERS };

static void write_domain(const baselines_domain *all, size_t d, double weight, int form,
                         cau_strbuf *out)
{
    for (size_t s = 0; s < all[d].S; s++) {
        if (weight != 1) cau_strbuf_printf(out, "@weight:%.17g\n", weight);
        for (size_t t = 0; t < all[d].T[s]; t++) {
            const baselines_token *at = &all[d].at[s][t];
            cau_strbuf_printf(out, "%s", at->label);
            for (size_t i = 0; i < at->count; i++) {
                cau_strbuf_printf(out, "\t%s:%g", at->name[i], at->value[i]);
                if (form == COPIES)
                    cau_strbuf_printf(out, "\t%s@%zu:%g", at->name[i], d, at->value[i]);
            }
            if (form == WITH_ANSWERS) cau_strbuf_printf(out, "\t%s", at->answer);
            cau_strbuf_printf(out, "\n");
        }
        cau_strbuf_printf(out, "\n");
    }
}

/* Writes domains first..end-1 to a file; domains from 1 on are weighted. */
static const char *file_of(const baselines_domain *all, size_t first, size_t end, double weight,
                           int form)
{
    static unsigned number;
    cau_strbuf text = {0};
    char name[24];
    for (size_t d = first; d < end; d++) write_domain(all, d, d ? weight : 1, form, &text);
    snprintf(name, sizeof name, "data%u", number++);
    const char *path = test_file(name, text.s, text.n);
    cau_strbuf_clear(&text);
    return path;
}

static caucus_data *read_files(caucus_ctx *ctx, const char *const *paths, size_t count,
                               const char *by)
{
    caucus_data *data = NULL;
    const cau_data_options how = {.read = {.format = CAU_FORMAT_CRFSUITE}, .by = by};
    assert_ok(ctx, cau_data_read(ctx, &how, paths, count, &data));
    return data;
}

/* Reads the first `count` domains, one file each. */
static caucus_data *read_domains(caucus_ctx *ctx, const baselines_domain *all, size_t count)
{
    const char *paths[DOMAINS];
    for (size_t d = 0; d < count; d++) paths[d] = file_of(all, d, d + 1, 1, PLAIN);
    return read_files(ctx, paths, count, "file");
}

static cau_train_options options_of(cau_model_choice model)
{
    cau_train_options o = sample_options(CAU_SOLVER_LBFGS, 0, .5);
    o.model = model;
    return o;
}

static caucus_model *baseline(caucus_ctx *ctx, const caucus_data *data, cau_method method,
                              const cau_train_options *o, double t)
{
    caucus_model *model = NULL;
    assert_ok(ctx, cau_baseline_train(ctx, data, method, o, t, 1, 1, &model));
    assert_string_equal(cau_model_info(model, "method"), cau_method_name(method));
    return model;
}

/* Trains on a file in the ordinary way. */
static caucus_model *train_on_file(caucus_ctx *ctx, const char *path, const cau_train_options *o)
{
    caucus_model *model = NULL;
    caucus_data *data = read_files(ctx, &path, 1, NULL);
    assert_ok(ctx, cau_fit(ctx, data, o, 1, 1, &model));
    cau_data_free(data);
    return model;
}

/* ---- comparing models by names ------------------------------------------------------------- */

static double weight_of(const caucus_model *m, const cau_observations *of, cau_str name,
                        const char *label)
{
    const uint32_t k = cau_model_find(m, of, name.s, name.n);
    const uint32_t y = cau_model_label_find(m, (cau_str){label, strlen(label)});
    return k == CAU_UNKNOWN || y == CAU_UNKNOWN ? 0 : cau_model_weight(of, k, y);
}

/* All weights of a are equal to those of b. */
static void assert_within(const caucus_model *a, const caucus_model *b, double near)
{
    for (size_t k = 0; k < a->nodes.K; k++)
        for (size_t y = 0; y < a->Y; y++)
            assert_near(
                cau_model_weight(&a->nodes, k, y),
                weight_of(b, &b->nodes, cau_model_name(&a->nodes, k), cau_model_label(a, y)), near);
    assert_int_equal(!a->transitions, !b->transitions);
    assert_int_equal(!a->bias, !b->bias);
    for (size_t y = 0; y < a->Y; y++) {
        const char *name = cau_model_label(a, y);
        const uint32_t other = cau_model_label_find(b, (cau_str){name, strlen(name)});
        assert_true(other != CAU_UNKNOWN);
        if (a->bias) assert_near((double)a->bias[y], (double)b->bias[other], near);
        for (size_t z = 0; a->transitions && z < a->Y; z++) {
            const char *next = cau_model_label(a, z);
            const uint32_t to = cau_model_label_find(b, (cau_str){next, strlen(next)});
            assert_near((double)a->transitions[y * a->Y + z],
                        (double)b->transitions[other * b->Y + to], near);
        }
    }
}

static void assert_same(const caucus_model *a, const caucus_model *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->Y, b->Y);
    assert_within(a, b, 1e-4);
    assert_within(b, a, 1e-4);
}

/* Views a member as a model; J views the whole pool. */
static caucus_model member_of(const caucus_model *m, size_t j)
{
    caucus_model one = *m;
    one.pool = (cau_pool){0};
    if (j == m->pool.J) return one;
    one.nodes = m->member[j].nodes;
    one.edges = m->member[j].edges;
    one.transitions = m->member[j].transitions;
    one.bias = m->member[j].bias;
    return one;
}

/* ---- the sides and their mixtures ---------------------------------------------------------- */

static void test_one_model(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++)
        for (size_t count = 2; count <= DOMAINS; count++) {
            make_domains(all, (uint64_t)model);
            const cau_train_options o = options_of(model);
            caucus_data *data = read_domains(ctx, all, count);
            size_t others = 0;
            for (size_t d = 1; d < count; d++) others += instances(&all[d]);
            const double weight = (double)instances(&all[0]) / (double)others;
            const struct {
                cau_method method;
                size_t first, end;
                double weight;
            } cases[] = {{CAU_METHOD_ONLY_IN, 0, 1, 1},
                         {CAU_METHOD_ONLY_OUT, 1, count, 1},
                         {CAU_METHOD_MIX, 0, count, 1},
                         {CAU_METHOD_MIX_WEIGHTED, 0, count, weight}};
            for (size_t c = 0; c < 4; c++) {
                const char *path =
                    file_of(all, cases[c].first, cases[c].end, cases[c].weight, PLAIN);
                caucus_model *got = baseline(ctx, data, cases[c].method, &o, 0);
                caucus_model *want = train_on_file(ctx, path, &o);
                assert_same(got, want);
                assert_near(sample_info(got, "objective"), sample_info(want, "objective"), 1e-5);
                cau_model_free(got);
                cau_model_free(want);
            }
            cau_data_free(data);
        }
    caucus_ctx_free(ctx);
}

/* ---- interpolation ------------------------------------------------------------------------- */

/* p_j(label at t | sequence) of a model, 0 for labels that it lacks. */
static void marginals_of(caucus_ctx *ctx, const caucus_model *m, const baselines_domain *d,
                         size_t s, const caucus_model *names, double *out)
{
    sample_instance items[LONGEST];
    uint32_t path[LONGEST];
    double marginal[LONGEST * 8];
    for (size_t t = 0; t < d->T[s]; t++) {
        const baselines_token *at = &d->at[s][t];
        items[t] = (sample_instance){at->x, at->count};
    }
    assert_ok(ctx, sample_label(ctx, m, items, d->T[s], path, marginal, NULL, NULL));
    for (size_t t = 0; t < d->T[s]; t++)
        for (size_t y = 0; y < names->Y; y++) {
            const char *name = cau_model_label(names, y);
            const uint32_t own = cau_model_label_find(m, (cau_str){name, strlen(name)});
            out[t * names->Y + y] = own == CAU_UNKNOWN ? 0 : marginal[t * m->Y + own];
        }
}

/* Compares label marginals p = t p_in + (1-t) p_out for MaxEnt and for a CRF, whose chain has the
 * marginals of the mixture. A MEMM is mixed at each step, so only its first position is
 * compared. */
static void test_interpolate(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++) {
        make_domains(all, 10 + (uint64_t)model);
        const cau_train_options o = options_of(model);
        caucus_data *data = read_domains(ctx, all, DOMAINS);
        caucus_model *in = train_on_file(ctx, file_of(all, 0, 1, 1, PLAIN), &o);
        caucus_model *out = train_on_file(ctx, file_of(all, 1, DOMAINS, 1, PLAIN), &o);
        for (int step = 0; step <= 4; step++) {
            const double alpha = step / 4.;
            caucus_model *m = baseline(ctx, data, CAU_METHOD_INTERPOLATE, &o, alpha);
            assert_near(sample_info(m, "interpolation"), alpha, 1e-9);
            assert_near(sample_info(m, "in.instances"), (double)instances(&all[0]), 0);
            assert_int_equal(m->Y, 4);
            assert_int_equal(m->pool.per,
                             model == CAU_MODEL_CRF ? CAU_PER_SEQUENCE : CAU_PER_TRANSITION);
            const uint32_t D = cau_model_label_find(m, (cau_str){"D", 1});
            for (size_t d = 0; d < DOMAINS; d++)
                for (size_t s = 0; s < all[d].S; s++) {
                    double p[3][LONGEST * 4];
                    marginals_of(ctx, in, &all[d], s, m, p[0]);
                    marginals_of(ctx, out, &all[d], s, m, p[1]);
                    marginals_of(ctx, m, &all[d], s, m, p[2]);
                    const size_t T = model == CAU_MODEL_MEMM ? 1 : all[d].T[s];
                    for (size_t i = 0; i < T * m->Y; i++)
                        assert_near(p[2][i], alpha * p[0][i] + (1 - alpha) * p[1][i], 1e-4);
                    if (step == 4) /* a label that the target model lacks */
                        for (size_t t = 0; t < all[d].T[s]; t++) assert_true(p[2][t * 4 + D] == 0);
                }
            cau_model_free(m);
        }
        cau_model_free(in);
        cau_model_free(out);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* All steps of a MEMM: p(y_t | y_{t-1}) is mixed and summed over the previous labels. A label that
 * a member lacks has probability 0 in it, and after such a label the member uses the observations
 * alone. */
static void test_interpolated_memm(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    make_domains(all, 77);
    const cau_train_options o = options_of(CAU_MODEL_MEMM);
    caucus_data *data = read_domains(ctx, all, 2);
    const double alpha[] = {.3, .7};
    caucus_model *m = baseline(ctx, data, CAU_METHOD_INTERPOLATE, &o, alpha[0]);
    caucus_model *side[] = {train_on_file(ctx, file_of(all, 0, 1, 1, PLAIN), &o),
                            train_on_file(ctx, file_of(all, 1, 2, 1, PLAIN), &o)};
    const size_t Y = m->Y;
    for (size_t s = 0; s < all[0].S; s++) {
        double before[4] = {0}, now[4], want[LONGEST * 4];
        marginals_of(ctx, m, &all[0], s, m, want);
        for (size_t t = 0; t < all[0].T[s]; t++) {
            const baselines_token *at = &all[0].at[s][t];
            memset(now, 0, sizeof now);
            for (size_t from = 0; from < (t ? Y : 1); from++)
                for (size_t j = 0; j < 2; j++) {
                    double e[4], z = 0;
                    const cau_str last = {cau_model_label(m, from), 1};
                    const uint32_t f = cau_model_label_find(side[j], last);
                    for (size_t y = 0; y < Y; y++) {
                        const char *name = cau_model_label(m, y);
                        const uint32_t own = cau_model_label_find(side[j], (cau_str){name, 1});
                        double score = 0;
                        for (size_t i = 0; i < at->count; i++)
                            score += at->value[i] *
                                     weight_of(side[j], &side[j]->nodes,
                                               (cau_str){at->name[i], strlen(at->name[i])}, name);
                        if (t && f != CAU_UNKNOWN && own != CAU_UNKNOWN)
                            score += (double)side[j]->transitions[f * side[j]->Y + own];
                        z += e[y] = own == CAU_UNKNOWN ? 0 : exp(score);
                    }
                    for (size_t y = 0; y < Y; y++)
                        now[y] += (t ? before[from] : 1) * alpha[j] * e[y] / z;
                }
            for (size_t y = 0; y < Y; y++) assert_near(now[y], want[t * Y + y], 1e-4);
            memcpy(before, now, sizeof now);
        }
    }
    cau_model_free(m);
    cau_model_free(side[0]);
    cau_model_free(side[1]);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The best interpolation weight, found by trying all of them. */
static void test_weigh(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS], held[DOMAINS];
    for (uint64_t seed = 0; seed < 6; seed++) {
        make_domains(all, seed);
        make_domains(held, seed + 100);
        const char *paths[] = {file_of(all, 0, 1, 1, PLAIN), file_of(all, 1, 2, 1, PLAIN)};
        const cau_data_options how = {.read = {.format = CAU_FORMAT_CRFSUITE},
                                      .by = "file",
                                      .test = file_of(held, seed % 2, seed % 2 + 1, 1, PLAIN)};
        cau_train_options o = options_of((cau_model_choice)(CAU_MODEL_MAXENT + seed % 3));
        o.l2 = .01;
        caucus_data *data = NULL;
        assert_ok(ctx, cau_data_read(ctx, &how, paths, 2, &data));
        caucus_model *m = baseline(ctx, data, CAU_METHOD_INTERPOLATE, &o, .5);
        double t = -1;
        size_t right[21], most = 0;
        assert_ok(ctx, cau_baseline_weigh(ctx, m, data, 1, &t));
        for (int i = 0; i <= 20; i++) {
            uint32_t labels[MOST * LONGEST];
            caucus_model *tried = baseline(ctx, data, CAU_METHOD_INTERPOLATE, &o, i / 20.);
            assert_ok(ctx, cau_apply_set(ctx, tried, data, &data->test, 1, labels, NULL));
            right[i] = 0;
            for (size_t n = 0; n < data->test.N; n++) right[i] += labels[n] == data->test.gold[n];
            if (right[i] > most) most = right[i];
            cau_model_free(tried);
        }
        const int got = (int)lround(t * 20);
        assert_int_equal(right[got], most);
        for (int i = 0; i <= 20; i++)
            if (right[i] == most)
                assert_true(abs(got - 10) < abs(i - 10) ||
                            (abs(got - 10) == abs(i - 10) && got <= i));
        caucus_model single = member_of(m, 0);
        assert_fails(ctx, cau_baseline_weigh(ctx, &single, data, 1, &t), CAUCUS_ERR_ARGUMENT,
                     "not an interpolation");
        cau_model_free(m);
        cau_data_free(data);
    }
    caucus_ctx_free(ctx);
}

/* ---- prior --------------------------------------------------------------------------------- */

/* At the optimum, for every feature and class, intercepts included,
 *     sum_n ( p(y|x_n) - [y_n = y] ) x_nk + l2 ( w_ky - mean_ky ) = 0
 * Features that only other domains have keep their weights. Classes that the target data lacks get
 * smaller weights. */
static void test_prior(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    make_domains(all, 5);
    cau_train_options o = options_of(CAU_MODEL_MAXENT);
    caucus_data *data = read_domains(ctx, all, DOMAINS);
    caucus_model *mean = train_on_file(ctx, file_of(all, 1, DOMAINS, 1, PLAIN), &o);
    for (int unbiased = 0; unbiased < 2; unbiased++) {
        o.no_bias = unbiased;
        if (unbiased) {
            cau_model_free(mean);
            mean = train_on_file(ctx, file_of(all, 1, DOMAINS, 1, PLAIN), &o);
        }
        caucus_model *m = baseline(ctx, data, CAU_METHOD_PRIOR, &o, 0);
        assert_int_equal(m->Y, 4);
        assert_true(strstr(cau_model_info(m, "mean"), "maxent of"));
        assert_non_null(cau_model_info(m, "out.objective"));
        const size_t K = data->train.K;
        double *g = calloc((K + 1) * 4, sizeof *g);
        for (size_t s = 0; s < all[0].S; s++)
            for (size_t t = 0; t < all[0].T[s]; t++) {
                const baselines_token *at = &all[0].at[s][t];
                double p[4];
                assert_ok(ctx, sample_predict(ctx, m, at->x, at->count, p));
                for (size_t y = 0; y < 4; y++) {
                    const double r = p[y] - (strcmp(cau_model_label(m, y), at->label) == 0);
                    for (size_t i = 0; i < at->count; i++)
                        g[cau_alphabet_find(data->alphabets.names, at->name[i],
                                            strlen(at->name[i])) *
                              4 +
                          y] += r * at->value[i];
                    g[K * 4 + y] += r;
                }
            }
        for (uint32_t k = 0; k < K; k++)
            for (size_t y = 0; y < 4; y++) {
                const cau_str name = cau_alphabet_name(data->alphabets.names, k);
                const char *label = cau_model_label(m, y);
                const double w = weight_of(m, &m->nodes, name, label);
                const double to = weight_of(mean, &mean->nodes, name, label);
                assert_near(g[k * 4 + y] + o.l2 * (w - to), 0, 1e-4);
                if (name.s[0] == 'o') {
                    assert_near(w, to, 1e-7);
                    assert_true(cau_model_find(m, &m->nodes, name.s, name.n) != CAU_UNKNOWN);
                }
            }
        for (size_t y = 0; !unbiased && y < 4; y++) {
            const char *label = cau_model_label(m, y);
            const uint32_t theirs = cau_model_label_find(mean, (cau_str){label, 1});
            const double to = theirs == CAU_UNKNOWN ? 0 : (double)mean->bias[theirs];
            assert_near(g[K * 4 + y] + o.l2 * ((double)m->bias[y] - to), 0, 1e-4);
            if (*label == 'D') assert_true((double)m->bias[y] < to && (double)m->bias[y] > to - 20);
        }
        free(g);
        cau_model_free(m);
    }
    cau_model_free(mean);
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* For chains it equals training on a file with --mean, where the names of the other model are
 * known. */
static void test_prior_of_chains(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    for (cau_model_choice model = CAU_MODEL_MEMM; model <= CAU_MODEL_CRF; model++)
        for (int seen = 0; seen < 2; seen++) {
            make_domains(all, 30);
            cau_train_options o = options_of(model);
            o.states = seen ? CAU_STATES_SEEN : CAU_STATES_ALL;
            o.transitions = seen ? CAU_TRANSITIONS_SEEN : CAU_TRANSITIONS_ALL;
            caucus_data *data = read_domains(ctx, all, DOMAINS), *in = NULL;
            caucus_model *m = baseline(ctx, data, CAU_METHOD_PRIOR, &o, 0), *want = NULL;
            caucus_model *mean = train_on_file(ctx, file_of(all, 1, DOMAINS, 1, PLAIN), &o);
            const char *path = file_of(all, 0, 1, 1, PLAIN);
            const cau_known known = {.alphabets = data->alphabets, .labels = data->labels};
            const cau_data_options how = {.read = {.format = CAU_FORMAT_CRFSUITE}, .known = &known};
            assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &in));
            o.mean = test_path("mean.cau");
            assert_ok(ctx, cau_model_save(ctx, mean, o.mean));
            assert_ok(ctx, cau_fit(ctx, in, &o, 1, 1, &want));
            assert_same(m, want);
            o.prior = mean;
            assert_fails(ctx, cau_fit(ctx, in, &o, 1, 1, &want), CAUCUS_ERR_ARGUMENT,
                         "leave out --mean");
            cau_model_free(m);
            cau_model_free(want);
            cau_model_free(mean);
            cau_data_free(in);
            cau_data_free(data);
        }
    caucus_ctx_free(ctx);
}

/* ---- augment ------------------------------------------------------------------------------- */

static void test_augment(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++)
        for (size_t count = 2; count <= DOMAINS; count++) {
            make_domains(all, 50 + (uint64_t)model);
            const cau_train_options o = options_of(model);
            caucus_data *data = read_domains(ctx, all, count);
            caucus_model *m = baseline(ctx, data, CAU_METHOD_AUGMENT, &o, 0);
            caucus_model *by_hand = train_on_file(ctx, file_of(all, 0, count, 1, COPIES), &o);
            caucus_model *folded = NULL;
            assert_ok(ctx,
                      cau_fold(ctx, by_hand, data->alphabets.names, (cau_str){"@0", 2}, &folded));
            assert_same(m, folded);
            assert_int_equal(m->pool.J, 0);
            for (uint32_t k = 0; k < data->train.K; k++)
                for (size_t y = 0; y < m->Y; y++) {
                    const cau_str name = cau_alphabet_name(data->alphabets.names, k);
                    const char *label = cau_model_label(m, y);
                    char copy[16];
                    const int n = snprintf(copy, sizeof copy, "%s@0", name.s);
                    assert_near(
                        weight_of(m, &m->nodes, name, label),
                        weight_of(by_hand, &by_hand->nodes, name, label) +
                            weight_of(by_hand, &by_hand->nodes, (cau_str){copy, (size_t)n}, label),
                        1e-4);
                }
            assert_true(m->nodes.K <= data->train.K); /* no copies remain */
            cau_model_free(m);
            cau_model_free(by_hand);
            cau_model_free(folded);
            cau_data_free(data);
        }
    caucus_ctx_free(ctx);
}

/* ---- feats --------------------------------------------------------------------------------- */

/* Labels all sequences of a domain with a model. */
static void answer_domain(caucus_ctx *ctx, const caucus_model *m, baselines_domain *d)
{
    for (size_t s = 0; s < d->S; s++) {
        sample_instance items[LONGEST];
        uint32_t path[LONGEST];
        for (size_t t = 0; t < d->T[s]; t++)
            items[t] = (sample_instance){d->at[s][t].x, d->at[s][t].count};
        assert_ok(ctx, sample_label(ctx, m, items, d->T[s], path, NULL, NULL, NULL));
        for (size_t t = 0; t < d->T[s]; t++)
            snprintf(d->at[s][t].answer, sizeof d->at[s][t].answer, "%s%s", CAU_STACK_NAME,
                     cau_model_label(m, path[t]));
    }
}

static void test_feats(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS], held[DOMAINS];
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++)
        for (size_t count = 2; count <= DOMAINS; count++) {
            make_domains(all, 60 + (uint64_t)model);
            make_domains(held, 160 + (uint64_t)model);
            const cau_train_options o = options_of(model);
            caucus_data *data = read_domains(ctx, all, count);
            caucus_model *m = baseline(ctx, data, CAU_METHOD_FEATS, &o, 0);
            caucus_model *first = train_on_file(ctx, file_of(all, 1, count, 1, PLAIN), &o);
            answer_domain(ctx, first, &all[0]);
            answer_domain(ctx, first, &held[0]);
            caucus_model *then = train_on_file(ctx, file_of(all, 0, 1, 1, WITH_ANSWERS), &o);
            const caucus_model main = member_of(m, 1), member = member_of(m, 0);
            assert_int_equal(m->pool.combine, CAU_COMBINE_STACK);
            for (size_t k = 0; k < then->nodes.K; k++)
                for (size_t y = 0; y < then->Y; y++)
                    assert_near(cau_model_weight(&then->nodes, k, y),
                                weight_of(&main, &main.nodes, cau_model_name(&then->nodes, k),
                                          cau_model_label(then, y)),
                                1e-4);
            for (size_t k = 0; k < first->nodes.K; k++)
                for (size_t y = 0; y < first->Y; y++)
                    assert_near(cau_model_weight(&first->nodes, k, y),
                                weight_of(&member, &member.nodes, cau_model_name(&first->nodes, k),
                                          cau_model_label(first, y)),
                                1e-4);
            for (size_t s = 0; s < held[0].S; s++) { /* two steps by hand, and the stack at once */
                sample_instance with[LONGEST], without[LONGEST];
                double p[2][LONGEST * 4];
                uint32_t path[2][LONGEST];
                const size_t T = held[0].T[s];
                for (size_t t = 0; t < T; t++) {
                    baselines_token *at = &held[0].at[s][t];
                    at->x[at->count] = (caucus_feature){at->answer, 1};
                    with[t] = (sample_instance){at->x, at->count + 1};
                    without[t] = (sample_instance){at->x, at->count};
                }
                assert_ok(ctx, sample_label(ctx, then, with, T, path[0], p[0], NULL, NULL));
                assert_ok(ctx, sample_label(ctx, m, without, T, path[1], p[1], NULL, NULL));
                for (size_t t = 0; t < T; t++)
                    for (size_t y = 0; y < m->Y; y++) {
                        const char *name = cau_model_label(m, y);
                        const uint32_t own = cau_model_label_find(then, (cau_str){name, 1});
                        assert_near(p[1][t * m->Y + y],
                                    own == CAU_UNKNOWN ? 0 : p[0][t * then->Y + own], 1e-4);
                    }
            }
            assert_non_null(cau_model_info(m, "out.objective"));
            cau_model_free(m);
            cau_model_free(first);
            cau_model_free(then);
            cau_data_free(data);
        }
    caucus_ctx_free(ctx);
}

/* ---- joining ------------------------------------------------------------------------------- */

/* With edge observations and labels in another order, each member of a joined model gives
 * labellings the same probabilities as its original model, if it has all the weight. */
static void test_join_edges(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    for (cau_model_choice model = CAU_MODEL_MEMM; model <= CAU_MODEL_CRF; model++) {
        cau_train_options o = options_of(model);
        caucus_data *data[] = {sample_columns(ctx, false, 3), sample_columns(ctx, false, 8)};
        caucus_model *m[2] = {NULL, NULL};
        for (size_t i = 0; i < 2; i++) {
            o.states = i ? CAU_STATES_SEEN : CAU_STATES_ALL; /* sparse, then full rows */
            assert_ok(ctx, cau_fit(ctx, data[i], &o, 1, 1, &m[i]));
        }
        assert_true(m[0]->edges.K > 0);
        for (size_t say = 0; say < 2; say++) {
            const double alpha[] = {say == 0, say == 1};
            const cau_join_parts parts = {.member = (const caucus_model *const *)m,
                                          .pool = {.J = 2,
                                                   .combine = CAU_COMBINE_MIXTURE,
                                                   .per = CAU_PER_TRANSITION,
                                                   .alpha = alpha},
                                          .info = {"a\tb\n", 4}};
            caucus_model *joined = NULL;
            assert_ok(ctx, cau_join(ctx, &parts, &joined));
            assert_string_equal(cau_model_info(joined, "a"), "b");
            assert_int_equal(joined->template.n, m[0]->template.n);
            for (size_t k = 0; k < m[say]->edges.K; k++)
                for (size_t c = 0; c < m[say]->Y * m[say]->Y; c++) {
                    const cau_str name = cau_model_name(&m[say]->edges, k);
                    const uint32_t row = cau_model_find(joined, &joined->edges, name.s, name.n);
                    const char *from = cau_model_label(m[say], c / m[say]->Y);
                    const char *to = cau_model_label(m[say], c % m[say]->Y);
                    const size_t cell =
                        cau_model_label_find(joined, (cau_str){from, 1}) * joined->Y +
                        cau_model_label_find(joined, (cau_str){to, 1});
                    const double w = cau_model_weight(&m[say]->edges, k, c);
                    if (row == CAU_UNKNOWN) {
                        assert_true(w == 0);
                        continue;
                    }
                    assert_near(cau_model_weight(&joined->member[say].edges, row, cell), w, 0);
                    assert_near(cau_model_weight(&joined->edges, row, cell), w, 0);
                }
            uint32_t got[64], want[64];
            for (size_t i = 0; model == CAU_MODEL_MEMM && i < 2; i++) {
                assert_true(data[i]->train.N <= 64);
                assert_ok(ctx, cau_apply_set(ctx, joined, data[i], &data[i]->train, 1, got, NULL));
                assert_ok(ctx, cau_apply_set(ctx, m[say], data[i], &data[i]->train, 1, want, NULL));
                assert_memory_equal(got, want, data[i]->train.N * sizeof *got);
            }
            cau_model_free(joined);
        }
        for (size_t i = 0; i < 2; i++) {
            cau_model_free(m[i]);
            cau_data_free(data[i]);
        }
    }
    caucus_ctx_free(ctx);
}

static void test_join_refused(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    make_domains(all, 1);
    const char *path = file_of(all, 0, 1, 1, PLAIN);
    const cau_train_options maxent = options_of(CAU_MODEL_MAXENT), crf = options_of(CAU_MODEL_CRF);
    caucus_model *m[] = {train_on_file(ctx, path, &maxent), train_on_file(ctx, path, &crf)},
                 *out = NULL;
    const double alpha[] = {.5, .5};
    cau_join_parts parts = {.member = (const caucus_model *const *)m,
                            .pool = {.J = 2, .combine = CAU_COMBINE_MIXTURE, .alpha = alpha}};
    assert_fails(ctx, cau_join(ctx, &parts, &out), CAUCUS_ERR_ARGUMENT, "different kinds");
    parts.top = m[0];
    parts.pool.J = 2;
    assert_fails(ctx, cau_join(ctx, &parts, &out), CAUCUS_ERR_ARGUMENT, "cannot be joined");
    parts.pool.J = 0;
    assert_fails(ctx, cau_join(ctx, &parts, &out), CAUCUS_ERR_ARGUMENT, "0 models");
    parts.pool.J = CAU_MEMBERS_MOST + 1;
    assert_fails(ctx, cau_join(ctx, &parts, &out), CAUCUS_ERR_ARGUMENT, "65 models");
    assert_null(out);
    cau_model_free(m[0]);
    cau_model_free(m[1]);
    caucus_ctx_free(ctx);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static const cau_method methods[] = {
    CAU_METHOD_ONLY_IN,      CAU_METHOD_ONLY_OUT, CAU_METHOD_INTERPOLATE, CAU_METHOD_MIX,
    CAU_METHOD_MIX_WEIGHTED, CAU_METHOD_FEATS,    CAU_METHOD_PRIOR,       CAU_METHOD_AUGMENT};
enum { METHODS = sizeof methods / sizeof *methods };

/* Megam's explicit form works for methods that need no added features. */
static void test_explicit_features(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *paths[] = {test_file("in", "1 # a b # b c\n0 # a # b d\n1 # c # a\n", 33),
                           test_file("out", "0 # a b # b c\n1 # e # b d\n0 # c # a\n", 33)};
    const cau_data_options how = {.read = {.format = CAU_FORMAT_MEGAM}, .by = "file"};
    const cau_train_options o = options_of(CAU_MODEL_MAXENT);
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_read(ctx, &how, paths, 2, &data));
    for (size_t i = 0; i < METHODS; i++) {
        caucus_model *m = NULL;
        const caucus_status st = cau_baseline_train(ctx, data, methods[i], &o, .5, 1, 1, &m);
        if (methods[i] == CAU_METHOD_FEATS || methods[i] == CAU_METHOD_AUGMENT)
            assert_fails(ctx, st, CAUCUS_ERR_UNSUPPORTED, "given for each class apart");
        else
            assert_ok(ctx, st);
        cau_model_free(m);
    }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The behaviour of each method if one side has no data or a single label. */
static void test_missing_side(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
        cau_method works[METHODS]; /* terminated by CAU_METHOD_MEGA */
        const char *message;
    } cases[] = {
        {"",
         "A\ta\nB\tb\nA\tb\n",
         {CAU_METHOD_ONLY_OUT, CAU_METHOD_MIX, CAU_METHOD_AUGMENT},
         "no target data"},
        {"A\ta\nB\tb\nA\tb\n",
         "",
         {CAU_METHOD_ONLY_IN, CAU_METHOD_MIX, CAU_METHOD_AUGMENT},
         "no source data"},
        {"A\ta\n",
         "A\ta\nB\tb\n",
         {CAU_METHOD_ONLY_OUT, CAU_METHOD_MIX, CAU_METHOD_MIX_WEIGHTED, CAU_METHOD_PRIOR,
          CAU_METHOD_AUGMENT},
         "the target data: all known labels are 'A'"},
        {"A\ta\nB\tb\n",
         "B\tb\n",
         {CAU_METHOD_ONLY_IN, CAU_METHOD_MIX, CAU_METHOD_MIX_WEIGHTED, CAU_METHOD_AUGMENT},
         "the source data: all known labels are 'B'"},
    };
    caucus_ctx *ctx = test_ctx();
    const cau_train_options o = options_of(CAU_MODEL_MAXENT);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *paths[] = {test_text("in", cases[c].in), test_text("out", cases[c].out)};
        const cau_data_options how = {.read = {.format = CAU_FORMAT_TEXT}, .by = "file"};
        caucus_data *data = NULL;
        assert_ok(ctx, cau_data_read(ctx, &how, paths, 2, &data));
        for (size_t i = 0; i < METHODS; i++) {
            caucus_model *m = NULL;
            bool works = false;
            for (size_t w = 0; w < METHODS; w++) works |= cases[c].works[w] == methods[i];
            const caucus_status st = cau_baseline_train(ctx, data, methods[i], &o, .5, 1, 1, &m);
            if (works)
                assert_ok(ctx, st);
            else
                assert_fails(ctx, st, CAUCUS_ERR_FORMAT, cases[c].message);
            cau_model_free(m);
        }
        caucus_model *m = NULL;
        assert_fails(ctx, cau_baseline_train(ctx, data, CAU_METHOD_MEGA, &o, .5, 1, 1, &m),
                     CAUCUS_ERR_ARGUMENT, "'mega' is not a baseline");
        assert_fails(ctx, cau_baseline_train(ctx, data, CAU_METHOD_ALL, &o, .5, 1, 1, &m),
                     CAUCUS_ERR_ARGUMENT, "'all' is not a baseline");
        cau_data_free(data);
    }
    caucus_data *data = sample_lecture(ctx, 'A');
    caucus_model *m = NULL;
    assert_fails(ctx, cau_baseline_train(ctx, data, CAU_METHOD_MIX, &o, .5, 1, 1, &m),
                 CAUCUS_ERR_ARGUMENT, "which domain");
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

/* The same bytes at any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static baselines_domain all[DOMAINS];
    make_domains(all, 3);
    caucus_data *data = read_domains(ctx, all, DOMAINS);
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model++)
        for (size_t i = 0; i < METHODS; i++) {
            cau_train_options o = options_of(model);
            o.stop.iterations = 10;
            caucus_model *a = NULL, *b = NULL;
            assert_ok(ctx, cau_baseline_train(ctx, data, methods[i], &o, .25, 1, 1, &a));
            assert_ok(ctx, cau_baseline_train(ctx, data, methods[i], &o, .25, 1, 3, &b));
            assert_same_model(a, b);
            cau_model_free(a);
            cau_model_free(b);
        }
    cau_data_free(data);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_method method;
    cau_train_options o;
} baselines_memory_case;

static caucus_status train_once(void *self)
{
    const baselines_memory_case *c = self;
    caucus_model *m = NULL;
    double t;
    caucus_status st = cau_baseline_train(c->ctx, c->data, c->method, &c->o, .5, 1, 1, &m);
    if (!st && c->method == CAU_METHOD_INTERPOLATE)
        st = cau_baseline_weigh(c->ctx, m, c->data, 1, &t);
    cau_model_free(m);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static const char in[] = "A\ta\nB\tb:2\n\nA\ta\n\n", out[] = "A\tb\nC\tc\n\nB\tc\n\n";
    const char *paths[] = {test_file("in", in, sizeof in - 1),
                           test_file("out", out, sizeof out - 1)};
    const cau_data_options how = {.read = {.format = CAU_FORMAT_CRFSUITE},
                                  .by = "file",
                                  .test = test_file("test", "A\tb\n", 4)};
    baselines_memory_case c = {.ctx = test_ctx()};
    caucus_data *data = NULL;
    assert_ok(c.ctx, cau_data_read(c.ctx, &how, paths, 2, &data));
    c.data = data;
    for (cau_model_choice model = CAU_MODEL_MAXENT; model <= CAU_MODEL_CRF; model += 2)
        for (size_t i = 0; i < METHODS; i++) {
            c.method = methods[i];
            c.o = options_of(model);
            c.o.stop.iterations = 1;
            assert_true(test_every_allocation(train_once, &c) > 20);
        }
    cau_data_free(data);
    caucus_ctx_free(c.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_model),
        cmocka_unit_test(test_interpolate),
        cmocka_unit_test(test_interpolated_memm),
        cmocka_unit_test(test_weigh),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_prior_of_chains),
        cmocka_unit_test(test_augment),
        cmocka_unit_test(test_feats),
        cmocka_unit_test(test_join_edges),
        cmocka_unit_test(test_join_refused),
        cmocka_unit_test(test_explicit_features),
        cmocka_unit_test(test_missing_side),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("adapt/baselines", tests, NULL, NULL);
}
