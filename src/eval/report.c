/* report.c - the scores as tables for people.
 *
 * From the whole to its parts: accuracy, classes, confusions, probabilities. Every convention
 * that changes a number is printed beside it. The confusion matrix is written row by row, so
 * that many classes make a long report but not a large buffer. */

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

enum {
    TOP_CONFUSIONS = 10,
    LABEL_WIDTH_MAX = 40, /* a longer label breaks its row instead of widening all */
    FLUSH_AT = 1 << 16,   /* bytes of text kept before they are handed on */
};

typedef struct {
    caucus_ctx *ctx;
    const caucus_scores *scores;
    caucus_write_fn *write;
    void *user;
    cau_text text;
    size_t width; /* of the column of labels */
} report;

/* Hands the text on, if it is long or `all` of it is asked for. */
static caucus_status flush(report *r, bool all)
{
    caucus_status st = cau_text_status(r->ctx, &r->text);
    if (st || r->text.n == 0 || (!all && r->text.n < FLUSH_AT)) return st;
    st = r->write(r->user, r->text.s, r->text.n);
    r->text.n = 0;
    return st;
}

/* ---- cells --------------------------------------------------------------------------- */

/* Columns that a label takes on a terminal: 2 for a Chinese character, 0 for an accent. */
static size_t label_width(cau_str label)
{
    size_t width = 0;
    for (size_t at = 0; at < label.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)label.s + at,
                                                 (utf8proc_ssize_t)(label.n - at), &c);
        if (used <= 0) { /* cannot be: labels are UTF-8 */
            width++, at++;
            continue;
        }
        width += (size_t)utf8proc_charwidth(c);
        at += (size_t)used;
    }
    return width;
}

static size_t column_width(cau_str label)
{
    size_t width = label_width(label);
    return width < LABEL_WIDTH_MAX ? width : LABEL_WIDTH_MAX;
}

static void add_padding(report *r, size_t have, size_t want)
{
    for (; have < want; have++) cau_text_add(&r->text, " ", 1);
}

static void add_left(report *r, cau_str label, size_t width)
{
    cau_text_add(&r->text, label.s, label.n);
    add_padding(r, label_width(label), width);
}

static void add_right(report *r, cau_str label, size_t width)
{
    add_padding(r, label_width(label), width);
    cau_text_add(&r->text, label.s, label.n);
}

static void add_name(report *r, const char *name)
{
    add_left(r, (cau_str){name, strlen(name)}, r->width);
}

