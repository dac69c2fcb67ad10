/* tagged_test.c - from tagged files to events, alone and side by side.
 *
 * What is read is written down as one line of text: a token as word/gold/label, with a label for
 * each system, - for a word that is not there and * before the first token of a document; | for
 * the end of a sentence, & for the seam of two files, . for the end. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "eval/tagged.h"
#include "support/support.h"

enum { FILES_MAX = 4 };

/* The texts of system 0, of other systems, and of the true labels. */
typedef struct {
    cau_eval_options options;
    const char *text[FILES_MAX], *against[FILES_MAX], *gold;
} tagged_texts;

/* The texts as files a0.txt .., b0.txt .. and gold.txt. */
typedef struct {
    cau_eval_options options;
    const char *path[FILES_MAX], *against[FILES_MAX];
    size_t count;
} tagged_test_files;

static void write_files(const tagged_texts *in, tagged_test_files *f)
{
    char name[16];
    *f = (tagged_test_files){.options = in->options};
    for (; f->count < FILES_MAX && in->text[f->count]; f->count++) {
        const char *text = in->text[f->count];
        snprintf(name, sizeof name, "a%zu.txt", f->count);
        f->path[f->count] = test_text(name, text);
    }
    size_t others = 0;
    for (; others < FILES_MAX && in->against[others]; others++) {
        snprintf(name, sizeof name, "b%zu.txt", others);
        f->against[others] = test_text(name, in->against[others]);
    }
    f->options.against = (cau_paths){others, f->against};
    if (in->gold) f->options.gold = test_text("gold.txt", in->gold);
}

static void add_label(cau_strbuf *out, const cau_alphabet *labels, uint32_t id)
{
    cau_strbuf_printf(out, "/%s", id == CAU_UNKNOWN ? "?" : cau_alphabet_name(labels, id).s);
}

static caucus_status transcribe(caucus_ctx *ctx, const tagged_test_files *f, cau_strbuf *out)
{
    caucus_status st;
    cau_alphabet *labels = NULL;
    cau_tagged *in = NULL;
    cau_tagged_kind kind = CAU_TAGGED_TOKEN;
    st = cau_alphabet_new(ctx, &labels);
    if (!st) st = cau_tagged_open(ctx, &f->options, f->path, f->count, labels, &in);
    while (!st && kind != CAU_TAGGED_END) {
        cau_tagged_token token;
        st = cau_tagged_next(ctx, in, &kind, &token);
        if (st) break;
        cau_strbuf_printf(out, "%s", out->n ? " " : "");
        if (kind == CAU_TAGGED_TOKEN) {
            cau_strbuf_printf(out, "%s%.*s", token.document ? "*" : "",
                              token.word.s ? (int)token.word.n : 1,
                              token.word.s ? token.word.s : "-");
            add_label(out, labels, token.gold);
            for (size_t i = 0; i < cau_tagged_systems(in); i++)
                add_label(out, labels, token.label[i]);
        } else {
            cau_strbuf_printf(out, "%s",
                              kind == CAU_TAGGED_BREAK  ? "|"
                              : kind == CAU_TAGGED_SEAM ? "&"
                                                        : ".");
        }
    }
    if (!st) st = cau_strbuf_status(ctx, out);
    cau_tagged_free(in);
    cau_alphabet_free(labels);
    return st;
}

