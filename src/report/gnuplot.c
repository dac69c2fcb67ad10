/* gnuplot.c - a figure from its first line to the file.
 *
 * gnuplot runs as a separate program. It reads the script from standard input and draws to standard
 * output. Both, and its error output, are unnamed files (tmpfile): they always disappear, no pipe
 * can fill up, and gnuplot sees no path of the user, in which it would run what follows a '|' or
 * '<'. The drawing is then copied to the target through base/output, which replaces the target as a
 * whole or not at all.
 *
 * All text in the script is in single quotes, where gnuplot interprets no backslashes, backquotes
 * or macros. A quote is written twice, and line ends, which would end the command, become blanks.
 * With "noenhanced" the characters _ ^ { } @ & ~ have no special meaning.
 *
 * If gnuplot is missing or fails, table and script are written to files, with a note. That script
 * looks for the table in its own folder, so both can be copied to a machine with gnuplot. */

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/output.h"
#include "base/status.h"
#include "report/figure.h"

extern char **environ;

enum {
    TABLE_DIGITS = 9, /* significant ones, of numbers in the table and in the script */
    REASON_MAX = 200, /* bytes of the message of gnuplot that a note repeats */
    COPY_SIZE = 1 << 14,
};

/* ---- kinds of files ------------------------------------------------------------------ */

typedef struct {
    const char *ending, *name, *terminal;
    const char *options; /* after the size */
    double scale;        /* from pixels of the SVG to the unit of the terminal */
    const char *unit;
} file_kind;

static const file_kind kinds[] = {
    {".svg", "SVG", "svg", "fixed font 'Helvetica, Arial, sans-serif,14'", 1, ""},
    {".png", "PNG", "pngcairo", "font 'Sans,14' fontscale 1.5 linewidth 2 pointscale 2", 2, ""},
    {".pdf", "PDF", "pdfcairo", "font 'Sans,14' fontscale 0.375 linewidth 1 pointscale 0.65",
     1.0 / 144, "in"},
};

/* The kind of file by the ending of the path, or NULL. */
static const file_kind *kind_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcasecmp(path + length - ending, kinds[i].ending) == 0)
            return &kinds[i];
    }
    return NULL;
}

static caucus_status check_kind(caucus_ctx *ctx, const char *path)
{
    if (kind_of(path)) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                    "%s: figures are SVG, PNG or PDF; end the name with .svg, .png or .pdf", path);
}

caucus_status cau_plot_check(caucus_ctx *ctx, const char *path)
{
    if (!path) return CAUCUS_OK;
    caucus_status st = check_kind(ctx, path);
    return st ? st : cau_output_probe(ctx, path);
}

/* ---- filling a figure ---------------------------------------------------------------- */

caucus_status cau_figure_begin(caucus_ctx *ctx, const char *path, const char *heading,
                               cau_figure *figure)
{
    *figure = (cau_figure){.ctx = ctx, .path = path};
    cau_strbuf_printf(&figure->data, "%s\n", heading);
    cau_figure_printf(figure, "set datafile separator \"\\t\"\n"
                              "set datafile missing 'NaN'\n"
                              "set border 3 linecolor '#333333'\n"
                              "set tics nomirror out scale 0.6\n"
                              "set grid linetype 1 linecolor '#dddddd' linewidth 0.7\n"
                              "set bars 0.6\n"
                              "unset key\n");
    return check_kind(ctx, path);
}

void cau_figure_clear(cau_figure *figure)
{
    cau_strbuf_clear(&figure->data);
    cau_strbuf_clear(&figure->script);
}

caucus_status cau_figure_empty(const cau_figure *figure)
{
    cau_note(figure->ctx, "%s: there is nothing to show, so no figure is drawn", figure->path);
    return CAUCUS_OK;
}

void cau_figure_printf(cau_figure *figure, const char *format, ...)
{
    cau_strbuf *script = &figure->script;
    va_list args;
    va_start(args, format);
    for (const char *at; *(at = strchrnul(format, '%')); format = at + 2) {
        cau_strbuf_add(script, format, (size_t)(at - format));
        switch (at[1]) {
        case 'g':
            cau_strbuf_general(script, va_arg(args, double), TABLE_DIGITS);
            break;
        case 's':
            cau_strbuf_printf(script, "%s", va_arg(args, const char *));
            break;
        case 'd':
            cau_strbuf_printf(script, "%d", va_arg(args, int));
            break;
        case 'z':
            cau_strbuf_printf(script, "%zu", va_arg(args, size_t));
            at++; /* "zu" is a letter longer */
            break;
        default:
            cau_strbuf_add(script, "%", 1);
        }
    }
    va_end(args);
    cau_strbuf_add(script, format, strlen(format));
}

void cau_figure_cells(cau_figure *figure, const double *x, size_t n, char after)
{
    for (size_t i = 0; i < n; i++) {
        if (cau_drawable(x[i]))
            cau_strbuf_general(&figure->data, x[i], TABLE_DIGITS);
        else
            cau_strbuf_add(&figure->data, "NaN", 3);
        cau_strbuf_add(&figure->data, i + 1 < n ? "\t" : &after, 1);
    }
}

