/* dropout.c - see dropout.h. */

#include "train/dropout.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "dataset/feature_group.h"
#include "optim/rows.h"

/* Makes room for the rest of any example. */
static caucus_status make_room(caucus_ctx *ctx, const cau_online_problem *p, cau_dropout *d)
{
    size_t groups = 1, entries = 1;
    for (size_t i = 0; i < p->examples; i++) {
        cau_example e;
        p->example(p->self, i, &e);
        const size_t own = e.start[e.groups] - e.start[0];
        if (e.groups > groups) groups = e.groups;
        if (own > entries) entries = own;
    }
    d->start = cau_alloc(groups + 1, sizeof *d->start);
    d->id = cau_alloc(entries, sizeof *d->id);
    d->value = cau_alloc(entries, sizeof *d->value);
    return d->start && d->id && d->value ? CAUCUS_OK : cau_fail_memory(ctx, "dropout");
}

/* Numbers the kinds with weights, those of the nodes first. */
static caucus_status number_kinds(caucus_ctx *ctx, const caucus_data *data,
                                  const cau_online_problem *p, cau_dropout *d)
{
    caucus_status st = CAUCUS_OK;
    cau_feature_groups nodes = {0}, edges = {0};
    uint32_t *number = NULL; /* number of each kind; CAU_UNKNOWN: none yet */
    TRY(cau_feature_groups_init(ctx, data->alphabets.names, &nodes));
    TRY(cau_feature_groups_init(ctx, data->alphabets.edges, &edges));
    const size_t before = cau_alphabet_size(nodes.names);
    const size_t all = before + cau_alphabet_size(edges.names);
    d->kind = cau_calloc(cau_rows_count(p), sizeof *d->kind);
    d->gone = cau_calloc(all + 1, sizeof *d->gone); /* + 1: for rows without weights */
    number = cau_alloc(all, sizeof *number);
    if (!d->kind || !d->gone || !number) TRY(cau_fail_memory(ctx, "dropout"));
    for (size_t i = 0; i < all; i++) number[i] = CAU_UNKNOWN;
    for (size_t k = 0; k < cau_rows_count(p); k++) {
        if (cau_weight_row_of(p, k).count == 0) continue;
        const size_t kind = k < p->nodes.rows ? nodes.of[k] : before + edges.of[k - p->nodes.rows];
        if (number[kind] == CAU_UNKNOWN) number[kind] = (uint32_t)d->kinds++;
        d->kind[k] = number[kind];
    }
done:
    free(number);
    cau_feature_groups_clear(&nodes);
    cau_feature_groups_clear(&edges);
    return st;
}

caucus_status cau_dropout_init(caucus_ctx *ctx, const caucus_data *data,
                               const cau_online_problem *problem, double q, cau_group by,
                               uint64_t seed, cau_dropout *out)
{
    caucus_status st = CAUCUS_OK;
    cau_dropout d = {.q = q, .seed = seed};
    TRY(make_room(ctx, problem, &d));
    if (by != CAU_GROUP_FEATURE) TRY(number_kinds(ctx, data, problem, &d));
    if (by == CAU_GROUP_NONE && d.kinds < 2) { /* only one kind: nothing could replace it */
        free(d.kind);
        d.kind = NULL;
        d.kinds = 0;
    }
    *out = d;
    d = (cau_dropout){0};
done:
    cau_dropout_clear(&d);
    return st;
}

void cau_dropout_clear(cau_dropout *d)
{
    free(d->kind);
    free(d->gone);
    free(d->start);
    free(d->id);
    free(d->value);
    *d = (cau_dropout){0};
}

static void draw_kinds(cau_dropout *d, cau_rng *rng)
{
    size_t left = 0;
    for (size_t i = 0; i < d->kinds; i++) {
        d->gone[i] = cau_rng_real(rng) < d->q;
        left += !d->gone[i];
    }
    if (left == 0) d->gone[cau_rng_below(rng, d->kinds)] = 0;
}

void cau_dropout_thin(cau_dropout *d, size_t i, cau_example *e)
{
    if (d->q == 0 || d->epoch == 0) return;
    const uint64_t place[] = {d->epoch, i};
    const float scale = d->kind ? 1 : (float)(1 / (1 - d->q));
    size_t left = 0;
    cau_rng rng;
    cau_rng_init(&rng, cau_hash(place, sizeof place, d->seed));
    if (d->kinds) draw_kinds(d, &rng);
    for (size_t g = 0; g < e->groups; g++) {
        d->start[g] = left;
        for (size_t at = e->start[g]; at < e->start[g + 1]; at++) {
            if (d->kind ? d->gone[d->kind[e->id[at]]] : cau_rng_real(&rng) < d->q) continue;
            d->id[left] = e->id[at];
            d->value[left++] = e->value ? e->value[at] * scale : scale;
        }
    }
    d->start[e->groups] = left;
    e->start = d->start;
    e->id = d->id;
    if (e->value || scale != 1) e->value = d->value;
}
