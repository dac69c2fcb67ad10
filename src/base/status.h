/* status.h - the context, and how a failure gets its sentence. */

#ifndef CAU_BASE_STATUS_H
#define CAU_BASE_STATUS_H

#include "caucus.h"

enum { CAU_MESSAGE_MAX = 4096 }; /* room for a path of PATH_MAX is not promised: it is cut */

struct caucus_ctx {
    char message[CAU_MESSAGE_MAX];
    unsigned threads; /* as asked for; 0 is "the machine's" */
    caucus_note_fn *note;
    void *note_user;
    caucus_progress_fn *progress;
    void *progress_user;
};

/* Leaves through `done:` with the status of a call that failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st) goto done;                                                                         \
    } while (0)

/* Writes the sentence into the context and returns the status, so that a failure is one
 * statement: TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s:%zu: ...", path, line)). */
__attribute__((format(printf, 3, 4))) caucus_status cau_fail(caucus_ctx *ctx, caucus_status st,
                                                             const char *format, ...);

/* The same for an allocation that failed; `what` says what the memory was for. */
caucus_status cau_fail_memory(caucus_ctx *ctx, const char *what);

/* Hands a sentence to the note callback, if there is one. */
__attribute__((format(printf, 2, 3))) void cau_note(caucus_ctx *ctx, const char *format, ...);

#endif
