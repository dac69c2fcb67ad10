/* checkpoint.h - the state of a training run in a file, so that it can go on after a kill. */

#ifndef CAU_TRAIN_CHECKPOINT_H
#define CAU_TRAIN_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "optim/solver.h"

/* Writes the pieces atomically. `run` identifies data and options. */
caucus_status cau_checkpoint_save(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count);

/* Reads the pieces back in place. *found is false, and nothing else happens, when there is no
 * such file. A file that is damaged, or of another run, is CAUCUS_ERR_FORMAT with nothing
 * changed. */
caucus_status cau_checkpoint_load(caucus_ctx *ctx, const char *path, uint64_t run,
                                  const cau_blob *blobs, size_t count, bool *found);

#endif
