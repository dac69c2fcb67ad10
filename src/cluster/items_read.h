/* items_read.h - inside the readers of items: what they fill, and how a line is cut.
 *
 *   items_detect.c   first lines -> format
 *   items_read.c     lines -> entries of a pile, in any order
 *   items.c          pile -> items: sorted, chosen, weighed, scaled */

#ifndef CAU_CLUSTER_ITEMS_READ_H
#define CAU_CLUSTER_ITEMS_READ_H

#include <string.h>

#include "cluster/items.h"
#include "text/formats.h"

/* A line of one of the files. */
typedef struct {
    uint32_t file;
    size_t line;
} cau_item_place;

/* One number that was read; never 0. */
typedef struct {
    uint32_t item, feature;
    float value;
    cau_item_place place;
} cau_item_entry;

/* All that was read so far. Embed it zeroed but for what is borrowed. */
typedef struct {
    const cau_items_options *options; /* borrowed, as are the paths */
    const char *const *paths;
    cau_alphabet *features, *items; /* those that were met */
    cau_alphabet *wanted;           /* NULL: all items are */
    cau_item_place *place;          /* [items] where each was met first */
    cau_item_entry *entry;          /* [entries] */
    size_t seen;                    /* items, those that nobody wanted included */
    size_t entries, place_room, entry_room;
} cau_item_pile;

/* A file as messages name it. */
static inline const char *cau_item_file(const cau_item_pile *pile, uint32_t file)
{
    const char *path = pile->paths[file];
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Adds the items of paths[file]. A failure has its sentence, and leaves the pile to be freed. */
caucus_status cau_items_read_file(caucus_ctx *ctx, cau_item_pile *pile, uint32_t file);

/* Adds the first column of a file to an alphabet. */
caucus_status cau_items_read_list(caucus_ctx *ctx, const char *path, cau_alphabet *names);

/* The format of a file with these first lines; CAU_ITEMS_AUTO when none fits, with *empty where
 * all of them are blank. The rules are in items_detect.c. */
cau_items_format cau_items_detect(const cau_items_options *options, const cau_str *lines,
                                  size_t count, bool *empty);

static inline bool cau_item_blank(cau_str line)
{
    cau_str token;
    return !cau_token(&line, &token);
}

/* What separates the columns of a file whose first line this is: a TAB, else a comma, else blanks
 * (' ', any number of them). */
static inline char cau_item_separator(cau_str line)
{
    if (memchr(line.s, '\t', line.n)) return '\t';
    return memchr(line.s, ',', line.n) ? ',' : ' ';
}

/* Cuts the next column off *rest, without the blanks around it. False after the last. */
static inline bool cau_item_cell(cau_str *rest, char separator, cau_str *cell)
{
    if (separator == ' ') return cau_token(rest, cell);
    if (!rest->s) return false;
    const char *end = memchr(rest->s, separator, rest->n);
    cau_str c = {rest->s, end ? (size_t)(end - rest->s) : rest->n};
    *rest = end ? (cau_str){end + 1, rest->n - c.n - 1} : (cau_str){NULL, 0};
    while (c.n && cau_is_blank(c.s[0])) c.s++, c.n--;
    while (c.n && cau_is_blank(c.s[c.n - 1])) c.n--;
    *cell = c;
    return true;
}

/* Cuts the item off a line of rows: what is before the first TAB, or the first word. */
static inline cau_str cau_item_name(cau_str *rest)
{
    cau_str name = {rest->s, 0};
    (void)cau_item_cell(rest, memchr(rest->s, '\t', rest->n) ? '\t' : ' ', &name);
    return name;
}

/* Takes "name:number" apart at its last colon; false where there is none. */
static inline bool cau_item_pair(cau_str token, cau_str *name, cau_str *number)
{
    const char *colon = memrchr(token.s, ':', token.n);
    if (!colon) return false;
    *name = (cau_str){token.s, (size_t)(colon - token.s)};
    *number = (cau_str){colon + 1, token.n - name->n - 1};
    return true;
}

static inline bool cau_item_is_number(cau_str text)
{
    double ignored;
    return cau_parse_real(text.s, text.n, &ignored);
}

#endif
