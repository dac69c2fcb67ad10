/* report_test.c - cells by their width, trees, templates, tables and matrices. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "support/base_sample.h"

static void cells_are_padded_by_columns(void **state)
{
    (void)state;
    assert_int_equal(cau_text_width(CAU_STR("")), 0);
    assert_int_equal(cau_text_width(CAU_STR("W\xC3\xB6rter")), 6);
    assert_int_equal(cau_text_width(CAU_STR("\xE4\xB8\xAD\xE6\x96\x87")), 4); /* Chinese */
    assert_int_equal(cau_text_width(CAU_STR("e\xCC\x81")), 1);                /* an accent */
    assert_int_equal(cau_text_width(CAU_STR("a\xFF")), 2);

    cau_writer out = {0};
    cau_writer_left(&out, CAU_STR("\xE4\xB8\xAD"), 4);
    cau_writer_right(&out, CAU_STR("W\xC3\xB6r"), 5);
    cau_writer_left(&out, CAU_STR("too long"), 3);
    cau_writer_left(&out, CAU_STR("a\tb"), 5);
    cau_writer_number(&out, -1.25, 3, 8);
    assert_string_equal(out.text.s, "\xE4\xB8\xAD    W\xC3\xB6rtoo longa\\tb   -1.250");
    cau_writer_clear(&out);
}

/* ---- trees --------------------------------------------------------------------------- */

