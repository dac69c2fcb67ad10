/* trace.c - the way of a training run, kept for a figure. */

#include "api/trace.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "report/plot.h"

static bool keep(void *self, const caucus_progress *now)
{
    cau_trace *trace = self;
    const double number[4] = {(double)now->iteration, now->elapsed, now->objective, now->dev};
    for (int i = 0; i < 4 && !trace->failed; i++) {
        if (!CAU_GROW(trace->number[i], trace->room[i], trace->n + 1))
            trace->failed = true;
        else
            trace->number[i][trace->n] = number[i];
    }
    if (!trace->failed) trace->n++;
    trace->solver = now->solver;
    return !trace->progress || trace->progress(trace->user, now);
}

void cau_trace_begin(cau_trace *trace, caucus_ctx *ctx)
{
    *trace = (cau_trace){.ctx = ctx, .progress = ctx->progress, .user = ctx->progress_user};
    caucus_on_progress(ctx, keep, trace);
}

caucus_status cau_trace_end(cau_trace *trace, caucus_status run, const char *path)
{
    caucus_status st = run;
    caucus_on_progress(trace->ctx, trace->progress, trace->user);
    if (!st && trace->failed) st = cau_fail_memory(trace->ctx, "the figure");
    if (!st && trace->n) {
        const cau_convergence figure = {.solver = trace->solver,
                                        .n = trace->n,
                                        .iteration = trace->number[0],
                                        .seconds = trace->number[1],
                                        .objective = trace->number[2],
                                        .dev = trace->number[3]};
        st = cau_plot_convergence(trace->ctx, path, &figure);
    }
    for (int i = 0; i < 4; i++) free(trace->number[i]);
    return st;
}
