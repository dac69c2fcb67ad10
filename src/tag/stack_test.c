/* stack_test.c - stacks, whose features include the labels of another model, compared with two
 * single models and a file between them. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "infer/apply.h"
#include "support/label_sample.h"
#include "support/tag_sample.h"

enum { Y = 3, K = 6, LINES = 40 };

/* The model has features for the labels a and c of its member; the member does not have them. */
typedef struct {
    double w[2][K * Y], plain[2][Y * Y], bias[2][Y];
    cau_member_part member;
} stack_models;

static const double one[] = {1};

static void two_init(stack_models *m, cau_rng *rng)
{
    for (size_t j = 0; j < 2; j++) {
        double *const weights[] = {m->w[j], m->plain[j], m->bias[j]};
        static const size_t counts[] = {K * Y, Y * Y, Y};
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < counts[i]; k++)
                weights[i][k] = (double)cau_rng_below(rng, 16385) / 4096 - 2;
    }
    memset(m->w[0] + 4 * Y, 0, 2 * Y * sizeof(double));
}

static tiny single_of(const stack_models *m, cau_kind kind, size_t j)
{
    const bool chain = kind != CAU_KIND_MAXENT;
    return (tiny){.kind = kind,
                  .names = "x|y|z|v|" CAU_STACK_NAME "a|" CAU_STACK_NAME "c",
                  .labels = "a|b|c",
                  .w = m->w[j],
                  .plain = chain ? m->plain[j] : NULL,
                  .bias = chain ? NULL : m->bias[j],
                  .read = {.format = CAU_FORMAT_CRFSUITE}};
}

static tiny stack_of(stack_models *m, cau_kind kind)
{
    const tiny member = single_of(m, kind, 0);
    tiny parts = single_of(m, kind, 1);
    m->member =
        (cau_member_part){.nodes = member.w, .transitions = member.plain, .bias = member.bias};
    parts.pool = (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = one};
    parts.member = &m->member;
    return parts;
}

/* Lines with some features, and some blank lines. */
static void draw_lines(cau_rng *rng, cau_strbuf *out)
{
    for (size_t line = 0; line < LINES; line++) {
        cau_strbuf_printf(out, "%c", "abc"[cau_rng_below(rng, 3)]);
        for (size_t k = 0; k < 4; k++)
            if (cau_rng_below(rng, 2)) cau_strbuf_printf(out, "\t%c", "xyzv"[k]);
        cau_strbuf_printf(out, cau_rng_below(rng, 5) ? "\n" : "\n\n");
    }
}

/* Adds the labels in the second column of some output to the input, as features. */
static void add_labels(const char *input, const char *answer, cau_strbuf *out)
{
    while (*input) {
        const size_t n = strcspn(input, "\n");
        cau_strbuf_add(out, input, n);
        if (n) cau_strbuf_printf(out, "\t" CAU_STACK_NAME "%c", answer[2]);
        cau_strbuf_add(out, "\n", 1);
        input += n + 1;
        answer += strcspn(answer, "\n") + 1;
    }
}

static void test_two_steps(void **state)
{
    (void)state;
    static const cau_tag_options options[] = {{.probabilities = true},
                                              {.nbest = 3, .label_probability = true},
                                              {.decode = CAU_DECODE_POSTERIOR, .top = 2},
                                              {.forced = true, .sequence_probability = true}};
    cau_rng rng;
    cau_rng_init(&rng, 71);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
        size_t matters = 0; /* rounds in which the member's labels change the result */
        for (size_t round = 0; round < 8; round++) {
            const cau_tag_options how = options[kind == CAU_KIND_MAXENT ? 0 : round % 4];
            stack_models m;
            cau_strbuf input = {0}, between = {0};
            two_init(&m, &rng);
            draw_lines(&rng, &input);
            const tiny member = single_of(&m, kind, 0), model = single_of(&m, kind, 1);
            const tiny stack = stack_of(&m, kind);
            char *answer = tiny_tagged_alike(&member, (cau_tag_options){0}, input.s);
            add_labels(input.s, answer, &between);
            char *want = tiny_tagged_alike(&model, how, between.s),
                 *got = tiny_tagged_alike(&stack, how, input.s);
            char *without = tiny_tagged_alike(&model, how, input.s);
            assert_string_equal(got, want);
            matters += strcmp(got, without) != 0;
            free(answer);
            free(want);
            free(got);
            free(without);
            cau_strbuf_clear(&input);
            cau_strbuf_clear(&between);
        }
        assert_true(matters > 4);
    }
}

