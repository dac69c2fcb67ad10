/* train_sample.h - small data sets (the worked example of MATH A.6 and random ones), and runs. */

#ifndef CAU_SUPPORT_TRAIN_SAMPLE_H
#define CAU_SUPPORT_TRAIN_SAMPLE_H

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "dataset/dataset.h"
#include "support/support.h"
#include "train/fit.h"

/* MATH A.6: x1 c1 {t1 t2 t3}; x2 c2 {t1 t4}; x3 c1 {t3 t4}, or {t4} in data B; x4 c3 {t1 t3}. */
static inline caucus_data *sample_lecture(caucus_ctx *ctx, char which)
{
    static const caucus_feature x1[] = {{"t1", 1}, {"t2", 1}, {"t3", 1}};
    static const caucus_feature x2[] = {{"t1", 1}, {"t4", 1}};
    static const caucus_feature x3[] = {{"t4", 1}, {"t3", 1}};
    static const caucus_feature x4[] = {{"t1", 1}, {"t3", 1}};
    caucus_data *data = NULL;
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    assert_ok(ctx, cau_data_add(ctx, data, "c1", 1, x1, 3));
    assert_ok(ctx, cau_data_add(ctx, data, "c2", 1, x2, 2));
    assert_ok(ctx, cau_data_add(ctx, data, "c1", 1, x3, which == 'A' ? 2 : 1));
    assert_ok(ctx, cau_data_add(ctx, data, "c3", 1, x4, 2));
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* N instances with a few of K features; each feature has `copies` copies under different names.
 * Labels depend partly on chance, so the classes are not separable and the unregularised optimum is
 * finite over seen pairs. */
static inline caucus_data *sample_copies(caucus_ctx *ctx, size_t N, size_t K, size_t Y, char copies,
                                         bool valued, bool weighted, uint64_t seed)
{
    cau_rng rng;
    caucus_data *data = NULL;
    char name[64][24], label[24];
    caucus_feature x[64];
    cau_rng_init(&rng, seed);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < N; i++) {
        size_t n = 0, first = 0;
        for (size_t k = 0; k < K; k++) {
            if (cau_rng_real(&rng) > 0.4) continue;
            if (n == 0) first = k;
            double value = valued ? 0.25 + cau_rng_real(&rng) : 1;
            for (char copy = 0; copy < copies; copy++, n++) {
                snprintf(name[n], sizeof name[n], "%c%zu", 'f' + copy, k);
                x[n] = (caucus_feature){name[n], value};
            }
        }
        size_t y = cau_rng_real(&rng) < 0.5 ? cau_rng_below(&rng, Y) : first % Y;
        snprintf(label, sizeof label, "y%zu", y);
        double weight = weighted ? 0.5 + cau_rng_real(&rng) : 1;
        assert_ok(ctx, cau_data_add(ctx, data, label, weight, x, n));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

static inline caucus_data *sample_random(caucus_ctx *ctx, size_t N, size_t K, size_t Y, bool valued,
                                         bool weighted, uint64_t seed)
{
    return sample_copies(ctx, N, K, Y, 1, valued, weighted, seed);
}

/* Each feature has three copies, which L-BFGS merges. */
static inline caucus_data *sample_companions(caucus_ctx *ctx, size_t N, size_t K, size_t Y,
                                             uint64_t seed)
{
    return sample_copies(ctx, N, K, Y, 3, true, false, seed);
}

/* One of three labels, mostly determined by the word; with `partial`, sometimes left open. */
static inline const char *sample_tag(cau_rng *rng, size_t word, bool partial)
{
    static const char *const whole[] = {"B", "I", "O"}, *const open[] = {"?", "B|O", "I|O"};
    size_t y = cau_rng_real(rng) < 0.3 ? cau_rng_below(rng, 3) : word % 3;
    return partial && cau_rng_real(rng) < 0.3 ? open[y] : whole[y];
}

/* S sequences of one to five tokens from memory, with values; every second one has weight 2. */
static inline caucus_data *sample_sequences(caucus_ctx *ctx, size_t S, bool partial, uint64_t seed)
{
    static const char *const words[] = {"u", "v", "w", "x", "y", "z"};
    cau_rng rng;
    caucus_data *data = NULL;
    cau_rng_init(&rng, seed);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t s = 0; s < S; s++) {
        size_t T = 1 + cau_rng_below(&rng, 5);
        for (size_t t = 0; t < T; t++) {
            size_t word = cau_rng_below(&rng, 6);
            const caucus_feature x[] = {{words[word], 1}, {"length", 0.5 * (double)(t + 1)}};
            assert_ok(
                ctx, cau_data_add(ctx, data, sample_tag(&rng, word, partial), s % 2 ? 2 : 1, x, 2));
        }
        assert_ok(ctx, cau_data_break(ctx, data));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    return data;
}

/* Sequences from columns; the template has plain transitions and edge observations. */
static inline caucus_data *sample_columns(caucus_ctx *ctx, bool partial, uint64_t seed)
{
    static const char pattern[] =
        "U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,0]/%x[1,0]\n\nB\nB1:%x[0,0]\n";
    cau_rng rng;
    cau_strbuf text = {0};
    caucus_data *data = NULL;
    cau_rng_init(&rng, seed);
    for (size_t s = 0; s < 8; s++) {
        size_t T = 1 + cau_rng_below(&rng, 5);
        for (size_t t = 0; t < T; t++) {
            size_t word = cau_rng_below(&rng, 4);
            cau_strbuf_printf(&text, "w%zu\t%s\n", word, sample_tag(&rng, word, partial));
        }
        cau_strbuf_printf(&text, "\n");
    }
    char *template = strdup(test_file("sample.template", pattern, sizeof pattern - 1));
    const char *path = test_file("sample.txt", text.s, text.n);
    cau_data_options how = {
        .read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1}, .template = template, .partial = true};
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    free(template);
    cau_strbuf_clear(&text);
    return data;
}

/* Runs to the limit of precision unless changed. */
static inline cau_train_options sample_options(cau_solver_kind solver, double l1, double l2)
{
    return (cau_train_options){.l1 = l1,
                               .l2 = l2,
                               .solver = solver,
                               .transitions = CAU_TRANSITIONS_ALL,
                               .history = 6,
                               .stop = {.epsilon = 1e-9, .iterations = 100000, .period = 10}};
}

/* A number from the model's description. */
static inline double sample_info(const caucus_model *model, const char *key)
{
    const char *text = cau_model_info(model, key);
    double x = 0;
    assert_non_null(text);
    assert_true(cau_parse_real(text, strlen(text), &x));
    return x;
}

/* A caucus_progress_fn that stops a run after `*user` iterations. */
static inline bool stop_after(void *user, const caucus_progress *p)
{
    return p->iteration < *(const size_t *)user;
}

/* Trains with seed 1. */
static inline caucus_model *fit(caucus_ctx *ctx, const caucus_data *data,
                                const cau_train_options *o, unsigned threads)
{
    caucus_model *model = NULL;
    assert_ok(ctx, cau_fit(ctx, data, o, 1, threads, &model));
    return model;
}

/* One run with one thread, for test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    const caucus_data *data;
    cau_train_options options;
} fit_attempt;

static inline caucus_status try_fit(void *self)
{
    const fit_attempt *a = self;
    caucus_model *model = NULL;
    caucus_status st = cau_fit(a->ctx, a->data, &a->options, 1, 1, &model);
    cau_model_free(model);
    return st;
}

static inline caucus_status try_weights(void *self)
{
    const fit_attempt *a = self;
    cau_fit_result result = {0};
    caucus_status st = cau_fit_weights(a->ctx, a->data, &a->options, 1, 1, &result);
    cau_fit_result_clear(&result);
    return st;
}

#endif
