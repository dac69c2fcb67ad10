/* utf8.h - checks UTF-8, changes case, matches globs. */

#ifndef CAU_BASE_UTF8_H
#define CAU_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Offset of the first byte that is not part of valid UTF-8, or n when all of it is valid. Over-long
 * forms, surrogates and code points above U+10FFFF are invalid. */
size_t cau_utf8_check(const char *s, size_t n);

/* Adds the lower-case form of valid UTF-8 (simple mapping, character by character). */
void cau_utf8_lower(cau_strbuf *out, const char *s, size_t n);

/* Whether the whole text matches a glob: '*' matches any text, '?' one UTF-8 character, any other
 * character itself. */
bool cau_glob(cau_str glob, cau_str text);

#endif
