/* mpi_module.c - the module for MPI, see module.h. Built by mpicc, not a part of the library.
 *
 * MPI counts in int, so long messages go in pieces. Only the thread that starts MPI calls it. */

#include "comm/module.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28, TAG = 7 };

static int rank_own, rank_count;
static MPI_Request *requests; /* [2 * rank_count] */

static int start(size_t *rank, size_t *ranks)
{
    int given, ready = 0;
    if (MPI_Initialized(&ready)) return 1;
    if (!ready && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given)) return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank_own) || MPI_Comm_size(MPI_COMM_WORLD, &rank_count))
        return 1;
    requests = malloc(2 * (size_t)rank_count * sizeof *requests);
    *rank = (size_t)rank_own;
    *ranks = (size_t)rank_count;
    return !requests;
}

static int piece_of(size_t bytes, size_t at)
{
    const size_t left = bytes > at ? bytes - at : 0;
    return left < PIECE ? (int)left : PIECE;
}

static int exchange(const void *const *out, const size_t *out_bytes, void *const *in,
                    const size_t *in_bytes)
{
    const size_t ranks = (size_t)rank_count, own = (size_t)rank_own;
    size_t most = 0;
    if (in_bytes[own]) memcpy(in[own], out[own], in_bytes[own]);
    for (size_t r = 0; r < ranks; r++) {
        if (out_bytes[r] > most) most = out_bytes[r];
        if (in_bytes[r] > most) most = in_bytes[r];
    }
    for (size_t at = 0; at < most; at += PIECE) {
        int count = 0;
        for (size_t step = 1; step < ranks; step++) {
            const size_t from = (own + ranks - step) % ranks, to = (own + step) % ranks;
            const int get = piece_of(in_bytes[from], at), put = piece_of(out_bytes[to], at);
            if (get && MPI_Irecv((char *)in[from] + at, get, MPI_BYTE, (int)from, TAG,
                                 MPI_COMM_WORLD, &requests[count++]))
                return 1;
            if (put && MPI_Isend((const char *)out[to] + at, put, MPI_BYTE, (int)to, TAG,
                                 MPI_COMM_WORLD, &requests[count++]))
                return 1;
        }
        if (MPI_Waitall(count, requests, MPI_STATUSES_IGNORE)) return 1;
    }
    return 0;
}

static int broadcast(size_t root, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE)
        if (MPI_Bcast((char *)data + at, piece_of(bytes, at), MPI_BYTE, (int)root, MPI_COMM_WORLD))
            return 1;
    return 0;
}

static int share(void *all, const size_t *at)
{
    const size_t ranks = (size_t)rank_count;
    if (at[ranks] > INT_MAX) {
        for (size_t r = 0; r < ranks; r++)
            if (broadcast(r, (char *)all + at[r], at[r + 1] - at[r])) return 1;
        return 0;
    }
    int *count = malloc(2 * ranks * sizeof *count);
    if (!count) return 1;
    for (size_t r = 0; r < ranks; r++) {
        count[r] = (int)(at[r + 1] - at[r]);
        count[ranks + r] = (int)at[r];
    }
    const int st = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, count, count + ranks, MPI_BYTE,
                                  MPI_COMM_WORLD);
    free(count);
    return st != MPI_SUCCESS;
}

static void end(void)
{
    free(requests);
    requests = NULL;
    MPI_Finalize();
}

static void stop(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    abort(); /* not reached */
}

const cau_comm_module *caucus_comm_module(void);

__attribute__((visibility("default"))) const cau_comm_module *caucus_comm_module(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    static cau_comm_module module = {.version = CAU_COMM_VERSION,
                                     .name = name,
                                     .start = start,
                                     .exchange = exchange,
                                     .share = share,
                                     .broadcast = broadcast,
                                     .end = end,
                                     .stop = stop};
    int length = 0;
    if (MPI_Get_library_version(name, &length)) name[0] = '\0';
    name[strcspn(name, ",\n\t")] = '\0';
    return &module;
}
