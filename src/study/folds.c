/* folds.c - which sequences a run trains on and which it holds out.
 *
 * Folds. Let c_ul be the number of instances with label l in group u, N_l their number in the set,
 * and n_fl their number in the groups that fold f has so far. Each instance also counts for an
 * additional label that all have, so that the sizes of the folds are balanced as their labels are.
 * Groups are assigned one at a time, so that
 *     sum_f sum_l ( n_fl / N_l )^2
 * stays small. It is least when each of the K folds has 1/K of everything. Group u in fold f adds
 *     sum_l ( 2 c_ul n_fl + c_ul^2 ) / N_l^2
 * whose second part does not depend on the fold, so u goes to the fold with the least
 * sum_l c_ul n_fl / N_l^2. Ties are broken at random. Rare labels weigh most in this sum, so groups
 * are assigned in the order of their rarest label, as in iterative stratification [1], and in a
 * random order if that is the same. This spreads a rare label over as many folds as it has groups,
 * and the groups with frequent labels only even out the sizes at the end. An empty fold adds
 * nothing to the sum and any other fold does, so the first K groups go to K different folds.
 *
 * Time O(K) for each label of each group, memory O(K Y).
 * [1] Sechidis, Tsoumakas, Vlahavas. On the Stratification of Multi-Label Data. ECML 2011. */

#include "study/folds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"

/* ---- groups -------------------------------------------------------------------------------- */

size_t cau_count_groups(const cau_dataset *set)
{
    if (!set->unit) return set->S;
    size_t count = 0, bound = 0; /* groups are numbered by first occurrence; files leave gaps */
    for (size_t s = 0; s < set->S; s++) {
        if (set->unit[s] < bound) continue;
        bound = set->unit[s] + (size_t)1;
        count++;
    }
    return count;
}

const char *cau_groups_word(const cau_dataset *set)
{
    return set->unit ? "units" : set->sequence ? "sequences" : "instances";
}

/* The sequences of each group: sequence[start[u]] .. sequence[start[u+1]-1] of group u, ascending.
 */
typedef struct {
    size_t count;
    size_t *start;      /* [count + 1] */
    uint32_t *sequence; /* [S] */
} fold_groups;

static void clear_groups(fold_groups *g)
{
    free(g->start);
    free(g->sequence);
}

/* The group of each sequence, numbered without gaps: [S], to be freed. NULL if memory is short. */
static uint32_t *number_groups(const cau_dataset *set, size_t *count)
{
    size_t bound = set->unit ? 0 : set->S;
    for (size_t s = 0; set->unit && s < set->S; s++)
        if (set->unit[s] >= bound) bound = set->unit[s] + (size_t)1;
    uint32_t *of = cau_alloc(set->S, sizeof *of), *number = cau_alloc(bound, sizeof *number);
    *count = 0;
    for (size_t u = 0; number && u < bound; u++) number[u] = CAU_UNKNOWN;
    for (size_t s = 0; of && number && s < set->S; s++) {
        uint32_t *n = &number[set->unit ? set->unit[s] : s];
        if (*n == CAU_UNKNOWN) *n = (uint32_t)(*count)++;
        of[s] = *n;
    }
    if (!number) {
        free(of);
        of = NULL;
    }
    free(number);
    return of;
}

/* Sorts the sequences by group with a counting sort: while it fills, start[u+1] is the place of the
 * next sequence of u. Clear *g also on failure. */
static caucus_status collect_groups(caucus_ctx *ctx, const cau_dataset *set, fold_groups *g)
{
    caucus_status st = CAUCUS_OK;
    *g = (fold_groups){0};
    uint32_t *group = number_groups(set, &g->count);
    g->start = cau_calloc(g->count + 2, sizeof *g->start);
    g->sequence = cau_alloc(set->S, sizeof *g->sequence);
    if (!group || !g->start || !g->sequence) TRY(cau_fail_memory(ctx, "the groups of the data"));
    for (size_t s = 0; s < set->S; s++) g->start[group[s] + 2]++;
    for (size_t u = 0; u < g->count; u++) g->start[u + 2] += g->start[u + 1];
    for (size_t s = 0; s < set->S; s++) g->sequence[g->start[group[s] + 1]++] = (uint32_t)s;
done:
    free(group);
    return st;
}

