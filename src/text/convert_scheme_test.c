/* convert_scheme_test.c - conversions between schemes keep chunks and all other bytes.
 *
 * The test reads chunks from the letters alone, by conlleval's written rules. */

#include "support/base_sample.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/rng.h"
#include "text/convert_scheme.h"

static const cau_scheme_name schemes[] = {CAU_SCHEME_IO, CAU_SCHEME_IOB1, CAU_SCHEME_IOB2,
                                          CAU_SCHEME_IOBES, CAU_SCHEME_BILOU};
enum { SCHEMES = 5, LENGTH_MAX = 9 };

/* ---- files -------------------------------------------------------------------------------- */

static void read_back(const char *path, cau_strbuf *out)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        cau_strbuf_add(out, bytes, got);
    fclose(file);
}

/* Converts these bytes and replaces *out. */
static caucus_status convert(caucus_ctx *ctx, cau_scheme_name to, size_t columns, cau_str bytes,
                             cau_strbuf *out)
{
    const cau_rescheme_options options = {.to = to, .columns = columns};
    const char *path = test_path("out");
    const caucus_status st = cau_rescheme(ctx, &options, test_file("in", bytes.s, bytes.n), path);
    out->n = 0;
    if (!st) read_back(path, out);
    return st;
}

static void assert_converts(caucus_ctx *ctx, cau_scheme_name to, size_t columns, const char *from,
                            const char *want)
{
    cau_strbuf out = {0};
    assert_ok(ctx, convert(ctx, to, columns, str(from), &out));
    assert_string_equal(out.n ? out.s : "", want);
    cau_strbuf_clear(&out);
}

static void assert_noted(cau_strbuf *notes, const char *part)
{
    if (part ? !notes->n || !strstr(notes->s, part) : notes->n != 0)
        fail_msg("noted \"%s\", wanted \"%s\"", notes->n ? notes->s : "", part ? part : "");
    notes->n = 0;
}

/* ---- one text in all schemes ----------------------------------------------------------------- */

/* Adjacent chunks of one type and of two, long and short, at both ends. */
static const char *const by_scheme[SCHEMES] = {
    "a I-X\nb I-X\nc I-X\nd I-Y\ne O\n\nf I\ng I\nh I\ni O\nj I-Y-Z\n",
    "a I-X\nb I-X\nc B-X\nd I-Y\ne O\n\nf I\ng I\nh B\ni O\nj I-Y-Z\n",
    "a B-X\nb I-X\nc B-X\nd B-Y\ne O\n\nf B\ng I\nh B\ni O\nj B-Y-Z\n",
    "a B-X\nb E-X\nc S-X\nd S-Y\ne O\n\nf B\ng E\nh S\ni O\nj S-Y-Z\n",
    "a B-X\nb L-X\nc U-X\nd U-Y\ne O\n\nf B\ng L\nh U\ni O\nj U-Y-Z\n",
};

static void a_text_in_all_schemes(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0};
    caucus_on_note(ctx, collect_note, &notes);
    for (size_t from = 1; from < SCHEMES; from++)
        for (size_t to = 0; to < SCHEMES; to++) {
            assert_converts(ctx, schemes[to], 1, by_scheme[from], by_scheme[to]);
            assert_noted(&notes, to == 0 ? "2 chunks are joined" : NULL);
        }
    assert_converts(ctx, CAU_SCHEME_IO, 1, by_scheme[0], by_scheme[0]);
    assert_noted(&notes, NULL);
    assert_converts(ctx, CAU_SCHEME_IOBES, 1, by_scheme[0],
                    "a B-X\nb I-X\nc E-X\nd S-Y\ne O\n\nf B\ng I\nh E\ni O\nj S-Y-Z\n");
    assert_noted(&notes, NULL);
    cau_strbuf_clear(&notes);
    caucus_ctx_free(ctx);
}

/* ---- random texts -------------------------------------------------------------------------- */

/* Lists the chunks of the c-th column from the end, one per line: sequence, first and last token,
 * type. Marks the places of its letters in `positions`, unless NULL. */