/* Dropped labels of the member are not observed. */
static void test_drop(void **state)
{
    (void)state;
    static const char *const globs[] = {CAU_STACK_NAME "*"};
    static const char input[] = "a\tx\tz\nb\ty\nc\tv\n\na\tx\ty\n";
    cau_rng rng;
    cau_rng_init(&rng, 72);
    stack_models m;
    two_init(&m, &rng);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
        const tiny stack = stack_of(&m, kind), model = single_of(&m, kind, 1);
        char *want = tiny_tagged_alike(&model, (cau_tag_options){.probabilities = true}, input);
        char *got = tiny_tagged_alike(
            &stack, (cau_tag_options){.probabilities = true, .drop = (cau_paths){1, globs}}, input);
        assert_string_equal(got, want);
        free(want);
        free(got);
    }
}

/* The accuracies of member and stack on a file are those of their labels. */
static void test_members(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 75);
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
        stack_models m;
        cau_strbuf input = {0};
        two_init(&m, &rng);
        draw_lines(&rng, &input);
        const tiny parts[] = {single_of(&m, kind, 0), stack_of(&m, kind)};
        double accuracy[2];
        for (size_t i = 0; i < 2; i++) {
            char *said = tiny_tagged_alike(&parts[i], (cau_tag_options){0}, input.s);
            size_t right = 0;
            for (const char *line = said; *line; line += strcspn(line, "\n") + 1)
                right += *line != '\n' && line[0] == line[2];
            accuracy[i] = (double)right / LINES;
            free(said);
        }
        const char *path = test_text("members.txt", input.s);
        json_t *root = tiny_json(&parts[1], (cau_inspect_options){.members = path});
        const json_t *experts = json_object_get(root, "experts");
        const json_t *member = json_array_get(json_object_get(experts, "members"), 0);
        assert_string_equal(json_string_value(json_object_get(experts, "combine")), "stack");
        assert_near(cau_number_at(member, "accuracy"), accuracy[0], 1e-9);
        assert_near(cau_number_at(experts, "data.accuracy"), accuracy[1], 1e-9);
        json_decref(root);
        cau_strbuf_clear(&input);
    }
}

/* ---- from memory --------------------------------------------------------------------- */

static const caucus_feature features[][3] = {{{"x", 1}, {"v", 0.5}}, {{"y", 2}}, {{"z", 1}}};
static const sample_instance items[] = {{features[0], 2}, {features[1], 1}, {features[2], 1}};

static void test_label(void **state)
{
    (void)state;
    static const char *const observed[] = {CAU_STACK_NAME "a", "none", CAU_STACK_NAME "c"};
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 73);
    for (size_t round = 0; round < 10; round++)
        for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
            stack_models m;
            two_init(&m, &rng);
            const tiny parts[] = {single_of(&m, kind, 0), single_of(&m, kind, 1),
                                  stack_of(&m, kind)};
            caucus_model *model[3];
            for (size_t i = 0; i < 3; i++) model[i] = tiny_model(&parts[i]);
            uint32_t answer[3], want[3], got[3];
            double p[3 * Y], q[3 * Y];
            caucus_feature more[3][3];
            sample_instance with[3];
            assert_ok(ctx, sample_label(ctx, model[0], items, 3, answer, NULL, NULL, NULL));
            for (size_t t = 0; t < 3; t++) {
                memcpy(more[t], features[t], sizeof more[t]);
                more[t][items[t].count] = (caucus_feature){observed[answer[t]], 1};
                with[t] = (sample_instance){more[t], items[t].count + 1};
            }
            assert_ok(ctx, sample_label(ctx, model[1], with, 3, want, p, NULL, NULL));
            assert_ok(ctx, sample_label(ctx, model[2], items, 3, got, q, NULL, NULL));
            assert_memory_equal(got, want, sizeof got);
            for (size_t i = 0; i < 3 * Y; i++) assert_near(p[i], q[i], 1e-12);

            assert_ok(ctx, sample_label(ctx, model[2], items, 1, got, p, NULL, NULL));
            assert_ok(ctx, sample_predict(ctx, model[2], features[0], 2, q));
            for (size_t i = 0; i < Y; i++) assert_near(p[i], q[i], 1e-12);
            for (size_t i = 0; i < 3; i++) cau_model_free(model[i]);
        }
    caucus_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 74);
    stack_models m;
    two_init(&m, &rng);
    tag_memory_case r = {.file = {.ctx = test_ctx(),
                                  .options = {.probabilities = true},
                                  .path = test_text("in.txt", "a\tx\nb\tz\n\na\tv\n")},
                         .items = items,
                         .count = 3};
    for (cau_kind kind = CAU_KIND_MAXENT; kind <= CAU_KIND_CRF; kind++) {
        const tiny parts = stack_of(&m, kind);
        check_tag_memory(&r, &parts);
    }
    caucus_ctx_free(r.file.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_steps), cmocka_unit_test(test_drop),
        cmocka_unit_test(test_members),   cmocka_unit_test(test_label),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
