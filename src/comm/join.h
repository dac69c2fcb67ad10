/* join.h - how a process joins the others of its job. */

#ifndef CAU_COMM_JOIN_H
#define CAU_COMM_JOIN_H

#include "comm/comm.h"
#include "comm/module.h"

struct cau_comm {
    const cau_comm_module *module;
    size_t rank, ranks;
    cau_comm_cost cost;

    /* scratch of comm.c */
    double *inbox;
    size_t inbox_room;
    const void **out; /* [ranks] the arrays of an exchange */
    void **in;
    size_t *out_bytes, *in_bytes;
    size_t *at, *first, *begin; /* [ranks + 1] */
    uint64_t *lengths;          /* [ranks] */
};

/* The number of processes that a launcher (mpirun, mpiexec, srun) says it started, and the rank of
 * this one; 1 and 0 if there was no launcher, or CAUCUS_MPI=none. */
size_t cau_launched(size_t *rank);

/* Joins the other processes of the job. *out is NULL for a process alone. CAUCUS_ERR_UNSUPPORTED
 * without a module that fits. Free it with cau_comm_leave, when no message is under way. */
caucus_status cau_comm_join(caucus_ctx *ctx, cau_comm **out);
void cau_comm_leave(cau_comm *comm); /* NULL is fine */

/* The scratch memory of a comm with a module, a rank and ranks. Release it in any case. */
bool cau_comm_allocate(cau_comm *comm);
void cau_comm_release(cau_comm *comm);

/* Ends all processes with this exit status. Does not return. */
void cau_comm_stop(cau_comm *comm, int status);

#endif