/* A tree of all kinds of values. */
static void build_sample(cau_tree *tree)
{
    const double interval[] = {-0.25, NAN, INFINITY};
    cau_tree_object(tree, NULL);
    cau_tree_count(tree, "one", 1);
    cau_tree_count(tree, "many", 12345678901);
    cau_tree_numbers(tree, "interval", interval, 3);
    cau_tree_record(tree, "macro", {"f1", cau_json_number(2.0 / 3)},
                    {"exact", cau_json_bool(true)});
    cau_tree_array(tree, "rows");
    for (int i = 0; i < 2; i++) {
        const cau_str label = i ? CAU_STR("W\xC3\xB6rter") : CAU_STR("a\t\xFF");
        cau_tree_object(tree, NULL);
        cau_tree_fields(tree, {"label", cau_json_text(label)},
                        {"f1", cau_json_number(i ? 0.5 : NAN)});
        if (i) cau_tree_count(tree, "support", 7);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    cau_tree_string(tree, "none", NULL);
    cau_tree_end(tree);
}

static void json_keeps_keys_in_order(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf got = {0};
    cau_writer out = {.ctx = ctx, .write = into_text, .user = &got};
    cau_tree tree = {0};
    build_sample(&tree);
    assert_ok(ctx, cau_tree_status(ctx, &tree));
    cau_print_json_line(&out, tree.root, CAU_DIGITS_FLOAT);
    assert_ok(ctx, cau_writer_flush(&out, false)); /* too short to be worth a call */
    assert_int_equal(got.n, 0);
    assert_ok(ctx, cau_writer_flush(&out, true));
    assert_string_equal(got.s,
                        "{\"one\": 1, \"many\": 12345678901, \"interval\": [-0.25, null, null], "
                        "\"macro\": {\"f1\": 0.666666667, \"exact\": true}, "
                        "\"rows\": [{\"label\": \"a\\t\xEF\xBF\xBD\", \"f1\": null}, "
                        "{\"label\": \"W\xC3\xB6rter\", \"f1\": 0.5, \"support\": 7}], "
                        "\"none\": null}");
    got.n = 0;
    cau_print_json(&out, cau_at(tree.root, "macro"), CAU_DIGITS_DOUBLE);
    assert_ok(ctx, cau_writer_flush(&out, true));
    assert_string_equal(got.s, "{\n  \"f1\": 0.666666666666667,\n  \"exact\": true\n}\n");
    cau_tree_clear(&tree);
    cau_strbuf_clear(&got);
    cau_writer_clear(&out);
    caucus_ctx_free(ctx);
}

static void values_are_found_by_path(void **state)
{
    (void)state;
    cau_tree tree = {0};
    build_sample(&tree);
    assert_true(cau_number_at(tree.root, "interval.0") == -0.25);
    assert_true(isnan(cau_number_at(tree.root, "interval.1")));
    assert_true(isnan(cau_number_at(tree.root, "macro.precision")));
    assert_int_equal(cau_count_at(tree.root, "rows.1.support"), 7);
    assert_int_equal(cau_count_at(tree.root, "rows.0.support"), 0);
    assert_null(cau_at(tree.root, "rows.2"));
    assert_null(cau_at(NULL, "rows"));
    json_t *nothing = json_pack("{s:n}", "interval");
    assert_true(json_is_null(cau_at(nothing, "interval.low")));
    json_decref(nothing);
    cau_tree_clear(&tree);
}

static int allocations_left;

static void *scarce_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* If any allocation fails, building continues to the end without a leak, and the status is set. */
static void memory_failures_are_reported(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    bool whole = false;
    json_set_alloc_funcs(scarce_malloc, free);
    for (int n = 0; !whole; n++) {
        cau_tree tree = {0};
        allocations_left = n;
        build_sample(&tree);
        whole = allocations_left >= 0;
        assert_int_equal(cau_tree_status(ctx, &tree), whole ? CAUCUS_OK : CAUCUS_ERR_MEMORY);
        cau_tree_clear(&tree);
    }
    json_set_alloc_funcs(malloc, free);
    caucus_ctx_free(ctx);
}

static caucus_status refuse(void *user, const char *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    ++*(int *)user;
    return CAUCUS_ERR_IO;
}

static void first_failure_is_kept(void **state)
{
    (void)state;
    int calls = 0;
    cau_writer out = {.write = refuse, .user = &calls};
    cau_print(&out, NULL, "text");
    assert_int_equal(cau_writer_flush(&out, true), CAUCUS_ERR_IO);
    cau_print(&out, NULL, "more");
    assert_int_equal(cau_writer_flush(&out, true), CAUCUS_ERR_IO);
    assert_int_equal(calls, 1);
    cau_writer_clear(&out);
}

/* ---- text ---------------------------------------------------------------------------- */

static void templates_are_filled(void **state)
{
    (void)state;
    cau_tree tree = {0};
    cau_writer out = {0};
    build_sample(&tree);
    cau_print(&out, tree.root, "{one} item{one:|s}, {many} item{many:|s} {many:is|are}; ");
    cau_print(&out, tree.root, "{macro.f1:.4f} {macro.f1:.1%} {macro.f1:.3g} {macro.f1} ");
    cau_print(&out, tree.root, "{macro.exact} {none} {interval.1:.2f} [{missing}] {rows.0.label}");
    cau_print(&out, cau_at(tree.root, "one"), " {}\n");
    assert_string_equal(out.text.s, "1 item, 12345678901 items are; 0.6667 66.7% 0.667 0.666667 "
                                    "yes - - [] a\\t\xEF\xBF\xBD 1\n");
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
}

static void tables_are_as_wide_as_their_cells(void **state)
{
    (void)state;
    static const cau_column columns[] = {{"class", "<{label}"},
                                         {"F1", "{f1:.4f}"},
                                         {"never", "{never}"},
                                         {"  support", "{support}"},
                                         {"again", "<{label}"}};
    cau_tree tree = {0};
    cau_writer out = {0};
    build_sample(&tree);
    cau_text_table table = cau_text_table_begin(&out, columns, 5);
    cau_text_table_rows(&table, cau_at(tree.root, "rows"));
    cau_text_table_row(&table, "macro average", cau_at(tree.root, "macro"));
    cau_text_table_end(&table);
    assert_string_equal(out.text.s,
                        "class              F1    support  again\n"
                        "a\\t\xEF\xBF\xBD                -             a\\t\xEF\xBF\xBD\n"
                        "W\xC3\xB6rter         0.5000          7  W\xC3\xB6rter\n"
                        "macro average  0.6667\n");
    out.text.n = 0;
    cau_print_table(&out, columns, 2, NULL); /* no rows: the headings alone */
    assert_string_equal(out.text.s, "class  F1\n");
    cau_tree_clear(&tree);

    out.text.n = 0;
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    cau_tree_record(&rows, NULL, {"label", cau_json_string("x")}, {"f1", cau_json_number(0.25)});
    cau_print_rows(&out, columns, 2, &rows);
    assert_string_equal(out.text.s, "class      F1\nx      0.2500\n");
    assert_null(rows.root);
    cau_writer_clear(&out);
}

static void long_names_do_not_widen_a_column(void **state)
{
    (void)state;
    static const cau_column columns[] = {{NULL, "<{}"}, {NULL, "|"}};
    cau_tree tree = {0};
    cau_writer out = {0};
    cau_tree_array(&tree, NULL);
    cau_tree_string(&tree, NULL, "a");
    cau_tree_string(&tree, NULL, "forty-one columns are more than there are");
    cau_tree_end(&tree);
    cau_print_table(&out, columns, 2, tree.root);
    assert_string_equal(out.text.s, "a                                         |\n"
                                    "forty-one columns are more than there are  |\n");
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
}

static void matrices_are_headed_by_names_or_numbers(void **state)
{
    (void)state;
    static const double rows[2][2] = {{0, 0.5}, {12.25, NAN}};
    cau_tree tree = {0};
    cau_writer out = {0};
    cau_tree_object(&tree, NULL);
    cau_tree_array(&tree, "rows");
    for (int i = 0; i < 2; i++) cau_tree_numbers(&tree, NULL, rows[i], 2);
    cau_tree_end(&tree);
    cau_tree_array(&tree, "names");
    cau_tree_string(&tree, NULL, "a");
    cau_tree_string(&tree, NULL, "longer");
    cau_tree_end(&tree);
    cau_tree_end(&tree);
    cau_print_matrix(&out, NULL, cau_at(tree.root, "rows"), "{:.1f}");
    cau_print_matrix(&out, cau_at(tree.root, "names"), cau_at(tree.root, "rows"), "{:.1f}");
    assert_string_equal(out.text.s, "      1    2\n"
                                    "1   0.0  0.5\n"
                                    "2  12.2    -\n"
                                    "           a  longer\n"
                                    "a        0.0     0.5\n"
                                    "longer  12.2       -\n");
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_padded_by_columns),
        cmocka_unit_test(json_keeps_keys_in_order),
        cmocka_unit_test(values_are_found_by_path),
        cmocka_unit_test(memory_failures_are_reported),
        cmocka_unit_test(first_failure_is_kept),
        cmocka_unit_test(templates_are_filled),
        cmocka_unit_test(tables_are_as_wide_as_their_cells),
        cmocka_unit_test(long_names_do_not_widen_a_column),
        cmocka_unit_test(matrices_are_headed_by_names_or_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
