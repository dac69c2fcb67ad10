/* items_read.h - builds items from files or from memory.
 *
 *   items_detect.c   first lines -> format
 *   items_read.c     lines, or items in memory -> entries of a builder, in any order
 *   items.c          builder -> items: sorted, chosen, weighted, scaled */

#ifndef CAU_CLUSTER_ITEMS_READ_H
#define CAU_CLUSTER_ITEMS_READ_H

#include <string.h>

#include "cluster/items.h"
#include "text/formats.h"
#include "text/lines.h"

/* A line of one of the files, or the number of an item in memory. */
typedef struct {
    uint32_t file;
    size_t line;
} cau_item_place;

/* One value; never 0. */
typedef struct {
    uint32_t item, feature;
    float value;
    cau_item_place place;
} cau_item_entry;

/* Items being added. Embed it zeroed, clear it at the end. */
typedef struct {
    const cau_items_options *options; /* borrowed, as are the paths */
    const char *const *paths;         /* of files; NULL: the items are in memory */
    size_t files;
    cau_lines *memory; /* counts the items in memory, for messages */
    cau_alphabet *features, *items;
    cau_alphabet *wanted;  /* NULL: all items */
    cau_item_place *place; /* [items] place of the first occurrence */
    cau_item_entry *entry; /* [entries] */
    size_t seen;           /* items, including unwanted ones */
    size_t entries, place_room, entry_room;
} cau_item_builder;

/* Checks the options, and reads the list of wanted items. */
caucus_status cau_items_begin(caucus_ctx *ctx, const cau_items_options *options,
                              cau_item_builder *builder);
void cau_item_builder_clear(cau_item_builder *builder);

/* Adds the items of files; CAUCUS_ERR_FORMAT with file and line (items.h). */
caucus_status cau_items_read(caucus_ctx *ctx, cau_item_builder *builder, const char *const *paths,
                             size_t count);

/* Adds an item from memory: see caucus_clustering_add. CAUCUS_ERR_FORMAT. */
caucus_status cau_items_add(caucus_ctx *ctx, cau_item_builder *builder, const char *item,
                            const caucus_feature *features, size_t count);

/* Sorts, chooses, weights and scales what was added, and empties the builder. */
caucus_status cau_items_finish(caucus_ctx *ctx, cau_item_builder *builder, cau_items *out);

/* Adds the first column of a file to an alphabet. */
caucus_status cau_items_read_list(caucus_ctx *ctx, const char *path, cau_alphabet *names);

/* The place of an item, for messages. */
static inline const char *cau_item_file(const cau_item_builder *builder, uint32_t file)
{
    if (!builder->paths) return "item";
    const char *path = builder->paths[file];
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* The format of a file with these first lines; CAU_ITEMS_AUTO when no format fits; *empty if all
 * lines are blank. The rules are in items_detect.c. */
cau_items_format cau_items_detect(const cau_items_options *options, const cau_str *lines,
                                  size_t count, bool *empty);

static inline bool cau_item_blank(cau_str line)
{
    cau_str token;
    return !cau_token(&line, &token);
}

/* The separator of the columns of a file with this first line: a TAB, else a comma, else blanks ('
 * ', any number of them). */
static inline char cau_item_separator(cau_str line)
{
    if (memchr(line.s, '\t', line.n)) return '\t';
    return memchr(line.s, ',', line.n) ? ',' : ' ';
}

/* Cuts the next column off *rest, without surrounding blanks. False after the last. */
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

/* Cuts the item off a line of rows: the text before the first TAB, or the first word. */
static inline cau_str cau_item_name(cau_str *rest)
{
    cau_str name = {rest->s, 0};
    (void)cau_item_cell(rest, memchr(rest->s, '\t', rest->n) ? '\t' : ' ', &name);
    return name;
}

/* Splits "name:number" at its last colon; false without one. */
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
