/* parallel_read_test.c - reading in chunks by several threads gives the result of one thread. */

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "dataset/dataset.h"
#include "support/base_sample.h"
#include "support/support.h"

static const size_t chunks[] = {1, 20, 333, 4000}; /* bytes */
enum { CHUNKS = sizeof chunks / sizeof *chunks, MOST_THREADS = 3 };

/* The result of reading: a set, or a failure with its message; and the notes. */
typedef struct {
    caucus_status status;
    cau_strbuf message, notes;
    caucus_data *data;
} read_outcome;

static read_outcome read_by(const cau_data_options *options, const char *const *paths, size_t count,
                            unsigned threads, size_t chunk)
{
    read_outcome o = {0};
    caucus_ctx *ctx = test_ctx();
    cau_data_options how = *options;
    how.chunk = chunk;
    caucus_set_threads(ctx, threads);
    caucus_on_note(ctx, collect_note, &o.notes);
    o.status = cau_data_read(ctx, &how, paths, count, &o.data);
    if (o.status) cau_strbuf_printf(&o.message, "%s", caucus_message(ctx));
    caucus_ctx_free(ctx);
    return o;
}

static void outcome_clear(read_outcome *o)
{
    cau_strbuf_clear(&o->message);
    cau_strbuf_clear(&o->notes);
    cau_data_free(o->data);
}

/* ---- the same ---------------------------------------------------------------------------- */

static void same_array(const void *a, const void *b, size_t count, size_t size)
{
    assert_int_equal(!a, !b);
    if (a && count) assert_memory_equal(a, b, count * size);
}

#define SAME(a, b, count) same_array((a), (b), (count), sizeof *(a))

static void same_csr(const cau_csr *a, const cau_csr *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    SAME(a->start, b->start, a->rows + 1);
    SAME(a->column, b->column, cau_csr_nonzeros(a));
    SAME(a->value, b->value, cau_csr_nonzeros(a));
}

static void same_set(const cau_dataset *a, const cau_dataset *b)
{
    assert_int_equal(a->N, b->N);
    assert_int_equal(a->K, b->K);
    assert_int_equal(a->Y, b->Y);
    assert_int_equal(a->E, b->E);
    assert_int_equal(a->S, b->S);
    assert_int_equal(a->group, b->group);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->partial, b->partial);
    assert_int_equal(a->files, b->files);
    same_csr(&a->x, &b->x);
    same_csr(&a->xt, &b->xt);
    same_csr(&a->e, &b->e);
    SAME(a->gold, b->gold, a->N);
    SAME(a->weight, b->weight, a->N);
    SAME(a->sequence, b->sequence, a->S + 1);
    SAME(a->unit, b->unit, a->S);
    assert_int_equal(a->sets.count, b->sets.count);
    SAME(a->sets.start, b->sets.start, a->sets.count + 1);
    SAME(a->sets.label, b->sets.label, a->sets.start ? a->sets.start[a->sets.count] : 0);
}

static void same_alphabet(const cau_alphabet *a, const cau_alphabet *b)
{
    assert_int_equal(cau_alphabet_size(a), cau_alphabet_size(b));
    for (uint32_t k = 0; k < cau_alphabet_size(a); k++)
        assert_string_equal(cau_alphabet_name(a, k).s, cau_alphabet_name(b, k).s);
}

static void same_outcome(const read_outcome *a, const read_outcome *b)
{
    assert_int_equal(a->status, b->status);
    if (a->status) assert_string_equal(a->message.s, b->message.s);
    assert_int_equal(a->notes.n, b->notes.n);
    if (a->notes.n) assert_string_equal(a->notes.s, b->notes.s);
    if (a->status) return;
    same_alphabet(a->data->alphabets.names, b->data->alphabets.names);
    same_alphabet(a->data->alphabets.edges, b->data->alphabets.edges);
    same_alphabet(a->data->labels, b->data->labels);
    same_set(&a->data->train, &b->data->train);
    same_set(&a->data->dev, &b->data->dev);
    same_set(&a->data->test, &b->data->test);
    assert_int_equal(a->data->read.format, b->data->read.format);
    assert_int_equal(a->data->read.columns, b->data->read.columns);
    assert_int_equal(a->data->transitions, b->data->transitions);
    assert_true(a->data->fingerprint == b->data->fingerprint);
}

