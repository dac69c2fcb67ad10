/* folds.c - which units are held out together.
 *
 * Let c_ul be how often label l stands in unit u, N_l its number in all units, and n_fl that in
 * the units which fold f has so far. One more "label" stands at every instance, so that the size of
 * a fold counts as its labels do. The folds are to make
 *     sum_f sum_l ( n_fl / N_l )^2
 * small, which is least when each of the K folds has 1/K of everything. Unit u in fold f adds to it
 *     sum_l ( 2 c_ul n_fl + c_ul^2 ) / N_l^2
 * of which the second part is the same for all folds: u goes where sum_l c_ul n_fl / N_l^2 is
 * least, and chance decides between equals. A rare label weighs much there, so units go in the
 * order of their rarest label, as in iterative stratification [1], and at random where that is the
 * same: while a label can still go anywhere it is spread over as many folds as it has units, and
 * the many units without rare labels come last and even out the rest. An empty fold costs nothing
 * and everything else does, so the first K units go to K folds and none stays empty.
 *
 * Time O(K) for each different label of each unit, memory O(K Y).
 * [1] Sechidis, Tsoumakas, Vlahavas. On the Stratification of Multi-Label Data. ECML 2011. */

#include "study/folds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"

/* ---- units ----------------------------------------------------------------------------- */

size_t cau_cv_groups_in(const cau_dataset *set)
{
    if (!set->unit) return set->S;
    size_t units = 0, bound = 0; /* numbers rise in the order of their coming; files leave gaps */
    for (size_t s = 0; s < set->S; s++) {
        if (set->unit[s] < bound) continue;
        bound = set->unit[s] + (size_t)1;
        units++;
    }
    return units;
}

const char *cau_cv_groups_text(const cau_dataset *set)
{
    return set->unit ? "units" : set->sequence ? "sequences" : "instances";
}

size_t cau_sequence_begin(const cau_dataset *set, size_t s)
{
    return set->sequence ? set->sequence[s] : s;
}

/* The sequences of unit u are sequence[start[u]] .. sequence[start[u+1]-1], ascending. */
typedef struct {
    size_t units;
    size_t *start;      /* [units + 1] */
    uint32_t *sequence; /* [S] */
} members;

static void members_clear(members *m)
{
    free(m->start);
    free(m->sequence);
}

/* The unit of each sequence, numbered without gaps: [S], to be freed; NULL when memory is short. */
static uint32_t *numbered(const cau_dataset *set, size_t *units)
{
    size_t bound = set->unit ? 0 : set->S;
    for (size_t s = 0; set->unit && s < set->S; s++)
        if (set->unit[s] >= bound) bound = set->unit[s] + (size_t)1;
    uint32_t *of = cau_alloc(set->S, sizeof *of), *number = cau_alloc(bound, sizeof *number);
    *units = 0;
    for (size_t u = 0; number && u < bound; u++) number[u] = CAU_UNKNOWN;
    for (size_t s = 0; of && number && s < set->S; s++) {
        uint32_t *n = &number[set->unit ? set->unit[s] : s];
        if (*n == CAU_UNKNOWN) *n = (uint32_t)(*units)++;
        of[s] = *n;
    }
    if (!number) {
        free(of);
        of = NULL;
    }
    free(number);
    return of;
}

/* By counting: start[u+1] is where the next sequence of u goes, and in the end where u ends. To be
 * cleared on failure as well. */
static caucus_status members_of(caucus_ctx *ctx, const cau_dataset *set, members *m)
{
    caucus_status st = CAUCUS_OK;
    *m = (members){0};
    uint32_t *unit = numbered(set, &m->units);
    m->start = cau_calloc(m->units + 2, sizeof *m->start);
    m->sequence = cau_alloc(set->S, sizeof *m->sequence);
    if (!unit || !m->start || !m->sequence) TRY(cau_fail_memory(ctx, "the units of the data"));
    for (size_t s = 0; s < set->S; s++) m->start[unit[s] + 2]++;
    for (size_t u = 0; u < m->units; u++) m->start[u + 2] += m->start[u + 1];
    for (size_t s = 0; s < set->S; s++) m->sequence[m->start[unit[s] + 1]++] = (uint32_t)s;
done:
    free(unit);
    return st;
}

