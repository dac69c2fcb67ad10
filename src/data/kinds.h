/* kinds.h - which pattern of its template a feature comes from.
 *
 * A feature is named by its pattern: "U05:the/cat" comes from "U05:%x[-1,0]/%x[0,0]". What stands
 * before the first ':' (or '=', or '[') of the name is its kind; a name with none of these is a
 * kind by itself where there are few of them, else of the kind "". */

#ifndef CAU_DATA_KINDS_H
#define CAU_DATA_KINDS_H

#include "data/alphabet.h"

typedef struct {
    cau_alphabet *names; /* of the kinds, in the order of their coming */
    uint32_t *of;        /* [K] the kind of each observation */
    size_t K;
} cau_kinds;

/* Of all names of an alphabet. Embed it zeroed, clear it at the end. */
caucus_status cau_kinds_init(caucus_ctx *ctx, const cau_alphabet *names, cau_kinds *kinds);
void cau_kinds_clear(cau_kinds *kinds);

/* The kind of a single name: all of it where it has no such sign. */
cau_str cau_kind_of(cau_str name);

/* Whether all of a text fits a glob: '*' is any text, '?' one character (of UTF-8), others are
 * themselves. */
bool cau_glob(cau_str glob, cau_str text);

#endif
