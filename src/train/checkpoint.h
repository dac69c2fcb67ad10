/* checkpoint.h - saves the state of a training run in a file, so that it can be resumed after a
 * kill. */

#ifndef CAU_TRAIN_CHECKPOINT_H
#define CAU_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"
#include "optim/solver.h"

/* Writes the blobs atomically. `run` identifies data and options. With several processes (comm;
 * NULL: one) the calls are collective, rank 0 has the file, and vectors of which each process has a
 * part are put together: the file is that of one process, and any number of them can read it. */
caucus_status cau_checkpoint_save(caucus_ctx *ctx, cau_comm *comm, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count);

/* Reads the blobs back in place. If there is no such file, *found is false and nothing else
 * happens. A damaged file, or one of another run, is CAUCUS_ERR_FORMAT and changes nothing. */
caucus_status cau_checkpoint_load(caucus_ctx *ctx, cau_comm *comm, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count, bool *found);

#endif
