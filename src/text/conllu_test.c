/* conllu_test.c - lines of CoNLL-U: their kind, their labels, and lines with other labels. */

#include <string.h>

#include "support/support.h"
#include "text/conllu.h"

#define WORD(feats, misc) "1\tcats\tcat\tNOUN\t_\t" feats "\t2\tnsubj:pass\t_\t" misc

static void tells_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        cau_conllu_kind kind;
    } cases[] = {
        {WORD("_", "_"), CAU_CONLLU_WORD}, {"12\tx", CAU_CONLLU_WORD},
        {"# text", CAU_CONLLU_ASIDE},      {"1-2\tdu\t_", CAU_CONLLU_ASIDE},
        {"0.1\tx", CAU_CONLLU_ASIDE},      {"", CAU_CONLLU_OTHER},
        {"1", CAU_CONLLU_OTHER},           {"x\ty", CAU_CONLLU_OTHER},
        {"1-\tx", CAU_CONLLU_OTHER},       {"1-x\tx", CAU_CONLLU_OTHER},
        {"1:2\tx", CAU_CONLLU_OTHER},      {"\t1", CAU_CONLLU_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cau_conllu_line(cau_str_of(cases[i].line)), cases[i].kind);
}

static void tells_files(void **state)
{
    (void)state;
    const cau_str file[] = {CAU_STR("# x"), CAU_STR("1-2\ta\t_\t_\t_\t_\t_\t_\t_\t_"),
                            cau_str_of(WORD("_", "_")), CAU_STR(""), CAU_STR("the\tDT")};
    assert_true(cau_conllu_looks(file, 4));
    assert_false(cau_conllu_looks(file, 5));
    assert_false(cau_conllu_looks(file, 2));
    assert_false(cau_conllu_looks(file, 0));
}

/* The label of a line, and the line with another label. */
static void finds_and_replaces_labels(void **state)
{
    (void)state;
    static const struct {
        const char *where, *line, *label, *other, *want;
    } cases[] = {
        {NULL, WORD("_", "_"), "NOUN", "X", "1\tcats\tcat\tX\t_\t_\t2\tnsubj:pass\t_\t_"},
        {"xpos", WORD("_", "_"), "?", "NN", "1\tcats\tcat\tNOUN\tNN\t_\t2\tnsubj:pass\t_\t_"},
        {"deprel", WORD("_", "_"), "nsubj:pass", "obj", "1\tcats\tcat\tNOUN\t_\t_\t2\tobj\t_\t_"},
        {"feats.Case", WORD("_", "_"), "_", "Nom", WORD("Case=Nom", "_")},
        {"feats.Case", WORD("Case=Acc", "_"), "Acc", "_", WORD("_", "_")},
        {"feats.Case", WORD("Case=Acc", "_"), "Acc", "Nom", WORD("Case=Nom", "_")},
        {"feats.Case", WORD("abbr=Yes|Number=Plur", "_"), "_", "Nom",
         WORD("abbr=Yes|Case=Nom|Number=Plur", "_")},
        {"feats.Case", WORD("Aspect=Imp", "_"), "_", "Nom", WORD("Aspect=Imp|Case=Nom", "_")},
        {"feats.Case", WORD("Case=Nom|Number=Plur", "_"), "Nom", "_", WORD("Number=Plur", "_")},
        {"misc.NER", WORD("_", "SpaceAfter=No|x"), "_", "B-X",
         WORD("_", "SpaceAfter=No|x|NER=B-X")},
        {"misc.NER", WORD("_", "NER="), "_", "O", WORD("_", "NER=O")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_ctx *ctx = test_ctx();
        cau_conllu_label where;
        cau_strbuf out = {0};
        assert_ok(ctx, cau_conllu_label_parse(ctx, cases[i].where, &where));
        const cau_str label = cau_conllu_label_of(cau_str_of(cases[i].line), &where);
        assert_int_equal(label.n, strlen(cases[i].label));
        assert_memory_equal(label.s, cases[i].label, label.n);
        cau_conllu_add(&out, cau_str_of(cases[i].line), &where, cau_str_of(cases[i].other));
        assert_string_equal(out.s, cases[i].want);
        cau_strbuf_clear(&out);
        caucus_ctx_free(ctx);
    }
}

static void refuses_labels(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "id", "feats", "feats.", "upos.x", "UPOS", "pos"};
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cau_conllu_label where;
        assert_fails(ctx, cau_conllu_label_parse(ctx, wrong[i], &where), CAUCUS_ERR_ARGUMENT,
                     "not a label of CoNLL-U; give upos");
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_lines),
        cmocka_unit_test(tells_files),
        cmocka_unit_test(finds_and_replaces_labels),
        cmocka_unit_test(refuses_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