/* All units in a random order: [units], to be freed; NULL when memory is short. */
static uint32_t *shuffled(cau_rng *rng, size_t units)
{
    uint32_t *order = cau_alloc(units, sizeof *order);
    if (!order) return NULL;
    for (size_t u = 0; u < units; u++) order[u] = (uint32_t)u;
    cau_rng_shuffle(rng, order, units);
    return order;
}

caucus_status cau_cv_groups_shuffled(caucus_ctx *ctx, const caucus_data *data, uint64_t seed,
                                     uint32_t *order, size_t **ends, size_t *units)
{
    caucus_status st = CAUCUS_OK;
    members m = {0};
    uint32_t *unit = NULL;
    size_t *end = NULL, at = 0;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    TRY(members_of(ctx, &data->train, &m));
    unit = shuffled(&rng, m.units);
    end = cau_alloc(m.units, sizeof *end);
    if (!unit || !end) TRY(cau_fail_memory(ctx, "the order of the units"));
    for (size_t i = 0; i < m.units; i++) {
        for (size_t k = m.start[unit[i]]; k < m.start[unit[i] + 1]; k++)
            order[at++] = m.sequence[k];
        end[i] = at;
    }
    *ends = end;
    end = NULL;
    *units = m.units;
done:
    free(end);
    free(unit);
    members_clear(&m);
    return st;
}

/* ---- labels ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t label; /* Y: any */
    uint64_t count;
} item;

/* Label counts c_ul of the units: item[start[u]] .. item[start[u+1]-1] of unit u. */
typedef struct {
    size_t *start; /* [units + 1] */
    item *item;
    size_t capacity;
    uint64_t *total;  /* [Y + 1] N_l */
    uint32_t *spread; /* [Y + 1] units that have the label */
} contents;

static void contents_clear(contents *c)
{
    free(c->start);
    free(c->item);
    free(c->total);
    free(c->spread);
}

/* Adds label l of unit u, whose items begin at start[u] and end at *n. place [Y + 1] tells where
 * the item of a label is, if that is behind start[u]. */
static bool contents_add(contents *c, size_t u, uint32_t l, size_t *place, size_t *n)
{
    if (place[l] < c->start[u] || place[l] >= *n || c->item[place[l]].label != l) {
        if (!CAU_GROW(c->item, c->capacity, *n + 1)) return false;
        c->item[*n] = (item){.label = l};
        c->spread[l]++;
        place[l] = (*n)++;
    }
    c->item[place[l]].count++;
    c->total[l]++;
    return true;
}

static caucus_status contents_of(caucus_ctx *ctx, const cau_dataset *set, const members *m,
                                 contents *c)
{
    caucus_status st = CAUCUS_OK;
    size_t n = 0, *place = cau_calloc(set->Y + 1, sizeof *place);
    c->start = cau_calloc(m->units + 1, sizeof *c->start);
    c->total = cau_calloc(set->Y + 1, sizeof *c->total);
    c->spread = cau_calloc(set->Y + 1, sizeof *c->spread);
    if (!place || !c->start || !c->total || !c->spread) TRY(CAUCUS_ERR_MEMORY);
    for (size_t u = 0; u < m->units; u++) {
        c->start[u] = n;
        for (size_t k = m->start[u]; k < m->start[u + 1]; k++) {
            const size_t s = m->sequence[k], end = cau_sequence_begin(set, s + 1);
            for (size_t i = cau_sequence_begin(set, s); i < end; i++) {
                bool whole = !(set->gold[i] & CAU_SET);
                if (!contents_add(c, u, (uint32_t)set->Y, place, &n) ||
                    (whole && !contents_add(c, u, set->gold[i], place, &n)))
                    TRY(CAUCUS_ERR_MEMORY);
            }
        }
    }
    c->start[m->units] = n;
done:
    free(place);
    return st ? cau_fail_memory(ctx, "the labels of the units") : CAUCUS_OK;
}

