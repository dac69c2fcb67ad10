/* apply_test.h - what the tests of this room share: tiny models with known weights, and the
 * text that a function writes. */

#ifndef CAU_APPLY_APPLY_TEST_H
#define CAU_APPLY_APPLY_TEST_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "support.h"

/* A model by its parts: names and labels separated by '|', weights [K][width]. */
typedef struct {
    const char *names, *labels;
    const double *w, *bias;
    bool apart; /* one weight for a feature: megam's explicit form */
    cau_read_options read;
    const char *info;
} tiny;

static inline size_t tiny_count(const char *list)
{
    size_t n = *list ? 1 : 0;
    for (; *list; list++) n += *list == '|';
    return n;
}

static inline cau_str tiny_item(const char *list, size_t i)
{
    while (i--) list += strcspn(list, "|") + 1;
    return (cau_str){list, strcspn(list, "|")};
}

static inline cau_str tiny_name(const void *self, size_t k)
{
    return tiny_item(((const tiny *)self)->names, k);
}

static inline cau_str tiny_label(const void *self, size_t y)
{
    return tiny_item(((const tiny *)self)->labels, y);
}

static inline caucus_model *tiny_model(const tiny *t)
{
    caucus_ctx *ctx = test_ctx();
    cau_model_parts parts = {.K = tiny_count(t->names),
                             .Y = tiny_count(t->labels),
                             .w = t->w,
                             .bias = t->bias,
                             .name = tiny_name,
                             .label = tiny_label,
                             .self = t,
                             .read = t->read};
    parts.width = t->apart ? 1 : parts.Y;
    if (parts.read.ngrams == 0) parts.read.ngrams = 1;
    if (t->info) parts.info = (cau_str){t->info, strlen(t->info)};
    caucus_model *model = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &model));
    caucus_ctx_free(ctx);
    return model;
}

/* A caucus_write_fn for a cau_text. */
static inline caucus_status into_text(void *user, const char *bytes, size_t length)
{
    cau_text_add(user, bytes, length);
    return ((cau_text *)user)->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

static inline caucus_status into_nothing(void *user, const char *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return CAUCUS_ERR_IO;
}

static inline const char *test_text(const char *name, const char *text)
{
    return test_file(name, text, strlen(text));
}

#endif
