/* alphabet.h - a set of strings, numbered 0, 1, 2, ... in the order in which they are added. */

#ifndef CAU_BASE_ALPHABET_H
#define CAU_BASE_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "caucus.h"

#define CAU_UNKNOWN UINT32_MAX

typedef struct cau_alphabet cau_alphabet;

caucus_status cau_alphabet_new(caucus_ctx *ctx, cau_alphabet **out);
void cau_alphabet_free(cau_alphabet *alphabet);

/* The number of a name, which is added if it is new. CAU_UNKNOWN when memory is short or the
 * alphabet has 2^32 - 1 names already. */
uint32_t cau_alphabet_add(cau_alphabet *alphabet, const char *s, size_t n);

/* The same for `count` names at once, which is faster: the accesses to the table overlap. */
void cau_alphabet_add_all(cau_alphabet *alphabet, const cau_str *names, size_t count,
                          uint32_t *ids);

/* Adds all names of another alphabet in their order; ids [size of other] receives their numbers in
 * this one. False when memory is short or there are too many names. */
bool cau_alphabet_join(cau_alphabet *alphabet, const cau_alphabet *other, uint32_t *ids);

/* Removes all names but keeps the memory. */
void cau_alphabet_empty(cau_alphabet *alphabet);

/* The number of a name, or CAU_UNKNOWN. */
uint32_t cau_alphabet_find(const cau_alphabet *alphabet, const char *s, size_t n);

size_t cau_alphabet_size(const cau_alphabet *alphabet);

/* The name with number `id`, followed by a NUL. Valid until the next name is added. */
cau_str cau_alphabet_name(const cau_alphabet *alphabet, uint32_t id);

/* Keeps the names with keep[id] != 0 and renumbers them in order. On return keep [size] holds the
 * new numbers, CAU_UNKNOWN for removed names. Invalidates the names returned before. */
void cau_alphabet_filter(cau_alphabet *alphabet, uint32_t *keep);

#endif
