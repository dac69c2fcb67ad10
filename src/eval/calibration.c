/* calibration.c - scores of predicted probabilities.
 *
 * With p(y) the probabilities of an instance, g its gold label, h its predicted label, and
 * means over the instances:
 *     log-loss           mean of -log p(g), in nats
 *     Brier score        mean of sum_y (p(y) - [y = g])^2, from 0 to 2                   [1]
 *     calibration error  sum_b (n_b / n) |accuracy_b - confidence_b|                     [2]
 * where bin b holds the n_b instances with p(h) in [b/B, (b+1)/B), the last bin including 1;
 * confidence_b is their mean p(h) and accuracy_b the share of them with h = g.
 *
 * If the gold label is not a class of the model, it has no probability: the instance is left out of
 * the first two measures and counts as an error in the third. A gold label of probability 0 makes
 * the log-loss infinite; the report gives the number of such instances.
 *
 * [1] Brier. Verification of forecasts expressed in terms of probability. 1950.
 * [2] Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"
#include "text/lines.h"

/* ---- sums ---------------------------------------------------------------------------- */

caucus_status cau_calibration_init(caucus_ctx *ctx, cau_calibration *calibration, size_t bins)
{
    calibration->bins = cau_calloc(bins, sizeof *calibration->bins);
    if (!calibration->bins) return cau_fail_memory(ctx, "the calibration table");
    calibration->B = bins;
    calibration->given = true;
    return CAUCUS_OK;
}

void cau_calibration_add(cau_calibration *calibration, size_t Y, const double *p, uint32_t gold,
                         uint32_t predicted)
{
    size_t b = (size_t)(p[predicted] * (double)calibration->B);
    cau_bin *bin = &calibration->bins[b < calibration->B ? b : calibration->B - 1];
    bin->count++;
    bin->correct += gold == predicted;
    bin->confidence += p[predicted];

    if (gold >= Y) return;
    calibration->known++;
    if (p[gold] > 0)
        calibration->log_loss -= log(p[gold]);
    else
        calibration->impossible++;
    /* sum_y (p(y) - [y = g])^2 = sum_y p(y)^2 - p(g)^2 + (1 - p(g))^2 */
    double squares = 0;
    for (size_t y = 0; y < Y; y++) squares += p[y] * p[y];
    calibration->brier += squares + 1 - 2 * p[gold];
}

void cau_calibration_finish(caucus_scores *scores)
{
    cau_measures *m = &scores->measures;
    const cau_calibration *c = &scores->calibration;
    m->log_loss = m->perplexity = m->brier = m->calibration_error = NAN;
    if (!c->given) return;
    if (c->known) {
        m->log_loss = c->impossible ? INFINITY : c->log_loss / (double)c->known;
        m->perplexity = exp(m->log_loss);
        m->brier = c->brier / (double)c->known;
    }
    m->calibration_error = 0;
    for (size_t b = 0; b < c->B; b++)
        m->calibration_error +=
            fabs((double)c->bins[b].correct - c->bins[b].confidence) / (double)scores->instances;
}

/* ---- columns ------------------------------------------------------------------------- */

void cau_probability_columns_clear(cau_probability_columns *columns)
{
    free(columns->p);
    free(columns->fields);
    *columns = (cau_probability_columns){0};
}

static bool split_fields(cau_probability_columns *columns, cau_separator by, cau_str line,
                         size_t *count)
{
    *count = 0;
    for (cau_str field; cau_column_first(&line, by, &field);) {
        if (!CAU_GROW(columns->fields, columns->capacity, *count + 1)) return false;
        columns->fields[(*count)++] = field;
    }
    return true;
}

/* A field "label:p", split at its last colon. */
static bool split_probability(cau_str field, cau_str *label, double *p)
{
    const char *colon = memrchr(field.s, ':', field.n);
    if (!colon) return false;
    *label = (cau_str){field.s, (size_t)(colon - field.s)};
    return cau_parse_real(colon + 1, field.n - label->n - 1, p);
}

double cau_probability_tolerance(size_t Y)
{
    return 1e-6 * (double)Y + 1e-6; /* they are written with nine digits */
}

/* *out is the number of classes at the end of the fields, or 0 if there are no probabilities. It is
 * the smallest number of fields whose probabilities add up to 1 and whose names include the
 * predicted label, which stands `between` fields before them. (Earlier columns may contain colons
 * and numbers, too.) `seen` is an empty alphabet, for scratch. */
