/* options_test.c - setting options, former names, suggestions for common mistakes, and the option
 * table. */

#include "api/option_table.h"

#include <string.h>

#include "support/support.h"

static caucus_options *options_for(caucus_ctx *ctx, const char *command)
{
    caucus_options *options = NULL;
    assert_ok(ctx, caucus_options_new(ctx, command, &options));
    return options;
}

static void set(caucus_ctx *ctx, caucus_options *o, const char *name, const char *value)
{
    assert_ok(ctx, caucus_options_set(ctx, o, name, value));
}

static void test_options(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    caucus_options *o = options_for(ctx, "train");
    assert_string_equal(caucus_options_get(o, "l2"), "1");
    assert_null(caucus_options_get(o, "output"));
    assert_null(caucus_options_get(o, "probabilities")); /* an option of another command */
    set(ctx, o, "l1", "0.5");
    set(ctx, o, "l1", "0.25");
    assert_string_equal(caucus_options_get(o, "l1"), "0.25");
    set(ctx, o, "C", "4");

    static const struct {
        const char *name, *value, *part;
    } wrong[] = {
        {"l2", "1", "--C and --l2 set the same"},
        {"c2", "1", "--C and --c2 set the same"},
        {"c1", "1", "--l1 and --c1 set the same"},
        {"l1", "abc", "expected a number"},
        {"l1", "-1", "from 0"},
        {"l1", "nan", "expected a number"},
        {"l1", "1e999", "expected a number"},
        {"l1", "", "expected a number"},
        {"l1", NULL, "needs a value"},
        {"history", "2", "from 3 to 20"},
        {"history", "6.5", "whole number"},
        {"solver", "simplex", "choose one of auto|"},
        {"solver", "lbgfs", "unknown choice; did you mean lbfgs?"},
        {"model", "CRF", "did you mean crf?"},
        {"lower", "yes", "takes no value"},
        {"output", "", "empty"},
        {"L2", "1", "did you mean --l2"},
        {"patence", "1", "did you mean --patience"},
        {"iterations", "1", "did you mean --max-iterations"},
        {"gobbledygook", "1", "lists all options"},
        {"confusion", "1", "is an option of eval, not of train"},
        {"epochs", "1", "did you mean --max-iterations"},
        {"out", "m", "did you mean --output"},

    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(ctx, caucus_options_set(ctx, o, wrong[i].name, wrong[i].value),
                     CAUCUS_ERR_ARGUMENT, wrong[i].part);
    caucus_options_free(o);

    caucus_ctx_free(ctx);
}

/* Writes the lines that a model file (ALL) or a checkpoint (SHAPE) stores to `text`. */
static const char *stored_lines(const caucus_options *options, cau_options_which which,
                                char text[512])
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
    assert_null(caucus_options_get_at(o, "out", 0));
    set(ctx, o, "in", "calls");
    set(ctx, o, "out", "news");
    set(ctx, o, "source", "mail");
    assert_string_equal(o->adapt_target, "calls");
    assert_string_equal(caucus_options_get(o, "target"), "calls");
    assert_string_equal(caucus_options_get(o, "in"), "calls");
    assert_int_equal(o->adapt_source.count, 2);
    assert_string_equal(caucus_options_get_at(o, "out", 0), "news");
    assert_string_equal(caucus_options_get(o, "out"), "mail");
    assert_string_equal(caucus_options_get_at(o, "source", 1), "mail");
    assert_null(caucus_options_get_at(o, "source", 2));
    assert_string_equal(caucus_options_get_at(o, "l2", 0), "1"); /* holds one value */
    assert_null(caucus_options_get_at(o, "l2", 1));
    assert_null(caucus_options_get_at(o, "no such", 0));
    caucus_options_free(o);
    caucus_ctx_free(ctx);
}

/* The solver `dual` is now sdca. A checkpoint stores the former name, so that older ones still
 * match. */
static void test_former_choices(void **state)
{
    (void)state;
    static const char *const spellings[] = {"dual", "sdca"};
    caucus_ctx *ctx = test_ctx();
    char text[512];
    for (size_t i = 0; i < 2; i++) {
        caucus_options *o = options_for(ctx, "train");
        set(ctx, o, "solver", spellings[i]);
        assert_int_equal(o->train.solver, CAU_SOLVER_SDCA);
        assert_string_equal(caucus_options_get(o, "solver"), "sdca");
        assert_non_null(strstr(stored_lines(o, CAU_OPTIONS_ALL, text), "option.solver\tsdca\n"));
        assert_non_null(strstr(stored_lines(o, CAU_OPTIONS_SHAPE, text), "option.solver\tdual\n"));
        set(ctx, o, "solver", "gis");
        assert_non_null(strstr(stored_lines(o, CAU_OPTIONS_SHAPE, text), "option.solver\tgis\n"));
        caucus_options_free(o);
    }
    caucus_options *o = options_for(ctx, "tag");
    set(ctx, o, "scheme", "bio");
    assert_string_equal(caucus_options_get(o, "scheme"), "iob2");
    set(ctx, o, "scheme", "bioes");
    assert_string_equal(caucus_options_get(o, "scheme"), "iobes");
    caucus_options_free(o);
    caucus_ctx_free(ctx);
}

/* The help of every command prints, and each name and letter has one meaning. */
static void test_table(void **state)
{
    (void)state;
    assert_null(caucus_option_at("fly", 0));
    for (const cau_command_bit *command = cau_command_bits; command->name; command++) {
        const caucus_option_info *a, *b;
        for (size_t i = 0; (a = caucus_option_at(command->name, i)); i++) {
            assert_true(a->help && a->help[strlen(a->help) - 1] != '.');
            assert_true(a->group && (a->value || a->kind == CAUCUS_OPTION_FLAG));
            for (size_t j = 0; j < i; j++) {
                b = caucus_option_at(command->name, j);
                assert_string_not_equal(a->name, b->name);
                assert_true(!a->alias || strcmp(a->alias, b->name) != 0);
                assert_true(!b->alias || strcmp(b->alias, a->name) != 0);
                assert_true(a->letter == 0 || a->letter != b->letter);
            }
        }
    }
}

static bool has_option(const char *command, const char *name)
{
    const caucus_option_info *info;
    for (size_t i = 0; (info = caucus_option_at(command, i)); i++)
        if (strcmp(info->name, name) == 0) return true;
    return false;
}

/* Each row is useful: some command lacks the mistaken name and has the suggested option. */
static void test_slips(void **state)
{
    (void)state;
    for (const cau_option_slip *slip = cau_option_slips; slip->name; slip++) {
        size_t uses = 0;
        for (const cau_command_bit *c = cau_command_bits; c->name; c++)
            uses += !has_option(c->name, slip->name) && has_option(c->name, slip->option);
        if (!uses) print_message("%s: %s\n", slip->name, slip->option);
        assert_true(uses > 0);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"help", "version", "max-iterations", "C", "l2", NULL};
    static const struct {
        const char *word, *want;
    } cases[] = {
        {"hlep", "help"},
        {"versoin", "version"},
        {"iterations", "max-iterations"},
        {"c", "C"},
        {"l3", "l2"},
        {"L2", "l2"},
        {"helicopter", NULL},
        {"", NULL},
        {"x", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = caucus_nearest(cases[i].word, names);
        assert_true(got == cases[i].want || strcmp(got, cases[i].want) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),        cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_former_choices), cmocka_unit_test(test_table),
        cmocka_unit_test(test_slips),          cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
