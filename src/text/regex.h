/* regex.h - regular expressions over cells: those of PCRE2, and the small language of Wapiti. */

#ifndef CAU_TEXT_REGEX_H
#define CAU_TEXT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_regex cau_regex;

typedef enum { CAU_REGEX_PCRE, CAU_REGEX_WAPITI } cau_regex_language;

enum { CAU_REGEX_ERROR_MAX = 256 };

/* Compiles an expression, which is constant from then on and may be shared by threads.
 * CAUCUS_ERR_FORMAT when it is none: `error` says why and *at is the byte where. */
caucus_status cau_regex_new(cau_str source, cau_regex_language language, cau_regex **out,
                            char error[CAU_REGEX_ERROR_MAX], size_t *at);
void cau_regex_free(cau_regex *regex);

/* Memory of one thread for matching. */
typedef struct cau_matcher cau_matcher;
caucus_status cau_matcher_new(caucus_ctx *ctx, cau_matcher **out);
void cau_matcher_free(cau_matcher *matcher);

/* Looks for the first match. *found is the part of the text that the first group of the
 * expression matched, or all of it did where there is no group; *yes whether there is a match.
 * CAUCUS_ERR_FORMAT, with "what; what to do" in the context, when the search takes too long. */
caucus_status cau_regex_find(caucus_ctx *ctx, cau_matcher *matcher, const cau_regex *regex,
                             cau_str text, bool *yes, cau_str *found);

#endif
