/* resample.c - confidence intervals and p-values by resampling units.
 *
 * N units (sentences, documents, tokens) have shares of hits and bases in each of S systems, and
 *     score_s = (sum_u hits_us) / (sum_u base_us),      delta = score_b - score_a
 *
 * Paired bootstrap [1]: draw N units with replacement, the same for all systems, B times.
 *     interval  the k-th smallest and the k-th largest value, k = floor((B+1) / 40), at least 1:
 *               the percentiles 2.5 and 97.5
 *     p         min(1, 2 (1 + #{delta* <= 0}) / (B + 1)), the systems ordered so that delta > 0.
 *               Two-sided: the data decide which tail is counted, so it is doubled. Ties count
 *               against the difference. If delta = 0, p is 1.
 * Approximate randomisation [2]: exchange the two systems in each unit with probability 1/2.
 *     p         (1 + #{|delta*| >= |delta|}) / (B + 1), two-sided; ties count against, and
 *               differences closer than 1e-12 are ties, since rounding may separate equal ones.
 *
 * Units are not drawn one by one: equal units form one of G groups, with a count. The bootstrap
 * draws the groups from a multinomial distribution: parcel after parcel gets a binomial number of
 * the remaining draws, by its share of the remaining units. A large group is a parcel. Small groups
 * share parcels of 256 units, whose draws are then distributed to single units: a byte of a random
 * number selects the unit, and the memory used stays within a few cache lines.
 * The randomisation moves the difference (d_hits, d_base) of a unit from one system to the other.
 * Units that are equal in both systems have no difference and drop out. The m units with the same
 * difference, up to its sign, form one group, and a binomial(m, 1/2) number of them is exchanged.
 * Both distributions are exactly those of units drawn one by one.
 *
 * Sums of counts are kept in doubles; they are exact, so their order does not matter. Each block of
 * resamples has its own random numbers, from the seed and the number of the block, so the result
 * does not depend on the number of threads.
 *
 * [1] Efron, Tibshirani. An Introduction to the Bootstrap. 1993. For systems: Berg-Kirkpatrick,
 *     Burkett, Klein. An empirical investigation of statistical significance in NLP. EMNLP 2012.
 * [2] Noreen. Computer Intensive Methods for Testing Hypotheses. 1989. For F1: Yeh. More accurate
 *     tests for the statistical significance of result differences. COLING 2000. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alphabet.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "eval/compare.h"
#include "math/kernels.h"

enum {
    BLOCK = 64,        /* resamples with random numbers of their own */
    MANY = 32,         /* groups of this size or more are faster to draw as a parcel */
    PARCEL = 256,      /* units of a parcel of small groups: the values of a byte */
    MANY_COINS = 2048, /* this many coins or more are faster to toss together */
};

#define TIE 1e-12

typedef enum { STREAM_BOOTSTRAP, STREAM_RANDOMISATION } random_stream;

static void init_rng(cau_rng *rng, uint64_t seed, random_stream of, size_t block)
{
    const uint64_t key[] = {seed, of, block};
    cau_rng_init(rng, cau_hash(key, sizeof key, 0));
}

static double score_of(double hits, double base)
{
    return base > 0 ? hits / base : 0;
}

/* ---- binomial numbers ---------------------------------------------------------------- */

/* n p < 10, p <= 1/2: sums probabilities from k = 0 upwards until they exceed a uniform number. */
static double binomial_by_inversion(cau_rng *rng, double n, double p)
{
    const double odds = p / (1 - p), zero = exp(n * log1p(-p)); /* of no success */
    for (;;) {
        double u = cau_rng_real(rng), here = zero;
        for (double k = 0; k <= n && here > 0; k++) {
            if (u < here) return k;
            u -= here;
            here *= odds * (n - k) / (k + 1);
        }
    } /* once in 10^15 times rounding lets u exceed the sum of all probabilities: draw again */
}

/* n p >= 10, p <= 1/2: transformed rejection. Hormann. The generation of binomial random
 * variates. J. Stat. Comput. Simul. 1993, algorithm BTRS, with its letters; with s(n) of
 * cau_stirling_remainder, log k! = log(sqrt(2 pi) (k+1)^(k+1/2) e^-(k+1)) + s(k+1). */
