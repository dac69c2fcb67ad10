/* fields.h - reads the text of a model (dump.h) by lines and fields, for undump.c. Failures are
 * CAUCUS_ERR_FORMAT, with file and line in the message, or CAUCUS_ERR_MEMORY. */

#ifndef CAU_MODEL_FIELDS_H
#define CAU_MODEL_FIELDS_H

#include "base/alphabet.h"
#include "base/strbuf.h"
#include "text/lines.h"

typedef struct {
    caucus_ctx *ctx;
    cau_lines *lines;
    cau_str keyword; /* the first field of the current line */
    cau_str rest;    /* the remaining fields; {NULL, 0} at the end of the line */
    cau_strbuf name; /* a field without its escapes */
} cau_fields;

#define CAU_FIELDS_FAIL(f, format, ...)                                                            \
    cau_fail((f)->ctx, CAUCUS_ERR_FORMAT, CAU_AT format, CAU_AT_ARGS((f)->lines), ##__VA_ARGS__)

/* The beginning of a text for a message: the arguments of "%.*s". */
#define CAU_FIELDS_SHORT(text) (int)((text).n < 60 ? (text).n : 60), (text).s ? (text).s : ""

bool cau_fields_is(cau_str text, const char *word);

/* cau_fields_next reads the next line and its keyword. cau_fields_expect checks the keyword, and
 * cau_fields_end that no field of the line is left. */
caucus_status cau_fields_next(cau_fields *f);
caucus_status cau_fields_expect(cau_fields *f, const char *keyword);
caucus_status cau_fields_end(cau_fields *f);

/* The next field of the line, {NULL, 0} after the last. */
cau_str cau_fields_take(cau_fields *f);

/* The next field without its escapes, added to `plain`. */
caucus_status cau_fields_text(cau_fields *f, const char *what, cau_strbuf *plain);

/* The next field as a new name, which is added to `alphabet`; fails if it is there already. */
caucus_status cau_fields_name(cau_fields *f, cau_alphabet *alphabet);

/* The next field as an index into `count` names; `known` lists them for a message. */
caucus_status cau_fields_choice(cau_fields *f, const char *what, const char *known,
                                const char *(*name)(int i), int count, int *out);

/* A weight, finite also as a float. */
caucus_status cau_fields_parse_weight(cau_fields *f, cau_str text, double *out);

/* The next line, which must be "keyword TAB value": a number, 0 or 1, or a name. */
caucus_status cau_fields_number_line(cau_fields *f, const char *keyword, uint64_t min, uint64_t max,
                                     uint64_t *out);
caucus_status cau_fields_flag_line(cau_fields *f, const char *keyword, bool *out);
caucus_status cau_fields_choice_line(cau_fields *f, const char *keyword, const char *known,
                                     const char *(*name)(int i), int count, int *out);

#endif
