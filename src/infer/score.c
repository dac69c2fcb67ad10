/* score.c - scores of instances and sequences, by each voter of a model.
 *
 * Neither the table of names of a large model nor its weights fit in a cache, so a tagger that
 * looks up one feature after the other mostly waits for memory. Lookups therefore overlap. When the
 * first instance of a block comes, the features of the block get places; the slots of those that
 * the cache of recent lookups lacks (lookup_cache.h) are prefetched. OPEN_MAX lookups later a slot
 * has arrived and gives the row, whose weights are prefetched. The weights are added once WAIT_MAX
 * features have places and the next block begins, or the sequence ends; by then they have arrived.
 * This limit keeps memory from growing with the sequence beyond its scores; anything from 64 to
 * 4096 took the same time on CoNLL-2000.
 *
 * Two places may be the same feature. Where values count they add up all the same; where only
 * presence counts, the second is left out here. A small hash table, seen[], remembers the
 * observations of a group. It is never emptied: an entry holds the number of its group and is
 * ignored for other groups.
 *
 * The weights of a row must be verified before their first use (model.h), when their place has
 * arrived. So all rows are verified together, just before they are used. Rows from the cache are
 * verified, or the model is known to be damaged.
 *
 * The members of a pool have the same observations, so a feature is looked up once for all of them,
 * and for the gate (voters.h); only the adding is done for each member that is not silent. */

#include "infer/score.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"

enum {
    WAIT_MAX = 1024,
    OPEN_MAX = 16, /* lookups in flight */
};

/* ---- dropped features ------------------------------------------------------------------ */

/* Sets the bits of the names that match a glob, and adds their number to *matches. Allocates *bits
 * for the first match. */
static caucus_status drop_matches(const cau_observations *of, const char *glob, uint64_t **bits,
                                  size_t *matches)
{
    for (size_t k = 0; k < of->K; k++) {
        if (!cau_glob((cau_str){glob, strlen(glob)}, cau_model_name(of, k))) continue;
        if (!*bits) *bits = cau_calloc(of->K / 64 + 1, sizeof **bits);
        if (!*bits) return CAUCUS_ERR_MEMORY;
        (*bits)[k / 64] |= (uint64_t)1 << k % 64;
        ++*matches;
    }
    return CAUCUS_OK;
}

caucus_status cau_dropped_init(caucus_ctx *ctx, cau_dropped *dropped, const caucus_model *model,
                               cau_paths globs)
{
    *dropped = (cau_dropped){0};
    for (size_t i = 0; i < globs.count; i++) {
        size_t matches = 0;
        if (drop_matches(&model->nodes, globs.path[i], &dropped->nodes, &matches) ||
            drop_matches(&model->edges, globs.path[i], &dropped->edges, &matches)) {
            cau_dropped_clear(dropped);
            return cau_fail_memory(ctx, "the features to drop");
        }
        if (matches == 0)
            cau_note(ctx,
                     "--drop %s: no feature of the model has such a name; `caucus inspect` shows "
                     "some",
                     globs.path[i]);
    }
    return CAUCUS_OK;
}

void cau_dropped_clear(cau_dropped *dropped)
{
    free(dropped->nodes);
    free(dropped->edges);
    *dropped = (cau_dropped){0};
}

/* ---- the scorer ------------------------------------------------------------------------ */

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the features of a line");
}

static caucus_status init_voters(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                                 bool members)
{
    const size_t J = members ? model->pool.J : 0;
    *scorer = (cau_scorer){.model = model,
                           .voters = members ? J + cau_stacked(model) : cau_voters(model),
                           .members = members};
    scorer->voter = cau_calloc(scorer->voters, sizeof *scorer->voter);
    scorer->scores = cau_calloc(scorer->voters, sizeof *scorer->scores);
    if (!scorer->voter || !scorer->scores) return cau_fail_memory(ctx, "the scores of a sequence");
    for (size_t j = 0; j < scorer->voters; j++)
        scorer->voter[j] = j < J ? cau_pool_member(model, j) : cau_voter(model, j);
    scorer->nodes.of = &scorer->voter->nodes; /* the same names, and weights that are needed soon */
    scorer->edges.of = &scorer->voter->edges;
    return CAUCUS_OK;
}

caucus_status cau_scorer_init_members(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *pool)
{
    return init_voters(ctx, scorer, pool, true);
}

caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model)
{
    return init_voters(ctx, scorer, model, false);
}

void cau_scorer_clear(cau_scorer *scorer)
{
    cau_lookup *lookups[] = {&scorer->nodes, &scorer->edges};
    for (int i = 0; i < 2; i++) {
        free(lookups[i]->key);
        free(lookups[i]->row);
        free(lookups[i]->recent);
        free(lookups[i]->open);
        free(lookups[i]->start);
        free(lookups[i]->feature);
        free(lookups[i]->value);
    }
    for (size_t j = 0; scorer->scores && j < scorer->voters; j++) {
        free(scorer->scores[j].s);
        free(scorer->scores[j].edge_scores);
    }
    free(scorer->scores);
    free(scorer->mixing);
    cau_gate_clear(&scorer->gate);
    free(scorer->voter);
    free(scorer->seen);
    *scorer = (cau_scorer){0};
}

void cau_scorer_drop(cau_scorer *scorer, const cau_dropped *dropped)
{
    scorer->nodes.dropped = dropped->nodes;
    scorer->edges.dropped = dropped->edges;
}

/* ---- from features to places ----------------------------------------------------------- */

/* Looks up the first `end` of the open lookups. */
static void answer(cau_lookup *lookup, size_t end)
{
    cau_lookup_cache_answer(lookup->recent, lookup->of, end - lookup->answered,
                            lookup->open + lookup->answered, lookup->key, lookup->row);
    lookup->answered = end;
}

/* Gives places to the features of a block and starts their lookups. */
static bool add_block(cau_lookup *lookup, const cau_feature_block *block,
                      const cau_feature_list *list, size_t families)
{
    const size_t features = list->contents + list->singles;
    size_t opens = list->singles;
    for (size_t f = 0; f < families; f++) opens += block->contents[f].count;
    if (families && !lookup->recent && !(lookup->recent = cau_lookup_cache_new())) return false;
    if (features >= CAU_UNKNOWN - lookup->places ||
        !CAU_GROW(lookup->key, lookup->key_room, lookup->places + features) ||
        !CAU_GROW(lookup->row, lookup->row_room, lookup->places + features + CAU_RECENT_SPARE) ||
        !CAU_GROW(lookup->open, lookup->open_room, lookup->opens + opens))
        return false;
    lookup->block = lookup->places;
    lookup->places += features;
    for (size_t f = 0; f < families; f++) {
        const cau_family_contents *c = &block->contents[f];
        lookup->opens += cau_lookup_cache_ask(lookup->recent, lookup->of, c->family, c->count,
                                              c->content, lookup->block + c->first, lookup->key,
                                              lookup->row, lookup->open + lookup->opens);
        if (lookup->opens > lookup->answered + OPEN_MAX) answer(lookup, lookup->opens - OPEN_MAX);
    }
    for (size_t i = 0, place = lookup->block + list->contents; i < list->singles; i++, place++) {
        cau_model_ask(lookup->of, list->key[i]);
        lookup->key[place] = list->key[i];
        lookup->open[lookup->opens++] = (cau_open){.members = 1, .place = (uint32_t)place};
        if (lookup->opens > lookup->answered + OPEN_MAX) answer(lookup, lookup->opens - OPEN_MAX);
    }
    return true;
}

/* Looks up all open features and verifies the weights of the rows. The rows are written over the
 * keys first, without a branch, since it is not predictable which features the model has. */
static void look_up_and_verify(cau_lookup *lookup)
{
    uint64_t *row = lookup->key;
    size_t count = 0;
    answer(lookup, lookup->opens);
    for (size_t i = lookup->verified; i < lookup->opens; i++) {
        const cau_open *open = &lookup->open[i];
        for (size_t m = 0; m < open->members; m++) {
            row[count] = lookup->row[open->place + m];
            count += row[count] != CAU_UNKNOWN;
        }
    }
    for (size_t i = 0; i < count; i++) (void)cau_model_sound(lookup->of, (uint32_t)row[i]);
    lookup->verified = lookup->opens;
}

/* Makes row[] valid for all places. */
static void look_up(cau_lookup *lookup)
{
    look_up_and_verify(lookup);
    for (size_t i = lookup->dropped_to; lookup->dropped && i < lookup->places; i++) {
        uint32_t *row = &lookup->row[i];
        if (*row != CAU_UNKNOWN && cau_is_dropped(lookup->dropped, *row)) *row = CAU_UNKNOWN;
    }
    lookup->dropped_to = lookup->places;
}

