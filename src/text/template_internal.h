/* template_internal.h - a template as macro.c and template.c leave it and extract.c reads it.
 *
 * A pattern is a head of literal text, then references, then a tail of literal text:
 *
 *     U05:%x[-1,0]/%x[0,0]        head "U05:"   references (slot a, -1) (slot b, 0)   tail ""
 *
 * A term is a function of one cell with its arguments (the cell itself, its prefix of three
 * characters, ...), evaluated once at each position. A slot is a term with the literal text that
 * stands before it: slot a is the cell of column 0, and slot b is "/" and that cell. All patterns
 * that share a slot share its value at a position, whatever their offset. */

#ifndef CAU_TEXT_TEMPLATE_INTERNAL_H
#define CAU_TEXT_TEMPLATE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "text/gazetteer.h"
#include "text/regex.h"
#include "text/template.h"
#include "text/token.h"

#define CAU_NONE SIZE_MAX /* an index that is none */

enum { CAU_ROW_MAX = 1000, CAU_COLUMN_MAX = 65535 };

typedef enum {
    CAU_TERM_CELL,
    CAU_TERM_PREFIX,
    CAU_TERM_SUFFIX,
    CAU_TERM_CHARS, /* several values at a position */
    CAU_TERM_SHAPE,
    CAU_TERM_MATCH, /* what an expression matched */
    CAU_TERM_TEST,  /* whether it did: "true", "false" */
    CAU_TERM_LEX,   /* the letter of lexicon.h; known when the sequence is complete */
} cau_term_kind;

typedef struct {
    cau_term_kind kind;
    bool lower; /* the result is made lower case */
    size_t column;
    size_t least, most;         /* characters, of prefixes, suffixes and n-grams */
    const cau_regex *regex;     /* of MATCH and TEST */
    bool applies_to_padding;    /* outside of a sequence: to the padding, as Wapiti does */
    const cau_lexicon *lexicon; /* of LEX */
    size_t slots;               /* the first of its slots */
} cau_term;

typedef struct {
    size_t term;
    cau_str lead;
    cau_padding padding;
    size_t next; /* slot of the same term, or CAU_NONE */
} cau_name_slot;

/* From where a row is counted. */
typedef enum {
    CAU_FROM_HERE,
    CAU_FROM_START, /* @1 is the first position: offset 0 */
    CAU_FROM_END,   /* @-1 is the last position */
    CAU_ORIGINS,
} cau_origin;

typedef struct {
    cau_origin origin;
    int offset;
} cau_row;

typedef struct {
    size_t slot;
    cau_row row;
} cau_ref;

typedef struct {
    bool node, edge; /* a pattern on edges that has no reference is no pattern but `plain` */
    cau_str head, tail;
    size_t first, count;  /* references */
    size_t many;          /* which of them has several values, 0 to count - 1, or CAU_NONE */
    size_t number_column; /* the value of the feature is in this column, or CAU_NONE: it is 1 */
    cau_row number_row;
    cau_str text; /* the whole line */
} cau_pattern;

/* A regular expression or a gazetteer, kept once however often it is used. */
typedef struct {
    cau_str source;
    cau_regex_language language;
    cau_regex *regex;
} cau_expression;

typedef struct {
    cau_str name;
    cau_str names;        /* "\tname\n" for each, as they stand in the text of the template */
    cau_lexicon *form[2]; /* exact, and without case; NULL while nobody asked */
} cau_list;

struct cau_template {
    cau_arena arena; /* all strings */
    cau_strbuf text;
    size_t columns;
    bool plain, edges, repeats;
    size_t before, after; /* how many positions outside of a sequence can be looked at */

    cau_pattern *patterns;
    cau_ref *refs;
    cau_name_slot *slots;
    cau_term *terms;
    cau_expression *expressions;
    cau_list *lists;
    size_t pattern_count, ref_count, slot_count, term_count, expression_count, list_count;
    size_t pattern_room, ref_room, slot_room, term_room, expression_room, list_room;
};

/* A line while it is read, and where messages about it point. */
typedef struct {
    caucus_ctx *ctx;
    cau_template *t;
    const char *name;      /* of the template */
    const char *directory; /* of gazetteers, or NULL */
    size_t number;
    cau_str line;
    const char *at; /* how far it has been read */
    const char *end;
    cau_padding dialect;
} cau_template_line;

/* Fails with "name:line: what; what to do", the line, and a caret below the place. */
__attribute__((format(printf, 3, 4))) caucus_status
cau_template_fail(const cau_template_line *in, const char *place, const char *format, ...);

/* Reads the pattern that is the line and adds it to the template. */
caucus_status cau_template_pattern(cau_template_line *in);

/* Reads a text in quotes, without them: a backslash keeps the next quote from being the last. */
caucus_status cau_template_quoted(cau_template_line *in, cau_str *out);

/* The list of a name: one that is in the template, or from its file. */
caucus_status cau_template_list(cau_template_line *in, cau_str name, const char *place,
                                cau_list **out);

#endif
