/* serve_absent.c - takes the place of the server where libmicrohttpd is missing. */

#include "base/status.h"
#include "serve/serve.h"

caucus_status cau_serve(caucus_ctx *ctx, const caucus_options *options)
{
    (void)options;
    return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                    "this program was built without libmicrohttpd, which serve needs; install "
                    "libmicrohttpd-dev and build again");
}
