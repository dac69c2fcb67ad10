/* summary.c - what a model is made of, and its strongest features.
 *
 * For each class the features with the largest weights (they speak for it) and those with the
 * most negative ones (against it) are found in one pass over the weights, by a heap for each
 * list whose root is the weakest that is still kept. A pass before it counts the weights of
 * either sign, so that no list has more room than it can fill: all lists together are never
 * larger than the weights themselves, however many are asked for.
 *
 * As JSON:
 *     {"format": 1, "info": {KEY: VALUE, ...},
 *      "read": {"format": ..., "ngrams": ..., "lower": ..., "counts": ..., "values": ...},
 *      "size": {"features": K, "classes": Y, "weights": not zero, "bytes": of the file},
 *      "classes": [{"label": LABEL, "default": weight or null,
 *                   "for": [{"feature": NAME, "weight": w}, ...], "against": [...]}, ...]}
 * In a model whose features were given for each class apart (megam's explicit form) a feature
 * has one weight for all classes; then "for" and "against" stand beside "classes". */

#include <stdlib.h>
#include <string.h>

#include "apply/views.h"
#include "base/memory.h"
#include "base/status.h"

enum {
    DECIMALS = 6,
    NUMBER_WIDTH = 12,
    NAME_WIDTH_MAX = 40, /* longer names push what is beside them */
};

/* ---- the strongest features ---------------------------------------------------------- */

typedef struct {
    float strength; /* |w| */
    uint32_t k;
} entry;

/* While it is filled, a heap with the weakest on top; then sorted, the strongest first. */
typedef struct {
    entry *entries;
    size_t count, room;
} list;

typedef struct {
    list *lists;     /* [width][2]: for, against */
    entry *entries;  /* of all lists */
    size_t nonzeros; /* weights that are not zero */
} strongest;

enum { FOR, AGAINST, SIGNS };

/* The stronger first, and of equals the one that came first. */
static bool weaker(entry a, entry b)
{
    return a.strength != b.strength ? a.strength < b.strength : a.k > b.k;
}

/* Lets the entry at the top of a heap of n sink to its place. */
static void sink(entry *heap, size_t n)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && weaker(heap[child + 1], heap[child])) child++;
        if (!weaker(heap[child], heap[i])) return;
        entry held = heap[i];
        heap[i] = heap[child];
        heap[child] = held;
    }
}

static void keep(list *l, entry e)
{
    if (l->room == 0) return;
    if (l->count < l->room) {
        size_t i = l->count++;
        for (; i > 0 && weaker(e, l->entries[(i - 1) / 2]); i = (i - 1) / 2)
            l->entries[i] = l->entries[(i - 1) / 2];
        l->entries[i] = e;
    } else if (weaker(l->entries[0], e)) {
        l->entries[0] = e;
        sink(l->entries, l->count);
    }
}

/* Takes the weakest off the heap and puts it behind, until none is left. */
static void sort(list *l)
{
    for (size_t n = l->count; n > 1; n--) {
        entry weakest = l->entries[0];
        l->entries[0] = l->entries[n - 1];
        l->entries[n - 1] = weakest;
        sink(l->entries, n - 1);
    }
}

/* Calls `visit` with every weight that is not zero: of observation k, for class j. */
static void for_each_weight(const caucus_model *m, strongest *s,
                            void (*visit)(strongest *s, size_t k, size_t j, float w))
{
    for (size_t k = 0; k < m->K; k++) {
        if (m->dense) {
            const float *w = m->dense + k * m->width;
            for (size_t j = 0; j < m->width; j++)
                if (w[j] != 0) visit(s, k, j, w[j]);
        } else {
            for (uint64_t i = m->start[k]; i < m->start[k + 1]; i++)
                if (m->weight[i] != 0) visit(s, k, m->column[i], m->weight[i]);
        }
    }
}

static list *list_of(const strongest *s, size_t j, float w)
{
    return &s->lists[j * SIGNS + (w > 0 ? FOR : AGAINST)];
}

static void count_weight(strongest *s, size_t k, size_t j, float w)
{
    (void)k;
    s->nonzeros++;
    list_of(s, j, w)->room++;
}

static void keep_weight(strongest *s, size_t k, size_t j, float w)
{
    keep(list_of(s, j, w), (entry){w > 0 ? w : -w, (uint32_t)k});
}

