/* questions.c - ranks pairs by uncertainty, one row of the table of pairs at a time.
 *
 * The entropy of p = c / S is highest where c is nearest to S/2, so pairs are ranked by the integer
 * |2c - S|, for which ties are exact. Pairs that are together in some sample are counted item by
 * item: the items of a cluster are a list in ascending order, and walking the lists after item a in
 * all samples counts its row,
 *     c_ab = #{s : b comes after a in the list of s},     O(S sum_k n_k^2) over all rows.
 * So the whole table of N(N-1)/2 numbers is never stored: memory is O(S N + n).
 *
 * The n best pairs so far are a heap with the worst on top. Only a pair that beats it is looked up
 * in the links and among the skipped pairs, and gets a random number that breaks ties.
 *
 * All other pairs have entropy 0 and are ranked at random. They are drawn uniformly until n are
 * found. If as many draws as there are pairs do not suffice, hardly any pair is open, and the rest
 * is drawn by reservoir sampling from all pairs, at no more than the same cost again. */

#include "cluster/questions.h"

#include <math.h>
#include <stdlib.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "base/status.h"

#define LAST UINT32_MAX /* see cau_list_clusters */

static size_t count_pairs(size_t N)
{
    return N ? N * (N - 1) / 2 : 0;
}

static size_t count_kept(const cau_partitions *samples, const uint8_t *keep)
{
    size_t kept = 0;
    for (size_t s = 0; s < samples->S; s++) kept += !keep || keep[s];
    return kept;
}

caucus_status cau_co_membership(const cau_partitions *samples, const uint8_t *keep, float *out)
{
    const size_t N = samples->N, pairs = count_pairs(N), kept = count_kept(samples, keep);
    if (kept == 0) return CAUCUS_ERR_ARGUMENT;
    uint32_t *last = cau_alloc(N, sizeof *last), *next = cau_alloc(N, sizeof *next);
    if (!last || !next) {
        free(last);
        free(next);
        return CAUCUS_ERR_MEMORY;
    }
    for (size_t i = 0; i < pairs; i++) out[i] = 0;
    for (size_t s = 0; s < samples->S; s++) {
        if (keep && !keep[s]) continue;
        cau_list_clusters(samples->z + s * N, N, last, next);
        for (size_t a = 0; a < N; a++)
            for (uint32_t b = next[a]; b != LAST; b = next[b]) out[cau_pair_index(N, a, b)]++;
    }
    for (size_t i = 0; i < pairs; i++) out[i] /= (float)kept;
    free(last);
    free(next);
    return CAUCUS_OK;
}

size_t cau_questions_filter(const cau_partitions *samples, const cau_question *question,
                            bool together, uint8_t *keep)
{
    size_t left = 0;
    for (size_t s = 0; s < samples->S; s++) {
        const uint32_t *z = samples->z + s * samples->N;
        if ((z[question->a] == z[question->b]) != together) keep[s] = 0;
        left += keep[s] != 0;
    }
    return left;
}

/* ---- what may be asked ----------------------------------------------------------------------- */

typedef struct {
    const cau_partitions *samples;
    const uint8_t *keep; /* [S], or NULL */
    size_t kept;
    const cau_links *links;
    cau_key_set passed; /* skipped or chosen pairs */
    cau_rng *rng;
} pair_search;

static caucus_status search_init(caucus_ctx *ctx, pair_search *find, const uint64_t *skip,
                                 size_t skips, size_t n)
{
    size_t room;
    find->kept = count_kept(find->samples, find->keep);
    if (!cau_size_add(skips, n, &room) || !cau_key_set_reserve(&find->passed, room))
        return cau_fail_memory(ctx, "the questions");
    for (size_t i = 0; i < skips; i++) cau_key_set_add(&find->passed, skip[i]);
    return CAUCUS_OK;
}