static void describe_chunks(cau_str text, size_t c, cau_strbuf *out, char *positions)
{
    size_t sequence = 0, t = 0, begin = 0;
    char open_type[8] = "", letter_before = 'O';
    for (const char *line = text.s; line < text.s + text.n;) {
        const char *end = strchr(line, '\n');
        const char *cell = end, *stop = end;
        for (size_t k = 0; k <= c; k++) {
            stop = cell;
            while (stop > line && strchr(" \t", stop[-1])) stop--;
            cell = stop;
            while (cell > line && !strchr(" \t", cell[-1])) cell--;
        }
        const bool blank = cell == stop;
        char type[8] = "", letter = blank ? 'O' : *cell;
        if (*line == '#') { /* a comment: no word of these texts begins with '#' */
            line = end + 1;
            continue;
        }
        if (!blank && positions) positions[cell - text.s] = 1;
        if (stop - cell > 2) memcpy(type, cell + 2, (size_t)(stop - cell - 2));
        const bool inside = letter != 'O';
        const bool begins = inside && (strchr("BSU", letter) || strchr("OESLU", letter_before) ||
                                       strcmp(type, open_type) != 0);
        if (letter_before != 'O' && (begins || !inside))
            cau_strbuf_printf(out, "%zu %zu %zu %s\n", sequence, begin, t, open_type);
        if (begins) begin = t;
        strcpy(open_type, type);
        letter_before = letter;
        t = blank ? 0 : t + 1;
        sequence += blank;
        line = end + 1;
    }
    cau_strbuf_add(out, "", 0);
}

static void add_blanks(cau_rng *rng, cau_strbuf *out, size_t least)
{
    for (size_t n = least + cau_rng_below(rng, 3); n > 0; n--)
        cau_strbuf_add(out, cau_rng_below(rng, 2) ? " " : "\t", 1);
}

/* Random labels of T tokens, legal or not. */
static void random_labels(cau_rng *rng, cau_scheme_name scheme, size_t T, char (*labels)[8])
{
    static const char *const types[] = {"", "-A", "-B", "-A-B"};
    size_t last = 0; /* type of a chunk that ends here; 0: none */
    for (size_t t = 0; t < T;) {
        size_t n = 1 + cau_rng_below(rng, 3), type = cau_rng_below(rng, 5);
        if (n > T - t) n = T - t;
        for (size_t i = 0; i < n; i++) {
            char letter = 'O';
            if (type)
                letter = cau_scheme_letter(scheme, cau_scheme_place(scheme, i, n, type == last));
            snprintf(labels[t + i], 8, "%c%s", letter, type ? types[type - 1] : "");
        }
        last = type;
        t += n;
    }
}

/* A file with two label columns that ends with an empty line. */
static void random_file(cau_rng *rng, cau_scheme_name scheme, cau_strbuf *out)
{
    static const char *const words[] = {"the", "B-A", "O", "é", "-DOCSTART-", "東京"};
    out->n = 0;
    for (size_t sequences = 1 + cau_rng_below(rng, 4); sequences > 0; sequences--) {
        char gold[LENGTH_MAX][8], given[LENGTH_MAX][8];
        const size_t T = cau_rng_below(rng, LENGTH_MAX + 1);
        random_labels(rng, scheme, T, gold);
        random_labels(rng, scheme, T, given);
        for (size_t t = 0; t < T; t++) {
            if (cau_rng_below(rng, 8) == 0) cau_strbuf_printf(out, "#comment \t\n");
            add_blanks(rng, out, 0);
            cau_strbuf_printf(out, "%s", words[cau_rng_below(rng, 6)]);
            add_blanks(rng, out, 1);
            cau_strbuf_printf(out, "%s", gold[t]);
            add_blanks(rng, out, 1);
            cau_strbuf_printf(out, "%s", given[t]);
            add_blanks(rng, out, 0);
            cau_strbuf_printf(out, "\n");
        }
        add_blanks(rng, out, 0);
        cau_strbuf_printf(out, "\n");
    }
}

/* Only letters of labels differ. */
static void assert_only_labels_differ(const cau_strbuf *before, const cau_strbuf *after)
{
    char *letters = calloc(before->n + 1, 1);
    cau_strbuf ignored = {0};
    assert_non_null(letters);
    assert_int_equal(before->n, after->n);
    for (size_t c = 0; c < 2; c++)
        describe_chunks((cau_str){before->s, before->n}, c, &ignored, letters);
    for (size_t i = 0; i < before->n; i++)
        if (before->s[i] != after->s[i]) assert_true(letters[i]);
    cau_strbuf_clear(&ignored);
    free(letters);
}

