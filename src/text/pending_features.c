/* pending_features.c - features that are looked up together. */

#include "text/pending_features.h"

#include <stdlib.h>

#include "base/memory.h"

void cau_pending_features_empty(cau_pending_features *b)
{
    b->count = b->text.n = 0;
}

void cau_pending_features_clear(cau_pending_features *b)
{
    cau_strbuf_clear(&b->text);
    free(b->name);
    free(b->id);
    free(b->value);
    *b = (cau_pending_features){0};
}

/* Makes room for one more feature in all arrays. */
static bool widen(cau_pending_features *b)
{
    size_t names = b->room, ids = b->room, values = b->room;
    if (!CAU_GROW(b->name, names, b->room + 1) || !CAU_GROW(b->id, ids, b->room + 1) ||
        !CAU_GROW(b->value, values, b->room + 1))
        return false;
    b->room = names; /* all grow alike */
    return true;
}

caucus_status cau_pending_features_add(cau_pending_features *b, cau_str name, float value)
{
    if (b->count == b->room && !widen(b)) return CAUCUS_ERR_MEMORY;
    b->name[b->count] = name;
    b->value[b->count++] = value;
    return CAUCUS_OK;
}

caucus_status cau_pending_features_copy(cau_pending_features *b, cau_str name, float value)
{
    cau_strbuf_add(&b->text, name.s, name.n);
    return b->text.failed ? CAUCUS_ERR_MEMORY
                          : cau_pending_features_add(b, (cau_str){NULL, name.n}, value);
}

void cau_pending_features_look_up(cau_pending_features *b, const cau_vocabulary *vocabulary)
{
    const char *copy = b->text.s;
    for (size_t i = 0; i < b->count; i++)
        if (!b->name[i].s) {
            b->name[i].s = copy;
            copy += b->name[i].n;
        }
    vocabulary->ids(vocabulary->self, b->name, b->count, b->id);
}
