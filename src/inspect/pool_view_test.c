/* pool_view_test.c - the experts of a pool: their features counted one by one, their labels on data
 * compared with an enumeration of all labellings. */

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/apply_sample.h"

/* ---- as text ------------------------------------------------------------------------- */

/* Both experts use x, the first y, the second z. */
static const double first[] = {2, 0, /**/ 1, -3, /**/ 0, 0};
static const double second[] = {0, 1, /**/ 0, 0, /**/ 0, -0.5};
static const double alphas[] = {0.75, 0.25};
static const tiny small = {.names = "x|y|z",
                           .labels = "a|b",
                           .read = {.format = CAU_FORMAT_TEXT},
                           .info = "expert.1.name\twords\\t\nsolver\tlbfgs\n",
                           .pool = {.J = 2, .alpha = alphas},
                           .member =
                               (const cau_member_part[]){{.nodes = first}, {.nodes = second}}};

/* The part of the output about the experts. */
static const char *experts_in(const cau_strbuf *out)
{
    const char *at = strstr(out->s, "\nexperts: ");
    assert_non_null(at);
    return at + 1;
}

static void test_text_output(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    assert_ok(ctx, tiny_inspect(ctx, &small, &(cau_inspect_options){.top = 10}, &out));
    assert_string_equal(experts_in(&out),
                        "experts: 2, product by sequence\n"
                        "expert  name        alpha  features  weights  only here\n"
                        "     1  words\\t  0.750000         2        3          1\n"
                        "     2  -        0.250000         2        2          1\n"
                        "  pool                            3\n"
                        "\n"
                        "overlap of active features (Jaccard)\n"
                        "        1       2\n"
                        "1  1.0000  0.3333\n"
                        "2  0.3333  1.0000\n"
                        "\n"
                        "only expert 1\n"
                        "  -3.000000  y  b\n"
                        "\n"
                        "only expert 2\n"
                        "  -0.500000  z  b\n");
    out.n = 0;
    /* Expert 1 scores (2, 0) for x and (1, -3) for y, expert 2 (0, 1) and (0, 0), the pool the sums
     * (1.5, 0.25) and (0.75, -2.25): they differ on x. "c" is no label, "?" is not told. */
    const char *data = test_text("data.txt", "a\tx\na\ty\nb\tx\nc\ty\n?\tx\n");
    assert_ok(ctx, tiny_inspect(ctx, &small, &(cau_inspect_options){.members = data}, &out));
    const double one = exp(2) / (1 + exp(2)), two = 1 / (1 + exp(1)), all = 1 / (1 + exp(-1.25));
    const double four = 1 / (1 + exp(-4)), half = 0.5, three = 1 / (1 + exp(-3));
    const double on_x = 0.75 * (all * log(all / one) + (1 - all) * log((1 - all) / (1 - one))) +
                        0.25 * (all * log(all / two) + (1 - all) * log((1 - all) / (1 - two)));
    const double on_y =
        0.75 * (three * log(three / four) + (1 - three) * log((1 - three) / (1 - four))) +
        0.25 * (three * log(three / half) + (1 - three) * log((1 - three) / half));
    char want[1000];
    snprintf(want, sizeof want,
             "experts: 2, product by sequence\n"
             "expert  name        alpha  features  weights  only here  accuracy\n"
             "     1  words\\t  0.750000         2        3          1    0.5000\n"
             "     2  -        0.250000         2        2          1    0.5000\n"
             "  pool                            3                        0.5000\n"
             "\n"
             "overlap of active features (Jaccard)\n"
             "        1       2\n"
             "1  1.0000  0.3333\n"
             "2  0.3333  1.0000\n"
             "\n"
             "share of 5 positions where experts differ\n"
             "        1       2\n"
             "1  0.0000  0.6000\n"
             "2  0.6000  0.0000\n"
             "\n"
             "disagreement  0.600000  mean of these shares over all pairs\n"
             "ambiguity     %.6f  nats: mean divergence of the experts from the pool, weighted by "
             "alpha\n",
             (3 * on_x + 2 * on_y) / 5);
    assert_string_equal(experts_in(&out), want);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* ---- features, counted one by one ---------------------------------------------------- */

enum { J = 3, Y = 3, K = 40, E = 10 };

typedef struct {
    double nodes[J][K * Y], edges[J][E * Y * Y], plain[J][Y * Y], bias[J][Y];
    double alpha[J];
    cau_member_part member[J];
    cau_strbuf names, edge_names;
    tiny parts;
} random_pool;

static void random_weights(cau_rng *rng, double density, size_t n, double *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = cau_rng_real(rng) < density ? ((double)cau_rng_below(rng, 17) - 8) / 4 : 0;
}

/* Names are w0, w1 .. and, on edges, e0, e1 ..; with `apart` there are none on edges. */
static void make_big(random_pool *b, uint64_t seed, double density, bool apart)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    *b = (random_pool){
        .parts = {.kind = apart ? CAU_KIND_MAXENT : CAU_KIND_CRF,
                  .labels = "a|b|c",
                  .apart = apart,
                  .read = {.format = apart ? CAU_FORMAT_MEGAM : CAU_FORMAT_COLUMNS, .columns = 1},
                  .pool = {.J = J, .alpha = b->alpha},
                  .member = b->member}};
    for (size_t k = 0; k < K; k++) cau_strbuf_printf(&b->names, "%sw%zu", k ? "|" : "", k);
    for (size_t k = 0; k < E; k++) cau_strbuf_printf(&b->edge_names, "%se%zu", k ? "|" : "", k);
    b->parts.names = b->names.s;
    if (!apart) b->parts.edge_names = b->edge_names.s;
    for (size_t j = 0; j < J; j++) {
        random_weights(&rng, density, K * Y, b->nodes[j]);
        random_weights(&rng, density, E * Y * Y, b->edges[j]);
        random_weights(&rng, 1, Y * Y, b->plain[j]);
        random_weights(&rng, 1, Y, b->bias[j]);
        b->alpha[j] = 0.2 + 0.1 * (double)j;
        b->member[j] = (cau_member_part){b->nodes[j], apart ? NULL : b->edges[j],
                                         apart ? NULL : b->plain[j], b->bias[j]};
    }
}

