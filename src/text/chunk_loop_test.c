/* chunk_loop_test.c - the sink receives chunks in the order of the file, at any number of
 * threads. */

#include "text/chunk_loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/support.h"

enum { THREADS = 5, LINES = 2000, NEVER = -1 };

/* Copies the file: `work` copies a chunk to its slot, and the sink appends it to the text. */
typedef struct {
    cau_strbuf slot[2 * THREADS], text;
    size_t working[2 * THREADS]; /* threads at work in each slot */
    atomic_size_t under_way;
    long fails, sinks; /* line whose chunk fails in `work` or in the sink */
    bool notes, on_caller;
    pthread_t caller;
    unsigned threads;
} chunk_copies;

static bool has_line(const cau_text_chunk *chunk, long line)
{
    size_t lines = 0;
    for (size_t i = 0; i < chunk->n; i++) lines += chunk->bytes[i] == '\n';
    return line >= (long)chunk->first && line < (long)(chunk->first + lines);
}

static caucus_status copy_chunk(void *self, caucus_ctx *ctx, const cau_text_chunk *chunk,
                                size_t slot, unsigned thread)
{
    chunk_copies *c = self;
    assert_true(slot < cau_chunk_slots(c->threads) && thread < c->threads);
    assert_int_equal(c->working[slot]++, 0);
    const size_t under_way = atomic_fetch_add(&c->under_way, 1) + 1;
    assert_true(under_way <= cau_chunk_slots(c->threads));
    c->slot[slot].n = 0;
    cau_strbuf_add(&c->slot[slot], chunk->bytes, chunk->n);
    if (c->notes && chunk->first > LINES / 2) cau_note(ctx, "line %zu", chunk->first);
    if (has_line(chunk, c->fails)) {
        c->slot[slot].n /= 2;
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, "line %ld is bad", c->fails);
    }
    return CAUCUS_OK;
}

static caucus_status append_chunk(void *self, caucus_ctx *ctx, size_t slot, caucus_status st)
{
    chunk_copies *c = self;
    assert_int_equal(c->working[slot]--, 1);
    atomic_fetch_sub(&c->under_way, 1);
    if (c->on_caller) assert_true(pthread_equal(pthread_self(), c->caller));
    if (c->sinks != NEVER && c->text.n >= (size_t)c->sinks)
        return cau_fail(ctx, CAUCUS_ERR_IO, "the sink is full");
    cau_strbuf_add(&c->text, c->slot[slot].s, c->slot[slot].n);
    return st ? cau_fail(ctx, CAUCUS_ERR_IO, "not the message of the work") : CAUCUS_OK;
}

static void copy_clear(chunk_copies *c)
{
    for (size_t i = 0; i < 2 * THREADS; i++) cau_strbuf_clear(&c->slot[i]);
    cau_strbuf_clear(&c->text);
}

static caucus_status run_copy(caucus_ctx *ctx, const char *path, size_t size, chunk_copies *c)
{
    cau_chunker *chunker = NULL;
    const cau_chunk_work work = {
        .work = copy_chunk, .sink = append_chunk, .sink_on_caller = c->on_caller, .self = c};
    caucus_status st = cau_chunker_open(ctx, path, false, &chunker);
    if (!st) st = cau_chunk_loop(ctx, chunker, size, NULL, c->threads, &work);
    cau_chunker_free(chunker);
    return st;
}

static const char *write_lines(cau_strbuf *text)
{
    for (int i = 1; i <= LINES; i++) cau_strbuf_printf(text, "line %d%*s\n", i, i % 50, "");
    return test_file("lines.txt", text->s, text->n);
}

static void test_order(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 3000, 1 << 20};
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    const char *path = write_lines(&text);
    for (unsigned threads = 1; threads <= THREADS; threads++)
        for (size_t i = 0; i < 8; i++) {
            chunk_copies c = {.fails = NEVER,
                              .sinks = NEVER,
                              .on_caller = i % 2,
                              .caller = pthread_self(),
                              .threads = threads};
            assert_ok(ctx, run_copy(ctx, path, sizes[i / 2], &c));
            assert_int_equal(c.text.n, text.n);
            assert_memory_equal(c.text.s, text.s, text.n);
            copy_clear(&c);
        }
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* The first failure in the order of the file is reported, and the sink gets all chunks before
 * it. */
static void test_failures(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    const char *path = write_lines(&text);
    for (unsigned threads = 1; threads <= THREADS; threads++)
        for (long line = 1; line <= LINES; line += 333) {
            char message[32], start[32];
            snprintf(message, sizeof message, "line %ld is bad", line);
            snprintf(start, sizeof start, "line %ld", line);
            const char *at = strstr(text.s, start);
            chunk_copies c = {.fails = line,
                              .sinks = NEVER,
                              .on_caller = line % 2,
                              .threads = threads,
                              .caller = pthread_self()};
            assert_fails(ctx, run_copy(ctx, path, 1, &c), CAUCUS_ERR_FORMAT, message);
            assert_true(c.text.n >= (size_t)(at - text.s));
            assert_memory_equal(c.text.s, text.s, c.text.n);
            assert_true(c.text.n < (size_t)(strchr(at, '\n') - text.s));
            copy_clear(&c);

            chunk_copies full = {.fails = NEVER, .sinks = at - text.s, .threads = threads};
            assert_fails(ctx, run_copy(ctx, path, 1, &full), CAUCUS_ERR_IO, "the sink is full");
            assert_int_equal(full.text.n, at - text.s);
            copy_clear(&full);
        }
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

static void add_note(void *user, const char *sentence)
{
    cau_strbuf_printf(user, "%s;", sentence);
}

static void test_one_note(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    const char *path = write_lines(&text);
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        cau_strbuf notes = {0};
        chunk_copies c = {.fails = NEVER, .sinks = NEVER, .notes = true, .threads = threads};
        caucus_on_note(ctx, add_note, &notes);
        assert_ok(ctx, run_copy(ctx, path, 1, &c));
        assert_string_equal(notes.s, "line 1001;");
        cau_strbuf_clear(&notes);
        copy_clear(&c);
    }
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* If reading fails in the middle of the file, the sink gets the lines before the damage. */
static void test_damaged_file(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const unsigned char packed[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 7};
    const char *path = test_file("cut.gz", (const char *)packed, sizeof packed);
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        chunk_copies c = {.fails = NEVER, .sinks = NEVER, .threads = threads};
        assert_fails(ctx, run_copy(ctx, path, 10, &c), CAUCUS_ERR_FORMAT,
                     "damaged or cut short gzip data");
        assert_int_equal(c.text.n, 0);
        copy_clear(&c);
    }
    caucus_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_one_note), cmocka_unit_test(test_damaged_file)};
    return cmocka_run_group_tests_name("text/chunk_loop", tests, NULL, NULL);
}
