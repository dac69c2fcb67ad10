/* mega_sample.h - data of several domains, and a second implementation of MEGA: the formulas as
 * they stand, dense and without optimisation. */

#ifndef CAU_SUPPORT_MEGA_SAMPLE_H
#define CAU_SUPPORT_MEGA_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/mega_run.h"
#include "base/rng.h"
#include "support/support.h"
#include "train/seen.h"

/* The features of an instance, one letter each; "" for none. Domains may come in any order. */
typedef struct {
    uint32_t domain;
    const char *label, *features;
    double weight; /* 0 stands for 1 */
} sample_row;

/* Moves the units [S] of the sequences (or instances) into the data. */
static inline void sample_units(caucus_data *data, const uint32_t *unit)
{
    const size_t S = data->train.sequence ? data->train.S : data->train.N;
    free(data->train.unit);
    data->train.unit = malloc(S * sizeof *unit);
    assert_non_null(data->train.unit);
    memcpy(data->train.unit, unit, S * sizeof *unit);
}

static inline caucus_data *sample_rows(caucus_ctx *ctx, const sample_row *row, size_t N)
{
    caucus_data *data = NULL;
    uint32_t unit[64];
    assert_true(N <= 64);
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t i = 0; i < N; i++) {
        char name[26][2];
        caucus_feature x[26];
        size_t n = 0;
        for (const char *f = row[i].features; *f; f++, n++) {
            snprintf(name[n], sizeof name[n], "%c", *f);
            x[n] = (caucus_feature){name[n], 1};
        }
        assert_ok(ctx, cau_data_add(ctx, data, row[i].label, row[i].weight > 0 ? row[i].weight : 1,
                                    x, n));
        unit[i] = row[i].domain;
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    sample_units(data, unit);
    return data;
}

/* The law of a random problem. */
typedef struct {
    size_t D, N, K, Y; /* instances or sequences per domain */
    double dense;      /* the probability of a feature */
    double apart;      /* 0: all domains have the same law; 1: each has its own */
    bool chain;        /* sequences of 1 to 4 tokens */
    bool valued, weighted;
    uint64_t seed;
} sample_law;

/* One number between low and high per domain, `stride` apart in memory; law->apart sets how much
 * they differ. */
static inline void sample_mixed(cau_rng *rng, const sample_law *law, double low, double high,
                                size_t stride, double *out)
{
    const double common = low + (high - low) * cau_rng_real(rng);
    for (size_t d = 0; d < law->D; d++) {
        const double own = low + (high - low) * cau_rng_real(rng);
        out[d * stride] = (1 - law->apart) * common + law->apart * own;
    }
}

/* Draws a label with probability proportional to exp(score). */
static inline size_t sample_label(cau_rng *rng, size_t Y, const double *score)
{
    double sum = 0, at;
    size_t y = 0;
    for (size_t i = 0; i < Y; i++) sum += exp(score[i]);
    for (at = sum * cau_rng_real(rng) - exp(score[0]); at > 0 && y + 1 < Y;) at -= exp(score[++y]);
    return y;
}

/* Each domain draws features with its own probabilities and labels from its own MaxEnt classifier;
 * law->apart sets how much these differ. */
static inline caucus_data *sample_domains(caucus_ctx *ctx, const sample_law *law)
{
    cau_rng rng;
    caucus_data *data = NULL;
    char name[64][24], label[24];
    caucus_feature x[64];
    const size_t S = law->D * law->N;
    uint32_t *unit = malloc(S * sizeof *unit);
    double *p = malloc(law->D * law->K * sizeof *p), *w = malloc(law->D * law->K * 8 * sizeof *w);
    assert_true(unit && p && w && law->K <= 64 && law->Y <= 8);
    cau_rng_init(&rng, law->seed);
    for (size_t k = 0; k < law->K; k++) {
        sample_mixed(&rng, law, 0, 2 * law->dense, law->K, p + k);
        for (size_t y = 0; y < law->Y; y++)
            sample_mixed(&rng, law, -4, 4, law->K * 8, w + k * 8 + y);
    }
    assert_ok(ctx, cau_data_new(ctx, NULL, &data));
    for (size_t s = 0; s < S; s++) {
        const size_t d = s / law->N, T = law->chain ? 1 + cau_rng_below(&rng, 4) : 1;
        const double weight = law->weighted ? 0.5 + cau_rng_real(&rng) : 1;
        unit[s] = (uint32_t)d;
        for (size_t t = 0; t < T; t++) {
            size_t n = 0;
            double score[8] = {0};
            for (size_t k = 0; k < law->K; k++) {
                if (cau_rng_real(&rng) >= p[d * law->K + k]) continue;
                for (size_t y = 0; y < law->Y; y++) score[y] += w[(d * law->K + k) * 8 + y];
                snprintf(name[n], sizeof name[n], "f%zu", k);
                x[n] = (caucus_feature){name[n], law->valued ? 0.25 + cau_rng_real(&rng) : 1};
                n++;
            }
            const size_t drawn = sample_label(&rng, law->Y, score);
            const size_t y = s < 2 && t == 0 ? s : drawn; /* at least two classes */
            snprintf(label, sizeof label, "y%zu", y);
            assert_ok(ctx, cau_data_add(ctx, data, label, weight, x, n));
        }
        if (law->chain) assert_ok(ctx, cau_data_break(ctx, data));
    }
    assert_ok(ctx, cau_data_close(ctx, data));
    sample_units(data, unit);
    free(unit);
    free(p);
    free(w);
    return data;
}