static void check_reads(const tagged_texts *in, const char *want)
{
    caucus_ctx *ctx = test_ctx();
    tagged_test_files f;
    cau_strbuf got = {0};
    write_files(in, &f);
    assert_ok(ctx, transcribe(ctx, &f, &got));
    assert_string_equal(got.s, want);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* The message, without the directory of the files, begins with this. */
static void check_fails(const tagged_texts *in, caucus_status want, const char *message)
{
    caucus_ctx *ctx = test_ctx();
    tagged_test_files f;
    cau_strbuf got = {0}, said = {0};
    const char *directory = test_path("");
    write_files(in, &f);
    assert_int_equal(transcribe(ctx, &f, &got), want);
    for (const char *at = caucus_message(ctx), *next; *at; at = next) {
        if (strncmp(at, directory, strlen(directory)) == 0) at += strlen(directory);
        next = at + 1;
        cau_strbuf_add(&said, at, 1);
    }
    assert_non_null(said.s);
    if (strncmp(said.s, message, strlen(message)) != 0) fail_msg("got \"%s\"", said.s);
    cau_strbuf_clear(&said);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* Words are read only if they are needed. */
static const char *anything = "";
static const cau_eval_options words = {.known = {1, &anything}};

/* The columns of a line, however they are separated, and which of them is the word. */
static void finds_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text, *delimiter, *want;
        uint64_t word;
    } cases[] = {
        {"w P x y\n", NULL, "w/x/y .", 0},
        {"w P x y\n", NULL, "P/x/y .", 1},
        {"w P x y\n", NULL, "-/x/y .", 2}, /* a label is not a word */
        {"  w  P   x  y  \n", NULL, "w/x/y .", 0},
        {"x y", NULL, "-/x/y .", 0},
        {"a w\tP\tx\ty\n", NULL, "a w/x/y .", 0}, /* a cell with a blank */
        {"\tP\tx\ty\n", NULL, "-/x/y .", 0},
        {"w P x\ty\n", NULL, "w/x/y .", 0}, /* the output of tag: the line, TAB, the label */
        {"w P x\ty\n", NULL, "P/x/y .", 1},
        {"w P x\ty\n", NULL, "-/x/y .", 2},
        {"v\tw P x\ty\n", NULL, "P/x/y .", 2},
        {"rec sport\trec sport\n", NULL, "-/rec sport/rec sport .", 0},
        {"w|P|x|y\n", "|", "w/x/y .", 0},
        {"w||x|y||\n", "|", "-/x/y .", 1}, /* empty columns count, but not at the end */
        {"w||x|y\n", "|", "w/x/y .", 0},
        {"w  x y\n", " ", "-/x/y .", 1}, /* each time */
        {"a w\tP x\ty y\n", "\t", "a w/P x/y y .", 0},
        {"a w\tx\ty\t\n", "\\t", "a w/x/y .", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tagged_texts in = {.options = words, .text = {cases[i].text}};
        in.options.delimiter = cases[i].delimiter;
        in.options.word = cases[i].word;
        check_reads(&in, cases[i].want);
    }
    check_reads(&(tagged_texts){.text = {"w P x y\n"}}, "-/x/y ."); /* words are not needed */
}

static void finds_sentences_and_documents(void **state)
{
    (void)state;
    check_reads(&(tagged_texts){.text = {"\n\nw x y\n \n\t\n\r\nv x y\n\n"}}, "-/x/y | -/x/y .");
    check_reads(&(tagged_texts){.text = {"w x y\n-X- - O O\n-X-\nv x y\n-X-\tO\tO\n"}},
                "-/x/y | -/x/y .");
    check_reads(&(tagged_texts){.text = {"-X-Y x y\n\t-X-\tx\ty\n"}},
                "-/x/y -/x/y ."); /* not that */
    check_reads(&(tagged_texts){.options.delimiter = ",", .text = {"w,x,y\n, ,\nw,x,y\n-X-,O\n"}},
                "-/x/y | -/x/y .");
    check_reads(&(tagged_texts){.options = words,
                                .text = {"-DOCSTART- O O\n\nw x y\n\n-DOCSTART- O O\nv x y\n"}},
                "*-DOCSTART-/O/O | w/x/y | *-DOCSTART-/O/O v/x/y .");
    check_reads(&(tagged_texts){.text = {"w ? y\nv x y\n"}}, "-/?/? -/x/y .");
    check_reads(&(tagged_texts){.text = {""}}, ".");
}

/* What `tag` writes besides labels. */
static void skips_what_tag_adds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"w x\ty\t0.5\nv x\ty\t1\n", "-/x/y -/x/y ."},
        {"x\ty\t0.25\t0.5\t_\n", "-/x/y ."},
        {"x\ty\tx:0.5\ty:0.5\nx\ty\tx:1\ty:0\n", "-/x/y -/x/y ."},
        {"w\tx\ty\t0.5\t_\tx:0.5\n", "-/x/y ."},
        {"x\ty\t_\nx\ty\t_\n", "-/x/y -/x/y ."},
        {"0\t1\t0.5\n1\t1\t1\n", "-/0/1 -/1/1 ."}, /* labels that are numbers */
        {"w\t0\t1\nv\t1\t1\n", "-/0/1 -/1/1 ."},
        {"w\t0.5\t0.25\n", "-/0.5/0.25 ."},
        {"w\tx:1\ty:1\n", "-/x:1/y:1 ."},
        {"# 0.5\nx\ty\n\n# 1\nx\tx\n", "-/x/y | -/x/x ."},
        {"# 0 0.5\nx\ty\n\n# 1 0.25\nx\tx\n\n# 0 1 uncertified\ny\ty\n\n# 1 0\ny\ty\n",
         "-/x/y | -/y/y ."},
        {"# a comment\n#\tx\ty\n", "-/x/y ."}, /* a token */
        {"# x y\nw x y\n", "-/x/y -/x/y ."},
        {"# 0.5\nw x y\n", "-/x/y ."},
        {"# 0 1\nw x y\n", "-/0/1 -/x/y ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_reads(&(tagged_texts){.text = {cases[i].text}}, cases[i].want);
    check_reads(&(tagged_texts){.text = {"# 0 0.5\ny\n\n# 1 0.5\nx\n", "# 0 0.5\nx\n"},
                                .gold = "w x\n\nv x\n"},
                "w/x/y | v/x/x .");
    check_reads(&(tagged_texts){.text = {"y\t0.5\n"}, .gold = "w x\n"}, "w/x/y .");
    check_fails(&(tagged_texts){.text = {"w x y\nw x 0.5\n"}}, CAUCUS_ERR_FORMAT,
                "a0.txt:2: the last column should be the predicted label, but is the probability "
                "'0.5'; remove the columns after the label");
    check_fails(&(tagged_texts){.text = {"w x:0.5 y:0.5\n"}}, CAUCUS_ERR_FORMAT,
                "a0.txt:1: the last column should be the predicted label");
}