/* Frees all places. Features of a sequence that was given up are verified first, since the cache
 * keeps them. */
static void free_places(cau_lookup *lookup)
{
    look_up_and_verify(lookup);
    lookup->places = lookup->dropped_to = 0;
    lookup->opens = lookup->answered = lookup->verified = 0;
}

/* Appends some rows of a block to the features that wait; `groups` of them wait already. */
static bool queue_rows(cau_lookup *lookup, const cau_feature_list *list, size_t row, size_t rows,
                       size_t groups)
{
    const size_t from = list->start[row], count = list->start[row + rows] - from;
    const size_t used = lookup->used, all = used + count;
    if (!CAU_GROW(lookup->start, lookup->start_room, groups + rows + 1) ||
        !CAU_GROW(lookup->feature, lookup->feature_room, all))
        return false;
    const uint32_t block = (uint32_t)lookup->block;
    const uint32_t *number = list->number + from;
    uint32_t *feature = lookup->feature + used;
    for (size_t i = 0; i < count; i++) feature[i] = block + number[i];
    if (!list->plain || !lookup->plain) {
        if (!CAU_GROW(lookup->value, lookup->value_room, all)) return false;
        for (size_t i = 0; lookup->plain && i < used; i++) lookup->value[i] = 1;
        for (size_t i = 0; i < count; i++)
            lookup->value[used + i] = list->plain ? 1 : list->value[from + i];
        lookup->plain = false;
    }
    for (size_t g = 0; g <= rows; g++)
        lookup->start[groups + g] = used + (list->start[row + g] - from);
    lookup->used = all;
    return true;
}

static void empty_queue(cau_scorer *scorer)
{
    scorer->waits = scorer->nodes.used = scorer->edges.used = 0;
    scorer->nodes.plain = scorer->edges.plain = true;
}

/* ---- from places to rows ------------------------------------------------------------- */

/* Begins a group of at most `most` features in seen[]; false when memory is short. Group numbers
 * are never 0, the initial value of seen[]. */
static bool begin_group(cau_scorer *scorer, size_t most)
{
    size_t size = 64;
    while (size / 2 < most) size *= 2;
    const bool wider = size > scorer->seen_mask + 1;
    if (wider && !CAU_GROW(scorer->seen, scorer->seen_room, size)) return false;
    if (wider) scorer->seen_mask = size - 1;
    if (wider || scorer->group == UINT32_MAX) {
        memset(scorer->seen, 0, scorer->seen_room * sizeof *scorer->seen);
        scorer->group = 0;
    }
    scorer->group++;
    return true;
}

/* Notes that a row is in the group; false if it has been noted before. */
static bool is_new(cau_scorer *scorer, uint32_t row)
{
    const uint64_t entry = (uint64_t)scorer->group << 32 | row;
    size_t i = (row * 2654435769u) & scorer->seen_mask;
    while (scorer->seen[i] >> 32 == scorer->group) {
        if (scorer->seen[i] == entry) return false;
        i = (i + 1) & scorer->seen_mask;
    }
    scorer->seen[i] = entry;
    return true;
}

/* Turns the waiting features, which have `groups` groups, into rows, and drops those that the model
 * does not have. With `once` repeated rows are dropped too. */
static bool find_rows(cau_scorer *scorer, cau_lookup *lookup, size_t groups, bool once)
{
    size_t n = 0;
    for (size_t g = 0, i = 0; g < groups; g++) {
        const size_t end = lookup->start[g + 1];
        lookup->start[g] = n;
        if (once && !begin_group(scorer, end - i)) return false;
        if (!once && lookup->plain) { /* nearly always; without a branch */
            for (; i < end; i++) {
                lookup->feature[n] = lookup->row[lookup->feature[i]];
                n += lookup->feature[n] != CAU_UNKNOWN;
            }
            continue;
        }
        for (; i < end; i++) {
            const uint32_t row = lookup->row[lookup->feature[i]];
            lookup->feature[n] = row;
            if (!lookup->plain) lookup->value[n] = lookup->value[i];
            n += row != CAU_UNKNOWN && (!once || is_new(scorer, row));
        }
    }
    lookup->start[groups] = n;
    return true;
}

