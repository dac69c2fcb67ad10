/* nbest.c - the exact n best paths of a chain, computed lazily.
 *
 * A cell is a position and a label; its items are the paths that end in it, the best first. An
 * item extends an item of the previous position by an edge and a node:
 *     score(item) = score(before) + edge_t(y', y) + node_t(y)
 * The items of a cell are generated in order: each previous label y' offers its best unused item,
 * its head, and the best offer is the next item. One more cell, after the last position, has all
 * labels before it and edges of 0: its items are the complete paths.
 *
 * The first items are those of Viterbi. Others are generated on demand: when the head of y' has
 * been used it advances, which may need a new item of y', whose head advances in turn, and so on
 * back. This generates at most one new item for each position, so a path costs O(T Y) on top of the
 * O(T Y^2) of the best one. The walk back and forth is a loop, not a recursion, because sequences
 * can be long.
 *
 * Ties: the lowest label goes first, as in cau_chain_best.
 *
 * [1] Huang, Chiang. Better k-best parsing. IWPT 2005 (algorithm 3). */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/chain_work.h"

#define NONE SIZE_MAX

typedef struct {
    double score;
    size_t before; /* the item that it extends; NONE at position 0 */
    size_t next;   /* the next item of its cell, or NONE so far */
    uint32_t y;
} nbest_item;

typedef struct {
    size_t last;  /* its last item so far */
    size_t heads; /* index of its Y heads; NONE until they are needed */
    bool empty;   /* it has no further items */
} nbest_cell;

/* Cell y of position t has number t * Y + y, and so has its first item. The cell of the complete
 * paths comes last. */
struct cau_nbest {
    nbest_item *items;
    size_t count, items_capacity;
    nbest_cell *cells;
    size_t cells_capacity;
    size_t *heads; /* items; NONE for a label without further items */
    size_t heads_count, heads_capacity;
    uint32_t *way; /* [T + 1] labels of the walk back in next_path */
    size_t way_capacity;
};

void cau_nbest_free(cau_nbest *nbest)
{
    if (!nbest) return;
    free(nbest->items);
    free(nbest->cells);
    free(nbest->heads);
    free(nbest->way);
    free(nbest);
}

/* The best offer to a cell: the head, and its score with the edge. */
static size_t best_head(const cau_nbest *b, const cau_lattice *x, size_t t, size_t y, double *score)
{
    const size_t *heads = b->heads + b->cells[t * x->Y + y].heads;
    const double *edge = t < x->T ? cau_chain_edges(x, t) + y : NULL;
    size_t best = NONE;
    double most = -INFINITY;
    for (size_t i = 0; i < x->Y; i++) {
        if (heads[i] == NONE) continue;
        const double offer = b->items[heads[i]].score + (edge ? edge[i * x->Y] : 0);
        if (offer > most) most = offer, best = heads[i];
    }
    *score = most;
    return best;
}

/* Sets the heads of a cell and the predecessor of its first item. */
static bool open_cell(cau_nbest *b, const cau_lattice *x, size_t t, size_t y)
{
    nbest_cell *c = &b->cells[t * x->Y + y];
    if (t == 0 || c->heads != NONE) return true;
    if (!CAU_GROW(b->heads, b->heads_capacity, b->heads_count + x->Y)) return false;
    c->heads = b->heads_count;
    b->heads_count += x->Y;
    for (size_t i = 0; i < x->Y; i++) b->heads[c->heads + i] = (t - 1) * x->Y + i;
    double score;
    nbest_item *first = &b->items[t * x->Y + y];
    first->before = best_head(b, x, t, y, &score);
    if (t == x->T) first->score = score;
    return true;
}

