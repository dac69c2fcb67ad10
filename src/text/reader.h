/* reader.h - files of labelled instances in several formats, one instance at a time.
 *
 * A reader gives the features of an instance by name, for training, or by key, for tagging
 * (feature_block.h). It reads a line in the same way for both.
 *
 *   text      label TAB words. Features are words (and their n-grams, joined by a space),
 *             present, counted or weighed, and the character n-grams of "<word>" after a space. A
 *             line without a TAB has no label; an empty line is an instance without words.
 *   svmlight  label index:value ... # comment. Features are the indices as written.
 *   crfsuite  label TAB attribute[:value] ..., blank line between sequences, \: and \\
 *             escapes, @weight:x for the instances of a sequence that follow.
 *   megam     label [$$$WEIGHT w] feature ..., or feature value ... with `values`, or
 *             label # features of class 0 # features of class 1 ...; DEV and TEST alone on
 *             a line start those parts.
 *   columns   columns split by blanks or tabs, the label last, blank line between sequences.
 *             A template makes features of them (text/template.h). Options choose other
 *             columns (text/layout.h).
 *   conllu    columns that are separated by TABs and have names; the label is a field or an
 *             attribute of one (text/conllu.h). Comments, tokens of several words and empty
 *             nodes are not data.
 *   spans     a JSON object on each line: a text with labelled spans (text/spans.h).
 *   raw       running text without labels, one text on each line.
 *   brat      a folder of texts and annotations, or one of them (text/brat.h).
 *
 * With columns and CoNLL-U, a reader reads a whole sequence before it returns its first instance,
 * since a template looks at neighbours. */

#ifndef CAU_TEXT_READER_H
#define CAU_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/chunker.h"
#include "text/conllu.h"
#include "text/cut.h"
#include "text/feature_block.h"
#include "text/layout.h"
#include "text/lines.h"
#include "text/spans.h"
#include "text/template.h"

/* The formats and their names. Model files have their numbers: add new ones at the end. formats.c
 * has what they are. */
#define CAU_FORMAT_LIST(X)                                                                         \
    X(TEXT, "text")                                                                                \
    X(SVMLIGHT, "svmlight")                                                                        \
    X(CRFSUITE, "crfsuite")                                                                        \
    X(MEGAM, "megam")                                                                              \
    X(COLUMNS, "columns")                                                                          \
    X(CONLLU, "conllu")                                                                            \
    X(SPANS, "spans")                                                                              \
    X(RAW, "raw")                                                                                  \
    X(BRAT, "brat")                                                                                \
    X(CSV, "csv")                                                                                  \
    X(TSV, "tsv")                                                                                  \
    X(JSON_TEXT, "json-text")                                                                      \
    X(JSON_TOKENS, "json-tokens")                                                                  \
    X(FASTTEXT, "fasttext")                                                                        \
    X(VW, "vw")                                                                                    \
    X(MALLET, "mallet")                                                                            \
    X(SIMPLETAGGER, "simpletagger")                                                                \
    X(WAPITI, "wapiti")

typedef enum {
    CAU_FORMAT_AUTO,
#define X(id, name) CAU_FORMAT_##id,
    CAU_FORMAT_LIST(X)
#undef X
        CAU_FORMATS /* their number */
} cau_format;

const char *cau_format_name(cau_format format); /* "text", ... */
bool cau_has_sequences(cau_format format);      /* instances can belong to sequences */
bool cau_has_text(cau_format format);           /* features are words */
bool cau_has_cells(cau_format format);          /* a template makes features of cells */
bool cau_is_running(cau_format format);         /* words have places in a text (spans.h) */

/* How lines become features. A model file keeps this, so that tagging does the same. */
typedef struct {
    cau_format format;
    uint64_t ngrams;   /* text: word n-grams up to this length, 1 to 8 */
    bool lower;        /* text: lower-case first */
    bool counts;       /* text: the number of occurrences, not just presence */
    bool tokenize;     /* text: words by the rules of words.h; otherwise blanks separate them */
    const char *chars; /* text: also the character n-grams of words, "2-5" or "3"; NULL: none */
    bool tfidf;    /* text: the count of a feature is divided by the length of the vector of counts;
                      data and model multiply it by its rarity (dataset/tfidf.h) */
    bool values;   /* megam: every feature is followed by its value */
    bool comments; /* columns: lines that begin with # are comments */
    bool docstart; /* columns: a line that begins with -DOCSTART- ends a sequence and is not
                      data */
    uint64_t columns;    /* columns: their number without the label; 0: not known yet, the label is
                            the last column of the first line. Once known, lines may lack the label */
    bool label_optional; /* columns of unknown number: without a label where the template looks at
                            all of them. For tagging by models of Wapiti, which lack the number */
    bool cells;          /* detect only formats of cells, since there is a template */
    cau_layout_options layout;    /* columns: which of them are the cells and the label */
    cau_misaligned misaligned;    /* spans: what to do with those that do not fit words */
    const cau_template *template; /* columns: borrowed; NULL: the default one, made at the first
                                     line */
} cau_read_options;

/* Where a file may be cut into chunks. */
cau_cut cau_read_cut(const cau_read_options *options);

typedef enum { CAU_PART_TRAIN, CAU_PART_DEV, CAU_PART_TEST } cau_part;

