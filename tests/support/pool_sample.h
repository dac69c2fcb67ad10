/* pool_sample.h - columns read with any template, with or without a development set, and questions
 * about the weights of pools. */

#ifndef CAU_SUPPORT_POOL_SAMPLE_H
#define CAU_SUPPORT_POOL_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pools.h"
#include "support/train_sample.h"

/* Two groups of patterns. One pattern is in both groups; one pattern and all edges are in neither.
 */
static const char sample_bags[] = "U00:%x[0,0]\nU01:%x[-1,0]\nU10:%x[0,1]\nU20:%x[0,0]/%x[0,1]\n"
                                  "U30:%x[1,1]\nB\nB1:%x[0,1]\n"
                                  "@bag words: U0* U2*\n@bag tags: U1* U20\n";

static inline const char *sample_lines(const char *name, size_t S, bool partial, uint64_t seed)
{
    static const char *const tags[] = {"a", "b", "c"};
    cau_rng rng;
    cau_strbuf text = {0};
    cau_rng_init(&rng, seed);
    for (size_t s = 0; s < S; s++) {
        for (size_t T = 1 + cau_rng_below(&rng, 5); T > 0; T--) {
            const size_t word = cau_rng_below(&rng, 6);
            const size_t tag = cau_rng_real(&rng) < 0.3 ? cau_rng_below(&rng, 3) : word % 3;
            cau_strbuf_printf(&text, "w%zu\t%s\t%s\n", word, tags[tag],
                              sample_tag(&rng, cau_rng_real(&rng) < .5 ? word : tag, partial));
        }
        cau_strbuf_printf(&text, "\n");
    }
    const char *path = test_file(name, text.s, text.n);
    cau_strbuf_clear(&text);
    return path;
}

/* `dev`: the number of development sequences. Their labels may be partial. */
static inline caucus_data *sample_read(caucus_ctx *ctx, const char *template, size_t S, size_t dev,
                                       bool partial, uint64_t seed)
{
    caucus_data *data = NULL;
    char *pattern = strdup(test_text("pool.template", template));
    char *train = strdup(sample_lines("pool.txt", S, false, seed));
    const char *path = train;
    cau_data_options how = {
        .read = {.format = CAU_FORMAT_COLUMNS, .ngrams = 1}, .template = pattern, .partial = true};
    if (dev) how.dev = sample_lines("pool.dev", dev, partial, seed + 1000);
    assert_ok(ctx, cau_data_read(ctx, &how, &path, 1, &data));
    free(pattern);
    free(train);
    return data;
}

/* The number of a feature. */
static inline uint32_t sample_id(const caucus_data *data, const char *name)
{
    const uint32_t id = cau_alphabet_find(data->alphabets.names, name, strlen(name));
    assert_true(id != CAU_UNKNOWN);
    return id;
}

/* The weight of a feature for a label, in a model or in one of its members. */
static inline double sample_weight(const caucus_model *m, const cau_observations *of,
                                   const char *name, size_t y)
{
    const uint32_t k = cau_model_find(m, of, name, strlen(name));
    return k == CAU_UNKNOWN ? 0 : cau_model_weight(of, k, y);
}

/* Trains a pool with seed 7. */
static inline caucus_model *sample_fit(caucus_ctx *ctx, const caucus_data *data,
                                       const cau_pool_options *pool, const cau_train_options *train,
                                       unsigned threads)
{
    caucus_model *m = NULL;
    assert_ok(ctx, cau_pool_fit(ctx, data, pool, train, 7, threads, &m));
    return m;
}

/* The weights of the pool are the means of its members' weights. */
static inline void sample_sums(const caucus_model *m)
{
    const cau_observations *all[] = {&m->nodes, &m->edges};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < all[i]->K; k++)
            for (size_t c = 0; c < all[i]->width; c++) {
                double sum = 0;
                for (size_t j = 0; j < m->pool.J; j++)
                    sum += m->pool.alpha[j] *
                           cau_model_weight(i ? &m->member[j].edges : &m->member[j].nodes, k, c);
                assert_near(cau_model_weight(all[i], k, c), sum, 1e-6);
            }
}

/* The largest difference between the weights of two members. */
static inline double sample_distance(const caucus_model *m, size_t a, size_t b)
{
    double most = 0;
    for (size_t k = 0; k < m->nodes.K; k++)
        for (size_t c = 0; c < m->nodes.width; c++)
            most = fmax(most, fabs(cau_model_weight(&m->member[a].nodes, k, c) -
                                   cau_model_weight(&m->member[b].nodes, k, c)));
    return most;
}

#endif
