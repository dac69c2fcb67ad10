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

#include "model/model.h"

#define CAU_DUMP_FIRST_LINE "caucus dump 2"
#define CAU_DUMP_EACH_CLASS "each class"
#define CAU_DUMP_ALL_CLASSES "all classes"

/* Writes the whole model as text. */
caucus_status cau_model_dump(caucus_ctx *ctx, const caucus_model *model, caucus_write_fn *write,
                             void *user);

/* Reads such a text; the image is identical to the original, byte for byte. CAUCUS_ERR_FORMAT with
 * file and line for malformed text. */
caucus_status cau_model_undump(caucus_ctx *ctx, const char *path, caucus_model **out);

#endif