/* Free `lists` and `entries`, also on failure. */
static caucus_status find_strongest(caucus_ctx *ctx, const caucus_model *m, uint64_t top,
                                    strongest *s)
{
    size_t lists = m->width * SIGNS, total = 0;
    s->lists = cau_calloc(lists, sizeof *s->lists);
    if (!s->lists) return cau_fail_memory(ctx, "the strongest features");
    for_each_weight(m, s, count_weight);
    for (size_t i = 0; i < lists; i++) {
        if (s->lists[i].room > top) s->lists[i].room = (size_t)top;
        total += s->lists[i].room;
    }
    s->entries = cau_alloc(total, sizeof *s->entries);
    if (!s->entries) return cau_fail_memory(ctx, "the strongest features");
    entry *at = s->entries;
    for (size_t i = 0; i < lists; i++) {
        s->lists[i].entries = at;
        at += s->lists[i].room;
    }
    for_each_weight(m, s, keep_weight);
    for (size_t i = 0; i < lists; i++) sort(&s->lists[i]);
    return CAUCUS_OK;
}

/* ---- as text ------------------------------------------------------------------------- */

static cau_str text_of(const char *s)
{
    return (cau_str){s, strlen(s)};
}

/* What the file holds, how it reads data, and what it says of itself. */
static void add_head(const caucus_model *m, const strongest *s, cau_sheet *sheet)
{
    const cau_read_options *read = &m->read;
    const char *key, *value;
    size_t width = strlen("format");
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        size_t columns = cau_sheet_width(text_of(key));
        if (columns > width) width = columns;
    }
    if (width > NAME_WIDTH_MAX) width = NAME_WIDTH_MAX;

    cau_sheet_left(sheet, CAU_STR("file"), width);
    cau_text_printf(&sheet->text, "  %zu features, %zu classes, %zu weights (%s), %zu bytes\n",
                    m->K, m->Y, s->nonzeros, m->dense ? "dense" : "packed", m->bytes);
    cau_sheet_left(sheet, CAU_STR("format"), width);
    cau_text_printf(&sheet->text, "  %s", cau_format_name(read->format));
    if (read->ngrams > 1)
        cau_text_printf(&sheet->text, ", n-grams up to %llu", (unsigned long long)read->ngrams);
    if (read->lower) cau_text_printf(&sheet->text, ", lower case");
    if (read->counts) cau_text_printf(&sheet->text, ", counts");
    if (read->values) cau_text_printf(&sheet->text, ", values");
    cau_text_add(&sheet->text, "\n", 1);
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        cau_sheet_left(sheet, text_of(key), width);
        cau_text_printf(&sheet->text, "  %s\n", value); /* escaped in the image already */
    }
}

/* One entry as "weight  name", the name in a cell of `width`; blanks when there is none. */
static void add_entry(const caucus_model *m, const list *l, size_t i, double sign, size_t width,
                      cau_sheet *sheet)
{
    if (i >= l->count) {
        cau_sheet_left(sheet, CAU_STR(""), NUMBER_WIDTH + 2 + width);
        return;
    }
    cau_sheet_number(sheet, sign * (double)l->entries[i].strength, DECIMALS, NUMBER_WIDTH);
    cau_text_add(&sheet->text, "  ", 2);
    cau_sheet_left(sheet, cau_model_name(m, l->entries[i].k), width);
}

/* The widest name of all that stand on the left, within reason. */
static size_t left_width(const caucus_model *m, const strongest *s)
{
    size_t widest = 0;
    for (size_t j = 0; j < m->width; j++) {
        const list *l = &s->lists[j * SIGNS + FOR];
        for (size_t i = 0; i < l->count; i++) {
            size_t width = cau_sheet_width(cau_model_name(m, l->entries[i].k));
            if (width > widest) widest = width;
        }
    }
    return widest < NAME_WIDTH_MAX ? widest : NAME_WIDTH_MAX;
}

/* The two lists side by side. */
static caucus_status add_lists(const caucus_model *m, const list lists[SIGNS], size_t width,
                               cau_sheet *sheet)
{
    caucus_status st = CAUCUS_OK;
    const list *with = &lists[FOR], *against = &lists[AGAINST];
    size_t rows = with->count > against->count ? with->count : against->count;
    for (size_t i = 0; i < rows; i++) {
        bool both = i < against->count;
        add_entry(m, with, i, 1, both ? width : 0, sheet);
        if (both) add_entry(m, against, i, -1, 0, sheet);
        cau_text_add(&sheet->text, "\n", 1);
        TRY(cau_sheet_flush(sheet, false));
    }
done:
    return st;
}

