/* worst_errors.c - the sequences of labelled data that a model gets most wrong, and why.
 *
 * The margin of an error is log p(y|x) - log p(g|x), where y are the labels of the model and g the
 * best labels that the data allows: the surer the model is of a wrong answer, the worse. Sequences
 * with a label that the model does not have cannot be right; they are counted, but not listed.
 * Memory grows with the number that is listed. As JSON:
 *   {"format": 1, "sequences": n, "wrong": n, "unknown": sequences with unknown labels,
 *    "errors": [{"line": number of the first line, "margin": m, "explanation": the object of
 *                explain_sequence.c, whose other labels are g}, ...]} */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "infer/apply.h"
#include "inspect/inspect.h"

/* An error that is kept. */
typedef struct {
    double margin;
    size_t line;
    char *text, *gold; /* owned */
} kept_error;

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    cau_decoder decoder;
    cau_labeller labeller;
    cau_reader *reader;

    /* the sequence under way */
    cau_forced_labels gold;
    cau_strbuf text, names; /* its lines, and its labels separated by blanks */
    size_t line;
    bool unknown;
    double *row; /* [Y] scratch */

    size_t most, count; /* errors to keep, and kept: a heap with the least margin first */
    kept_error *error;
    size_t sequences, wrong, unknowns;
} error_search;

static char *copy_text(const cau_strbuf *text)
{
    char *copy = cau_alloc(text->n + 1, 1);
    if (copy) memcpy(copy, text->s, text->n + 1);
    return copy;
}

static void sink(kept_error *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && heap[child + 1].margin < heap[child].margin) child++;
        if (heap[i].margin <= heap[child].margin) break;
        const kept_error swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keeps the current sequence if it is worse than the best of those that are kept. */
static caucus_status keep(error_search *s, double margin)
{
    if (s->count == s->most && margin <= s->error[0].margin) return CAUCUS_OK;
    kept_error error = {margin, s->line, copy_text(&s->text), copy_text(&s->names)};
    if (!error.text || !error.gold) {
        free(error.text);
        free(error.gold);
        return cau_fail_memory(s->ctx, "the errors");
    }
    if (s->count < s->most) {
        s->error[s->count++] = error;
        for (size_t i = s->count / 2; i-- > 0;) sink(s->error, s->count, i);
    } else {
        free(s->error[0].text);
        free(s->error[0].gold);
        s->error[0] = error;
        sink(s->error, s->count, 0);
    }
    return CAUCUS_OK;
}

/* Whether the data allows label y at position t. */
static bool allows(error_search *s, size_t t, uint32_t y)
{
    for (size_t i = 0; i < s->model->Y; i++) s->row[i] = 0;
    cau_chain_allow(s->model->Y, s->gold.gold[t], &s->gold.sets, -INFINITY, s->row);
    return s->row[y] == 0;
}

static caucus_status end_sequence(error_search *s)
{
    caucus_status st = CAUCUS_OK;
    cau_decoded *d = &s->labeller.decoded;
    const size_t Y = s->model->Y;
    bool wrong = false;
    double margin = 0;
    if (s->labeller.scorer.T == 0) return CAUCUS_OK;
    s->sequences++;
    s->unknowns += s->unknown;
    if (!s->unknown) {
        TRY(cau_labeller_end(s->ctx, &s->labeller, NULL));
        for (size_t t = 0; t < d->T; t++) wrong |= !allows(s, t, d->path[t]);
    }
    s->wrong += wrong;
    if (wrong && s->model->kind == CAU_KIND_MAXENT) {
        double best = 0;
        for (uint32_t y = 0; y < Y; y++)
            if (allows(s, 0, y)) best = fmax(best, d->marginal[y]);
        margin = log(d->marginal[d->path[0]]) - log(best);
        TRY(keep(s, margin));
    } else if (wrong) {
        const double score = d->score;
        st = cau_decode(&s->decoder, d, d->T, s->labeller.scorer.scores, s->labeller.scorer.mixing,
                        &s->gold);
        if (st && st != CAUCUS_ERR_NUMERIC) TRY(cau_fail_memory(s->ctx, "the errors"));
        margin = st ? INFINITY : score - d->score;
        st = CAUCUS_OK;
        if (isfinite(margin)) TRY(keep(s, margin));
    }
    cau_scorer_begin(&s->labeller.scorer);
    cau_forced_labels_begin(&s->gold);
    s->text.n = s->names.n = 0;
    s->unknown = false;
done:
    return st;
}

