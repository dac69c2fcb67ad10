/* columns_test.c - columns from the front and from the end of a line. */

#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "text/columns.h"

/* The columns of a line, each in brackets, from the front and from the end. */
static void assert_columns(const char *line, char delimiter, const char *forward,
                           const char *backward)
{
    const cau_separator by = cau_separator_of(cau_str_of(line), delimiter);
    for (int last = 0; last <= 1; last++) {
        char got[128] = "";
        cau_str rest = cau_str_of(line), column;
        while ((last ? cau_column_last : cau_column_first)(&rest, by, &column))
            sprintf(got + strlen(got), "[%.*s]", (int)column.n, column.s);
        assert_null(rest.s);
        assert_null(column.s);
        assert_string_equal(got, last ? backward : forward);
    }
}

static void each_tab_separates(void **state)
{
    (void)state;
    assert_columns("a\tb c\td", 0, "[a][b c][d]", "[d][b c][a]");
    assert_columns("\ta\t\tb\t", 0, "[][a][][b][]", "[][b][][a][]");
    assert_columns("\t", 0, "[][]", "[][]");
}

static void runs_of_blanks_separate_once(void **state)
{
    (void)state;
    assert_columns("a b  c", 0, "[a][b][c]", "[c][b][a]");
    assert_columns("  a   b  ", 0, "[a][b]", "[b][a]");
    assert_columns("", 0, "", "");
    assert_columns("   ", 0, "", "");
}

static void each_delimiter_separates(void **state)
{
    (void)state;
    assert_columns("a|b\tc| d", '|', "[a][b\tc][ d]", "[ d][b\tc][a]");
    assert_columns("a  b", ' ', "[a][][b]", "[b][][a]");
    assert_columns("", ',', "[]", "[]");
}

static void delimiters_are_single_characters(void **state)
{
    (void)state;
    char c = 0;
    assert_true(cau_delimiter_parse(",", &c) && c == ',');
    assert_true(cau_delimiter_parse("\\t", &c) && c == '\t');
    assert_true(cau_delimiter_parse("\\", &c) && c == '\\');
    assert_false(cau_delimiter_parse("", &c));
    assert_false(cau_delimiter_parse(",,", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tab_separates),
        cmocka_unit_test(runs_of_blanks_separate_once),
        cmocka_unit_test(each_delimiter_separates),
        cmocka_unit_test(delimiters_are_single_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
