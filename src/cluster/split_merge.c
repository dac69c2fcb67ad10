/* split_merge.c - moves that split a cluster or merge two [1].
 *
 * Gibbs sampling moves one unit at a time and rarely merges two clusters, because the states in
 * between are improbable. Here two units i and j are chosen at random. If they share a cluster C,
 * the proposal splits it into A with i and B with j; otherwise it merges their clusters. Restricted
 * Gibbs sampling distributes the other units of C: from a random state, some scans over the units,
 * which may only go to A or B. One more scan is the proposal, so that its probability q is a
 * product of known numbers. The move is accepted with probability min(1, r):
 *     split   r = p(A, B) / p(C) / q
 *     merge   r = p(C) / p(A, B) * q,   q of the scan that would produce the present A and B
 *     log p(A, B) - log p(C) = log alpha + lG(n_A) + lG(n_B) - lG(n_C)
 *                            + log p(X_A) + log p(X_B) - log p(X_C) - soft links between A and B
 *
 * No cluster holds units with a cannot-link, so a split is always legal; a merge that would join
 * such units has probability 0. Units are groups of must-linked items and are never split.
 *
 * The scans use two empty lanes beside the present clusters: a rejected move changes nothing but
 * the random numbers.
 *
 * [1] Jain, Neal. A Split-Merge Markov Chain Monte Carlo Procedure for the
 * Dirichlet Process Mixture Model. JCGS 2004. */

#include <math.h>

#include "cluster/log_rising_factorial.h"
#include "cluster/state.h"

enum { OUT, A, B }; /* the side of a unit in a move */

typedef struct {
    cau_chain_state *state;
    uint32_t *members; /* [count] units of the move, i and j first */
    size_t count;
    size_t lane[3];  /* of the sides A and B */
    double cross[3]; /* scratch: soft links of a unit into each side */
} move;

static size_t lowest_empty(const cau_components *c, size_t from)
{
    while (c->size[from] > 0) from++;
    return from;
}

/* Sums the soft links of unit g into the sides. */
static void weigh_links(move *m, size_t g)
{
    const cau_constraints *links = &m->state->units.links;
    m->cross[A] = m->cross[B] = 0;
    for (size_t i = links->start[g]; i < links->start[g + 1]; i++) {
        const uint32_t item = links->member[i];
        for (size_t s = links->soft_start[item]; s < links->soft_start[item + 1]; s++) {
            const uint32_t other = links->group[links->soft_item[s]];
            if (other != g) m->cross[m->state->side[other]] += links->soft_log_odds[s];
        }
    }
}

static void put(move *m, size_t g, uint8_t side)
{
    m->state->side[g] = side;
    cau_components_add(&m->state->clusters, g, m->lane[side]);
}

/* Removes a unit from its side and returns its log likelihood there. */
static double take(move *m, size_t g)
{
    const double weight = cau_components_remove(&m->state->clusters, g, m->lane[m->state->side[g]]);
    m->state->side[g] = OUT;
    return weight;
}

/* One restricted scan; returns the log probability of the result. With `back` nothing is drawn:
 * units return to the side of their present cluster, that of i (A) or that of j (B). */
static double scan(move *m, bool back)
{
    cau_chain_state *state = m->state;
    cau_components *c = &state->clusters;
    const uint32_t home = state->z[m->members[0]];
    double q = 0;
    for (size_t u = 2; u < m->count; u++) {
        const size_t g = m->members[u];
        const uint8_t side = state->side[g], other = side == A ? B : A;
        double data[3], w[3];
        data[side] = take(m, g);
        data[other] = cau_components_weigh_one(c, g, m->lane[other]);
        weigh_links(m, g);
        for (uint8_t s = A; s <= B; s++)
            w[s] = cau_seat_prior(state, g, c->size[m->lane[s]]) + m->cross[s] + data[s];
        const double log_odds = w[A] - w[B]; /* p(A) = 1 / (1 + e^-log_odds) */
        bool to_a = state->z[g] == home;
        if (!back) to_a = cau_rng_real(&state->rng) * (1 + exp(-log_odds)) < 1;
        q -= log1p(exp(to_a ? -log_odds : log_odds));
        const uint8_t to = to_a ? A : B;
        state->side[g] = to;
        cau_components_add_weighed(c, g, m->lane[to], data[to]);
    }
    return q;
}

