/* base_sample.h - what tests share of this room: the text that a function writes. */

#ifndef CAU_SUPPORT_BASE_SAMPLE_H
#define CAU_SUPPORT_BASE_SAMPLE_H

#include "base/strbuf.h"
#include "support/support.h"

/* A caucus_write_fn for a cau_strbuf. */
static inline caucus_status into_text(void *user, const char *bytes, size_t length)
{
    cau_strbuf_add(user, bytes, length);
    return ((cau_strbuf *)user)->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

/* One that takes nothing, like a full disk. */
static inline caucus_status into_nothing(void *user, const char *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return CAUCUS_ERR_IO;
}

#endif
