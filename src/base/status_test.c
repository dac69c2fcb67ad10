/* status_test.c - error messages of a context, also messages that quote themselves. */

#include "support/support.h"

#include <string.h>

#include "base/status.h"

static void every_status_has_its_text(void **state)
{
    (void)state;
    assert_string_equal(caucus_status_text(CAUCUS_OK), "success");
    assert_string_equal(caucus_status_text(CAUCUS_ERR_MEMORY), "out of memory");
    assert_string_equal(caucus_status_text(CAUCUS_ERR_UNSUPPORTED), "not built in");
    assert_string_equal(caucus_status_text((caucus_status)99), "unknown status");
    assert_string_equal(caucus_status_text((caucus_status)-1), "unknown status");
}

static void a_failure_sets_the_message(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    assert_string_equal(caucus_message(ctx), "");
    assert_int_equal(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s:%d: odd", "a.txt", 7), CAUCUS_ERR_FORMAT);
    assert_string_equal(caucus_message(ctx), "a.txt:7: odd");
    cau_fail(ctx, CAUCUS_ERR_IO, "outer (%s)", caucus_message(ctx)); /* the message quotes itself */
    assert_string_equal(caucus_message(ctx), "outer (a.txt:7: odd)");
    assert_int_equal(cau_fail_memory(ctx, "tests"), CAUCUS_ERR_MEMORY);
    assert_non_null(strstr(caucus_message(ctx), "out of memory for tests"));
    caucus_ctx_free(ctx);
    caucus_ctx_free(NULL);
    assert_string_equal(caucus_message(NULL), "out of memory");
}

static void messages_are_one_line(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_fail(ctx, CAUCUS_ERR_IO, "%s", "a\nb\x1B[31m\x7F\tgr\xC3\xBC\xC3\x9F");
    assert_string_equal(caucus_message(ctx), "a?b?[31m??gr\xC3\xBC\xC3\x9F");
    caucus_ctx_free(ctx);
}

/* Long messages are cut between characters, whichever byte the limit falls on. */
static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char text[CAU_MESSAGE_MAX + 64];
    for (size_t shift = 0; shift < 5; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof text; i += 4) memcpy(text + i, "\xF0\x9F\x99\x82", 5);
        cau_fail(ctx, CAUCUS_ERR_IO, "%s", text);
        size_t length = strlen(caucus_message(ctx));
        assert_true(length < CAU_MESSAGE_MAX && length >= CAU_MESSAGE_MAX - 5);
        assert_int_equal((length - shift) % 4, 0);
    }
    caucus_ctx_free(ctx);
}

static void keep_note(void *user, const char *sentence)
{
    strcpy(user, sentence);
}

static void notes_reach_their_callback(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    char heard[64] = "";
    cau_note(ctx, "nobody listens");
    caucus_on_note(ctx, keep_note, heard);
    cau_note(ctx, "%d columns", 3);
    assert_string_equal(heard, "3 columns");
    caucus_on_note(ctx, NULL, NULL);
    cau_note(ctx, "nobody listens again");
    assert_string_equal(heard, "3 columns");
    assert_string_equal(caucus_message(ctx), ""); /* a note is not a failure */
    caucus_ctx_free(ctx);
}

static caucus_status make_context(void *self)
{
    (void)self;
    caucus_ctx *ctx = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    assert_true((st == CAUCUS_OK) == (ctx != NULL));
    caucus_ctx_free(ctx);
    return st;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation(make_context, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(a_failure_sets_the_message),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(notes_reach_their_callback),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
