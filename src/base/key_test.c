/* key_test.c - checks keys against their definition, and keys of joined parts against keys of whole
 * strings. */

#include "base/key.h"

#include <string.h>

#include "base/rng.h"
#include "support/support.h"

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % ((1ull << 61) - 1));
}

/* Computes hash(s) by Horner's rule, byte by byte, with the remainder operator. */
static void test_definition(void **state)
{
    (void)state;
    static const char text[] = "a name of some length, with bytes \x01 \x7f \xff\xfe in it";
    for (unsigned base = 0; base < CAU_KEY_BASES; base++) {
        const uint64_t B = cau_key_of(base, "a", 1).power;
        assert_true(B > (1ull << 40));
        uint64_t hash = 0, power = 1;
        for (size_t n = 0; n < sizeof text; n++) {
            const cau_key key = cau_key_of(base, text, n);
            assert_true(key.hash == hash);
            assert_true(key.power == power);
            assert_true(cau_key_hash(base, text, n) == hash);
            hash = (times(hash, B) + (unsigned char)text[n] + 1) % ((1ull << 61) - 1);
            power = times(power, B);
        }
    }
}

static void test_join(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 1);
    char text[40];
    for (int round = 0; round < 2000; round++) {
        const size_t n = cau_rng_below(&rng, sizeof text), cut = cau_rng_below(&rng, n + 1);
        for (size_t i = 0; i < n; i++) text[i] = (char)cau_rng_below(&rng, 256);
        const cau_key a = cau_key_of(3, text, cut), b = cau_key_of(3, text + cut, n - cut);
        const cau_key both = cau_key_join(a, b), whole = cau_key_of(3, text, n);
        assert_true(both.hash == whole.hash && both.power == whole.power);
        assert_true(cau_key_extend(3, a.hash, text + cut, n - cut) == whole.hash);
    }
}

/* Zero bytes and their number change the key. */
static void test_lengths_differ(void **state)
{
    (void)state;
    static const char zeros[64] = {0};
    for (size_t n = 0; n < sizeof zeros; n++)
        for (size_t m = 0; m < n; m++)
            assert_true(cau_key_of(0, zeros, n).hash != cau_key_of(0, zeros, m).hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_lengths_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
