/* comm.h - processes that work together: the ranks of a job that mpirun or srun started.
 *
 * There are two implementations: a process alone, and MPI, in a module that is opened at run time
 * (module.h). Callers do not know which. A NULL comm is a process alone: its sums are its own
 * numbers, and everything costs nothing.
 *
 * All functions but the first three are collective: every rank calls the same ones in the same
 * order, with the same counts. They may only be called by the thread that joined. Sums are added in
 * the order of the ranks, so the same number of ranks gives the same bits, whatever the MPI library
 * and the network. They fail with CAUCUS_ERR_MEMORY, or with CAUCUS_ERR_IO when MPI fails; the
 * other ranks then wait for ever, so the caller must end the job (caucus_abort). */

#ifndef CAU_COMM_COMM_H
#define CAU_COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_comm cau_comm;

size_t cau_comm_rank(const cau_comm *comm);  /* 0 for a process alone */
size_t cau_comm_ranks(const cau_comm *comm); /* 1 for a process alone */

/* What was sent so far, and the seconds spent in calls, waiting for other ranks included. */
typedef struct {
    uint64_t bytes; /* by this rank to others */
    double seconds;
} cau_comm_cost;
cau_comm_cost cau_comm_spent(const cau_comm *comm);

/* v [n] <- the sum over all ranks. */
caucus_status cau_comm_sum(cau_comm *comm, size_t n, double *v);
caucus_status cau_comm_count(cau_comm *comm, size_t n, uint64_t *v); /* of integers, modulo 2^64 */
caucus_status cau_comm_union(cau_comm *comm, size_t n, uint64_t *v); /* or of bits, not a sum */

/* Reduce-scatter: own <- part first[rank] .. first[rank + 1] of the sum of v [first[ranks]]. `own`
 * may be that part of v. first [ranks + 1] starts at 0. Alone, it copies. */
caucus_status cau_comm_sum_parts(cau_comm *comm, const size_t *first, const double *v, double *own);

/* Allgather: all [first[ranks]] <- the parts of all ranks; the own one is there already. */
caucus_status cau_comm_share(cau_comm *comm, const size_t *first, double *all);

/* Appends the texts of all ranks, in order, to `all`; they may differ in length. end [ranks], if
 * not NULL, receives where each of them ends in the appended bytes. */
caucus_status cau_comm_collect(cau_comm *comm, cau_str own, cau_strbuf *all, size_t *end);

/* The same, but only rank 0 receives the texts; elsewhere `all` stays as it is. */
caucus_status cau_comm_gather(cau_comm *comm, cau_str own, cau_strbuf *all, size_t *end);

/* data <- that of rank `root`. */
caucus_status cau_comm_broadcast(cau_comm *comm, size_t root, void *data, size_t bytes);

/* The sum of the numbers of the ranks before this one; *total, if not NULL, that of all. */
caucus_status cau_comm_before(cau_comm *comm, size_t number, size_t *before, size_t *total);

#endif
