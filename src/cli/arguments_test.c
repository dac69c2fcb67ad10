/* arguments_test.c - the ways to write arguments, and failing allocations. */

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Parses words separated by spaces as the arguments of a command. */
static int parse(const char *name, const char *line, char *copy, request *r)
{
    static char *argv[32];
    size_t n = 0;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) argv[n++] = word;
    argv[n] = NULL;
    static caucus_ctx *ctx;
    if (!ctx) ctx = test_ctx();
    return request_parse(ctx, command_find(name), argv, r);
}

static void assert_option(const request *r, const char *name, const char *value)
{
    assert_string_equal(caucus_options_get(r->options, name), value);
}

/* Every spelling gives the same request: l2 2, format text, lower, quiet, m.cau, and two files. */
static void test_forms(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--l2 2 --format text --lower --quiet --output m.cau a b",
        "--l2=2 --format=text --lower=1 --quiet --output=m.cau a b",
        "-o m.cau -f text -q --l2 2 --lower a b",
        "-om.cau -ftext -q --l2 2 --lower a b",
        "-qom.cau -ftext --l2 2 --lower a b",
        "a --l2 2 -q b -f text --lower -o m.cau",
        "a --l2 2 -q -f text --lower -o m.cau -- b",
        "-q -o m.cau --lower --format text --l2 2 -- a b",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char copy[256];
        request r;
        assert_int_equal(parse("train", lines[i], copy, &r), DONE);
        assert_option(&r, "l2", "2");
        assert_option(&r, "format", "text");
        assert_option(&r, "lower", "1");
        assert_option(&r, "output", "m.cau");
        assert_true(r.quiet);
        assert_false(r.help);
        assert_int_equal(r.operands, 2);
        assert_string_equal(r.operand[0], "a");
        assert_string_equal(r.operand[1], "b");
        assert_null(r.operand[2]);
        request_clear(&r);
    }
}

/* A single dash is an operand, and so is everything after two dashes. */
static void test_operands(void **state)
{
    (void)state;
    char copy[256];
    request r;
    assert_int_equal(parse("tag", "-m m.cau - -- --top -x --", copy, &r), DONE);
    assert_int_equal(r.operands, 4);
    assert_string_equal(r.operand[0], "-");
    assert_string_equal(r.operand[1], "--top");
    assert_string_equal(r.operand[2], "-x");
    assert_string_equal(r.operand[3], "--");
    assert_option(&r, "top", "0");
    request_clear(&r);

    size_t count = 0;
    assert_int_equal(parse("tag", "-m m.cau", copy, &r), DONE);
    assert_string_equal(request_inputs(&r, &count)[0], "-");
    assert_int_equal(count, 1);
    request_clear(&r);
}

/* A value may begin with a dash. */
static void test_values_with_dashes(void **state)
{
    (void)state;
    char copy[256];
    request r;
    assert_int_equal(parse("inspect", "--explain --top m.cau", copy, &r), DONE);
    assert_option(&r, "explain", "--top");
    assert_int_equal(r.operands, 1);
    request_clear(&r);
    assert_int_equal(parse("inspect", "--explain=a=b m.cau", copy, &r), DONE);
    assert_option(&r, "explain", "a=b");
    request_clear(&r);
}

static void test_help(void **state)
{
    (void)state;
    static const char *const lines[] = {"--help", "-h", "-qh", "a --help --nonsense", "-h --l2"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char copy[256];
        request r;
        assert_int_equal(parse("train", lines[i], copy, &r), DONE);
        assert_true(r.help);
        request_clear(&r);
    }
}

static void test_misuse(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--nonsense a", "-x a",      "-output m a", "--l2",           "--l2 x a", "--lower=2 a",
        "-o",           "--l2=1 -C", "--l2= a",     "--l2 1 --C 1 a", "",         "--=1 a",
        "--l2 -o m a",  "-o --l2 1", "--hlep a",    "-epochs 5 a",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char copy[256];
        request r;
        assert_int_equal(parse("train", lines[i], copy, &r), MISUSED);
        request_clear(&r);
    }
}

static caucus_status parse_once(void *self)
{
    (void)self;
    char copy[256];
    request r;
    int status = parse("train", "--l2 2 -o m.cau --class-weight balanced a b", copy, &r);
    request_clear(&r);
    return status == DONE ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(test_every_allocation(parse_once, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_values_with_dashes),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
