/* layout.h - which columns of a line are cells of the template, and which is the label.
 *
 *     --columns 0,2 --label 3      by number, from 0
 *     --columns form,upos          by name: of the header, or of a field of CoNLL-U
 *
 * The template sees the chosen columns in this order, as columns 0, 1, ... */

#ifndef CAU_TEXT_LAYOUT_H
#define CAU_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* What the user says about columns. Texts are borrowed; NULL: not said. */
typedef struct {
    const char *columns;   /* the cells: numbers or names, separated by commas */
    const char *label;     /* the column of the label; by default the last, upos in CoNLL-U */
    const char *delimiter; /* one character, or \t; by default blanks and tabs */
    bool header;           /* the first line of a file names its columns */
    bool no_label;         /* there is no label */
    const char *text;      /* csv: the columns of words; json-text: the key of the text */
    const char *names;     /* of the labels that are numbers, separated by commas */
    bool no_header;        /* csv: the first line is data */
    bool no_quotes;        /* csv: quotes are characters */
} cau_layout_options;

enum { CAU_LAYOUT_CELLS = 256 };

/* The columns of a line. Embed it zeroed. */
typedef struct {
    char delimiter; /* or 0 */
    bool chosen;    /* `cell` and `label` are valid; otherwise the label is the last column */
    bool labelled;
    size_t cell[CAU_LAYOUT_CELLS];
    size_t cells, label;
    size_t fields; /* columns of every line; 0: not known yet */
} cau_layout;

/* Whether the options choose columns. */
bool cau_layout_chooses(const cau_layout_options *options);

/* Takes over what `given` says. Data in other columns has no header unless that is said, too. */
void cau_layout_override(cau_layout_options *options, const cau_layout_options *given);

/* Reads the delimiter. CAUCUS_ERR_ARGUMENT if it is not one character. */
caucus_status cau_layout_begin(caucus_ctx *ctx, const cau_layout_options *options,
                               cau_layout *layout);

/* Chooses columns by a line of `fields` columns with these names (NULL: they have none). If
 * `optional`, a line without the label column has no label. CAUCUS_ERR_FORMAT, with `file` in the
 * message, for a column that is not there. */
caucus_status cau_layout_choose(caucus_ctx *ctx, const cau_layout_options *options,
                                const char *file, const cau_str *names, size_t fields,
                                bool optional, cau_layout *layout);

/* The number of the name or number `text` among columns; false if there is none. */
bool cau_layout_find(cau_str text, const cau_str *names, size_t fields, size_t *column);

#endif