/* ---- folds ----------------------------------------------------------------------------- */

/* A unit in the order of assignment. */
typedef struct {
    uint32_t rarest; /* units that have its rarest label */
    uint32_t chance; /* its place in a random order */
    uint32_t unit;
} turn;

static int compare_turns(const void *a, const void *b)
{
    const turn *p = a, *q = b;
    if (p->rarest != q->rarest) return p->rarest < q->rarest ? -1 : 1;
    return (p->chance > q->chance) - (p->chance < q->chance);
}

/* All units, those with the rarest labels first: [units], to be freed; NULL when memory is short.
 */
static turn *turns_of(cau_rng *rng, const contents *c, size_t units)
{
    uint32_t *order = shuffled(rng, units);
    turn *turns = order ? cau_alloc(units, sizeof *turns) : NULL;
    for (size_t i = 0; turns && i < units; i++) {
        turns[i] = (turn){.rarest = UINT32_MAX, .chance = (uint32_t)i, .unit = order[i]};
        for (size_t k = c->start[order[i]]; k < c->start[order[i] + 1]; k++) {
            uint32_t spread = c->spread[c->item[k].label];
            if (spread < turns[i].rarest) turns[i].rarest = spread;
        }
    }
    if (turns) qsort(turns, units, sizeof *turns, compare_turns);
    free(order);
    return turns;
}

/* The fold f with the least sum_l c_ul n_fl / N_l^2; chance decides between equals.
 *   n  [K][Y+1] */
static size_t cheapest(cau_rng *rng, const contents *c, size_t u, const uint64_t *n, size_t K,
                       size_t Y)
{
    size_t best = 0, equals = 0;
    double least = 0;
    for (size_t f = 0; f < K; f++) {
        double cost = 0;
        for (size_t k = c->start[u]; k < c->start[u + 1]; k++) {
            const item *it = &c->item[k];
            const double N = (double)c->total[it->label];
            cost += (double)it->count * (double)n[f * (Y + 1) + it->label] / (N * N);
        }
        if (f == 0 || cost < least) {
            best = f;
            least = cost;
            equals = 1;
        } else if (!(cost > least) && cau_rng_below(rng, ++equals) == 0) {
            best = f;
        }
    }
    return best;
}

caucus_status cau_folds(caucus_ctx *ctx, const caucus_data *data, size_t K, uint64_t seed,
                        uint32_t *fold)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    members m = {0};
    contents c = {0};
    turn *turns = NULL;
    uint64_t *n = NULL; /* [K][Y+1] */
    cau_rng rng;
    cau_rng_init(&rng, seed);
    if (K == 0 || K > cau_cv_groups_in(set))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu folds of %zu %s cannot be made; use between 2 and %zu", K,
                        cau_cv_groups_in(set), cau_cv_groups_text(set), cau_cv_groups_in(set));
    TRY(members_of(ctx, set, &m));
    TRY(contents_of(ctx, set, &m, &c));
    turns = turns_of(&rng, &c, m.units);
    n = cau_calloc(K, (set->Y + 1) * sizeof *n);
    if (!turns || !n) TRY(cau_fail_memory(ctx, "the folds"));
    for (size_t i = 0; i < m.units; i++) {
        const size_t u = turns[i].unit, f = cheapest(&rng, &c, u, n, K, set->Y);
        for (size_t k = c.start[u]; k < c.start[u + 1]; k++)
            n[f * (set->Y + 1) + c.item[k].label] += c.item[k].count;
        for (size_t k = m.start[u]; k < m.start[u + 1]; k++) fold[m.sequence[k]] = (uint32_t)f;
    }
done:
    free(n);
    free(turns);
    contents_clear(&c);
    members_clear(&m);
    return st;
}
