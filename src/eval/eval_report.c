/* eval_report.c - the scores as tables for people.
 *
 * From the whole to its parts. Where labels are classes: accuracy, classes, confusions. Where they
 * tell of chunks: first, to the byte, what conlleval prints; then what there is beyond it, and the
 * tables of labels only where the matrix is asked for. Known words, comparisons and probabilities
 * follow. Every convention that changes a number is printed beside it. The confusion matrix is
 * written row by row, so that many classes make a long report but not a large buffer. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

enum {
    TOP_CONFUSIONS = 10,
    LABEL_WIDTH_MAX = 40, /* a longer label breaks its row instead of widening all */
};

typedef struct {
    const caucus_scores *scores;
    cau_writer sheet;
    size_t width; /* of the column of labels */
} report;

/* ---- cells --------------------------------------------------------------------------- */

static void add_text(report *r, const char *text)
{
    cau_strbuf_add(&r->sheet.text, text, strlen(text));
}

static void add_name(report *r, const char *name)
{
    cau_writer_left(&r->sheet, (cau_str){name, strlen(name)}, r->width);
}

static void add_count(report *r, uint64_t count, size_t width)
{
    cau_writer_number(&r->sheet, (double)count, 0, width);
}

static void add_measures(report *r, double precision, double recall, double f1)
{
    cau_writer_number(&r->sheet, precision, 4, 11);
    cau_writer_number(&r->sheet, recall, 4, 8);
    cau_writer_number(&r->sheet, f1, 4, 8);
}

/* Text before a number, in running text. */
static void add_value(report *r, const char *text, double x)
{
    add_text(r, text);
    cau_strbuf_fixed(&r->sheet.text, x, 4);
}

static size_t column_width(cau_str label)
{
    size_t width = cau_text_width(label);
    return width < LABEL_WIDTH_MAX ? width : LABEL_WIDTH_MAX;
}

static size_t digits(uint64_t count)
{
    size_t n = 1;
    while (count /= 10) n++;
    return n;
}

/* ---- labels -------------------------------------------------------------------------- */

static void write_accuracy(report *r)
{
    const caucus_scores *s = r->scores;
    add_value(r, "accuracy ", s->measures.accuracy);
    cau_strbuf_printf(&r->sheet.text, ": %llu of %llu instances right, 95%% interval ",
                      (unsigned long long)s->correct, (unsigned long long)s->instances);
    add_value(r, "", s->measures.low);
    add_value(r, " to ", s->measures.high);
    add_text(r, " (Wilson)\n");
}

static void write_skipped(report *r)
{
    const uint64_t n = r->scores->skipped;
    if (n)
        cau_strbuf_printf(&r->sheet.text, "%llu instance%s left out: the gold label is '?'\n",
                          (unsigned long long)n, n == 1 ? "" : "s");
}

static caucus_status write_classes(report *r)
{
    const caucus_scores *s = r->scores;
    const cau_measures *m = &s->measures;
    add_text(r, "\n");
    add_name(r, "class");
    add_text(r, "  precision  recall      F1     support   predicted\n");
    for (size_t y = 0; y < s->Y; y++) {
        const cau_class_score *c = &s->classes[y];
        cau_writer_left(&r->sheet, c->label, r->width);
        add_measures(r, c->precision, c->recall, c->f1);
        add_count(r, c->support, 12);
        add_count(r, c->predicted, 12);
        add_text(r, "\n");
        caucus_status st = cau_writer_flush(&r->sheet, false);
        if (st) return st;
    }
    add_name(r, "macro average");
    add_measures(r, m->macro_precision, m->macro_recall, m->macro_f1);
    add_text(r, "\n");
    add_name(r, "micro average");
    add_measures(r, m->micro_precision, m->micro_recall, m->micro_f1);
    cau_strbuf_printf(
        &r->sheet.text,
        "\n(0 stands where a measure is not defined: nothing predicted, or nothing to "
        "find. Macro is the mean\nover the %zu class%s that occur%s as gold or "
        "predicted; micro equals the accuracy, as each instance\nhas one label.)\n",
        s->Y, s->Y == 1 ? "" : "es", s->Y == 1 ? "s" : "");
    return CAUCUS_OK;
}

