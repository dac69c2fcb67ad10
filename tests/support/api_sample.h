/* api_sample.h - options, sentences and predictions for the tests of the public interface. */

#ifndef CAU_SUPPORT_API_SAMPLE_H
#define CAU_SUPPORT_API_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

/* Options of a command, set from pairs of name and value; NULL ends the list. */
__attribute__((sentinel)) static inline caucus_options *
sample_options(caucus_ctx *ctx, const char *command, const char *name, ...)
{
    caucus_options *options = NULL;
    va_list rest;
    va_start(rest, name);
    assert_ok(ctx, caucus_options_new(ctx, command, &options));
    for (; name; name = va_arg(rest, const char *))
        assert_ok(ctx, caucus_options_set(ctx, options, name, va_arg(rest, const char *)));
    va_end(rest);
    return options;
}

/* Tokens: word, tag, label. A row without a word ends a sequence. */
static const char *const sample_rows[][3] = {
    {"The", "DT", "O"},
    {"old", "JJ", "O"},
    {"man", "NN", "B-X"},
    {"saw", "VB", "O"},
    {"her", "PR", "B-X"},
    {NULL},
    {"A", "DT", "O"},
    {"dog", "NN", "B-X"},
    {"sat", "VB", "O"},
    {NULL},
    {"The", "DT", "O"},
    {"old", "JJ", "B-X"},
    {"dog", "NN", "I-X"},
    {"barks", "VB", "O"},
    {NULL},
    {"Dogs", "NN", "B-X"},
    {"bark", "VB", "O"},
    {NULL},
    {"A", "DT", "O"},
    {"man", "NN", "B-X"},
    {"barks", "VB", "O"},
    {"unheard", "XX", "O"},
    {NULL},
};
enum { SAMPLE_ROWS = sizeof sample_rows / sizeof *sample_rows };

/* A caucus_write_fn that appends to a string of SAMPLE_TEXT bytes. */
enum { SAMPLE_TEXT = 1 << 16 };
static inline caucus_status sample_collect(void *user, const char *bytes, size_t length)
{
    const size_t n = strlen(user);
    if (n + length >= SAMPLE_TEXT) return CAUCUS_ERR_MEMORY;
    memcpy((char *)user + n, bytes, length);
    ((char *)user)[n + length] = '\0';
    return CAUCUS_OK;
}

/* p(class | features) of one instance, [classes]. */
static inline caucus_status sample_predict(caucus_ctx *ctx, const caucus_model *model,
                                           const caucus_feature *features, size_t count, double *p)
{
    caucus_options *options = NULL;
    caucus_tagger *tagger = NULL;
    caucus_status st = caucus_options_new(ctx, "tag", &options);
    if (!st) st = caucus_options_set(ctx, options, "probabilities", NULL);
    if (!st) st = caucus_tagger_new(ctx, model, options, &tagger);
    if (!st) st = caucus_tagger_add_features(ctx, tagger, features, count);
    if (!st) st = caucus_tagger_run(ctx, tagger);
    if (!st) memcpy(p, caucus_tagger_marginals(tagger), caucus_model_classes(model) * sizeof *p);
    caucus_tagger_free(tagger);
    caucus_options_free(options);
    return st;
}

#endif
