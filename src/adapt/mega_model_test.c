#include "base/status.h"
#include "support/mega_sample.h"

/* ---- a model as whoever applies it sees it --------------------------------------------------- */

/* The number of observation k in the model, CAU_UNKNOWN if it was dropped. */
static uint32_t id_of(const caucus_model *model, const cau_observations *of,
                      const cau_alphabet *names, size_t k)
{
    const cau_str name = cau_alphabet_name(names, (uint32_t)k);
    return cau_model_find(model, of, name.s, name.n);
}

/* Expert weights of the pool at instance n: say_j ~ alpha_j exp(base_j + sum of its features). */
static void expert_weights(const caucus_model *model, const caucus_data *data, size_t i,
                           double *say)
{
    const size_t J = model->pool.J;
    const cau_csr *x = &data->train.x;
    double sum = 0, most = -INFINITY;
    for (size_t j = 0; j < J; j++) {
        say[j] = model->gate.base[j];
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
            const uint32_t k = id_of(model, &model->nodes, data->alphabets.names, x->column[e]);
            if (k != CAU_UNKNOWN) say[j] += (double)model->gate.weight[k * J + j];
        }
        most = fmax(most, say[j]);
    }
    for (size_t j = 0; j < J; j++) {
        say[j] = model->pool.alpha[j] * exp(say[j] - most);
        sum += say[j];
    }
    for (size_t j = 0; j < J; j++) say[j] /= sum;
}

/* p_j(y|x) of a member at instance i of the data, after label `before` (CAU_UNKNOWN: the first). */
static void member_labels(const caucus_model *model, const cau_member *member,
                          const caucus_data *data, size_t i, uint32_t before, double *p)
{
    const cau_dataset *set = &data->train;
    const size_t Y = model->Y;
    double sum = 0;
    for (size_t y = 0; y < Y; y++) {
        double s = member->bias ? (double)member->bias[y] : 0;
        for (size_t e = set->x.start[i]; e < set->x.start[i + 1]; e++) {
            const uint32_t k = id_of(model, &model->nodes, data->alphabets.names, set->x.column[e]);
            const double value = set->x.value ? (double)set->x.value[e] : 1;
            if (k != CAU_UNKNOWN) s += value * cau_model_weight(&member->nodes, k, y);
        }
        if (before != CAU_UNKNOWN && member->transitions)
            s += (double)member->transitions[before * Y + y];
        for (size_t e = set->E ? set->e.start[i] : 0; set->E && e < set->e.start[i + 1]; e++) {
            const uint32_t k = id_of(model, &model->edges, data->alphabets.edges, set->e.column[e]);
            if (k != CAU_UNKNOWN) s += cau_model_weight(&member->edges, k, before * Y + y);
        }
        p[y] = exp(s);
        sum += p[y];
    }
    for (size_t y = 0; y < Y; y++) p[y] /= sum;
}

/* ---- problems -------------------------------------------------------------------------------- */

typedef struct {
    caucus_ctx *ctx;
    caucus_data *data;
    cau_domains domains;
    cau_mega mega;
} mega_model_problem;

/* Opens a problem with random parameters. */
static void open_problem(mega_model_problem *p, caucus_data *data, bool chain, bool seen, bool bias,
                         bool tied)
{
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.seen = seen;
    o.tied = tied;
    o.no_bias = !bias;
    o.nb_features = 4;
    p->data = data;
    assert_ok(p->ctx, cau_domains_init(p->ctx, data, chain, &p->domains));
    assert_ok(p->ctx, cau_mega_init(p->ctx, &p->domains, &o, &p->mega));
    sample_parameters(&p->mega, .8, 17);
}

static void close_problem(mega_model_problem *p)
{
    cau_mega_clear(&p->mega);
    cau_domains_clear(&p->domains);
    cau_data_free(p->data);
    caucus_ctx_free(p->ctx);
}