/* Adds text without characters that end a line, a cell or a string, or that XML does not allow:
 * gnuplot copies text unchanged into an SVG. */
static void add_plain(cau_strbuf *out, cau_str text, const char *for_quote)
{
    for (size_t at = 0; at < text.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text.s + at,
                                                 (utf8proc_ssize_t)(text.n - at), &c);
        size_t length = used > 0 ? (size_t)used : 1;
        if (c == '\t' || c == '\n' || c == '\r')
            cau_strbuf_add(out, " ", 1);
        else if (used <= 0 || c < 0x20 || c == 0x7F || c == 0xFFFE || c == 0xFFFF)
            cau_strbuf_add(out, "\uFFFD", strlen("\uFFFD"));
        else if (c == '\'')
            cau_strbuf_add(out, for_quote, strlen(for_quote));
        else
            cau_strbuf_add(out, text.s + at, length);
        at += length;
    }
}

void cau_figure_quote(cau_figure *figure, const char *before, cau_str text, const char *after)
{
    cau_figure_printf(figure, "%s'", before);
    add_plain(&figure->script, text, "''");
    cau_figure_printf(figure, "'%s", after);
}

void cau_figure_text(cau_figure *figure, cau_str text, char after)
{
    add_plain(&figure->data, text, "'");
    cau_strbuf_add(&figure->data, &after, 1);
}

/* ---- the script ---------------------------------------------------------------------- */

/* Adds "set terminal", after a check that this gnuplot was built with the terminal. */
static void add_terminal(cau_strbuf *out, const cau_figure *figure)
{
    const file_kind *kind = kind_of(figure->path);
    cau_strbuf_printf(out,
                      "set encoding utf8\n"
                      "if (!strstrt(GPVAL_TERMINALS, '%s')) {\n"
                      "    printerr 'this gnuplot was built without %s; name the figure .svg'\n"
                      "    exit status 1\n"
                      "}\n"
                      "set terminal %s noenhanced size ",
                      kind->terminal, kind->terminal, kind->terminal);
    cau_strbuf_general(out, figure->width * kind->scale, TABLE_DIGITS);
    cau_strbuf_printf(out, "%s,", kind->unit);
    cau_strbuf_general(out, figure->height * kind->scale, TABLE_DIGITS);
    cau_strbuf_printf(out, "%s %s background rgb '#ffffff'\n", kind->unit, kind->options);
}

/* The beginning of the script when Caucus runs gnuplot; it contains the table. */
static void add_opening(cau_strbuf *out, const cau_figure *figure)
{
    add_terminal(out, figure);
    cau_strbuf_printf(out, "$data << EOD\n");
    cau_strbuf_add(out, figure->data.s, figure->data.n);
    cau_strbuf_printf(out, "EOD\nsource = '$data'\n");
}

/* The name of a file in double quotes; characters with a special meaning there become octal. */
static void add_file_name(cau_strbuf *out, const char *name)
{
    cau_strbuf_add(out, "\"", 1);
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < 0x20 || strchr("\"\\`@$", c))
            cau_strbuf_printf(out, "\\%03o", c);
        else
            cau_strbuf_add(out, name, 1);
    }
    cau_strbuf_add(out, "\"", 1);
}

/* The beginning of the script in the file PATH.gp. In gnuplot, ARG0 is the name of the script; its
 * folder is found by cutting off the last part. */
static void add_file_opening(cau_strbuf *out, const cau_figure *figure)
{
    const char *slash = strrchr(figure->path, '/');
    const char *name = slash ? slash + 1 : figure->path;
    cau_strbuf_printf(out, "# Draws a figure with gnuplot 5.2 or later, from the table beside it.\n"
                           "name = ");
    add_file_name(out, name);
    cau_strbuf_printf(out, "\nfolder = ARG0[1:strlen(ARG0) - strlen(name.'.gp')]\n"
                           "if (folder eq '') { folder = './' }\n"
                           "source = folder.name.'.dat'\n");
    add_terminal(out, figure);
    cau_strbuf_printf(out, "set output folder.name\n");
}

/* ---- running gnuplot ----------------------------------------------------------------- */

/* One run of gnuplot. The files have no name and disappear when they are closed. */
typedef struct {
    FILE *script, *drawing, *complaints;
    char reason[REASON_MAX]; /* why the drawing is missing: "gnuplot ..." */
} gnuplot_run;

static void run_clear(gnuplot_run *run)
{
    if (run->script) fclose(run->script);
    if (run->drawing) fclose(run->drawing);
    if (run->complaints) fclose(run->complaints);
}

/* Stores why the drawing is missing. Returns false. */
__attribute__((format(printf, 2, 3))) static bool note_failure(gnuplot_run *run, const char *format,
                                                               ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(run->reason, sizeof run->reason, format, args);
    va_end(args);
    return false;
}

/* Runs the program with the three files as its standard input, output and error. They were opened
 * in this order, so each is duplicated before its number is reused, even if Caucus was started with
 * a closed standard file. Returns 0 or an errno. */
