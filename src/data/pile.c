/* pile.c - growing, splitting and renumbering sparse matrices in place.
 *
 * The arrays of the set are the only memory that grows with the data. The values and the weights
 * of instances come into being with the first that is not 1. Splitting and renumbering move
 * entries towards the front of the same arrays, so neither needs a second copy. */

#include "data/pile.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Room for `need` numbers, of which the first `filled` are 1 if the array is new. */
static bool grow_ones(float **array, size_t *room, size_t filled, size_t need)
{
    const bool fresh = !*array;
    if (!CAU_GROW(*array, *room, need)) return false;
    if (fresh)
        for (size_t i = 0; i < filled; i++) (*array)[i] = 1;
    return true;
}

caucus_status cau_pile_add(cau_pile *p, const cau_instance *in, uint32_t gold)
{
    cau_dataset *s = &p->set;
    cau_csr *x = &s->x;
    const size_t first = in->start[0], count = in->start[in->groups] - first;
    const size_t entries = cau_csr_nonzeros(x);
    if (in->groups > UINT32_MAX - x->rows) return CAUCUS_ERR_ARGUMENT;

    if (!CAU_GROW(x->start, p->start_room, x->rows + in->groups + 1) ||
        !CAU_GROW(x->column, p->column_room, entries + count) ||
        !CAU_GROW(s->gold, p->gold_room, s->N + 1))
        return CAUCUS_ERR_MEMORY;
    if ((in->value || x->value) && !grow_ones(&x->value, &p->value_room, entries, entries + count))
        return CAUCUS_ERR_MEMORY;
    if ((in->weight != 1 || s->weight) && !grow_ones(&s->weight, &p->weight_room, s->N, s->N + 1))
        return CAUCUS_ERR_MEMORY;

    if (count) memcpy(x->column + entries, in->id + first, count * sizeof *x->column);
    if (count && in->value)
        memcpy(x->value + entries, in->value + first, count * sizeof *x->value);
    else if (x->value)
        for (size_t i = 0; i < count; i++) x->value[entries + i] = 1;
    if (s->N == 0) x->start[0] = 0;
    for (size_t g = 1; g <= in->groups; g++)
        x->start[x->rows + g] = entries + (in->start[g] - first);
    x->rows += in->groups;
    s->group = in->groups;
    s->gold[s->N] = gold;
    if (s->weight) s->weight[s->N] = (float)in->weight;
    s->N++;
    return CAUCUS_OK;
}

caucus_status cau_pile_break(cau_pile *p)
{
    cau_dataset *s = &p->set;
    if (s->N == (s->sequence ? s->sequence[s->S] : 0)) return CAUCUS_OK;
    if (!CAU_GROW(s->sequence, p->sequence_room, s->S + 2)) return CAUCUS_ERR_MEMORY;
    s->sequence[0] = 0;
    s->sequence[++s->S] = s->N;
    return CAUCUS_OK;
}

size_t cau_pile_sequences(const cau_pile *p)
{
    return p->set.sequence ? p->set.S : p->set.N;
}

/* Moves instance i to place n <= i; its entries go to `entries` and what follows. Returns where
 * they end. */
static size_t move_instance(cau_dataset *s, size_t i, size_t n, size_t entries)
{
    cau_csr *x = &s->x;
    for (size_t g = 0; g < s->group; g++) {
        const size_t from = x->start[i * s->group + g], end = x->start[i * s->group + g + 1];
        x->start[n * s->group + g] = entries;
        for (size_t e = from; e < end; e++) {
            x->column[entries] = x->column[e];
            if (x->value) x->value[entries] = x->value[e];
            entries++;
        }
    }
    s->gold[n] = s->gold[i];
    if (s->weight) s->weight[n] = s->weight[i];
    return entries;
}

caucus_status cau_pile_split(cau_pile *from, const bool *leave, cau_pile *to)
{
    cau_dataset *s = &from->set;
    const size_t sequences = cau_pile_sequences(from);
    size_t n = 0, kept = 0, entries = 0; /* that stay */
    for (size_t q = 0, i = 0; q < sequences; q++) {
        const size_t end = s->sequence ? s->sequence[q + 1] : q + 1;
        for (; i < end; i++) {
            if (!leave[q]) {
                entries = move_instance(s, i, n++, entries);
                continue;
            }
            const cau_instance in = {.weight = s->weight ? (double)s->weight[i] : 1,
                                     .groups = s->group,
                                     .start = s->x.start + i * s->group,
                                     .id = s->x.column,
                                     .value = s->x.value};
            const caucus_status st = cau_pile_add(to, &in, s->gold[i]);
            if (st) return st;
        }
        if (!s->sequence) continue;
        if (!leave[q])
            s->sequence[++kept] = n;
        else if (cau_pile_break(to))
            return CAUCUS_ERR_MEMORY;
    }
    if (s->sequence) s->S = kept;
    s->N = n;
    s->x.rows = n * s->group;
    if (s->x.start) s->x.start[s->x.rows] = entries;
    return CAUCUS_OK;
}

void cau_pile_map(cau_pile *p, const uint32_t *name, const uint32_t *label)
{
    cau_dataset *s = &p->set;
    cau_csr *x = &s->x;
    if (name) {
        size_t kept = 0, e = 0;
        for (size_t row = 0; row < x->rows; row++) {
            for (; e < x->start[row + 1]; e++) {
                const uint32_t k = name[x->column[e]];
                if (k == CAU_UNKNOWN) continue;
                x->column[kept] = k;
                if (x->value) x->value[kept] = x->value[e];
                kept++;
            }
            x->start[row + 1] = kept;
        }
    }
    if (label)
        for (size_t i = 0; i < s->N; i++)
            if (s->gold[i] != CAU_UNKNOWN) s->gold[i] = label[s->gold[i]];
}

/* Gives back what an array has beyond `count` items. */
static bool fit(void **array, size_t *room, size_t count, size_t size)
{
    if (!*array || *room <= count) return true;
    void *smaller = realloc(*array, count ? count * size : 1);
    if (!smaller) return false;
    *array = smaller;
    *room = count;
    return true;
}

#define FIT(array, room, count) fit((void **)&(array), &(room), (count), sizeof *(array))

caucus_status cau_pile_close(cau_pile *p, size_t group, size_t K, size_t Y, bool index)
{
    cau_dataset *s = &p->set;
    const size_t entries = cau_csr_nonzeros(&s->x);
    s->K = s->x.columns = K;
    s->Y = Y;
    s->group = group;
    s->width = group == 1 ? Y : 1;
    if (!s->sequence) s->S = s->N;
    if (!FIT(s->x.start, p->start_room, s->x.rows + 1) ||
        !FIT(s->x.column, p->column_room, entries) || !FIT(s->x.value, p->value_room, entries) ||
        !FIT(s->gold, p->gold_room, s->N) || !FIT(s->weight, p->weight_room, s->N) ||
        !FIT(s->sequence, p->sequence_room, s->S + 1))
        return CAUCUS_ERR_MEMORY;
    return index ? cau_csr_transpose(&s->x, &s->xt) : CAUCUS_OK;
}

void cau_dataset_clear(cau_dataset *s)
{
    cau_csr_clear(&s->x);
    cau_csr_clear(&s->xt);
    free(s->gold);
    free(s->weight);
    free(s->sequence);
    *s = (cau_dataset){0};
}

void cau_pile_clear(cau_pile *p)
{
    cau_dataset_clear(&p->set);
    *p = (cau_pile){0};
}
