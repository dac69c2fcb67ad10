/* classes.c - reads gold and predicted labels, and counts how often each pair occurs.
 *
 * A line is split from its end: the last column is the predicted label, the one before it the
 * gold label, whatever else stands in front. Columns are separated by TAB or, in a line that
 * has none, by blanks. Blank lines separate sequences and are skipped.
 *
 * `tag` writes "line TAB label" for data in columns, and those columns may be separated by
 * blanks: the gold label is then the last piece of the field before the TAB. But labels of
 * other formats may contain blanks themselves ("rec sport TAB rec sport"). The two are told
 * apart by the predicted label, which has blanks or not; an input that does both is refused
 * rather than guessed at.
 *
 * All there is to keep is a table of pairs (gold, predicted) -> count, by open addressing.
 * Everything else about classes follows from it (measures.c). */

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/memory.h"
#include "base/status.h"
#include "eval/scores.h"

/* ---- the table of pairs -------------------------------------------------------------- */

typedef struct {
    cau_pair *slots; /* count 0: free */
    size_t used;
    unsigned bits; /* 2^bits slots, at most half of them used */
} pair_table;

enum { FIRST_BITS = 6 };

/* The slot of a pair: its own, or the free one where it belongs. */
static cau_pair *pair_slot(const pair_table *table, uint32_t gold, uint32_t predicted)
{
    uint64_t key = (uint64_t)gold << 32 | predicted;
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = (size_t)((key ^ key >> 29) * 0x9e3779b97f4a7c15u >> (64 - table->bits));
    for (;; at = (at + 1) & mask) {
        cau_pair *slot = &table->slots[at];
        if (slot->count == 0 || (slot->gold == gold && slot->predicted == predicted)) return slot;
    }
}

static bool pair_table_grow(pair_table *table)
{
    pair_table larger = {.used = table->used, .bits = table->slots ? table->bits + 1 : FIRST_BITS};
    larger.slots = cau_calloc((size_t)1 << larger.bits, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++) {
        const cau_pair *pair = &table->slots[i];
        if (pair->count) *pair_slot(&larger, pair->gold, pair->predicted) = *pair;
    }
    free(table->slots);
    *table = larger;
    return true;
}

static bool pair_table_count(pair_table *table, uint32_t gold, uint32_t predicted)
{
    if (!table->slots || table->used * 2 >= (size_t)1 << table->bits)
        if (!pair_table_grow(table)) return false;
    cau_pair *slot = pair_slot(table, gold, predicted);
    if (slot->count == 0) {
        *slot = (cau_pair){gold, predicted, 0};
        table->used++;
    }
    slot->count++;
    return true;
}

/* Hands the pairs over as an array, in no order; the table is empty then. */
static void pair_table_take(pair_table *table, cau_pair **pairs, size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++)
        if (table->slots[i].count) table->slots[n++] = table->slots[i];
    *pairs = table->slots;
    *count = n;
    *table = (pair_table){0};
}

/* ---- lines --------------------------------------------------------------------------- */

/* How the fields of tab-separated lines are to be read; learnt from the first that tells. */
typedef enum {
    BLANKS_UNSEEN,    /* no field had blanks */
    BLANKS_IN_LABELS, /* a field is a label, blanks and all */
    BLANKS_SPLIT,     /* the gold label is the last piece of its field */
} blanks;

typedef struct {
    caucus_scores *scores;
    pair_table pairs;
    blanks blanks;
    bool probabilities;
    cau_probability_columns columns;
} reading;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool has_blanks(cau_str field)
{
    return memchr(field.s, ' ', field.n) != NULL;
}

static cau_str trim_end(cau_str text)
{
    while (text.n && is_blank(text.s[text.n - 1])) text.n--;
    return text;
}

/* Takes the last field off *rest, which becomes {NULL, 0} with the first field of the line. */
static cau_str take_last(cau_str *rest, char separator)
{
    const char *at = memrchr(rest->s, separator, rest->n);
    if (!at) {
        cau_str whole = *rest;
        *rest = (cau_str){NULL, 0};
        return whole;
    }
    cau_str last = {at + 1, (size_t)(rest->s + rest->n - (at + 1))};
    rest->n = (size_t)(at - rest->s);
    return last;
}

/* The same for blanks, where several are one separator; {NULL, 0} when nothing is left. */
static cau_str take_last_word(cau_str *rest)
{
    *rest = trim_end(*rest);
    return rest->n ? take_last(rest, ' ') : (cau_str){NULL, 0};
}

/* Gold and predicted label of a line; gold {NULL, 0} where it has only one column. */
static void split_labels(cau_str line, cau_str *gold, cau_str *predicted)
{
    cau_str rest = line;
    *gold = (cau_str){NULL, 0};
    if (memchr(line.s, '\t', line.n)) {
        *predicted = take_last(&rest, '\t');
        *gold = take_last(&rest, '\t');
    } else {
        *predicted = take_last_word(&rest);
        if (rest.s) *gold = take_last_word(&rest);
    }
}