/* The groups in a random order: [count], to be freed. NULL if memory is short. */
static uint32_t *shuffle_groups(cau_rng *rng, size_t count)
{
    uint32_t *order = cau_alloc(count, sizeof *order);
    if (!order) return NULL;
    for (size_t u = 0; u < count; u++) order[u] = (uint32_t)u;
    cau_rng_shuffle(rng, order, count);
    return order;
}

/* ---- folds --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t label; /* Y: the additional label */
    uint64_t count;
} label_count;

/* The labels of each group: item[start[u]] .. item[start[u+1]-1] of group u. */
typedef struct {
    size_t *start; /* [groups + 1] */
    label_count *item;
    size_t capacity;
    uint64_t *total;  /* [Y + 1] N_l */
    uint32_t *spread; /* [Y + 1] groups that have the label */
} group_labels;

static void clear_labels(group_labels *c)
{
    free(c->start);
    free(c->item);
    free(c->total);
    free(c->spread);
}

/* Counts label l for group u, whose items are start[u] .. *n-1. place [Y + 1] is the item of each
 * label, if it is among these. */
static bool count_label(group_labels *c, size_t u, uint32_t l, size_t *place, size_t *n)
{
    if (place[l] < c->start[u] || place[l] >= *n || c->item[place[l]].label != l) {
        if (!CAU_GROW(c->item, c->capacity, *n + 1)) return false;
        c->item[*n] = (label_count){.label = l};
        c->spread[l]++;
        place[l] = (*n)++;
    }
    c->item[place[l]].count++;
    c->total[l]++;
    return true;
}

/* Counts the labels of all groups. Partial labels count for the additional label only. */
static caucus_status count_labels(caucus_ctx *ctx, const cau_dataset *set, const fold_groups *g,
                                  group_labels *c)
{
    caucus_status st = CAUCUS_OK;
    size_t n = 0, *place = cau_calloc(set->Y + 1, sizeof *place);
    c->start = cau_calloc(g->count + 1, sizeof *c->start);
    c->total = cau_calloc(set->Y + 1, sizeof *c->total);
    c->spread = cau_calloc(set->Y + 1, sizeof *c->spread);
    if (!place || !c->start || !c->total || !c->spread) TRY(CAUCUS_ERR_MEMORY);
    for (size_t u = 0; u < g->count; u++) {
        c->start[u] = n;
        for (size_t k = g->start[u]; k < g->start[u + 1]; k++) {
            const size_t s = g->sequence[k], end = cau_dataset_begin(set, s + 1);
            for (size_t i = cau_dataset_begin(set, s); i < end; i++) {
                const bool whole = !(set->gold[i] & CAU_SET);
                if (!count_label(c, u, (uint32_t)set->Y, place, &n) ||
                    (whole && !count_label(c, u, set->gold[i], place, &n)))
                    TRY(CAUCUS_ERR_MEMORY);
            }
        }
    }
    c->start[g->count] = n;
done:
    free(place);
    return st ? cau_fail_memory(ctx, "the labels of the groups") : CAUCUS_OK;
}

/* A group in the order of assignment. */
typedef struct {
    uint32_t rarest; /* number of groups that have its rarest label */
    uint32_t chance; /* its place in a random order */
    uint32_t group;
} fold_turn;

static int compare_turns(const void *a, const void *b)
{
    const fold_turn *p = a, *q = b;
    if (p->rarest != q->rarest) return p->rarest < q->rarest ? -1 : 1;
    return (p->chance > q->chance) - (p->chance < q->chance);
}

/* The groups in the order of assignment: [groups], to be freed. NULL if memory is short. */
static fold_turn *order_groups(cau_rng *rng, const group_labels *c, size_t groups)
{
    uint32_t *order = shuffle_groups(rng, groups);
    fold_turn *turns = order ? cau_alloc(groups, sizeof *turns) : NULL;
    for (size_t i = 0; turns && i < groups; i++) {
        turns[i] = (fold_turn){.rarest = UINT32_MAX, .chance = (uint32_t)i, .group = order[i]};
        for (size_t k = c->start[order[i]]; k < c->start[order[i] + 1]; k++) {
            const uint32_t spread = c->spread[c->item[k].label];
            if (spread < turns[i].rarest) turns[i].rarest = spread;
        }
    }
    if (turns) qsort(turns, groups, sizeof *turns, compare_turns);
    free(order);
    return turns;
}

/* The fold f with the least sum_l c_ul n_fl / N_l^2; ties are broken at random.
 *   n  [K][Y+1] */
