/* items_read.c - reads items in four formats, line by line, into one builder of entries.
 *
 *   rows      bury<TAB>NP:120<TAB>NP_PP:31      item, then feature:count, or a word that counts 1
 *   long      bury,NP,120                       any number of columns, three of which are used
 *   dense     bury 0.25 -1 3.5                  an item and a number for each feature
 *   svmlight  1 12:3 17:1 # bury                a label, which is ignored, and index:value
 *
 * Columns are separated as in the first line of their file. The first line of the long and the
 * dense format is a header if the place of the count has a name, or if no cell after the item is a
 * number. Blank lines are skipped.
 *
 * A builder keeps the line of every entry, so entries may come in any order and items.c can still
 * name the line of a duplicate pair. Items from memory are counted as lines. */

#include "cluster/items_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

enum { PEEK_LINES = 64 }; /* from which the format is detected */

/* A file being read. */
typedef struct {
    caucus_ctx *ctx;
    cau_item_builder *builder;
    cau_lines *lines;
    uint32_t file;
    cau_items_format format;
    char separator;
    size_t rows;      /* nonblank lines so far */
    size_t columns;   /* long, dense: the same in every line */
    uint32_t *column; /* dense: [columns] the feature of each, from column 1 on */
} item_file;

/* A failure at the current line. */
#define FAIL(f, format, ...)                                                                       \
    cau_fail((f)->ctx, CAUCUS_ERR_FORMAT, CAU_AT format, CAU_AT_ARGS((f)->lines), ##__VA_ARGS__)

/* ---- what the forms share ------------------------------------------------------------------- */

/* The number of an item, or CAU_UNKNOWN if it is not wanted. In the long format items may repeat.
 */
static caucus_status find_item(item_file *f, cau_str name, uint32_t *item)
{
    cau_item_builder *builder = f->builder;
    const size_t before = cau_alphabet_size(builder->items);
    builder->seen++;
    *item = CAU_UNKNOWN;
    if (name.n == 0) return FAIL(f, "the item has no name; give it one or drop the line");
    if (builder->wanted && cau_alphabet_find(builder->wanted, name.s, name.n) == CAU_UNKNOWN)
        return CAUCUS_OK;
    *item = cau_alphabet_add(builder->items, name.s, name.n);
    if (*item == CAU_UNKNOWN || !CAU_GROW(builder->place, builder->place_room, before + 1))
        return cau_fail_memory(f->ctx, "the items");
    if (*item == before) {
        builder->place[*item] = (cau_item_place){f->file, cau_lines_number(f->lines)};
    } else if (f->format != CAU_ITEMS_LONG) {
        const cau_item_place first = builder->place[*item];
        return FAIL(f, "the item '%.*s' stands in %s:%zu already; drop one of them",
                    CAU_SHOWN(name), cau_item_file(builder, first.file), first.line);
    }
    return CAUCUS_OK;
}

/* The number of a feature. */
static caucus_status find_feature(item_file *f, cau_str name, uint32_t *feature)
{
    const cau_item_builder *builder = f->builder;
    if (name.n == 0) return FAIL(f, "a feature has no name; give it one or drop the line");
    *feature = cau_alphabet_add(builder->features, name.s, name.n);
    return *feature == CAU_UNKNOWN ? cau_fail_memory(f->ctx, "the features") : CAUCUS_OK;
}

static caucus_status parse_value(item_file *f, cau_str text, double *value)
{
    const char *fault = NULL;
    if (!cau_parse_real(text.s, text.n, value))
        fault = "is not a number";
    else if (!isfinite(*value))
        fault = "is not finite";
    else if (!isfinite((float)*value))
        fault = "is too large";
    else if (*value < 0 && f->format != CAU_ITEMS_DENSE)
        fault = "is negative, which only the dense form may be";
    return fault ? FAIL(f, "'%.*s' %s; correct it or drop the line", CAU_SHOWN(text), fault)
                 : CAUCUS_OK;
}

/* Adds a number, unless it is 0 or its item or feature is left out. */
static caucus_status add_value(item_file *f, uint32_t item, uint32_t feature, double value)
{
    cau_item_builder *builder = f->builder;
    if (item == CAU_UNKNOWN || feature == CAU_UNKNOWN || (float)value == 0) return CAUCUS_OK;
    if (!CAU_GROW(builder->entry, builder->entry_room, builder->entries + 1))
        return cau_fail_memory(f->ctx, "the items");
    builder->entry[builder->entries++] =
        (cau_item_entry){.item = item,
                         .feature = feature,
                         .value = (float)value,
                         .place = {f->file, cau_lines_number(f->lines)}};
    return CAUCUS_OK;
}

/* The same by the name of the feature. Features of unwanted items are not added to the names. */
static caucus_status add_named(item_file *f, uint32_t item, cau_str name, double value)
{
    uint32_t feature = CAU_UNKNOWN;
    if (item == CAU_UNKNOWN || (float)value == 0) return CAUCUS_OK;
    const caucus_status st = find_feature(f, name, &feature);
    return st ? st : add_value(f, item, feature, value);
}

/* Checks that a line has as many columns as the first. */
static caucus_status check_columns(item_file *f, cau_str line)
{
    size_t columns = 0;
    for (cau_str cell; cau_item_cell(&line, f->separator, &cell);) columns++;
    if (f->rows == 1) f->columns = columns;
    if (columns != f->columns)
        return FAIL(f, "%zu columns, but earlier lines have %zu; fix the line or drop it", columns,
                    f->columns);
    return CAUCUS_OK;
}

/* ---- the four forms: one line each -------------------------------------------------------- */

/* item TAB feature:count ... A feature without a count counts 1; repeated features in a line are
 * added, so a text is a row too. */
static caucus_status read_row(item_file *f, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    uint32_t item;
    cau_str token;
    TRY(find_item(f, cau_item_name(&line), &item));
    while (line.s && cau_token(&line, &token)) {
        cau_str name = token, number;
        double value = 1;
        if (cau_item_pair(token, &name, &number)) TRY(parse_value(f, number, &value));
        if (name.n == 0)
            TRY(FAIL(f, "'%.*s' has no feature before the colon; write feature:count",
                     CAU_SHOWN(token)));
        TRY(add_named(f, item, name, value));
    }
done:
    return st;
}

/* Three columns of a line: item, feature and count, as the options say. */
static caucus_status read_long(item_file *f, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    const uint64_t *chosen = f->builder->options->columns;
    const bool given = chosen[0] || chosen[1] || chosen[2];
    cau_str cell, cells[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    TRY(check_columns(f, line));
    if (!given && f->columns != 3)
        TRY(FAIL(f, "%zu columns; say with --columns which are item, feature and count, from 0",
                 f->columns));
    for (size_t i = 0; cau_item_cell(&line, f->separator, &cell); i++)
        for (size_t j = 0; j < 3; j++)
            if (i == (given ? chosen[j] : j)) cells[j] = cell;
    for (size_t j = 0; j < 3; j++)
        if (!cells[j].s)
            TRY(FAIL(f, "no column %" PRIu64 ", there are 0 to %zu; correct --columns", chosen[j],
                     f->columns - 1));

    uint32_t item;
    double value;
    if (f->rows == 1 && !cau_item_is_number(cells[2])) return CAUCUS_OK; /* a header */
    TRY(find_item(f, cells[0], &item));
    TRY(parse_value(f, cells[2], &value));
    TRY(add_named(f, item, cells[1], value));
done:
    return st;
}

/* The first line of the dense format names the features: by its cells if none after the first is a
 * number, else 1, 2, ... */
static caucus_status name_columns(item_file *f, cau_str line, bool *named)
{
    caucus_status st = CAUCUS_OK;
    char digits[24];
    cau_str cell, rest = line;
    cau_alphabet *names = NULL; /* index of the column */
    if (f->columns < 2)
        TRY(FAIL(f, "one column only; a line is an item and a number for each feature"));
    *named = true;
    for (size_t i = 0; cau_item_cell(&rest, f->separator, &cell); i++)
        if (i && cau_item_is_number(cell)) *named = false;
    f->column = cau_alloc(f->columns, sizeof *f->column);
    if (!f->column) TRY(cau_fail_memory(f->ctx, "the features"));
    TRY(cau_alphabet_new(f->ctx, &names));
    rest = line;
    for (size_t i = 0; cau_item_cell(&rest, f->separator, &cell); i++) {
        if (i == 0) continue;
        if (!*named) cell = (cau_str){digits, (size_t)snprintf(digits, sizeof digits, "%zu", i)};
        TRY(find_feature(f, cell, &f->column[i]));
        const uint32_t place = cau_alphabet_add(names, cell.s, cell.n);
        if (place == CAU_UNKNOWN) TRY(cau_fail_memory(f->ctx, "the features"));
        if (place != i - 1)
            TRY(FAIL(f, "two columns have the name '%.*s'; rename one of them", CAU_SHOWN(cell)));
    }
done:
    cau_alphabet_free(names);
    return st;
}

static caucus_status read_dense(item_file *f, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    uint32_t item = CAU_UNKNOWN;
    bool named = false;
    cau_str cell;
    TRY(check_columns(f, line));
    if (f->rows == 1) TRY(name_columns(f, line, &named));
    if (named) return CAUCUS_OK;
    for (size_t i = 0; cau_item_cell(&line, f->separator, &cell); i++) {
        double value;
        if (i == 0) {
            TRY(find_item(f, cell, &item));
            continue;
        }
        TRY(parse_value(f, cell, &value));
        TRY(add_value(f, item, f->column[i], value));
    }
done:
    return st;
}

/* The item of a line of svmlight: the text after '#', which is cut off, or its number. */
static caucus_status find_numbered(item_file *f, cau_str *line, uint32_t *item)
{
    char digits[24];
    const char *comment = memchr(line->s, '#', line->n);
    cau_str name = {line->s, 0};
    if (comment) {
        cau_str behind = {comment + 1, line->n - (size_t)(comment - line->s) - 1};
        line->n = (size_t)(comment - line->s);
        (void)cau_item_cell(&behind, '\n', &name); /* the whole line */
    }
    if (name.n == 0)
        name =
            (cau_str){digits, (size_t)snprintf(digits, sizeof digits, "%zu", f->builder->seen + 1)};
    return find_item(f, name, item);
}

/* label index:value ... # item. Indices ascend; they are used as names, without leading zeros. */
static caucus_status read_svmlight(item_file *f, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    uint32_t item;
    uint64_t index, last = 0;
    bool any = false;
    cau_str token, name, number;
    cau_str rest = line;
    if (cau_token(&rest, &token) && token.s[0] == '#')
        return CAUCUS_OK; /* the whole line is a comment */
    TRY(find_numbered(f, &line, &item));
    for (bool first = true; cau_token(&line, &token); first = false) {
        double value;
        if (!cau_item_pair(token, &name, &number)) {
            if (first) continue; /* the label */
            TRY(FAIL(f, "'%.*s' has no value; write index:value", CAU_SHOWN(token)));
        }
        if (cau_is_text(name, "qid")) continue; /* for ranking */
        if (!cau_parse_count(name.s, name.n, &index))
            TRY(FAIL(f,
                     "index '%.*s' is not a whole number; number the features, or use the "
                     "format rows for names",
                     CAU_SHOWN(name)));
        TRY(parse_value(f, number, &value));
        if (any && index <= last)
            TRY(FAIL(f, "index %" PRIu64 " after %" PRIu64 "; sort the line and name each once",
                     index, last));
        any = true;
        last = index;
        while (name.n > 1 && name.s[0] == '0') name.s++, name.n--;
        TRY(add_named(f, item, name, value));
    }
done:
    return st;
}

/* ---- files ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *looks;
    caucus_status (*line)(item_file *f, cau_str line);
} forms[] = {
    [CAU_ITEMS_AUTO] = {"auto", NULL, NULL},
    [CAU_ITEMS_ROWS] = {"rows", "item TAB feature:count ...", read_row},
    [CAU_ITEMS_LONG] = {"long", "columns of item, feature, count", read_long},
    [CAU_ITEMS_DENSE] = {"dense", "item TAB number ...", read_dense},
    [CAU_ITEMS_SVMLIGHT] = {"svmlight", "index:value ... # item", read_svmlight},
};

static caucus_status detect(item_file *f)
{
    cau_str lines[PEEK_LINES];
    size_t count;
    bool empty;
    const char *name = cau_lines_name(f->lines);
    const caucus_status st = cau_lines_peek(f->ctx, f->lines, lines, PEEK_LINES, &count);
    if (st) return st;
    f->format = cau_items_detect(f->builder->options, lines, count, &empty);
    if (empty)
        return cau_fail(f->ctx, CAUCUS_ERR_FORMAT,
                        "%s: no items in its first lines; say with --format what comes later",
                        name);
    if (f->format == CAU_ITEMS_AUTO)
        return cau_fail(f->ctx, CAUCUS_ERR_FORMAT,
                        "%s: its first lines look like none of rows, long, dense and svmlight; "
                        "correct them, or say with --format which it is",
                        name);
    cau_note(f->ctx, "%s: read as %s (%s); --format forces another", name, forms[f->format].name,
             forms[f->format].looks);
    return CAUCUS_OK;
}

static caucus_status read_file(caucus_ctx *ctx, cau_item_builder *builder, uint32_t file)
{
    caucus_status st = CAUCUS_OK;
    item_file f = {
        .ctx = ctx, .builder = builder, .file = file, .format = builder->options->format};
    TRY(cau_lines_open(ctx, builder->paths[file], &f.lines));
    if (f.format == CAU_ITEMS_AUTO) TRY(detect(&f));
    for (;;) {
        cau_str line;
        TRY(cau_lines_next(ctx, f.lines, &line));
        if (!line.s) break;
        if (cau_item_blank(line)) continue;
        if (f.rows++ == 0) f.separator = cau_item_separator(line);
        TRY(forms[f.format].line(&f, line));
    }
done:
    free(f.column);
    cau_lines_free(f.lines);
    return st;
}

caucus_status cau_items_read(caucus_ctx *ctx, cau_item_builder *builder, const char *const *paths,
                             size_t count)
{
    caucus_status st = CAUCUS_OK;
    builder->paths = paths;
    builder->files = count;
    for (uint32_t p = 0; !st && p < count; p++) st = read_file(ctx, builder, p);
    return st;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Whether a name may be in a column of a file. */
static bool is_name(const char *name)
{
    const size_t n = name ? strlen(name) : 0;
    return n > 0 && strcspn(name, "\t\r\n") == n && cau_utf8_check(name, n) == n;
}

static caucus_status check_item(item_file *f, const char *item, const caucus_feature *features,
                                size_t count)
{
    if (!is_name(item))
        return FAIL(f, "the name of an item must be UTF-8 without TAB and line end; give it one");
    for (size_t i = 0; i < count; i++) {
        if (!is_name(features[i].name))
            return FAIL(f, "the name of a feature must be UTF-8 without TAB and line end; give it "
                           "one");
        if (!isfinite((float)features[i].value))
            return FAIL(f, "the value %g of '%s' is not finite; correct it", features[i].value,
                        features[i].name);
    }
    return CAUCUS_OK;
}

caucus_status cau_items_add(caucus_ctx *ctx, cau_item_builder *builder, const char *item,
                            const caucus_feature *features, size_t count)
{
    caucus_status st = CAUCUS_OK;
    uint32_t number;
    item_file f = {.ctx = ctx, .builder = builder, .format = CAU_ITEMS_DENSE};
    if (!builder->memory) TRY(cau_lines_memory(ctx, "item", (cau_str){"", 0}, &builder->memory));
    f.lines = builder->memory;
    cau_lines_continue(f.lines, (cau_str){"", 0}, builder->seen + 2);
    TRY(check_item(&f, item, features, count));
    TRY(find_item(&f, (cau_str){item, strlen(item)}, &number));
    for (size_t i = 0; i < count; i++)
        TRY(add_named(&f, number, (cau_str){features[i].name, strlen(features[i].name)},
                      features[i].value));
done:
    return st;
}

/* ---- lists ---------------------------------------------------------------------------------- */

caucus_status cau_items_read_list(caucus_ctx *ctx, const char *path, cau_alphabet *names)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    TRY(cau_lines_open(ctx, path, &lines));
    for (;;) {
        cau_str line;
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        const cau_str name = cau_item_name(&line);
        if (name.n && cau_alphabet_add(names, name.s, name.n) == CAU_UNKNOWN)
            TRY(cau_fail_memory(ctx, "the items that are wanted"));
    }
done:
    cau_lines_free(lines);
    return st;
}