/* Takes the gold label out of a field of several columns, as the comment above says. */
static caucus_status settle_blanks(caucus_ctx *ctx, reading *r, const cau_lines *lines,
                                   cau_str *gold, cau_str predicted)
{
    bool in_gold = has_blanks(*gold), in_predicted = has_blanks(predicted);
    if (!in_gold && !in_predicted) return CAUCUS_OK;
    if (in_predicted && r->blanks == BLANKS_SPLIT)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the label '%.*s' has blanks, but earlier lines have columns "
                               "separated by blanks; separate all columns by TAB",
                        CAU_AT_ARGS(lines), CAU_SHOWN(predicted));
    if (r->blanks == BLANKS_UNSEEN) r->blanks = in_predicted ? BLANKS_IN_LABELS : BLANKS_SPLIT;
    if (r->blanks == BLANKS_SPLIT) {
        cau_str rest = *gold;
        *gold = take_last_word(&rest);
    }
    return CAUCUS_OK;
}

static caucus_status count_line(caucus_ctx *ctx, reading *r, const cau_lines *lines, cau_str line)
{
    caucus_scores *scores = r->scores;
    cau_str gold, predicted;
    if (trim_end(line).n == 0) return CAUCUS_OK;

    if (r->probabilities) {
        caucus_status st = cau_probability_columns_read(ctx, &r->columns, scores->labels, lines,
                                                        line, &gold, &predicted);
        if (st) return st;
    } else {
        split_labels(line, &gold, &predicted);
    }
    if (!gold.s)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "no gold label; the last columns must be the gold label and the "
                               "predicted one%s",
                        CAU_AT_ARGS(lines), r->probabilities ? ", before the probabilities" : "");
    caucus_status st = settle_blanks(ctx, r, lines, &gold, predicted);
    if (st) return st;
    if (gold.n == 0 || predicted.n == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the %s label is empty; fix the line or drop it", CAU_AT_ARGS(lines),
                        gold.n == 0 ? "gold" : "predicted");
    if (gold.n == 1 && gold.s[0] == '?') {
        scores->skipped++;
        return CAUCUS_OK;
    }

    uint32_t g = cau_alphabet_add(scores->labels, gold.s, gold.n);
    uint32_t p = cau_alphabet_add(scores->labels, predicted.s, predicted.n);
    if (g == CAU_UNKNOWN || p == CAU_UNKNOWN || !pair_table_count(&r->pairs, g, p))
        return cau_fail_memory(ctx, "the labels");
    scores->instances++;
    if (g == p) scores->correct++;
    if (r->probabilities)
        cau_calibration_add(&scores->calibration, r->columns.Y, r->columns.p, g, p);
    return CAUCUS_OK;
}

static caucus_status count_file(caucus_ctx *ctx, reading *r, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_input *in = NULL;
    cau_lines *lines = NULL;
    cau_str line;
    TRY(cau_input_open(ctx, path, &in));
    TRY(cau_lines_new(ctx, in, &lines));
    for (;;) {
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        TRY(count_line(ctx, r, lines, line));
    }
done:
    cau_lines_free(lines);
    return st;
}

caucus_status cau_scores_read(caucus_ctx *ctx, const cau_eval_options *options,
                              const char *const *paths, size_t count, caucus_scores **out)
{
    caucus_status st = CAUCUS_OK;
    reading r = {.probabilities = options->probabilities};
    caucus_scores *scores = r.scores = cau_calloc(1, sizeof *scores);
    if (!scores) TRY(cau_fail_memory(ctx, "the scores"));
    TRY(cau_alphabet_new(ctx, &scores->labels));
    if (options->probabilities)
        TRY(cau_calibration_init(ctx, &scores->calibration, (size_t)options->bins));

    for (size_t i = 0; i < count; i++) TRY(count_file(ctx, &r, paths[i]));
    if (scores->instances == 0) {
        const char *what = count == 1 ? paths[0] : "the input";
        if (scores->skipped)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         "%s: the gold label of every instance is '?'; give data with labels",
                         what));
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: no instances; give lines that end with the gold label and the predicted "
                     "one",
                     what));
    }
    pair_table_take(&r.pairs, &scores->pairs, &scores->P);
    TRY(cau_scores_finish(ctx, scores));
    *out = scores;
    scores = NULL; /* the caller owns it from here */
done:
    cau_scores_free(scores);
    cau_probability_columns_clear(&r.columns);
    free(r.pairs.slots);
    return st;
}

void cau_scores_free(caucus_scores *scores)
{
    if (!scores) return;
    cau_alphabet_free(scores->labels);
    free(scores->pairs);
    free(scores->classes);
    free(scores->rank);
    free(scores->calibration.bins);
    free(scores);
}

int cau_shown(cau_str label)
{
    enum { MOST = 80 };
    size_t n = label.n;
    if (n > MOST)
        for (n = MOST; n && ((unsigned char)label.s[n] & 0xc0) == 0x80;) n--;
    return (int)n;
}
