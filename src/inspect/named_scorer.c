/* named_scorer.c - the scores of single instances whose features keep their names. */

#include "inspect/inspect.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/score.h"

caucus_status cau_named_scorer_init(caucus_ctx *ctx, cau_named_scorer *scorer,
                                    const caucus_model *model)
{
    *scorer = (cau_named_scorer){.model = model};
    const caucus_status st = cau_alphabet_new(ctx, &scorer->names);
    scorer->alphabets.names = scorer->names;
    scorer->interner = (cau_interner){.alphabets = &scorer->alphabets, .add = true};
    return st;
}

void cau_named_scorer_clear(cau_named_scorer *scorer)
{
    cau_alphabet_free(scorer->names);
    cau_interner_clear(&scorer->interner);
    free(scorer->row);
    free(scorer->id);
    free(scorer->value);
    free(scorer->start);
    *scorer = (cau_named_scorer){0};
}

/* Looks up the names that are new. */
static bool look_up_names(cau_named_scorer *scorer)
{
    const caucus_model *m = scorer->model;
    const size_t size = cau_alphabet_size(scorer->names);
    if (!CAU_GROW(scorer->row, scorer->row_room, size)) return false;
    for (; scorer->rows < size; scorer->rows++) {
        const cau_str name = cau_alphabet_name(scorer->names, (uint32_t)scorer->rows);
        scorer->row[scorer->rows] = cau_model_find(m, &m->nodes, name.s, name.n);
    }
    return true;
}

caucus_status cau_named_scores(caucus_ctx *ctx, cau_named_scorer *scorer, const cau_reader *reader,
                               const cau_instance *instance, double *s)
{
    caucus_status st = CAUCUS_OK;
    cau_indexed_instance *x = &scorer->instance;
    TRY(cau_check_groups(ctx, scorer->model, reader, instance));
    TRY(cau_intern(ctx, &scorer->interner, cau_lines_name(cau_reader_lines(reader)), instance, x));
    const size_t most = x->start[x->groups];
    if (!look_up_names(scorer) || !CAU_GROW(scorer->id, scorer->id_room, most) ||
        !CAU_GROW(scorer->value, scorer->value_room, most) ||
        !CAU_GROW(scorer->start, scorer->start_room, x->groups + 1))
        TRY(cau_fail_memory(ctx, "the features of a line"));
    TRY(cau_model_intact(ctx, scorer->model));
    size_t n = 0;
    for (size_t g = 0; g < x->groups; g++) {
        scorer->start[g] = n;
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            scorer->id[n] = scorer->row[x->id[i]];
            scorer->value[n] = x->value ? x->value[i] : 1;
            n += scorer->id[n] != CAU_UNKNOWN;
        }
    }
    scorer->start[x->groups] = n;
    const cau_indexed_instance known = {
        .groups = x->groups, .start = scorer->start, .id = scorer->id, .value = scorer->value};
    TRY(cau_model_scores(scorer->model, &known, s));
done:
    return st;
}