static void clear_big(random_pool *b)
{
    cau_strbuf_clear(&b->names);
    cau_strbuf_clear(&b->edge_names);
}

/* Weights of expert j in row k; the rows of the edges come after those of the nodes. */
static const double *row_of(const random_pool *b, size_t j, size_t k, size_t *width)
{
    *width = k < K ? (b->parts.apart ? 1 : Y) : Y * Y;
    return k < K ? b->nodes[j] + k * *width : b->edges[j] + (k - K) * *width;
}

static size_t weights_in(const random_pool *b, size_t j, size_t k, double *strongest, size_t *cell)
{
    size_t width, count = 0;
    const double *w = row_of(b, j, k, &width);
    *strongest = 0;
    for (size_t i = 0; i < width; i++) {
        count += w[i] != 0;
        if (fabs(w[i]) > fabs(*strongest)) *strongest = w[i], *cell = i;
    }
    return count;
}

static double at(const json_t *matrix, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

/* Finds the strongest rows that only expert j uses, by searching for the largest again and again.
 */
static void check_only(const random_pool *b, size_t j, size_t rows, const bool (*active)[K + E],
                       const json_t *only, size_t top, size_t alone)
{
    static const char *const labels[] = {"a", "b", "c"};
    bool used[K + E] = {0};
    assert_int_equal(json_array_size(only), alone < top ? alone : top);
    for (size_t n = 0; n < json_array_size(only); n++) {
        size_t best = SIZE_MAX, cell = 0;
        double most = 0;
        for (size_t k = 0; k < rows; k++) {
            size_t others = 0, c = 0;
            double w;
            for (size_t i = 0; i < J; i++) others += i != j && active[i][k];
            weights_in(b, j, k, &w, &c);
            if (!active[j][k] || others || used[k] || fabs(w) <= fabs(most)) continue;
            best = k, cell = c, most = w;
        }
        assert_true(best != SIZE_MAX);
        used[best] = true;
        const json_t *entry = json_array_get(only, n);
        char name[32];
        snprintf(name, sizeof name, best < K ? "w%zu" : "e%zu", best < K ? best : best - K);
        assert_text_at(entry, "feature", name);
        assert_near(cau_number_at(entry, "weight"), most, 1e-8);
        if (best >= K) {
            assert_text_at(entry, "from", labels[cell / Y]);
            assert_text_at(entry, "to", labels[cell % Y]);
        } else if (b->parts.apart) {
            assert_null(cau_at(entry, "label"));
        } else {
            assert_text_at(entry, "label", labels[cell]);
        }
    }
}

static void check_counts(uint64_t seed, double density, bool apart, uint64_t top)
{
    static random_pool b;
    make_big(&b, seed, density, apart);
    const size_t rows = apart ? K : K + E;
    bool active[J][K + E] = {{0}};
    size_t weights[J] = {0}, features[J] = {0}, alone[J] = {0}, any = 0;
    for (size_t k = 0; k < rows; k++) {
        size_t users = 0, last = 0;
        for (size_t j = 0; j < J; j++) {
            double w;
            size_t cell, n = weights_in(&b, j, k, &w, &cell);
            weights[j] += n;
            active[j][k] = n > 0;
            features[j] += n > 0;
            users += n > 0;
            if (n) last = j;
        }
        any += users > 0;
        alone[last] += users == 1;
    }

    json_t *root = tiny_json(&b.parts, (cau_inspect_options){.top = top});
    const json_t *experts = cau_at(root, "experts");
    const json_t *members = cau_at(experts, "members");
    const json_t *jaccard = cau_at(experts, "jaccard");
    assert_int_equal(cau_number_at(experts, "features"), any);
    assert_null(cau_at(experts, "data"));
    assert_int_equal(json_array_size(members), J);
    for (size_t j = 0; j < J; j++) {
        const json_t *member = json_array_get(members, j);
        assert_true(json_is_null(cau_at(member, "name")));
        assert_near(cau_number_at(member, "alpha"), b.alpha[j], 1e-8);
        assert_int_equal(cau_number_at(member, "features"), features[j]);
        assert_int_equal(cau_number_at(member, "weights"), weights[j]);
        assert_int_equal(cau_number_at(member, "alone"), alone[j]);
        assert_null(cau_at(member, "accuracy"));
        check_only(&b, j, rows, active, cau_at(member, "only"), top, alone[j]);
        for (size_t i = 0; i < J; i++) {
            size_t both = 0, either = 0;
            for (size_t k = 0; k < rows; k++) {
                both += active[i][k] && active[j][k];
                either += active[i][k] || active[j][k];
            }
            assert_near(at(jaccard, i, j), either ? (double)both / (double)either : 1, 1e-8);
        }
    }
    json_decref(root);
    clear_big(&b);
}

static void test_features(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        check_counts(seed, 0.02, false, 3);
        check_counts(seed, 0.1, false, 1000000000);
        check_counts(seed, 0.3, false, 1);
        check_counts(seed, 0.9, false, 10); /* dense */
        check_counts(seed, 0.3, true, 5);
        check_counts(seed, 0, false, 5);
    }
}

