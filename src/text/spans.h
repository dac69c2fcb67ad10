/* spans.h - labelled spans of running text, as labels of its words and back.
 *
 *     text    Ada Lovelace saw Paris.
 *     spans   0-12 PERSON, 17-22 PLACE                 in characters
 *     words   Ada       Lovelace  saw  Paris    .      by the rules of words.h
 *     labels  B-PERSON  I-PERSON  O    B-PLACE  O
 *
 * Records of spans, a JSON object on a line, are read as these tools write them:
 *
 *     spaCy, Prodigy  {"text": "...", "spans": [{"start": 0, "end": 12, "label": "PERSON"}]}
 *     spaCy           {"text": "...", "entities": [[0, 12, "PERSON"]]}
 *                     ["...", {"entities": [[0, 12, "PERSON"]]}]
 *     doccano         {"text": "...", "label": [[0, 12, "PERSON"]]}
 *                     {"text": "...", "entities": [{"start_offset": 0, "end_offset": 12,
 *                                                   "label": "PERSON"}]}
 *     Label Studio    {"text": "...", "label": [{"start": 0, "end": 12, "labels": ["PERSON"]}]}
 *                     {"data": {"text": "..."}, "annotations": [{"result": [{"value": {...}}]}]}
 *
 * Offsets count characters (code points) and ends are exclusive; those of Label Studio count units
 * of UTF-16. A record without any of these keys has no labels. */

#ifndef CAU_TEXT_SPANS_H
#define CAU_TEXT_SPANS_H

#include "text/lines.h"
#include "text/words.h"

typedef struct {
    size_t from, to;    /* characters */
    cau_str label;      /* a view */
    double probability; /* NaN: none */
    size_t line;        /* in the file of the record; 0: not known */
} cau_span;

/* What to do with spans that do not fit words, in the order of --misaligned. */
typedef enum { CAU_MISALIGNED_FAIL, CAU_MISALIGNED_EXPAND, CAU_MISALIGNED_DROP } cau_misaligned;

/* A place in a text. */
typedef struct {
    size_t character, byte;
} cau_text_place;

/* A text with its words and spans. Embed it zeroed, clear it at the end. */
typedef struct {
    cau_strbuf text;
    cau_word *word; /* [words] */
    size_t words;
    cau_span *span; /* [spans] ascending */
    size_t spans;
    bool labelled;        /* a record without spans: nothing is known */
    cau_strbuf file;      /* that the record was made of (brat.h), for messages; or empty */
    cau_strbuf labels;    /* of the spans, one after the other */
    size_t *owner;        /* [words] the span of a word, or SIZE_MAX */
    cau_text_place place; /* found last */
    size_t word_room, span_room, owner_room;
} cau_span_text;

void cau_span_text_clear(cau_span_text *x);

/* Whether these first lines of a file are records of spans. */
bool cau_spans_look(const cau_str *lines, size_t count);

/* Reads the record on a line: text and spans, which are checked against the text. `key` is that of
 * the text, NULL for "text". *skipped: a record that Prodigy rejected or ignored. Messages have the
 * place of the lines. */
caucus_status cau_span_text_read(caucus_ctx *ctx, cau_span_text *x, const cau_lines *lines,
                                 cau_str line, const char *key, bool *skipped);

/* A line as a text without labels. */
caucus_status cau_span_text_raw(caucus_ctx *ctx, cau_span_text *x, cau_str line);

/* Finds the words and the span of each. No sentence begins inside of a span. Spans that overlap, or
 * do not begin and end with a word, are CAUCUS_ERR_FORMAT, or dropped (the shorter one of two that
 * overlap) or expanded to whole words. */
caucus_status cau_span_text_align(caucus_ctx *ctx, cau_span_text *x, const cau_lines *lines,
                                  cau_misaligned misaligned);

/* The text between two characters; {NULL, 0} if it ends after the text. */
cau_str cau_span_text_piece(cau_span_text *x, size_t from, size_t to);

/* Adds a text as a JSON string. False when memory is short. */
bool cau_add_json_string(cau_strbuf *out, cau_str text);

/* Writes the IOB2 label of a word. */
void cau_span_text_label(const cau_span_text *x, size_t word, cau_strbuf *label);

/* Records under way to a text, as JSON lines {"text": ..., "spans": [{"start", "end", "label",
 * "probability"}]}. Embed it zeroed, clear it at the end. Everything is copied. */
typedef struct {
    bool open;
    cau_strbuf text, labels;
    cau_span *span;
    size_t spans, room;
} cau_span_writer;

/* Begins a record with its text; adds the spans that the labels of its next words make, by any
 * scheme, as conlleval reads them (a label of no scheme is a span of its word; probability[i], or
 * NULL, is that of a span that begins at word i); ends it and adds it to `out`. All return false
 * when memory is short. */
bool cau_span_writer_begin(cau_span_writer *writer, cau_strbuf *out, cau_str text);
bool cau_span_writer_add(cau_span_writer *writer, const cau_word *word, const cau_str *label,
                         const double *probability, size_t count);
bool cau_span_writer_end(cau_span_writer *writer, cau_strbuf *out);
void cau_span_writer_clear(cau_span_writer *writer);

#endif
