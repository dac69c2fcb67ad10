/* template.h - templates: from the columns of a sequence to the names of features.
 *
 * A template is a list of patterns, one on each line. The language contains those of CRF++ and of
 * Wapiti and has more functions (template.c, docs/templates.md). Threads may share a compiled
 * template; each needs a cau_extractor of its own to apply it. */

#ifndef CAU_TEXT_TEMPLATE_H
#define CAU_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caucus.h"
#include "text/feature_block.h"

typedef struct cau_template cau_template;

/* Compiles a text. Messages have the form "name:line: what; what to do", followed by the line and a
 * caret below the place. Relative paths of gazetteers start in `directory`, that of the template
 * file; NULL is the working directory. */
caucus_status cau_template_parse(caucus_ctx *ctx, const char *name, cau_str text,
                                 const char *directory, cau_template **out);

/* The same from a file. */
caucus_status cau_template_read(caucus_ctx *ctx, const char *path, cau_template **out);

/* The default template for data of `columns` >= 1 columns without the label, of which the first is
 * the word: word, lower-case word, affixes, shape, character n-grams, neighbours, the other columns
 * and their neighbours, plain transitions. */
caucus_status cau_template_default(caucus_ctx *ctx, size_t columns, cau_template **out);

void cau_template_free(cau_template *t); /* NULL is fine */

/* A text that compiles to the same template anywhere, for the model file. It includes the entries
 * of gazetteers. */
cau_str cau_template_text(const cau_template *t);

size_t cau_template_columns(const cau_template *t);   /* 1 + the highest column it uses */
bool cau_template_transitions(const cau_template *t); /* has a pattern "B" without any macro */
bool cau_template_repeats(const cau_template *t);     /* a token may get a feature twice (%chars) */

/* Iterates over the groups of the @bag lines, starting with *at = 0: the name of the group, and its
 * globs with blanks between and around them. False after the last. Both are views of the template.
 */
bool cau_template_bag(const cau_template *t, size_t *at, cau_str *name, cau_str *globs);

/* The pattern that a feature comes from: the one with the longest head that the name of the feature
 * begins with, or SIZE_MAX. And whether a pattern is in a group. */
size_t cau_template_pattern_of(const cau_template *t, cau_str feature);
bool cau_template_in_bag(const cau_template *t, cau_str globs, size_t pattern);

/* ---- applying it ------------------------------------------------------------------------- */

/* Working memory of one thread. */
typedef struct cau_extractor cau_extractor;

/* Features are keys under a base, or names for CAU_BY_NAME. Borrows the template. */
caucus_status cau_extractor_new(caucus_ctx *ctx, const cau_template *t, int base,
                                cau_extractor **out);
void cau_extractor_free(cau_extractor *x);

/* A sequence: begin, then its positions in order, each with at least cau_template_columns cells,
 * then its features, block by block. Borrows the cells until the next begin. CAUCUS_ERR_FORMAT,
 * with "what; what to do" in the context, when a regular expression takes too long on a cell. */
void cau_extractor_begin(cau_extractor *x);
caucus_status cau_extractor_add(caucus_ctx *ctx, cau_extractor *x, const cau_str *cells,
                                size_t count);

/* Fills a block of the same base with the features of position t and of up to 31 positions after
 * it, a row for each, in the order of the template. All values are 1 except for those of %number;
 * features of value 0 are left out. The edges are those from the previous position; the first
 * position has none, and plain transitions are not listed. The block borrows memory of the
 * extractor until the next block. CAUCUS_ERR_FORMAT, with "what; what to do" in the context but
 * without a place, when position t has a cell of %number that is not a finite number; such a
 * position further on ends the block before it. */
caucus_status cau_extractor_fill(caucus_ctx *ctx, cau_extractor *x, size_t t,
                                 cau_feature_block *block);

#endif
