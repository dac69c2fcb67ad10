/* convert_scheme.c - the labels of a file of columns in another scheme.
 *
 * Only the letter of a label depends on the scheme: B-NP, I-NP, S-NP. So a sequence is read as
 * text, one byte of each label is changed in place, and the text is written:
 *
 *     text   The DT B-NP | cat NN I-NP | sat VBD B-VP |        to iobes:  B E S
 *                   ^             ^              ^
 *     label         0             1              2
 *
 * Chunks are found by cau_place_continues for all schemes, which also reads illegal labels. The
 * number of illegal labels depends on the scheme of the file, which is known only at the end. So
 * they are counted for every scheme, and the file is taken to be in the scheme with the fewest. A
 * label counts once if its letter does not belong to the scheme, if it must continue a chunk of its
 * type and there is none, or if it leaves a chunk open that the next label does not continue. */

#include "text/convert_scheme.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "text/formats.h"
#include "text/lines.h"

/* A label of the sequence: its bytes in the text, and its place and type before the conversion. */
typedef struct {
    size_t begin, length;
    cau_place place; /* outside for '?', too */
} label;

typedef struct {
    cau_scheme_name to;
    size_t columns; /* C: of labels */
    cau_lines *in;
    cau_output *out; /* NULL: standard output */

    cau_strbuf text; /* of the sequence, each line with its LF */
    label *label;    /* [T][C], the last column first */
    size_t T, room;  /* room counts labels */

    uint64_t illegal[CAU_SCHEMES];
    uint64_t joined;
} work;

/* ---- a sequence -------------------------------------------------------------------------- */

static const label *label_at(const work *w, size_t t, size_t c)
{
    return &w->label[t * w->columns + c];
}

static cau_str label_text(const work *w, const label *l)
{
    return (cau_str){w->text.s + l->begin, l->length};
}

/* Whether the texts of two labels after their letters are the same. */
static bool same_type(const work *w, const label *a, const label *b)
{
    return a->length == b->length &&
           memcmp(w->text.s + a->begin + 1, w->text.s + b->begin + 1, a->length - 1) == 0;
}

/* Whether a label is illegal in a scheme between these neighbours; NULL: no neighbour. */
static bool is_illegal(cau_scheme_name scheme, const work *w, const label *before,
                       const label *here, const label *next)
{
    const bool open =
        before && same_type(w, before, here) && cau_place_continues(before->place, CAU_INSIDE);
    const bool goes_on =
        next && same_type(w, here, next) && cau_place_continues(here->place, next->place);
    return cau_scheme_breaks(scheme, label_text(w, here), here->place, open, goes_on);
}

/* Counts the labels of column c that each scheme does not allow where they stand. */
static void count_illegal(work *w, size_t c)
{
    for (size_t t = 0; t < w->T; t++) {
        const label *here = label_at(w, t, c);
        const label *before = t ? label_at(w, t - 1, c) : NULL;
        const label *next = t + 1 < w->T ? label_at(w, t + 1, c) : NULL;
        for (size_t s = 0; s < CAU_SCHEMES; s++)
            w->illegal[s] += is_illegal(cau_schemes[s], w, before, here, next);
    }
}

/* Changes the letters of column c, chunk by chunk. */
static void rewrite(work *w, size_t c)
{
    for (size_t begin = 0, end; begin < w->T; begin = end) {
        const label *first = label_at(w, begin, c), *last = first;
        end = begin + 1;
        if (first->place == CAU_OUTSIDE) continue;
        for (; end < w->T; end++) {
            const label *next = label_at(w, end, c);
            if (!same_type(w, last, next) || !cau_place_continues(last->place, next->place)) break;
            last = next;
        }

        const label *before = begin ? label_at(w, begin - 1, c) : NULL;
        const bool touches = before && before->place != CAU_OUTSIDE && same_type(w, before, first);
        w->joined += touches && w->to == CAU_SCHEME_IO;
        for (size_t t = begin; t < end; t++) {
            const cau_place place = cau_scheme_place(w->to, t - begin, end - begin, touches);
            w->text.s[label_at(w, t, c)->begin] = cau_scheme_letter(w->to, place);
        }
    }
}

static caucus_status fail_output(caucus_ctx *ctx)
{
    return cau_fail(ctx, CAUCUS_ERR_IO,
                    "standard output: %s; the result is incomplete, write it elsewhere",
                    strerror(errno));
}

static caucus_status write_text(caucus_ctx *ctx, work *w)
{
    if (w->out) return cau_output_write(ctx, w->out, w->text.s, w->text.n);
    return fwrite(w->text.s, 1, w->text.n, stdout) == w->text.n ? CAUCUS_OK : fail_output(ctx);
}

static caucus_status close_output(caucus_ctx *ctx, work *w)
{
    if (w->out) return cau_output_commit(ctx, w->out);
    return fflush(stdout) == 0 ? CAUCUS_OK : fail_output(ctx);
}