static double binomial_by_rejection(cau_rng *rng, double n, double p)
{
    const double r = p / (1 - p), spread = sqrt(n * p * (1 - p));
    const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double c = n * p + 0.5, v_r = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
    const double m = floor((n + 1) * p); /* the mode */
    for (;;) {
        const double u = cau_rng_real(rng) - 0.5, v = 1 - cau_rng_real(rng);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + c);
        if (!(k >= 0 && k <= n)) continue;
        if (us >= 0.07 && v <= v_r) return k;
        const double log_ratio = /* of the probabilities of k and m */
            (m + 0.5) * log((m + 1) / (r * (n - m + 1))) +
            (n + 1) * log((n - m + 1) / (n - k + 1)) + (k + 0.5) * log(r * (n - k + 1) / (k + 1)) +
            cau_stirling_remainder(m + 1) + cau_stirling_remainder(n - m + 1) -
            cau_stirling_remainder(k + 1) - cau_stirling_remainder(n - k + 1);
        if (log(v * alpha / (a / (us * us) + b)) <= log_ratio) return k;
    }
}

uint64_t cau_binomial(cau_rng *rng, uint64_t n, double p)
{
    const double N = (double)n, q = p <= 0.5 ? p : 1 - p;
    if (n == 0 || q <= 0) return p <= 0.5 ? 0 : n;
    const double k =
        N * q < 10 ? binomial_by_inversion(rng, N, q) : binomial_by_rejection(rng, N, q);
    return p <= 0.5 ? (uint64_t)k : n - (uint64_t)k;
}

/* A random generator of bits; `bits` has the unused ones of the last number. */
typedef struct {
    cau_rng rng;
    uint64_t bits;
    unsigned left;
} coin_source;

/* The number of heads in n tosses; each uses one bit. */
static uint64_t count_heads(coin_source *from, uint64_t n)
{
    if (n >= MANY_COINS) return cau_binomial(&from->rng, n, 0.5);
    uint64_t heads = 0;
    for (; n >= 64; n -= 64) heads += (uint64_t)__builtin_popcountll(cau_rng_next(&from->rng));
    if (n > from->left) {
        from->bits = cau_rng_next(&from->rng);
        from->left = 64;
    }
    heads += (uint64_t)__builtin_popcountll(from->bits & (((uint64_t)1 << n) - 1));
    from->bits >>= n;
    from->left -= (unsigned)n;
    return heads;
}

/* ---- multisets of units -------------------------------------------------------------- */

struct cau_shares {
    size_t S;
    uint64_t N;
    cau_alphabet *kinds; /* the name of a unit is the bytes of its shares [S] */
    uint64_t *times;     /* [G] by the number of the kind */
    size_t room;
};

caucus_status cau_shares_new(caucus_ctx *ctx, size_t systems, cau_shares **out)
{
    cau_shares *units = cau_calloc(1, sizeof *units);
    if (!units) return cau_fail_memory(ctx, "the units to resample");
    caucus_status st = cau_alphabet_new(ctx, &units->kinds);
    if (st) {
        cau_shares_free(units);
        return st;
    }
    units->S = systems;
    *out = units;
    return CAUCUS_OK;
}

void cau_shares_free(cau_shares *units)
{
    if (!units) return;
    cau_alphabet_free(units->kinds);
    free(units->times);
    free(units);
}

caucus_status cau_shares_add(cau_shares *units, const cau_share *share)
{
    const size_t G = cau_alphabet_size(units->kinds);
    if (!CAU_GROW(units->times, units->room, G + 1)) return CAUCUS_ERR_MEMORY;
    uint32_t g = cau_alphabet_add(units->kinds, (const char *)share, units->S * sizeof *share);
    if (g == CAU_UNKNOWN) return CAUCUS_ERR_MEMORY;
    if (g == G) units->times[g] = 0;
    units->times[g]++;
    units->N++;
    return CAUCUS_OK;
}

uint64_t cau_shares_count(const cau_shares *units)
{
    return units->N;
}

/* ---- units in the order of drawing --------------------------------------------------- */

/* The groups as arrays, those with many units first. */
typedef struct {
    size_t S, G, many;
    uint64_t N;
    uint64_t *times;  /* [G] */
    double *hits;     /* [S][G] */
    double *base;     /* [S][G] */
    uint32_t *owner;  /* [few] the group of each unit of the small groups */
    size_t few;       /* number of these units */
    double *sum_hits; /* [S] over all units */
    double *sum_base;
} unit_groups;

static void unit_groups_clear(unit_groups *c)
{
    free(c->times);
    free(c->hits);
    free(c->base);
    free(c->owner);
    free(c->sum_hits);
    free(c->sum_base);
}

