/* formats.h - internals of the reader: what all formats share, and the function of each.
 *
 * reader.c has the loop over the lines. A format is one function that parses a line into label,
 * weight and features. Columns have a loop of their own, because a template needs whole sequences.
 * For the files of the reader, and for src/dataset, which carries the shape from file to file. */

#ifndef CAU_TEXT_FORMATS_H
#define CAU_TEXT_FORMATS_H

#include "text/convert_data.h"
#include "text/reader.h"

/* What all lines of the data must have in common; set by the first line. */
typedef struct {
    size_t columns;  /* columns: their number, with the label if there is one; 0: not known yet */
    size_t sections; /* megam: number of explicit sections, 1 for none; 0: not known yet */
} cau_shape;

enum { CAU_NUMBER_MOST = 32 }; /* bytes of a number as text */

/* A line of a sequence of columns. */
typedef struct {
    cau_read_event event; /* what it is returned as */
    bool ends;            /* CAU_READ_ASIDE that ends the sequence */
    size_t number;        /* in the file */
    size_t begin, length; /* in the text */
} cau_column_row;

/* A part of that text. */
typedef struct {
    size_t begin, length;
} cau_cell;

/* The sequence of columns that a reader has read, and how much of it was returned. */
typedef struct {
    cau_strbuf text;     /* the lines, one after the other */
    cau_column_row *row; /* [rows] */
    cau_cell *cell;      /* [cells]: those of the instances, one row after the other */
    cau_str *view;       /* [length * columns without the label]: the cells for the extractor */
    size_t length;       /* instances */
    size_t rows, cells;
    size_t next, t; /* the row and the instance to return next */
    size_t first;   /* the instance of the first row of the reader's block */
    bool ended;     /* the file has no more lines */
    size_t row_room, cell_room, view_room;
} cau_sequence;

struct cau_reader {
    cau_lines *lines;     /* of the current chunk, or of the bytes of the caller */
    cau_chunker *chunker; /* of a file, or NULL */
    cau_text_chunk chunk; /* of it */
    bool in_file;         /* the next chunk of the file follows these lines */
    cau_read_options options;
    cau_shape shape;

    cau_instance now;        /* the current instance */
    cau_feature_block block; /* its features */

    cau_part part;                  /* megam: the part of the current line */
    double weight;                  /* crfsuite: of the items up to the next blank line */
    bool noted;                     /* the user was notified of an ignored directive */
    cau_strbuf scratch;             /* a changed copy of the line: unescaped, or in lower case */
    size_t *word, word_room;        /* text: offsets of the words in scratch */
    size_t chars_least, chars_most; /* text: lengths of character n-grams; 0: none */
    cau_strbuf marked;              /* text: a word with its boundary marks, then one n-gram */
    uint64_t *hash;                 /* text: of the features of a line */
    size_t hash_room;

    cau_span_text running;      /* spans, raw: the current text */
    size_t next_word, sentence; /* in it: the word to be added next, and where its sentence began */
    bool inside;                /* wapiti: not the first token of a sequence */
    cau_strbuf joined;          /* text or a name that is put together */
    char number[CAU_NUMBER_MOST]; /* the label, of a JSON number */

    cau_layout text_layout; /* csv: the columns of text; `layout` has those of features */
    cau_strbuf unquoted;    /* csv: fields without their doubled quotes */
    cau_str *field;         /* csv: of the record */
    cau_strbuf names;       /* csv: of the columns, */
    cau_cell *name;         /* [name_count] one after the other; 0: before the first record */
    size_t name_count, name_room, field_room;

    struct {
        cau_str rest;        /* of the line */
        struct json_t *root; /* the current object, or NULL */
        bool begun, array;   /* the file has begun; it is an array */
    } json;

    cau_sequence sequence;    /* columns */
    cau_layout layout;        /* columns */
    cau_conllu_label label;   /* CoNLL-U: where it is */
    cau_template *standard;   /* columns: made at the first line if the options lack one */
    cau_extractor *extractor; /* columns: NULL before the first line */
};

/* ---- the table of formats ---------------------------------------------------------------- */

/* The kind of a line. */
typedef enum {
    CAU_LINE_END,      /* of the file */
    CAU_LINE_INSTANCE, /* the default */
    CAU_LINE_BREAK,    /* the end of a sequence */
    CAU_LINE_NOTHING,  /* a comment, a directive, or blank */
} cau_line_kind;

/* Parses a line: sets now.label and now.weight, adds the features. */
typedef caucus_status cau_format_line_fn(caucus_ctx *ctx, cau_reader *r, cau_str line,
                                         cau_line_kind *kind);

/* Reads the lengths of character n-grams. CAUCUS_ERR_ARGUMENT. */
caucus_status cau_text_chars_parse(caucus_ctx *ctx, const char *text, size_t *least, size_t *most);

cau_format_line_fn cau_text_line, cau_svmlight_line, cau_crfsuite_line, cau_megam_line,
    cau_fasttext_line, cau_vw_line, cau_mallet_line, cau_simpletagger_line, cau_wapiti_line;

