/* gazetteer_test.c - finds the longest names from left to right, also compared with a plain
 * search. */

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/base_sample.h"
#include "support/support.h"
#include "text/gazetteer.h"

/* Tags a text whose words are separated by single blanks. */
static void find(const cau_lexicon *lexicon, const char *words, char *tags)
{
    cau_str cells[32];
    cau_strbuf scratch = {0};
    size_t T = 0;
    for (const char *p = words; *p && T < 32;) {
        const size_t n = strcspn(p, " ");
        cells[T++] = (cau_str){p, n};
        p += n + (p[n] == ' ');
    }
    assert_int_equal(cau_lexicon_find(lexicon, cells, 1, T, &scratch, tags), CAUCUS_OK);
    tags[T] = '\0';
    cau_strbuf_clear(&scratch);
}

static void test_longest(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_lexicon *exact = NULL, *lower = NULL;
    char tags[33];
    assert_ok(ctx, cau_lexicon_new(ctx, false, &exact));
    assert_ok(ctx, cau_lexicon_new(ctx, true, &lower));
    static const char *const names[] = {"New York", " New   York\tCity ", "York", "",
                                        "  ",       "City of London",     "Ünal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ok(ctx, cau_lexicon_add(ctx, exact, str(names[i])));
        assert_ok(ctx, cau_lexicon_add(ctx, lower, str(names[i])));
    }
    find(exact, "in New York City today", tags);
    assert_string_equal(tags, "OBIEO");
    find(exact, "New York State", tags);
    assert_string_equal(tags, "BEO");
    find(exact, "New Jersey York", tags); /* "New" begins a name but is not one */
    assert_string_equal(tags, "OOS");
    find(exact, "New York City of London", tags); /* continues after the end of the first name */
    assert_string_equal(tags, "BIEOO");
    find(exact, "York City of London York", tags);
    assert_string_equal(tags, "SBIES");
    find(exact, "new york ünal ÜNAL", tags);
    assert_string_equal(tags, "OOOO");
    find(lower, "new YORK ünal ÜNAL", tags);
    assert_string_equal(tags, "BESS");

    cau_strbuf scratch = {0}; /* empty cells match nothing; every second cell is tested */
    const cau_str cells[] = {str("York"), str("x"), str(""), str("x"), str("York"), str("x")};
    assert_int_equal(cau_lexicon_find(exact, cells, 2, 3, &scratch, tags), CAUCUS_OK);
    assert_memory_equal(tags, "SOS", 3);
    cau_strbuf_clear(&scratch);
    cau_lexicon_free(exact);
    cau_lexicon_free(lower);
    caucus_ctx_free(ctx);
}

/* Random names and texts of three words, compared with the definition. */
static void test_random(void **state)
{
    (void)state;
    enum { NAMES = 6, WORDS = 4, T = 12 };
    static const char *const words[] = {"a", "b", "ab"};
    caucus_ctx *ctx = test_ctx();
    cau_rng rng;
    cau_rng_init(&rng, 11);
    for (int round = 0; round < 500; round++) {
        cau_lexicon *lexicon = NULL;
        size_t length[NAMES], name[NAMES][WORDS], text[T];
        char want[T + 1], got[33], line[T * 3 + 1] = "";
        assert_ok(ctx, cau_lexicon_new(ctx, round % 2, &lexicon));
        for (size_t i = 0; i < NAMES; i++) {
            char joined[64] = "";
            length[i] = 1 + (size_t)cau_rng_below(&rng, WORDS);
            for (size_t k = 0; k < length[i]; k++) {
                name[i][k] = (size_t)cau_rng_below(&rng, 3);
                strcat(strcat(joined, words[name[i][k]]), " ");
            }
            assert_ok(ctx, cau_lexicon_add(ctx, lexicon, str(joined)));
        }
        for (size_t t = 0; t < T; t++) {
            text[t] = (size_t)cau_rng_below(&rng, 3);
            strcat(strcat(line, t ? " " : ""), words[text[t]]);
        }
        for (size_t t = 0; t < T;) {
            size_t longest = 0;
            for (size_t i = 0; i < NAMES; i++)
                if (length[i] > longest && t + length[i] <= T &&
                    memcmp(name[i], text + t, length[i] * sizeof *text) == 0)
                    longest = length[i];
            if (longest == 0) want[t] = 'O';
            if (longest == 1) want[t] = 'S';
            for (size_t k = 0; longest > 1 && k < longest; k++)
                want[t + k] = "IBE"[k == 0 ? 1 : k + 1 == longest ? 2 : 0];
            t += longest ? longest : 1;
        }
        want[T] = '\0';
        find(lexicon, line, got);
        assert_string_equal(got, want);
        cau_lexicon_free(lexicon);
    }
    caucus_ctx_free(ctx);
}

static caucus_status build(void *self)
{
    caucus_ctx *ctx = self;
    cau_lexicon *lexicon = NULL;
    cau_strbuf scratch = {0};
    const cau_str cells[] = {str("new"), str("york")};
    char tags[2], name[32];
    caucus_status st = cau_lexicon_new(ctx, true, &lexicon);
    for (int i = 0; !st && i < 200; i++) {
        snprintf(name, sizeof name, "New York %d", i);
        st = cau_lexicon_add(ctx, lexicon, str(name));
    }
    if (!st) st = cau_lexicon_find(lexicon, cells, 1, 2, &scratch, tags);
    cau_strbuf_clear(&scratch);
    cau_lexicon_free(lexicon);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_true(test_every_allocation(build, ctx) > 5);
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("text/gazetteer", tests, NULL, NULL);
}
