/* partition.c - the features that each member of a pool sees.
 *
 *     bags         @bag lines of the template; a feature is in the bags of its pattern
 *     template     features of a pattern stay together: patterns in the order of their first
 *                  feature, cut into J ranges with about the same number of features
 *     sequential   features in the order of their numbers, cut into J ranges
 *     random       the same in a random order; for bags, each feature is put into each bag with
 *                  probability 1/2, and into a random one if that leaves it out
 *
 * A mask is a byte for each observation; the data is never copied. */

#include "pool/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "dataset/feature_group.h"

enum { EXPERTS = 2 }; /* if neither the options nor the partition have a number */

void cau_partition_clear(cau_partition *p)
{
    for (size_t j = 0; j < p->J; j++) {
        if (p->rows) free(p->rows[j]);
        if (p->edge_rows) free(p->edge_rows[j]);
        if (p->name) free(p->name[j]);
    }
    free(p->rows);
    free(p->edge_rows);
    free(p->name);
    *p = (cau_partition){0};
}

/* J members that see everything, without names. */
static caucus_status init_members(caucus_ctx *ctx, size_t J, cau_partition *p)
{
    if (J > CAU_MEMBERS_MOST)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "a pool of %zu members: %d is the most; use fewer --experts", J,
                        CAU_MEMBERS_MOST);
    p->J = J;
    p->rows = cau_calloc(J, sizeof *p->rows);
    p->edge_rows = cau_calloc(J, sizeof *p->edge_rows);
    p->name = cau_calloc(J, sizeof *p->name);
    return p->rows && p->edge_rows && p->name ? CAUCUS_OK : cau_fail_memory(ctx, "the members");
}

/* J members that see only the observations on edges, without names. */
static caucus_status init_masks(caucus_ctx *ctx, const cau_dataset *set, size_t J, cau_partition *p)
{
    caucus_status st = CAUCUS_OK;
    TRY(init_members(ctx, J, p));
    for (size_t j = 0; j < J; j++) {
        p->rows[j] = cau_calloc(set->K, 1);
        p->edge_rows[j] = cau_alloc(set->E, 1);
        if (!p->rows[j] || !p->edge_rows[j]) TRY(cau_fail_memory(ctx, "the members"));
        memset(p->edge_rows[j], 1, set->E);
    }
done:
    return st;
}

/* Takes over a text as the name of a member. */
static caucus_status name_member(caucus_ctx *ctx, cau_partition *p, size_t j, cau_strbuf *name)
{
    const caucus_status st = cau_strbuf_status(ctx, name);
    if (st)
        cau_strbuf_clear(name);
    else
        p->name[j] = name->s;
    return st;
}

static caucus_status number_members(caucus_ctx *ctx, const char *word, cau_partition *p)
{
    for (size_t j = 0; j < p->J; j++) {
        cau_strbuf name = {0};
        cau_strbuf_printf(&name, "%s %zu", word, j + 1);
        const caucus_status st = name_member(ctx, p, j, &name);
        if (st) return st;
    }
    return CAUCUS_OK;
}

caucus_status cau_partition_all(caucus_ctx *ctx, size_t J, cau_partition *out)
{
    *out = (cau_partition){0};
    const caucus_status st = init_members(ctx, J, out);
    return st ? st : number_members(ctx, "expert", out);
}

/* ---- bags of the template ------------------------------------------------------------------ */

static size_t count_bags(const caucus_data *data)
{
    size_t at = 0, count = 0;
    cau_str name, globs;
    if (data->template)
        while (cau_template_bag(data->template, &at, &name, &globs)) count++;
    return count;
}

/* Sets the masks of an alphabet by the bags that have the pattern of an observation, bag [J] being
 * their globs. Observations outside all bags are in every bag. */
static void mark_bags(const cau_template *t, const cau_str *bag, const cau_alphabet *names,
                      size_t J, uint8_t **rows)
{
    for (uint32_t k = 0; k < cau_alphabet_size(names); k++) {
        const size_t pattern = cau_template_pattern_of(t, cau_alphabet_name(names, k));
        bool found = false;
        for (size_t j = 0; j < J; j++) {
            rows[j][k] = pattern != SIZE_MAX && cau_template_in_bag(t, bag[j], pattern);
            found |= rows[j][k];
        }
        for (size_t j = 0; j < J && !found; j++) rows[j][k] = 1;
    }
}

