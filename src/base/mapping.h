/* mapping.h - a file mapped into memory, read only. */

#ifndef CAU_BASE_MAPPING_H
#define CAU_BASE_MAPPING_H

#include "base/strbuf.h"
#include "caucus.h"

/* Maps the model file at `path`, which must be a regular file. An empty one has no bytes and a NULL
 * address. CAUCUS_ERR_IO with the reason of the system. */
caucus_status cau_map_file(caucus_ctx *ctx, const char *path, cau_str *bytes);
void cau_unmap_file(cau_str bytes); /* {NULL, 0} is fine */

#endif
