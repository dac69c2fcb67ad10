/* lookup3.c - see lookup3.h.
 *
 * The state is three numbers. Twelve bytes at a time are added to them and mixed in; the last block
 * is padded with zeros and mixed in another way. */

#include "peers/lookup3.h"

typedef struct {
    uint32_t a, b, c;
} state;

static uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

static void mix(state *s)
{
    static const unsigned bits[] = {4, 6, 8, 16, 19, 4};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const uint32_t a = (s->a - s->c) ^ rotate(s->c, bits[i]), c = s->c + s->b;
        *s = (state){s->b, c, a}; /* the next step works on the three in turn */
    }
}

static void mix_last(state *s)
{
    static const unsigned bits[] = {14, 11, 25, 16, 4, 14, 24};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const uint32_t c = (s->c ^ s->b) - rotate(s->b, bits[i]);
        *s = (state){s->b, c, s->a};
    }
}

/* Up to four bytes as a number, the lowest first. */
static uint32_t number(const char *s, size_t n)
{
    uint32_t x = 0;
    for (size_t i = 0; i < n && i < 4; i++) x |= (uint32_t)(unsigned char)s[i] << 8 * i;
    return x;
}

static void add(state *s, const char *block, size_t n)
{
    s->a += number(block, n);
    s->b += n > 4 ? number(block + 4, n - 4) : 0;
    s->c += n > 8 ? number(block + 8, n - 8) : 0;
}

uint32_t cau_lookup3(const char *s, size_t n)
{
    const uint32_t begin = 0xdeadbeef + (uint32_t)n;
    state x = {begin, begin, begin};
    if (n == 0) return x.c;
    for (; n > 12; s += 12, n -= 12) {
        add(&x, s, 12);
        mix(&x);
    }
    add(&x, s, n);
    mix_last(&x);
    return x.b;
}