static caucus_status make_bags(caucus_ctx *ctx, const caucus_data *data,
                               const cau_pool_options *pool, cau_partition *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = count_bags(data);
    cau_str globs[CAU_MEMBERS_MOST], name;
    if (J < 2)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the template has %s; write two lines or more like '@bag words: U0* U1*', "
                        "or use --partition template or random",
                        J ? "a single @bag" : "no @bag lines");
    if (pool->experts && pool->experts != J)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--experts %llu, but the template has %zu bags; leave --experts out, or "
                        "use --partition random",
                        (unsigned long long)pool->experts, J);
    TRY(init_masks(ctx, &data->train, J, p));
    for (size_t j = 0, at = 0; cau_template_bag(data->template, &at, &name, &globs[j]); j++) {
        cau_strbuf text = {0};
        cau_strbuf_add(&text, name.s, name.n);
        TRY(name_member(ctx, p, j, &text));
    }
    mark_bags(data->template, globs, data->alphabets.names, J, p->rows);
    mark_bags(data->template, globs, data->alphabets.edges, J, p->edge_rows);
done:
    return st;
}

/* ---- by template --------------------------------------------------------------------------- */

/* Names a member after the patterns first..end-1. */
static caucus_status name_by_patterns(caucus_ctx *ctx, const cau_feature_groups *patterns,
                                      size_t first, size_t end, cau_partition *p, size_t j)
{
    enum { SHOWN = 3 };
    cau_strbuf name = {0};
    for (size_t g = first; g < end; g++) {
        const bool gap = end - first > SHOWN && g > first && g + 1 < end;
        const cau_str pattern = cau_alphabet_name(patterns->names, (uint32_t)g);
        if (gap && g == first + 1) cau_strbuf_add(&name, " ..", 3);
        if (gap) continue;
        if (g > first) cau_strbuf_add(&name, " ", 1);
        cau_strbuf_add(&name, pattern.s, pattern.n);
    }
    if (!name.failed && name.n == 0) cau_strbuf_printf(&name, "part %zu", j + 1);
    return name_member(ctx, p, j, &name);
}

/* Assigns the patterns in their order: a member gets patterns until the features so far are its
 * share, or until each of the remaining members needs one. */
static caucus_status make_by_template(caucus_ctx *ctx, const caucus_data *data,
                                      const cau_pool_options *pool,
                                      const cau_feature_groups *patterns, cau_partition *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t G = cau_alphabet_size(patterns->names), K = data->train.K;
    const size_t J = pool->experts ? (size_t)pool->experts : G;
    size_t *size = NULL; /* [G] features */
    uint32_t *member = NULL;
    if (G < 2 || J > G)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the features are of %zu kind%s (what stands before the ':' of their "
                        "names), too few for %zu members; use --partition random or sequential",
                        G, G == 1 ? "" : "s", J < 2 ? 2 : J);
    TRY(init_masks(ctx, &data->train, J, p));
    size = cau_calloc(G, sizeof *size);
    member = cau_alloc(G, sizeof *member);
    if (!size || !member) TRY(cau_fail_memory(ctx, "the members"));
    for (size_t k = 0; k < K; k++) size[patterns->of[k]]++;
    for (size_t j = 0, g = 0, dealt = 0; j < J; j++) {
        const size_t first = g;
        const double share = (double)K * (double)(j + 1) / (double)J;
        while (g < G - (J - 1 - j) &&
               (g == first || j == J - 1 || (double)dealt + (double)size[g] / 2 <= share)) {
            member[g] = (uint32_t)j;
            dealt += size[g++];
        }
        TRY(name_by_patterns(ctx, patterns, first, g, p, j));
    }
    for (size_t k = 0; k < K; k++) p->rows[member[patterns->of[k]]][k] = 1;
done:
    free(size);
    free(member);
    return st;
}

