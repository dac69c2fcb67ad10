/* dump.h - writes a model as exact text and reads it back.
 *
 * One fact to a line, fields separated by tabs, in this order:
 *
 *     caucus dump 2
 *     kind       crf                   or maxent, memm
 *     format     columns               how lines become features
 *     ngrams     1
 *     lower      0
 *     counts     0
 *     values     0
 *     comments   0
 *     docstart   0
 *     columns    2
 *     template   TEXT                  if there is one
 *     info       KEY   VALUE           any number of them
 *     pool       product sequence chain ALPHA ...
 *                                      how members vote, and the weight of each, if it is a pool
 *     gate       BASE ...              of each member, if the pool has a gate
 *     class      LABEL [INTERCEPT]     each class; the intercept for all classes or for none
 *     from       Y     Y:WEIGHT ...    transitions out of each class, for all classes or for none
 *     weights    each class            or "all classes": one for a feature (explicit form)
 *     feature    NAME  Y:WEIGHT ...    each observation; Y counts the classes from 0
 *     edge       NAME  Y>Y:WEIGHT ...  each observation on edges: from class, to class
 *     end        FEATURES  EDGES       their numbers, to detect truncation
 *
 * In a pool, each class, from, feature and edge line is followed by the weights of the members:
 *
 *     member     J     INTERCEPT       or Y:WEIGHT ... or Y>Y:WEIGHT ..., as in the line before
 *
 * with members J counted from 0 and ascending; members without such a weight need no line. Then
 * follow the weights of a feature in the gate, if it has any:
 *
 *     gate       J:WEIGHT ...
 *
 * Tabs and line ends inside names are escaped (cau_strbuf_escape). Weights are hexadecimal floats,
 * which are exact; omitted weights are zero. The text does not say whether an image is dense or
 * packed: cau_model_build makes the same decision again from the weights, so the bytes are
 * reproduced. Decimal weights are accepted too, so the text may be edited. */

#ifndef CAU_MODEL_DUMP_H
#define CAU_MODEL_DUMP_H

#include "base/alphabet.h"
#include "base/strbuf.h"
#include "model/model.h"
#include "text/lines.h"

#define CAU_DUMP_FIRST_LINE "caucus dump 2"
#define CAU_DUMP_EACH_CLASS "each class"
#define CAU_DUMP_ALL_CLASSES "all classes"

/* Writes the whole model as text. */
caucus_status cau_model_dump(caucus_ctx *ctx, const caucus_model *model, caucus_write_fn *write,
                             void *user);

/* Reads such a text; the image is identical to the original, byte for byte. CAUCUS_ERR_FORMAT with
 * file and line for malformed text. */
caucus_status cau_model_undump(caucus_ctx *ctx, const char *path, caucus_model **out);

/* ---- fields.c: reads such text by lines and fields, for undump.c ----------------------------- */

/* Failures are CAUCUS_ERR_FORMAT, with file and line in the message, or CAUCUS_ERR_MEMORY. */

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