/* ---- scores ---------------------------------------------------------------------------- */

caucus_status cau_check_groups(caucus_ctx *ctx, const caucus_model *model, const cau_reader *reader,
                               const cau_instance *instance)
{
    const size_t width = model->nodes.width;
    if (instance->groups * width == model->Y) return CAUCUS_OK;
    const char *name = cau_lines_name(cau_reader_lines(reader));
    if (width != 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "features in %zu sections, but the model was trained on lines "
                               "without; remove the # signs or train it on such lines",
                        name, instance->number, instance->groups);
    if (instance->groups == 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the features are not divided, but this model wants a # section "
                               "for each of its %zu classes; add them",
                        name, instance->number, model->Y);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "%zu # sections, but the model has %zu classes; give one for each", name,
                    instance->number, instance->groups, model->Y);
}

static bool is_scored(const cau_scorer *scorer, size_t j)
{
    return scorer->members || !cau_is_silent(scorer->model, j);
}

/* Room for the scores of `count` more instances. */
static bool room_for_scores(cau_scorer *scorer, size_t count)
{
    const size_t Y = scorer->model->Y;
    const bool edges = scorer->model->edges.K > 0;
    size_t need, cells;
    if (!cau_size_mul(scorer->T + count, Y, &need) || !cau_size_mul(need, Y, &cells)) return false;
    for (size_t j = 0; j < scorer->voters; j++) {
        cau_scores *by = &scorer->scores[j];
        if (!is_scored(scorer, j)) continue;
        if (!CAU_GROW(by->s, by->s_room, need) ||
            (edges && !CAU_GROW(by->edge_scores, by->own_room, cells)))
            return false;
    }
    return !scorer->model->gate.base || /* J is at most CAU_MEMBERS_MOST */
           CAU_GROW(scorer->mixing, scorer->mixing_room, (scorer->T + count) * scorer->voters);
}

/* Prefetches weights and gate. The place of a packed row is in `start`, which has arrived when the
 * rows are known; dense rows were prefetched by the lookup. */
static void prefetch_weights(const cau_scorer *scorer, const cau_feature_rows *rows)
{
    const caucus_model *m = scorer->model;
    const cau_observations *nodes = &scorer->voter->nodes, *edges = &scorer->voter->edges;
    const size_t count = rows->start[rows->count * rows->groups];
    for (size_t i = 0; !nodes->dense && i < count; i++)
        __builtin_prefetch(&nodes->packed[nodes->start[rows->row[i]]]);
    for (size_t i = 0; m->gate.base && i < count; i++)
        __builtin_prefetch(&m->gate.weight[rows->row[i] * m->pool.J]);
    const size_t edge_count = rows->edge_start ? rows->edge_start[rows->count] : 0;
    for (size_t i = 0; !edges->dense && i < edge_count; i++)
        __builtin_prefetch(&edges->packed[edges->start[rows->edge_row[i]]]);
}

/* The scores by one voter, from position scorer->T on. */
static void score_by(const cau_scorer *scorer, const caucus_model *voter,
                     const cau_feature_rows *rows, const cau_scores *out)
{
    const size_t Y = voter->Y, width = voter->nodes.width;
    for (size_t i = 0; i < rows->count; i++) {
        const size_t *start = rows->start + i * rows->groups;
        double *s = out->s + (scorer->T + i) * Y;
        for (size_t y = 0; y < Y; y++) s[y] = voter->bias ? (double)voter->bias[y] : 0;
        for (size_t g = 0; g < rows->groups; g++)
            cau_model_add(&voter->nodes, start[g + 1] - start[g], rows->row + start[g],
                          rows->value ? rows->value + start[g] : NULL, s + g * width);
        if (!voter->edges.K) continue;
        double *own = out->edge_scores + (scorer->T + i) * Y * Y;
        memset(own, 0, Y * Y * sizeof *own);
        if (!rows->edge_start) continue;
        const size_t edge = rows->edge_start[i], count = rows->edge_start[i + 1] - edge;
        if (count)
            cau_model_add(&voter->edges, count, rows->edge_row + edge,
                          rows->edge_value ? rows->edge_value + edge : NULL, own);
    }
}

