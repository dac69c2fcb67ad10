/* batch.c - see batch.h. */

#include "data/batch.h"

#include <stdlib.h>

#include "base/memory.h"

void cau_batch_empty(cau_batch *b)
{
    b->count = b->text.n = 0;
}

void cau_batch_clear(cau_batch *b)
{
    cau_text_clear(&b->text);
    free(b->name);
    free(b->id);
    free(b->value);
    *b = (cau_batch){0};
}

/* Makes room for one more feature in all arrays. */
static bool widen(cau_batch *b)
{
    size_t names = b->room, ids = b->room, values = b->room;
    if (!CAU_GROW(b->name, names, b->room + 1) || !CAU_GROW(b->id, ids, b->room + 1) ||
        !CAU_GROW(b->value, values, b->room + 1))
        return false;
    b->room = names; /* all grow alike */
    return true;
}

caucus_status cau_batch_add(cau_batch *b, cau_str name, float value)
{
    if (b->count == b->room && !widen(b)) return CAUCUS_ERR_MEMORY;
    b->name[b->count] = name;
    b->value[b->count++] = value;
    return CAUCUS_OK;
}

caucus_status cau_batch_copy(cau_batch *b, cau_str name, float value)
{
    cau_text_add(&b->text, name.s, name.n);
    return b->text.failed ? CAUCUS_ERR_MEMORY : cau_batch_add(b, (cau_str){NULL, name.n}, value);
}

void cau_batch_ask(cau_batch *b, const cau_vocabulary *vocabulary)
{
    const char *copy = b->text.s;
    for (size_t i = 0; i < b->count; i++)
        if (!b->name[i].s) {
            b->name[i].s = copy;
            copy += b->name[i].n;
        }
    vocabulary->ids(vocabulary->self, b->name, b->count, b->id);
}
