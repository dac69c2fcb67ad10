/* detect_test.c - the rules of detect.c, one row for each case. */

#include <stdio.h>
#include <string.h>

#include "data/formats.h"
#include "support.h"

static const struct {
    cau_format want;
    const char *file;
} cases[] = {
    /* svmlight */
    {CAU_FORMAT_SVMLIGHT, "1 1:1 3:0.5\n-1 2:1\n"},
    {CAU_FORMAT_SVMLIGHT, "+1 1:1\n+1\n\n-1 2:1e-3 # a comment\n# only a comment\n"},
    {CAU_FORMAT_SVMLIGHT, "2 qid:1 1:1\n1 qid:1 2:1\n"},
    {CAU_FORMAT_SVMLIGHT, "1\t1:1\t2:1\n0\t1:1\n"},
    {CAU_FORMAT_SVMLIGHT, "spam 1:1 2:1\nham 1:2\n"},
    {CAU_FORMAT_SVMLIGHT, "1 1:1\n"},
    {CAU_FORMAT_CRFSUITE, "spam\t1:1\t2:1\nham\t1:2\n"}, /* names with tabs: items */
    {CAU_FORMAT_MEGAM, "1 1:1 2:x\n0 1:1\n"},            /* x is no value */
    {CAU_FORMAT_MEGAM, "1 -1:1 2:1\n0 1:1\n"},           /* -1 is no index */

    /* text */
    {CAU_FORMAT_TEXT, "spam\twin a prize\nham\tsee you at noon , Jo\n"},
    {CAU_FORMAT_TEXT, "spam\tprize\nham\tnoon\n"},
    {CAU_FORMAT_TEXT, "spam\twin a prize\nham\tnoon\n\n\n"}, /* blank lines at the end */
    {CAU_FORMAT_TEXT, "spam\twin a prize\n\nham\tnoon\n"},
    {CAU_FORMAT_TEXT, "spam\twin a prize\nno label here\nham\tnoon\n"},
    {CAU_FORMAT_TEXT, "spam\t12\twin a prize\nham\t13\tnoon\n"},
    {CAU_FORMAT_TEXT, "a\tb"},

    /* crfsuite */
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\n\nB\tw=c\n"},
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\n"},
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\tp=c\n\nB\tw=c\tp=d\n"}, /* all name=value */
    {CAU_FORMAT_CRFSUITE, "B\tw a\tp\nI\tw\tp\n\nB\tw\tp\n"},
    {CAU_FORMAT_CRFSUITE, "@weight:2\nB\tw=a\tp=b\nI\tw=b\n"},
    {CAU_FORMAT_CRFSUITE, "B\nI\tw=b\tx\n"},

    /* columns */
    {CAU_FORMAT_COLUMNS, "The DT B-NP\ncat NN I-NP\n\nIt PRP B-NP\n"},
    {CAU_FORMAT_COLUMNS, "The DT B-NP\ncat NN I-NP\n"},
    {CAU_FORMAT_COLUMNS, "The\tDT\tB-NP\ncat\tNN\tI-NP\n"},
    {CAU_FORMAT_COLUMNS, "The\tDT\n\ncat\tNN\n"},
    {CAU_FORMAT_COLUMNS, "# # B-NP\n12 CD I-NP\n"},
    {CAU_FORMAT_COLUMNS, "The DT\tB-NP\ncat NN\tI-NP\n\na DT\tB-NP\n"},
    {CAU_FORMAT_COLUMNS, "The DT B-NP\ncat I-NP\n\nIt PRP B-NP\n"}, /* a ragged line to report */

    /* megam */
    {CAU_FORMAT_MEGAM, "0 a b c\n1 a\n"},
    {CAU_FORMAT_MEGAM, "0 a b\n1 a c\nDEV\n1 a b\n"},
    {CAU_FORMAT_MEGAM, "0 $$$WEIGHT 2 a\n1 $$$WEIGHT 2 b\n"},
    {CAU_FORMAT_MEGAM, "0 # a # b\n1 # c # d\n"},
    {CAU_FORMAT_MEGAM, "# a comment\n0 # a # b\n1 # c # d\n"},
    {CAU_FORMAT_MEGAM, "# comment\n0 a b c\n1 a\n"},

    /* none */
    {CAU_FORMAT_AUTO, ""},
    {CAU_FORMAT_AUTO, "\n \n\t\n"},
    {CAU_FORMAT_AUTO, "a\nb\n\nc\n"},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cau_str lines[64];
        size_t count = 0;
        bool empty;
        for (const char *p = cases[c].file; *p; count++) {
            const size_t n = strcspn(p, "\n");
            lines[count] = (cau_str){p, n};
            p += n + (p[n] == '\n');
        }
        const cau_format got = cau_detect(lines, count, &empty);
        if (got != cases[c].want)
            fail_msg("\"%s\" is %s, but detected as %s", cases[c].file,
                     cau_format_name(cases[c].want), cau_format_name(got));
        assert_int_equal(empty, strspn(cases[c].file, " \t\n") == strlen(cases[c].file));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