/* The same for a record, which it reads itself; sets now.line and now.number as well. */
typedef caucus_status cau_format_record_fn(caucus_ctx *ctx, cau_reader *r, cau_line_kind *kind);
cau_format_record_fn cau_csv_record, cau_json_text_record;

/* Reads the next sequence of cells, by the functions below; sets sequence.ended at the end of the
 * lines. */
typedef caucus_status cau_format_sequence_fn(caucus_ctx *ctx, cau_reader *r);
cau_format_sequence_fn cau_columns_sequence, cau_json_tokens_sequence, cau_running_sequence;

/* What instances are made of, in the data. */
typedef enum {
    CAU_CONTENT_FEATURES,
    CAU_CONTENT_TEXT,  /* words */
    CAU_CONTENT_CELLS, /* of which a template makes features */
} cau_content;

/* A format. Reading, detecting and writing it, the list of --format and `caucus help formats` come
 * from here. */
typedef struct {
    caucus_format_info info;
    cau_content content;
    bool sequences;                   /* instances belong to sequences */
    bool running;                     /* words have places in a text */
    cau_cut cut;                      /* where a file may be cut */
    cau_format_line_fn *line;         /* an instance, or NULL: */
    cau_format_record_fn *record;     /* one that may span lines, or NULL: */
    cau_format_sequence_fn *sequence; /* cells */
    cau_format_write_fn *write;       /* examples; NULL: it cannot be written (convert_data.h) */
} cau_format_entry;

extern const cau_format_entry cau_format_table[CAU_FORMATS];

/* ---- formats of cells -------------------------------------------------------------------- */

/* cau_reader_next for formats of cells; dropping the current sequence; freeing its memory. */
caucus_status cau_columns_next(caucus_ctx *ctx, cau_reader *r, cau_read_event *event,
                               cau_instance *instance);
void cau_columns_reset(cau_reader *r);
void cau_columns_clear(cau_reader *r);

/* For formats whose sequences are records: after cau_columns_reset, add the tokens of a sequence,
 * then a break. cau_sequence_close passes the sequence to the template. All tokens have the same
 * number of cells. Cells and label ({NULL, 0}: none) are copied; TABs and line ends in them become
 * blanks. The line of a token is its cells and its label, separated by TABs. */
caucus_status cau_sequence_token(caucus_ctx *ctx, cau_reader *r, const cau_str *cells, size_t count,
                                 cau_str label);
caucus_status cau_sequence_break(caucus_ctx *ctx, cau_reader *r);
caucus_status cau_sequence_aside(caucus_ctx *ctx, cau_reader *r); /* instead of tokens */
caucus_status cau_sequence_close(caucus_ctx *ctx, cau_reader *r);

/* Whether a line is a comment, or -DOCSTART-, by the options. */
bool cau_is_comment(const cau_read_options *options, cau_str line);
bool cau_is_docstart(const cau_read_options *options, cau_str line);

/* The format of a file, detected from its first lines. CAU_FORMAT_AUTO unless exactly one format
 * fits; `candidate` tells which do, *empty whether all lines are blank. The rules are in detect.c.
 */
cau_format cau_detect(const cau_read_options *options, const cau_str *lines, size_t count,
                      bool *empty, bool candidate[CAU_FORMATS]);

/* ---- for the formats ------------------------------------------------------------------- */

/* Adds a feature to the instance, unless its value is 0. The name must stay valid until the next
 * line is read. */
caucus_status cau_reader_add(caucus_ctx *ctx, cau_reader *r, cau_str name, double value);

/* Adds the words of a text by the options. Blanks, TABs and line ends separate words. The text must
 * stay valid until the next line is read. */
caucus_status cau_reader_words(caucus_ctx *ctx, cau_reader *r, cau_str text);

/* Adds a feature whose name changes before the next line. */
caucus_status cau_reader_add_copy(caucus_ctx *ctx, cau_reader *r, cau_str name, double value);

/* Replaces a label that is a number by its name, if there are names, and checks that a line can
 * hold it. */
caucus_status cau_reader_label(caucus_ctx *ctx, cau_reader *r);

/* Notes once that an instance has several labels, of which the first counts. */
void cau_note_labels(caucus_ctx *ctx, cau_reader *r, size_t count);

/* The delimiter of CSV and TSV. */
char cau_csv_delimiter(const cau_read_options *options);

void cau_json_clear(cau_reader *r); /* frees the current object */

/* Starts the next group of features. */
caucus_status cau_reader_group(caucus_ctx *ctx, cau_reader *r);

/* Parses the value of a feature: a number that is finite as a float. */
caucus_status cau_reader_value(caucus_ctx *ctx, const cau_reader *r, cau_str name, cau_str text,
                               double *value);

/* Parses the weight of an instance, which is not negative. `what` is its name in the format. */
caucus_status cau_reader_weight(caucus_ctx *ctx, const cau_reader *r, const char *what,
                                cau_str text, double *weight);

static inline bool cau_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the next token, separated by blanks and tabs, off the front of *rest. False at the end. */
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
