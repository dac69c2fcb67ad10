/* load_liblinear.c - reads the models of LIBLINEAR, as classifiers with intercepts.
 *
 *     solver_type L2R_LR
 *     nr_class 2
 *     label 1 -1
 *     nr_feature 3
 *     bias 1                   the value of one more feature, if it is not negative
 *     w
 *     0.5                      the weights of feature 1: one for each class, or a single one
 *     ...
 *
 * With two classes (and not by MCSVM_CS) there is one weight w a feature, and the first label is
 * chosen if w x > 0, so the second one comes first here: the first of equals is chosen.
 *
 * Logistic regression of two classes has the probabilities of a MaxEnt model. Classes that are
 * trained one against the rest, and support vectors, have scores that give labels but no such
 * probabilities; the model notes that (`probabilities`, see tag/tag_setup.c). */

#include <stdio.h>
#include <stdlib.h>

#include "peers/peer_model.h"

/* The file while it is read. */
typedef struct {
    caucus_ctx *ctx;
    cau_peer_model *to;
    cau_peer_lines lines;
    cau_str solver, labels;
    uint64_t classes, features;
    double bias;
    size_t columns; /* weights of a feature */
} liblinear_file;

#define DAMAGED(f, what)                                                                           \
    cau_peer_damaged((f)->ctx, (f)->to, "line %zu: %s", (f)->lines.number, what)

static caucus_status lacks(const liblinear_file *f, const char *what)
{
    return cau_fail(f->ctx, CAUCUS_ERR_UNSUPPORTED,
                    "%s: a LIBLINEAR model for %s; only classifiers can be used", f->to->path,
                    what);
}

static caucus_status read_header(liblinear_file *f)
{
    caucus_status st = CAUCUS_OK;
    cau_str line, name;
    f->bias = -1;
    for (;;) {
        if (!cau_peer_next_line(&f->lines, &line)) TRY(DAMAGED(f, "the file ends here"));
        cau_str rest = line, value;
        if (!cau_peer_next_word(&rest, &name)) TRY(DAMAGED(f, "an empty line"));
        if (cau_peer_is(name, "w")) break;
        const cau_str all = rest;
        bool good = cau_peer_next_word(&rest, &value);
        if (cau_peer_is(name, "solver_type"))
            f->solver = value;
        else if (cau_peer_is(name, "label"))
            f->labels = all;
        else if (cau_peer_is(name, "nr_class"))
            good = good && cau_parse_count(value.s, value.n, &f->classes);
        else if (cau_peer_is(name, "nr_feature"))
            good = good && cau_parse_count(value.s, value.n, &f->features);
        else if (cau_peer_is(name, "bias"))
            good = good && cau_parse_real(value.s, value.n, &f->bias);
        else if (cau_peer_is(name, "rho"))
            TRY(lacks(f, "one class"));
        else
            good = false;
        if (!good) TRY(DAMAGED(f, "not a line of its header"));
    }
    if (!f->labels.s) TRY(lacks(f, "regression"));
    if (f->features > INT32_MAX) TRY(DAMAGED(f, "too many features"));
done:
    return st;
}

/* The labels; two are swapped. */
static caucus_status read_labels(liblinear_file *f)
{
    caucus_status st = CAUCUS_OK;
    cau_peer_model *to = f->to;
    cau_str word;
    TRY(cau_peer_set_labels(f->ctx, to, f->classes));
    f->columns = to->Y == 2 && !cau_peer_is(f->solver, "MCSVM_CS") ? 1 : to->Y;
    for (size_t y = 0; y < to->Y; y++)
        if (!cau_peer_next_word(&f->labels, &to->label[f->columns == 1 ? to->Y - 1 - y : y]))
            TRY(DAMAGED(f, "fewer labels than classes"));
    if (cau_peer_next_word(&f->labels, &word)) TRY(DAMAGED(f, "more labels than classes"));
done:
    return st;
}

/* The weights of feature k, or of the last one, which is the intercept. */
static caucus_status read_weights(liblinear_file *f, uint64_t k)
{
    caucus_status st = CAUCUS_OK;
    cau_peer_model *to = f->to;
    cau_str line, word;
    const bool bias = k == f->features;
    if (!cau_peer_next_line(&f->lines, &line)) TRY(DAMAGED(f, "the file ends here"));
    for (size_t i = 0; i < f->columns; i++) {
        const uint32_t y = (uint32_t)(f->columns == 1 ? to->Y - 1 : i);
        double w;
        if (!cau_peer_next_word(&line, &word) || !cau_parse_real(word.s, word.n, &w))
            TRY(DAMAGED(f, "not the weights of a feature"));
        if (bias)
            to->bias[y] = w * f->bias;
        else if (i == 0) {
            char text[24];
            const int n = snprintf(text, sizeof text, "%llu", (unsigned long long)k + 1);
            const char *name = cau_arena_copy(&to->arena, text, (size_t)n);
            if (!name) TRY(cau_fail_memory(f->ctx, "the features of a model"));
            TRY(cau_peer_add_row(f->ctx, &to->nodes, (cau_str){name, (size_t)n}));
        }
        if (!bias) TRY(cau_peer_add_node_weight(f->ctx, to, y, w));
    }
    if (cau_peer_next_word(&line, &word)) TRY(DAMAGED(f, "more weights than classes"));
done:
    return st;
}

/* Whether softmax of the scores gives LIBLINEAR's probabilities. */
static bool has_probabilities(const liblinear_file *f)
{
    static const char *const logistic[] = {"L2R_LR", "L2R_LR_DUAL", "L1R_LR"};
    bool yes = f->to->Y == 1;
    for (size_t i = 0; i < sizeof logistic / sizeof *logistic; i++)
        yes = yes || (f->columns == 1 && cau_peer_is(f->solver, logistic[i]));
    return yes;
}

caucus_status cau_load_liblinear(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    liblinear_file f = {.ctx = ctx, .to = to, .lines = {file, 0}};
    cau_str line;
    to->kind = CAU_KIND_MAXENT;
    to->read.format = CAU_FORMAT_SVMLIGHT;
    TRY(read_header(&f));
    TRY(read_labels(&f));
    if (f.bias >= 0) {
        to->bias = cau_calloc(to->Y, sizeof *to->bias);
        if (!to->bias) TRY(cau_fail_memory(ctx, "the intercepts of a model"));
    }
    for (uint64_t k = 0; k < f.features + (f.bias >= 0); k++) TRY(read_weights(&f, k));
    if (cau_peer_next_line(&f.lines, &line)) TRY(DAMAGED(&f, "more weights than features"));
    if (!has_probabilities(&f)) cau_strbuf_printf(&to->info, "probabilities\tnone\n");
done:
    return st;
}