/* Converts the sequence, writes it, and begins the next one. */
static caucus_status end_sequence(caucus_ctx *ctx, work *w)
{
    for (size_t c = 0; c < w->columns && w->T; c++) {
        count_illegal(w, c);
        rewrite(w, c);
    }
    const caucus_status st = w->text.n ? write_text(ctx, w) : CAUCUS_OK;
    w->text.n = w->T = 0;
    return st;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Cuts the last column off *rest; the column is empty if there is no more. */
static cau_str last_column(cau_str *rest)
{
    size_t end = rest->n;
    while (end && cau_is_blank(rest->s[end - 1])) end--;
    size_t begin = end;
    while (begin && !cau_is_blank(rest->s[begin - 1])) begin--;
    rest->n = begin;
    return (cau_str){rest->s + begin, end - begin};
}

/* Whether a line has no labels: a blank one, which ends the sequence, or a comment. */
static bool has_no_labels(cau_str line, bool *ends)
{
    const cau_str last = last_column(&line);
    *ends = last.n == 0;
    return *ends || (last.s[0] == '#' && last_column(&line).n == 0);
}

static caucus_status read_labels(caucus_ctx *ctx, work *w, cau_str line)
{
    const size_t start = w->text.n, labels = w->T * w->columns;
    cau_str rest = line, type;
    for (size_t c = 0; c < w->columns; c++) {
        const cau_str column = last_column(&rest);
        label read = {start + (size_t)(column.s - line.s), column.n, CAU_OUTSIDE};
        if (!column.n)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "%zu column%s, but the last %zu should be labels; add what is "
                                   "missing, or lower --label-columns",
                            CAU_AT_ARGS(w->in), c, c == 1 ? "" : "s", w->columns);
        if (!cau_is_text(column, "?") &&
            !cau_scheme_parse(CAU_SCHEME_NONE, column, &read.place, &type))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "label '%.*s' is not of the form %s; correct it, or is it "
                                   "another column?",
                            CAU_AT_ARGS(w->in), CAU_SHOWN(column),
                            cau_scheme_looks(CAU_SCHEME_NONE));
        if (!CAU_GROW(w->label, w->room, labels + c + 1)) return cau_fail_memory(ctx, "a sequence");
        w->label[labels + c] = read;
    }
    w->T++;
    return CAUCUS_OK;
}

/* Reads, converts and writes all lines. */
static caucus_status copy(caucus_ctx *ctx, work *w)
{
    caucus_status st = CAUCUS_OK;
    for (;;) {
        cau_str line;
        bool ends;
        TRY(cau_lines_next(ctx, w->in, &line));
        if (!line.s) break;
        if (!has_no_labels(line, &ends)) TRY(read_labels(ctx, w, line));
        cau_strbuf_add(&w->text, line.s, line.n);
        cau_strbuf_add(&w->text, "\n", 1);
        TRY(cau_strbuf_status(ctx, &w->text));
        if (ends) TRY(end_sequence(ctx, w));
    }
    TRY(end_sequence(ctx, w));
done:
    return st;
}

/* ---- a file ------------------------------------------------------------------------------ */

/* Notes which labels were repaired and which chunks were joined. */
static void note(caucus_ctx *ctx, const work *w)
{
    size_t best = 0;
    for (size_t s = 1; s < CAU_SCHEMES; s++)
        if (w->illegal[s] < w->illegal[best]) best = s;
    const unsigned long long illegal = w->illegal[best], joined = w->joined;
    if (illegal)
        cau_note(ctx,
                 "%s: %llu label%s not legal in %s, the scheme that fits best; what was illegal is "
                 "repaired as conlleval reads it",
                 cau_lines_name(w->in), illegal, illegal == 1 ? " is" : "s are",
                 cau_scheme_text(cau_schemes[best]));
    if (joined)
        cau_note(
            ctx,
            "%s: %llu chunk%s joined to the one before, of the same type, which io cannot tell "
            "apart",
            cau_lines_name(w->in), joined, joined == 1 ? " is" : "s are");
}

caucus_status cau_rescheme(caucus_ctx *ctx, const cau_rescheme_options *options, const char *from,
                           const char *to)
{
    caucus_status st = CAUCUS_OK;
    work w = {.to = options->to, .columns = (size_t)options->columns};
    TRY(cau_lines_open(ctx, from, &w.in));
    if (strcmp(to, "-") != 0) TRY(cau_output_open(ctx, to, &w.out));
    TRY(copy(ctx, &w));
    TRY(close_output(ctx, &w));
    note(ctx, &w);
done:
    cau_lines_free(w.in);
    cau_output_free(w.out);
    cau_strbuf_clear(&w.text);
    free(w.label);
    return st;
}