static bool may_ask(const pair_search *find, uint32_t a, uint32_t b)
{
    return cau_links_state(find->links, a, b) == CAU_PAIR_OPEN &&
           cau_key_set_find(&find->passed, cau_pair_index(find->samples->N, a, b)) == SIZE_MAX;
}

/* The share of samples in which the pair is together; NaN without samples. */
static double together(const pair_search *find, uint32_t a, uint32_t b)
{
    const cau_partitions *samples = find->samples;
    size_t count = 0;
    for (size_t s = 0; s < samples->S; s++) {
        const uint32_t *z = samples->z + s * samples->N;
        if (!find->keep || find->keep[s]) count += z[a] == z[b];
    }
    return find->kept ? (double)count / (double)find->kept : (double)NAN;
}

/* ---- by chance ------------------------------------------------------------------------------- */

/* A uniformly random pair of N > 1 items. */
static cau_question draw_pair(cau_rng *rng, size_t N)
{
    const uint32_t a = (uint32_t)cau_rng_below(rng, N);
    uint32_t b = (uint32_t)cau_rng_below(rng, N - 1);
    if (b >= a) b++;
    return (cau_question){a < b ? a : b, a < b ? b : a, 0};
}

/* Draws up to n pairs from a list of all open pairs, in random order. Returns their number. */
static size_t draw_from_list(pair_search *find, size_t n, cau_question *out)
{
    const size_t N = find->samples->N;
    size_t seen = 0, count = 0;
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = a + 1; b < N; b++) {
            if (!may_ask(find, a, b)) continue;
            size_t at = cau_rng_below(find->rng, ++seen);
            if (count < n) { /* a random place for the new pair; the old one moves to the end */
                if (at < count) out[count] = out[at];
                count++;
            }
            if (at < n) out[at] = (cau_question){a, b, 0};
        }
    return count;
}

/* Draws up to n open pairs uniformly; chosen pairs are skipped from then on. */
static size_t draw_pairs(pair_search *find, size_t n, cau_question *out)
{
    const size_t N = find->samples->N, pairs = count_pairs(N);
    size_t count = 0;
    for (size_t tries = 0; tries < pairs && count < n; tries++) {
        const cau_question pair = draw_pair(find->rng, N);
        if (!may_ask(find, pair.a, pair.b)) continue;
        cau_key_set_add(&find->passed, cau_pair_index(N, pair.a, pair.b));
        out[count++] = pair;
    }
    if (count < n) count += draw_from_list(find, n - count, out + count);
    for (size_t i = 0; i < count; i++) out[i].together = together(find, out[i].a, out[i].b);
    return count;
}

caucus_status cau_questions_random(caucus_ctx *ctx, const cau_partitions *samples,
                                   const cau_links *links, const uint64_t *skip, size_t skips,
                                   cau_rng *rng, size_t n, cau_question *out, size_t *count)
{
    pair_search find = {.samples = samples, .links = links, .rng = rng};
    if (n > count_pairs(samples->N)) n = count_pairs(samples->N);
    caucus_status st = search_init(ctx, &find, skip, skips, n);
    if (!st) *count = draw_pairs(&find, n, out);
    cau_key_set_clear(&find.passed);
    return st;
}

/* ---- the best -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t a, b;
    size_t count; /* samples in which they are together */
    size_t off;   /* |2 count - kept| */
    uint64_t tie;
} ranked_pair;

typedef struct {
    ranked_pair *c; /* [count] a heap with the worst at the root; children of i are 2i+1 and 2i+2 */
    size_t count;
} pair_heap;

static bool is_better(const ranked_pair *x, const ranked_pair *y)
{
    return x->off != y->off ? x->off < y->off : x->tie < y->tie;
}

static void swap(ranked_pair *x, ranked_pair *y)
{
    const ranked_pair other = *x;
    *x = *y;
    *y = other;
}

static void rise(pair_heap *h, size_t at)
{
    for (size_t up; at > 0 && is_better(&h->c[up = (at - 1) / 2], &h->c[at]); at = up)
        swap(&h->c[up], &h->c[at]);
}

