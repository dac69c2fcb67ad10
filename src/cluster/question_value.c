/* question_value.c - what the answer to a question is expected to tell.
 *
 * S samples s are the beliefs about the clustering. In sample s the answer to question q is
 * "together" (m_s = 1) or not (m_s = 0), and an answer is right with probability t. So P(yes) =
 * sum_s w_s (t m_s + (1-t) (1-m_s)),     w_s(yes) ~ w_s (t m_s + (1-t) (1-m_s)), where w_s = 1/S
 * before the first answer.
 *
 * By variation of information. Let D = sum_st w_s w_t VI(s, t) be the mean distance of the samples.
 * With the sums AA, AB and BB of VI(s, t) over pairs of samples in which q is together in both, in
 * one and in none of them, the expected distance after the answer is P(yes) D(yes) = (t^2 AA + 2 t
 * (1-t) AB + (1-t)^2 BB) / (S^2 P(yes)), and the same for "no" with t and 1-t exchanged.
 *
 * Jointly. Answers are independent given the sample, so a question adds to those before it
 *     I(answer; s | answers before) = E[ h(P(yes | answers before)) ] - h(t),
 * h the entropy of a coin. The expectation is over answers to the questions before: each sample in
 * turn is taken for the truth, and errors are drawn. With t = 1 there is nothing to draw, and up to
 * DRAWS samples the expectation is exact. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cluster/questions.h"
#include "eval/clusters.h"

enum {
    DRAWS = 256
}; /* imagined answers to the questions before, at least if answers may be wrong */

/* The samples that count: their numbers in which [S], how many they are. */
static size_t list_kept(const cau_partitions *samples, const uint8_t *keep, size_t *which)
{
    size_t count = 0;
    for (size_t s = 0; s < samples->S; s++)
        if (!keep || keep[s]) which[count++] = s;
    return count;
}

/* m [kept]: 1 where the pair is together. */
static void members(const cau_partitions *samples, const size_t *which, size_t kept,
                    const cau_question *q, double *m)
{
    for (size_t i = 0; i < kept; i++) {
        const uint32_t *z = samples->z + which[i] * samples->N;
        m[i] = z[q->a] == z[q->b];
    }
}

/* ---- by variation of information ------------------------------------------------------------- */

/* The distances of all pairs of samples: vi [kept][kept]. */
static caucus_status distances(const cau_partitions *samples, const size_t *which, size_t kept,
                               double *vi)
{
    for (size_t i = 0; i < kept; i++) {
        vi[i * kept + i] = 0;
        for (size_t j = 0; j < i; j++) {
            cau_cluster_measures measures;
            caucus_status st =
                cau_cluster_measure(samples->z + which[i] * samples->N,
                                    samples->z + which[j] * samples->N, samples->N, &measures);
            if (st) return st;
            vi[i * kept + j] = vi[j * kept + i] = measures.vi;
        }
    }
    return CAUCUS_OK;
}

/* The part of the expected distance, times S^2, of an answer that is right with probability t in
 * the samples with m_s = 1; `share` is their share. */
static double part(double t, double share, double AA, double AB, double BB)
{
    const double u = 1 - t, p = t * share + u * (1 - share);
    return p > 0 ? (t * t * AA + 2 * t * u * AB + u * u * BB) / p : 0;
}

static double expected_distance(const double *vi, const double *m, size_t kept, double trust)
{
    double AA = 0, AB = 0, BB = 0, share = 0;
    for (size_t i = 0; i < kept; i++) {
        double with = 0, all = 0;
        for (size_t j = 0; j < kept; j++) {
            with += m[j] * vi[i * kept + j];
            all += vi[i * kept + j];
        }
        AA += m[i] * with;
        AB += (1 - m[i]) * with;
        BB += (1 - m[i]) * (all - with);
        share += m[i] / (double)kept;
    }
    return part(trust, share, AA, AB, BB) + part(1 - trust, share, AA, AB, BB);
}

typedef struct {
    double distance;
    size_t at;
    cau_question q;
} valued;

