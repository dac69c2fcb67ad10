/* score.c - scores of instances and sequences, by each voter of a model.
 *
 * Neither the table of names of a large model nor its weights fit in a cache, so a tagger that
 * looks up one name after the other mostly waits for memory. Without names to keep, a feature is
 * therefore only hashed when it is read and, unless the cache of recent lookups has it
 * (lookup_cache.h), its slot of the table is prefetched; the number of the feature is its place in
 * what is being read. OPEN_MAX slots later its own slot has arrived and gives the row, whose
 * weights are prefetched. The weights are added once WAIT_MAX features are read, or the sequence
 * ends; by then they have arrived. This limit keeps memory from growing with the sequence beyond
 * its scores; anything from 64 to 4096 took the same time on CoNLL-2000. Most features of a
 * template come as contents of families (template.h), for several positions at a time, and their
 * places are free again only after the last of these positions.
 *
 * The reader cannot tell that two places are the same feature. Where values count they add up all
 * the same; where only presence counts, the second is left out here. A small hash table, seen[],
 * remembers the observations of a group. It is never emptied: an entry holds the number of its
 * group and is ignored for other groups.
 *
 * The weights of a row must be verified before their first use (model.h), when their place has
 * arrived. So all rows are verified together, just before they are used. Rows from the cache are
 * verified, or the model is known to be damaged.
 *
 * The members of a pool have the same observations, so a name is looked up once for all of them,
 * and for the gate (voters.h); only the adding is done for each member that is not silent. */

#include "infer/score.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    WAIT_MAX = 1024,
    OPEN_MAX = 16, /* lookups in flight */
};

/* ---- numbers for names --------------------------------------------------------------- */

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

caucus_status cau_scorer_init(caucus_ctx *ctx, cau_scorer *scorer, const caucus_model *model,
                              bool names)
{
    caucus_status st = init_voters(ctx, scorer, model, false);
    if (st) return st;
    if (!names) return CAUCUS_OK;
    st = cau_alphabet_new(ctx, &scorer->alphabets.names);
    if (!st) st = cau_alphabet_new(ctx, &scorer->alphabets.edges);
    scorer->names = scorer->alphabets.names;
    scorer->edge_names = scorer->alphabets.edges;
    return st;
}

void cau_scorer_clear(cau_scorer *scorer)
{
    cau_alphabet_free(scorer->alphabets.names);
    cau_alphabet_free(scorer->alphabets.edges);
    cau_lookup *lookups[] = {&scorer->nodes, &scorer->edges};
    cau_features *features[] = {&scorer->node, &scorer->edge};
    for (int i = 0; i < 2; i++) {
        free(lookups[i]->hash);
        free(lookups[i]->found);
        free(lookups[i]->recent);
        free(lookups[i]->open);
        free(features[i]->id);
        free(features[i]->value);
    }
    for (size_t j = 0; scorer->scores && j < scorer->voters; j++) {
        free(scorer->scores[j].s);
        free(scorer->scores[j].edge_scores);
    }
    free(scorer->scores);
    free(scorer->mixing);
    cau_gate_clear(&scorer->gate);
    free(scorer->voter);
    free(scorer->start);
    free(scorer->edge_start);
    free(scorer->waiting);
    free(scorer->seen);
    *scorer = (cau_scorer){0};
}

void cau_scorer_drop(cau_scorer *scorer, const cau_dropped *dropped)
{
    scorer->nodes.dropped = dropped->nodes;
    scorer->edges.dropped = dropped->edges;
}

/* Looks up the first `end` of the open contents. */
static void look_up_open(cau_lookup *lookup, size_t end)
{
    cau_lookup_cache_answer(lookup->recent, lookup->of, end - lookup->answered,
                            lookup->open + lookup->answered, lookup->hash, lookup->found);
    lookup->answered = end;
}

/* Looks up all open contents and verifies the weights of the rows. The rows are written over the
 * hashes first, without a branch, since it is not predictable which names are known. */
static void look_up_and_verify(cau_lookup *lookup)
{
    uint64_t *row = lookup->hash;
    size_t count = 0;
    look_up_open(lookup, lookup->opens);
    for (size_t i = lookup->settled; i < lookup->opens; i++) {
        const cau_open *open = &lookup->open[i];
        for (size_t m = 0; m < open->members; m++) {
            row[count] = lookup->found[open->place + m];
            count += row[count] != CAU_UNKNOWN;
        }
    }
    for (size_t i = 0; i < count; i++) (void)cau_model_sound(lookup->of, (uint32_t)row[i]);
    lookup->settled = lookup->opens;
}

