/* alphabet.h - names and their numbers, 0, 1, 2, ... in the order of their coming. */

#ifndef CAU_TEXT_ALPHABET_H
#define CAU_TEXT_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "caucus.h"

#define CAU_UNKNOWN UINT32_MAX

typedef struct cau_alphabet cau_alphabet;

caucus_status cau_alphabet_new(caucus_ctx *ctx, cau_alphabet **out);
void cau_alphabet_free(cau_alphabet *alphabet);

/* The number of a name, which is added if it is new. CAU_UNKNOWN only when memory is short
 * or 2^32 - 1 names are in. */
uint32_t cau_alphabet_add(cau_alphabet *alphabet, const char *s, size_t n);

/* The same for several names, ids [count]: faster, since their places in the table are fetched
 * side by side. */
void cau_alphabet_add_all(cau_alphabet *alphabet, const cau_str *names, size_t count,
                          uint32_t *ids);

/* Adds all names of another alphabet, in their order: ids [its size] become their numbers here.
 * False when memory is short or there are too many names. */
bool cau_alphabet_join(cau_alphabet *alphabet, const cau_alphabet *other, uint32_t *ids);

/* Forgets all names, and keeps their memory for others. */
void cau_alphabet_empty(cau_alphabet *alphabet);

/* The number of a name, or CAU_UNKNOWN. */
uint32_t cau_alphabet_find(const cau_alphabet *alphabet, const char *s, size_t n);

size_t cau_alphabet_size(const cau_alphabet *alphabet);

/* The name of a number that is in use; a NUL follows it. Valid until the next name is added. */
cau_str cau_alphabet_name(const cau_alphabet *alphabet, uint32_t id);

/* Keeps the names with keep[id] != 0, renumbered in order: keep [size] becomes the new numbers,
 * or CAU_UNKNOWN. Names that were handed out before are no longer valid. */
void cau_alphabet_filter(cau_alphabet *alphabet, uint32_t *keep);

#endif
