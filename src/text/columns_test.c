/* columns_test.c - columns from the front and from the end. */

#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "text/columns.h"

/* The columns of a line, each in brackets, from the front or from the end. */
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

static void tabs_separate_each_time(void **state)
{
    (void)state;
    assert_columns("a\tb c\td", 0, "[a][b c][d]", "[d][b c][a]");
    assert_columns("\ta\t\tb\t", 0, "[][a][][b][]", "[][b][][a][]");
    assert_columns("\t", 0, "[][]", "[][]");
}

static void blanks_separate_in_runs(void **state)
{
    (void)state;
    assert_columns("a b  c", 0, "[a][b][c]", "[c][b][a]");
    assert_columns("  a   b  ", 0, "[a][b]", "[b][a]");
    assert_columns("", 0, "", "");
    assert_columns("   ", 0, "", "");
}

static void a_delimiter_separates_each_time(void **state)
{
    (void)state;
    assert_columns("a|b\tc| d", '|', "[a][b\tc][ d]", "[ d][b\tc][a]");
    assert_columns("a  b", ' ', "[a][][b]", "[b][][a]");
    assert_columns("", ',', "[]", "[]");
}

static void delimiters_are_one_character(void **state)
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
        cmocka_unit_test(tabs_separate_each_time),
        cmocka_unit_test(blanks_separate_in_runs),
        cmocka_unit_test(a_delimiter_separates_each_time),
        cmocka_unit_test(delimiters_are_one_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