/* Sequences of a file of columns; the first half is in domain "in". */
static caucus_data *read_columns(caucus_ctx *ctx, const char *pattern)
{
    enum { S = 12 };
    cau_rng rng;
    cau_strbuf text = {0};
    caucus_data *data = NULL;
    uint32_t unit[S];
    cau_rng_init(&rng, 4);
    for (size_t s = 0; s < S; s++) {
        const size_t T = 2 + cau_rng_below(&rng, 4);
        for (size_t t = 0; t < T; t++)
            cau_strbuf_printf(&text, "w%d\t%c\n", (int)cau_rng_below(&rng, 5),
                              "ABC"[cau_rng_below(&rng, 3)]);
        cau_strbuf_printf(&text, "\n");
        unit[s] = s >= S / 2;
    }
    char *template = strdup(test_text("mega.template", pattern));
    const char *path = test_file("mega.txt", text.s, text.n);
    const cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                                  .template = template};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    free(template);
    cau_strbuf_clear(&text);
    sample_units(data, unit);
    return data;
}

/* The model gives all instances of domain 0 the probabilities of the parameters. */
static void assert_same(mega_model_problem *p, const caucus_model *model)
{
    const size_t J = p->mega.D + 1, Y = p->domains.Y;
    const cau_dataset *set = &p->data->train;
    assert_int_equal(model->pool.J, J);
    assert_int_equal(model->pool.combine, CAU_COMBINE_MIXTURE);
    assert_int_equal(model->pool.per, CAU_PER_TRANSITION);
    assert_int_equal(model->kind, p->domains.chain ? CAU_KIND_MEMM : CAU_KIND_MAXENT);
    assert_near(model->pool.alpha[0], 1 - p->mega.pi[0], 1e-15);
    assert_near(model->pool.alpha[J - 1], p->mega.pi[0], 1e-15);
    for (size_t j = 1; j + 1 < J; j++) assert_near(model->pool.alpha[j], 0, 0);

    for (size_t i = 0, s = 0; i < p->domains.begin[1]; i++) { /* "in" comes first in the data */
        while (set->sequence && set->sequence[s + 1] <= i) s++;
        const bool first = !p->domains.chain || !set->sequence || set->sequence[s] == i;
        double say[8], labels[8][8];
        expert_weights(model, p->data, i, say);
        const plain_instance at = plain_at(&p->domains, &p->mega, i);
        assert_near(say[J - 1], at.rho[1] / (at.rho[0] + at.rho[1]), 1e-5);
        for (size_t j = 0; j < J; j++) {
            member_labels(model, &model->member[j], p->data, i,
                          first ? CAU_UNKNOWN : set->gold[i - 1], labels[j]);
            for (size_t y = 0; y < Y; y++)
                assert_near(labels[j][y], plain_label(&p->domains, &p->mega, j, i, y), 1e-5);
        }
    }
}

/* The weights of the whole are the sums of the members' weights. */
static void assert_sums(const caucus_model *model)
{
    const size_t J = model->pool.J, Y = model->Y;
    for (size_t k = 0; k < model->nodes.K; k++)
        for (size_t y = 0; y < Y; y++) {
            double sum = 0;
            for (size_t j = 0; j < J; j++)
                sum += model->pool.alpha[j] * cau_model_weight(&model->member[j].nodes, k, y);
            assert_near(cau_model_weight(&model->nodes, k, y), sum, 1e-6);
        }
    for (size_t i = 0; model->transitions && i < Y * Y; i++) {
        double sum = 0;
        for (size_t j = 0; j < J; j++)
            sum += model->pool.alpha[j] * (double)model->member[j].transitions[i];
        assert_near((double)model->transitions[i], sum, 1e-6);
    }
}

static void test_classifier(void **state)
{
    (void)state;
    for (int which = 0; which < 16; which++) {
        const sample_law law = {.D = 2 + (size_t)(which & 1),
                                .N = 10,
                                .K = 9,
                                .Y = 3,
                                .dense = .3,
                                .apart = .5,
                                .valued = which & 2,
                                .seed = (uint64_t)which};
        mega_model_problem p = {.ctx = test_ctx()};
        caucus_model *model = NULL;
        open_problem(&p, sample_domains(p.ctx, &law), false, which & 4, which & 1, which & 8);
        assert_ok(p.ctx, cau_mega_model(p.ctx, p.data, &p.domains, &p.mega,
                                        (cau_str){"domains\tthree\n", 14}, &model));
        assert_string_equal(cau_model_info(model, "domains"), "three");
        assert_true(p.mega.bias == (model->bias != NULL));
        assert_null(model->transitions);
        assert_same(&p, model);
        assert_sums(model);
        cau_model_free(model);
        close_problem(&p);
    }
}

