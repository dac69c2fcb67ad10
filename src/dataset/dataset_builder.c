/* dataset_builder.c - growing, splitting, copying and renumbering sparse matrices.
 *
 * The arrays of the set are the only memory that grows with the data. The values of features and
 * the weights of instances are allocated when the first one differs from 1, and freed if all are 1
 * at the end; the edges are allocated with the first observation on an edge. Splitting and
 * renumbering move entries towards the front of the same arrays, so neither needs a second copy. */

#include "dataset/dataset_builder.h"

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

/* Room for the edges of one more instance. In a new matrix the instances before it have no edges.
 */
static bool grow_edges(cau_dataset_builder *p, size_t count)
{
    cau_csr *e = &p->set.e;
    const size_t entries = cau_csr_nonzeros(e);
    const bool fresh = !e->start;
    if (!CAU_GROW(e->start, p->edge_start_room, p->set.N + 2)) return false;
    if (fresh) memset(e->start, 0, (p->set.N + 1) * sizeof *e->start);
    e->rows = p->set.N;
    return CAU_GROW(e->column, p->edge_room, entries + count);
}

static void append_edges(cau_csr *e, const uint32_t *edge, size_t count)
{
    const size_t entries = e->start[e->rows];
    if (count) memcpy(e->column + entries, edge, count * sizeof *e->column);
    e->start[++e->rows] = entries + count;
}

/* Writes the unit of the current sequence, once for each of its instances: without sequences, every
 * instance has a unit. */
static bool write_unit(cau_dataset_builder *p)
{
    cau_dataset *s = &p->set;
    const size_t q = cau_builder_sequences(p);
    if (!CAU_GROW(s->unit, p->unit_room, q + 1)) return false;
    s->unit[q] = p->unit;
    return true;
}

caucus_status cau_builder_add(cau_dataset_builder *p, const cau_indexed_instance *in, uint32_t gold)
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
    if ((in->edges || s->e.start) && !grow_edges(p, in->edges)) return CAUCUS_ERR_MEMORY;
    if (p->units && !write_unit(p)) return CAUCUS_ERR_MEMORY;

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
    if (s->e.start) append_edges(&s->e, in->edge, in->edges);
    s->N++;
    return CAUCUS_OK;
}

caucus_status cau_builder_break(cau_dataset_builder *p)
{
    cau_dataset *s = &p->set;
    if (cau_builder_between(p)) return CAUCUS_OK;
    if (!CAU_GROW(s->sequence, p->sequence_room, s->S + 2)) return CAUCUS_ERR_MEMORY;
    s->sequence[0] = 0;
    s->sequence[++s->S] = s->N;
    return CAUCUS_OK;
}

bool cau_builder_between(const cau_dataset_builder *p)
{
    return p->set.N == (p->set.sequence ? p->set.sequence[p->set.S] : 0);
}

size_t cau_builder_sequences(const cau_dataset_builder *p)
{
    return p->set.sequence ? p->set.S : p->set.N;
}

/* Moves a row to index `to` <= row and its entries to index *entries, which is advanced. */
static void move_row(cau_csr *x, size_t row, size_t to, size_t *entries)
{
    const size_t from = x->start[row], end = x->start[row + 1];
    x->start[to] = *entries;
    for (size_t e = from; e < end; e++) {
        x->column[*entries] = x->column[e];
        if (x->value) x->value[*entries] = x->value[e];
        ++*entries;
    }
}

/* The numbers of entries of x and e that are kept so far. */
typedef struct {
    size_t x, e;
} ends;

/* Moves instance i to index n <= i. */
static void move_instance(cau_dataset *s, size_t i, size_t n, ends *end)
{
    for (size_t g = 0; g < s->group; g++)
        move_row(&s->x, i * s->group + g, n * s->group + g, &end->x);
    if (s->e.start) move_row(&s->e, i, n, &end->e);
    s->gold[n] = s->gold[i];
    if (s->weight) s->weight[n] = s->weight[i];
}

/* A view of instance i. */
static cau_indexed_instance instance_at(const cau_dataset *s, size_t i)
{
    cau_indexed_instance in = {.weight = s->weight ? (double)s->weight[i] : 1,
                               .groups = s->group,
                               .start = s->x.start + i * s->group,
                               .id = s->x.column,
                               .value = s->x.value};
    if (s->e.start) {
        in.edges = s->e.start[i + 1] - s->e.start[i];
        in.edge = s->e.column + s->e.start[i];
    }
    return in;
}

