/* hash.h - 64-bit keys of strings and checksums (XXH3). */

#ifndef CAU_BASE_HASH_H
#define CAU_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

static inline uint64_t cau_hash(const void *bytes, size_t length, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, length, seed);
}

#endif
