/* utf8.h - checking UTF-8 and changing case. */

#ifndef CAU_BASE_UTF8_H
#define CAU_BASE_UTF8_H

#include <stddef.h>

#include "base/text.h"

/* Offset of the first byte that is not part of valid UTF-8, or n if all is well. Refuses
 * over-long forms, surrogates and what lies above U+10FFFF. ASCII is checked 8 bytes at a
 * time or better. */
size_t cau_utf8_check(const char *s, size_t n);

/* Adds the lower-case form of valid UTF-8 (simple mapping, character by character). */
void cau_utf8_lower(cau_text *out, const char *s, size_t n);

#endif
