/* links_keys.h - a set of 64-bit keys, such as pairs of items, which leave in the reverse order of
 * their coming. Embed it zeroed, clear it at the end. */

#ifndef CAU_CLUSTER_LINKS_KEYS_H
#define CAU_CLUSTER_LINKS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *key; /* [count] in the order of their coming */
    size_t count, room;
    size_t *place; /* [places] number of a key + 1; 0: free */
    size_t places; /* 0, or a power of two at least twice the count */
} cau_keys;

bool cau_keys_has(const cau_keys *set, uint64_t key);

/* Room for `more` keys; false when memory is short, with all as it was. */
bool cau_keys_reserve(cau_keys *set, size_t more);

/* Adds a key for which there is room; nothing when it is there already. */
void cau_keys_add(cau_keys *set, uint64_t key);

/* Takes the latest back until `count` are left. */
void cau_keys_drop(cau_keys *set, size_t count);
void cau_keys_clear(cau_keys *set);

#endif