static void sink(pair_heap *h, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && is_better(&h->c[child], &h->c[child + 1])) child++;
        if (!is_better(&h->c[at], &h->c[child])) return;
        swap(&h->c[at], &h->c[child]);
    }
}

/* Keeps the pair if it is open and among the n best so far. */
static void offer(pair_search *find, pair_heap *h, size_t n, uint32_t a, uint32_t b, size_t count)
{
    const size_t twice = 2 * count, kept = find->kept;
    ranked_pair c = {a, b, count, twice > kept ? twice - kept : kept - twice, 0};
    if (h->count == n && h->c[0].off < c.off) return;
    if (!may_ask(find, a, b)) return;
    c.tie = cau_rng_next(find->rng);
    if (h->count < n) {
        h->c[h->count++] = c;
        rise(h, h->count - 1);
    } else if (is_better(&c, &h->c[0])) {
        h->c[0] = c;
        sink(h, 0);
    }
}

/* Offers the pairs with 0 < p < 1, row after row. */
static caucus_status offer_all(pair_search *find, pair_heap *h, size_t n)
{
    const cau_partitions *samples = find->samples;
    const size_t N = samples->N, S = find->kept;
    caucus_status st = CAUCUS_OK;
    size_t cells = 0, kept = 0;
    uint32_t *next = NULL;                             /* [S][N] */
    uint32_t *row = cau_calloc(N, sizeof *row);        /* [N] counts of one item */
    uint32_t *touched = cau_alloc(N, sizeof *touched); /* [N] items with counts other than 0 */
    if (cau_size_mul(S, N, &cells)) next = cau_alloc(cells, sizeof *next);
    if (!next || !row || !touched) {
        st = CAUCUS_ERR_MEMORY;
        goto done;
    }
    for (size_t s = 0; s < samples->S; s++)
        if (!find->keep || find->keep[s])
            cau_list_clusters(samples->z + s * N, N, touched, next + N * kept++);
    for (uint32_t a = 0; a < N; a++) {
        size_t count = 0;
        for (size_t s = 0; s < S; s++)
            for (uint32_t b = next[s * N + a]; b != LAST; b = next[s * N + b])
                if (row[b]++ == 0) touched[count++] = b;
        for (size_t i = 0; i < count; i++) {
            const uint32_t b = touched[i];
            if (row[b] < S) offer(find, h, n, a, b, row[b]);
            row[b] = 0;
        }
    }
done:
    free(next);
    free(row);
    free(touched);
    return st;
}

caucus_status cau_questions_best(caucus_ctx *ctx, const cau_partitions *samples,
                                 const uint8_t *keep, const cau_links *links, const uint64_t *skip,
                                 size_t skips, cau_rng *rng, size_t n, cau_question *out,
                                 size_t *count)
{
    caucus_status st = CAUCUS_OK;
    pair_search find = {.samples = samples, .keep = keep, .links = links, .rng = rng};
    const size_t N = samples->N, pairs = count_pairs(N);
    pair_heap h = {NULL, 0};
    if (n > pairs) n = pairs;
    if (n) h.c = cau_alloc(n, sizeof *h.c);
    if (n && !h.c) TRY(cau_fail_memory(ctx, "the questions"));
    TRY(search_init(ctx, &find, skip, skips, n));
    if (n && offer_all(&find, &h, n)) TRY(cau_fail_memory(ctx, "the questions"));

    const size_t best = h.count;
    while (h.count) { /* the worst goes to the end */
        const ranked_pair c = h.c[0];
        swap(&h.c[0], &h.c[--h.count]);
        sink(&h, 0);
        out[h.count] = (cau_question){c.a, c.b, (double)c.count / (double)find.kept};
        cau_key_set_add(&find.passed, cau_pair_index(N, c.a, c.b));
    }
    *count = best + draw_pairs(&find, n - best, out + best);
done:
    cau_key_set_clear(&find.passed);
    free(h.c);
    return st;
}
