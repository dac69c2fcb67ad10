/* dropped_features_test.c - which features are dropped, and that the rest equals a model without
 * them. */

#include <fnmatch.h>
#include <string.h>

#include "base/rng.h"
#include "infer/score.h"
#include "support/tag_sample.h"

enum { Y = 3, NODES = 5, EDGES = 2, MEMBERS = 2 };

static const char names[] = "U0:p|U0:q|U1:p|U1:q|U1:_B-1", edge_names[] = "B1:p|B1:q";

/* A model and a pool with the same names. */
typedef struct {
    double w[MEMBERS][NODES * Y], edge_w[MEMBERS][EDGES * Y * Y], plain[Y * Y];
    cau_member_part member[MEMBERS];
    tiny parts;
} drop_case;

static const double alpha[] = {0.25, 0.75};

static void world_init(drop_case *x, cau_rng *rng, bool pool)
{
    memset(x, 0, sizeof *x);
    for (size_t j = 0; j < MEMBERS; j++) {
        for (size_t i = 0; i < NODES * Y; i++) x->w[j][i] = 3 * cau_rng_real(rng) - 1.5;
        for (size_t i = 0; i < EDGES * Y * Y; i++) x->edge_w[j][i] = 3 * cau_rng_real(rng) - 1.5;
        x->member[j] =
            (cau_member_part){.nodes = x->w[j], .edges = x->edge_w[j], .transitions = x->plain};
    }
    for (size_t i = 0; i < Y * Y; i++) x->plain[i] = cau_rng_real(rng);
    x->parts = (tiny){.kind = CAU_KIND_CRF,
                      .names = names,
                      .labels = "a|b|c",
                      .w = x->w[0],
                      .edge_names = edge_names,
                      .edge_w = x->edge_w[0],
                      .plain = x->plain,
                      .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
                      .template = "U0:%x[0,0]\nU1:%x[-1,0]\n\nB\nB1:%x[0,0]\n"};
    if (pool) {
        x->parts.pool = (cau_pool){.J = MEMBERS, .combine = CAU_COMBINE_MIXTURE, .alpha = alpha};
        x->parts.member = x->member;
    }
}

static bool fits(const cau_paths *globs, cau_str name)
{
    char text[50];
    memcpy(text, name.s, name.n);
    text[name.n] = '\0';
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->path[i], text, 0) == 0) return true;
    return false;
}

static const char *const lists[][3] = {{"U1:*"}, {"U0:?", "B1:q"}, {"?1:p"},     {"*q", "U1:_B-1"},
                                       {"*"},    {"B1:*", "B1:p"}, {"nothing*"}, {""},
                                       {"U0:p"}};
enum { LISTS = sizeof lists / sizeof *lists };

static cau_paths list(size_t i)
{
    cau_paths globs = {.path = lists[i]};
    while (globs.count < 3 && lists[i][globs.count]) globs.count++;
    return globs;
}

static void test_bits(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 41);
    drop_case x;
    world_init(&x, &rng, false);
    caucus_model *model = tiny_model(&x.parts);
    for (size_t i = 0; i < LISTS; i++) {
        const cau_paths globs = list(i);
        cau_dropped dropped = {0};
        assert_ok(ctx, cau_dropped_init(ctx, &dropped, model, globs));
        const cau_observations *of[] = {&model->nodes, &model->edges};
        const uint64_t *bits[] = {dropped.nodes, dropped.edges};
        for (size_t part = 0; part < 2; part++)
            for (size_t k = 0; k < of[part]->K; k++)
                assert_int_equal(bits[part] && cau_is_dropped(bits[part], k),
                                 fits(&globs, cau_model_name(of[part], k)));
        cau_dropped_clear(&dropped);
    }
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* More rows than a word has bits. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 200 };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    static double w[MANY * 2];
    for (size_t k = 0; k < MANY; k++) {
        cau_strbuf_printf(&text, "%sf%03zu", k ? "|" : "", k);
        w[2 * k] = 1;
    }
    const tiny parts = {.names = text.s, .labels = "a|b", .w = w};
    caucus_model *model = tiny_model(&parts);
    const char *const glob[] = {"f?6*"};
    cau_dropped dropped = {0};
    assert_ok(ctx, cau_dropped_init(ctx, &dropped, model, (cau_paths){1, glob}));
    assert_null(dropped.edges);
    for (size_t k = 0; k < MANY; k++)
        assert_int_equal(cau_is_dropped(dropped.nodes, k), k / 10 % 10 == 6);
    cau_dropped_clear(&dropped);
    cau_model_free(model);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

