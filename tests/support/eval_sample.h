/* eval_sample.h - scores of tagged text, and the errors that it causes. */

#ifndef CAU_SUPPORT_EVAL_SAMPLE_H
#define CAU_SUPPORT_EVAL_SAMPLE_H

#include <string.h>

#include "eval/scores.h"
#include "support/support.h"

/* The scores of a text. Messages name the file tagged.txt. */
static inline caucus_status sample_read(caucus_ctx *ctx, const cau_eval_options *options,
                                        const char *text, caucus_scores **out)
{
    const char *path = test_text("tagged.txt", text);
    return cau_scores_read(ctx, options, &path, 1, out);
}

static inline void sample_fails(const cau_eval_options *options, const char *text,
                                const char *message)
{
    caucus_ctx *ctx = test_ctx();
    caucus_scores *scores = NULL;
    assert_fails(ctx, sample_read(ctx, options, text, &scores), CAUCUS_ERR_FORMAT, message);
    assert_null(scores);
    caucus_ctx_free(ctx);
}

typedef struct {
    const cau_eval_options *options;
    const char *path;
} sample_reading;

static inline caucus_status sample_read_once(void *self)
{
    const sample_reading *r = self;
    caucus_ctx *ctx = NULL;
    caucus_scores *scores = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (!st) st = cau_scores_read(ctx, r->options, &r->path, 1, &scores);
    cau_scores_free(scores);
    caucus_ctx_free(ctx);
    return st;
}

/* Fails every allocation of reading a text in turn; there must be more than `least`. */
static inline void sample_without_memory(const cau_eval_options *options, const char *text,
                                         size_t least)
{
    sample_reading r = {options, test_text("memory.txt", text)};
    assert_true(test_every_allocation(sample_read_once, &r) > least);
}

#endif
