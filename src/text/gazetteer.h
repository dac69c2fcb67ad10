/* gazetteer.h - gazetteers: lists of names of one or more words, found in a column of cells. */

#ifndef CAU_TEXT_GAZETTEER_H
#define CAU_TEXT_GAZETTEER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_lexicon cau_lexicon;

/* An empty list. With `lower`, case makes no difference. Once filled it is constant and may be
 * shared by threads. */
caucus_status cau_lexicon_new(caucus_ctx *ctx, bool lower, cau_lexicon **out);
void cau_lexicon_free(cau_lexicon *lexicon);

/* Adds a name; blanks and tabs separate its words, and a name without words is nothing. */
caucus_status cau_lexicon_add(caucus_ctx *ctx, cau_lexicon *lexicon, cau_str name);

/* Where the names stand among T cells, cells[0], cells[stride], ...: from left to right, the
 * longest name that begins at a position, then on after its end. tags [T] gets
 *     S  a name of one word        B I E  first, inner, last word of a longer one        O  none
 * `scratch` is overwritten. CAUCUS_OK or CAUCUS_ERR_MEMORY. */
caucus_status cau_lexicon_find(const cau_lexicon *lexicon, const cau_str *cells, size_t stride,
                               size_t T, cau_strbuf *scratch, char *tags);

#endif
