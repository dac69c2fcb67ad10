/* grid_test.c - the settings of a grid, and invalid grids. */

#include "api/options.h"

#include <string.h>

#include "support/support.h"

static caucus_options *options_with(caucus_ctx *ctx, const char *grid)
{
    caucus_options *options = NULL;
    assert_ok(ctx, caucus_options_new(ctx, "train", &options));
    if (grid) assert_ok(ctx, caucus_options_set(ctx, options, "grid", grid));
    return options;
}

static void test_settings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double l1, l2;
    } want[] = {
        {"l2=0.1 l1=0", 0, 0.1}, {"l2=0.1 l1=3", 3, 0.1}, {"l2=1 l1=0", 0, 1},
        {"l2=1 l1=3", 3, 1},     {"l2=10 l1=0", 0, 10},   {"l2=10 l1=3", 3, 10},
    };
    caucus_ctx *ctx = test_ctx();
    static const char *const ways[] = {"l2=0.1,1,10 l1=0,3", "l2=0.1,1,10;l1=0,3",
                                       " l2=0.1,1,10,; l1=0,3 "};
    for (size_t way = 0; way < 3; way++) {
        caucus_options *options = options_with(ctx, ways[way]);
        assert_ok(ctx, caucus_options_set(ctx, options, "history", "9"));
        assert_ok(ctx, caucus_options_set(ctx, options, "output", "m.cau"));
        cau_grid grid;
        assert_ok(ctx, cau_grid_init(ctx, options, &grid));
        caucus_options_free(options); /* the settings are copies */
        assert_int_equal(grid.count, 6);
        assert_true(grid.warm);
        for (size_t i = 0; i < 6; i++) {
            const cau_setting *s = &grid.settings[i];
            assert_string_equal(s->text, want[i].text);
            assert_near(s->train.l1, want[i].l1, 0);
            assert_near(s->train.l2, want[i].l2, 0);
            assert_near(s->penalty, want[i].l1 + want[i].l2, 0);
            assert_int_equal(s->train.history, 9);
            assert_null(s->train.output);
            assert_string_equal(grid.options[i]->train.output, "m.cau");
        }
        cau_grid_clear(&grid);
    }
    caucus_ctx_free(ctx);
}

/* Other names of a penalty count as penalties, so runs start warm; other options start anew. */
static void test_warm(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_grid grid;
    caucus_options *options = options_with(ctx, "C=0.5,2");
    assert_ok(ctx, cau_grid_init(ctx, options, &grid));
    assert_true(grid.warm);
    assert_near(grid.settings[0].train.l2, 2, 0);
    assert_near(grid.settings[1].train.l2, 0.5, 0);
    cau_grid_clear(&grid);
    caucus_options_free(options);

    options = options_with(ctx, "l2=1,2 model=crf,memm no-bias=0,1");
    assert_ok(ctx, cau_grid_init(ctx, options, &grid));
    assert_false(grid.warm);
    assert_int_equal(grid.count, 8);
    assert_string_equal(grid.settings[7].text, "l2=2 model=memm no-bias=1");
    assert_int_equal(grid.settings[7].train.model, CAU_MODEL_MEMM);
    assert_true(grid.settings[7].train.no_bias);
    cau_grid_clear(&grid);
    caucus_options_free(options);

    options = options_with(ctx, NULL);
    assert_ok(ctx, cau_grid_init(ctx, options, &grid));
    assert_int_equal(grid.count, 1);
    assert_string_equal(grid.settings[0].text, "");
    cau_grid_clear(&grid);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"l2", "not name=value"},
        {"=1,2", "not name=value"},
        {"l2=", "not name=value"},
        {";", "not name=value"},
        {"l3=1", "'l3' cannot vary"},
        {"cutoff=1,2", "'cutoff' cannot vary"},
        {"mean=a.cau", "'mean' cannot vary"},
        {"l2=1,-1", "expected a number from 0"},
        {"l2=1,x", "expected a number from 0"},
        {"model=svm", "unknown choice"},
        {"l2=1 C=1", "set the same thing"},
        {"history=7", "--history is set, and varies"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        caucus_options *options = options_with(ctx, bad[i][0]);
        assert_ok(ctx, caucus_options_set(ctx, options, "history", "9"));
        cau_grid grid;
        assert_fails(ctx, cau_grid_init(ctx, options, &grid), CAUCUS_ERR_ARGUMENT, bad[i][1]);
        cau_grid_clear(&grid);
        caucus_options_free(options);
    }
    char many[4096] = "l2=1";
    for (size_t i = 1; i < 1000; i++) strcat(many, ",1");
    strcat(many, " l1=1");
    for (size_t i = 1; i < 200; i++) strcat(many, ",1");
    caucus_options *options = options_with(ctx, many);
    cau_grid grid;
    assert_fails(ctx, cau_grid_init(ctx, options, &grid), CAUCUS_ERR_ARGUMENT, "more than 100000");
    cau_grid_clear(&grid);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
}

static caucus_status make_once(void *self)
{
    (void)self;
    caucus_ctx *ctx = NULL;
    caucus_options *options = NULL;
    cau_grid grid = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = caucus_options_new(ctx, "train", &options);
    if (!st) st = caucus_options_set(ctx, options, "grid", "l2=1,2 l1=0,1");
    if (!st) st = cau_grid_init(ctx, options, &grid);
    cau_grid_clear(&grid);
    caucus_options_free(options);
    caucus_ctx_free(ctx);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(test_every_allocation(make_once, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("api/grid", tests, NULL, NULL);
}
