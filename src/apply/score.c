/* score.c - scores of instances as a reader gives them.
 *
 * The table of names of a large model does not fit in a cache, nor do its weights, so a tagger
 * that looks up one name after the other mostly waits for memory. Without names to keep, a
 * feature is therefore only hashed when the reader meets it, and its slot of the table asked
 * for; its number is its place in the line. When the line is complete,
 *     all slots, which have arrived by now, give the rows, and the rows are asked for;
 *     all rows, which have arrived by now, are added to the scores.
 * On 20 newsgroups this halves the time of the whole tagger.
 *
 * The reader cannot see that two places of a line are the same feature. Where values count
 * they add up all the same; where only presence counts, the second is left out here: seen[k]
 * is the group of features in which observation k came last. */

#include "apply/score.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

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

/* ---- numbers for names --------------------------------------------------------------- */

caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                              bool names)
{
    *scorer = (cau_scorer){.model = model};
    return names ? cau_alphabet_new(ctx, &scorer->names) : CAUCUS_OK;
}

void cau_scorer_clear(cau_scorer *scorer)
{
    cau_alphabet_free(scorer->names);
    free(scorer->hash);
    free(scorer->row);
    free(scorer->start);
    free(scorer->id);
    free(scorer->value);
    free(scorer->seen);
    *scorer = (cau_scorer){0};
}

/* The number of a feature without a name: its place in the line. */
static uint32_t add_hash(void *self, const char *s, size_t n)
{
    cau_scorer *scorer = self;
    const size_t place = scorer->count;
    if (place == CAU_UNKNOWN) return CAU_UNKNOWN;
    if (place == scorer->hash_room && !CAU_GROW(scorer->hash, scorer->hash_room, place + 1))
        return CAU_UNKNOWN;
    scorer->hash[place] = cau_model_ask(scorer->model, s, n);
    scorer->count = place + 1;
    return (uint32_t)place;
}

cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer)
{
    if (scorer->names) return cau_vocabulary_growing(scorer->names);
    return (cau_vocabulary){.id = add_hash, .self = scorer, .grows = true};
}

/* Makes row[] valid for everything that was read. */
static bool look_up(cau_scorer *scorer)
{
    const caucus_model *m = scorer->model;
    const size_t size = scorer->names ? cau_alphabet_size(scorer->names) : scorer->count;
    if (!CAU_GROW(scorer->row, scorer->row_room, size)) return false;
    uint32_t *row = scorer->row;
    if (scorer->names) {
        for (size_t i = scorer->looked_up; i < size; i++) {
            const cau_str name = cau_alphabet_name(scorer->names, (uint32_t)i);
            row[i] = cau_model_find(m, name.s, name.n);
        }
    } else {
        const uint64_t *hash = scorer->hash;
        for (size_t i = scorer->looked_up; i < size; i++) row[i] = cau_model_answer(m, hash[i]);
    }
    scorer->looked_up = size;
    return true;
}

/* ---- scores -------------------------------------------------------------------------- */

static caucus_status check_groups(caucus_ctx *ctx, const caucus_model *model,
                                  const cau_reader *reader, const cau_instance *instance)
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

/* Room for the instance with the numbers of the model. */
static bool make_room(cau_scorer *scorer, const cau_instance *instance, bool once)
{
    size_t most = instance->start[instance->groups];
    if (once && !scorer->seen) scorer->seen = cau_calloc(scorer->model->K, sizeof *scorer->seen);
    return (!once || scorer->seen) &&
           CAU_GROW(scorer->start, scorer->start_room, instance->groups + 1) &&
           CAU_GROW(scorer->id, scorer->id_room, most + 1) &&
           CAU_GROW(scorer->value, scorer->value_room, most + 1);
}

/* Group numbers are never 0, which is what seen[] begins with. */
static void next_group(cau_scorer *scorer, bool once)
{
    if (once && ++scorer->group == 0) {
        memset(scorer->seen, 0, scorer->model->K * sizeof *scorer->seen);
        scorer->group = 1;
    }
}

/* The instance with the numbers of the model, without what the model does not know. `once`: a
 * feature that stands twice in a group counts once. */
static cau_instance translate(cau_scorer *scorer, const cau_instance *instance, bool once)
{
    size_t n = 0;
    for (size_t g = 0; g < instance->groups; g++) {
        scorer->start[g] = n;
        next_group(scorer, once);
        for (size_t i = instance->start[g]; i < instance->start[g + 1]; i++) {
            uint32_t row = scorer->row[instance->id[i]];
            if (row == CAU_UNKNOWN) continue;
            if (once) {
                if (scorer->seen[row] == scorer->group) continue;
                scorer->seen[row] = scorer->group;
            }
            scorer->id[n] = row;
            scorer->value[n++] = instance->value ? instance->value[i] : 1;
        }
    }
    scorer->start[instance->groups] = n;
    cau_instance known = *instance;
    known.start = scorer->start;
    known.id = scorer->id;
    known.value = instance->value ? scorer->value : NULL;
    return known;
}

caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s)
{
    caucus_status st = check_groups(ctx, scorer->model, reader, instance);
    if (st) return st;
    bool once = !scorer->names && cau_reader_presence(reader);
    if (!look_up(scorer) || !make_room(scorer, instance, once))
        return cau_fail_memory(ctx, "the features of a line");
    cau_instance known = translate(scorer, instance, once);
    if (!scorer->names) scorer->count = scorer->looked_up = 0; /* for the next line */
    return cau_model_scores(scorer->model, &known, s);
}