static caucus_status add_instance(error_search *s, const cau_instance *x)
{
    caucus_status st = CAUCUS_OK;
    const char *file = cau_lines_name(cau_reader_lines(s->reader));
    if (s->labeller.scorer.T == 0) s->line = x->number;
    TRY(cau_scorer_push(s->ctx, &s->labeller.scorer, s->reader, x));
    st = cau_forced_labels_add(s->ctx, &s->gold, s->model, file, x);
    if (st == CAUCUS_ERR_FORMAT) { /* a label that the model does not have */
        const cau_instance open = {.label = {NULL, 0}};
        s->unknown = true;
        st = cau_forced_labels_add(s->ctx, &s->gold, s->model, file, &open);
    }
    cau_strbuf_add(&s->text, x->line.s, x->line.n);
    cau_strbuf_add(&s->text, "\n", 1);
    if (s->names.n) cau_strbuf_add(&s->names, " ", 1);
    if (x->label.n)
        cau_strbuf_add(&s->names, x->label.s, x->label.n);
    else
        cau_strbuf_add(&s->names, "?", 1);
    if (s->text.failed || s->names.failed) TRY(cau_fail_memory(s->ctx, "the lines of a sequence"));
done:
    return st;
}

static caucus_status search_file(error_search *s, const cau_read_options *read, const char *path)
{
    caucus_status st = CAUCUS_OK;
    const bool chain = s->model->kind != CAU_KIND_MAXENT;
    const cau_decode_options how = {.marginals = !chain, .probability = chain};
    TRY(cau_decoder_init(s->ctx, &s->decoder, s->model, &how));
    TRY(cau_labeller_init(s->ctx, &s->labeller, s->model, &s->decoder));
    cau_scorer_begin(&s->labeller.scorer);
    cau_forced_labels_begin(&s->gold);
    TRY(cau_reader_open(s->ctx, path, read, (int)s->model->base, &s->reader));
    for (cau_read_event event = CAU_READ_BREAK; event != CAU_READ_END;) {
        cau_instance x;
        TRY(cau_reader_next(s->ctx, s->reader, &event, &x));
        if (event == CAU_READ_INSTANCE) TRY(add_instance(s, &x));
        const bool ends = event == CAU_READ_ASIDE ? x.ends : event != CAU_READ_INSTANCE;
        if (ends || !chain) TRY(end_sequence(s));
    }
done:
    return st;
}

/* The largest margin first, then in the order of the file. */
static int compare_errors(const void *a, const void *b)
{
    const kept_error *x = a, *y = b;
    if (x->margin != y->margin) return x->margin > y->margin ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

caucus_status cau_worst_errors(caucus_ctx *ctx, const caucus_model *model,
                               const cau_read_options *read, const char *path, size_t most,
                               cau_tree *tree)
{
    caucus_status st = CAUCUS_OK;
    error_search s = {.ctx = ctx, .model = model, .most = most};
    if (cau_stacked(model) || model->nodes.width != model->Y)
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "--errors explains models with one table of weights for all classes, which "
                     "this one is not; leave it out"));
    s.error = cau_calloc(most, sizeof *s.error);
    s.row = cau_calloc(model->Y, sizeof *s.row);
    if (!s.error || !s.row) TRY(cau_fail_memory(ctx, "the errors"));
    TRY(search_file(&s, read, path));
    if (s.count) qsort(s.error, s.count, sizeof *s.error, compare_errors);
    cau_tree_object(tree, NULL);
    cau_tree_fields(tree, {"format", cau_json_count(1)}, {"sequences", cau_json_count(s.sequences)},
                    {"wrong", cau_json_count(s.wrong)}, {"unknown", cau_json_count(s.unknowns)});
    cau_tree_array(tree, "errors");
    for (size_t i = 0; i < s.count; i++) {
        cau_tree why = {0};
        st = cau_explain_sequence(ctx, model, read, s.error[i].text, s.error[i].gold, &why);
        if (!st) st = cau_tree_status(ctx, &why);
        if (!st)
            cau_tree_record(tree, NULL, {"line", cau_json_count(s.error[i].line)},
                            {"margin", cau_json_number(s.error[i].margin)},
                            {"explanation", json_incref(why.root)});
        cau_tree_clear(&why);
        if (st) goto done;
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
done:
    for (size_t i = 0; i < s.count; i++) {
        free(s.error[i].text);
        free(s.error[i].gold);
    }
    free(s.error);
    free(s.row);
    cau_reader_free(s.reader);
    cau_labeller_clear(&s.labeller);
    cau_decoder_clear(&s.decoder);
    cau_forced_labels_clear(&s.gold);
    cau_strbuf_clear(&s.text);
    cau_strbuf_clear(&s.names);
    return st;
}

void cau_print_errors(cau_writer *out, const json_t *root)
{
    const json_t *errors = cau_at(root, "errors");
    cau_print(out, root, "{wrong} of {sequences} sequences are wrong");
    if (cau_count_at(root, "unknown"))
        cau_print(out, root, "; {unknown} have labels that the model lacks");
    cau_print(out, root, "\n");
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *error = json_array_get(errors, i);
        cau_print(out, error, "\nline {line}, log odds {margin:.6f} against the right labels:\n");
        cau_print_sequence(out, cau_at(error, "explanation"));
    }
}
