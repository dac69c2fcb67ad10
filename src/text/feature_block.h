/* feature_block.h - the features of a line, or of some successive positions of a sequence.
 *
 * A reader fills a block, and the code that uses its instances turns the features into numbers of
 * its own: training adds their names to alphabets (dataset/intern.h), tagging looks their keys up
 * in the model (infer/score.h). A block has a row for each position, or for each group of features
 * of a line.
 *
 * With names, the features are listed row by row:
 *
 *     row      0         | 1         |          start  0 2 4
 *     name     U0:a U1:b | U0:b U1:_ |
 *
 * With keys, the same content often occurs at several positions: a word is the content of "the word
 * before", "this word" and "the word after" at three of them. So the block lists the contents of
 * each family of patterns once, and a row refers to features by their numbers. The features of the
 * contents come first, then single features:
 *
 *     family   0, 2 members          | 1, 1 member   |  single keys
 *     content  a       b       c     | d       e     |  x   y
 *     number   0 1     2 3     4 5   | 6       7     |  8   9
 *
 *     row      0         | 1                         start  0 4 7
 *     number   0 3 6 8   | 2 5 7 ...
 */

#ifndef CAU_TEXT_FEATURE_BLOCK_H
#define CAU_TEXT_FEATURE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key.h"
#include "base/strbuf.h"
#include "caucus.h"

enum {
    CAU_BY_NAME = -1,    /* instead of a base: features have names */
    CAU_FAMILY_MOST = 5, /* members; more than that are split into several families */
};

/* Patterns that differ only in their position and in the text around it, such as U1:%x[-1,0] and
 * U2:%x[0,0], form a family. The content of a feature is the result of its macros; the feature is
 * the head of its pattern, the content and the tail. So one lookup of a content can find the
 * features that it makes for all members of the family. */
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

/* The contents of a family. The feature of member m with content[j] has the number
 * first + j * members + m. */
typedef struct {
    const cau_family *family;
    cau_key *content; /* [count] */
    size_t count;
    uint32_t first;
} cau_family_contents;

/* What it means that a row has a feature twice. */
typedef enum {
    CAU_REPEATS_ADD_UP, /* the values add up */
    CAU_REPEATS_ONCE,   /* the feature counts once */
    CAU_REPEATS_NEVER,  /* it does not happen */
} cau_repeats;

/* Features of nodes, or of edges. */
typedef struct {
    size_t contents;  /* features of contents: they have the first numbers */
    size_t singles;   /* other features: they have the numbers after these */
    cau_str *name;    /* [singles] with names, which are views of the line or of `text` */
    uint64_t *key;    /* [singles] with keys */
    size_t *start;    /* [rows + 1] the features of row r are start[r] .. start[r + 1] - 1 */
    uint32_t *number; /* [start[rows]] with keys. With names, feature i has the number i */
    float *value;     /* [start[rows]]; unset if all are 1 */
    bool plain;       /* all values are 1 */

    size_t used;     /* features of all rows so far */
    cau_strbuf text; /* copies of names, one after the other */
    size_t name_room, key_room, start_room, number_room, value_room;
} cau_feature_list;

/* Embed it zeroed but for `base` and `repeats`, and clear it at the end. Its memory is kept from
 * one block to the next. */
typedef struct {
    int base;            /* of the keys, or CAU_BY_NAME */
    cau_repeats repeats; /* in its rows */
    uint64_t serial;     /* counts the blocks of a reader, from 1 */
    size_t rows;
    const cau_family_contents *contents; /* [families] of nodes, with the numbers of the list */
    size_t families;
    cau_feature_list nodes, edges; /* edges: all values are 1 */
} cau_feature_block;

void cau_feature_block_begin(cau_feature_block *block); /* the next block, without rows */
bool cau_feature_block_row(cau_feature_block *block);   /* the next row; false: out of memory */
void cau_feature_block_end(cau_feature_block *block);   /* now `start` and `name` are valid */
void cau_feature_block_clear(cau_feature_block *block); /* frees its memory */

/* Adds a feature to the current row of one of the lists; false when memory is short.
 * cau_add_feature borrows a name, and turns it into a key under the base of the block unless that
 * is CAU_BY_NAME. cau_add_copied_name is for blocks of names, cau_add_key and cau_add_keys for
 * blocks of keys. */
bool cau_add_feature(cau_feature_block *block, cau_str name, float value);
bool cau_add_copied_name(cau_feature_list *list, cau_str name, float value);
bool cau_add_key(cau_feature_list *list, uint64_t key, float value);
bool cau_add_keys(cau_feature_list *list, const caucus_keyed_feature *features, size_t count);

/* Multiplies the values of all features so far; false when memory is short. */
bool cau_scale_features(cau_feature_list *list, float factor);

/* Multiplies the values of all features so far; false when memory is short. */
bool cau_scale_features(cau_feature_list *list, float factor);

/* Adds `count` features of contents, of value 1: the caller writes their numbers to the result.
 * NULL when memory is short. */
uint32_t *cau_add_numbers(cau_feature_list *list, size_t count);

#endif
