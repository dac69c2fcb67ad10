/* score.c - scores of instances as a reader gives them. */

#include "apply/score.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

caucus_status cau_score_check(caucus_ctx *ctx, const caucus_model *model, const cau_reader *reader,
                              const cau_instance *instance)
{
    const cau_lines *lines = cau_reader_lines(reader);
    if (instance->groups * model->width == model->Y) return CAUCUS_OK;
    if (model->width != 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "features in %zu sections, but the model was trained on lines "
                               "without; remove the # signs or train it on such lines",
                        CAU_AT_ARGS(lines), instance->groups);
    if (instance->groups == 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the features are not divided, but this model wants a # section "
                               "for each of its %zu classes; add them",
                        CAU_AT_ARGS(lines), model->Y);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "%zu # sections, but the model has %zu classes; give one for each",
                    CAU_AT_ARGS(lines), instance->groups, model->Y);
}

uint32_t cau_best_class(const double *s, size_t Y)
{
    uint32_t best = 0;
    for (uint32_t y = 1; y < Y; y++)
        if (s[y] > s[best]) best = y;
    return best;
}

/* A new class moves up past every one that it beats; most beat none. */
void cau_best_classes(const double *s, size_t Y, size_t n, uint32_t *best)
{
    size_t held = 0;
    for (uint32_t y = 0; y < Y; y++) {
        if (held == n && (n == 0 || !(s[y] > s[best[n - 1]]))) continue;
        size_t at = held < n ? held++ : n - 1;
        for (; at > 0 && s[y] > s[best[at - 1]]; at--) best[at] = best[at - 1];
        best[at] = y;
    }
}

/* ---- names of one's own --------------------------------------------------------------- */

caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model)
{
    *scorer = (cau_scorer){.model = model};
    return cau_alphabet_new(ctx, &scorer->names);
}

void cau_scorer_clear(cau_scorer *scorer)
{
    cau_alphabet_free(scorer->names);
    free(scorer->row);
    free(scorer->start);
    free(scorer->id);
    free(scorer->value);
    *scorer = (cau_scorer){0};
}

cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer)
{
    return cau_vocabulary_growing(scorer->names);
}

/* Looks up the names that are new since the last instance. */
static bool look_up(cau_scorer *scorer)
{
    size_t size = cau_alphabet_size(scorer->names);
    if (!CAU_GROW(scorer->row, scorer->row_room, size)) return false;
    for (; scorer->looked_up < size; scorer->looked_up++) {
        cau_str name = cau_alphabet_name(scorer->names, (uint32_t)scorer->looked_up);
        scorer->row[scorer->looked_up] = cau_model_find(scorer->model, name.s, name.n);
    }
    return true;
}

caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s)
{
    caucus_status st = cau_score_check(ctx, scorer->model, reader, instance);
    if (st) return st;
    size_t most = instance->start[instance->groups];
    if (!look_up(scorer) || !CAU_GROW(scorer->start, scorer->start_room, instance->groups + 1) ||
        !CAU_GROW(scorer->id, scorer->id_room, most) ||
        !CAU_GROW(scorer->value, scorer->value_room, most))
        return cau_fail_memory(ctx, "the features of a line");

    size_t n = 0; /* features that the model knows */
    for (size_t g = 0; g < instance->groups; g++) {
        scorer->start[g] = n;
        for (size_t i = instance->start[g]; i < instance->start[g + 1]; i++) {
            uint32_t row = scorer->row[instance->id[i]];
            if (row == CAU_UNKNOWN) continue;
            scorer->id[n] = row;
            scorer->value[n++] = instance->value ? instance->value[i] : 1;
        }
    }
    scorer->start[instance->groups] = n;
    cau_instance known = *instance;
    known.start = scorer->start;
    known.id = scorer->id;
    known.value = scorer->value;
    return cau_model_scores(scorer->model, &known, s);
}
