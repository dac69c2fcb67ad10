/* detect_test.c - the rules of detect.c, one row per case. */

#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "text/formats.h"

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
    {CAU_FORMAT_CRFSUITE, "spam\t1:1\t2:1\nham\t1:2\n"}, /* names separated by tabs */
    {CAU_FORMAT_MEGAM, "1 1:1 2:x\n0 1:1\n"},            /* x is not a value */
    {CAU_FORMAT_MEGAM, "1 -1:1 2:1\n0 1:1\n"},           /* -1 is not an index */

    /* text */
    {CAU_FORMAT_TEXT, "spam\twin a prize\nham\tsee you at noon , Jo\n"},
    {CAU_FORMAT_TEXT, "spam\twin a prize\nham\tnoon\n\n\n"}, /* trailing blank lines */
    {CAU_FORMAT_TEXT, "spam\twin a prize\n\nham\tnoon\n"},
    {CAU_FORMAT_TEXT, "spam\twin a prize\nno label here\nham\tnoon\n"},

    /* crfsuite */
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\n\nB\tw=c\n"},
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\n"},
    {CAU_FORMAT_CRFSUITE, "B\tw=a\tp=b\nI\tw=b\tp=c\n\nB\tw=c\tp=d\n"}, /* name=value everywhere */
    {CAU_FORMAT_CRFSUITE, "@weight:2\nB\tw=a\tp=b\nI\tw=b\n"},
    {CAU_FORMAT_CRFSUITE, "B\nI\tw=b\tx\n"},

    {CAU_FORMAT_SPANS, "{\"text\": \"a b\", \"spans\": []}\n"},
    {CAU_FORMAT_SPANS,
     "{\"text\": \"a\", \"entities\": [[0, 1, \"X\"]]}\n{\"text\": \"\", \"spans\": []}\n"},

    /* columns */
    {CAU_FORMAT_COLUMNS, "The DT B-NP\ncat NN I-NP\n\nIt PRP B-NP\n"},
    {CAU_FORMAT_COLUMNS, "The DT B-NP\ncat NN I-NP\n"},
    {CAU_FORMAT_COLUMNS, "The\tDT\tB-NP\ncat\tNN\tI-NP\n"},
    {CAU_FORMAT_COLUMNS, "The\tDT\n\ncat\tNN\n"},
    {CAU_FORMAT_COLUMNS, "# # B-NP\n12 CD I-NP\n"},
    {CAU_FORMAT_COLUMNS, "The DT\tB-NP\ncat NN\tI-NP\n\na DT\tB-NP\n"},

    /* common column files: chunks, names, tags; word TAB tag; an uneven line */
    {CAU_FORMAT_COLUMNS,
     "Rates NNS B-NP\nfell VBD B-VP\nby IN B-PP\n3 CD B-NP\n% NN I-NP\n. . O\n"},
    {CAU_FORMAT_COLUMNS, "Mr.\tNNP\tO\nOrtiz\tNNP\tS-PER\nleft\tVBD\tO\n\nOslo\tNNP\tS-LOC\n"},
    {CAU_FORMAT_COLUMNS, "Oslo\tB-LOC\nis\tO\ncold\tO\n"},
    {CAU_FORMAT_COLUMNS, "Oslo B-LOC\nis O\ncold O\n"},
    {CAU_FORMAT_COLUMNS, "we\tPRON\nwalk\tVERB\n.\tPUNCT\n\nyou\tPRON\nrun\tVERB\n"},
    {CAU_FORMAT_COLUMNS, "10:30 CD B-NP\n: : O\na=b SYM B-NP\n\n# # O\n"},
    {CAU_FORMAT_COLUMNS, "der ART case=nom|num=sg B-NC\nHund NN case=nom|num=sg I-NC\n"},
    {CAU_FORMAT_COLUMNS, "-DOCSTART- -X- O O\n\nBonn NNP I-NP I-LOC\n"},
    {CAU_FORMAT_CRFSUITE,
     "B-NP\tw[0]=He\tpos[0]=PRP\t__BOS__\nO\tw[0]=.\tpos[0]=.\n\nO\tw[0]=x\tpos[0]=y\n"},
    {CAU_FORMAT_CRFSUITE,
     "O\tw[0]=He\tw[0]|w[1]=He|ran\nO\tw[0]=ran\tw[0]|w[1]=ran|.\n\nO\tw[0]=.\tend=1\n"},
    {CAU_FORMAT_CRFSUITE, "O\tw=a\tlen:0.5\nB-X\tw=b\tlen:0.25\n\nO\tw=c\n"},
    {CAU_FORMAT_TEXT, "O\tthe blood group of the donor\nAB\tgiven twice\n"},

    /* megam */
    {CAU_FORMAT_MEGAM, "0 a b c\n1 a\n"},
    {CAU_FORMAT_MEGAM, "0 a b\n1 a c\nDEV\n1 a b\n"},
    {CAU_FORMAT_MEGAM, "0 $$$WEIGHT 2 a\n1 $$$WEIGHT 2 b\n"},
    {CAU_FORMAT_MEGAM, "0 # a # b\n1 # c # d\n"},
    {CAU_FORMAT_MEGAM, "# a comment\n0 # a # b\n1 # c # d\n"},
    {CAU_FORMAT_MEGAM, "# comment\n0 a b c\n1 a\n"},

    /* the other formats */
    {CAU_FORMAT_CONLLU, "1\tThe\tthe\tDET\tDT\t_\t0\troot\t_\t_\n"},
    {CAU_FORMAT_CSV, "label,text\nspam,win a prize\n"},
    {CAU_FORMAT_CSV, "a,b,c\n1,2,x\n3,4,y\n"},
    {CAU_FORMAT_CSV, "id,review\n1,\"two\nlines, \"\"quoted\"\"\"\n2,one\n"},
    {CAU_FORMAT_CSV, "\"label\",\"text\"\r\nspam,win\r\n"},
    {CAU_FORMAT_TSV, "label\ttext\nspam\twin a prize\nham\tnoon\n"},
    {CAU_FORMAT_TSV, "id\tsentence\tlabel\n1\twin a prize\tspam\n2\tnoon\tham\n"},
    {CAU_FORMAT_JSON_TEXT, "{\"text\": \"a b\", \"label\": \"x\"}\n"},
    {CAU_FORMAT_JSON_TEXT, "[\n {\"label\": 1,\n  \"text\": \"a\"},\n {}]\n"},
    {CAU_FORMAT_JSON_TOKENS, "{\"tokens\": [\"a\"], \"tags\": [\"O\"]}\n"},
    {CAU_FORMAT_JSON_TOKENS, "[{\"id\": 1, \"words\": [\"a\"], \"ner_tags\": [0]}]"},
    {CAU_FORMAT_JSON_TOKENS, "{\"text\": \"a\", \"tokens\": [\"a\"], \"labels\": [\"O\"]}\n"},
    {CAU_FORMAT_FASTTEXT, "__label__a good\n__label__b bad , really\n"},
    {CAU_FORMAT_FASTTEXT, "good __label__a\nno label\n"},
    {CAU_FORMAT_VW, "1 |a b c:2\n-1 2 'tag|a d\n|a e\n"},
    {CAU_FORMAT_WAPITI, "u:a b B-X\nu:b *:c O\n\nu:c O\n"},
    {CAU_FORMAT_WAPITI, "u1:a B\n\nu1:b C\n"},

    /* several formats fit */
    {CAU_FORMAT_TEXT, "spam\tprize\nham\tnoon\n"},               /* text, columns */
    {CAU_FORMAT_AUTO, "spam\t12\twin a prize\nham\t13\tnoon\n"}, /* text, tsv without header */
    {CAU_FORMAT_TEXT, "a\tb"},
    {CAU_FORMAT_AUTO, "B\tw a\tp\nI\tw\tp\n\nB\tw\tp\n"},        /* crfsuite, columns */
    {CAU_FORMAT_AUTO, "The DT B-NP\ncat I-NP\n\nIt PRP B-NP\n"}, /* columns, simpletagger */
    {CAU_FORMAT_AUTO, "New\tNNP\tB-LOC\nYork\tI-LOC\n\nIt\tPRP\tO\n"},
    {CAU_FORMAT_TEXT, "yes\tgroup O\nno\tgroup O\n"},
    {CAU_FORMAT_AUTO, "d1 en the cat\nd2 de die Katze\n"}, /* mallet, megam, columns */
    {CAU_FORMAT_AUTO, "CAP w=The B\nw=cat I\n\nw=x O\n"},  /* simpletagger, megam */
    {CAU_FORMAT_AUTO, "dog NN\ncat NN\n"},                 /* columns, megam */

    /* none fits */
    {CAU_FORMAT_AUTO, "{\"other\": 1}\n"},

    /* unknown */
    {CAU_FORMAT_AUTO, ""},
    {CAU_FORMAT_AUTO, "\n \n\t\n"},
    {CAU_FORMAT_AUTO, "a\nb\n\nc\n"},
};