/* More frequent first; the order of the classes, which `pairs` has, decides between equals. */
static int compare_frequency(const void *a, const void *b)
{
    const cau_pair *p = *(const cau_pair *const *)a, *q = *(const cau_pair *const *)b;
    if (p->count != q->count) return p->count > q->count ? -1 : 1;
    return (p > q) - (p < q);
}

static caucus_status write_confusions(report *r)
{
    const caucus_scores *s = r->scores;
    uint64_t errors = s->instances - s->correct;
    if (errors == 0) return CAUCUS_OK;

    const cau_pair **wrong = cau_alloc(s->P, sizeof(const cau_pair *));
    if (!wrong) return cau_fail_memory(r->sheet.ctx, "the confusions");
    size_t count = 0;
    for (size_t i = 0; i < s->P; i++)
        if (s->pairs[i].gold != s->pairs[i].predicted) wrong[count++] = &s->pairs[i];
    qsort(wrong, count, sizeof *wrong, compare_frequency);

    size_t shown = count < TOP_CONFUSIONS ? count : TOP_CONFUSIONS;
    add_text(r, "\n");
    add_name(r, "gold");
    add_text(r, "  ");
    add_name(r, "predicted");
    add_text(r, "       count  of all errors\n");
    for (size_t i = 0; i < shown; i++) {
        cau_writer_left(&r->sheet, s->classes[wrong[i]->gold].label, r->width);
        add_text(r, "  ");
        cau_writer_left(&r->sheet, s->classes[wrong[i]->predicted].label, r->width);
        add_count(r, wrong[i]->count, 12);
        cau_writer_number(&r->sheet, 100 * (double)wrong[i]->count / (double)errors, 1, 14);
        add_text(r, "%\n");
    }
    if (shown < count)
        cau_strbuf_printf(&r->sheet.text, "(the %zu most frequent of %zu confusions)\n", shown,
                          count);
    free(wrong);
    return CAUCUS_OK;
}

/* Rows are gold, columns predicted; a dot is 0. */
static caucus_status write_matrix(report *r)
{
    const caucus_scores *s = r->scores;
    size_t *width = cau_alloc(s->Y, sizeof *width); /* [Y] of the columns */
    if (!width) return cau_fail_memory(r->sheet.ctx, "the confusion matrix");
    for (size_t y = 0; y < s->Y; y++) width[y] = column_width(s->classes[y].label);
    for (size_t i = 0; i < s->P; i++) {
        size_t n = digits(s->pairs[i].count);
        if (n > width[s->pairs[i].predicted]) width[s->pairs[i].predicted] = n;
    }

    caucus_status st = CAUCUS_OK;
    add_text(r, "\n");
    add_text(r, "gold \\ pred."); /* which no cell would leave as it is */
    cau_writer_left(&r->sheet, CAU_STR(""), r->width - strlen("gold \\ pred."));
    for (size_t y = 0; y < s->Y; y++) {
        add_text(r, "  ");
        cau_writer_right(&r->sheet, s->classes[y].label, width[y]);
    }
    add_text(r, "\n");
    const cau_pair *pair = s->pairs, *end = s->pairs + s->P;
    for (size_t gold = 0; gold < s->Y; gold++) {
        cau_writer_left(&r->sheet, s->classes[gold].label, r->width);
        for (size_t y = 0; y < s->Y; y++) {
            if (pair < end && pair->gold == gold && pair->predicted == y)
                add_count(r, pair++->count, width[y] + 2);
            else
                cau_writer_right(&r->sheet, CAU_STR("."), width[y] + 2);
            TRY(cau_writer_flush(&r->sheet, false));
        }
        add_text(r, "\n");
    }
done:
    free(width);
    return st;
}

static void find_width(report *r)
{
    r->width = strlen("macro average");
    for (size_t y = 0; y < r->scores->Y; y++) {
        size_t width = column_width(r->scores->classes[y].label);
        if (width > r->width) r->width = width;
    }
}