/* Assigns i to A, j to B and the others at random, and runs the intermediate scans. */
static void launch(move *m)
{
    cau_chain_state *state = m->state;
    put(m, m->members[0], A);
    put(m, m->members[1], B);
    for (size_t u = 2; u < m->count; u++)
        put(m, m->members[u], cau_rng_below(&state->rng, 2) ? A : B);
    for (size_t t = 0; t < state->options.restricted; t++) scan(m, false);
}

/* log p(A, B), or log p(C) of one lane, up to a common constant. */
static double log_apart(move *m)
{
    const cau_components *c = &m->state->clusters;
    double sum = 2 * log(m->state->alpha), links = 0;
    for (uint8_t s = A; s <= B; s++)
        sum += cau_log_rise(1, c->size[m->lane[s]] - 1) + c->marginal[m->lane[s]];
    for (size_t u = 0; u < m->count; u++) {
        if (m->state->side[m->members[u]] != A) continue;
        weigh_links(m, m->members[u]);
        links += m->cross[B];
    }
    return sum - links;
}

static double log_together(const move *m, size_t lane)
{
    const cau_components *c = &m->state->clusters;
    return log(m->state->alpha) + cau_log_rise(1, c->size[lane] - 1) + c->marginal[lane];
}

/* Whether a cannot-link joins units of the two clusters. */
static bool merge_is_forbidden(const cau_chain_state *state, uint32_t a, uint32_t b)
{
    const cau_constraints *links = &state->units.links;
    for (size_t g = 0; g < state->units.G; g++) {
        if (state->z[g] != a) continue;
        for (size_t f = links->forbid_start[g]; f < links->forbid_start[g + 1]; f++)
            if (state->z[links->forbid[f]] == b) return true;
    }
    return false;
}

caucus_status cau_sampler_split_merge(cau_chain_state *state)
{
    cau_components *c = &state->clusters;
    const size_t G = state->units.G;
    if (G < 2) return CAUCUS_OK;
    const size_t i = (size_t)cau_rng_below(&state->rng, G);
    size_t j = (size_t)cau_rng_below(&state->rng, G - 1);
    j += j >= i;
    if (c->K + 2 > c->lanes) {
        caucus_status st = cau_components_arrange(c, &c->base, 2 + c->K / 2, state->z);
        if (st) return st;
    }
    const uint32_t of_i = state->z[i], of_j = state->z[j];
    const bool split = of_i == of_j;
    if (!split && merge_is_forbidden(state, of_i, of_j)) return CAUCUS_OK;

    move m = {.state = state, .members = state->members, .count = 2};
    m.members[0] = (uint32_t)i;
    m.members[1] = (uint32_t)j;
    for (size_t g = 0; g < G; g++)
        if ((state->z[g] == of_i || state->z[g] == of_j) && g != i && g != j)
            m.members[m.count++] = (uint32_t)g;
    m.lane[A] = lowest_empty(c, 0);
    m.lane[B] = lowest_empty(c, m.lane[A] + 1);
    launch(&m);
    const double q = scan(&m, !split);
    double r = log_apart(&m);
    if (split) {
        r += -log_together(&m, of_i) - q;
    } else { /* everything goes to A */
        for (size_t u = 1; u < m.count; u++) {
            const size_t g = m.members[u];
            if (state->side[g] == A) continue;
            take(&m, g);
            put(&m, g, A);
        }
        r = log_together(&m, m.lane[A]) + q - r;
    }
    const bool accepted = log(1 - cau_rng_real(&state->rng)) < r;
    for (size_t u = 0; u < m.count; u++) {
        const size_t g = m.members[u];
        if (accepted) {
            cau_components_remove(c, g, state->z[g]);
            state->z[g] = (uint32_t)m.lane[state->side[g]];
            state->side[g] = OUT;
        } else {
            take(&m, g);
        }
    }
    return CAUCUS_OK;
}
