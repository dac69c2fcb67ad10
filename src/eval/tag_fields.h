/* tag_fields.h - what `tag` writes besides labels: fields after the label, and comment lines. */

#ifndef CAU_EVAL_TAG_FIELDS_H
#define CAU_EVAL_TAG_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The fields that follow the predicted label in every line. */
typedef struct {
    size_t numbers; /* probabilities of --domain, --label-probability and --segments */
    size_t pairs;   /* label:probability of --probabilities and --top, at the end */
    bool tabs;      /* TABs separate the columns, as in all that `tag` writes with gold labels */
} cau_tag_fields;

/* Recognises the fields in the first lines of a file. At least `keep` columns stay before them;
 * without so many, there are no such fields. */
cau_tag_fields cau_tag_fields_find(const cau_str *lines, size_t count, size_t keep);

/* Whether a line is a comment. *rank is its rank if it is "# rank p" of --nbest, and 0 for the "#
 * p" of --sequence-probability; other comments leave it alone. In a file without TABs only these
 * two are comments: another '#' may be a token. */
bool cau_tag_comment(const cau_tag_fields *fields, cau_str line, uint64_t *rank);

/* Whether a label is a number from 0 to 1 with a fraction, and whether it is label:number. */
bool cau_is_probability(cau_str label);
bool cau_is_probability_pair(cau_str label);

#endif