static void joins_files(void **state)
{
    (void)state;
    check_reads(&(tagged_texts){.text = {"w x y\n", "v x x\n\n", "", "u y y"}},
                "-/x/y & -/x/x | -/y/y .");
    /* The file of another system need not end where the files of the first system end. */
    check_reads(&(tagged_texts){.text = {"w x y\n", "v x x\n\n", "u y y\n"},
                                .against = {"w x x\nv x y\n\nu y x\n"}},
                "w/x/y/x & v/x/x/y | u/y/y/x .");
    check_reads(&(tagged_texts){.text = {"w x y\n", "v x x\n"}, .against = {"w x x\n\nv x y\n"}},
                "w/x/y/x | v/x/x/y .");
}

static void reads_systems_side_by_side(void **state)
{
    (void)state;
    check_reads(
        &(tagged_texts){.text = {"w x y\n\n\nv x x\n"}, .against = {"w P x x\n\nv P x y\n\n"}},
        "w/x/y/x | v/x/x/y .");
    check_reads(&(tagged_texts){.text = {"x y\n"}, .against = {"w x x\n", "x z\n"}}, "w/x/y/x/z .");
    check_reads(&(tagged_texts){.text = {"w ? y\nv x y\n"}, .against = {"w ? y\nv x x\n"}},
                "w/?/?/? v/x/y/x .");
    /* True labels from a file of their own: another gold column is ignored. */
    check_reads(&(tagged_texts){.text = {"w y\nv no x\n"}, .gold = "w P x\nv P x\n"},
                "w/x/y v/x/x .");
    check_reads(&(tagged_texts){.text = {"y\nx\n"}, .against = {"w x\nv z\n"}, .gold = "x\n?\n"},
                "w/x/y/x v/?/?/? .");
    check_reads(&(tagged_texts){.text = {"w P\ty\n"}, .gold = "w P x\n"}, "w/x/y .");
}

