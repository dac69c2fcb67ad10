/* gnuplot_test.c - figures as files: drawn or not; and text that must not become a command. */

#include <locale.h>
#include <math.h>

#include "report/figure.h"
#include "support/plot_sample.h"

static const double xs[] = {1, 2, 3}, ys[] = {0.5, NAN, 0.75};
static const cau_series series = {NULL, 3, xs, ys, NULL, NULL};

/* A small figure with this title. */
static caucus_status draw(caucus_ctx *ctx, const char *path, const char *title)
{
    cau_curves curves = {title, "x", "y", false, &series, 1};
    return cau_plot_curves(ctx, path, &curves);
}

/* A path in a new directory. */
static const char *place(const char *directory, const char *name)
{
    char path[256];
    fresh_directory(directory);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return test_path(path);
}

static const char table[] = "x\ty\tlow\thigh\tplace\tseries\n"
                            "1\t0.5\tNaN\tNaN\t1\t\n"
                            "2\tNaN\tNaN\tNaN\t2\t\n"
                            "3\t0.75\tNaN\tNaN\t3\t\n";

/* ---- names --------------------------------------------------------------------------- */

static void the_ending_sets_the_format(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_ok(ctx, cau_plot_check(ctx, NULL));
    assert_ok(ctx, cau_plot_check(ctx, test_path("a.svg")));
    assert_ok(ctx, cau_plot_check(ctx, test_path("a.PNG")));
    assert_ok(ctx, cau_plot_check(ctx, test_path("a.b.pdf")));
    static const char *const bad[] = {"a.jpg", "a", "", "svg", ".svg", "a.svg.gz"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(ctx, cau_plot_check(ctx, bad[i]), CAUCUS_ERR_ARGUMENT,
                     "end the name with .svg, .png or .pdf");
        assert_fails(ctx, draw(ctx, bad[i], NULL), CAUCUS_ERR_ARGUMENT, "figures are SVG");
    }
    assert_null(file_text(test_path("a.svg"), ""));
    caucus_ctx_free(ctx);
}

static void a_place_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    const char *path = test_path("no/such/place.svg");
    assert_fails(ctx, cau_plot_check(ctx, path), CAUCUS_ERR_IO, "place.svg");
    gnuplot_is_missing();
    assert_fails(ctx, draw(ctx, path, NULL), CAUCUS_ERR_IO, "place.svg.dat");
    gnuplot_is_a_mirror();
    assert_fails(ctx, draw(ctx, path, NULL), CAUCUS_ERR_IO, "place.svg: ");
    const char *directory = fresh_directory("directory.svg");
    assert_fails(ctx, cau_plot_check(ctx, directory), CAUCUS_ERR_IO, "directory.svg");
    assert_fails(ctx, draw(ctx, directory, NULL), CAUCUS_ERR_IO, "directory.svg");
    assert_int_equal(count_entries(directory), 0);
    caucus_ctx_free(ctx);
}

/* ---- without gnuplot ----------------------------------------------------------------- */

static void without_gnuplot_data_and_script_are_written(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "", want[1024];
    caucus_on_note(ctx, keep_note, note);
    gnuplot_is_missing();
    const char *path = place("missing", "curve.svg");
    assert_ok(ctx, draw(ctx, path, "title"));
    snprintf(want, sizeof want,
             "%s: gnuplot is not installed, so the figure is not drawn; %s.dat has the data and "
             "%s.gp the script: gnuplot %s.gp",
             path, path, path, path);
    assert_string_equal(note, want);
    assert_int_equal(count_entries(test_path("missing")), 2);
    char *data = file_text(path, ".dat");
    assert_string_equal(data, table);
    free(data);
    assert_has(path, ".gp", "name = \"curve.svg\"\n");
    assert_has(path, ".gp", "set terminal svg noenhanced size 720,480 ");
    assert_has(path, ".gp", "set title 'title'\n");
    caucus_ctx_free(ctx);
}

/* If gnuplot fails in any way, the old figure stays and the note repeats its message. */
static void failures_of_gnuplot_are_noted(void **state)
{
    (void)state;
    static const struct {
        const char *commands, *says;
    } cases[] = {
        {"echo; echo 'plot x' >&2; echo '   line 3: undefined variable' >&2; echo >&2; exit 1",
         ": gnuplot fails (line 3: undefined variable), so the figure is not drawn; "},
        {"echo half a figure; exit 3", ": gnuplot fails, so the figure is not drawn; "},
        {"kill -9 $$", ": gnuplot fails, so"},
        {"exit 0", ": gnuplot draws nothing, so"},
        {"exit 127", ": gnuplot is not installed, so"},
        {"head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1", ": gnuplot fails (xxxx"},
    };
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "";
    caucus_on_note(ctx, keep_note, note);
    const char *path = place("failing", "f.svg");
    test_file("failing/f.svg", "old", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnuplot_is("failing-gnuplot", cases[i].commands);
        assert_ok(ctx, draw(ctx, path, NULL));
        if (!strstr(note, cases[i].says)) fail_msg("no \"%s\" in \"%s\"", cases[i].says, note);
        assert_int_equal(count_entries(test_path("failing")), 3);
        assert_has(path, "", "old");
    }
    assert_int_equal(chmod(getenv("CAUCUS_GNUPLOT"), 0), 0);
    assert_ok(ctx, draw(ctx, path, NULL));
    assert_non_null(strstr(note, ": gnuplot cannot be run (Permission denied), so"));
    caucus_ctx_free(ctx);
}

/* ---- input of gnuplot ---------------------------------------------------------------- */