static size_t choose_fold(cau_rng *rng, const group_labels *c, size_t u, const uint64_t *n,
                          size_t K, size_t Y)
{
    size_t best = 0, ties = 0;
    double least = 0;
    for (size_t f = 0; f < K; f++) {
        double cost = 0;
        for (size_t k = c->start[u]; k < c->start[u + 1]; k++) {
            const label_count *it = &c->item[k];
            const double N = (double)c->total[it->label];
            cost += (double)it->count * (double)n[f * (Y + 1) + it->label] / (N * N);
        }
        if (f == 0 || cost < least) {
            best = f;
            least = cost;
            ties = 1;
        } else if (!(cost > least) && cau_rng_below(rng, ++ties) == 0) {
            best = f;
        }
    }
    return best;
}

caucus_status cau_folds(caucus_ctx *ctx, const cau_dataset *set, size_t K, uint64_t seed,
                        uint32_t *fold)
{
    caucus_status st = CAUCUS_OK;
    const size_t groups = cau_count_groups(set);
    fold_groups g = {0};
    group_labels c = {0};
    fold_turn *turns = NULL;
    uint64_t *n = NULL; /* [K][Y+1] */
    cau_rng rng;
    cau_rng_init(&rng, seed);
    if (K == 0 || K > groups)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "cannot make %zu folds of %zu %s; use between 2 and %zu", K, groups,
                        cau_groups_word(set), groups);
    TRY(collect_groups(ctx, set, &g));
    TRY(count_labels(ctx, set, &g, &c));
    turns = order_groups(&rng, &c, g.count);
    n = cau_calloc(K, (set->Y + 1) * sizeof *n);
    if (!turns || !n) TRY(cau_fail_memory(ctx, "the folds"));
    for (size_t i = 0; i < g.count; i++) {
        const size_t u = turns[i].group, f = choose_fold(&rng, &c, u, n, K, set->Y);
        for (size_t k = c.start[u]; k < c.start[u + 1]; k++)
            n[f * (set->Y + 1) + c.item[k].label] += c.item[k].count;
        for (size_t k = g.start[u]; k < g.start[u + 1]; k++) fold[g.sequence[k]] = (uint32_t)f;
    }
done:
    free(n);
    free(turns);
    clear_labels(&c);
    clear_groups(&g);
    return st;
}

/* ---- learning curves ----------------------------------------------------------------------- */

enum {
    HALVINGS_MOST = 6,
    SMALLEST = 10, /* sequences of a subset, unless the data has fewer */
    HELD_PART = 5, /* one group in five is held out if there is no test data */
};

/* The number of groups that are held out: a fifth, but at least one. */
static size_t count_held(bool tested, size_t groups)
{
    if (tested) return 0;
    return groups < 2 * HELD_PART ? 1 : groups / HELD_PART;
}

size_t cau_curve_sizes(const cau_dataset *set, bool tested)
{
    const size_t groups = cau_count_groups(set), held = count_held(tested, groups);
    const size_t sequences = set->S - (held ? set->S / HELD_PART : 0);
    size_t halvings = 0;
    while (halvings < HALVINGS_MOST && (sequences >> (halvings + 1)) >= SMALLEST &&
           (groups - held) >> (halvings + 1))
        halvings++;
    return halvings + 1;
}

caucus_status cau_curve_subset(caucus_ctx *ctx, const cau_dataset *set, bool tested, uint64_t seed,
                               size_t halvings, unsigned char *role)
{
    caucus_status st = CAUCUS_OK;
    fold_groups g = {0};
    uint32_t *order = NULL;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    TRY(collect_groups(ctx, set, &g));
    order = shuffle_groups(&rng, g.count);
    if (!order) TRY(cau_fail_memory(ctx, "the order of the groups"));
    const size_t held = count_held(tested, g.count);
    size_t left = set->S, trained = 0; /* sequences */
    for (size_t i = 0; i < held; i++) left -= g.start[order[i] + 1] - g.start[order[i]];
    const size_t wanted = ((left - 1) >> halvings) + 1; /* rounded up */
    for (size_t i = 0; i < g.count; i++) {
        const cau_role r = i < held ? CAU_HELD : trained < wanted ? CAU_TRAINED : CAU_UNUSED;
        for (size_t k = g.start[order[i]]; k < g.start[order[i] + 1]; k++)
            role[g.sequence[k]] = (unsigned char)r;
        if (r == CAU_TRAINED) trained += g.start[order[i] + 1] - g.start[order[i]];
    }
done:
    free(order);
    clear_groups(&g);
    return st;
}
