/* confusion.c - pairs (gold, predicted): counting, the list and the matrix, the figure. */

#include "eval/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/memory.h"
#include "base/status.h"
#include "report/plot.h"

enum {
    PLOT_MAX = 60,       /* names in a figure */
    NAME_WIDTH_MAX = 40, /* a longer name pushes the rest of its row instead of widening all */
};

/* ---- counting ------------------------------------------------------------------------ */

void cau_confusion_clear(cau_confusion *c)
{
    cau_key_set_clear(&c->keys);
    free(c->pair);
    free(c->name);
    *c = (cau_confusion){0};
}

bool cau_confusion_add(cau_confusion *c, uint32_t gold, uint32_t predicted)
{
    const size_t known = c->keys.count;
    if (!cau_key_set_reserve(&c->keys, 1) || !CAU_GROW(c->pair, c->room, known + 1)) return false;
    cau_pair *pair = &c->pair[cau_key_set_add(&c->keys, (uint64_t)gold << 32 | predicted)];
    if (c->keys.count > known) *pair = (cau_pair){gold, predicted, 0};
    pair->count++;
    return true;
}

static int compare_pairs(const void *a, const void *b)
{
    const cau_pair *p = a, *q = b;
    if (p->gold != q->gold) return p->gold < q->gold ? -1 : 1;
    return (p->predicted > q->predicted) - (p->predicted < q->predicted);
}

void cau_confusion_finish(cau_confusion *c, const uint32_t *rank, cau_str *name, size_t n)
{
    for (size_t i = 0; i < c->keys.count; i++) {
        cau_pair *pair = &c->pair[i];
        pair->gold = pair->gold == CAU_UNKNOWN ? (uint32_t)n - 1 : rank[pair->gold];
        pair->predicted = pair->predicted == CAU_UNKNOWN ? (uint32_t)n - 1 : rank[pair->predicted];
    }
    if (c->pair) qsort(c->pair, c->keys.count, sizeof *c->pair, compare_pairs);
    c->name = name;
    c->n = n;
}

/* ---- JSON and text ------------------------------------------------------------------- */

void cau_confusion_tree(const cau_confusion *c, cau_tree *tree, const char *key)
{
    cau_tree_array(tree, key);
    for (size_t i = 0; i < c->keys.count; i++) {
        const cau_pair *pair = &c->pair[i];
        cau_tree_record(tree, NULL, {"gold", cau_json_text(c->name[pair->gold])},
                        {"predicted", cau_json_text(c->name[pair->predicted])},
                        {"count", cau_json_count(pair->count)});
    }
    cau_tree_end(tree);
}

static cau_str shown_name(const cau_confusion *c, size_t i)
{
    if (!c->name[i].s) return CAU_STR("(none)");
    return c->name[i].n ? c->name[i] : CAU_STR("(no type)");
}

/* More frequent first, ties in the order of the pairs. */
static int compare_frequency(const void *a, const void *b)
{
    const cau_pair *p = *(const cau_pair *const *)a, *q = *(const cau_pair *const *)b;
    if (p->count != q->count) return p->count > q->count ? -1 : 1;
    return (p > q) - (p < q);
}

void cau_confusion_print_list(const cau_confusion *c, cau_writer *out, size_t most)
{
    static const cau_column columns[] = {{"gold         ", "<{gold}"},
                                         {"predicted    ", "<{predicted}"},
                                         {"     count", "{count}"},
                                         {"of errors", "{share:.1%}"}};
    const cau_pair **wrong = cau_alloc(c->keys.count, sizeof(const cau_pair *));
    uint64_t errors = 0;
    size_t n = 0;
    for (size_t i = 0; wrong && i < c->keys.count; i++) {
        if (c->pair[i].gold == c->pair[i].predicted) continue;
        wrong[n++] = &c->pair[i];
        errors += c->pair[i].count;
    }
    if (n) qsort(wrong, n, sizeof *wrong, compare_frequency);
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t i = 0; i < n && i < most; i++) {
        const uint64_t count = wrong[i]->count;
        cau_tree_record(&rows, NULL, {"gold", cau_json_text(shown_name(c, wrong[i]->gold))},
                        {"predicted", cau_json_text(shown_name(c, wrong[i]->predicted))},
                        {"count", cau_json_count(count)},
                        {"share", cau_json_number((double)count / (double)errors)});
    }
    if (!wrong) out->text.failed = true;
    cau_print_rows(out, columns, 4, &rows);
    if (n > most)
        cau_strbuf_printf(&out->text, "(the %zu most frequent of %zu confusions)\n", most, n);
    free(wrong);
}

static size_t name_width(const cau_confusion *c, size_t i)
{
    const size_t width = cau_text_width(shown_name(c, i));
    return width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
}

static size_t digits(uint64_t count)
{
    size_t n = 1;
    while (count /= 10) n++;
    return n;
}

