/* status.h - the context and the messages of failures. */

#ifndef CAU_BASE_STATUS_H
#define CAU_BASE_STATUS_H

#include "caucus.h"

enum { CAU_MESSAGE_MAX = 4096 }; /* longer messages are cut */

struct caucus_ctx {
    char message[CAU_MESSAGE_MAX];
    unsigned threads; /* as set by the caller; 0 means the number of processors */
    caucus_note_fn *note;
    void *note_user;
    caucus_progress_fn *progress;
    void *progress_user;
    caucus_iterate_fn *iterate;
    void *iterate_user;
    struct cau_comm *comm; /* the processes that this one works with (comm/comm.h); NULL: alone */
    size_t rank;           /* of this process; only rank 0 writes files (base/output.h) */
};

/* Jumps to `done:` with the status of a call that failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st) goto done;                                                                         \
    } while (0)

/* Writes the message into the context and returns the status, which makes a failure one
 * statement: TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s:%zu: ...", path, line)). */
__attribute__((format(printf, 3, 4))) caucus_status cau_fail(caucus_ctx *ctx, caucus_status st,
                                                             const char *format, ...);

/* The same for a failed allocation; `what` names the use of the memory. */
caucus_status cau_fail_memory(caucus_ctx *ctx, const char *what);

/* Passes a message to the note callback, if there is one. */
__attribute__((format(printf, 2, 3))) void cau_note(caucus_ctx *ctx, const char *format, ...);

#endif
