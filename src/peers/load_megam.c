/* load_megam.c - reads the weights of MegaM, which it writes to standard output.
 *
 *     ***NAMEDLABELSIDS*** spam ham      names of the classes, else 0, 1, ...
 *     **BIAS** 0.25                      the intercept, or one for each class
 *     viagra 1.5                         a feature with its weight, or one for each class
 *
 * With one weight a line there are the classes 0 and 1, and the weight is that of class 1. A file
 * of a model without intercepts begins with no fixed text; its users add a first line with **BIAS**
 * and zeros. Explicit models have one weight for all classes, whose number the file lacks: with
 * -explicit there is no intercept, so they are not recognised. */

#include <stdio.h>
#include <stdlib.h>

#include "peers/peer_model.h"

/* The file while it is read. */
typedef struct {
    caucus_ctx *ctx;
    cau_peer_model *to;
    cau_peer_lines lines;
    size_t weights; /* of a line; 0: not known yet */
} megam_file;

#define DAMAGED(f, what, ...)                                                                      \
    cau_peer_damaged((f)->ctx, (f)->to, "line %zu: " what, (f)->lines.number, __VA_ARGS__)

static size_t count_words(cau_str line)
{
    size_t count = 0;
    cau_str word;
    while (cau_peer_next_word(&line, &word)) count++;
    return count;
}

/* The classes: of the first line, or numbers. *line is then the first line of weights. */
static caucus_status read_classes(megam_file *f, cau_str *line)
{
    caucus_status st = CAUCUS_OK;
    cau_peer_model *to = f->to;
    cau_str names = {NULL, 0}, word;
    bool more = cau_peer_next_line(&f->lines, line);
    if (more && line->n && line->s[0] == '*' && line->s[1] == '*' && line->s[2] == '*') {
        names = *line;
        cau_peer_next_word(&names, &word);
        more = cau_peer_next_line(&f->lines, line);
    }
    const size_t words = more ? count_words(*line) : 0;
    if (words < 2) TRY(DAMAGED(f, "%s", "no feature with its weights"));
    f->weights = words - 1;
    TRY(cau_peer_set_labels(f->ctx, to, f->weights == 1 ? 2 : f->weights));
    if (names.s && count_words(names) != to->Y)
        TRY(DAMAGED(f, "weights of %zu classes, but %zu names", to->Y, count_words(names)));
    for (size_t y = 0; y < to->Y; y++) {
        char text[24];
        const int n = snprintf(text, sizeof text, "%zu", y);
        const char *copy = cau_arena_copy(&to->arena, text, (size_t)n);
        if (!copy) TRY(cau_fail_memory(f->ctx, "the classes of a model"));
        to->label[y] = (cau_str){copy, (size_t)n};
        if (names.s) cau_peer_next_word(&names, &to->label[y]);
    }
    to->bias = cau_calloc(to->Y, sizeof *to->bias);
    if (!to->bias) TRY(cau_fail_memory(f->ctx, "the intercepts of a model"));
done:
    return st;
}

static caucus_status read_line(megam_file *f, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    cau_str name, word;
    cau_peer_next_word(&line, &name);
    const bool bias = cau_peer_is(name, "**BIAS**");
    if (!bias) TRY(cau_peer_add_row(f->ctx, &f->to->nodes, name));
    for (size_t i = 0; i < f->weights; i++) {
        const uint32_t y = (uint32_t)i + (f->weights == 1);
        double w;
        if (!cau_peer_next_word(&line, &word) || !cau_parse_real(word.s, word.n, &w))
            TRY(DAMAGED(f, "no %zu weights after '%.*s'", f->weights, CAU_SHOWN(name)));
        if (bias)
            f->to->bias[y] = w;
        else
            TRY(cau_peer_add_node_weight(f->ctx, f->to, y, w));
    }
    if (cau_peer_next_word(&line, &word))
        TRY(DAMAGED(f, "more than %zu weights after '%.*s'", f->weights, CAU_SHOWN(name)));
done:
    return st;
}

caucus_status cau_load_megam(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    megam_file f = {.ctx = ctx, .to = to, .lines = {file, 0}};
    cau_str line;
    to->kind = CAU_KIND_MAXENT;
    to->read.format = CAU_FORMAT_MEGAM;
    TRY(read_classes(&f, &line));
    do {
        if (count_words(line)) TRY(read_line(&f, line));
    } while (cau_peer_next_line(&f.lines, &line));
done:
    return st;
}
