/* sheet.h - text on its way out: a buffer, numbers, cells of a table, JSON. */

#ifndef CAU_REPORT_SHEET_H
#define CAU_REPORT_SHEET_H

#include <jansson.h>

#include "base/strbuf.h"

/* A string literal as text. */
#define CAU_STR(literal) ((cau_str){"" literal, sizeof(literal) - 1})

/* Where the answer of one call goes. Embed it with the first three fields set, clear it at the
 * end. Failures of memory are kept and reported by the next flush, so that code which fills a
 * sheet stays plain; add to `text` directly where nothing below does better. */
typedef struct {
    caucus_ctx *ctx;
    caucus_write_fn *write;
    void *user;
    cau_strbuf text;
    bool json_failed;
} cau_sheet;

void cau_sheet_clear(cau_sheet *sheet);

/* Hands the text on, once there is enough of it to be worth a call or when `all` is asked for. */
caucus_status cau_sheet_flush(cau_sheet *sheet, bool all);

/* x as printf writes it with %.*g and %.*f, but with a point in every locale. */
void cau_sheet_general(cau_sheet *sheet, double x, int digits);
void cau_sheet_fixed(cau_sheet *sheet, double x, int decimals);

/* The columns that text takes on a terminal: 2 for a Chinese character, 0 for an accent, 2 for
 * what is escaped, 1 for a byte that is not UTF-8. */
size_t cau_sheet_width(cau_str text);

/* Text or a number in a cell of `width` columns, to the left or to the right in it. Tabs and
 * line ends are escaped. What is wider is not cut. */
void cau_sheet_left(cau_sheet *sheet, cau_str text, size_t width);
void cau_sheet_right(cau_sheet *sheet, cau_str text, size_t width);
void cau_sheet_number(cau_sheet *sheet, double x, int decimals, size_t width);

/* JSON values are made by jansson, whose functions give NULL when memory is short. These two
 * take a value over and note that; so a tree is built without a check at each leaf. */
void cau_sheet_put(cau_sheet *sheet, json_t *object, const char *key, json_t *value);
void cau_sheet_push(cau_sheet *sheet, json_t *array, json_t *value);

/* A string; bytes that are not UTF-8 become U+FFFD. */
json_t *cau_sheet_string(cau_str text);

/* Adds the tree as text and releases it. `compact`: on one line. */
void cau_sheet_json(cau_sheet *sheet, json_t *tree, bool compact);

#endif
