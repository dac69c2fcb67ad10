/* checkpoint.h - saves the state of a training run in a file, so that it can be resumed after a
 * kill. */

#ifndef CAU_TRAIN_CHECKPOINT_H
#define CAU_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "optim/solver.h"

/* Writes the blobs atomically. `run` identifies data and options. */
caucus_status cau_checkpoint_save(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count);

/* Reads the blobs back in place. If there is no such file, *found is false and nothing else
 * happens. A damaged file, or one of another run, is CAUCUS_ERR_FORMAT and changes nothing. */
caucus_status cau_checkpoint_load(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count, bool *found);

#endif
