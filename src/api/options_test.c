/* options_test.c - former names of options and choices, and the order of choices. */

#include "api/options.h"

#include <string.h>

#include "support/support.h"

static caucus_options *options_for(caucus_ctx *ctx, const char *command)
{
    caucus_options *options = NULL;
    assert_ok(ctx, caucus_options_new(ctx, command, &options));
    return options;
}

/* The lines that a model file (ALL) or a checkpoint (SHAPE) notes, in `text`. */
static const char *kept(const caucus_options *options, cau_options_which which, char text[512])
{
    cau_strbuf out = {0};
    cau_options_kept(options, which, &out);
    assert_true(out.n < 512);
    memcpy(text, out.s, out.n);
    text[out.n] = '\0';
    cau_strbuf_clear(&out);
    return text;
}

/* `adapt --in` and `--out` are now --target and --source. */
static void test_former_names(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *o = options_for(ctx, "adapt");
    assert_ok(ctx, caucus_options_set(ctx, o, "in", "calls"));
    assert_ok(ctx, caucus_options_set(ctx, o, "out", "news"));
    assert_ok(ctx, caucus_options_set(ctx, o, "source", "mail"));
    assert_string_equal(o->adapt_target, "calls");
    assert_string_equal(caucus_options_get(o, "target"), "calls");
    assert_string_equal(caucus_options_get(o, "in"), "calls");
    assert_int_equal(o->adapt_source.count, 2);
    assert_string_equal(caucus_options_get_at(o, "out", 0), "news");
    assert_string_equal(caucus_options_get_at(o, "source", 1), "mail");
    caucus_options_free(o);
    caucus_ctx_free(ctx);
}

/* The solver `dual` is now sdca. A checkpoint still notes the former name, so that one made
 * before the change agrees. */
static void test_former_choices(void **state)
{
    (void)state;
    static const char *const spellings[] = {"dual", "sdca"};
    caucus_ctx *ctx = test_ctx();
    char text[512];
    for (size_t i = 0; i < 2; i++) {
        caucus_options *o = options_for(ctx, "train");
        assert_ok(ctx, caucus_options_set(ctx, o, "solver", spellings[i]));
        assert_int_equal(o->train.solver, CAU_SOLVER_SDCA);
        assert_string_equal(caucus_options_get(o, "solver"), "sdca");
        assert_non_null(strstr(kept(o, CAU_OPTIONS_ALL, text), "option.solver\tsdca\n"));
        assert_non_null(strstr(kept(o, CAU_OPTIONS_SHAPE, text), "option.solver\tdual\n"));
        assert_ok(ctx, caucus_options_set(ctx, o, "solver", "gis"));
        assert_non_null(strstr(kept(o, CAU_OPTIONS_SHAPE, text), "option.solver\tgis\n"));
        caucus_options_free(o);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_former_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