/* Fifteen tokens, the end of a sentence, and line 17. */
static const char *after_sixteen(const char *line17)
{
    static char text[2][1024];
    static int which;
    which = !which;
    size_t n = 0;
    for (int i = 1; i <= 15; i++) n += (size_t)sprintf(text[which] + n, "w%d x y\n", i);
    sprintf(text[which] + n, "\n%s", line17);
    return text[which];
}

static void names_the_first_line_that_differs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *message;
    } cases[] = {
        {"w x y\nv x y\n", "w x y\n\nv x y\n",
         "b0.txt:18: the end of a sentence, but a0.txt:18 has a token; both must have the same "
         "tokens in the same order"},
        {"w x y\n\nv x y\n", "w x y\nv x y\n",
         "b0.txt:18: a token, but a0.txt:18 has the end of a sentence; both must"},
        {"w x y\nv x y\n", "w x y\n\n\nv x y\n", "b0.txt:18: the end of a sentence, but a0.txt:18"},
        {"w x y\nv x y\n", "w x y\n\n",
         "b0.txt:19: the end of the file, but a0.txt:18 has a token"},
        {"w x y\n", "w x y\nv x y\n", "b0.txt:18: a token, but a0.txt:18 has the end of the file"},
        {"w x y\n", "w x y\n\nv x y\n",
         "b0.txt:19: a token, but a0.txt:18 has the end of the file"},
        {"w x y\n", "v x y\n", "b0.txt:17: the word 'v', but a0.txt:17 has 'w'; both must"},
        {"w x y\n", "w z y\n", "b0.txt:17: the gold label 'z', but a0.txt:17 has 'x'; both must"},
        {"w x y\n", "w ? y\n", "b0.txt:17: the gold label '?', but a0.txt:17 has 'x'; both must"},
        {"w x y\n", "\nv x y\n", "b0.txt:18: the word 'v', but a0.txt:17 has 'w'; both must"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tagged_texts in = {.text = {after_sixteen(cases[i].a)},
                                 .against = {after_sixteen(cases[i].b)}};
        check_fails(&in, CAUCUS_ERR_FORMAT, cases[i].message);
    }
    check_fails(&(tagged_texts){.text = {"w x y\n"}, .against = {""}}, CAUCUS_ERR_FORMAT,
                "b0.txt:1: the end of the file, but a0.txt:1 has a token");
    check_fails(&(tagged_texts){.text = {"w x\n"}, .gold = "w x\n\nv x\n"}, CAUCUS_ERR_FORMAT,
                "gold.txt:3: a token, but a0.txt:2 has the end of the file");
    check_fails(&(tagged_texts){.text = {"w x y\n", "v x y\n"}, .against = {"w x y\n"}},
                CAUCUS_ERR_FORMAT, "b0.txt:2: the end of the file, but a1.txt:1 has a token");
}

