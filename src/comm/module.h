/* module.h - what a module for MPI offers: comm/mpi_module.c, a shared object that is built by the
 * mpicc of one MPI library and opened at run time. It does no more than move bytes; sums and their
 * order are ours (comm.c), so they are the same with every MPI library.
 *
 * Functions return 0, or 1 after a failure of MPI. All but `stop` are collective. */

#ifndef CAU_COMM_MODULE_H
#define CAU_COMM_MODULE_H

#include <stddef.h>

enum { CAU_COMM_VERSION = 1 };

typedef struct {
    unsigned version; /* CAU_COMM_VERSION; first, so that an old module can be told */
    const char *name; /* "Open MPI 4.1.4" */

    int (*start)(size_t *rank, size_t *ranks);

    /* Sends out_bytes[r] bytes at out[r] to each rank r, and receives in_bytes[r] bytes at in[r]
     * from it; the own ones as well. */
    int (*exchange)(const void *const *out, const size_t *out_bytes, void *const *in,
                    const size_t *in_bytes);

    /* all holds a part from each rank r, bytes at[r] .. at[r + 1]; the own one is there already. */
    int (*share)(void *all, const size_t *at);

    int (*broadcast)(size_t root, void *data, size_t bytes);
    void (*end)(void);
    void (*stop)(int status); /* ends all processes; does not return */
} cau_comm_module;

/* The one symbol of a module. */
typedef const cau_comm_module *cau_comm_module_fn(void);
#define CAU_COMM_SYMBOL "caucus_comm_module"

#endif