static inline cau_mega_options sample_mega_options(cau_mega_optimizer optimizer)
{
    return (cau_mega_options){.optimizer = optimizer, .l2 = 1, .a = 2, .b = 2, .threads = 1};
}

/* The loss and the objective of the parameters of mega, with the options of a fit, and the
 * posterior of z for every instance, either of which may be NULL: given [N] p(general | x_n), known
 * [N] p(general | x_n, y_n). Fails only for want of memory. */
static inline caucus_status sample_expect(caucus_ctx *ctx, const cau_domains *domains,
                                          const cau_mega_options *options, cau_mega *mega,
                                          double *given, double *known)
{
    cau_mega_run run = {0};
    caucus_status st = cau_mega_run_init(ctx, domains, options, mega, &run);
    if (!st) st = cau_mega_expect(&run);
    if (!st && given) memcpy(given, run.given, domains->N * sizeof *given);
    if (!st && known) memcpy(known, run.known, domains->N * sizeof *known);
    cau_mega_run_clear(&run);
    return st;
}

/* Random parameters for a mega that is zeroed but has its tables, `spread` away from the start of
 * a fit. */
static inline void sample_parameters(cau_mega *mega, double spread, uint64_t seed)
{
    cau_rng rng;
    cau_rng_init(&rng, seed);
    for (size_t c = 0; c <= mega->D; c++) {
        for (size_t f = 0; f < mega->bayes.B; f++)
            mega->psi[c][f] = 0.5 + spread * (cau_rng_real(&rng) - 0.5);
        for (size_t k = 0; k < cau_mega_weights(mega, c); k++)
            mega->w[c][k] = spread * (2 * cau_rng_real(&rng) - 1);
    }
    for (size_t d = 0; d < mega->D; d++) mega->pi[d] = 0.5 + spread * (cau_rng_real(&rng) - 0.5);
}

/* ---- MEGA a second time ---------------------------------------------------------------------- */

/* The weight of component c for a column and a class, or 0 if it has none. */
static inline double plain_weight(const cau_mega *mega, size_t c, size_t k, size_t y)
{
    const size_t at = cau_table_find(&mega->table[c], k, y);
    return at == SIZE_MAX ? 0 : mega->w[c][at];
}

/* p(y|x_n, w^c). */
static inline double plain_label(const cau_domains *domains, const cau_mega *mega, size_t c,
                                 size_t n, size_t label)
{
    const cau_csr *x = &domains->all.x;
    double sum = 0, own = 0;
    for (size_t y = 0; y < domains->Y; y++) {
        double s = mega->bias ? mega->w[c][cau_table_size(&mega->table[c]) + y] : 0;
        for (size_t e = x->start[n]; e < x->start[n + 1]; e++)
            s += (x->value ? (double)x->value[e] : 1) * plain_weight(mega, c, x->column[e], y);
        sum += exp(s);
        if (y == label) own = exp(s);
    }
    return own / sum;
}

/* Psi_n of component c. */
static inline double plain_psi(const cau_domains *domains, const cau_mega *mega, size_t c, size_t n)
{
    const cau_csr *x = &domains->all.x;
    double product = 1;
    for (size_t f = 0; f < mega->bayes.B; f++) {
        bool there = false;
        for (size_t e = x->start[n]; e < x->start[n + 1]; e++)
            there |= x->column[e] == mega->bayes.feature[f];
        product *= there ? mega->psi[c][f] : 1 - mega->psi[c][f];
    }
    return product;
}

static inline size_t plain_domain(const cau_domains *domains, size_t n)
{
    size_t d = 0;
    while (n >= domains->begin[d + 1]) d++;
    return d;
}

/* rho_n(z), and p(y_n|x_n, w^c(z)). */
typedef struct {
    double rho[2], label[2];
} plain_instance;

static inline plain_instance plain_at(const cau_domains *domains, const cau_mega *mega, size_t n)
{
    const size_t d = plain_domain(domains, n), y = domains->all.gold[n];
    return (plain_instance){
        .rho = {(1 - mega->pi[d]) * plain_psi(domains, mega, d, n),
                mega->pi[d] * plain_psi(domains, mega, mega->D, n)},
        .label = {plain_label(domains, mega, d, n, y), plain_label(domains, mega, mega->D, n, y)}};
}

static inline double plain_weight_of(const cau_domains *domains, size_t n)
{
    return domains->all.weight ? (double)domains->all.weight[n] : 1;
}

static inline double plain_log_prior(const cau_mega *mega, const cau_mega_options *o)
{
    double sum = 0;
    for (size_t c = 0; c <= mega->D; c++) {
        for (size_t f = 0; f < mega->bayes.B; f++)
            sum += (o->a - 1) * log(mega->psi[c][f]) + (o->b - 1) * log(1 - mega->psi[c][f]);
        const bool own = o->tied && c < mega->D;
        const size_t n = cau_table_size(&mega->table[c]);
        for (size_t k = 0; k < n + (own && mega->bias ? mega->table[c].width : 0); k++)
            sum -= o->l2 / 2 * pow(mega->w[c][k] - (own ? mega->w[mega->D][k] : 0), 2);
    }
    return sum;
}

static inline double plain_objective(const cau_domains *domains, const cau_mega *mega,
                                     const cau_mega_options *o)
{
    double sum = plain_log_prior(mega, o);
    for (size_t n = 0; n < domains->N; n++) {
        const plain_instance i = plain_at(domains, mega, n);
        sum += plain_weight_of(domains, n) *
               log((i.rho[0] * i.label[0] + i.rho[1] * i.label[1]) / (i.rho[0] + i.rho[1]));
    }
    return sum;
}

#endif