static void refuses_what_it_cannot_read(void **state)
{
    (void)state;
    check_fails(&(tagged_texts){.text = {"w x y\nx\n"}}, CAUCUS_ERR_FORMAT,
                "a0.txt:2: no gold label");
    check_fails(&(tagged_texts){.text = {"w x y\n"}, .against = {"x\n"}}, CAUCUS_ERR_FORMAT,
                "b0.txt:1: no gold label");
    check_fails(&(tagged_texts){.text = {"w x\n"}, .gold = "w\tx\t\n"}, CAUCUS_ERR_FORMAT,
                "gold.txt:1: the gold label is empty");
    check_fails(&(tagged_texts){.text = {"w x y\n"}, .options.delimiter = "ab"},
                CAUCUS_ERR_ARGUMENT, "--delimiter 'ab': give one character");
    check_fails(&(tagged_texts){.text = {"w|x|y\nw||y\n"}, .options.delimiter = "|"},
                CAUCUS_ERR_FORMAT, "a0.txt:2: the gold label is empty");
    check_fails(&(tagged_texts){.text = {"w|x|y\ny|\n"}, .options.delimiter = "|"},
                CAUCUS_ERR_FORMAT, "a0.txt:2: no gold label");
    check_fails(&(tagged_texts){0}, CAUCUS_ERR_ARGUMENT, "nothing to score");

    caucus_ctx *ctx = test_ctx();
    cau_strbuf got = {0};
    const char *standard_input = "-";
    tagged_test_files f = {.options.against = {1, &standard_input}, .path = {"-"}, .count = 1};
    assert_fails(ctx, transcribe(ctx, &f, &got), CAUCUS_ERR_ARGUMENT, "standard input");
    f = (tagged_test_files){.path = {test_path("absent.txt")}, .count = 1};
    assert_fails(ctx, transcribe(ctx, &f, &got), CAUCUS_ERR_IO, "absent.txt");
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

/* Probabilities do not change how the other columns are found. */
static void reads_probabilities(void **state)
{
    (void)state;
    cau_eval_options options = words;
    options.probabilities = true;
    check_reads(&(tagged_texts){.options = options, .text = {"w P x\ty\tx:0.25\ty:0.75\n"}},
                "w/x/y .");
    check_reads(&(tagged_texts){.options = options, .text = {" w P  x y x:0.25 y:0.75\n"}},
                "w/x/y .");
    check_reads(
        &(tagged_texts){.options = options, .text = {"w y x:0.25 y:0.75\n"}, .gold = "w x\n"},
        "w/x/y .");
    options.delimiter = "|";
    check_reads(&(tagged_texts){.options = options, .text = {"w|P|x|y|x:0.25|y:0.75\n"}},
                "w/x/y .");
}

static caucus_status read_once(void *self)
{
    caucus_ctx *ctx = NULL;
    cau_strbuf got = {0};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = transcribe(ctx, self, &got);
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_memory_failures(void **state)
{
    (void)state;
    tagged_test_files f;
    const tagged_texts in = {.options.probabilities = true,
                             .text = {"w y x:0.25 y:0.75\n", "v x x:1 y:0\n"},
                             .against = {"w x\n\nv x\n"},
                             .gold = "w x\n\nv y\n"};
    write_files(&in, &f);
    assert_true(test_every_allocation(read_once, &f) > 10);
}

/* Contents instead of files: those of the first system one after the other, then of another. */
static void reads_memory(void **state)
{
    (void)state;
    const char *path[] = {"one", "-"}, *other = "-";
    const cau_str memory[] = {
        {"a x y\n", 6}, {"b x x\n\nc z z", 12}, {"a x z\nb x x\n\nc z y\n", 19}};
    tagged_test_files f = {.options = {.memory = memory, .against = {1, &other}}, .count = 2};
    f.path[0] = path[0];
    f.path[1] = path[1];
    caucus_ctx *ctx = test_ctx();
    cau_strbuf got = {0};
    assert_ok(ctx, transcribe(ctx, &f, &got));
    assert_string_equal(got.s, "a/x/y/z & b/x/x/x | c/z/z/y .");
    cau_strbuf_clear(&got);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_columns),
        cmocka_unit_test(finds_sentences_and_documents),
        cmocka_unit_test(skips_what_tag_adds),
        cmocka_unit_test(joins_files),
        cmocka_unit_test(reads_systems_side_by_side),
        cmocka_unit_test(names_the_first_line_that_differs),
        cmocka_unit_test(refuses_what_it_cannot_read),
        cmocka_unit_test(reads_probabilities),
        cmocka_unit_test(reads_memory),
        cmocka_unit_test(survives_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