static int by_distance(const void *x, const void *y)
{
    const valued *a = x, *b = y;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

caucus_status cau_questions_by_vi(caucus_ctx *ctx, const cau_partitions *samples,
                                  const uint8_t *keep, double trust, cau_question *q, size_t count)
{
    caucus_status st = CAUCUS_OK;
    size_t *which = cau_alloc(samples->S, sizeof *which), cells = 0;
    double *m = cau_alloc(samples->S, sizeof *m), *vi = NULL;
    valued *list = cau_alloc(count, sizeof *list);
    if (!which || !m || !list) TRY(cau_fail_memory(ctx, "the questions"));
    const size_t kept = list_kept(samples, keep, which);
    if (cau_size_mul(kept, kept, &cells)) vi = cau_alloc(cells, sizeof *vi);
    if (!vi || distances(samples, which, kept, vi)) TRY(cau_fail_memory(ctx, "the questions"));
    for (size_t i = 0; i < count; i++) {
        members(samples, which, kept, &q[i], m);
        list[i] = (valued){expected_distance(vi, m, kept, trust), i, q[i]};
    }
    qsort(list, count, sizeof *list, by_distance);
    for (size_t i = 0; i < count; i++) q[i] = list[i].q;
done:
    free(which);
    free(m);
    free(vi);
    free(list);
    return st;
}

/* ---- jointly --------------------------------------------------------------------------------- */

static double coin_entropy(double p)
{
    return p > 0 && p < 1 ? -p * log(p) - (1 - p) * log1p(-p) : 0;
}

typedef struct {
    size_t kept, draws;
    double trust;
    double *w; /* [draws][kept] weights of the samples after the imagined answers */
} imagined;

/* The expected entropy of the answer to the question with m [kept], given the answers so far. */
static double added(const imagined *g, const double *m)
{
    double sum = 0;
    for (size_t d = 0; d < g->draws; d++) {
        const double *w = g->w + d * g->kept;
        double share = 0;
        for (size_t i = 0; i < g->kept; i++) share += w[i] * m[i];
        sum += coin_entropy(g->trust * share + (1 - g->trust) * (1 - share));
    }
    return sum / (double)g->draws;
}

/* Imagines the answers to a chosen question. */
static void answer(imagined *g, const double *m, cau_rng *rng)
{
    for (size_t d = 0; d < g->draws; d++) {
        double *w = g->w + d * g->kept, sum = 0;
        const bool truth = m[d * g->kept / g->draws] > 0;
        const bool together = truth == (g->trust == 1 || cau_rng_real(rng) < g->trust);
        for (size_t i = 0; i < g->kept; i++)
            sum += w[i] *= (m[i] > 0) == together ? g->trust : 1 - g->trust;
        for (size_t i = 0; i < g->kept; i++) w[i] /= sum;
    }
}

caucus_status cau_questions_jointly(caucus_ctx *ctx, const cau_partitions *samples,
                                    const uint8_t *keep, double trust, cau_rng *rng, size_t n,
                                    cau_question *q, size_t count)
{
    caucus_status st = CAUCUS_OK;
    imagined g = {.trust = trust};
    size_t *which = cau_alloc(samples->S, sizeof *which), cells = 0;
    double *m = NULL; /* [count][kept], in the order of q */
    if (!which) TRY(cau_fail_memory(ctx, "the questions"));
    g.kept = list_kept(samples, keep, which);
    if (g.kept == 0) goto done;
    g.draws = g.kept >= DRAWS ? DRAWS : g.kept * (trust < 1 ? (DRAWS + g.kept - 1) / g.kept : 1);
    if (cau_size_mul(count, g.kept, &cells)) m = cau_alloc(cells, sizeof *m);
    if (cau_size_mul(g.draws, g.kept, &cells)) g.w = cau_alloc(cells, sizeof *g.w);
    if (!m || !g.w) TRY(cau_fail_memory(ctx, "the questions"));
    for (size_t i = 0; i < cells; i++) g.w[i] = 1 / (double)g.kept;
    for (size_t i = 0; i < count; i++) members(samples, which, g.kept, &q[i], m + i * g.kept);
    for (size_t chosen = 0; chosen < n && chosen < count; chosen++) {
        size_t best = chosen;
        double most = -1;
        for (size_t i = chosen; i < count; i++) {
            const double value = added(&g, m + i * g.kept);
            if (value <= most + 1e-12) continue; /* equal but for rounding */
            most = value;
            best = i;
        }
        const cau_question first = q[best];
        double *const place = m + chosen * g.kept; /* the others move up by one */
        answer(&g, m + best * g.kept, rng);
        memmove(q + chosen + 1, q + chosen, (best - chosen) * sizeof *q);
        memmove(place + g.kept, place, (best - chosen) * g.kept * sizeof *m);
        q[chosen] = first;
    }
done:
    free(which);
    free(m);
    free(g.w);
    return st;
}
