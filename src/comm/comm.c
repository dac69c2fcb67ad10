/* comm.c - see comm.h. Reduce-scatter: each rank sends to each other the part that this one owns,
 * and the owner adds what it receives in the order of the ranks. So a rank sends n (P-1)/P numbers,
 * the least that any algorithm can. Parts go in pieces, to bound the memory for what is received.
 * A long sum is a reduce-scatter of equal parts, then an allgather; for a short one, every rank
 * gets all numbers and adds them itself. */

#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "comm/join.h"

enum {
    PIECE = 1 << 15, /* numbers of a part that are received at a time from each rank */
    SHORT = 256,     /* numbers that are added by every rank */
};

size_t cau_comm_rank(const cau_comm *c)
{
    return c ? c->rank : 0;
}

size_t cau_comm_ranks(const cau_comm *c)
{
    return c ? c->ranks : 1;
}

cau_comm_cost cau_comm_spent(const cau_comm *c)
{
    return c ? c->cost : (cau_comm_cost){0};
}

/* ---- the module ------------------------------------------------------------------------------ */

static caucus_status end_call(cau_comm *c, double began, int failed)
{
    c->cost.seconds += cau_seconds() - began;
    return failed ? CAUCUS_ERR_IO : CAUCUS_OK;
}

static caucus_status share_bytes(cau_comm *c, void *all, const size_t *at)
{
    const double began = cau_seconds();
    c->cost.bytes += (at[c->rank + 1] - at[c->rank]) * (c->ranks - 1);
    return end_call(c, began, c->module->share(all, at));
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Numbers are doubles or integers, of 8 bytes both. */
typedef enum { ADD, COUNT, UNITE } comm_op;

typedef union {
    double real;
    uint64_t count;
} comm_number;

static void combine(comm_op op, size_t n, const comm_number *from, comm_number *to)
{
    switch (op) {
    case ADD:
        for (size_t i = 0; i < n; i++) to[i].real += from[i].real;
        break;
    case COUNT:
        for (size_t i = 0; i < n; i++) to[i].count += from[i].count;
        break;
    case UNITE:
        for (size_t i = 0; i < n; i++) to[i].count |= from[i].count;
        break;
    }
}

/* Scratch memory for `numbers` numbers from each rank, and for the arrays of an exchange. */
static bool make_room(cau_comm *c, size_t numbers)
{
    size_t all;
    return cau_size_mul(c->ranks, numbers, &all) && CAU_GROW(c->inbox, c->inbox_room, all);
}

/* The piece `at` .. of the own part of each rank. */
static size_t piece_size(const size_t *first, size_t rank, size_t at)
{
    const size_t size = first[rank + 1] - first[rank];
    const size_t left = size > at ? size - at : 0;
    return left < PIECE ? left : PIECE;
}

static caucus_status sum_piece(cau_comm *c, comm_op op, const size_t *first, const comm_number *v,
                               size_t at, comm_number *own)
{
    const size_t mine = piece_size(first, c->rank, at);
    const double began = cau_seconds();
    comm_number *inbox = (comm_number *)c->inbox;
    for (size_t r = 0; r < c->ranks; r++) {
        c->out[r] = v + first[r] + at;
        c->out_bytes[r] = piece_size(first, r, at) * sizeof *v;
        c->in[r] = inbox + r * mine;
        c->in_bytes[r] = mine * sizeof *v;
        if (r != c->rank) c->cost.bytes += c->out_bytes[r];
    }
    const int failed = c->module->exchange(c->out, c->out_bytes, c->in, c->in_bytes);
    const caucus_status st = end_call(c, began, failed);
    if (st) return st;
    memcpy(own + at, inbox, mine * sizeof *own);
    for (size_t r = 1; r < c->ranks; r++) combine(op, mine, inbox + r * mine, own + at);
    return CAUCUS_OK;
}

static caucus_status sum_parts(cau_comm *c, comm_op op, const size_t *first, const comm_number *v,
                               comm_number *own)
{
    size_t most = 0;
    for (size_t r = 0; r < c->ranks; r++)
        if (first[r + 1] - first[r] > most) most = first[r + 1] - first[r];
    if (!make_room(c, most < PIECE ? most : PIECE)) return CAUCUS_ERR_MEMORY;
    for (size_t at = 0; at < most; at += PIECE) {
        const caucus_status st = sum_piece(c, op, first, v, at, own);
        if (st) return st;
    }
    return CAUCUS_OK;
}

static caucus_status sum_short(cau_comm *c, comm_op op, size_t n, comm_number *v)
{
    comm_number *all;
    if (!make_room(c, n)) return CAUCUS_ERR_MEMORY;
    all = (comm_number *)c->inbox;
    for (size_t r = 0; r <= c->ranks; r++) c->at[r] = r * n * sizeof *v;
    memcpy(all + c->rank * n, v, n * sizeof *v);
    const caucus_status st = share_bytes(c, all, c->at);
    if (st) return st;
    memcpy(v, all, n * sizeof *v);
    for (size_t r = 1; r < c->ranks; r++) combine(op, n, all + r * n, v);
    return CAUCUS_OK;
}

static caucus_status sum(cau_comm *c, comm_op op, size_t n, comm_number *v)
{
    if (!c || n == 0) return CAUCUS_OK;
    if (n <= SHORT) return sum_short(c, op, n, v);
    for (size_t r = 0; r <= c->ranks; r++)
        c->first[r] = n / c->ranks * r + n % c->ranks * r / c->ranks;
    const caucus_status st = sum_parts(c, op, c->first, v, v + c->first[c->rank]);
    if (st) return st;
    for (size_t r = 0; r <= c->ranks; r++) c->at[r] = c->first[r] * sizeof *v;
    return share_bytes(c, v, c->at);
}

caucus_status cau_comm_sum(cau_comm *c, size_t n, double *v)
{
    return sum(c, ADD, n, (comm_number *)v);
}

caucus_status cau_comm_count(cau_comm *c, size_t n, uint64_t *v)
{
    return sum(c, COUNT, n, (comm_number *)v);
}

caucus_status cau_comm_union(cau_comm *c, size_t n, uint64_t *v)
{
    return sum(c, UNITE, n, (comm_number *)v);
}

caucus_status cau_comm_sum_parts(cau_comm *c, const size_t *first, const double *v, double *own)
{
    if (c) return sum_parts(c, ADD, first, (const comm_number *)v, (comm_number *)own);
    if (own != v) memcpy(own, v, first[1] * sizeof *v);
    return CAUCUS_OK;
}

caucus_status cau_comm_share(cau_comm *c, const size_t *first, double *all)
{
    if (!c) return CAUCUS_OK;
    for (size_t r = 0; r <= c->ranks; r++) c->at[r] = first[r] * sizeof *all;
    return share_bytes(c, all, c->at);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* at [ranks + 1] <- where the texts of the ranks begin and end. */
static caucus_status place_texts(cau_comm *c, size_t own, size_t *end)
{
    memset(c->lengths, 0, c->ranks * sizeof *c->lengths);
    c->lengths[c->rank] = own;
    const caucus_status st = cau_comm_count(c, c->ranks, c->lengths);
    if (st) return st;
    for (size_t r = 0, at = 0; r < c->ranks; r++) {
        c->begin[r] = at;
        c->begin[r + 1] = at += (size_t)c->lengths[r];
        if (end) end[r] = at;
    }
    return CAUCUS_OK;
}

static caucus_status append_own(cau_str own, cau_strbuf *all, size_t *end)
{
    cau_strbuf_add(all, own.s, own.n);
    if (end) end[0] = own.n;
    return all->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

static void end_texts(cau_strbuf *all, size_t size)
{
    all->n = size;
    all->s[size] = '\0';
}

caucus_status cau_comm_collect(cau_comm *c, cau_str own, cau_strbuf *all, size_t *end)
{
    const size_t before = all->n;
    if (!c) return append_own(own, all, end);
    caucus_status st = place_texts(c, own.n, end);
    if (st) return st;
    if (!cau_strbuf_reserve(all, c->begin[c->ranks])) return CAUCUS_ERR_MEMORY;
    if (own.n) memcpy(all->s + before + c->begin[c->rank], own.s, own.n);
    st = share_bytes(c, all->s + before, c->begin);
    if (!st) end_texts(all, before + c->begin[c->ranks]);
    return st;
}

caucus_status cau_comm_gather(cau_comm *c, cau_str own, cau_strbuf *all, size_t *end)
{
    const size_t before = all->n;
    if (!c) return append_own(own, all, end);
    caucus_status st = place_texts(c, own.n, end);
    if (st) return st;
    if (c->rank == 0 && !cau_strbuf_reserve(all, c->begin[c->ranks])) return CAUCUS_ERR_MEMORY;
    for (size_t r = 0; r < c->ranks; r++) {
        c->out[r] = own.s;
        c->out_bytes[r] = r == 0 ? own.n : 0;
        c->in[r] = c->rank == 0 ? all->s + before + c->begin[r] : NULL;
        c->in_bytes[r] = c->rank == 0 ? (size_t)c->lengths[r] : 0;
    }
    const double began = cau_seconds();
    if (c->rank) c->cost.bytes += own.n;
    st = end_call(c, began, c->module->exchange(c->out, c->out_bytes, c->in, c->in_bytes));
    if (!st && c->rank == 0) end_texts(all, before + c->begin[c->ranks]);
    return st;
}

caucus_status cau_comm_broadcast(cau_comm *c, size_t root, void *data, size_t bytes)
{
    if (!c) return CAUCUS_OK;
    const double began = cau_seconds();
    if (c->rank == root) c->cost.bytes += bytes;
    return end_call(c, began, c->module->broadcast(root, data, bytes));
}

caucus_status cau_comm_before(cau_comm *c, size_t number, size_t *before, size_t *total)
{
    *before = 0;
    if (total) *total = number;
    if (!c) return CAUCUS_OK;
    memset(c->lengths, 0, c->ranks * sizeof *c->lengths);
    c->lengths[c->rank] = number;
    const caucus_status st = cau_comm_count(c, c->ranks, c->lengths);
    if (st) return st;
    size_t all = 0;
    for (size_t r = 0; r < c->ranks; r++) {
        if (r == c->rank) *before = all;
        all += (size_t)c->lengths[r];
    }
    if (total) *total = all;
    return CAUCUS_OK;
}