/* ---- without a template -------------------------------------------------------------------- */

/* Cuts the features into J ranges, in the order of their numbers or in a random order. */
static caucus_status make_ranges(caucus_ctx *ctx, cau_rng *rng, size_t K, cau_partition *p)
{
    uint32_t *order = cau_alloc(K, sizeof *order);
    if (!order) return cau_fail_memory(ctx, "the members");
    for (size_t k = 0; k < K; k++) order[k] = (uint32_t)k;
    if (rng) cau_rng_shuffle(rng, order, K);
    for (size_t k = 0, j = 0; k < K; k++) {
        while (k >= K * (j + 1) / p->J) j++;
        p->rows[j][order[k]] = 1;
    }
    free(order);
    return CAUCUS_OK;
}

/* Puts each feature into random bags, and into at least one. */
static void make_random_bags(cau_rng *rng, size_t K, cau_partition *p)
{
    for (size_t k = 0; k < K; k++) {
        bool found = false;
        for (size_t j = 0; j < p->J; j++) {
            p->rows[j][k] = (uint8_t)(cau_rng_next(rng) >> 63);
            found |= p->rows[j][k];
        }
        if (!found) p->rows[cau_rng_below(rng, p->J)][k] = 1;
    }
}

static caucus_status make_numbered(caucus_ctx *ctx, const caucus_data *data,
                                   const cau_pool_options *pool, uint64_t seed, bool random,
                                   cau_partition *p)
{
    caucus_status st = CAUCUS_OK;
    const size_t K = data->train.K, J = pool->experts ? (size_t)pool->experts : EXPERTS;
    cau_rng rng;
    cau_rng_init(&rng, seed);
    if (J > K)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "%zu features cannot be dealt to %zu members; use fewer --experts", K, J);
    TRY(init_masks(ctx, &data->train, J, p));
    TRY(number_members(ctx, "part", p));
    if (random && pool->kind == CAU_POOL_BAG)
        make_random_bags(&rng, K, p);
    else
        TRY(make_ranges(ctx, random ? &rng : NULL, K, p));
done:
    return st;
}

/* ---- the partition ------------------------------------------------------------------------- */

caucus_status cau_partition_make(caucus_ctx *ctx, const caucus_data *data,
                                 const cau_pool_options *pool, uint64_t seed, cau_partition *out)
{
    caucus_status st = CAUCUS_OK;
    cau_feature_groups patterns = {0};
    cau_pool_options o = *pool;
    *out = (cau_partition){0};
    if (o.kind == CAU_POOL_LOP && o.experts == 0 && o.partition != CAU_PARTITION_BAGS &&
        !(o.partition == CAU_PARTITION_AUTO && count_bags(data)))
        o.experts = EXPERTS;
    if (o.partition == CAU_PARTITION_AUTO && count_bags(data)) o.partition = CAU_PARTITION_BAGS;
    if (o.partition == CAU_PARTITION_AUTO || o.partition == CAU_PARTITION_TEMPLATE)
        TRY(cau_feature_groups_init(ctx, data->alphabets.names, &patterns));
    if (o.partition == CAU_PARTITION_AUTO) {
        const size_t G = cau_alphabet_size(patterns.names);
        const bool able = G >= 2 && G >= o.experts && (o.experts || G <= CAU_MEMBERS_MOST);
        o.partition = able && data->template ? CAU_PARTITION_TEMPLATE : CAU_PARTITION_RANDOM;
    }
    switch (o.partition) {
    case CAU_PARTITION_BAGS:
        TRY(make_bags(ctx, data, &o, out));
        break;
    case CAU_PARTITION_TEMPLATE:
        TRY(make_by_template(ctx, data, &o, &patterns, out));
        break;
    case CAU_PARTITION_AUTO:
    case CAU_PARTITION_RANDOM:
    case CAU_PARTITION_SEQUENTIAL:
        TRY(make_numbered(ctx, data, &o, seed, o.partition != CAU_PARTITION_SEQUENTIAL, out));
        break;
    }
done:
    cau_feature_groups_clear(&patterns);
    return st;
}
