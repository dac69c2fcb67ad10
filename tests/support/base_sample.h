/* base_sample.h - strings, and callbacks that collect text or refuse it. */

#ifndef CAU_SUPPORT_BASE_SAMPLE_H
#define CAU_SUPPORT_BASE_SAMPLE_H

#include <string.h>

#include "base/strbuf.h"
#include "support/support.h"

static inline cau_str str(const char *s)
{
    return (cau_str){s, strlen(s)};
}

/* A caucus_write_fn that appends to a cau_strbuf. */
static inline caucus_status into_text(void *user, const char *bytes, size_t length)
{
    cau_strbuf_add(user, bytes, length);
    return ((cau_strbuf *)user)->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

/* A caucus_write_fn that fails, as on a full disk. */
static inline caucus_status into_nothing(void *user, const char *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return CAUCUS_ERR_IO;
}

/* A callback for notes that appends each to a cau_strbuf, on a line of its own. */
static inline void collect_note(void *user, const char *sentence)
{
    cau_strbuf_printf(user, "%s\n", sentence);
}

#endif