/* Computes the weights of the members of a gated pool, from position scorer->T on. */
static bool compute_mixing(cau_scorer *scorer, const cau_feature_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const size_t at = rows->start[i * rows->groups], end = rows->start[(i + 1) * rows->groups];
        if (!cau_gate_mixing(&scorer->gate, scorer->model, end - at, rows->row + at,
                             rows->value ? rows->value + at : NULL, rows->distinct,
                             scorer->mixing + (scorer->T + i) * scorer->voters))
            return false;
    }
    return true;
}

caucus_status cau_scorer_add(caucus_ctx *ctx, cau_scorer *scorer, const cau_feature_rows *rows)
{
    if (!room_for_scores(scorer, rows->count))
        return cau_fail_memory(ctx, "the scores of a sequence");
    prefetch_weights(scorer, rows);
    for (size_t j = 0; j < scorer->voters; j++)
        if (is_scored(scorer, j)) score_by(scorer, &scorer->voter[j], rows, &scorer->scores[j]);
    if (scorer->model->gate.base && !compute_mixing(scorer, rows)) return no_memory(ctx);
    scorer->T += rows->count;
    return CAUCUS_OK;
}

/* ---- a sequence ---------------------------------------------------------------------- */

void cau_scorer_begin(cau_scorer *scorer)
{
    scorer->T = 0;
    empty_queue(scorer);
}

/* Scores the waiting instances, which are the last of the sequence so far. */
static caucus_status score_waiting(caucus_ctx *ctx, cau_scorer *scorer)
{
    const caucus_model *m = scorer->model;
    const size_t groups = m->Y / m->nodes.width;
    cau_lookup *nodes = &scorer->nodes, *edges = &scorer->edges;
    caucus_status st = CAUCUS_OK;
    look_up(nodes);
    look_up(edges);
    TRY(cau_model_intact(ctx, m));
    if (!find_rows(scorer, nodes, scorer->waits * groups, scorer->once) ||
        (m->edges.K && !find_rows(scorer, edges, scorer->waits, scorer->once)))
        TRY(no_memory(ctx));
    const cau_feature_rows rows = {.count = scorer->waits,
                                   .groups = groups,
                                   .start = nodes->start,
                                   .row = nodes->feature,
                                   .value = nodes->plain ? NULL : nodes->value,
                                   .edge_start = m->edges.K ? edges->start : NULL,
                                   .edge_row = edges->feature,
                                   .edge_value = edges->plain ? NULL : edges->value,
                                   .distinct = scorer->once};
    scorer->T -= scorer->waits;
    TRY(cau_scorer_add(ctx, scorer, &rows));
    empty_queue(scorer);
done:
    return st;
}

/* Starts the lookups of a block. Places of blocks before it are free once no instance waits. */
static caucus_status enter_block(caucus_ctx *ctx, cau_scorer *scorer,
                                 const cau_feature_block *block)
{
    caucus_status st = CAUCUS_OK;
    if (scorer->waits && scorer->nodes.places >= WAIT_MAX) TRY(score_waiting(ctx, scorer));
    if (scorer->waits == 0) {
        free_places(&scorer->nodes);
        free_places(&scorer->edges);
    }
    if (!add_block(&scorer->nodes, block, &block->nodes, block->families) ||
        (scorer->model->edges.K && !add_block(&scorer->edges, block, &block->edges, 0)))
        TRY(no_memory(ctx));
    scorer->block = block;
    scorer->serial = block->serial;
    scorer->once = block->repeats == CAU_REPEATS_ONCE;
done:
    return st;
}

caucus_status cau_scorer_push(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                              const cau_instance *x)
{
    caucus_status st = CAUCUS_OK;
    const cau_feature_block *block = x->block;
    TRY(cau_check_groups(ctx, scorer->model, reader, x));
    if (block != scorer->block || block->serial != scorer->serial)
        TRY(enter_block(ctx, scorer, block));
    if (!queue_rows(&scorer->nodes, &block->nodes, x->row, x->groups, scorer->waits * x->groups) ||
        (scorer->model->edges.K &&
         !queue_rows(&scorer->edges, &block->edges, x->row, 1, scorer->waits)))
        TRY(no_memory(ctx));
    scorer->waits++;
    scorer->T++;
done:
    return st;
}

caucus_status cau_scorer_finish(caucus_ctx *ctx, cau_scorer *scorer)
{
    return scorer->waits ? score_waiting(ctx, scorer) : CAUCUS_OK;
}
