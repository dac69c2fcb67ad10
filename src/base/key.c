/* key.c - see key.h. Eight bytes are hashed at a time: their products with the powers of the base
 * do not depend on each other, so the processor computes them in parallel. */

#include "base/key.h"

enum { STEP = 8 };

/* B^0 .. B^STEP mod p for each base B. The bases are digits of pi; key_test.c recomputes the
 * powers. */
/* clang-format off */
static const uint64_t power_of[CAU_KEY_BASES][STEP + 1] = {
    {1, 0x043f6a8885a308d3, 0x16b5437e78a18dda, 0x1dee9b480e3d45a8, 0x0680d91a15bc3141, 0x081d70952905b089, 0x05facd640029881f, 0x03bd71685d5bb2b3, 0x05e4f5d964b0428f},
    {1, 0x13198a2e03707345, 0x059c0d5d8eef1903, 0x0ec235eff184befd, 0x0cb4566c9c7cfeb9, 0x0733b98beb2067ca, 0x1b0f1cb428f2ede0, 0x1b2c7df755d0ad07, 0x157704afdd5318b0},
    {1, 0x04093822299f31d1, 0x040d5d285d6698c7, 0x0552e1f69c1fcfd3, 0x19dd652d8719460d, 0x066d8bf4ecbe583b, 0x19b9d60a82165be6, 0x13734ac796655307, 0x08ce76c85f8e4ccb},
    {1, 0x082efa98ec4e6c89, 0x1690e91781c6c022, 0x08340f7f15024247, 0x0b6822c4d0aaac97, 0x01a945d6b7c16b52, 0x1cadcfc8af4b348c, 0x1be113386d13f03e, 0x1e071840816fe306},
    {1, 0x052821e638d01377, 0x0388166488133d15, 0x1e60eb0a59f4ca27, 0x0a8f8db1af64b9a3, 0x119410466435ec27, 0x0ff661e97d20564c, 0x06806d7119c8b503, 0x19875b604d0d3a51},
    {1, 0x1e5466cf34e90c6d, 0x01ff94db745d543a, 0x1c1fa0b874b6d6c6, 0x15a1d433b3225737, 0x1b5bff17d5691f4b, 0x152dea5ede9271a3, 0x0a574c4ad3d1e7e3, 0x05487b64d4d762e5},
    {1, 0x00ac29b7c97c50dd, 0x0932779027bbeb0a, 0x19d727d3dc0fc6cb, 0x14a335a6bbf7ecc3, 0x1e9aa3368cb470dd, 0x11968022367042a0, 0x0d11b17a88b66166, 0x1d35325ef4c6a5a0},
    {1, 0x1f84d5b5b5470917, 0x1cb42c8f4ea4d0c9, 0x0f42ef29ca89a732, 0x08767654fbb1036b, 0x10d4e97473b899ab, 0x1f93bc1bfe734250, 0x0c9297659a7515a6, 0x0ba66b06722e0bd2},
    {1, 0x1216d5d98979fb1b, 0x15582b8896b7f40b, 0x1a3109cc3beed6a0, 0x0bf7bfeea4a6b898, 0x16f61c4e0e1dc92b, 0x1c753fd36b4b8568, 0x0555066ec6d2d0b7, 0x0121e5ca2eab0825},
    {1, 0x11310ba698dfb5ad, 0x067d4d242933e17c, 0x1fbb7242c247da3b, 0x1746932e49eebd16, 0x189f10c8ee3dbc7f, 0x1a8384ba8f689bb8, 0x1c5e04ea5d7838d6, 0x01434d9bc64dac66},
    {1, 0x0ffd72dbd01adfb7, 0x1018e08577d4402b, 0x0af794f9e32f7c60, 0x1b15e42cb8a4400d, 0x0763a3e8257ddb0c, 0x08ce6ac3dcdd13a1, 0x1347fc2d0ad7a6b1, 0x06c8b1f21df389f8},
    {1, 0x18e1afed6a267e97, 0x01237bcec07f12bb, 0x11f2cb0b61ad6a8e, 0x0e6d1135b6387b61, 0x1e5418bc8a83f3cd, 0x0bb2664cf88bf23b, 0x1e03f1d44dab16c4, 0x089536da68829342},
    {1, 0x1a7c9045f12c7f99, 0x1ae207c67e9ca516, 0x0c3e8318c4502395, 0x1362ad93a8a3f569, 0x085d2c3b28f452fe, 0x02d755f31659c06e, 0x0a390eab4ba30756, 0x1b35ba1c6d2afd82},
    {1, 0x04a19947b3916cf7, 0x1437f66334c8deae, 0x0130c6ed5fb2dd7e, 0x15bf3081c1a9463a, 0x0e61741db8010ff4, 0x0ede9770b995718c, 0x1dc65bfdeb1faff5, 0x16c2983ae4851928},
    {1, 0x0801f2e2858efc17, 0x14ed6ff82c39889f, 0x19fc53584cad8145, 0x17ac17af12d7893c, 0x10d73b12af3b28f7, 0x1f051fa4702264b3, 0x16180f1736a04a4f, 0x00dc6c5693011146},
    {1, 0x036920d871574e69, 0x119bd1b758c0ed61, 0x08691272ea366fc4, 0x05577cd56a7c99cc, 0x1f0c6e9730d7e2be, 0x07788cb0395aaf58, 0x12d6b5a1d2ff5ed0, 0x162d3fadaabaf8bc},
};
/* clang-format on */

/* Continues a hash with `count` <= STEP bytes. */
static inline uint64_t hash_step(const uint64_t *power, uint64_t hash, const char *s, size_t count)
{
    unsigned __int128 sum = (unsigned __int128)hash * power[count];
    for (size_t i = 0; i < count; i++)
        sum += (unsigned __int128)power[count - 1 - i] * ((unsigned char)s[i] + 1u);
    return cau_key_reduce(sum);
}

uint64_t cau_key_extend(unsigned base, uint64_t hash, const char *s, size_t n)
{
    const uint64_t *power = power_of[base % CAU_KEY_BASES];
    for (; n >= STEP; n -= STEP, s += STEP) hash = hash_step(power, hash, s, STEP);
    return n ? hash_step(power, hash, s, n) : hash;
}

uint64_t cau_key_hash(unsigned base, const char *s, size_t n)
{
    return cau_key_extend(base, 0, s, n);
}

cau_key cau_key_of(unsigned base, const char *s, size_t n)
{
    const uint64_t *power = power_of[base % CAU_KEY_BASES];
    cau_key key = {.hash = cau_key_hash(base, s, n), .power = 1};
    for (size_t count; n > 0; n -= count) {
        count = n < STEP ? n : STEP;
        key.power = cau_key_reduce((unsigned __int128)key.power * power[count]);
    }
    return key;
}
