/* tag_sample.h - tagging with tiny models, in many threads and over a pipe. */

#ifndef CAU_SUPPORT_TAG_SAMPLE_H
#define CAU_SUPPORT_TAG_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/apply_sample.h"
#include "support/label_sample.h"
#include "tag/tag.h"

/* Tags a text with a tiny model; returns the output, to be freed, and the status. */
static inline char *tiny_tag(caucus_ctx *ctx, const tiny *parts, const cau_tag_options *options,
                             unsigned threads, const char *input, caucus_status *status)
{
    caucus_model *model = tiny_model(parts);
    cau_strbuf out = {0};
    *status = cau_tag(ctx, model, options, threads, test_text("in.txt", input), into_text, &out);
    cau_model_free(model);
    return out.s ? out.s : calloc(1, 1);
}

/* The same where tagging must succeed. */
static inline char *tiny_tagged(const tiny *parts, const cau_tag_options *options, unsigned threads,
                                const char *input)
{
    caucus_status st;
    caucus_ctx *ctx = test_ctx();
    char *out = tiny_tag(ctx, parts, options, threads, input, &st);
    assert_ok(ctx, st);
    assert_non_null(out);
    caucus_ctx_free(ctx);
    return out;
}

/* The same with 1, 2 and 3 threads and with small chunks, which must not change the output. */
static inline char *tiny_tagged_alike(const tiny *parts, cau_tag_options options, const char *input)
{
    char *first = tiny_tagged(parts, &options, 1, input);
    options.chunk = 10;
    for (unsigned threads = 2; threads < 4; threads++) {
        char *again = tiny_tagged(parts, &options, threads, input);
        assert_string_equal(again, first);
        free(again);
    }
    return first;
}

/* One run with one thread, for test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    const char *path;
    cau_tag_options options;
} tag_attempt;

static inline caucus_status try_tag(void *self)
{
    const tag_attempt *a = self;
    cau_strbuf out = {0};
    caucus_status st = cau_tag(a->ctx, a->model, &a->options, 1, a->path, into_text, &out);
    cau_strbuf_clear(&out);
    return st;
}

/* Tags a file, then labels `count` (at most 3) instances from memory, together and the first alone.
 * For test_every_allocation. */
typedef struct {
    tag_attempt file;
    const sample_instance *items;
    size_t count;
} tag_memory_case;

static inline caucus_status tag_and_label(void *self)
{
    tag_memory_case *c = self;
    uint32_t path[3];
    double p[3 * 8], score, logz;
    assert_true(c->count <= 3 && c->file.model->Y <= 8);
    caucus_status st = try_tag(&c->file);
    if (!st)
        st = sample_label(c->file.ctx, c->file.model, c->items, c->count, path, p, &score, &logz);
    if (!st)
        st = sample_predict(c->file.ctx, c->file.model, c->items->features, c->items->count, p);
    return st;
}

static inline void check_tag_memory(tag_memory_case *c, const tiny *parts)
{
    caucus_model *model = tiny_model(parts);
    c->file.model = model;
    assert_true(test_every_allocation(tag_and_label, c) > 20);
    cau_model_free(model);
}

/* A conversation over a pipe: the tagger must answer a turn before the next one is written. */
typedef struct {
    int to;                       /* the tagger's input */
    const char *const *questions; /* "" ends a turn, NULL the last one */
    cau_strbuf answers;
} tag_conversation;

static inline caucus_status ask_next(void *user, const char *bytes, size_t length)
{
    tag_conversation *c = user;
    cau_strbuf_add(&c->answers, bytes, length);
    if (!*c->questions) close(c->to);
    for (; *c->questions && **c->questions; c->questions++) {
        const size_t n = strlen(*c->questions);
        assert_int_equal(write(c->to, *c->questions, n), n);
    }
    if (*c->questions) c->questions++;
    return CAUCUS_OK;
}

static inline void check_conversation(const tiny *parts, const char *const *questions,
                                      const char *want)
{
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(parts);
    const cau_tag_options plain = {0};
    tag_conversation c = {.to = ends[1], .questions = questions};
    assert_ok(ctx, ask_next(&c, "", 0));
    assert_ok(ctx, cau_tag(ctx, model, &plain, 2, path, ask_next, &c));
    assert_string_equal(c.answers.s, want);
    cau_strbuf_clear(&c.answers);
    close(ends[0]);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

#endif