static void assert_same_chunks(const cau_strbuf *a, const cau_strbuf *b)
{
    for (size_t c = 0; c < 2; c++) {
        cau_strbuf chunks_a = {0}, chunks_b = {0};
        describe_chunks((cau_str){a->s, a->n}, c, &chunks_a, NULL);
        describe_chunks((cau_str){b->s, b->n}, c, &chunks_b, NULL);
        if (chunks_a.n || chunks_b.n) assert_string_equal(chunks_a.s, chunks_b.s);
        cau_strbuf_clear(&chunks_a);
        cau_strbuf_clear(&chunks_b);
    }
}

/* Converts between all pairs of schemes and back: chunks and other bytes are the same. io loses
 * chunk borders; converting back from it yields the chunks of the io file. */
static void chunks_survive_conversion_and_back(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 7);
    cau_strbuf notes = {0}, first = {0}, there = {0}, back = {0};
    caucus_on_note(ctx, collect_note, &notes);
    for (int turn = 0; turn < 40; turn++)
        for (size_t from = 0; from < SCHEMES; from++) {
            random_file(&rng, schemes[from], &first);
            const cau_str bytes = {first.s, first.n};
            for (size_t to = 0; to < SCHEMES; to++) {
                const bool loses = schemes[to] == CAU_SCHEME_IO && schemes[from] != CAU_SCHEME_IO;
                assert_ok(ctx, convert(ctx, schemes[to], 2, bytes, &there));
                if (!loses) assert_noted(&notes, NULL);
                notes.n = 0;
                assert_only_labels_differ(&first, &there);
                if (!loses) assert_same_chunks(&first, &there);
                assert_ok(ctx, convert(ctx, schemes[from], 2, (cau_str){there.s, there.n}, &back));
                assert_noted(&notes, NULL);
                assert_same_chunks(&there, &back);
                if (!loses) assert_string_equal(first.s, back.s);
            }
        }
    cau_strbuf_clear(&notes);
    cau_strbuf_clear(&first);
    cau_strbuf_clear(&there);
    cau_strbuf_clear(&back);
    caucus_ctx_free(ctx);
}

/* ---- illegal labels ------------------------------------------------------------------------ */

static void illegal_labels_are_repaired_and_counted(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *note;
        cau_scheme_name scheme;
    } cases[] = {
        /* I after O, after another type, and at the beginning */
        {"B-X\nI-X\nO\nI-X\n", "B-X\nI-X\nO\nB-X\n", "1 label is not legal in iob2",
         CAU_SCHEME_IOB2},
        {"I-X\n\nB-X\nI-Y\n\nB-Y\n", "B-X\n\nB-X\nB-Y\n\nB-Y\n", "2 labels are not legal in iob2",
         CAU_SCHEME_IOB2},
        /* B in iob1 without a preceding chunk of its type */
        {"I-X\nB-X\nO\nI-X\nO\nB-X\n\nI-Y\n", "I-X\nB-X\nO\nI-X\nO\nI-X\n\nI-Y\n",
         "1 label is not legal in iob1", CAU_SCHEME_IOB1},
        /* A chunk without an end, one without a beginning, and one inside another. Early ends are
         * counted, and so is a last label that should continue. */
        {"B-X\nO\nS-X\nE-X\n", "S-X\nO\nS-X\nS-X\n", "2 labels are not legal in iobes",
         CAU_SCHEME_IOBES},
        {"B-X\nE-X\nB-X\nB-X\nE-X\nB-X\n", "B-X\nE-X\nS-X\nB-X\nE-X\nS-X\n",
         "2 labels are not legal in iobes", CAU_SCHEME_IOBES},
        {"B-X\nL-X\nU-X\nI-X\nI-X\n", "B-X\nE-X\nS-X\nB-X\nE-X\n",
         "2 labels are not legal in bilou", CAU_SCHEME_IOBES},
        /* a letter of another scheme */
        {"B-X\nM-X\nE-X\nS-X\nU-X\n", "B-X\nI-X\nL-X\nU-X\nU-X\n", "1 label is not legal in iobes",
         CAU_SCHEME_BILOU},
        /* legal in one of the possible schemes */
        {"I-X\nI-Y\n", "S-X\nS-Y\n", NULL, CAU_SCHEME_IOBES},
        {"I-X\nB-X\n", "B-X\nB-X\n", NULL, CAU_SCHEME_IOB2},
        {"O\n\n\nO\n", "O\n\n\nO\n", NULL, CAU_SCHEME_IOB2},
        /* '?' ends the chunk before it and begins none */
        {"B-X\n?\nO\n", "S-X\n?\nO\n", NULL, CAU_SCHEME_IOBES},
        {"B-X\nI-X\n?\nI-X\n", "B-X\nI-X\n?\nB-X\n", "1 label is not legal in iob2",
         CAU_SCHEME_IOB2},
    };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0};
    caucus_on_note(ctx, collect_note, &notes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_converts(ctx, cases[i].scheme, 1, cases[i].from, cases[i].to);
        assert_noted(&notes, cases[i].note);
    }
    cau_strbuf_clear(&notes);
    caucus_ctx_free(ctx);
}

