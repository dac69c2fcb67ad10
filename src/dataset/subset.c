/* subset.c - a part of a dataset, made without reading files again.
 *
 *     data->train ──copy──▶ builder ──filter──▶ names 0..K'-1 ──renumber──▶ set
 *                             sequences            labels 0..Y'-1
 *
 * The steps are those of dataset.c, except that rows come from a dataset instead of a reader. Names
 * and labels keep their order, so a table maps old numbers to new ones, and strings are touched
 * only to copy those that stay. Labels are resolved already: gold is a class, a set or unknown, and
 * labels that the part lacks are removed as in resolve_labels.c. A part costs a few passes over its
 * own entries and one over all names. */

#include "dataset/subset.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"
#include "dataset/dataset_builder.h"
#include "text/formats.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "a part of the data");
}

/* Data without instances and names that is otherwise like `data`. */
static caucus_status new_like(caucus_ctx *ctx, const caucus_data *data, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *like = cau_calloc(1, sizeof *like);
    if (!like) TRY(no_memory(ctx));
    TRY(cau_alphabet_new(ctx, &like->alphabets.names));
    TRY(cau_alphabet_new(ctx, &like->alphabets.edges));
    TRY(cau_alphabet_new(ctx, &like->labels));
    if (data->template)
        TRY(cau_template_parse(ctx, "the template", cau_template_text(data->template), NULL,
                               &like->template));
    like->read = data->read;
    like->read.template = like->template;
    like->transitions = data->transitions;
    *out = like;
    like = NULL;
done:
    cau_data_free(like);
    return st;
}

static caucus_status copy_sequences(caucus_ctx *ctx, cau_dataset_builder *to,
                                    const cau_dataset *from, const uint32_t *which, size_t count)
{
    const caucus_status st = cau_builder_take(to, from, which, count);
    if (st == CAUCUS_ERR_ARGUMENT)
        return cau_fail(ctx, st, "2^32 instances or more; train on a part of the data");
    return st ? no_memory(ctx) : CAUCUS_OK;
}

/* ---- names and labels -------------------------------------------------------------------- */

/* Copies the names with keep[k] != 0; keep becomes their new numbers, or CAU_UNKNOWN. */
static bool copy_kept(const cau_alphabet *from, uint32_t *keep, cau_alphabet *to)
{
    const size_t size = cau_alphabet_size(from);
    for (uint32_t k = 0; k < size; k++) {
        const bool stays = keep[k];
        const cau_str name = cau_alphabet_name(from, k);
        keep[k] = stays ? cau_alphabet_add(to, name.s, name.n) : CAU_UNKNOWN;
        if (stays && keep[k] == CAU_UNKNOWN) return false;
    }
    return true;
}

static bool copy_all(const cau_alphabet *from, cau_alphabet *to)
{
    for (uint32_t k = 0; k < cau_alphabet_size(from); k++) {
        const cau_str name = cau_alphabet_name(from, k);
        if (cau_alphabet_add(to, name.s, name.n) == CAU_UNKNOWN) return false;
    }
    return true;
}

/* Keeps the names, on nodes and on edges, that training has often enough. */
static caucus_status map_names(caucus_ctx *ctx, const cau_alphabets *all, size_t cutoff,
                               cau_alphabets *kept, cau_dataset_builder *train,
                               cau_dataset_builder *test)
{
    const size_t K = cau_alphabet_size(all->names), E = cau_alphabet_size(all->edges);
    uint32_t *name = cau_alloc(K, sizeof *name), *edge = cau_alloc(E, sizeof *edge);
    const bool done = name && edge && !cau_builder_frequent(train, cutoff, K, name, E, edge) &&
                      copy_kept(all->names, name, kept->names) &&
                      copy_kept(all->edges, edge, kept->edges);
    if (done) {
        cau_builder_map(train, name, edge);
        cau_builder_map(test, name, edge);
    }
    free(name);
    free(edge);
    return done ? CAUCUS_OK : no_memory(ctx);
}

/* Sets keep[y] = 1 for the labels that training has, alone or in a set; for all labels with
 * explicit features. */
static void find_labels(const cau_dataset *train, const cau_label_sets *sets, size_t Y,
                        uint32_t *keep)
{
    for (size_t y = 0; y < Y; y++) keep[y] = train->group > 1;
    for (size_t i = 0; i < train->N; i++) {
        const uint32_t gold = train->gold[i];
        if (gold < CAU_SET) keep[gold] = 1;
        if (gold < CAU_SET || gold == CAU_UNKNOWN) continue;
        const size_t s = gold - CAU_SET;
        for (size_t l = sets->start[s]; l < sets->start[s + 1]; l++) keep[sets->label[l]] = 1;
    }
}

static caucus_status check_labels(caucus_ctx *ctx, const cau_alphabet *labels)
{
    const size_t classes = cau_alphabet_size(labels);
    if (classes > 1) return CAUCUS_OK;
    if (classes == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "no label is known; training needs two classes or more: add labelled data");
    const cau_str name = cau_alphabet_name(labels, 0);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "all known labels are '%.*s'; training needs two classes or more: add data of "
                    "another class",
                    CAU_SHOWN(name));
}

/* The new gold of a set of labels: the labels that are left of it are appended to the sets in `to`
 * if they are two or more. */