/* Reads the files with all chunk sizes and thread counts. Hands over the result with one thread,
 * unless the caller passes NULL. */
static void check_files(const cau_data_options *options, const char *const *paths, size_t count,
                        read_outcome *want)
{
    read_outcome one = read_by(options, paths, count, 1, 0);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        for (size_t i = 0; i < CHUNKS; i++) {
            read_outcome many = read_by(options, paths, count, threads, chunks[i]);
            same_outcome(&one, &many);
            outcome_clear(&many);
        }
    if (want)
        *want = one;
    else
        outcome_clear(&one);
}

static void check_text(cau_data_options options, const char *text, size_t n, read_outcome *want)
{
    const char *path = test_file("train", text, n);
    check_files(&options, &path, 1, want);
}

/* Reads a text that must be accepted. */
static void check_good(cau_data_options options, const cau_strbuf *text)
{
    read_outcome one;
    check_text(options, text->s, text->n, &one);
    if (one.status) fail_msg("%s", one.message.s);
    outcome_clear(&one);
}

/* ---- texts ------------------------------------------------------------------------------- */

typedef struct {
    const char *newline; /* line end */
    const char *blank;   /* a blank line between sequences */
    bool unended;        /* the last line has no newline */
} parallel_read_form;

static const parallel_read_form plain = {"\n", "", false};

static size_t roll(cau_rng *rng, size_t n)
{
    return (size_t)cau_rng_below(rng, n);
}

/* Sequences of a few tokens. Their names and labels occur irregularly, some late for the first
 * time. `line` writes a token. */
typedef void line_fn(cau_strbuf *out, cau_rng *rng, size_t i);

static cau_strbuf sequences_of(line_fn *line, size_t lines, parallel_read_form f)
{
    cau_strbuf out = {0};
    cau_rng rng;
    cau_rng_init(&rng, 7);
    for (size_t i = 0; i < lines; i++) {
        line(&out, &rng, i);
        if (i + 1 < lines || !f.unended) cau_strbuf_printf(&out, "%s", f.newline);
        if (i + 1 == lines) break;
        for (size_t blanks = roll(&rng, 4) ? 0 : roll(&rng, 4); blanks > 0; blanks--)
            cau_strbuf_printf(&out, "%s%s", f.blank, f.newline);
    }
    return out;
}

/* Lines without blank lines. */
static cau_strbuf lines_of(line_fn *line, size_t lines, const char *newline)
{
    cau_strbuf out = {0};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t i = 0; i < lines; i++) {
        line(&out, &rng, i);
        cau_strbuf_printf(&out, "%s", newline);
    }
    return out;
}

static void add_label(cau_strbuf *out, cau_rng *rng, size_t i)
{
    cau_strbuf_printf(out, "L%zu", roll(rng, 2 + i / 100));
}

static void items_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    if (roll(rng, 30) == 0) cau_strbuf_printf(out, "@weight:%zu\t", roll(rng, 3));
    add_label(out, rng, i);
    for (size_t n = roll(rng, 6); n > 0; n--) {
        cau_strbuf_printf(out, "\tw=%zu", roll(rng, 5 + i));
        if (i > 200 && roll(rng, 10) == 0) cau_strbuf_printf(out, ":%g", (double)roll(rng, 4));
        if (roll(rng, 10) == 0) cau_strbuf_printf(out, "\tt=%zu\\:\\\\%zu", roll(rng, 9), i);
    }
}

static void columns_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    cau_strbuf_printf(out, "w%zu p%zu\t", roll(rng, 5 + i), roll(rng, 5));
    add_label(out, rng, i);
}

static void partial_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    cau_strbuf_printf(out, "w%zu p%zu ", roll(rng, 5 + i), roll(rng, 5));
    add_label(out, rng, i);
    if (roll(rng, 5) == 0) cau_strbuf_printf(out, "|L%zu|M", roll(rng, 3));
}

