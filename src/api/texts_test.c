/* texts_test.c - the words of a text through the public interface. */

#include <string.h>

#include "support/support.h"

static void words_of_a_text(void **state)
{
    static const char text[] = "\u00C9t\u00E9. Oui";
    caucus_ctx *ctx = test_ctx();
    caucus_word *words = NULL;
    size_t count = 9;
    (void)state;
    assert_ok(ctx, caucus_words(ctx, text, strlen(text), &words, &count));
    assert_int_equal(count, 3);
    assert_int_equal(words[1].begin, 5);
    assert_int_equal(words[1].from, 3);
    assert_int_equal(words[2].end, 10);
    assert_int_equal(words[2].to, 8);
    assert_true(words[0].first && !words[1].first && words[2].first);
    caucus_words_free(words);
    assert_ok(ctx, caucus_words(ctx, "", 0, &words, &count));
    assert_int_equal(count, 0);
    caucus_words_free(words);
    assert_fails(ctx, caucus_words(ctx, "\xFF", 1, &words, &count), CAUCUS_ERR_ARGUMENT, "UTF-8");
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_a_text)};
    return cmocka_run_group_tests_name("api/texts", tests, NULL, NULL);
}
