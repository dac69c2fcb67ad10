/* key.h - hashes of strings that can be joined: the key of "ab" from those of "a" and "b".
 *
 *     hash(s) = sum_i (s_i + 1) B^(n-1-i)  mod p,      p = 2^61 - 1
 *     hash(ab) = hash(a) B^|b| + hash(b)
 *
 * A model finds its names by this hash. A tagger therefore combines the keys of a hundred features
 * from the keys of the cells of a line, without writing any of the strings. B is one of several
 * bases: if two names of a model collide under one base, the model uses the next. */

#ifndef CAU_BASE_KEY_H
#define CAU_BASE_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { CAU_KEY_BASES = 16 };

/* Plain data. The key of the empty string is {0, 1}. */
typedef struct {
    uint64_t hash;  /* below p */
    uint64_t power; /* B^length mod p */
} cau_key;

/* The key of n bytes under base number `base` < CAU_KEY_BASES. */
cau_key cau_key_of(unsigned base, const char *s, size_t n);

/* The hash alone, which is less work. */
uint64_t cau_key_hash(unsigned base, const char *s, size_t n);

/* The hash of a string with this hash followed by n bytes. */
uint64_t cau_key_extend(unsigned base, uint64_t hash, const char *s, size_t n);

/* Reduces x < 2^123 modulo p to a value of at most a little more than p, since 2^61 = 1 mod p. Sums
 * and products may continue from there; cau_key_finish completes the last reduction. */
static inline uint64_t cau_key_fold(unsigned __int128 x)
{
    const uint64_t p = (1ull << 61) - 1;
    const uint64_t once = (uint64_t)(x & p) + (uint64_t)(x >> 61);
    return (once & p) + (once >> 61);
}

static inline uint64_t cau_key_finish(uint64_t folded)
{
    const uint64_t p = (1ull << 61) - 1;
    return folded >= p ? folded - p : folded;
}

/* The hash of a string followed by another: a * power(b) + hash(b), folded. a is below p or folded,
 * so the sum of the three parts stays below 2^63. */
static inline uint64_t cau_key_append(uint64_t a, cau_key b)
{
    const uint64_t p = (1ull << 61) - 1;
    const unsigned __int128 x = (unsigned __int128)a * b.power;
    const uint64_t once = (uint64_t)(x & p) + (uint64_t)(x >> 61) + b.hash;
    return (once & p) + (once >> 61);
}

static inline uint64_t cau_key_reduce(unsigned __int128 x)
{
    return cau_key_finish(cau_key_fold(x));
}

/* The key of string a followed by string b. */
static inline cau_key cau_key_join(cau_key a, cau_key b)
{
    return (cau_key){
        .hash = cau_key_finish(cau_key_append(a.hash, b)),
        .power = cau_key_reduce((unsigned __int128)a.power * b.power),
    };
}

#endif
