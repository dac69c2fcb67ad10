/* template.h - templates: from the columns of a sequence to the names of features.
 *
 * A template is a list of patterns, one on each line. The syntax of CRF++, the patterns of
 * Wapiti and what goes beyond both are one language, described in template.c and in
 * docs/templates.md. A compiled template is constant and may be shared by threads; whoever
 * applies it brings a cau_extractor of his own. */

#ifndef CAU_TEXT_TEMPLATE_H
#define CAU_TEXT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key.h"
#include "base/strbuf.h"
#include "caucus.h"

typedef struct cau_template cau_template;

/* Compiles a text; `name` stands in messages, as "name:line: what; what to do" followed by the
 * line and a caret below the place. `directory` is where relative paths of gazetteers start
 * (that of the template file), or NULL: here. */
caucus_status cau_template_parse(caucus_ctx *ctx, const char *name, cau_str text,
                                 const char *directory, cau_template **out);

/* The same from a file. */
caucus_status cau_template_read(caucus_ctx *ctx, const char *path, cau_template **out);

/* The template for those who have none, over data of `columns` >= 1 columns of which the first
 * is the word: word, lower-case word, affixes, shape, character n-grams, neighbours, the other
 * columns and their neighbours, plain transitions. */
caucus_status cau_template_default(caucus_ctx *ctx, size_t columns, cau_template **out);

void cau_template_free(cau_template *t); /* NULL is fine */

/* A text that compiles to the same template anywhere: what a model file keeps. Gazetteers are
 * in it, entry by entry. */
cau_str cau_template_text(const cau_template *t);

size_t cau_template_columns(const cau_template *t); /* 1 + the highest column that it looks at */
bool cau_template_plain(const cau_template *t);     /* has a pattern "B" without any macro */
bool cau_template_edges(const cau_template *t);     /* has other patterns on edges */
bool cau_template_repeats(const cau_template *t);   /* a token may get a feature twice (%chars) */

/* The groups of its @bag lines one after the other, starting with *at = 0: the name, and the globs
 * with blanks between and around them. False after the last. They belong to the template. */
bool cau_template_bag(const cau_template *t, size_t *at, cau_str *name, cau_str *globs);

/* The pattern that a feature comes from, by the longest text before a macro that its name begins
 * with; SIZE_MAX where it is of none. And whether that pattern is in a group. */
size_t cau_template_pattern_of(const cau_template *t, cau_str feature);
bool cau_template_in_bag(const cau_template *t, cau_str globs, size_t pattern);

/* ---- applying it ------------------------------------------------------------------------- */

/* Receives the features of a position. With names, `name` is the text and `key` is not set;
 * with keys, `key` is the hash of that text under the base (base/key.h) and name is {NULL, 0}.
 * value is 1 but for %number. */
typedef caucus_status cau_feature_fn(void *self, cau_str name, uint64_t key, double value);

/* Patterns that say the same of different positions are a family, as U1:%x[-1,0] and U2:%x[0,0]
 * are. A feature of theirs is its content, which is what the macros make of the cells, and what
 * stands before and after that. So who has met a content once knows all features that it can be. */
enum { CAU_FAMILY_MOST = 5 }; /* members; where there are more, they are several families */

typedef struct {
    uint32_t number; /* from 1, in a template */
    uint32_t members;
    uint64_t head[CAU_FAMILY_MOST]; /* the hash of what stands before the content, */
    cau_key tail[CAU_FAMILY_MOST];  /* and the key of what stands after it */
} cau_family;

/* The key of the feature that a content is for a member. */
static inline uint64_t cau_family_key(const cau_family *family, size_t member, cau_key content)
{
    const uint64_t hash = cau_key_append(family->head[member], content);
    return cau_key_finish(cau_key_append(hash, family->tail[member]));
}

/* Gives numbers to the features of a family at several positions in a row, of which so many
 * contents are all that there are. That of member i with content[j] is to be
 * *first + j * members + i. They are used for the features of the `positions` that are handed over
 * next, and not later. */
typedef caucus_status cau_contents_fn(void *self, size_t positions, const cau_family *family,
                                      size_t count, const cau_key *content, uint32_t *first);

/* Receives several features by these numbers. They all have the value 1. */
typedef caucus_status cau_numbers_fn(void *self, size_t count, const uint32_t *number);

typedef struct {
    cau_feature_fn *node;      /* of the position itself */
    cau_contents_fn *contents; /* with keys, the same for most features; NULL: one by one */
    cau_numbers_fn *nodes;
    cau_feature_fn *edge; /* of the edge from the position before; not called for plain ones,
                             nor at the first position */
    void *self;
} cau_feature_sink;

/* Memory of one thread. */
typedef struct cau_extractor cau_extractor;

/* With `keys`, features come as keys under that base. Borrows the template. */
caucus_status cau_extractor_new(caucus_ctx *ctx, const cau_template *t, bool keys, unsigned base,
                                cau_extractor **out);
void cau_extractor_free(cau_extractor *x);

/* A sequence: begin, then its positions in order, each with at least
 * cau_template_columns cells, then its features position by position. The cells are borrowed
 * until the next begin. CAUCUS_ERR_FORMAT, with "what; what to do" in the context, when a regular
 * expression takes too long on a cell. */
void cau_extractor_begin(cau_extractor *x);
caucus_status cau_extractor_add(caucus_ctx *ctx, cau_extractor *x, const cau_str *cells,
                                size_t count);

/* Hands the features of position t to the sink, in the order of the template. A status of the
 * sink ends it and is returned. CAUCUS_ERR_FORMAT with "what; what to do" in the context
 * (without a place, which the caller knows) when a cell of %number is no finite number. */
caucus_status cau_extractor_features(caucus_ctx *ctx, cau_extractor *x, size_t t,
                                     const cau_feature_sink *sink);

#endif