/* Notes count both columns, and a repaired, joined chunk once. */
static void notes_name_the_file_and_all_columns(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf notes = {0};
    caucus_on_note(ctx, collect_note, &notes);
    assert_converts(ctx, CAU_SCHEME_IO, 2, "a B-X I-X\nb B-X B-X\nc I-X I-X\n",
                    "a I-X I-X\nb I-X I-X\nc I-X I-X\n");
    assert_non_null(strstr(notes.s, test_path("in")));
    assert_non_null(strstr(notes.s, "1 label is not legal in iob2"));
    assert_noted(&notes, "2 chunks are joined");
    cau_strbuf_clear(&notes);
    caucus_ctx_free(ctx);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static void bytes_beside_labels_stay(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_converts(ctx, CAU_SCHEME_IOBES, 1, "  a \t B-X  B-X \t\n\t\n \n#B-X\n# # B-X\nB-X\n",
                    "  a \t B-X  S-X \t\n\t\n \n#B-X\n# # S-X\nS-X\n");
    assert_converts(ctx, CAU_SCHEME_IOBES, 1, "-DOCSTART- -X- O O\n\na b c B-X\n",
                    "-DOCSTART- -X- O O\n\na b c S-X\n");
    assert_converts(ctx, CAU_SCHEME_IOBES, 1, "New York\tB-LOC\nis\tO\n",
                    "New York\tS-LOC\nis\tO\n");
    /* a comment is no token: the chunk continues after it */
    assert_converts(ctx, CAU_SCHEME_IOBES, 1, "a B-X\n#comment\nb I-X\n",
                    "a B-X\n#comment\nb E-X\n");
    assert_converts(ctx, CAU_SCHEME_IOBES, 1,
                    "\xEF\xBB\xBF"
                    "a B-X\r\n\r\nb B-X",
                    "a S-X\n\nb S-X\n");
    caucus_ctx_free(ctx);
}

static void packed_files_are_read(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("in.gz");
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_true(gzputs(file, by_scheme[2]) > 0);
    assert_int_equal(gzclose(file), Z_OK);
    const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = 1};
    cau_strbuf out = {0};
    assert_ok(ctx, cau_rescheme(ctx, &options, path, test_path("out")));
    read_back(test_path("out"), &out);
    assert_string_equal(out.s, by_scheme[3]);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void a_file_can_be_converted_in_place(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_text("same", by_scheme[2]);
    const cau_rescheme_options options = {.to = CAU_SCHEME_BILOU, .columns = 1};
    cau_strbuf out = {0};
    assert_ok(ctx, cau_rescheme(ctx, &options, path, path));
    read_back(path, &out);
    assert_string_equal(out.s, by_scheme[4]);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void empty_files_stay_empty(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_converts(ctx, CAU_SCHEME_IOB2, 1, "", "");
    assert_converts(ctx, CAU_SCHEME_IOB2, 3, "\n\n", "\n\n");
    caucus_ctx_free(ctx);
}

/* One chunk over a sequence longer than any buffer. */
static void sequences_may_be_long(void **state)
{
    (void)state;
    enum { T = 50000 };
    caucus_ctx *ctx = test_ctx();
    cau_strbuf in = {0}, want = {0}, out = {0};
    for (size_t t = 0; t < T; t++) {
        cau_strbuf_printf(&in, "%zu I-X\n", t);
        cau_strbuf_printf(&want, "%zu %c-X\n", t, t == 0 ? 'B' : t + 1 == T ? 'E' : 'I');
    }
    assert_ok(ctx, convert(ctx, CAU_SCHEME_IOBES, 1, (cau_str){in.s, in.n}, &out));
    assert_int_equal(out.n, want.n);
    assert_memory_equal(out.s, want.s, want.n);
    cau_strbuf_clear(&in);
    cau_strbuf_clear(&want);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

/* ---- standard output ----------------------------------------------------------------------- */

/* Converts to "-" with standard output redirected to the file `path`. */
static caucus_status convert_to_standard(caucus_ctx *ctx, const char *text, const char *path)
{
    const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = 1};
    const char *from = test_text("in", text);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(kept >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    close(file);
    const caucus_status st = cau_rescheme(ctx, &options, from, "-");
    fflush(stdout);
    clearerr(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    return st;
}

static void results_go_to_standard_output(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    const char *path = test_file("standard", "before\n", 7);
    assert_ok(ctx, convert_to_standard(ctx, by_scheme[2], path));
    read_back(path, &out);
    assert_memory_equal(out.s, "before\n", 7);
    assert_string_equal(out.s + 7, by_scheme[3]);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    caucus_ctx *ctx = test_ctx();
    const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = 1};
    assert_fails(ctx, convert_to_standard(ctx, by_scheme[2], "/dev/full"), CAUCUS_ERR_IO,
                 "standard output: ");
    assert_fails(ctx, cau_rescheme(ctx, &options, test_file("in", by_scheme[2], 12), "/dev/full"),
                 CAUCUS_ERR_IO, "/dev/full: ");
    caucus_ctx_free(ctx);
}

/* ---- failures ------------------------------------------------------------------------------ */

/* The target file is unchanged after an error. */
static void errors_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        size_t columns;
    } cases[] = {
        {"a B-X\n\nb N\n", "in:3: label 'N' is not of the form", 1},
        {"a B-X\nb #c\n", "in:2: label '#c' is not of the form", 1},
        {"a B-X\nb B-\n", "in:2: label 'B-' is not of the form", 1},
        {"a B-X\n# sent_id = 1\n", "in:2: label '1' is not of the form", 1},
        {"a B-X I-X\n\nB-X\n", "in:3: 1 column, but the last 2 should be labels", 2},
        {"B-X I-X\n", "in:1: 2 columns, but the last 3 should be labels", 3},
        {"a B-X I-X\nB-X\n", "in:1: label 'a' is not of the form", 3},
        {"B-X\n", "1 column, but the last", SIZE_MAX},
        {"a B-X\n\xFF B-X\n", "in:2: invalid UTF-8", 1},
    };
    caucus_ctx *ctx = test_ctx();
    const char *path = test_file("kept", "old", 3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = cases[i].columns};
        const char *from = test_text("in", cases[i].text);
        cau_strbuf out = {0};
        assert_fails(ctx, cau_rescheme(ctx, &options, from, path), CAUCUS_ERR_FORMAT,
                     cases[i].message);
        read_back(path, &out);
        assert_string_equal(out.s, "old");
        cau_strbuf_clear(&out);
    }
    const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = 1};
    assert_fails(ctx, cau_rescheme(ctx, &options, test_path("missing"), path), CAUCUS_ERR_IO,
                 "missing: ");
    assert_fails(ctx,
                 cau_rescheme(ctx, &options, test_file("in", "a O\n", 4), test_path("no/where")),
                 CAUCUS_ERR_IO, "no/where: ");
    caucus_ctx_free(ctx);
}

static caucus_status work(void *self)
{
    caucus_ctx *ctx = NULL;
    const cau_rescheme_options options = {.to = CAU_SCHEME_IOBES, .columns = 1};
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_rescheme(ctx, &options, self, test_path("out"));
    caucus_ctx_free(ctx);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    cau_strbuf text = {0};
    for (int i = 0; i < 300; i++) cau_strbuf_printf(&text, "%d B-X\n%s", i, i == 40 ? "\n" : "");
    char path[512];
    snprintf(path, sizeof path, "%s", test_file("in", text.s, text.n));
    assert_true(test_every_allocation(work, path) > 8);
    cau_strbuf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_in_all_schemes),
        cmocka_unit_test(chunks_survive_conversion_and_back),
        cmocka_unit_test(illegal_labels_are_repaired_and_counted),
        cmocka_unit_test(notes_name_the_file_and_all_columns),
        cmocka_unit_test(bytes_beside_labels_stay),
        cmocka_unit_test(packed_files_are_read),
        cmocka_unit_test(a_file_can_be_converted_in_place),
        cmocka_unit_test(empty_files_stay_empty),
        cmocka_unit_test(sequences_may_be_long),
        cmocka_unit_test(results_go_to_standard_output),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
