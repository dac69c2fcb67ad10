/* report.h - from results to text and JSON.
 *
 * A command builds one tree of JSON values. With --json the tree is written; otherwise it is
 * printed as text: sentences from templates, tables from lists of columns. So a number is computed
 * and named once, and both forms always agree.
 *
 *     static const cau_column columns[] = {
 *         {"class", "<{label}"}, {"F1", "{f1:.4f}"}, {"support", "{support}"}};
 *
 *     cau_tree tree = {0};
 *     cau_tree_object(&tree, NULL);
 *     cau_tree_count(&tree, "instances", n);
 *     cau_tree_array(&tree, "classes");
 *     for (...) {
 *         cau_tree_record(&tree, NULL, {"label", cau_json_text(label)},
 *                         {"f1", cau_json_number(f1)},     NaN becomes null, printed as "-"
 *                         {"support", cau_json_count(support)});
 *     }
 *     cau_tree_end(&tree);
 *     cau_tree_end(&tree);
 *     TRY(cau_tree_status(ctx, &tree));
 *     if (json) {
 *         cau_print_json(out, tree.root, CAU_DIGITS_DOUBLE);
 *     } else {
 *         cau_print(out, tree.root, "{instances} instance{instances:|s}\n");
 *         cau_print_table(out, columns, 3, cau_at(tree.root, "classes"));
 *     }
 *     st = cau_writer_flush(out, true);
 *   done:
 *     cau_tree_clear(&tree);
 *
 *   tree.c     building a tree, writing it as JSON
 *   table.c    buffered text, widths, templates, tables, matrices */

#ifndef CAU_REPORT_REPORT_H
#define CAU_REPORT_REPORT_H

#include <jansson.h>
#include <math.h>

#include "base/strbuf.h"

/* ---- the buffer (table.c) -------------------------------------------------------------- */

/* Buffers the output of one call on its way to a callback. Embed it with the first three fields
 * set and clear it at the end. Functions that add to it return nothing: the first failure, of
 * memory or of the callback, is kept, and every later flush returns it. Callers may add to `text`
 * directly. */
typedef struct {
    caucus_ctx *ctx;
    caucus_write_fn *write;
    void *user;
    cau_strbuf text;
    caucus_status status; /* the first failure */
} cau_writer;

void cau_writer_clear(cau_writer *out);

/* Passes the text to the callback if there are 64 KiB or more, or if `all` is set. */
caucus_status cau_writer_flush(cau_writer *out, bool all);

/* The width of escaped text on a terminal: 2 columns for a Chinese character, 0 for a combining
 * accent, 2 for an escape such as \t, 1 for a byte that is not UTF-8. */
size_t cau_text_width(cau_str text);

/* Adds escaped text, or a number, padded to `width` columns. Longer text is not cut. */
void cau_writer_left(cau_writer *out, cau_str text, size_t width);
void cau_writer_right(cau_writer *out, cau_str text, size_t width);
void cau_writer_number(cau_writer *out, double x, int decimals, size_t width);

/* ---- tree.c -------------------------------------------------------------------------- */

enum { CAU_TREE_DEPTH = 16 };

/* A tree of JSON values under construction. Start with zeros; the first value must be an object or
 * an array and becomes the root. Values are added to the innermost open container: to an object
 * under `key`, to an array at its end, with key NULL. Keys keep their order. Memory failures are
 * kept for cau_tree_status. */
typedef struct {
    json_t *root; /* owned by the tree */
    json_t *open[CAU_TREE_DEPTH];
    size_t depth;
    bool failed;
} cau_tree;

void cau_tree_clear(cau_tree *tree);

/* CAUCUS_ERR_MEMORY if any value could not be added. The tree must not be printed then. */
caucus_status cau_tree_status(caucus_ctx *ctx, const cau_tree *tree);

/* Open a container; cau_tree_end closes the innermost one. */
void cau_tree_object(cau_tree *tree, const char *key);
void cau_tree_array(cau_tree *tree, const char *key);
void cau_tree_end(cau_tree *tree);

void cau_tree_number(cau_tree *tree, const char *key, double x); /* null unless finite */
void cau_tree_count(cau_tree *tree, const char *key, uint64_t n);
void cau_tree_bool(cau_tree *tree, const char *key, bool yes);
void cau_tree_text(cau_tree *tree, const char *key, cau_str text);       /* {NULL, 0}: null */
void cau_tree_string(cau_tree *tree, const char *key, const char *text); /* NULL: null */
void cau_tree_numbers(cau_tree *tree, const char *key, const double *x, size_t n); /* an array */
void cau_tree_value(cau_tree *tree, const char *key, json_t *value); /* takes the reference */