static int spawn_and_wait(const char *program, const gnuplot_run *run, int *status)
{
    /* -d: settings of the user would be seen in the figure */
    char *argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, NULL};
    pid_t child;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, fileno(run->script), STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(run->drawing), STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(run->complaints), STDERR_FILENO);
    if (!error) error = posix_spawnp(&child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, status, 0) < 0)
        if (errno != EINTR) error = errno;
    return error;
}

/* The last line that is not empty, or "": gnuplot first points at the place, then names the error.
 */
static void last_complaint(FILE *complaints, char line[static REASON_MAX])
{
    char read[REASON_MAX];
    line[0] = '\0';
    rewind(complaints);
    while (fgets(read, sizeof read, complaints)) {
        size_t blanks = strspn(read, " \t"), length = strcspn(read, "\r\n");
        read[length] = '\0';
        if (blanks < length) memcpy(line, read + blanks, length - blanks + 1);
    }
}

/* Runs gnuplot on the two pieces of a script. Returns whether run->drawing has a drawing. */
static bool run_gnuplot(gnuplot_run *run, const cau_strbuf *opening, const cau_strbuf *script)
{
    const char *program = getenv("CAUCUS_GNUPLOT");
    if (!program || !*program) program = "gnuplot";
    run->script = tmpfile();
    run->drawing = tmpfile();
    run->complaints = tmpfile();
    if (!run->script || !run->drawing || !run->complaints ||
        fwrite(opening->s, 1, opening->n, run->script) != opening->n ||
        fwrite(script->s, 1, script->n, run->script) != script->n || fflush(run->script) != 0)
        return note_failure(run, "gnuplot gets no temporary file (%s)", strerror(errno));
    rewind(run->script);

    int status = 0, error = spawn_and_wait(program, run, &status);
    int left = error || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
    if (error == ENOENT || left == 127) return note_failure(run, "gnuplot is not installed");
    if (error) return note_failure(run, "gnuplot cannot be run (%s)", strerror(error));
    if (left != 0) {
        char line[REASON_MAX];
        last_complaint(run->complaints, line);
        return note_failure(run, "gnuplot fails%s%.150s%s", *line ? " (" : "", line,
                            *line ? ")" : "");
    }
    rewind(run->drawing);
    int first = getc(run->drawing);
    if (first == EOF) return note_failure(run, "gnuplot draws nothing");
    return ungetc(first, run->drawing) == first;
}

/* ---- files --------------------------------------------------------------------------- */

static caucus_status save_drawing(caucus_ctx *ctx, const char *path, FILE *drawing)
{
    caucus_status st = CAUCUS_OK;
    cau_output *out = NULL;
    char bytes[COPY_SIZE];
    TRY(cau_output_open(ctx, path, &out));
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, drawing)) > 0;)
        TRY(cau_output_write(ctx, out, bytes, n));
    if (ferror(drawing))
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: the drawing cannot be read back; try again", path));
    TRY(cau_output_commit(ctx, out));
done:
    cau_output_free(out);
    return st;
}

/* Writes the texts to the file `path` + `ending`. */
static caucus_status save_beside(caucus_ctx *ctx, const char *path, const char *ending,
                                 const cau_strbuf *first, const cau_strbuf *second)
{
    caucus_status st = CAUCUS_OK;
    cau_output *out = NULL;
    cau_strbuf name = {0};
    cau_strbuf_printf(&name, "%s%s", path, ending);
    TRY(cau_strbuf_status(ctx, &name));
    TRY(cau_output_open(ctx, name.s, &out));
    TRY(cau_output_write(ctx, out, first->s, first->n));
    if (second) TRY(cau_output_write(ctx, out, second->s, second->n));
    TRY(cau_output_commit(ctx, out));
done:
    cau_output_free(out);
    cau_strbuf_clear(&name);
    return st;
}

caucus_status cau_figure_finish(cau_figure *figure)
{
    caucus_status st = CAUCUS_OK;
    caucus_ctx *ctx = figure->ctx;
    const char *path = figure->path;
    if (ctx->rank) return CAUCUS_OK; /* rank 0 draws */
    gnuplot_run run = {0};
    cau_strbuf opening = {0}, file_opening = {0};
    add_opening(&opening, figure);
    add_file_opening(&file_opening, figure);
    TRY(cau_strbuf_status(ctx, &figure->data));
    TRY(cau_strbuf_status(ctx, &figure->script));
    TRY(cau_strbuf_status(ctx, &opening));
    TRY(cau_strbuf_status(ctx, &file_opening));
    if (run_gnuplot(&run, &opening, &figure->script)) {
        TRY(save_drawing(ctx, path, run.drawing));
    } else {
        TRY(save_beside(ctx, path, ".dat", &figure->data, NULL));
        TRY(save_beside(ctx, path, ".gp", &file_opening, &figure->script));
        cau_note(ctx,
                 "%s: %s, so the figure is not drawn; %s.dat has the data and %s.gp the script: "
                 "gnuplot %s.gp",
                 path, run.reason, path, path, path);
    }
done:
    run_clear(&run);
    cau_strbuf_clear(&opening);
    cau_strbuf_clear(&file_opening);
    return st;
}
