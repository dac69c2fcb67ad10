/* serve.h - the command `caucus serve`. */

#ifndef CAU_SERVE_SERVE_H
#define CAU_SERVE_SERVE_H

#include "caucus.h"

/* Serves as the options of "serve" say, until SIGTERM or SIGINT arrives. SIGHUP loads the models
 * and opens the log again. Notes say what happens. Changes the signal mask of the process. */
caucus_status cau_serve(caucus_ctx *ctx, const caucus_options *options);

#endif