static char *tag(const drop_case *x, const cau_tag_options *options, unsigned threads)
{
    return tiny_tagged(&x->parts, options, threads,
                       "p a\nq b\nr a\np c\n\nq a\n\nq a\np a\n\nr c\n");
}

/* The weights of the dropped features are 0, so the file has no such rows. */
static void forget(drop_case *x, const cau_paths *globs)
{
    for (size_t j = 0; j < MEMBERS; j++) {
        for (size_t k = 0; k < NODES; k++)
            if (fits(globs, tiny_item(names, k))) memset(x->w[j] + k * Y, 0, Y * sizeof *x->w[j]);
        for (size_t k = 0; k < EDGES; k++)
            if (fits(globs, tiny_item(edge_names, k)))
                memset(x->edge_w[j] + k * Y * Y, 0, Y * Y * sizeof *x->edge_w[j]);
    }
}

static void test_as_if_never_seen(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 42);
    for (size_t i = 0; i < LISTS; i++)
        for (int pool = 0; pool < 2; pool++) {
            const cau_paths globs = list(i);
            cau_tag_options options = {.probabilities = true, .nbest = 2};
            drop_case x;
            world_init(&x, &rng, pool);
            char *whole = tag(&x, &options, 1);
            options.drop = globs;
            for (unsigned threads = 1; threads < 4; threads++) {
                drop_case without = x;
                for (size_t j = 0; j < MEMBERS; j++)
                    without.member[j] =
                        (cau_member_part){without.w[j], without.edge_w[j], without.plain, NULL};
                without.parts.w = without.w[0];
                without.parts.edge_w = without.edge_w[0];
                without.parts.member = without.member;
                forget(&without, &globs);
                options.chunk = threads == 1 ? 0 : 5;
                char *got = tag(&x, &options, threads);
                options.drop = (cau_paths){0};
                char *want = tag(&without, &options, 1);
                options.drop = globs;
                assert_string_equal(got, want);
                const bool changes = *lists[i][0] && strcmp(lists[i][0], "nothing*") != 0;
                assert_int_equal(strcmp(got, whole) != 0, changes);
                free(got);
                free(want);
            }
            free(whole);
        }
}

static void test_notes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0};
    cau_rng rng;
    cau_rng_init(&rng, 43);
    drop_case x;
    world_init(&x, &rng, false);
    caucus_model *model = tiny_model(&x.parts);
    caucus_on_note(ctx, collect_note, &notes);
    const char *const globs[] = {"U0:*", "U7:*", "B1:p"};
    cau_dropped dropped = {0};
    assert_ok(ctx, cau_dropped_init(ctx, &dropped, model, (cau_paths){3, globs}));
    cau_dropped_clear(&dropped);
    assert_string_equal(notes.s, "--drop U7:*: no feature of the model has such a name; `caucus "
                                 "inspect` shows some\n");
    cau_strbuf_clear(&notes);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
} dropped_features_run;

static caucus_status run(void *self)
{
    const dropped_features_run *r = self;
    cau_dropped dropped = {0};
    caucus_status st = cau_dropped_init(r->ctx, &dropped, r->model, list(3));
    cau_dropped_clear(&dropped);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 44);
    drop_case x;
    world_init(&x, &rng, false);
    caucus_model *model = tiny_model(&x.parts);
    dropped_features_run r = {test_ctx(), model};
    assert_int_equal(test_every_allocation(run, &r), 2);
    cau_model_free(model);
    caucus_ctx_free(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_notes),  cmocka_unit_test(test_as_if_never_seen),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