static void text_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    if (roll(rng, 20) == 0) return; /* a blank line */
    add_label(out, rng, i);
    cau_strbuf_printf(out, "\t");
    for (size_t n = roll(rng, 8); n > 0; n--) cau_strbuf_printf(out, "Word%zu  ", roll(rng, 5 + i));
}

static void svmlight_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    if (roll(rng, 20) == 0) cau_strbuf_printf(out, "# a comment\n");
    cau_strbuf_printf(out, roll(rng, 2) ? "+1" : "-1");
    for (size_t k = roll(rng, 9); k < i / 2 + 9; k += 1 + roll(rng, 1 + i / 5))
        cau_strbuf_printf(out, " %zu:%g", k, (double)(1 + roll(rng, 2)));
}

static void megam_line(cau_strbuf *out, cau_rng *rng, size_t i)
{
    if (i == 150) cau_strbuf_printf(out, "DEV\n");
    if (i == 170) cau_strbuf_printf(out, "TEST\n");
    add_label(out, rng, i);
    for (size_t n = roll(rng, 6); n > 0; n--) cau_strbuf_printf(out, " f%zu", roll(rng, 5 + i));
}

/* ---- formats ----------------------------------------------------------------------------- */

static void test_items(void **state)
{
    (void)state;
    static const parallel_read_form forms[] = {
        {"\n", "", false},
        {"\n", "", true},
        {"\r\n", "", false},
        {"\n", " ", false}, /* for items this is a label, not a break */
        {"\r\n", "", true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        cau_strbuf text = sequences_of(items_line, 400, plain);
        cau_strbuf end = sequences_of(items_line, 400, forms[i]);
        cau_strbuf_printf(&text, "\n%s", end.s);
        check_good((cau_data_options){.read.format = CAU_FORMAT_CRFSUITE}, &text);
        check_good((cau_data_options){.cutoff = 2, .dev_fraction = 0.2, .partial = true}, &text);
        cau_strbuf_clear(&text);
        cau_strbuf_clear(&end);
    }
}

static void test_columns(void **state)
{
    (void)state;
    static const parallel_read_form forms[] = {{"\n", "", false},
                                               {"\n", "", true},
                                               {"\n", " \t", false},
                                               {"\r\n", "", false},
                                               {"\n", "-DOCSTART- -X- O", false},
                                               {"\n", "# a comment", false}};
    static const char patterns[] =
        "U0:%x[0,0]\nU1:%x[-1,0]/%x[1,1]\nU2:%suffix[0,0,2]\nB\nB1:%x[0,1]\n";
    const char *template = test_text("template", patterns);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        cau_strbuf text = sequences_of(columns_line, 400, forms[i]);
        cau_strbuf_printf(&text, "%s\n\nlast one L0\n", forms[i].unended ? "\n" : "");
        cau_data_options how = {
            .read = {.format = CAU_FORMAT_COLUMNS, .docstart = true, .comments = true}};
        check_good(how, &text); /* the default template */
        how.template = template;
        check_good(how, &text);
        how.by = "file";
        check_good(how, &text);
        how.by = "1";
        check_good(how, &text);
        cau_strbuf_clear(&text);
    }
}

static void test_documents(void **state)
{
    (void)state;
    cau_strbuf text = sequences_of(columns_line, 200, plain);
    cau_strbuf_printf(&text, "\n-DOCSTART- -X- O\n\nx y L1\n\nw2 p2 L0\n\n-DOCSTART- -X- O\n"
                             "\nw3 p3 L1\n");
    for (int aside = 0; aside < 2; aside++)
        check_good((cau_data_options){.read = {.format = CAU_FORMAT_COLUMNS, .docstart = aside},
                                      .by = "document",
                                      .dev_fraction = 0.3},
                   &text);
    cau_strbuf_clear(&text);
}