static void a_drawing_replaces_the_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char note[1024] = "";
    caucus_on_note(ctx, keep_note, note);
    gnuplot_is_a_mirror();
    const char *path = place("drawn", "f.png");
    assert_ok(ctx, draw(ctx, path, NULL));
    assert_string_equal(note, "");
    assert_int_equal(count_entries(test_path("drawn")), 1);
    char block[sizeof table + 64];
    snprintf(block, sizeof block, "$data << EOD\n%sEOD\nsource = '$data'\n", table);
    assert_has(path, "", block);
    assert_has(path, "", "set terminal pngcairo noenhanced size 1440,960 ");
    caucus_ctx_free(ctx);
}

static void text_is_quoted(void **state)
{
    (void)state;
    static const struct {
        const char *title, *quoted;
    } cases[] = {
        {"it's", "'it''s'"},
        {"\"a\" \\n `date` @m {/Bold x} $d # <&>", "'\"a\" \\n `date` @m {/Bold x} $d # <&>'"},
        {"one\nset output 'x'\r\nEOD\ttwo", "'one set output ''x''  EOD two'"},
        {"a\x01\x7F"
         "b",
         "'a\uFFFD\uFFFDb'"},
        {"Gr\xC3\xB6\xC3\x9F"
         "e \xE4\xB8\xAD",
         "'Gr\xC3\xB6\xC3\x9F"
         "e \xE4\xB8\xAD'"},
        {"\xFF\xC3", "'\uFFFD\uFFFD'"},
        {"\xEF\xBF\xBF", "'\uFFFD'"},
        {"back\\", "'back\\'"},
    };
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_a_mirror();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[256];
        const char *path = test_path("quoted.svg");
        assert_ok(ctx, draw(ctx, path, cases[i].title));
        snprintf(want, sizeof want, "\nset title %s\n", cases[i].quoted);
        assert_has(path, "", want);
    }
    caucus_ctx_free(ctx);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    caucus_ctx *ctx = test_ctx();
    gnuplot_is_missing();
    const char *path = test_path("locale.pdf");
    assert_ok(ctx, draw(ctx, path, NULL));
    setlocale(LC_NUMERIC, "C");
    char *data = file_text(path, ".dat");
    assert_string_equal(data, table);
    free(data);
    assert_has(path, ".gp", "set yrange [0.5:0.75]");
    assert_has(path, ".gp", "size 5in,3.33333333in ");
    caucus_ctx_free(ctx);
}

/* ---- with gnuplot -------------------------------------------------------------------- */

static void svg_is_drawn(void **state)
{
    (void)state;
    gnuplot_is_real();
    caucus_ctx *ctx = test_ctx();
    const char *path = place("svg", "f.svg"), *evil = test_path("svg/evil");
    char title[512];
    snprintf(title, sizeof title,
             "a<b & it's `touch %s` \"$(touch %s)\" @x {y}_z\\n\nsystem('touch %s')\nEOD", evil,
             evil, evil);
    assert_ok(ctx, draw(ctx, path, title));
    assert_int_equal(count_entries(test_path("svg")), 1);
    assert_has(path, "", "<?xml");
    assert_has(path, "", "</svg>");
    assert_has(path, "", "a&lt;b &amp; it's `touch ");
    assert_has(path, "", "@x {y}_z\\n system('touch ");
    caucus_ctx_free(ctx);
}

/* PNG and PDF are drawn if this gnuplot can draw them; otherwise a note is written. */
static void png_and_pdf_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *name, *magic;
    } kinds[] = {{"f.png", "\x89PNG"}, {"f.pdf", "%PDF"}};
    gnuplot_is_real();
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char note[1024] = "";
        caucus_on_note(ctx, keep_note, note);
        const char *path = test_path(kinds[i].name);
        assert_ok(ctx, draw(ctx, path, "title"));
        if (*note)
            assert_non_null(strstr(note, "this gnuplot was built without"));
        else
            assert_has(path, "", kinds[i].magic);
    }
    caucus_ctx_free(ctx);
}

/* The script that is written draws the figure from any folder and for any file name. */
static void a_written_script_draws(void **state)
{
    (void)state;
    gnuplot_is_real();
    caucus_ctx *ctx = test_ctx();
    const char *directory = fresh_directory("left");
    static const char *const names[] = {"plain.svg", "|echo.svg", "it's `a` \"b\"\\n @c.svg",
                                        "x\n<$y.svg", "gro\xC3\x9F\xFF.svg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[256];
        snprintf(name, sizeof name, "left/%s", names[i]);
        const char *path = test_path(name);
        gnuplot_is_missing();
        assert_ok(ctx, draw(ctx, path, names[i]));
        assert_null(file_text(path, ""));
        setenv("FIGURE", names[i], 1);
        setenv("FOLDER", directory, 1);
        assert_int_equal(system("cd / && gnuplot -d \"$FOLDER/$FIGURE.gp\" 2>/dev/null"), 0);
        assert_has(path, "", "</svg>");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(system("cd \"$FOLDER\" && gnuplot -d \"$FIGURE.gp\" 2>/dev/null"), 0);
        assert_has(path, "", "</svg>");
        assert_int_equal(count_entries(directory), 3 * (i + 1));

        gnuplot_is_real();
        assert_int_equal(unlink(path), 0);
        assert_ok(ctx, draw(ctx, path, names[i]));
        assert_has(path, "", "</svg>");
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ending_sets_the_format),
        cmocka_unit_test(a_place_that_cannot_be_written_is_an_error),
        cmocka_unit_test(without_gnuplot_data_and_script_are_written),
        cmocka_unit_test(failures_of_gnuplot_are_noted),
        cmocka_unit_test(a_drawing_replaces_the_file),
        cmocka_unit_test(text_is_quoted),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(svg_is_drawn),
        cmocka_unit_test(png_and_pdf_are_drawn),
        cmocka_unit_test(a_written_script_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