/* Generates one more path: appends an item to the cell of the complete paths, or marks it empty. */
static bool next_path(cau_nbest *b, const cau_lattice *x)
{
    const size_t Y = x->Y;

    /* back to a cell whose last used head can advance: its successor exists, or never will */
    size_t t = x->T, y = 0;
    for (;; t--) {
        if (!open_cell(b, x, t, y)) return false;
        b->way[t] = (uint32_t)y;
        if (t == 0) break;
        const nbest_item *used = &b->items[b->items[b->cells[t * Y + y].last].before];
        if (used->next != NONE || b->cells[(t - 1) * Y + used->y].empty) break;
        y = used->y;
    }

    /* and forth: the head advances, and the best head becomes an item */
    if (t == 0) b->cells[y].empty = true, t++;
    for (; t <= x->T; t++) {
        y = b->way[t];
        nbest_cell *c = &b->cells[t * Y + y];
        const nbest_item *used = &b->items[b->items[c->last].before];
        b->heads[c->heads + used->y] = used->next;
        double score;
        const size_t before = best_head(b, x, t, y, &score);
        if (before == NONE) {
            c->empty = true;
            continue;
        }
        if (!CAU_GROW(b->items, b->items_capacity, b->count + 1)) return false;
        if (t < x->T) score += x->node[t * Y + y];
        b->items[b->count] =
            (nbest_item){.score = score, .before = before, .next = NONE, .y = (uint32_t)y};
        b->items[c->last].next = b->count;
        c->last = b->count++;
    }
    return true;
}

/* All cells with their first items, from the scores of Viterbi [T][stride]. */
static bool init_cells(cau_nbest *b, const cau_lattice *x, size_t stride, const double *best)
{
    const size_t Y = x->Y, T = x->T;
    size_t cells;
    if (!cau_size_mul(T, Y, &cells) || !cau_size_add(cells, 1, &cells)) return false;
    if (!CAU_GROW(b->items, b->items_capacity, cells) ||
        !CAU_GROW(b->cells, b->cells_capacity, cells) || !CAU_GROW(b->way, b->way_capacity, T + 1))
        return false;
    for (size_t i = 0; i < cells; i++) {
        const double score = i < T * Y ? best[i / Y * stride + i % Y] : -INFINITY;
        b->items[i] =
            (nbest_item){.score = score, .before = NONE, .next = NONE, .y = (uint32_t)(i % Y)};
        b->cells[i] = (nbest_cell){.last = i, .heads = NONE};
    }
    b->count = cells;
    b->heads_count = 0;
    return true;
}

/* The labels of the last item of the last cell. */
static bool read_path(cau_nbest *b, const cau_lattice *x, uint32_t *path)
{
    size_t i = b->items[b->cells[x->T * x->Y].last].before;
    for (size_t t = x->T; t-- > 0; i = b->items[i].before) {
        path[t] = b->items[i].y;
        if (!open_cell(b, x, t, path[t])) return false;
    }
    return true;
}

caucus_status cau_chain_nbest(cau_chain_work *work, const cau_lattice *x, size_t n, uint32_t *paths,
                              double *scores, size_t *count)
{
    caucus_status st = cau_chain_reserve(work, x->T);
    if (st) return st;
    if (!work->nbest) work->nbest = cau_calloc(1, sizeof *work->nbest);
    cau_nbest *b = work->nbest;
    if (!b) return CAUCUS_ERR_MEMORY;
    cau_chain_forward_best(work, x);
    if (!init_cells(b, x, work->stride, work->alpha) || !open_cell(b, x, x->T, 0))
        return CAUCUS_ERR_MEMORY;

    const size_t paths_cell = x->T * x->Y;
    if (!isfinite(b->items[paths_cell].score)) return CAUCUS_ERR_NUMERIC;
    size_t found = 0;
    while (found < n) {
        if (!read_path(b, x, paths + found * x->T)) return CAUCUS_ERR_MEMORY;
        scores[found++] = b->items[b->cells[paths_cell].last].score;
        if (found == n) break;
        if (!next_path(b, x)) return CAUCUS_ERR_MEMORY;
        if (b->cells[paths_cell].empty) break;
    }
    *count = found;
    return CAUCUS_OK;
}
