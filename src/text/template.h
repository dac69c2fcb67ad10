/* template.h - templates: from the columns of a sequence to the names of features.
 *
 * A template is a list of patterns, one on each line. The syntax of CRF++, the patterns of
 * Wapiti and what goes beyond both are one language, described in template.c and in
 * docs/templates.md. Threads may share a compiled template; each needs a cau_extractor of its own
 * to apply it. */

#ifndef CAU_TEXT_TEMPLATE_H
#define CAU_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key.h"
#include "base/strbuf.h"
#include "caucus.h"

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
bool cau_template_edges(const cau_template *t);       /* has other patterns on edges */
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

/* Receives the features of a position. With names, `name` is the text and `key` is not set; with
 * keys, `key` is the hash of the text under the base (base/key.h) and name is {NULL, 0}. value is 1
 * except for %number. */
typedef caucus_status cau_feature_fn(void *self, cau_str name, uint64_t key, double value);

/* Patterns that differ only in their position and in the text around it, such as U1:%x[-1,0] and
 * U2:%x[0,0], form a family. The content of a feature is the result of its macros; the feature is
 * the head of its pattern, the content and the tail. So one lookup of a content can find the
 * features that it makes for all members of the family. */
enum { CAU_FAMILY_MOST = 5 }; /* members; more than that are split into several families */

typedef struct {
    uint32_t number; /* within the template, from 1 */
    uint32_t members;
    uint64_t head[CAU_FAMILY_MOST]; /* hash of the text before the content, */
    cau_key tail[CAU_FAMILY_MOST];  /* and key of the text after it */
} cau_family;

/* The key of the feature that a content makes for a member. */
static inline uint64_t cau_family_key(const cau_family *family, size_t member, cau_key content)
{
    const uint64_t hash = cau_key_append(family->head[member], content);
    return cau_key_finish(cau_key_append(hash, family->tail[member]));
}

/* Numbers the features of a family at several successive positions, which have these `count`
 * contents. The feature of member i with content[j] gets the number *first + j * members + i. The
 * numbers are used for the features of the next `positions` positions only. */
typedef caucus_status cau_contents_fn(void *self, size_t positions, const cau_family *family,
                                      size_t count, const cau_key *content, uint32_t *first);

/* Receives several features by these numbers. All have the value 1. */
typedef caucus_status cau_numbers_fn(void *self, size_t count, const uint32_t *number);

typedef struct {
    cau_feature_fn *node; /* features of the position */
    cau_contents_fn
        *contents; /* with keys: most features of nodes; NULL: all come through `node` */
    cau_numbers_fn *nodes;
    cau_feature_fn *edge; /* features of the edge from the previous position; not called for
                             plain transitions and at the first position */
    void *self;
} cau_feature_sink;

/* Working memory of one thread. */
typedef struct cau_extractor cau_extractor;

/* With `keys`, features are keys under that base, else names. Borrows the template. */
caucus_status cau_extractor_new(caucus_ctx *ctx, const cau_template *t, bool keys, unsigned base,
                                cau_extractor **out);
void cau_extractor_free(cau_extractor *x);

/* A sequence: begin, then its positions in order, each with at least cau_template_columns cells,
 * then its features position by position. Borrows the cells until the next begin.
 * CAUCUS_ERR_FORMAT, with "what; what to do" in the context, when a regular expression takes too
 * long on a cell. */
void cau_extractor_begin(cau_extractor *x);
caucus_status cau_extractor_add(caucus_ctx *ctx, cau_extractor *x, const cau_str *cells,
                                size_t count);

/* Passes the features of position t to the sink, in the order of the template. Stops at a failure
 * of the sink and returns it. CAUCUS_ERR_FORMAT, with "what; what to do" in the context but without
 * a place, when a cell of %number is not a finite number. */
caucus_status cau_extractor_features(caucus_ctx *ctx, cau_extractor *x, size_t t,
                                     const cau_feature_sink *sink);

#endif