/* Adds members to the open object; or an object of these members:
 *     cau_tree_record(tree, NULL, {"label", cau_json_text(label)}, {"f1", cau_json_number(x)}); */
typedef struct {
    const char *key;
    json_t *value; /* taken over */
} cau_field;
void cau_tree_add_fields(cau_tree *tree, const cau_field *field); /* until one has no key */
#define cau_tree_fields(tree, ...)                                                                 \
    cau_tree_add_fields((tree), (const cau_field[]){__VA_ARGS__, {NULL, NULL}})
#define cau_tree_record(tree, key, ...)                                                            \
    (cau_tree_object((tree), (key)), cau_tree_fields((tree), __VA_ARGS__), cau_tree_end(tree))

/* part / whole; NaN, and so null, for 0/0. */
static inline double cau_ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

/* Values, owned by the caller; NULL if memory is short. */
json_t *cau_json_number(double x); /* null unless finite */
json_t *cau_json_numbers(const double *x, size_t n);
json_t *cau_json_count(uint64_t n);
json_t *cau_json_bool(bool yes);
json_t *cau_json_text(cau_str text);       /* {NULL, 0}: null */
json_t *cau_json_string(const char *text); /* NULL: null */

/* The value at a path such as "macro.f1" or "interval.0" (members by key, elements by index), or
 * NULL. A path through null gives null. */
json_t *cau_at(const json_t *node, const char *path);
double cau_number_at(const json_t *node, const char *path);  /* NaN unless it is a number */
uint64_t cau_count_at(const json_t *node, const char *path); /* 0 unless it is an integer */

/* Writes a tree as indented JSON and a line end; `digits` of each real number. */
enum { CAU_DIGITS_FLOAT = 9, CAU_DIGITS_DOUBLE = 15 };
void cau_print_json(cau_writer *out, const json_t *tree, int digits);

/* Writes a tree on one line, without a line end: for the records of a list too long for one tree.
 */
void cau_print_json_line(cau_writer *out, const json_t *tree, int digits);

/* ---- table.c ------------------------------------------------------------------------- */

/* Adds a template whose {fields} are replaced by values of the node:
 *     {macro.f1:.4f}        the number at a path (see cau_at) with 4 decimals
 *     {share:.1%}           times 100, with 1 decimal and a percent sign
 *     {weight:.9g}          as in printf, with a decimal point in every locale
 *     {n} item{n:|s}        one form if the number is 1, another otherwise
 *     {label}               escaped text; integers; reals with 6 digits; yes or no
 *     {}                    the node itself
 * null is printed as "-", a missing value as nothing. */
void cau_print(cau_writer *out, const json_t *node, const char *template);

/* Adds the text of a template to a tree, as a cell of a table. */
void cau_tree_print(cau_tree *tree, const char *key, const json_t *node, const char *template);

/* A column of a table. Blanks around the heading are part of it: {"   count", "{n}"} is at least
 * eight columns wide. Otherwise a column is as wide as its heading or widest cell. Cells are
 * aligned to the right, or to the left if the template begins with '<'; then a cell of more than 40
 * columns does not widen the column but moves the rest of its row. */
typedef struct {
    const char *heading; /* or NULL */
    const char *cell;    /* template; a cell is empty if all values of its fields are missing */
} cau_column;

/* Collects rows and prints them when their widths are known. Columns are 2 blanks apart; columns
 * without any text in their cells are left out; headings are printed unless all are NULL. */
typedef struct {
    cau_writer *out;
    const cau_column *column; /* [columns] borrowed */
    size_t columns;
    cau_strbuf text; /* of the cells, one after the other */
    size_t *end;     /* [cells] in the text */
    size_t cells, room;
} cau_text_table;

cau_text_table cau_text_table_begin(cau_writer *out, const cau_column *column, size_t columns);

/* Adds a row; `name`, unless NULL, is the cell of its first column. */
void cau_text_table_row(cau_text_table *table, const char *name, const json_t *row);
void cau_text_table_rows(cau_text_table *table, const json_t *rows); /* of an array */
void cau_text_table_end(cau_text_table *table);                      /* prints and frees it */

/* A table of the rows in an array. */
void cau_print_table(cau_writer *out, const cau_column *column, size_t columns, const json_t *rows);

/* The same for rows that are only made to be printed: an array open in a tree, which it closes and
 * clears. */
void cau_print_rows(cau_writer *out, const cau_column *column, size_t columns, cau_tree *rows);

/* A matrix: `rows` is an array of arrays of values, each printed by the template `cell`. Rows and
 * columns are headed by `names`, an array of strings, or by 1, 2, ... if it is NULL. */
void cau_print_matrix(cau_writer *out, const json_t *names, const json_t *rows, const char *cell);

#endif