static void test_partial_labels(void **state)
{
    (void)state;
    cau_strbuf text = sequences_of(partial_line, 300, plain);
    check_good((cau_data_options){.read.format = CAU_FORMAT_COLUMNS, .partial = true}, &text);
    cau_strbuf_printf(&text, "\nw p ?\n");
    check_good((cau_data_options){.read.format = CAU_FORMAT_COLUMNS, .partial = true}, &text);
    check_text((cau_data_options){.read.format = CAU_FORMAT_COLUMNS}, text.s, text.n, NULL);
    cau_strbuf_clear(&text);
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        line_fn *line;
        cau_read_options read;
    } cases[] = {
        {text_line, {.format = CAU_FORMAT_TEXT, .ngrams = 2, .lower = true}},
        {text_line, {.format = CAU_FORMAT_TEXT, .counts = true}},
        {svmlight_line, {.format = CAU_FORMAT_SVMLIGHT}},
        {svmlight_line, {.format = CAU_FORMAT_AUTO}},
        {megam_line, {.format = CAU_FORMAT_MEGAM}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int cr = 0; cr < 2; cr++) {
            cau_strbuf text = lines_of(cases[i].line, 200, cr ? "\r\n" : "\n");
            check_good((cau_data_options){.read = cases[i].read}, &text);
            text.n -= cr ? 2 : 1; /* removes the last newline */
            check_good((cau_data_options){.read = cases[i].read, .by = "file"}, &text);
            cau_strbuf_clear(&text);
        }
}

/* ---- odd files --------------------------------------------------------------------------- */

/* One sequence, and one after others that spans all chunks. */
static void test_no_blank_line(void **state)
{
    (void)state;
    const cau_data_options how = {.read.format = CAU_FORMAT_CRFSUITE};
    cau_strbuf text = lines_of(items_line, 300, "\n"), both = {0};
    check_good(how, &text);
    cau_strbuf_printf(&both, "L0\ta\n\nL1\tb\n\n%s", text.s);
    check_good(how, &both);
    cau_strbuf_printf(&both, "\n\n\n\n\n\n\n\n\n\nL0\tlast\n\n\n\n\n\n\n\n");
    check_good(how, &both);
    cau_strbuf_clear(&text);
    cau_strbuf_clear(&both);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    cau_strbuf text = lines_of(text_line, 60, "\n"), marked = {0};
    cau_strbuf_printf(&marked, "\xEF\xBB\xBFL0\tword\n%s", text.s);
    check_good((cau_data_options){.read.format = CAU_FORMAT_TEXT}, &marked);
    cau_strbuf_clear(&text);
    cau_strbuf_clear(&marked);
}

/* Several files, one of them empty, and held-out sets with their own names and labels. */
static void test_files(void **state)
{
    (void)state;
    cau_strbuf a = sequences_of(items_line, 200, plain), b = sequences_of(items_line, 350, plain);
    const char *paths[] = {test_file("a", a.s, a.n), test_file("none", "\n\n", 2),
                           test_file("b", b.s, b.n)};
    cau_data_options how = {.read.format = CAU_FORMAT_CRFSUITE, .dev = paths[2], .by = "file"};
    read_outcome one;
    check_files(&how, paths, 1, &one);
    assert_int_equal(one.status, CAUCUS_OK);
    assert_int_equal(one.data->dev.N, 350);
    outcome_clear(&one);
    how.dev = NULL;
    how.test = paths[0];
    check_files(&how, paths, 3, NULL);
    cau_strbuf_clear(&a);
    cau_strbuf_clear(&b);
}

/* ---- what is wrong or odd is told alike ---------------------------------------------------- */

static void check_bad(cau_format format, line_fn *line, const char *fault, const char *say)
{
    cau_strbuf text = cau_format_name(format)[0] == 'c' ? sequences_of(line, 200, plain)
                                                        : lines_of(line, 200, "\n");
    cau_strbuf_printf(&text, "%s\n", fault);
    const size_t once = text.n;
    cau_strbuf_printf(&text, "L1\tw=1\n\n%s\n", fault);
    for (int twice = 0; twice < 2; twice++) {
        read_outcome one;
        check_text((cau_data_options){.read.format = format}, text.s, twice ? text.n : once, &one);
        assert_int_equal(one.status, CAUCUS_ERR_FORMAT);
        if (!strstr(one.message.s, say)) fail_msg("%s", one.message.s);
        outcome_clear(&one);
    }
    cau_strbuf_clear(&text);
}