static caucus_status count_classes(caucus_ctx *ctx, const cau_str *fields, size_t count,
                                   size_t between, cau_alphabet *seen, size_t *out)
{
    double sum = 0;
    for (size_t Y = 1; Y + between < count; Y++) {
        cau_str label, predicted = fields[count - Y - between - 1];
        double p;
        if (!split_probability(fields[count - Y], &label, &p)) break;
        if (!(p >= 0 && p <= 1)) break;
        if (cau_alphabet_add(seen, label.s, label.n) == CAU_UNKNOWN)
            return cau_fail_memory(ctx, "the labels");
        sum += p;
        if (fabs(sum - 1) > cau_probability_tolerance(Y)) continue;
        if (cau_alphabet_find(seen, predicted.s, predicted.n) == CAU_UNKNOWN) continue;
        *out = Y;
        return CAUCUS_OK;
    }
    *out = 0;
    return CAUCUS_OK;
}

/* Finds the classes of the first line, and makes them the first names of the alphabet. */
static caucus_status learn_classes(caucus_ctx *ctx, cau_probability_columns *columns,
                                   cau_alphabet *labels, const cau_lines *lines, size_t count,
                                   size_t between)
{
    caucus_status st = CAUCUS_OK;
    cau_alphabet *seen = NULL;
    size_t Y = 0;
    TRY(cau_alphabet_new(ctx, &seen));
    TRY(count_classes(ctx, columns->fields, count, between, seen, &Y));
    if (Y == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "no label followed by label:probability for every class, adding up to "
                            "1; give the output of tag --probabilities, or leave out "
                            "--probabilities",
                     CAU_AT_ARGS(lines)));
    columns->p = cau_alloc(Y, sizeof *columns->p);
    if (!columns->p) TRY(cau_fail_memory(ctx, "the probabilities"));
    for (size_t y = 0; y < Y; y++) {
        cau_str label;
        double p;
        split_probability(columns->fields[count - Y + y], &label, &p);
        uint32_t id = cau_alphabet_add(labels, label.s, label.n);
        if (id == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the labels"));
        if (id != y)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "class '%.*s' has two probabilities; fix the line",
                         CAU_AT_ARGS(lines), CAU_SHOWN(label)));
    }
    columns->Y = Y;
done:
    cau_alphabet_free(seen);
    return st;
}

/* Reads the last Y fields into columns->p. */
static caucus_status read_probabilities(caucus_ctx *ctx, cau_probability_columns *columns,
                                        const cau_alphabet *labels, const cau_lines *lines,
                                        const cau_str *fields)
{
    double sum = 0;
    for (size_t y = 0; y < columns->Y; y++) {
        cau_str name = cau_alphabet_name(labels, (uint32_t)y), label;
        double p;
        if (!split_probability(fields[y], &label, &p))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "'%.*s' is not %.*s:probability; fix the line or drop it",
                            CAU_AT_ARGS(lines), CAU_SHOWN(fields[y]), CAU_SHOWN(name));
        if (label.n != name.n || memcmp(label.s, name.s, name.n) != 0)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "'%.*s' instead of class '%.*s' as in the first line; all lines "
                                   "must have the same classes in the same order",
                            CAU_AT_ARGS(lines), CAU_SHOWN(fields[y]), CAU_SHOWN(name));
        if (!(p >= 0 && p <= 1))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT
                            "'%.*s' is not a probability from 0 to 1; fix the line or drop it",
                            CAU_AT_ARGS(lines), CAU_SHOWN(fields[y]));
        columns->p[y] = p;
        sum += p;
    }
    if (fabs(sum - 1) > cau_probability_tolerance(columns->Y))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the probabilities add up to %.9g, not to 1; fix the line or drop "
                               "it",
                        CAU_AT_ARGS(lines), sum);
    return CAUCUS_OK;
}

caucus_status cau_probability_columns_read(caucus_ctx *ctx, cau_probability_columns *columns,
                                           cau_alphabet *labels, const cau_lines *lines,
                                           cau_separator by, size_t between, cau_str line,
                                           cau_str *rest, cau_str *label)
{
    caucus_status st = CAUCUS_OK;
    size_t count = 0;
    if (!split_fields(columns, by, line, &count)) TRY(cau_fail_memory(ctx, "the columns"));
    if (columns->Y == 0) TRY(learn_classes(ctx, columns, labels, lines, count, between));
    if (count < columns->Y + between + 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "%zu columns, too few for a label and the probabilities of %zu "
                            "classes; fix the line or drop it",
                     CAU_AT_ARGS(lines), count, columns->Y));

    const cau_str *last = columns->fields + count - columns->Y; /* [Y] the probabilities */
    TRY(read_probabilities(ctx, columns, labels, lines, last));
    const cau_str found = columns->fields[count - columns->Y - between - 1];
    const uint32_t id = cau_alphabet_find(labels, found.s, found.n);
    if (id >= columns->Y)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT
                     "the label '%.*s' is not one of the %zu classes; fix the line or drop it",
                     CAU_AT_ARGS(lines), CAU_SHOWN(found), columns->Y));
    *label = found;
    *rest = (cau_str){NULL, 0};
    if (count > columns->Y + between + 1)
        *rest = (cau_str){line.s, (size_t)(label->s - line.s) - 1};
done:
    return st;
}