/* Room for more features and contents. */
static bool room_for_places(cau_lookup *lookup, size_t contents, size_t features)
{
    const size_t end = lookup->count + features;
    return features < CAU_UNKNOWN - lookup->count &&
           CAU_GROW(lookup->hash, lookup->hash_room, end) &&
           CAU_GROW(lookup->found, lookup->found_room, end + CAU_RECENT_SPARE) &&
           CAU_GROW(lookup->open, lookup->open_room, lookup->opens + contents);
}

/* Counts more features, and contents that are still to be looked up. */
static void add_places(cau_lookup *lookup, size_t features, size_t opens)
{
    lookup->count += features;
    lookup->opens += opens;
    if (lookup->opens > lookup->answered + OPEN_MAX) look_up_open(lookup, lookup->opens - OPEN_MAX);
}

/* The number of a feature without a name: its place. */
static uint32_t add_key(cau_lookup *lookup, uint64_t key)
{
    const size_t place = lookup->count;
    if (!room_for_places(lookup, 1, 1)) return CAU_UNKNOWN;
    cau_model_ask(lookup->of, key);
    lookup->hash[place] = key;
    lookup->open[lookup->opens] = (cau_open){.members = 1, .place = (uint32_t)place};
    add_places(lookup, 1, 1);
    return (uint32_t)place;
}

static bool nodes_of_contents(void *self, size_t positions, const cau_family *family, size_t count,
                              const cau_key *content, uint32_t *first)
{
    cau_scorer *scorer = self;
    cau_lookup *lookup = &scorer->nodes;
    const size_t place = lookup->count, features = count * family->members;
    if (!lookup->recent) lookup->recent = cau_lookup_cache_new();
    if (!lookup->recent || !room_for_places(lookup, count, features)) return false;
    add_places(lookup, features,
               cau_lookup_cache_ask(lookup->recent, lookup->of, family, count, content, place,
                                    lookup->hash, lookup->found, lookup->open + lookup->opens));
    scorer->held = positions;
    *first = (uint32_t)place;
    return true;
}

static uint32_t node_of_key(void *self, uint64_t key)
{
    return add_key(&((cau_scorer *)self)->nodes, key);
}

static uint32_t edge_of_key(void *self, uint64_t key)
{
    return add_key(&((cau_scorer *)self)->edges, key);
}

static uint32_t node_of_name(void *self, const char *s, size_t n)
{
    cau_scorer *scorer = self;
    return add_key(&scorer->nodes, cau_model_hash(scorer->model, s, n));
}

static uint32_t edge_of_name(void *self, const char *s, size_t n)
{
    cau_scorer *scorer = self;
    return add_key(&scorer->edges, cau_model_hash(scorer->model, s, n));
}

cau_vocabulary cau_scorer_vocabulary(cau_scorer *scorer)
{
    if (scorer->names) return cau_vocabulary_growing(&scorer->alphabets);
    const bool edges = scorer->model->edges.K > 0;
    return (cau_vocabulary){.id = node_of_name,
                            .edge = edges ? edge_of_name : NULL,
                            .id_of_key = node_of_key,
                            .edge_of_key = edges ? edge_of_key : NULL,
                            .ids_of_contents = nodes_of_contents,
                            .base = scorer->model->base,
                            .self = scorer,
                            .grows = true};
}

/* Makes row[] valid for all features read. */
static bool look_up(const caucus_model *m, cau_lookup *lookup, const cau_alphabet *names)
{
    const cau_observations *of = lookup->of;
    const size_t size = names ? cau_alphabet_size(names) : lookup->count;
    if (!CAU_GROW(lookup->found, lookup->found_room, size)) return false;
    uint32_t *row = lookup->found;
    for (size_t i = lookup->looked_up; names && i < size; i++) {
        const cau_str name = cau_alphabet_name(names, (uint32_t)i);
        row[i] = cau_model_find(m, of, name.s, name.n);
    }
    if (!names) look_up_and_verify(lookup);
    for (size_t i = lookup->looked_up; lookup->dropped && i < size; i++)
        if (row[i] != CAU_UNKNOWN && cau_is_dropped(lookup->dropped, row[i])) row[i] = CAU_UNKNOWN;
    lookup->row = row;
    lookup->looked_up = size;
    return true;
}

static caucus_status look_up_all(caucus_ctx *ctx, cau_scorer *scorer)
{
    const bool done = look_up(scorer->model, &scorer->nodes, scorer->names) &&
                      look_up(scorer->model, &scorer->edges, scorer->edge_names);
    scorer->row = scorer->nodes.row;
    scorer->edge_row = scorer->edges.row;
    return done ? cau_model_intact(ctx, scorer->model) : no_memory(ctx);
}

/* Frees the places of features without names, once these are scored. Features of a sequence that
 * was given up are verified first, since the cache keeps them. */
