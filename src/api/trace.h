/* trace.h - the way of a training run, kept for a figure. */

#ifndef CAU_API_TRACE_H
#define CAU_API_TRACE_H

#include "base/strbuf.h"
#include "caucus.h"

/* Stands between a run and the progress callback of the context. Embed it zeroed. */
typedef struct {
    caucus_ctx *ctx;
    caucus_progress_fn *progress; /* of the caller, called as before */
    void *user;
    const char *solver;
    double *number[4]; /* [n] iteration, seconds, objective, dev */
    size_t n, room[4];
    bool failed; /* for want of memory: the rest is not kept */
} cau_trace;

void cau_trace_begin(cau_trace *trace, caucus_ctx *ctx);

/* Gives the context its callback back, and draws the figure if the run was good. Clears. */
caucus_status cau_trace_end(cau_trace *trace, caucus_status run, const char *path);

#endif