static uint32_t map_set(const cau_label_sets *from, size_t s, const uint32_t *number,
                        cau_label_sets *to)
{
    const size_t first = to->start[to->count];
    size_t end = first;
    for (size_t l = from->start[s]; l < from->start[s + 1]; l++)
        if (number[from->label[l]] != CAU_UNKNOWN) to->label[end++] = number[from->label[l]];
    if (end - first < 2) return end > first ? to->label[first] : CAU_UNKNOWN;
    to->start[++to->count] = end;
    return CAU_SET + (uint32_t)(to->count - 1);
}

/* Renumbers gold by number [Y]. `sets` are the old sets of labels; those that still occur are added
 * once each. */
static caucus_status map_gold(const cau_label_sets *sets, const uint32_t *number, cau_dataset *set)
{
    cau_label_sets *to = &set->sets;
    const uint32_t not_yet = CAU_SET + (uint32_t)sets->count; /* no set has that number */
    uint32_t *placed = cau_alloc(sets->count, sizeof *placed);
    to->start = cau_calloc(sets->count + 1, sizeof *to->start);
    to->label = cau_alloc(sets->count ? sets->start[sets->count] : 0, sizeof *to->label);
    const bool room = placed && to->start && to->label;
    for (size_t s = 0; room && s < sets->count; s++) placed[s] = not_yet;
    for (size_t i = 0; room && i < set->N; i++) {
        uint32_t *gold = &set->gold[i];
        if (*gold < CAU_SET) {
            *gold = number[*gold];
        } else if (*gold != CAU_UNKNOWN) {
            const size_t s = *gold - CAU_SET;
            if (placed[s] == not_yet) placed[s] = map_set(sets, s, number, to);
            *gold = placed[s];
        }
        set->partial |= *gold >= CAU_SET;
    }
    if (room && to->count == 0) {
        free(to->start);
        free(to->label);
        *to = (cau_label_sets){0};
    }
    free(placed);
    return room ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
}

/* ---- the part ---------------------------------------------------------------------------- */

/* Keeps the labels that training has, or all labels. `held` is the set that the test set was copied
 * from. */
static caucus_status map_labels(caucus_ctx *ctx, const caucus_data *data, const cau_dataset *held,
                                bool all, cau_alphabet *labels, cau_dataset_builder *train,
                                cau_dataset_builder *test)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = cau_alphabet_size(data->labels);
    uint32_t *number = cau_alloc(Y, sizeof *number);
    if (!number) TRY(no_memory(ctx));
    for (size_t y = 0; y < Y; y++) number[y] = 1;
    if (!all) find_labels(&train->set, &data->train.sets, Y, number);
    if (!copy_kept(data->labels, number, labels)) TRY(no_memory(ctx));
    if (!all) TRY(check_labels(ctx, labels));
    if (map_gold(&data->train.sets, number, &train->set) ||
        map_gold(&held->sets, number, &test->set))
        TRY(no_memory(ctx));
done:
    free(number);
    return st;
}

/* Makes the set of a builder final and moves it to *out. */
static caucus_status close_set(caucus_ctx *ctx, const caucus_data *data, size_t group, bool index,
                               cau_dataset_builder *builder, cau_dataset *out)
{
    if (cau_builder_close(builder, group, cau_alphabet_size(data->alphabets.names),
                          cau_alphabet_size(data->alphabets.edges),
                          cau_alphabet_size(data->labels)) ||
        (index && cau_csr_transpose(cau_threads(ctx), &builder->set.x, &builder->set.xt)))
        return no_memory(ctx);
    *out = builder->set;
    *builder = (cau_dataset_builder){0};
    return CAUCUS_OK;
}

caucus_status cau_data_subset(caucus_ctx *ctx, const caucus_data *data, const cau_part_of *part,
                              size_t cutoff, caucus_data **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_data *sub = NULL;
    cau_dataset_builder train = {.units = data->train.unit != NULL, .set.files = data->train.files};
    cau_dataset_builder test = {0}, dev = {0};
    const cau_dataset *held = part->held ? &data->train : &data->test;
    const size_t group = data->train.group;
    TRY(new_like(ctx, data, &sub));
    TRY(copy_sequences(ctx, &train, &data->train, part->train, part->trained));
    TRY(copy_sequences(ctx, &test, held, part->held ? part->test : NULL,
                       part->held ? part->held : held->S));
    if (!part->whole)
        TRY(map_names(ctx, &data->alphabets, cutoff, &sub->alphabets, &train, &test));
    else if (!copy_all(data->alphabets.names, sub->alphabets.names) ||
             !copy_all(data->alphabets.edges, sub->alphabets.edges))
        TRY(no_memory(ctx));
    TRY(map_labels(ctx, data, held, part->whole, sub->labels, &train, &test));
    TRY(close_set(ctx, sub, group, true, &train, &sub->train));
    TRY(close_set(ctx, sub, group, false, &test, &sub->test));
    TRY(close_set(ctx, sub, group, false, &dev, &sub->dev));
    sub->fingerprint =
        cau_hash(part->train, part->trained * sizeof *part->train, data->fingerprint);
    sub->fingerprint = cau_hash(part->test, part->held * sizeof *part->test, sub->fingerprint);
    *out = sub;
    sub = NULL;
done:
    cau_builder_clear(&train);
    cau_builder_clear(&test);
    cau_data_free(sub);
    return st;
}