static void free_places(cau_scorer *scorer)
{
    cau_lookup *lookups[] = {&scorer->nodes, &scorer->edges};
    for (size_t i = 0; !scorer->names && i < 2; i++) {
        look_up_and_verify(lookups[i]);
        lookups[i]->count = lookups[i]->looked_up = 0;
        lookups[i]->opens = lookups[i]->answered = lookups[i]->settled = 0;
    }
}

/* Whether features of later instances have places already; call it once for each instance. */
static bool holds_more(cau_scorer *scorer)
{
    if (scorer->held > 0) scorer->held--;
    return scorer->held > 0;
}

/* ---- from places to rows ------------------------------------------------------------- */

/* Whether a group may have a feature twice, which the reader cannot tell; and whether the second is
 * then left out. */
static bool may_repeat(const cau_scorer *scorer)
{
    return !scorer->names;
}

static bool counts_once(const cau_scorer *scorer, const cau_reader *reader)
{
    return may_repeat(scorer) && cau_reader_presence(reader);
}

/* Room in seen[] for a group of `most` features. */
static bool room_for_group(cau_scorer *scorer, size_t most)
{
    size_t size = 64;
    while (size / 2 < most) size *= 2;
    if (size <= scorer->seen_mask + 1) return true;
    if (!CAU_GROW(scorer->seen, scorer->seen_room, size)) return false;
    memset(scorer->seen, 0, scorer->seen_room * sizeof *scorer->seen);
    scorer->seen_mask = size - 1;
    scorer->group = 0;
    return true;
}