static size_t digits(uint64_t count)
{
    size_t n = 1;
    while (count /= 10) n++;
    return n;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- parts --------------------------------------------------------------------------- */

static void write_accuracy(report *r)
{
    const caucus_scores *s = r->scores;
    cau_text_printf(&r->text,
                    "accuracy %.4f: %llu of %llu instances right, 95%% interval %.4f to %.4f "
                    "(Wilson)\n",
                    s->measures.accuracy, (unsigned long long)s->correct,
                    (unsigned long long)s->instances, s->measures.low, s->measures.high);
    if (s->skipped)
        cau_text_printf(&r->text, "%llu instance%s left out: the gold label is '?'\n",
                        (unsigned long long)s->skipped, plural(s->skipped));
}

static caucus_status write_classes(report *r)
{
    const caucus_scores *s = r->scores;
    const cau_measures *m = &s->measures;
    cau_text_add(&r->text, "\n", 1);
    add_name(r, "class");
    cau_text_printf(&r->text, "  precision  recall      F1     support   predicted\n");
    for (size_t y = 0; y < s->Y; y++) {
        const cau_class_score *c = &s->classes[y];
        add_left(r, c->label, r->width);
        cau_text_printf(&r->text, "     %.4f  %.4f  %.4f  %10llu  %10llu\n", c->precision,
                        c->recall, c->f1, (unsigned long long)c->support,
                        (unsigned long long)c->predicted);
        caucus_status st = flush(r, false);
        if (st) return st;
    }
    add_name(r, "macro average");
    cau_text_printf(&r->text, "     %.4f  %.4f  %.4f\n", m->macro_precision, m->macro_recall,
                    m->macro_f1);
    add_name(r, "micro average");
    cau_text_printf(&r->text, "     %.4f  %.4f  %.4f\n", m->micro_precision, m->micro_recall,
                    m->micro_f1);
    cau_text_printf(&r->text,
                    "(0 stands where a measure is not defined: nothing predicted, or nothing to "
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
    if (!wrong) return cau_fail_memory(r->ctx, "the confusions");
    size_t count = 0;
    for (size_t i = 0; i < s->P; i++)
        if (s->pairs[i].gold != s->pairs[i].predicted) wrong[count++] = &s->pairs[i];
    qsort(wrong, count, sizeof *wrong, compare_frequency);

    size_t shown = count < TOP_CONFUSIONS ? count : TOP_CONFUSIONS;
    cau_text_add(&r->text, "\n", 1);
    add_name(r, "gold");
    cau_text_printf(&r->text, "  ");
    add_name(r, "predicted");
    cau_text_printf(&r->text, "       count  of all errors\n");
    for (size_t i = 0; i < shown; i++) {
        add_left(r, s->classes[wrong[i]->gold].label, r->width);
        cau_text_printf(&r->text, "  ");
        add_left(r, s->classes[wrong[i]->predicted].label, r->width);
        cau_text_printf(&r->text, "  %10llu         %5.1f%%\n", (unsigned long long)wrong[i]->count,
                        100 * (double)wrong[i]->count / (double)errors);
    }
    if (shown < count)
        cau_text_printf(&r->text, "(the %zu most frequent of %zu confusions)\n", shown, count);
    free(wrong);
    return CAUCUS_OK;
}

/* Rows are gold, columns predicted; a dot is 0. */
static caucus_status write_matrix(report *r)
{
    const caucus_scores *s = r->scores;
    size_t *width = cau_alloc(s->Y, sizeof *width); /* [Y] of the columns */
    if (!width) return cau_fail_memory(r->ctx, "the confusion matrix");
    for (size_t y = 0; y < s->Y; y++) width[y] = column_width(s->classes[y].label);
    for (size_t i = 0; i < s->P; i++) {
        size_t n = digits(s->pairs[i].count);
        if (n > width[s->pairs[i].predicted]) width[s->pairs[i].predicted] = n;
    }

    caucus_status st = CAUCUS_OK;
    cau_text_add(&r->text, "\n", 1);
    add_name(r, "gold \\ pred.");
    for (size_t y = 0; y < s->Y; y++) {
        cau_text_add(&r->text, "  ", 2);
        add_right(r, s->classes[y].label, width[y]);
    }
    cau_text_add(&r->text, "\n", 1);
    const cau_pair *pair = s->pairs, *end = s->pairs + s->P;
    for (size_t gold = 0; gold < s->Y; gold++) {
        add_left(r, s->classes[gold].label, r->width);
        for (size_t y = 0; y < s->Y; y++) {
            bool here = pair < end && pair->gold == gold && pair->predicted == y;
            add_padding(r, here ? digits(pair->count) : 1, width[y] + 2);
            if (here)
                cau_text_printf(&r->text, "%llu", (unsigned long long)pair++->count);
            else
                cau_text_add(&r->text, ".", 1);
            TRY(flush(r, false));
        }
        cau_text_add(&r->text, "\n", 1);
    }
done:
    free(width);
    return st;
}

static caucus_status write_probabilities(report *r)
{
    const caucus_scores *s = r->scores;
    const cau_calibration *c = &s->calibration;
    const cau_measures *m = &s->measures;
    uint64_t unknown = s->instances - c->known;
    cau_text_add(&r->text, "\n", 1);
    if (c->impossible)
        cau_text_printf(&r->text,
                        "log-loss infinite: %llu instance%s of probability 0 for the gold label; "
                        "%.4f nats over the others\n",
                        (unsigned long long)c->impossible, c->impossible == 1 ? " is" : "s are",
                        c->known > c->impossible ? c->log_loss / (double)(c->known - c->impossible)
                                                 : 0);
    else if (c->known)
        cau_text_printf(&r->text, "log-loss %.4f nats an instance, perplexity %.4f\n", m->log_loss,
                        m->perplexity);
    if (c->known)
        cau_text_printf(&r->text,
                        "Brier score %.4f: sum over classes of (p - [gold])^2, 0 is best, 2 is "
                        "worst\n",
                        m->brier);
    if (unknown)
        cau_text_printf(&r->text,
                        "%llu instance%s a gold label the model does not know; log-loss and Brier "
                        "score are over the other %llu\n",
                        (unsigned long long)unknown, unknown == 1 ? " has" : "s have",
                        (unsigned long long)c->known);
    cau_text_printf(&r->text,
                    "calibration error %.4f: mean of |accuracy - confidence| over %zu bins\n"
                    "\nconfidence           count  mean confidence  accuracy\n",
                    m->calibration_error, c->B);
    for (size_t b = 0; b < c->B; b++) {
        const cau_bin *bin = &c->bins[b];
        if (bin->count == 0) continue;
        cau_text_printf(&r->text, "%.3f to %.3f  %10llu           %.4f    %.4f\n",
                        (double)b / (double)c->B, (double)(b + 1) / (double)c->B,
                        (unsigned long long)bin->count, bin->confidence / (double)bin->count,
                        (double)bin->correct / (double)bin->count);
    }
    return CAUCUS_OK;
}

static caucus_status write_tables(report *r, bool matrix)
{
    caucus_status st = CAUCUS_OK;
    r->width = strlen("macro average");
    for (size_t y = 0; y < r->scores->Y; y++) {
        size_t width = column_width(r->scores->classes[y].label);
        if (width > r->width) r->width = width;
    }
    write_accuracy(r);
    TRY(write_classes(r));
    TRY(write_confusions(r));
    if (matrix) TRY(write_matrix(r));
    if (r->scores->calibration.given) TRY(write_probabilities(r));
    TRY(flush(r, true));
done:
    cau_text_clear(&r->text);
    return st;
}

caucus_status cau_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                               const cau_eval_options *options, caucus_write_fn *write, void *user)
{
    if (options->json) return cau_scores_json(ctx, scores, write, user);
    report r = {.ctx = ctx, .scores = scores, .write = write, .user = user};
    return write_tables(&r, options->confusion);
}