/* Puts kind `id` of the multiset into place g. */
static void fill_group(unit_groups *c, const cau_shares *units, size_t id, size_t g)
{
    const char *shares = cau_alphabet_name(units->kinds, (uint32_t)id).s;
    c->times[g] = units->times[id];
    for (size_t s = 0; s < c->S; s++) {
        cau_share share; /* names are not aligned */
        memcpy(&share, shares + s * sizeof share, sizeof share);
        c->hits[s * c->G + g] = (double)share.hits;
        c->base[s * c->G + g] = (double)share.base;
        c->sum_hits[s] += (double)share.hits * (double)c->times[g];
        c->sum_base[s] += (double)share.base * (double)c->times[g];
    }
}

static caucus_status unit_groups_init(caucus_ctx *ctx, unit_groups *c, const cau_shares *units)
{
    const size_t G = cau_alphabet_size(units->kinds);
    *c = (unit_groups){.S = units->S, .G = G, .N = units->N};
    for (size_t id = 0; id < G; id++)
        if (units->times[id] >= MANY)
            c->many++;
        else
            c->few += (size_t)units->times[id];
    size_t cells;
    if (cau_size_mul(c->S, G, &cells)) {
        c->times = cau_alloc(G, sizeof *c->times);
        c->hits = cau_vector(cells, sizeof *c->hits);
        c->base = cau_vector(cells, sizeof *c->base);
        c->owner = cau_alloc(c->few, sizeof *c->owner);
        c->sum_hits = cau_calloc(c->S, sizeof *c->sum_hits);
        c->sum_base = cau_calloc(c->S, sizeof *c->sum_base);
    }
    if (!c->times || !c->hits || !c->base || !c->owner || !c->sum_hits || !c->sum_base)
        return cau_fail_memory(ctx, "the units to resample");
    size_t many = 0, few = c->many, unit = 0;
    for (size_t id = 0; id < G; id++) {
        const bool alone = units->times[id] < MANY;
        const size_t g = alone ? few++ : many++;
        fill_group(c, units, id, g);
        for (uint64_t i = 0; alone && i < c->times[g]; i++) c->owner[unit++] = (uint32_t)g;
    }
    return CAUCUS_OK;
}

static double score_at(const unit_groups *c, size_t s)
{
    return score_of(c->sum_hits[s], c->sum_base[s]);
}

/* ---- bootstrap ----------------------------------------------------------------------- */

typedef struct {
    const unit_groups *units;
    const cau_kernels *kernels;
    uint64_t seed;
    size_t B;
    double **drawn; /* [threads][G] how often each group is drawn */
    double *scores; /* [S][B] out */
} bootstrap_run;

/* The number of draws from a parcel, which is subtracted from `draws`, the remaining ones; `left`,
 * the remaining units, loses the parcel. */
static uint64_t draw_parcel(cau_rng *rng, uint64_t parcel, uint64_t *draws, uint64_t *left)
{
    const uint64_t k =
        parcel == *left ? *draws : cau_binomial(rng, *draws, (double)parcel / (double)*left);
    *draws -= k;
    *left -= parcel;
    return k;
}

/* k draws from the units of a parcel, which belong to the groups owner [size]. */
static void draw_singly(cau_rng *rng, uint64_t k, const uint32_t *owner, size_t size, double *drawn)
{
    if (size < PARCEL) {
        for (; k; k--) drawn[owner[cau_rng_below(rng, size)]]++;
        return;
    }
    for (; k >= 8; k -= 8) {
        uint64_t bytes = cau_rng_next(rng);
        for (int i = 0; i < 8; i++, bytes >>= 8) drawn[owner[bytes & 255]]++;
    }
    for (uint64_t bytes = cau_rng_next(rng); k; k--, bytes >>= 8) drawn[owner[bytes & 255]]++;
}

/* N draws with replacement; drawn [G] is how often each group was drawn. */
static void draw_units(cau_rng *rng, const unit_groups *c, double *drawn)
{
    uint64_t draws = c->N, left = c->N; /* remaining draws and units */
    for (size_t g = 0; g < c->many; g++)
        drawn[g] = (double)draw_parcel(rng, c->times[g], &draws, &left);
    for (size_t g = c->many; g < c->G; g++) drawn[g] = 0;
    for (size_t first = 0, size; first < c->few; first += size) {
        size = c->few - first < PARCEL ? c->few - first : PARCEL;
        uint64_t k = draw_parcel(rng, size, &draws, &left);
        draw_singly(rng, k, c->owner + first, size, drawn);
    }
}

