/* cut.h - where a file may be cut into chunks: after lines, sequences or records.
 *
 * A record of CSV, or of a JSON array, is found by reading all bytes before it, since a line end or
 * a brace inside of quotes ends nothing. */

#ifndef CAU_TEXT_CUT_H
#define CAU_TEXT_CUT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    CAU_CUT_LINES,  /* after any line */
    CAU_CUT_BLANKS, /* after blank lines, which have no characters but `blanks` */
    CAU_CUT_QUOTED, /* after records of CSV */
    CAU_CUT_JSON,   /* after lines, or after the elements of an array */
} cau_cut_rule;

typedef struct {
    cau_cut_rule rule;
    const char *blanks;
    char delimiter; /* of CSV */
} cau_cut;

/* A scan for the end of a record that goes on with more bytes. Zeroed before the first. */
typedef struct {
    bool quoted, escaped;
    size_t depth; /* of brackets */
} cau_record_scan;

/* Moves *at, which began at 0 with the record, after the newline that ends a record of CSV; false
 * if the n bytes do not have it. A quote opens a field only as its first character. */
bool cau_quoted_end(cau_record_scan *scan, char delimiter, const char *bytes, size_t *at, size_t n);

/* Moves *at after the bracket or brace that closes back to `depth`; false if the n bytes do not
 * have it. */
bool cau_json_end(cau_record_scan *scan, size_t depth, const char *bytes, size_t *at, size_t n);

#endif
