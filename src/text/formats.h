/* formats.h - inside the reader: what the five formats share, and what each of them adds.
 *
 * reader.c owns the loop over the lines. A format is one function that takes a line apart and
 * hands label, weight and features to the reader; only columns, which come in whole sequences,
 * have a loop of their own. To be included by the files of the reader and by dataset.c, which
 * carries the shape from file to file. */

#ifndef CAU_TEXT_FORMATS_H
#define CAU_TEXT_FORMATS_H

#include "text/pending_features.h"
#include "text/reader.h"
#include "text/sparse_row.h"

/* What all lines of the data must have in common, once the first has set it. */
typedef struct {
    size_t columns;  /* columns: how many, the label included if there is one; 0: not known yet */
    size_t sections; /* megam: how many explicit ones, 1 for none; 0 is not known yet */
} cau_shape;

/* A line of a sequence of columns. */
typedef struct {
    cau_read_event event; /* what it is handed out as */
    bool ends;            /* CAU_READ_ASIDE that ends the sequence */
    size_t number;        /* in the file */
    size_t begin, length; /* its place in the text */
} cau_row;

/* A piece of that text. */
typedef struct {
    size_t begin, length;
} cau_cell;

/* The sequence of columns that a reader has taken in, and how much of it was handed out. */
typedef struct {
    cau_strbuf text; /* the lines, one behind the other */
    cau_row *row;    /* [rows] */
    cau_cell *cell;  /* [cells]: those of the instances, one row after the other */
    cau_str *view;   /* [length * columns beside the label]: what the extractor looks at */
    size_t length;   /* instances */
    size_t rows, cells;
    size_t next, t; /* the row and the instance that come next */
    bool ended;     /* the file has no more lines */
    size_t row_room, cell_room, view_room;
} cau_sequence;

struct cau_reader {
    cau_lines *lines;     /* of bytes in memory: of the chunk, or what the caller gave */
    cau_chunker *chunker; /* of a file, or NULL */
    cau_text_chunk chunk; /* of it */
    bool in_file;         /* after the bytes at hand comes the next chunk of the file */
    cau_read_options options;
    cau_vocabulary vocabulary;
    bool presence; /* a feature named twice is as good as once */
    cau_shape shape;

    cau_instance now;           /* the instance of the current line, but for its features */
    cau_sparse_row bag;         /* those */
    cau_pending_features batch; /* those that are not in the bag yet */

    cau_part part;           /* megam: the part the line is in */
    double weight;           /* crfsuite: of the items up to the next blank line */
    bool noted;              /* that something of this file is ignored */
    cau_strbuf scratch;      /* the line, or its text, where that differs from how it is written */
    size_t *word, word_room; /* text: where the words are in scratch */

    cau_sequence sequence;    /* columns */
    cau_template *standard;   /* columns: made at the first line where the options have none */
    cau_extractor *extractor; /* columns: NULL before the first line */
    cau_sparse_row edges;     /* columns: those of the current instance */
};

/* What a line turned out to be. */
typedef enum {
    CAU_LINE_INSTANCE, /* assumed unless the format says otherwise */
    CAU_LINE_BREAK,    /* the end of a sequence */
    CAU_LINE_NOTHING,  /* a comment, a directive, nothing */
} cau_line_kind;

/* Takes a line apart: sets now.label (and now.weight), adds the features. */
typedef caucus_status cau_line_fn(caucus_ctx *ctx, cau_reader *r, cau_str line,
                                  cau_line_kind *kind);

cau_line_fn cau_strbuf_line, cau_svmlight_line, cau_crfsuite_line, cau_megam_line;

/* The whole of cau_reader_next for columns; forgetting the sequence that is under way; and
 * freeing all that belongs to columns. */
caucus_status cau_columns_next(caucus_ctx *ctx, cau_reader *r, cau_read_event *event,
                               cau_instance *instance);
void cau_columns_reset(cau_reader *r);
void cau_columns_clear(cau_reader *r);

/* Whether a line is a comment, or -DOCSTART-, by the options. */
bool cau_is_comment(const cau_read_options *options, cau_str line);
bool cau_is_docstart(const cau_read_options *options, cau_str line);

/* The format that the first lines of a file are in. CAU_FORMAT_AUTO when none fits; *empty tells
 * whether that is because all of them are blank. The rules are in detect.c. */
cau_format cau_detect(const cau_read_options *options, const cau_str *lines, size_t count,
                      bool *empty);

/* ---- for the formats ------------------------------------------------------------------- */

/* Adds a feature to the instance. One with the value 0 is left out, and so is one that the
 * vocabulary does not have. The name must stay where it is until the line has been taken apart. */
caucus_status cau_reader_add(caucus_ctx *ctx, cau_reader *r, cau_str name, double value);

/* Opens the next group of features. */
caucus_status cau_reader_group(caucus_ctx *ctx, cau_reader *r);

/* The value of a feature, from its text: a number that is finite as a float as well. */
caucus_status cau_reader_value(caucus_ctx *ctx, const cau_reader *r, cau_str name, cau_str text,
                               double *value);

/* The weight of an instance, from its text: a value that is not negative. `what` is how the
 * format calls it. */
caucus_status cau_reader_weight(caucus_ctx *ctx, const cau_reader *r, const char *what,
                                cau_str text, double *weight);

/* A piece of the input for a message: "%.*s" with CAU_SHOW(text). Long ones are cut. */
#define CAU_SHOW(text) cau_show(text), (text).s
int cau_show(cau_str text);

static inline bool cau_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the next token, which blanks and tabs separate, off the front of *rest. False when there
 * is none. */
static inline bool cau_token(cau_str *rest, cau_str *token)
{
    const char *p = rest->s, *end = rest->s + rest->n;
    while (p < end && cau_is_blank(*p)) p++;
    const char *from = p;
    while (p < end && !cau_is_blank(*p)) p++;
    *token = (cau_str){from, (size_t)(p - from)};
    *rest = (cau_str){p, (size_t)(end - p)};
    return token->n > 0;
}

static inline bool cau_is_text(cau_str a, const char *b)
{
    size_t i = 0;
    while (i < a.n && b[i] && a.s[i] == b[i]) i++;
    return i == a.n && !b[i];
}

#endif
