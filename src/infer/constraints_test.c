/* constraints_test.c - compares the tables of all schemes with tables written by hand; segments. */

#include <math.h>
#include <stdio.h>

#include "infer/constraints.h"
#include "support/apply_sample.h"

static const double no_weights[64] = {0};

static caucus_model *model_with(const char *labels)
{
    const tiny parts = {
        .names = "", .labels = labels, .w = no_weights, .read = {.format = CAU_FORMAT_TEXT}};
    return tiny_model(&parts);
}

/* A table as text, '1' for allowed: a row per label with the allowed next labels; then the allowed
 * first labels, and the allowed last ones. */
static void check(cau_scheme_name name, const char *labels, const char *const *want)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = model_with(labels);
    cau_scheme_constraints scheme = {0};
    assert_ok(ctx, cau_scheme_constraints_init(ctx, &scheme, model, name));
    const size_t Y = model->Y;
    for (size_t row = 0; row < Y + 2; row++) {
        const double *x = row < Y ? scheme.edge + row * Y : row == Y ? scheme.first : scheme.last;
        char got[16] = {0};
        for (size_t y = 0; y < Y; y++) {
            assert_true(x[y] == 0 || x[y] == -INFINITY);
            got[y] = x[y] == 0 ? '1' : '.';
        }
        if (strcmp(got, want[row]) != 0) fail_msg("%s, row %zu: %s", labels, row, got);
    }
    cau_scheme_constraints_clear(&scheme);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

static void test_tables(void **state)
{
    (void)state;
    static const char *const iob1[] = {
        /* O B-X I-X B-Y I-Y */
        "1.1.1", /* O */
        "111.1", /* B-X */
        "111.1", /* I-X */
        "1.111", /* B-Y */
        "1.111", /* I-Y */
        "1.1.1", "11111",
    };
    check(CAU_SCHEME_IOB1, "O|B-X|I-X|B-Y|I-Y", iob1);
    static const char *const iob2[] = {
        "11.1.", /* O */
        "1111.", /* B-X */
        "1111.", /* I-X */
        "11.11", /* B-Y */
        "11.11", /* I-Y */
        "11.1.", "11111",
    };
    check(CAU_SCHEME_IOB2, "O|B-X|I-X|B-Y|I-Y", iob2);
    static const char *const iobes[] = {
        /* O B-X I-X E-X S-X B-Y E-Y */
        "11..11.", /* O */
        "..11...", /* B-X */
        "..11...", /* I-X */
        "11..11.", /* E-X */
        "11..11.", /* S-X */
        "......1", /* B-Y */
        "11..11.", /* E-Y */
        "11..11.", "1..11.1",
    };
    check(CAU_SCHEME_IOBES, "O|B-X|I-X|E-X|S-X|B-Y|E-Y", iobes);
    check(CAU_SCHEME_BILOU, "O|B-X|I-X|L-X|U-X|B-Y|L-Y", iobes);
    static const char *const words[] = {
        /* B M E S, without types and without O */
        ".11.", /* B */
        ".11.", /* M */
        "1..1", /* E */
        "1..1", /* S */
        "1..1", "..11",
    };
    check(CAU_SCHEME_IOBES, "B|M|E|S", words);
    static const char *const io[] = {"111", "111", "111", "111", "111"};
    check(CAU_SCHEME_IO, "O|I-X|I-Y", io);
    static const char *const bare[] = {"11.", "111", "111", "11.", "111"};
    check(CAU_SCHEME_IOB2, "O|B|I", bare);
}

