/* ranks.c - several processes, of the public interface. */

#include <stdlib.h>

#include "base/status.h"
#include "comm/join.h"

caucus_status caucus_join(caucus_ctx *ctx)
{
    if (ctx->comm) return CAUCUS_OK;
    cau_launched(&ctx->rank);
    return cau_comm_join(ctx, &ctx->comm);
}

void caucus_leave(caucus_ctx *ctx)
{
    cau_comm_leave(ctx->comm);
    ctx->comm = NULL;
    ctx->rank = 0;
}

void caucus_abort(caucus_ctx *ctx, int status)
{
    if (ctx->comm) cau_comm_stop(ctx->comm, status);
    _Exit(status);
}

size_t caucus_rank(const caucus_ctx *ctx)
{
    return ctx->rank;
}

size_t caucus_ranks(const caucus_ctx *ctx)
{
    return cau_comm_ranks(ctx->comm);
}

size_t caucus_launched(size_t *rank)
{
    return cau_launched(rank);
}