/* ---- data, by enumeration ------------------------------------------------------------ */

enum { TOKENS = 3, LONGEST = 4, SENTENCES = 25 };

/* A pool of CRFs over three words, with words on nodes and edges. */
typedef struct {
    double nodes[J][TOKENS * Y], edges[J][TOKENS * Y * Y], plain[J][Y * Y];
    cau_member_part member[J];
    tiny parts;
} crf_pool;

static const double votes[J] = {0.5, 0.3, 0.2};

static void make_crfs(crf_pool *c, cau_pool pool)
{
    cau_rng rng;
    cau_rng_init(&rng, 5);
    pool.J = J;
    pool.alpha = votes;
    *c = (crf_pool){.parts = {.kind = CAU_KIND_CRF,
                              .names = "U:x|U:y|U:z",
                              .labels = "a|b|c",
                              .edge_names = "B:x|B:y|B:z",
                              .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
                              .template = "U:%x[0,0]\nB:%x[0,0]\nB\n",
                              .pool = pool,
                              .member = c->member}};
    for (size_t j = 0; j < J; j++) {
        random_weights(&rng, 0.9, TOKENS * Y, c->nodes[j]);
        random_weights(&rng, 0.5, TOKENS * Y * Y, c->edges[j]);
        random_weights(&rng, 0.9, Y * Y, c->plain[j]);
        c->member[j] = (cau_member_part){c->nodes[j], c->edges[j], c->plain[j], NULL};
    }
}

/* The score of a labelling by member j; word t has weights on the edge into t as well. */
static double score_of(const crf_pool *c, size_t j, size_t T, const size_t *word, const size_t *y)
{
    double s = 0;
    for (size_t t = 0; t < T; t++) {
        s += c->nodes[j][word[t] * Y + y[t]];
        if (t == 0) continue;
        const size_t pair = y[t - 1] * Y + y[t];
        s += c->plain[j][pair] + c->edges[j][word[t] * Y * Y + pair];
    }
    return s;
}

/* Marginals [T][Y] and best labelling of the members and, as J, of the pool: a product, or a
 * mixture that chooses each label for itself. */
typedef struct {
    double p[J + 1][LONGEST][Y];
    size_t best[J + 1][LONGEST];
} pool_marginals;