static void test_chain(void **state)
{
    (void)state;
    static const char *const pattern[] = {"U0:%x[0,0]\nU1:%x[-1,0]\n\nB\nB1:%x[0,0]\n",
                                          "U0:%x[0,0]\n\nB1:%x[0,0]\n", "U0:%x[0,0]\n\nB\n"};
    for (int which = 0; which < 12; which++) {
        mega_model_problem p = {.ctx = test_ctx()};
        caucus_model *model = NULL;
        open_problem(&p, read_columns(p.ctx, pattern[which % 6 / 2]), true, which & 1, true,
                     which >= 6);
        assert_false(p.mega.bias);
        assert_ok(p.ctx,
                  cau_mega_model(p.ctx, p.data, &p.domains, &p.mega, (cau_str){"", 0}, &model));
        assert_null(model->bias);
        assert_true(p.data->transitions == (model->transitions != NULL));
        assert_true((p.data->train.E > 0) == (model->edges.K > 0));
        assert_same(&p, model);
        assert_sums(model);
        cau_model_free(model);
        close_problem(&p);
    }
}

/* p(y_t|y_{t-1},x) of an unrolled MEMM by hand: the weights of an instance's columns are added. */
static void test_unrolled_by_hand(void **state)
{
    (void)state;
    static const char text[] = "u\tA\nv\tB\n\nu\tB\nv\tA\n";
    static const char pattern[] = "U:%x[0,0]\nB\nB:%x[0,0]\n";
    mega_model_problem p = {.ctx = test_ctx()};
    caucus_data *data = NULL;
    char *template = strdup(test_file("hand.template", pattern, sizeof pattern - 1));
    const char *path = test_file("hand.txt", text, sizeof text - 1);
    const cau_data_options how = {.read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1},
                                  .template = template};
    assert_ok(p.ctx, cau_data_read(p.ctx, &how, &path, 1, &data));
    free(template);
    sample_units(data, (uint32_t[]){0, 1});
    open_problem(&p, data, true, false, false, false);

    /* columns u 0, v 1; labels A 0, B 1; after A 2, after B 3; at v after A 4, after B 5 */
    assert_int_equal(p.domains.all.K, 6);
    const double u = .3, v = -.4, after = .9, at_v = 1.7; /* weights of label A; those of B are 0 */
    for (size_t c = 0; c < 3; c++) {
        memset(p.mega.w[c], 0, cau_mega_weights(&p.mega, c) * sizeof(double));
        const double w[6] = {u, v, after, 2 * after, at_v, 2 * at_v};
        for (size_t k = 0; k < 6; k++) {
            const size_t at = cau_table_find(&p.mega.table[c], k, 0);
            if (at != SIZE_MAX) p.mega.w[c][at] = w[k];
        }
    }
    cau_mega_options o = sample_mega_options(CAU_MEGA_CEM);
    o.l2 = 0;
    assert_ok(p.ctx, sample_expect(p.ctx, &p.domains, &o, &p.mega, NULL, NULL));
    const double loss = log(1 + exp(-u)) + log(1 + exp(v + after + at_v)) +        /* A, then B */
                        log(1 + exp(u)) + log(1 + exp(-v - 2 * after - 2 * at_v)); /* B, then A */
    assert_near(p.mega.loss, loss, 1e-12);
    close_problem(&p);
}

static caucus_status build(void *self)
{
    mega_model_problem *p = self;
    caucus_model *model = NULL;
    const caucus_status st =
        cau_mega_model(p->ctx, p->data, &p->domains, &p->mega, (cau_str){"", 0}, &model);
    cau_model_free(model);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    mega_model_problem p = {.ctx = test_ctx()};
    open_problem(&p, read_columns(p.ctx, "U0:%x[0,0]\n\nB\nB1:%x[0,0]\n"), true, true, true, true);
    assert_true(test_every_allocation(build, &p) > 10);
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classifier),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_unrolled_by_hand),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
