/* classifiers_test.c - models of MegaM and LIBLINEAR: from text, and damaged. */

#include "support/peer_sample.h"

#define SETTINGS(format)                                                                           \
    "format\t" format "\nngrams\t1\nlower\t0\ncounts\t0\nvalues\t0\ncomments\t0\ndocstart\t0\n"    \
    "columns\t0\n"
#define MEGAM "caucus dump 2\nkind\tmaxent\n" SETTINGS("megam") "info\torigin\tMegaM\n"
#define LIBLINEAR "caucus dump 2\nkind\tmaxent\n" SETTINGS("svmlight")

static void test_megam(void **state)
{
    (void)state;
    static const char binary[] = "**BIAS**\t0.5\nviagra\t-1.25\nzero\t0\n";
    static const char named[] =
        "***NAMEDLABELSIDS*** spam ham x\n**BIAS** 0.5 0 -0.5\nwin 0 1 -0.25\r\n";
    assert_peer_dump(str(binary), MEGAM "class\t0\t0x0p+0\nclass\t1\t0x1p-1\nweights\teach class\n"
                                        "feature\tviagra\t1:-0x1.4p+0\nend\t1\t0\n");
    assert_peer_dump(
        str(named),
        MEGAM "class\tspam\t0x1p-1\nclass\tham\t0x0p+0\nclass\tx\t-0x1p-1\nweights\teach class\n"
              "feature\twin\t1:0x1p+0\t2:-0x1p-2\nend\t1\t0\n");
    assert_peer_dump(str("***NAMEDLABELSIDS*** no yes\n**BIAS** 0.5\n"), MEGAM
                     "class\tno\t0x0p+0\nclass\tyes\t0x1p-1\nweights\teach class\nend\t0\t0\n");
    assert_peer_memory(str(named));
}

static void test_megam_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *file, *words;
    } cases[] = {
        {"**BIAS**", "line 1: no feature with its weights"},
        {"**BIAS**x 0\nx x\n", "line 2: no 1 weights after 'x'"},
        {"**BIAS** 0\nx\n", "line 2: no 1 weights after 'x'"},
        {"**BIAS** 0\nx 1 2\n", "line 2: more than 1 weights after 'x'"},
        {"**BIAS** 0\nx inf\n", "not finite"},
        {"**BIAS** 0\nx 1\nx 2\n", "the same name"},
        {"***NAMEDLABELSIDS***\n", "no feature with its weights"},
        {"***NAMEDLABELSIDS*** a b\n**BIAS** 1 2 3\n", "weights of 3 classes, but 2 names"},
        {"***NAMEDLABELSIDS*** a a\n**BIAS** 1 2\n", "'a' stands twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_peer_refused(str(cases[i].file), CAUCUS_ERR_FORMAT, cases[i].words);
}

static void test_liblinear(void **state)
{
    (void)state;
    static const char binary[] = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\n"
                                 "bias 2\nw\n0.5 \n0 \n-1 \n0.25 \n";
    static const char several[] = "solver_type MCSVM_CS\nnr_class 2\nlabel 7 2\nnr_feature 1\n"
                                  "bias -1\nw\n0.5 -1 \n";
    assert_peer_dump(str(binary),
                     LIBLINEAR "info\torigin\tLIBLINEAR\nclass\t-1\t0x0p+0\nclass\t1\t0x1p-1\n"
                               "weights\teach class\nfeature\t1\t1:0x1p-1\n"
                               "feature\t3\t1:-0x1p+0\nend\t2\t0\n");
    assert_peer_dump(str(several), LIBLINEAR
                     "info\tprobabilities\tnone\ninfo\torigin\tLIBLINEAR\nclass\t7\nclass\t2\n"
                     "weights\teach class\nfeature\t1\t0:0x1p-1\t1:-0x1p+0\nend\t1\t0\n");
    assert_peer_memory(str(binary));
    assert_peer_cuts_refused((cau_str){binary, sizeof binary - 7}, 12);
}

static void test_liblinear_damaged(void **state)
{
    (void)state;
    static const char head[] = "solver_type L2R_LR\n";
    static const struct {
        caucus_status status;
        const char *rest, *words;
    } cases[] = {
        {CAUCUS_ERR_FORMAT, "nr_class 2\n", "line 2: the file ends here"},
        {CAUCUS_ERR_FORMAT, "nr_class x\n", "line 2: not a line of its header"},
        {CAUCUS_ERR_FORMAT, "classes 2\n", "line 2: not a line of its header"},
        {CAUCUS_ERR_UNSUPPORTED, "nr_class 2\nnr_feature 1\nbias -1\nw\n0\n", "for regression"},
        {CAUCUS_ERR_UNSUPPORTED, "nr_class 2\nrho 1\nw\n0\n", "for one class"},
        {CAUCUS_ERR_FORMAT, "label 1 2\nw\n", "0 labels"},
        {CAUCUS_ERR_FORMAT, "nr_class 3\nlabel 1 2\nw\n", "fewer labels"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2 3\nw\n", "more labels"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 1\nw\n", "'1' stands twice"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2\nnr_feature 2\nw\n1\n", "the file ends here"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2\nnr_feature 1\nw\n1\n2\n", "more weights"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2\nnr_feature 1\nw\n1 2\n", "more weights"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2\nnr_feature 1\nw\nx\n", "not the weights"},
        {CAUCUS_ERR_FORMAT, "nr_class 2\nlabel 1 2\nnr_feature 99999999999\nw\n", "too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cau_strbuf file = {0};
        cau_strbuf_printf(&file, "%s%s", head, cases[i].rest);
        assert_peer_refused((cau_str){file.s, file.n}, cases[i].status, cases[i].words);
        cau_strbuf_clear(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_megam),
        cmocka_unit_test(test_megam_damaged),
        cmocka_unit_test(test_liblinear),
        cmocka_unit_test(test_liblinear_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