#define CORNER "gold, found as"

/* The widths of the columns, width [n + 1]: the names of the rows, then each predicted label.
 * Returns the width of the whole matrix. */
static size_t find_widths(const cau_confusion *c, size_t *width)
{
    width[0] = strlen(CORNER);
    for (size_t i = 0; i < c->n; i++) {
        width[i + 1] = name_width(c, i);
        if (width[i + 1] > width[0]) width[0] = width[i + 1];
    }
    for (size_t i = 0; i < c->keys.count; i++) {
        const size_t n = digits(c->pair[i].count), column = c->pair[i].predicted + 1;
        if (n > width[column]) width[column] = n;
    }
    size_t whole = width[0];
    for (size_t i = 1; i <= c->n; i++) whole += 2 + width[i];
    return whole;
}

static void print_cells(const cau_confusion *c, cau_writer *out, const size_t *width)
{
    cau_writer_left(out, CAU_STR(CORNER), width[0]);
    for (size_t i = 0; i < c->n; i++) {
        cau_strbuf_add(&out->text, "  ", 2);
        cau_writer_right(out, shown_name(c, i), width[i + 1]);
    }
    cau_strbuf_add(&out->text, "\n", 1);
    const cau_pair *pair = c->pair, *end = pair + c->keys.count;
    for (size_t gold = 0; gold < c->n; gold++) {
        cau_writer_left(out, shown_name(c, gold), width[0]);
        for (size_t i = 0; i < c->n; i++)
            if (pair < end && pair->gold == gold && pair->predicted == i)
                cau_writer_number(out, (double)pair++->count, 0, width[i + 1] + 2);
            else
                cau_writer_right(out, CAU_STR("."), width[i + 1] + 2);
        cau_strbuf_add(&out->text, "\n", 1);
        cau_writer_flush(out, false);
    }
}

void cau_confusion_print_matrix(const cau_confusion *c, cau_writer *out, size_t width, size_t most)
{
    size_t *widths = cau_alloc(c->n + 1, sizeof *widths);
    if (!widths)
        out->text.failed = true;
    else if (find_widths(c, widths) <= width)
        print_cells(c, out, widths);
    else
        cau_confusion_print_list(c, out, most);
    free(widths);
}

/* ---- figure -------------------------------------------------------------------------- */

/* How often a name occurs, gold or predicted. */
typedef struct {
    uint64_t count;
    size_t name;
} name_count;

static int compare_name_counts(const void *a, const void *b)
{
    const name_count *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* place [n] of each name in the figure, CAU_UNKNOWN if it is left out; `counts` [n] is scratch. */
static void choose_names(const cau_confusion *c, size_t shown, name_count *counts, uint32_t *place)
{
    for (size_t i = 0; i < c->n; i++) counts[i] = (name_count){0, i};
    for (size_t i = 0; i < c->keys.count; i++) {
        counts[c->pair[i].gold].count += c->pair[i].count;
        counts[c->pair[i].predicted].count += c->pair[i].count;
    }
    qsort(counts, c->n, sizeof *counts, compare_name_counts);
    for (size_t i = 0; i < c->n; i++) place[counts[i].name] = i < shown ? 0 : CAU_UNKNOWN;
    for (uint32_t i = 0, next = 0; i < c->n; i++)
        if (place[i] != CAU_UNKNOWN) place[i] = next++;
}

caucus_status cau_confusion_plot(caucus_ctx *ctx, const cau_confusion *c, const char *what,
                                 const char *path)
{
    caucus_status st = CAUCUS_OK;
    const size_t shown = c->n < PLOT_MAX ? c->n : PLOT_MAX;
    name_count *counts = cau_alloc(c->n, sizeof *counts);
    uint32_t *place = cau_alloc(c->n, sizeof *place);
    cau_str *label = cau_alloc(shown, sizeof *label);
    double *cell = cau_calloc(shown * shown, sizeof *cell);
    if (!counts || !place || !label || !cell) TRY(cau_fail_memory(ctx, "the figure"));
    choose_names(c, shown, counts, place);
    for (size_t i = 0; i < c->n; i++)
        if (place[i] != CAU_UNKNOWN) label[place[i]] = shown_name(c, i);
    for (size_t i = 0; i < c->keys.count; i++) {
        const uint32_t row = place[c->pair[i].gold], column = place[c->pair[i].predicted];
        if (row != CAU_UNKNOWN && column != CAU_UNKNOWN)
            cell[row * shown + column] = (double)c->pair[i].count;
    }
    if (shown < c->n)
        cau_note(ctx, "%s: the %zu most frequent of %zu %s are drawn", path, shown, c->n, what);
    TRY(cau_plot_confusion(ctx, path, &(cau_confusion_matrix){shown, label, cell}));
done:
    free(counts);
    free(place);
    free(label);
    free(cell);
    return st;
}
