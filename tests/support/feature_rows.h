/* feature_rows.h - compares features by name with features by key, for unit tests and fuzzers. */

#ifndef CAU_SUPPORT_FEATURE_ROWS_H
#define CAU_SUPPORT_FEATURE_ROWS_H

#include <math.h>

#include "text/feature_block.h"

/* Finds the key of a feature: that of a content of a family, or a single one. */
static inline bool find_key(const cau_feature_block *b, const cau_feature_list *list,
                            uint32_t number, uint64_t *key)
{
    if (number >= list->contents + list->singles) return false;
    if (number >= list->contents) {
        *key = list->key[number - list->contents];
        return true;
    }
    size_t f = b->families - 1;
    while (b->contents[f].first > number) f--;
    const cau_family_contents *c = &b->contents[f];
    const size_t members = c->family->members, at = number - c->first;
    if (at / members >= c->count) return false;
    *key = cau_family_key(c->family, at % members, c->content[at / members]);
    return true;
}

static inline bool lists_agree(const cau_feature_list *names, size_t row,
                               const cau_feature_block *b, const cau_feature_list *keys,
                               size_t key_row)
{
    const size_t from = names->start[row], start = keys->start[key_row];
    const size_t count = names->start[row + 1] - from;
    if (keys->start[key_row + 1] - start != count) return false;
    for (size_t i = 0; i < count; i++) {
        const cau_str name = names->name[from + i];
        const float value = names->plain ? 1 : names->value[from + i];
        uint64_t key;
        if (value == 0 || !isfinite(value) || value != (keys->plain ? 1 : keys->value[start + i]) ||
            !find_key(b, keys, keys->number[start + i], &key) ||
            key != cau_key_hash((unsigned)b->base, name.s, name.n))
            return false;
    }
    return true;
}

/* Whether a row of a block of names and one of a block of keys have the same features, on nodes and
 * on edges, with values that are finite and not 0. */
static inline bool rows_agree(const cau_feature_block *names, size_t row,
                              const cau_feature_block *keys, size_t key_row)
{
    return lists_agree(&names->nodes, row, keys, &keys->nodes, key_row) &&
           lists_agree(&names->edges, row, keys, &keys->edges, key_row);
}

#endif