typedef enum {
    CAU_READ_INSTANCE, /* an instance was read */
    CAU_READ_BREAK,    /* a blank line: the end of a sequence (crfsuite, columns) */
    CAU_READ_ASIDE, /* a line that is not data (columns: a comment, -DOCSTART-): only line, number
                       and `ends` of the instance are set */
    CAU_READ_END,   /* the end of the file */
} cau_read_event;

/* One instance, valid until the next is read. Its features are successive rows of a block, one for
 * each group. A row has the features in the order of the line or of the template. Repeated features
 * are listed each time (cau_repeats); features of value 0 are left out. */
typedef struct {
    cau_str line;  /* as it stands in the file */
    cau_str label; /* as written, also "?" and "a|b"; {NULL,0} if the line has none */
    size_t number; /* of the line, from 1; with columns the reader may be at a later line */
    double weight; /* 1 unless the line gives another; >= 0 */
    cau_part part;
    const cau_feature_block *block;
    size_t row;           /* the first of its rows; edges come from the previous instance */
    size_t groups;        /* 1; for explicit features the number of classes */
    cau_str text;         /* formats of text: what the words are taken from */
    const cau_str *cells; /* [reader's columns] formats of cells, else NULL */
    const cau_word *word; /* running text: the place of the word, else NULL. `text` is the whole
                             text at its first word, and of an aside that is a text without words */
    const cau_conllu_label *field; /* CoNLL-U: where the label is in the line, else NULL */
    bool ends; /* CAU_READ_ASIDE: the sequence before this line, if any, ends with it as with a
                  blank line (-DOCSTART-); no CAU_READ_BREAK follows for that */
} cau_instance;

typedef struct cau_reader cau_reader;

/* The chunks of the file or folder at a path, in a format. */
caucus_status cau_format_open(caucus_ctx *ctx, const char *path, cau_format format, bool prompt,
                              cau_chunker **out);

/* Opens a file; "-" is standard input. Features are keys under the base `base` (base/key.h), or
 * names for CAU_BY_NAME. With CAU_FORMAT_AUTO the format is detected from the first lines and
 * reported in a note; it stays AUTO for a file that has only blank lines. CAUCUS_ERR_FORMAT when no
 * format fits. An explicit format is not checked. */
caucus_status cau_reader_open(caucus_ctx *ctx, const char *path, const cau_read_options *options,
                              int base, cau_reader **out);

/* The same for bytes in memory, which are not unpacked. Borrows the bytes and the name. */
caucus_status cau_reader_memory(caucus_ctx *ctx, const char *name, cau_str bytes,
                                const cau_read_options *options, int base, cau_reader **out);

/* The chunker of a file, for a caller that takes the chunks itself and gives them to this reader
 * and others like it; NULL for a reader from memory. */
cau_chunker *cau_reader_chunker(const cau_reader *reader);

/* A file in chunks of whole lines or sequences. cau_reader_continue points a reader at a chunk,
 * which begins with line `first` of the file; CAU_READ_END is returned at its end. The reader keeps
 * its memory, the detected format, the shape of lines, and which notes it has made. To read chunks
 * in parallel, cau_reader_like makes another reader with the same state and no lines yet; call it
 * after the first instance, which sets the shape. A directive for several lines (weights, parts)
 * does not reach the chunks of other readers. */
void cau_reader_continue(cau_reader *reader, cau_str bytes, size_t first);
caucus_status cau_reader_like(caucus_ctx *ctx, const cau_reader *reader, cau_reader **out);
void cau_reader_free(cau_reader *reader);

/* The next event; *instance is set for CAU_READ_INSTANCE and CAU_READ_ASIDE. A sequence ends
 * with CAU_READ_BREAK, CAU_READ_END, or an aside that `ends`. */
caucus_status cau_reader_next(caucus_ctx *ctx, cau_reader *reader, cau_read_event *event,
                              cau_instance *instance);

/* A sequence in memory instead of lines, for a reader of columns over no bytes: add its tokens one
 * by one, then end it. cau_reader_next then returns its instances and CAU_READ_END, and the next
 * sequence can follow. Cells and label are copied; the label may be empty. The first row sets the
 * number of cells unless the options do. CAUCUS_ERR_ARGUMENT for another number of cells and for
 * cells that are not UTF-8. After a failure, and after cau_reader_continue, the sequence begins
 * anew. */
caucus_status cau_reader_row(caucus_ctx *ctx, cau_reader *reader, const char *const *cells,
                             size_t count, cau_str label);
caucus_status cau_reader_end_rows(caucus_ctx *ctx, cau_reader *reader);

/* A line of text without a label, for a reader of text over no bytes: cau_reader_next gives its
 * instance. Line ends count as blanks. `line` is scratch memory of the caller, which must not
 * change before that. CAUCUS_ERR_ARGUMENT for text that is not UTF-8. */
caucus_status cau_reader_text(caucus_ctx *ctx, cau_reader *reader, const char *text,
                              cau_strbuf *line);

cau_format cau_reader_format(const cau_reader *reader);
const cau_read_options *cau_reader_options(const cau_reader *reader); /* as detected */

/* The number of a cell among the columns of the file. */
size_t cau_reader_cell_number(const cau_reader *reader, size_t cell);

/* Columns: the template in use and the number of columns without the label; NULL and 0 before the
 * first instance if the options had none. */
const cau_template *cau_reader_template(const cau_reader *reader);
uint64_t cau_reader_columns(const cau_reader *reader);

const cau_lines *cau_reader_lines(const cau_reader *reader); /* for messages */

#endif