static void enumerate(const crf_pool *c, size_t T, const size_t *word, pool_marginals *out)
{
    double z[J + 1] = {0}, most[J + 1];
    const bool product = c->parts.pool.combine == CAU_COMBINE_PRODUCT;
    *out = (pool_marginals){0};
    size_t labellings = 1;
    for (size_t t = 0; t < T; t++) labellings *= Y;
    for (size_t n = 0; n < labellings; n++) {
        size_t y[LONGEST];
        for (size_t t = 0, rest = n; t < T; t++, rest /= Y) y[t] = rest % Y;
        double s[J + 1] = {0};
        for (size_t j = 0; j < J; j++) {
            s[j] = score_of(c, j, T, word, y);
            s[J] += votes[j] * s[j];
        }
        for (size_t j = 0; j <= J; j++) {
            z[j] += exp(s[j]);
            for (size_t t = 0; t < T; t++) out->p[j][t][y[t]] += exp(s[j]);
            if (n && s[j] <= most[j]) continue;
            most[j] = s[j];
            memcpy(out->best[j], y, sizeof y);
        }
    }
    for (size_t j = 0; j <= J; j++)
        for (size_t t = 0; t < T; t++)
            for (size_t y = 0; y < Y; y++) out->p[j][t][y] /= z[j];
    for (size_t t = 0; !product && t < T; t++) {
        out->best[J][t] = 0;
        for (size_t y = 0; y < Y; y++) {
            out->p[J][t][y] = 0;
            for (size_t j = 0; j < J; j++) out->p[J][t][y] += votes[j] * out->p[j][t][y];
            if (out->p[J][t][y] > out->p[J][t][out->best[J][t]]) out->best[J][t] = y;
        }
    }
}

static void check_votes(cau_pool pool, const char *mix)
{
    static crf_pool c;
    make_crfs(&c, pool);
    cau_rng rng;
    cau_rng_init(&rng, 9);
    cau_strbuf text = {0};
    double right[J + 1] = {0}, differ[J][J] = {{0}}, ambiguity = 0, positions = 0, labelled = 0;
    for (size_t i = 0; i < SENTENCES; i++) {
        const size_t T = 1 + cau_rng_below(&rng, LONGEST);
        size_t word[LONGEST], gold[LONGEST];
        pool_marginals a;
        for (size_t t = 0; t < T; t++) {
            word[t] = cau_rng_below(&rng, TOKENS);
            gold[t] = cau_rng_below(&rng, Y + 1);
            cau_strbuf_printf(&text, "%c %c\n", "xyz"[word[t]], "abc?"[gold[t]]);
        }
        cau_strbuf_printf(&text, "\n");
        enumerate(&c, T, word, &a);
        for (size_t t = 0; t < T; t++) {
            positions++;
            labelled += gold[t] < Y;
            for (size_t j = 0; j <= J; j++) right[j] += a.best[j][t] == gold[t];
            for (size_t k = 0; k < J * J; k++)
                differ[k / J][k % J] += a.best[k / J][t] != a.best[k % J][t];
            for (size_t j = 0; j < J; j++)
                for (size_t y = 0; y < Y; y++)
                    ambiguity += votes[j] * a.p[J][t][y] * log(a.p[J][t][y] / a.p[j][t][y]);
        }
    }

    const char *data = test_file("votes.txt", text.s, text.n);
    json_t *root = tiny_json(&c.parts, (cau_inspect_options){.members = data});
    const json_t *experts = cau_at(root, "experts");
    const json_t *on_data = cau_at(experts, "data");
    const json_t *matrix = cau_at(on_data, "differ");
    double mean = 0;
    for (size_t j = 0; j < J; j++) {
        const json_t *member = json_array_get(cau_at(experts, "members"), j);
        assert_near(cau_number_at(member, "accuracy"), right[j] / labelled, 1e-8);
        for (size_t i = 0; i < J; i++)
            assert_near(at(matrix, i, j), differ[i][j] / positions, 1e-8);
        for (size_t i = 0; i < j; i++) mean += differ[i][j] / positions / 3;
    }
    assert_true(mean > 0.1);
    assert_near(cau_number_at(on_data, "positions"), positions, 0);
    assert_near(cau_number_at(on_data, "labelled"), labelled, 0);
    assert_near(cau_number_at(on_data, "accuracy"), right[J] / labelled, 1e-8);
    assert_near(cau_number_at(on_data, "disagreement"), mean, 1e-8);
    assert_near(cau_number_at(on_data, "ambiguity"), ambiguity / positions, 1e-7);
    assert_text_at(experts, "combine", pool.combine == CAU_COMBINE_PRODUCT ? "product" : "mixture");
    assert_text_at(experts, "per", "sequence");
    if (mix)
        assert_text_at(experts, "mix", mix);
    else
        assert_true(json_is_null(cau_at(experts, "mix")));
    json_decref(root);
    cau_strbuf_clear(&text);
}