static caucus_status write_text(const caucus_model *m, const strongest *s, cau_sheet *sheet)
{
    caucus_status st = CAUCUS_OK;
    bool apart = m->width != m->Y;
    size_t width = left_width(m, s);
    add_head(m, s, sheet);
    for (size_t y = 0; y < m->Y; y++) {
        cau_text_printf(&sheet->text, apart && y ? "class " : "\nclass ");
        cau_sheet_left(sheet, text_of(cau_model_label(m, y)), 0);
        if (m->bias) {
            cau_text_printf(&sheet->text, ", default weight ");
            cau_sheet_fixed(sheet, (double)m->bias[y], DECIMALS);
        }
        cau_text_add(&sheet->text, "\n", 1);
        if (!apart) TRY(add_lists(m, s->lists + y * SIGNS, width, sheet));
    }
    if (apart) {
        cau_text_printf(&sheet->text, "\nall classes\n");
        TRY(add_lists(m, s->lists, width, sheet));
    }
done:
    return st;
}

/* ---- as JSON ------------------------------------------------------------------------- */

static json_t *json_info(const caucus_model *m, cau_sheet *sheet)
{
    json_t *info = json_object();
    cau_text plain = {0};
    const char *key, *value;
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);) {
        plain.n = 0;
        bool escaped = cau_text_unescape(&plain, text_of(value));
        cau_str text = escaped && plain.n ? (cau_str){plain.s, plain.n} : text_of(value);
        cau_sheet_put(sheet, info, key, plain.failed ? NULL : cau_sheet_string(text));
    }
    cau_text_clear(&plain);
    return info;
}

static json_t *json_read(const cau_read_options *read, cau_sheet *sheet)
{
    json_t *object = json_object();
    cau_sheet_put(sheet, object, "format", json_string(cau_format_name(read->format)));
    cau_sheet_put(sheet, object, "ngrams", json_integer((json_int_t)read->ngrams));
    cau_sheet_put(sheet, object, "lower", json_boolean(read->lower));
    cau_sheet_put(sheet, object, "counts", json_boolean(read->counts));
    cau_sheet_put(sheet, object, "values", json_boolean(read->values));
    return object;
}

static json_t *json_size(const caucus_model *m, const strongest *s, cau_sheet *sheet)
{
    json_t *object = json_object();
    cau_sheet_put(sheet, object, "features", json_integer((json_int_t)m->K));
    cau_sheet_put(sheet, object, "classes", json_integer((json_int_t)m->Y));
    cau_sheet_put(sheet, object, "weights", json_integer((json_int_t)s->nonzeros));
    cau_sheet_put(sheet, object, "bytes", json_integer((json_int_t)m->bytes));
    return object;
}

static json_t *json_list(const caucus_model *m, const list *l, double sign, cau_sheet *sheet)
{
    json_t *array = json_array();
    for (size_t i = 0; i < l->count; i++) {
        json_t *object = json_object();
        cau_sheet_put(sheet, object, "feature",
                      cau_sheet_string(cau_model_name(m, l->entries[i].k)));
        cau_sheet_put(sheet, object, "weight", json_real(sign * (double)l->entries[i].strength));
        cau_sheet_push(sheet, array, object);
    }
    return array;
}

static void put_lists(const caucus_model *m, const list lists[SIGNS], json_t *object,
                      cau_sheet *sheet)
{
    cau_sheet_put(sheet, object, "for", json_list(m, &lists[FOR], 1, sheet));
    cau_sheet_put(sheet, object, "against", json_list(m, &lists[AGAINST], -1, sheet));
}

static void write_json(const caucus_model *m, const strongest *s, cau_sheet *sheet)
{
    json_t *root = json_object(), *classes = json_array();
    cau_sheet_put(sheet, root, "format", json_integer(1));
    cau_sheet_put(sheet, root, "info", json_info(m, sheet));
    cau_sheet_put(sheet, root, "read", json_read(&m->read, sheet));
    cau_sheet_put(sheet, root, "size", json_size(m, s, sheet));
    for (size_t y = 0; y < m->Y; y++) {
        json_t *class = json_object();
        cau_sheet_put(sheet, class, "label", cau_sheet_string(text_of(cau_model_label(m, y))));
        cau_sheet_put(sheet, class, "default",
                      m->bias ? json_real((double)m->bias[y]) : json_null());
        if (m->width == m->Y) put_lists(m, s->lists + y * SIGNS, class, sheet);
        cau_sheet_push(sheet, classes, class);
    }
    cau_sheet_put(sheet, root, "classes", classes);
    if (m->width != m->Y) put_lists(m, s->lists, root, sheet);
    cau_sheet_json(sheet, root, false);
    cau_text_add(&sheet->text, "\n", 1);
}

caucus_status cau_summary(const caucus_model *model, uint64_t top, bool json, cau_sheet *sheet)
{
    strongest s = {0};
    caucus_status st = find_strongest(sheet->ctx, model, top, &s);
    if (!st && json) write_json(model, &s, sheet);
    if (!st && !json) st = write_text(model, &s, sheet);
    free(s.entries);
    free(s.lists);
    return st;
}
