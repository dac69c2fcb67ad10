/* key_set.h - a set of 64-bit keys, numbered from 0 in the order in which they were added. */

#ifndef CAU_BASE_KEY_SET_H
#define CAU_BASE_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Embed it zeroed, clear it at the end. Threads may search it together. */
typedef struct {
    uint64_t *key; /* [count] by number */
    size_t count, room;
    size_t *slot; /* [slots] the number of a key + 1; 0: free */
    size_t slots; /* 0, or a power of two of at least twice the count */
} cau_key_set;

/* The number of a key, or SIZE_MAX if it is not in the set. */
size_t cau_key_set_find(const cau_key_set *set, uint64_t key);

/* Room for `more` keys. False if memory is short; the set is unchanged then. */
bool cau_key_set_reserve(cau_key_set *set, size_t more);

/* Adds a key, for which there must be room, unless it is in the set. Returns its number. */
size_t cau_key_set_add(cau_key_set *set, uint64_t key);

/* Removes the keys with the numbers `count` and above. */
void cau_key_set_drop(cau_key_set *set, size_t count);
void cau_key_set_clear(cau_key_set *set);

#endif