static caucus_status bootstrap_block(void *self, size_t block, unsigned worker)
{
    const bootstrap_run *t = self;
    const unit_groups *c = t->units;
    double *drawn = t->drawn[worker];
    cau_rng rng;
    init_rng(&rng, t->seed, STREAM_BOOTSTRAP, block);
    const size_t begin = block * BLOCK, end = t->B - begin < BLOCK ? t->B : begin + BLOCK;
    for (size_t i = begin; i < end; i++) {
        draw_units(&rng, c, drawn);
        for (size_t s = 0; s < c->S; s++)
            t->scores[s * t->B + i] = score_of(t->kernels->dot(c->G, drawn, c->hits + s * c->G),
                                               t->kernels->dot(c->G, drawn, c->base + s * c->G));
    }
    return CAUCUS_OK;
}

/* The scores [S][B] of B draws. */
static caucus_status run_bootstrap(caucus_ctx *ctx, const unit_groups *c, size_t B, uint64_t seed,
                                   unsigned threads, double *scores)
{
    caucus_status st = CAUCUS_OK;
    bootstrap_run t = {
        .units = c, .kernels = cau_kernels_get(), .seed = seed, .B = B, .scores = scores};
    t.drawn = cau_calloc(threads, sizeof *t.drawn);
    if (!t.drawn) TRY(cau_fail_memory(ctx, "the resamples"));
    for (unsigned i = 0; i < threads; i++) {
        t.drawn[i] = cau_vector(c->G, sizeof **t.drawn);
        if (!t.drawn[i]) TRY(cau_fail_memory(ctx, "the resamples"));
    }
    TRY(cau_parallel(threads, (B - 1) / BLOCK + 1, bootstrap_block, &t));
done:
    for (unsigned i = 0; t.drawn && i < threads; i++) free(t.drawn[i]);
    free(t.drawn);
    return st;
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The percentiles 2.5 and 97.5 of x [B], which it sorts. */
static void find_interval(double *x, size_t B, double *low, double *high)
{
    size_t k = B / 40 + (B % 40 == 39); /* floor((B + 1) / 40) */
    if (k == 0) k = 1;
    qsort(x, B, sizeof *x, compare_reals);
    *low = x[k - 1];
    *high = x[B - k];
}

/* (1 + count) / (B + 1) */
static double p_value(uint64_t count, size_t B)
{
    return ((double)count + 1) / ((double)B + 1);
}

/* The bootstrap of two systems with scores a [B] and b [B]; `delta` [B] is scratch. */
static void bootstrap_pair(const double *a, const double *b, size_t B, double *delta,
                           cau_resampled *out)
{
    uint64_t against = 0;
    for (size_t i = 0; i < B; i++) {
        delta[i] = b[i] - a[i];
        against += out->difference > 0 ? delta[i] <= 0 : delta[i] >= 0;
    }
    out->bootstrap = out->difference == 0 ? 1 : fmin(1, 2 * p_value(against, B));
    find_interval(delta, B, &out->low, &out->high);
}

/* ---- randomisation ------------------------------------------------------------------- */

/* Units whose shares in two systems differ by (hits, base) or by (-hits, -base). */
typedef struct {
    double hits, base;
    uint64_t times;
} unit_change;

typedef struct {
    const unit_change *changes; /* [count] */
    size_t count;
    double hits, base; /* sums over both systems */
    double delta;      /* |score_b - score_a| on the data */
    uint64_t seed;
    size_t B;
    uint64_t *extreme; /* [blocks] out: resamples at least as far apart */
} randomisation_run;

/* With e_u = 1 if unit u is kept and -1 if it is exchanged, H the hits of both and
 * d_u the difference: hits_a* = (H - sum_u e_u d_u) / 2, and hits_b* is the rest; bases alike. */
static caucus_status randomisation_block(void *self, size_t block, unsigned worker)
{
    (void)worker;
    const randomisation_run *t = self;
    coin_source tossed = {.left = 0};
    init_rng(&tossed.rng, t->seed, STREAM_RANDOMISATION, block);
    const size_t begin = block * BLOCK, end = t->B - begin < BLOCK ? t->B : begin + BLOCK;
    uint64_t extreme = 0;
    for (size_t i = begin; i < end; i++) {
        double hits = t->hits, base = t->base; /* twice those of a */
        for (size_t j = 0; j < t->count; j++) {
            const unit_change *d = &t->changes[j];
            const double e = 2 * (double)count_heads(&tossed, d->times) - (double)d->times;
            hits -= e * d->hits;
            base -= e * d->base;
        }
        const double a = score_of(hits, base), b = score_of(2 * t->hits - hits, 2 * t->base - base);
        extreme += fabs(b - a) >= t->delta - TIE;
    }
    t->extreme[block] = extreme;
    return CAUCUS_OK;
}

static int compare_changes(const void *a, const void *b)
{
    const unit_change *x = a, *y = b;
    if (x->hits != y->hits) return x->hits < y->hits ? -1 : 1;
    return (x->base > y->base) - (x->base < y->base);
}

/* The different differences between systems a and b, into changes [G]; returns their number. */
static size_t find_changes(const unit_groups *c, size_t a, size_t b, unit_change *changes)
{
    size_t n = 0, kept = 0;
    for (size_t g = 0; g < c->G; g++) {
        unit_change d = {c->hits[b * c->G + g] - c->hits[a * c->G + g],
                         c->base[b * c->G + g] - c->base[a * c->G + g], c->times[g]};
        if (d.hits == 0 && d.base == 0) continue;
        if (d.hits < 0 || (d.hits == 0 && d.base < 0)) d.hits = -d.hits, d.base = -d.base;
        changes[n++] = d;
    }
    qsort(changes, n, sizeof *changes, compare_changes);
    for (size_t i = 0; i < n; i++)
        if (kept && compare_changes(&changes[kept - 1], &changes[i]) == 0)
            changes[kept - 1].times += changes[i].times;
        else
            changes[kept++] = changes[i];
    return kept;
}

/* The randomisation of a pair; `changes` [G] and `extreme` [blocks] are scratch. */
static caucus_status randomise_pair(const unit_groups *c, size_t a, size_t b, size_t B,
                                    uint64_t seed, unsigned threads, unit_change *changes,
                                    uint64_t *extreme, cau_resampled *out)
{
    randomisation_run t = {.changes = changes,
                           .count = find_changes(c, a, b, changes),
                           .hits = c->sum_hits[a] + c->sum_hits[b],
                           .base = c->sum_base[a] + c->sum_base[b],
                           .delta = fabs(out->difference),
                           .seed = seed,
                           .B = B,
                           .extreme = extreme};
    const size_t blocks = (B - 1) / BLOCK + 1;
    caucus_status st = cau_parallel(threads, blocks, randomisation_block, &t);
    if (st) return st;
    uint64_t count = 0;
    for (size_t i = 0; i < blocks; i++) count += extreme[i];
    out->randomisation = p_value(count, B);
    return CAUCUS_OK;
}

/* ---- all tests ----------------------------------------------------------------------- */

caucus_status cau_resample(caucus_ctx *ctx, const cau_shares *units, uint64_t resamples,
                           uint64_t seed, unsigned threads, size_t firsts, cau_interval *scores,
                           cau_resampled *pairs)
{
    caucus_status st = CAUCUS_OK;
    unit_groups c = {0};
    double *drawn = NULL, *delta = NULL;
    unit_change *changes = NULL;
    uint64_t *extreme = NULL;
    const size_t B = (size_t)resamples, S = units->S;
    if (threads == 0) threads = cau_threads(ctx);
    if (resamples == 0 || units->N == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "nothing to resample; ask for one resample or more "
                     "of one unit or more"));
    TRY(unit_groups_init(ctx, &c, units));
    size_t cells;
    if (B == resamples && cau_size_mul(S, B, &cells)) {
        drawn = cau_alloc(cells, sizeof *drawn); /* [S][B] */
        delta = cau_alloc(B, sizeof *delta);
        changes = cau_alloc(c.G, sizeof *changes);
        extreme = cau_alloc((B - 1) / BLOCK + 1, sizeof *extreme);
    }
    if (!drawn || !delta || !changes || !extreme)
        TRY(cau_fail(ctx, CAUCUS_ERR_MEMORY, "out of memory for %llu resamples; ask for fewer",
                     (unsigned long long)resamples));

    TRY(run_bootstrap(ctx, &c, B, seed, threads, drawn));
    for (size_t a = 0; a < firsts; a++)
        for (size_t b = a + 1; b < S; b++) {
            cau_resampled *pair = &pairs[cau_pair_at(S, a, b)];
            pair->difference = score_at(&c, b) - score_at(&c, a);
            bootstrap_pair(drawn + a * B, drawn + b * B, B, delta, pair);
            TRY(randomise_pair(&c, a, b, B, seed, threads, changes, extreme, pair));
        }
    for (size_t s = 0; s < S; s++) {
        scores[s].score = score_at(&c, s);
        find_interval(drawn + s * B, B, &scores[s].low, &scores[s].high);
    }
done:
    free(extreme);
    free(changes);
    free(delta);
    free(drawn);
    unit_groups_clear(&c);
    return st;
}