/* Group numbers are never 0, the initial value of seen[]. */
static void next_group(cau_scorer *scorer)
{
    if (++scorer->group != 0) return;
    memset(scorer->seen, 0, scorer->seen_room * sizeof *scorer->seen);
    scorer->group = 1;
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

/* Turns the numbers id[begin .. end-1] into rows and writes the known ones from out->id[n] on;
 * returns the new n. values NULL: all are 1. `once`: leaves out repeated rows. */
static size_t translate(cau_scorer *scorer, const cau_lookup *lookup, size_t begin, size_t end,
                        const uint32_t *id, const float *values, bool once, cau_features *out,
                        size_t n)
{
    if (once) next_group(scorer);
    if (!once && !values) { /* nearly always; without a branch */
        for (size_t i = begin; i < end; i++) {
            out->id[n] = lookup->row[id[i]];
            n += out->id[n] != CAU_UNKNOWN;
        }
        return n;
    }
    for (size_t i = begin; i < end; i++) {
        const uint32_t row = lookup->row[id[i]];
        out->id[n] = row;
        if (values) out->value[n] = values[i];
        n += row != CAU_UNKNOWN && (!once || is_new(scorer, row));
    }
    return n;
}

static bool room_for_features(cau_features *f, size_t need)
{
    return CAU_GROW(f->id, f->id_room, need) && CAU_GROW(f->value, f->value_room, need);
}

/* ---- one instance -------------------------------------------------------------------- */

static caucus_status check_groups(caucus_ctx *ctx, const caucus_model *model,
                                  const cau_reader *reader, const cau_instance *instance)
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

/* The rows of the known features of one instance, in memory of the scorer until the next one. */
static caucus_status find_instance(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                   const cau_instance *instance, cau_feature_rows *rows)
{
    const bool once = counts_once(scorer, reader);
    const size_t most = instance->start[instance->groups];
    const caucus_status st = look_up_all(ctx, scorer);
    if (st) return st;
    if (!room_for_features(&scorer->node, most) ||
        !CAU_GROW(scorer->start, scorer->start_room, instance->groups + 1) ||
        (once && !room_for_group(scorer, most)))
        return no_memory(ctx);

    size_t n = 0;
    for (size_t g = 0; g < instance->groups; g++) {
        scorer->start[g] = n;
        n = translate(scorer, &scorer->nodes, instance->start[g], instance->start[g + 1],
                      instance->id, instance->value, once, &scorer->node, n);
    }
    scorer->start[instance->groups] = n;
    if (!holds_more(scorer)) free_places(scorer);
    *rows = (cau_feature_rows){.count = 1,
                               .groups = instance->groups,
                               .start = scorer->start,
                               .row = scorer->node.id,
                               .value = instance->value ? scorer->node.value : NULL};
    return CAUCUS_OK;
}

caucus_status cau_scorer_scores(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                                const cau_instance *instance, double *s)
{
    cau_feature_rows rows;
    caucus_status st = check_groups(ctx, scorer->model, reader, instance);
    if (!st) st = find_instance(ctx, scorer, reader, instance, &rows);
    if (st) return st;
    const cau_instance known = {
        .groups = rows.groups, .start = rows.start, .id = rows.row, .value = rows.value};
    return cau_model_scores(scorer->model, &known, s);
}

/* ---- a sequence ---------------------------------------------------------------------- */

void cau_scorer_begin(cau_scorer *scorer)
{
    scorer->T = scorer->waits = scorer->held = 0;
    free_places(scorer);
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

/* The rows of all queued instances, written over their numbers. */
static bool find_waiting(cau_scorer *scorer, bool once, cau_feature_rows *rows)
{
    size_t node = 0, edge = 0;   /* where the features of an instance begin, */
    size_t nodes = 0, edges = 0; /* and how many rows there are */
    bool plain = true;
    if (!CAU_GROW(scorer->start, scorer->start_room, scorer->waits + 1) ||
        !CAU_GROW(scorer->edge_start, scorer->edge_start_room, scorer->waits + 1))
        return false;
    for (size_t i = 0; i < scorer->waits; i++) plain &= scorer->waiting[i].plain;
    for (size_t i = 0; i < scorer->waits; i++) {
        const cau_waiting *w = &scorer->waiting[i];
        if (once && !room_for_group(scorer, w->node_end - node + w->edge_end - edge)) return false;
        scorer->start[i] = nodes;
        scorer->edge_start[i] = edges;
        for (size_t k = node; !plain && w->plain && k < w->node_end; k++) scorer->node.value[k] = 1;
        nodes = translate(scorer, &scorer->nodes, node, w->node_end, scorer->node.id,
                          plain ? NULL : scorer->node.value, once, &scorer->node, nodes);
        edges = translate(scorer, &scorer->edges, edge, w->edge_end, scorer->edge.id, NULL, once,
                          &scorer->edge, edges);
        node = w->node_end;
        edge = w->edge_end;
    }
    scorer->start[scorer->waits] = nodes;
    scorer->edge_start[scorer->waits] = edges;
    *rows = (cau_feature_rows){.count = scorer->waits,
                               .groups = 1,
                               .start = scorer->start,
                               .row = scorer->node.id,
                               .value = plain ? NULL : scorer->node.value,
                               .edge_start = scorer->edge_start,
                               .edge_row = scorer->edge.id,
                               .distinct = once || !may_repeat(scorer)};
    return true;
}

/* Scores the queued instances, which are the last of the sequence so far. */
static caucus_status score_waiting(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader)
{
    cau_feature_rows rows;
    caucus_status st = look_up_all(ctx, scorer);
    if (st) return st;
    if (!find_waiting(scorer, counts_once(scorer, reader), &rows)) return no_memory(ctx);
    scorer->T -= scorer->waits;
    st = cau_scorer_add(ctx, scorer, &rows);
    if (st) return st;
    scorer->waits = 0;
    free_places(scorer);
    return CAUCUS_OK;
}

/* Queues an instance with one group of features. */
static caucus_status queue_instance(caucus_ctx *ctx, cau_scorer *scorer,
                                    const cau_instance *instance)
{
    const cau_waiting *last = scorer->waits ? &scorer->waiting[scorer->waits - 1] : NULL;
    const size_t node = last ? last->node_end : 0, edge = last ? last->edge_end : 0;
    const size_t nodes = instance->start[1], edges = instance->edges;
    if (!room_for_features(&scorer->node, node + nodes) ||
        !CAU_GROW(scorer->edge.id, scorer->edge.id_room, edge + edges) ||
        !CAU_GROW(scorer->waiting, scorer->waiting_room, scorer->waits + 1))
        return no_memory(ctx);

    if (nodes) memcpy(scorer->node.id + node, instance->id, nodes * sizeof *instance->id);
    if (nodes && instance->value)
        memcpy(scorer->node.value + node, instance->value, nodes * sizeof *instance->value);
    if (edges) memcpy(scorer->edge.id + edge, instance->edge, edges * sizeof *instance->edge);
    scorer->waiting[scorer->waits++] =
        (cau_waiting){node + nodes, edge + edges, instance->value == NULL};
    return CAUCUS_OK;
}

caucus_status cau_scorer_push(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader,
                              const cau_instance *instance)
{
    caucus_status st = CAUCUS_OK;
    cau_feature_rows rows;
    TRY(check_groups(ctx, scorer->model, reader, instance));
    if (instance->groups > 1) { /* never in models of sequences, so no instance is queued */
        TRY(find_instance(ctx, scorer, reader, instance, &rows));
        return cau_scorer_add(ctx, scorer, &rows);
    }
    TRY(queue_instance(ctx, scorer, instance));
    scorer->T++;
    if (!holds_more(scorer) && scorer->nodes.count >= WAIT_MAX)
        TRY(score_waiting(ctx, scorer, reader));
done:
    return st;
}

caucus_status cau_scorer_finish(caucus_ctx *ctx, cau_scorer *scorer, const cau_reader *reader)
{
    return scorer->waits ? score_waiting(ctx, scorer, reader) : CAUCUS_OK;
}