static void test_errors(void **state)
{
    (void)state;
    check_bad(CAU_FORMAT_CRFSUITE, items_line, "L1\tw=1:x", "value 'x' of feature 'w=1'");
    check_bad(CAU_FORMAT_CRFSUITE, items_line, "\tw=1", "no label");
    check_bad(CAU_FORMAT_CRFSUITE, items_line, "L1\t\xFF", "invalid UTF-8");
    check_bad(CAU_FORMAT_CRFSUITE, items_line, "@what:1", "unknown directive");
    check_bad(CAU_FORMAT_CRFSUITE, items_line, "?\tw=1", "the label '?'");
    check_bad(CAU_FORMAT_COLUMNS, columns_line, "w p x L1", "4 columns, but earlier lines have 3");
    check_bad(CAU_FORMAT_TEXT, text_line, "words alone", "no TAB");
    check_bad(CAU_FORMAT_SVMLIGHT, svmlight_line, "+1 3:1 2:1", "index 2 after 3");
}

/* Errors name their line. */
static void test_line_of_error(void **state)
{
    (void)state;
    cau_strbuf text = {0};
    for (int i = 0; i < 500; i++) cau_strbuf_printf(&text, "L%d\tw=%d\n\n", i % 2, i);
    cau_strbuf_printf(&text, "L1\tw:nan\n");
    read_outcome one;
    check_text((cau_data_options){.read.format = CAU_FORMAT_CRFSUITE}, text.s, text.n, &one);
    assert_non_null(strstr(one.message.s, "train:1001: value 'nan'"));
    outcome_clear(&one);
    cau_strbuf_clear(&text);
}

/* More chunks than one round of the threads handles. */
static void test_many_chunks(void **state)
{
    (void)state;
    const cau_data_options how = {.read.format = CAU_FORMAT_SVMLIGHT};
    cau_strbuf text = {0};
    for (int i = 0; i < 5000; i++) cau_strbuf_printf(&text, "%d %d:1\n", i % 2, i);
    const char *path = test_file("many", text.s, text.n);
    read_outcome one = read_by(&how, &path, 1, 1, 0), many = read_by(&how, &path, 1, 2, 1);
    assert_int_equal(one.data->train.N, 5000);
    same_outcome(&one, &many);
    outcome_clear(&one);
    outcome_clear(&many);
    cau_strbuf_clear(&text);
}

/* The first of several notes, late in the file. */
static void test_note(void **state)
{
    (void)state;
    cau_strbuf text = lines_of(svmlight_line, 100, "\n");
    for (int i = 0; i < 50; i++) cau_strbuf_printf(&text, "-1 qid:3 1:2\n");
    read_outcome one;
    check_text((cau_data_options){.read.format = CAU_FORMAT_SVMLIGHT}, text.s, text.n, &one);
    assert_non_null(strstr(one.notes.s, "qid is for ranking"));
    assert_ptr_equal(strchr(one.notes.s, '\n'), one.notes.s + one.notes.n - 1);
    outcome_clear(&one);
    cau_strbuf_clear(&text);
}

static caucus_status read_short(void *self)
{
    const char *path = test_path("short");
    const cau_data_options how = {.read.format = CAU_FORMAT_CRFSUITE, .chunk = 4};
    caucus_data *data = NULL;
    const caucus_status st = cau_data_read(self, &how, &path, 1, &data);
    cau_data_free(data);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    static const char text[] = "L0\ta\tb\n\nL1\tb:2\tc\n\nL0\ta\n@weight:2\nL1\td\n\nL1\te\n";
    caucus_ctx *ctx = test_ctx();
    test_file("short", text, sizeof text - 1);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
        caucus_set_threads(ctx, threads);
        test_every_allocation(read_short, ctx);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),           cmocka_unit_test(test_columns),
        cmocka_unit_test(test_documents),       cmocka_unit_test(test_partial_labels),
        cmocka_unit_test(test_lines),           cmocka_unit_test(test_no_blank_line),
        cmocka_unit_test(test_byte_order_mark), cmocka_unit_test(test_files),
        cmocka_unit_test(test_errors),          cmocka_unit_test(test_line_of_error),
        cmocka_unit_test(test_many_chunks),     cmocka_unit_test(test_note),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("dataset/parallel_read", tests, NULL, NULL);
}