/* The first instance of sequence q; N for q = S. */
static size_t first_of(const cau_dataset *s, size_t q)
{
    return s->sequence ? s->sequence[q] : q;
}

/* Copies sequence q of a set. */
static caucus_status append_sequence(cau_dataset_builder *to, const cau_dataset *from, size_t q)
{
    const size_t end = first_of(from, q + 1);
    if (from->unit) to->unit = from->unit[q];
    for (size_t i = first_of(from, q); i < end; i++) {
        const cau_indexed_instance in = instance_at(from, i);
        const caucus_status st = cau_builder_add(to, &in, from->gold[i]);
        if (st) return st;
    }
    return from->sequence ? cau_builder_break(to) : CAUCUS_OK;
}

caucus_status cau_builder_split(cau_dataset_builder *from, const bool *leave,
                                cau_dataset_builder *to)
{
    cau_dataset *s = &from->set;
    const size_t sequences = cau_builder_sequences(from);
    size_t n = 0, kept = 0; /* that stay */
    ends end_of = {0};
    for (size_t q = 0, i = 0; q < sequences; q++) {
        const size_t end = first_of(s, q + 1);
        if (leave[q]) {
            const caucus_status st = append_sequence(to, s, q);
            if (st) return st;
            i = end;
            continue;
        }
        for (; i < end; i++) move_instance(s, i, n++, &end_of);
        if (s->unit) s->unit[kept] = s->unit[q];
        kept++;
        if (s->sequence) s->sequence[kept] = n;
    }
    if (s->sequence) s->S = kept;
    s->N = n;
    s->x.rows = n * s->group;
    if (s->x.start) s->x.start[s->x.rows] = end_of.x;
    if (s->e.start) s->e.start[s->e.rows = n] = end_of.e;
    return CAUCUS_OK;
}

/* ---- a part of a set --------------------------------------------------------------------- */

/* Room for the chosen sequences, all at once. */
static bool make_room(cau_dataset_builder *to, const cau_dataset *from, const uint32_t *which,
                      size_t count)
{
    const cau_csr *x = &from->x;
    size_t rows = to->set.x.rows, N = to->set.N, entries = cau_csr_nonzeros(&to->set.x);
    for (size_t c = 0; c < count; c++) {
        const size_t q = which ? which[c] : c;
        const size_t first = first_of(from, q), end = first_of(from, q + 1);
        N += end - first;
        rows += (end - first) * from->group;
        entries += x->start[end * from->group] - x->start[first * from->group];
    }
    const bool fresh = !to->set.x.start;
    if (!CAU_GROW(to->set.x.start, to->start_room, rows + 1)) return false;
    if (fresh) to->set.x.start[0] = 0;
    return CAU_GROW(to->set.x.column, to->column_room, entries) &&
           CAU_GROW(to->set.gold, to->gold_room, N);
}

caucus_status cau_builder_take(cau_dataset_builder *to, const cau_dataset *from,
                               const uint32_t *which, size_t count)
{
    caucus_status st = CAUCUS_OK;
    if (count && !make_room(to, from, which, count)) return CAUCUS_ERR_MEMORY;
    for (size_t c = 0; !st && c < count; c++) st = append_sequence(to, from, which ? which[c] : c);
    return st;
}

/* ---- frequent observations ---------------------------------------------------------------- */

/* keep[k] = 1 for the columns of x that occur in at least max(cutoff, 1) instances; an instance has
 * `group` rows. */
static caucus_status frequent(const cau_csr *x, size_t group, size_t columns, size_t cutoff,
                              uint32_t *keep)
{
    memset(keep, 0, columns * sizeof *keep);
    if (cutoff <= 1) {
        const size_t entries = cau_csr_nonzeros(x);
        for (size_t e = 0; e < entries; e++) keep[x->column[e]] = 1;
        return CAUCUS_OK;
    }
    struct {
        uint32_t instances, last; /* 1 + the last instance counted */
    } *seen = cau_calloc(columns, sizeof *seen);
    if (!seen) return CAUCUS_ERR_MEMORY;
    for (size_t row = 0; row < x->rows; row++) {
        const uint32_t stamp = (uint32_t)(row / group + 1);
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++) {
            const uint32_t k = x->column[e];
            seen[k].instances += seen[k].last != stamp;
            seen[k].last = stamp;
        }
    }
    for (size_t k = 0; k < columns; k++) keep[k] = seen[k].instances >= cutoff;
    free(seen);
    return CAUCUS_OK;
}

