/* feature_block.c - lists of features that grow. Names that are copied have no address until the
 * end of the block, because the text may move while it grows. */

#include "text/feature_block.h"

#include <stdlib.h>

#include "base/memory.h"

static void empty(cau_feature_list *list)
{
    list->contents = list->singles = list->used = list->text.n = 0;
    list->plain = true;
}

void cau_feature_block_begin(cau_feature_block *b)
{
    b->serial++;
    b->rows = b->families = 0;
    b->contents = NULL;
    empty(&b->nodes);
    empty(&b->edges);
}

bool cau_feature_block_row(cau_feature_block *b)
{
    if (!CAU_GROW(b->nodes.start, b->nodes.start_room, b->rows + 2) ||
        !CAU_GROW(b->edges.start, b->edges.start_room, b->rows + 2))
        return false;
    b->nodes.start[b->rows] = b->nodes.used;
    b->edges.start[b->rows++] = b->edges.used;
    return true;
}

static void close_list(cau_feature_list *list, size_t rows)
{
    const char *copy = list->text.s;
    if (rows) list->start[rows] = list->used;
    for (size_t i = 0; list->text.n && i < list->singles; i++)
        if (!list->name[i].s) {
            list->name[i].s = copy;
            copy += list->name[i].n;
        }
}

void cau_feature_block_end(cau_feature_block *b)
{
    close_list(&b->nodes, b->rows);
    close_list(&b->edges, b->rows);
}

void cau_feature_block_clear(cau_feature_block *b)
{
    cau_feature_list *const lists[] = {&b->nodes, &b->edges};
    for (size_t i = 0; i < 2; i++) {
        free(lists[i]->name);
        free(lists[i]->key);
        free(lists[i]->start);
        free(lists[i]->number);
        free(lists[i]->value);
        cau_strbuf_clear(&lists[i]->text);
    }
    *b = (cau_feature_block){.base = b->base, .repeats = b->repeats};
}

/* Sets the values of the next `count` features. Values are stored once the first differs from 1. */
static bool add_values(cau_feature_list *list, size_t count, float value)
{
    if (list->plain && value == 1) return true;
    if (!CAU_GROW(list->value, list->value_room, list->used + count)) return false;
    for (size_t i = 0; list->plain && i < list->used; i++) list->value[i] = 1;
    for (size_t i = 0; i < count; i++) list->value[list->used + i] = value;
    list->plain = false;
    return true;
}

bool cau_scale_features(cau_feature_list *list, float factor)
{
    if (list->plain) {
        if (factor == 1) return true;
        if (!CAU_GROW(list->value, list->value_room, list->used)) return false;
        for (size_t i = 0; i < list->used; i++) list->value[i] = 1;
        list->plain = false;
    }
    for (size_t i = 0; i < list->used; i++) list->value[i] *= factor;
    return true;
}

static bool add_name(cau_feature_list *list, cau_str name, float value)
{
    if (!CAU_GROW(list->name, list->name_room, list->singles + 1) || !add_values(list, 1, value))
        return false;
    list->name[list->singles++] = name;
    list->used++;
    return true;
}

bool cau_add_copied_name(cau_feature_list *list, cau_str name, float value)
{
    cau_strbuf_add(&list->text, name.s, name.n);
    return !list->text.failed && add_name(list, (cau_str){NULL, name.n}, value);
}

uint32_t *cau_add_numbers(cau_feature_list *list, size_t count)
{
    if (!CAU_GROW(list->number, list->number_room, list->used + count) ||
        !add_values(list, count, 1))
        return NULL;
    uint32_t *number = list->number + list->used;
    list->used += count;
    return number;
}

bool cau_add_key(cau_feature_list *list, uint64_t key, float value)
{
    const size_t number = list->contents + list->singles;
    if (number >= UINT32_MAX || !CAU_GROW(list->key, list->key_room, list->singles + 1) ||
        !CAU_GROW(list->number, list->number_room, list->used + 1) || !add_values(list, 1, value))
        return false;
    list->key[list->singles++] = key;
    list->number[list->used++] = (uint32_t)number;
    return true;
}

bool cau_add_keys(cau_feature_list *list, const caucus_keyed_feature *features, size_t count)
{
    const size_t number = list->contents + list->singles, used = list->used;
    bool ones = true;
    for (size_t i = 0; i < count; i++) ones &= (float)features[i].value == 1;
    if (number + count >= UINT32_MAX ||
        !CAU_GROW(list->key, list->key_room, list->singles + count) ||
        !CAU_GROW(list->number, list->number_room, used + count) ||
        !add_values(list, count, ones ? 1 : 0))
        return false;
    for (size_t i = 0; i < count; i++) {
        list->key[list->singles + i] = features[i].key;
        list->number[used + i] = (uint32_t)(number + i);
        if (!list->plain) list->value[used + i] = (float)features[i].value;
    }
    list->singles += count;
    list->used += count;
    return true;
}

bool cau_add_feature(cau_feature_block *b, cau_str name, float value)
{
    return b->base == CAU_BY_NAME
               ? add_name(&b->nodes, name, value)
               : cau_add_key(&b->nodes, cau_key_hash((unsigned)b->base, name.s, name.n), value);
}