static void test_votes(void **state)
{
    (void)state;
    check_votes((cau_pool){.combine = CAU_COMBINE_PRODUCT}, NULL);
    check_votes((cau_pool){.combine = CAU_COMBINE_MIXTURE, .mix = CAU_MIX_POSTERIOR}, "posterior");
}

/* The cross entropy of a product of MaxEnt models is the mean of the members' minus the
 * ambiguity. */
static void test_ambiguity(void **state)
{
    (void)state;
    static const double w[2][2] = {{2, -1}, {-1, 0.5}}, alpha[2] = {0.4, 0.6};
    const tiny parts = {.names = "x",
                        .labels = "a|b",
                        .read = {.format = CAU_FORMAT_TEXT},
                        .pool = {.J = 2, .alpha = alpha},
                        .member = (const cau_member_part[]){{.nodes = w[0]}, {.nodes = w[1]}}};
    double loss[3]; /* -log p(a | x) */
    const double sum[2] = {0.4 * 2 - 0.6, -0.4 + 0.6 * 0.5};
    const double *weights[3] = {w[0], w[1], sum};
    for (size_t j = 0; j < 3; j++) loss[j] = log1p(exp(weights[j][1] - weights[j][0]));
    json_t *root =
        tiny_json(&parts, (cau_inspect_options){.members = test_text("one.txt", "a\tx\n")});
    const json_t *on_data = cau_at(root, "experts.data");
    assert_near(cau_number_at(on_data, "ambiguity"), 0.4 * loss[0] + 0.6 * loss[1] - loss[2], 1e-7);
    json_decref(root);
}

/* Only the accuracy needs labels. */
static void test_data_without_labels(void **state)
{
    (void)state;
    json_t *root =
        tiny_json(&small, (cau_inspect_options){.members = test_text("bare.txt", "x\ny\n")});
    const json_t *experts = cau_at(root, "experts");
    const json_t *on_data = cau_at(experts, "data");
    const json_t *member = cau_at(experts, "members.0");
    assert_int_equal(cau_number_at(on_data, "labelled"), 0);
    assert_true(json_is_null(cau_at(on_data, "accuracy")));
    assert_true(json_is_null(cau_at(member, "accuracy")));
    assert_near(cau_number_at(on_data, "disagreement"), 0.5, 1e-8);
    assert_text_at(member, "name", "words\t");
    json_decref(root);
}

/* ---- refusals and memory
 * -------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    tiny mixture = small;
    mixture.pool.combine = CAU_COMBINE_MIXTURE;
    const char *empty = test_text("empty.txt", "");
    const struct {
        const tiny *parts;
        cau_inspect_options options;
        caucus_status want;
        const char *message;
    } cases[] = {
        {&text_model, {.members = empty}, CAUCUS_ERR_ARGUMENT, "this is a single model"},
        {&small, {.members = empty, .dump = true}, CAUCUS_ERR_ARGUMENT, "give one of them"},
        {&small, {.members = empty, .explain = "x"}, CAUCUS_ERR_ARGUMENT, "give one of them"},
        {&small, {.members = empty}, CAUCUS_ERR_FORMAT, "empty.txt: no instances"},
        {&small, {.members = "/no/such/file"}, CAUCUS_ERR_IO, "/no/such/file"},
        {&mixture, {.against = "x"}, CAUCUS_ERR_ARGUMENT, "--against needs --explain"},
        {&mixture,
         {.expectations = empty},
         CAUCUS_ERR_UNSUPPORTED,
         "the experts of this pool vote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(ctx, tiny_inspect(ctx, cases[i].parts, &cases[i].options, &out), cases[i].want,
                     cases[i].message);
    assert_int_equal(out.n, 0);
    assert_ok(ctx, tiny_inspect(ctx, &small, &(cau_inspect_options){.explain = "a\tx"}, &out));
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    static crf_pool c;
    const char *data = test_text("memory.txt", "x a\ny b\n\nz c\n");
    tiny_inspect_without_memory(&small, (cau_inspect_options){.top = 2}, 6);
    make_crfs(&c, (cau_pool){.combine = CAU_COMBINE_PRODUCT});
    tiny_inspect_without_memory(&c.parts, (cau_inspect_options){.top = 2, .members = data}, 30);
    make_crfs(&c, (cau_pool){.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION});
    tiny_inspect_without_memory(&c.parts, (cau_inspect_options){.top = 2, .members = data}, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_output),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_ambiguity),
        cmocka_unit_test(test_data_without_labels),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