caucus_status cau_builder_frequent(const cau_dataset_builder *p, size_t cutoff, size_t K,
                                   uint32_t *name, size_t E, uint32_t *edge)
{
    const caucus_status st = frequent(&p->set.x, p->set.group, K, cutoff, name);
    return st ? st : frequent(&p->set.e, 1, E, cutoff, edge);
}

/* Renumbers the columns of a matrix and drops the entries whose column becomes CAU_UNKNOWN. */
static void map_columns(cau_csr *x, const uint32_t *number)
{
    size_t kept = 0, e = 0;
    for (size_t row = 0; row < x->rows; row++) {
        for (; e < x->start[row + 1]; e++) {
            const uint32_t k = number[x->column[e]];
            if (k == CAU_UNKNOWN) continue;
            x->column[kept] = k;
            if (x->value) x->value[kept] = x->value[e];
            kept++;
        }
        x->start[row + 1] = kept;
    }
}

void cau_builder_map(cau_dataset_builder *p, const uint32_t *name, const uint32_t *edge)
{
    if (name) map_columns(&p->set.x, name);
    if (edge) map_columns(&p->set.e, edge);
}

/* Releases the memory of an array beyond `count` items. */
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

/* Frees an array in which all numbers are 1: NULL means the same. */
static void drop_ones(float **array, size_t *room, size_t count)
{
    size_t i = 0;
    while (*array && i < count && (*array)[i] == 1) i++;
    if (i < count) return;
    free(*array);
    *array = NULL;
    *room = 0;
}

/* Makes the edges final. A set without observations on edges gets a matrix of empty rows if another
 * set has some (E > 0), and no matrix otherwise. */
static bool close_edges(cau_dataset_builder *p, size_t E)
{
    cau_dataset *s = &p->set;
    s->E = s->e.columns = E;
    if (E == 0) {
        cau_csr_clear(&s->e);
        p->edge_start_room = p->edge_room = 0;
        return true;
    }
    if (s->N == 0) return true;
    return (s->e.start || grow_edges(p, 0)) && FIT(s->e.start, p->edge_start_room, s->N + 1) &&
           FIT(s->e.column, p->edge_room, cau_csr_nonzeros(&s->e));
}

/* Numbers the units from 0 in the order in which they appear, unless they are files. */
static bool number_units(cau_dataset *s)
{
    if (!s->unit || s->files) return true;
    size_t bound = 0;
    for (size_t q = 0; q < s->S; q++)
        if (s->unit[q] >= bound) bound = s->unit[q] + (size_t)1;
    uint32_t *number = cau_alloc(bound, sizeof *number), next = 0;
    if (!number) return false;
    for (size_t u = 0; u < bound; u++) number[u] = CAU_UNKNOWN;
    for (size_t q = 0; q < s->S; q++) {
        uint32_t *n = &number[s->unit[q]];
        if (*n == CAU_UNKNOWN) *n = next++;
        s->unit[q] = *n;
    }
    free(number);
    return true;
}

caucus_status cau_builder_close(cau_dataset_builder *p, size_t group, size_t K, size_t E, size_t Y)
{
    cau_dataset *s = &p->set;
    const size_t entries = cau_csr_nonzeros(&s->x);
    s->K = s->x.columns = K;
    s->Y = Y;
    s->group = group;
    s->width = group == 1 ? Y : 1;
    if (!s->sequence) s->S = s->N;
    drop_ones(&s->x.value, &p->value_room, entries);
    drop_ones(&s->weight, &p->weight_room, s->N);
    if (!FIT(s->x.start, p->start_room, s->x.rows + 1) ||
        !FIT(s->x.column, p->column_room, entries) || !FIT(s->x.value, p->value_room, entries) ||
        !FIT(s->gold, p->gold_room, s->N) || !FIT(s->weight, p->weight_room, s->N) ||
        !FIT(s->sequence, p->sequence_room, s->S + 1) || !FIT(s->unit, p->unit_room, s->S) ||
        !number_units(s) || !close_edges(p, E))
        return CAUCUS_ERR_MEMORY;
    return CAUCUS_OK;
}

void cau_dataset_clear(cau_dataset *s)
{
    cau_csr_clear(&s->x);
    cau_csr_clear(&s->xt);
    cau_csr_clear(&s->e);
    free(s->gold);
    free(s->sets.start);
    free(s->sets.label);
    free(s->weight);
    free(s->sequence);
    free(s->unit);
    *s = (cau_dataset){0};
}

void cau_builder_clear(cau_dataset_builder *p)
{
    cau_dataset_clear(&p->set);
    *p = (cau_dataset_builder){0};
}