static void test_foreign_labels(void **state)
{
    (void)state;
    static const struct {
        cau_scheme_name name;
        const char *labels, *message;
    } cases[] = {
        {CAU_SCHEME_IOB2, "O|E-X", "label 'E-X' of the model is not part of scheme iob2"},
        {CAU_SCHEME_IOB1, "S-X", "not part of scheme iob1"},
        {CAU_SCHEME_IO, "B-X", "not part of scheme io,"},
        {CAU_SCHEME_IOBES, "L-X", "not part of scheme iobes"},
        {CAU_SCHEME_BILOU, "E-X", "not part of scheme bilou"},
        {CAU_SCHEME_IOB2, "O-X", "label 'O-X'"},
        {CAU_SCHEME_IOB2, "B-", "label 'B-'"},
        {CAU_SCHEME_IOB2, "BX", "label 'BX'"},
        {CAU_SCHEME_IOB2, "B_X", "label 'B_X'"},
        {CAU_SCHEME_IOBES, "O|B-X|I-X",
         "label 'B-X' of the model could never be used in scheme iobes"},
        {CAU_SCHEME_IOB2, "O|I-X|B-Y",
         "label 'I-X' of the model could never be used in scheme iob2"},
        {CAU_SCHEME_IOB1, "O|I-X|B-Y",
         "label 'B-Y' of the model could never be used in scheme iob1"},
        {CAU_SCHEME_BILOU, "O|U-X|L-X", "label 'L-X' of the model could never be used"},
        {CAU_SCHEME_NONE, "O|NN", "label 'NN' of the model is not of the form"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_model *model = model_with(cases[i].labels);
        cau_scheme_constraints scheme = {0};
        assert_fails(ctx, cau_scheme_constraints_init(ctx, &scheme, model, cases[i].name),
                     CAUCUS_ERR_ARGUMENT, cases[i].message);
        cau_model_free(model);
    }
    caucus_ctx_free(ctx);
}

/* The segments of a path as "begin-end type", by hand. */
static void check_segments(const char *labels, const char *path_labels, const char *want)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = model_with(labels);
    cau_scheme_constraints scheme = {0};
    uint32_t path[16];
    const size_t T = tiny_count(path_labels);
    cau_strbuf got = {0};
    assert_ok(ctx, cau_scheme_constraints_init(ctx, &scheme, model, CAU_SCHEME_NONE));
    for (size_t t = 0; t < T; t++) path[t] = cau_model_label_find(model, tiny_item(path_labels, t));
    for (size_t t = 0; t < T; t++) {
        const size_t end = cau_scheme_constraints_segment(&scheme, path, T, t);
        if (end > t) cau_strbuf_printf(&got, "%zu-%zu ", t, end);
    }
    assert_string_equal(got.s ? got.s : "", want);
    cau_strbuf_clear(&got);
    cau_scheme_constraints_clear(&scheme);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

static void test_segments(void **state)
{
    (void)state;
    const char *iob = "O|B-X|I-X|B-Y|I-Y";
    check_segments(iob, "O|O", "");
    check_segments(iob, "B-X|I-X|O|B-Y", "0-2 3-4 ");
    check_segments(iob, "B-X|B-X|I-X|I-X", "0-1 1-4 ");
    /* illegal in iob2, but still segments */
    check_segments(iob, "I-X|I-X|I-Y|O|I-Y", "0-2 2-3 4-5 ");
    check_segments(iob, "B-X|I-Y|I-X", "0-1 1-2 2-3 ");
    const char *iobes = "O|B-X|I-X|E-X|S-X|S-Y";
    check_segments(iobes, "B-X|I-X|E-X|S-X|S-X|S-Y", "0-3 3-4 4-5 5-6 ");
    check_segments(iobes, "E-X|E-X|I-X|S-X|I-X", "0-1 1-2 2-3 3-4 4-5 ");
    check_segments("B|M|E|S", "S|B|E|B|M|M|E", "0-1 1-3 3-7 ");
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
} constraints_run;

static caucus_status make_constraints(void *self)
{
    const constraints_run *m = self;
    cau_scheme_constraints scheme = {0};
    const caucus_status st =
        cau_scheme_constraints_init(m->ctx, &scheme, m->model, CAU_SCHEME_IOB2);
    cau_scheme_constraints_clear(&scheme);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_model *model = model_with("O|B-X|I-X");
    constraints_run m = {test_ctx(), model};
    assert_int_equal(test_every_allocation(make_constraints, &m), 6);
    cau_model_free(model);
    caucus_ctx_free(m.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_foreign_labels),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
