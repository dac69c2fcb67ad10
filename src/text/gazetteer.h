/* gazetteer.h - gazetteers: lists of names of one or more words, found in a column of cells. */

#ifndef CAU_TEXT_GAZETTEER_H
#define CAU_TEXT_GAZETTEER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_lexicon cau_lexicon;

/* An empty list. With `lower`, case is ignored. Threads may share a list that is complete. */
caucus_status cau_lexicon_new(caucus_ctx *ctx, bool lower, cau_lexicon **out);
void cau_lexicon_free(cau_lexicon *lexicon);

/* Adds a name, whose words are separated by blanks and tabs. A name without words is ignored. */
caucus_status cau_lexicon_add(caucus_ctx *ctx, cau_lexicon *lexicon, cau_str name);

/* Finds names in T cells, cells[0], cells[stride], ...: from left to right, the longest name that
 * starts at a position, and then after its end. tags [T] receives
 *     S  a name of one word    B I E  first, inner, last word of a longer name    O  no name
 * `scratch` is overwritten. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_lexicon_find(const cau_lexicon *lexicon, const cau_str *cells, size_t stride,
                               size_t T, cau_strbuf *scratch, char *tags);

#endif
