/* template_internal.h - a compiled template: made by template.c and template_parse.c, read by
 * extract.c.
 *
 * A pattern is a head of literal text, then references, then a tail of literal text:
 *
 *     U05:%x[-1,0]/%x[0,0]        head "U05:"   references (slot a, -1) (slot b, 0)   tail ""
 *
 * A term is a function of one cell with its arguments (the cell itself, its prefix of three
 * characters, ...), evaluated once per position. A slot is a term together with the literal text
 * before it: slot a is the cell of column 0, and slot b is "/" and that cell. Patterns that share a
 * slot share its value at a position, whatever their offset. */

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

#define CAU_NONE SIZE_MAX /* no index */

enum { CAU_ROW_MAX = 1000, CAU_COLUMN_MAX = 65535 };

typedef enum {
    CAU_TERM_CELL,
    CAU_TERM_PREFIX,
    CAU_TERM_SUFFIX,
    CAU_TERM_CHARS, /* several values at a position */
    CAU_TERM_SHAPE,
    CAU_TERM_MATCH, /* what an expression matched */
    CAU_TERM_TEST,  /* whether it did: "true", "false" */
    CAU_TERM_LEX,   /* the letter of gazetteer.h; needs the complete sequence */
} cau_term_kind;

typedef struct {
    cau_term_kind kind;
    bool lower; /* the result is made lower case */
    bool bytes; /* of ASCII only */
    size_t column;
    size_t least, most;         /* characters, of prefixes, suffixes and n-grams */
    const cau_regex *regex;     /* of MATCH and TEST */
    bool applies_to_padding;    /* outside of a sequence, to the padding, as in Wapiti */
    const cau_lexicon *lexicon; /* of LEX */
    size_t slots;               /* the first of its slots */
} cau_term;

typedef struct {
    size_t term;
    cau_str lead;
    cau_padding padding;
    size_t next; /* slot of the same term, or CAU_NONE */
} cau_template_slot;

/* The position from which a row is counted. */
typedef enum {
    CAU_FROM_HERE,
    CAU_FROM_START, /* @1 is the first position: offset 0 */
    CAU_FROM_END,   /* @-1 is the last position */
    CAU_ORIGINS,
} cau_origin;

typedef struct {
    cau_origin origin;
    int offset;
} cau_template_row;

typedef struct {
    size_t slot;
    cau_template_row row;
} cau_ref;

typedef struct {
    bool node, edge; /* a pattern on edges without references is `plain` instead */
    cau_str head, tail;
    size_t first, count;  /* references */
    size_t many;          /* the reference with several values, or CAU_NONE */
    size_t number_column; /* the column with the value of the feature; CAU_NONE: it is 1 */
    cau_template_row number_row;
    cau_str text; /* the whole line */
} cau_pattern;

/* A regular expression, kept once even if several patterns use it. */
typedef struct {
    cau_str source;
    cau_regex_language language;
    cau_regex *regex;
} cau_expression;

typedef struct {
    cau_str name;
    cau_str names;        /* "\tname\n" for each, as in the text of the template */
    cau_lexicon *form[2]; /* exact, and without case; NULL until used */
} cau_list;

struct cau_template {
    cau_arena arena; /* all strings */
    cau_strbuf text;
    size_t columns;
    bool plain, repeats;
    bool bytes;           /* @bytes: the macros of Wapiti work on bytes */
    size_t before, after; /* how far patterns reach outside of a sequence, in positions */

    cau_pattern *patterns;
    cau_ref *refs;
    cau_template_slot *slots;
    cau_term *terms;
    cau_expression *expressions;
    cau_list *lists;
    size_t pattern_count, ref_count, slot_count, term_count, expression_count, list_count;
    size_t pattern_room, ref_room, slot_room, term_room, expression_room, list_room;
};

/* The line that is parsed, and its place for messages. */
typedef struct {
    caucus_ctx *ctx;
    cau_template *t;
    const char *name;      /* of the template */
    const char *directory; /* of gazetteers, or NULL */
    size_t number;
    cau_str line;
    const char *at; /* the parser is here */
    const char *end;
    cau_padding dialect;
} cau_template_line;

/* Fails with "name:line: what; what to do", the line, and a caret below the place. */
__attribute__((format(printf, 3, 4))) caucus_status
cau_template_fail(const cau_template_line *in, const char *place, const char *format, ...);

/* Parses the line as a pattern and adds it to the template. */
caucus_status cau_template_pattern(cau_template_line *in);

/* Parses a text in quotes; \" is a quote within the text. *out has no quotes. */
caucus_status cau_template_quoted(cau_template_line *in, cau_str *out);

/* The list with a name: from the template, or else from a file. */
caucus_status cau_template_list(cau_template_line *in, cau_str name, const char *place,
                                cau_list **out);

#endif
