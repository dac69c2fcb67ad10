/* fields.h - the text of a model (dump.h), line by line and field by field: what undump.c is
 * written in. All that fails says so with the file and the line, CAUCUS_ERR_FORMAT or
 * CAUCUS_ERR_MEMORY. */

#ifndef CAU_MODEL_FIELDS_H
#define CAU_MODEL_FIELDS_H

#include "base/strbuf.h"
#include "text/alphabet.h"
#include "text/lines.h"

typedef struct {
    caucus_ctx *ctx;
    cau_lines *lines;
    cau_str keyword; /* the first field of the line at hand */
    cau_str rest;    /* the fields after those taken; {NULL, 0} when there are none */
    cau_strbuf name; /* a field without its escapes */
} cau_fields;

#define CAU_FIELDS_FAIL(f, format, ...)                                                            \
    cau_fail((f)->ctx, CAUCUS_ERR_FORMAT, CAU_AT format, CAU_AT_ARGS((f)->lines), ##__VA_ARGS__)

/* Enough of a text for a message: the arguments of "%.*s". */
#define CAU_FIELDS_SHORT(text) (int)((text).n < 60 ? (text).n : 60), (text).s ? (text).s : ""

bool cau_fields_is(cau_str text, const char *word);

/* The next line, its keyword taken; whether that is the one that must come; and whether all fields
 * of the line have been taken. */
caucus_status cau_fields_next(cau_fields *f);
caucus_status cau_fields_expect(cau_fields *f, const char *keyword);
caucus_status cau_fields_end(cau_fields *f);

/* The next field of the line, {NULL, 0} after the last. */
cau_str cau_fields_take(cau_fields *f);

/* The next field without its escapes, added to `plain`. */
caucus_status cau_fields_text(cau_fields *f, const char *what, cau_strbuf *plain);

/* The next field as a name that `alphabet` does not have yet, added to it. */
caucus_status cau_fields_name(cau_fields *f, cau_alphabet *alphabet);

/* The next field as the number of a name among `count`; `known` lists them all in a message. */
caucus_status cau_fields_choice(cau_fields *f, const char *what, const char *known,
                                const char *(*name)(int i), int count, int *out);

/* A weight, finite also as a float. */
caucus_status cau_fields_parse_weight(cau_fields *f, cau_str text, double *out);

/* The next line, which must be "keyword TAB value" with a number, 0 or 1, or a name. */
caucus_status cau_fields_number_line(cau_fields *f, const char *keyword, uint64_t min, uint64_t max,
                                     uint64_t *out);
caucus_status cau_fields_flag_line(cau_fields *f, const char *keyword, bool *out);
caucus_status cau_fields_choice_line(cau_fields *f, const char *keyword, const char *known,
                                     const char *(*name)(int i), int count, int *out);

#endif
