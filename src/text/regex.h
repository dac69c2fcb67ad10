/* regex.h - regular expressions over cells: those of PCRE2, and the small language of Wapiti. */

#ifndef CAU_TEXT_REGEX_H
#define CAU_TEXT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_regex cau_regex;

typedef enum {
    CAU_REGEX_PCRE,
    CAU_REGEX_WAPITI,
    CAU_REGEX_WAPITI_BYTES, /* over bytes, with the classes of ASCII, as Wapiti itself */
} cau_regex_language;

enum { CAU_REGEX_ERROR_MAX = 256 };

/* Compiles an expression; threads may share it. CAUCUS_ERR_FORMAT for a bad expression: `error` has
 * the reason and *at the byte. */
caucus_status cau_regex_new(cau_str source, cau_regex_language language, cau_regex **out,
                            char error[CAU_REGEX_ERROR_MAX], size_t *at);
void cau_regex_free(cau_regex *regex);

/* Memory of one thread for matching. */
typedef struct cau_matcher cau_matcher;
caucus_status cau_matcher_new(caucus_ctx *ctx, cau_matcher **out);
void cau_matcher_free(cau_matcher *matcher);

/* Searches for the first match. *yes tells whether there is one; *found is what the first group of
 * the expression matched, or the whole match if the expression has no group. CAUCUS_ERR_FORMAT,
 * with "what; what to do" in the context, when the search takes too long. */
caucus_status cau_regex_find(caucus_ctx *ctx, cau_matcher *matcher, const cau_regex *regex,
                             cau_str text, bool *yes, cau_str *found);

#endif