static cau_format detect(cau_read_options options, const char *file)
{
    cau_str lines[64] = {0};
    size_t count = 0;
    bool empty, candidate[CAU_FORMATS] = {false};
    for (const char *p = file; *p; count++) {
        const size_t n = strcspn(p, "\n");
        lines[count] = (cau_str){p, n};
        p += n + (p[n] == '\n');
    }
    const cau_format format = cau_detect(&options, lines, count, &empty, candidate);
    assert_int_equal(empty, strspn(file, " \t\n") == strlen(file));
    return format;
}

static void test_table(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const cau_format got = detect((cau_read_options){0}, cases[c].file);
        if (got == cases[c].want) continue;
        print_error("\"%s\" is %s, but detected as %s\n", cases[c].file,
                    cau_format_name(cases[c].want), cau_format_name(got));
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Comments and document marks are skipped only if the options enable them. */
static void test_comments_and_marks(void **state)
{
    (void)state;
    const char *comment = "# text = It is cold .\n1\tIt\tPRON\n\n2\tis\tAUX\n";
    const char *docstart = "-DOCSTART-\nOslo LOC\nis O\n";
    assert_int_equal(detect((cau_read_options){0}, comment), CAU_FORMAT_AUTO);
    assert_int_equal(detect((cau_read_options){.comments = true}, comment), CAU_FORMAT_COLUMNS);
    assert_int_equal(detect((cau_read_options){0}, docstart), CAU_FORMAT_MEGAM);
    assert_int_equal(detect((cau_read_options){.docstart = true}, docstart), CAU_FORMAT_COLUMNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_comments_and_marks),
    };
    return cmocka_run_group_tests_name("text/detect", tests, NULL, NULL);
}