/* ---- probabilities ------------------------------------------------------------------- */

static void write_log_loss(report *r)
{
    const cau_calibration *c = &r->scores->calibration;
    const uint64_t possible = c->known - c->impossible;
    if (c->impossible) {
        cau_strbuf_printf(&r->sheet.text,
                          "log-loss infinite: %llu instance%s of probability 0 for the gold label",
                          (unsigned long long)c->impossible, c->impossible == 1 ? " is" : "s are");
        add_value(r, "; ", possible ? c->log_loss / (double)possible : 0);
        add_text(r, " nats over the others\n");
    } else if (c->known) {
        add_value(r, "log-loss ", r->scores->measures.log_loss);
        add_value(r, " nats an instance, perplexity ", r->scores->measures.perplexity);
        add_text(r, "\n");
    }
}

static void write_probabilities(report *r)
{
    const caucus_scores *s = r->scores;
    const cau_calibration *c = &s->calibration;
    const uint64_t unknown = s->instances - c->known;
    add_text(r, "\n");
    write_log_loss(r);
    if (c->known) {
        add_value(r, "Brier score ", s->measures.brier);
        add_text(r, ": sum over classes of (p - [gold])^2, 0 is best, 2 is worst\n");
    }
    if (unknown)
        cau_strbuf_printf(
            &r->sheet.text,
            "%llu instance%s a gold label the model does not know; log-loss and Brier "
            "score are over the other %llu\n",
            (unsigned long long)unknown, unknown == 1 ? " has" : "s have",
            (unsigned long long)c->known);
    add_value(r, "calibration error ", s->measures.calibration_error);
    cau_strbuf_printf(&r->sheet.text, ": mean of |accuracy - confidence| over %zu bins\n", c->B);

    add_text(r, "\nconfidence           count  mean confidence  accuracy\n");
    for (size_t b = 0; b < c->B; b++) {
        const cau_bin *bin = &c->bins[b];
        if (bin->count == 0) continue;
        cau_strbuf_fixed(&r->sheet.text, (double)b / (double)c->B, 3);
        add_text(r, " to ");
        cau_strbuf_fixed(&r->sheet.text, (double)(b + 1) / (double)c->B, 3);
        add_count(r, bin->count, 12);
        cau_writer_number(&r->sheet, bin->confidence / (double)bin->count, 4, 17);
        cau_writer_number(&r->sheet, (double)bin->correct / (double)bin->count, 4, 10);
        add_text(r, "\n");
    }
}

/* ---- all of it ----------------------------------------------------------------------- */

static caucus_status write_tables(report *r, const cau_eval_options *options)
{
    caucus_status st = CAUCUS_OK;
    const caucus_scores *s = r->scores;
    find_width(r);
    if (s->chunks) {
        cau_chunk_scores_conlleval(s->chunks, &r->sheet, options->latex);
        if (options->conlleval || options->latex) return CAUCUS_OK;
        add_text(r, "\n");
        cau_chunk_scores_report(s->chunks, &r->sheet);
    } else {
        write_accuracy(r);
    }
    write_skipped(r);
    if (!s->chunks || options->confusion) {
        TRY(write_classes(r));
        TRY(write_confusions(r));
    }
    if (options->confusion) TRY(write_matrix(r));
    if (s->known) cau_words_known_report(s->known, &r->sheet);
    if (s->compare) {
        add_text(r, "\n");
        cau_compare_report(s->compare, &r->sheet);
    }
    if (s->calibration.given) write_probabilities(r);
done:
    return st;
}

caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    report r = {.scores = scores, .sheet = {.ctx = ctx, .write = write, .user = user}};
    if (options->json)
        cau_scores_json(scores, &r.sheet);
    else if (scores->clusterings)
        cau_clusterings_report(scores->clusterings, &r.sheet);
    else
        TRY(write_tables(&r, options));
    TRY(cau_writer_flush(&r.sheet, true));
    TRY(cau_scores_plot(ctx, scores, options));
done:
    cau_writer_clear(&r.sheet);
    return st;
}
