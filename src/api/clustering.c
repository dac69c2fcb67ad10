/* clustering.c - clustering as the public interface offers it. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/options.h"
#include "base/status.h"
#include "cluster/work.h"

struct caucus_clustering {
    caucus_options *options;
    cau_cluster_options how; /* made of them */
    cau_cluster_work work;
    enum { ADDING, READ, FAILED, RUN } stage;
};

/* "0,1,3": three numbers of columns. */
static caucus_status parse_columns(caucus_ctx *ctx, const char *text, uint64_t columns[3])
{
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        const size_t n = strcspn(at, ",");
        if (!cau_parse_count(at, n, &columns[i]) || (at[n] == ',') != (i < 2))
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--columns %s: not three numbers; write 0,1,3 for example", text);
        at += n + (i < 2);
    }
    return CAUCUS_OK;
}

/* The sampler's start, where the options leave it open. */
static caucus_status cluster_options(caucus_ctx *ctx, const caucus_options *options,
                                     cau_cluster_options *out)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_options how = options->cluster;
    how.seed = options->seed;
    how.threads = cau_options_threads(ctx, options);
    if (options->cluster_columns)
        TRY(parse_columns(ctx, options->cluster_columns, how.items.columns));
    how.dp.restricted = 3;
    how.dp.fixed_alpha = cau_options_is_set(options, "alpha");
    if (!how.dp.fixed_alpha) how.dp.start.alpha = 1;
    how.dp.fixed_base = cau_options_is_set(options, "beta");
    how.dp.start.beta = how.dp.fixed_base ? options->cluster_beta : .5;
    how.dp.start.k0 = how.dp.fixed_base ? options->cluster_beta : .1;
    how.dp.start.a0 = how.dp.start.b0_scale = 1;
    *out = how;
done:
    return st;
}

caucus_status caucus_clustering_new(caucus_ctx *ctx, const caucus_options *options,
                                    caucus_clustering **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_clustering *c = NULL;
    TRY(cau_options_expect(ctx, options, "cluster", NULL));
    c = cau_calloc(1, sizeof *c);
    if (!c) TRY(cau_fail_memory(ctx, "the clustering"));
    TRY(cau_options_copy(ctx, options, cau_options_all, &c->options));
    TRY(cluster_options(ctx, c->options, &c->how));
    c->work.ctx = ctx;
    c->work.o = &c->how;
    TRY(cau_cluster_begin(&c->work));
    *out = c;
    c = NULL;
done:
    caucus_clustering_free(c);
    return st;
}

void caucus_clustering_free(caucus_clustering *c)
{
    if (!c) return;
    cau_cluster_clear(&c->work);
    caucus_options_free(c->options);
    free(c);
}

/* ---- items ---- */

static caucus_status check_stage(caucus_ctx *ctx, caucus_clustering *c, bool adding)
{
    c->work.ctx = ctx;
    if (c->stage == RUN || c->stage == FAILED)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "the clustering has run; make a new one");
    if (adding && c->stage == READ)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "the items were read from files; add none from memory");
    return CAUCUS_OK;
}

caucus_status caucus_clustering_read(caucus_ctx *ctx, caucus_clustering *c,
                                     const char *const *paths, size_t count)
{
    const caucus_status st = check_stage(ctx, c, true);
    if (st) return st;
    if (c->work.builder.seen)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "items were added from memory; read none from files");
    c->stage = READ;
    return cau_items_read(ctx, &c->work.builder, paths, count);
}

caucus_status caucus_clustering_add(caucus_ctx *ctx, caucus_clustering *c, const char *item,
                                    const caucus_feature *features, size_t count)
{
    caucus_status st = check_stage(ctx, c, true);
    if (!st) st = cau_items_add(ctx, &c->work.builder, item, features, count);
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}

caucus_status caucus_clustering_link(caucus_ctx *ctx, caucus_clustering *c, const char *a,
                                     const char *b, double together)
{
    const caucus_status st = check_stage(ctx, c, false);
    return st ? st : cau_cluster_link(&c->work, a, b, together);
}

caucus_status caucus_clustering_class(caucus_ctx *ctx, caucus_clustering *c, const char *item,
                                      const char *class_name)
{
    const caucus_status st = check_stage(ctx, c, false);
    return st ? st : cau_cluster_class(&c->work, item, class_name);
}

caucus_status caucus_clustering_run(caucus_ctx *ctx, caucus_clustering *c, caucus_ask_fn *ask,
                                    void *user)
{
    caucus_status st = check_stage(ctx, c, false);
    const bool memory = c->stage == ADDING;
    if (st) return st;
    c->stage = FAILED; /* until it has not */
    st = cau_cluster_run(&c->work, ask, user);
    if (!st) c->stage = RUN;
    return memory && st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}

/* ---- results ---- */

size_t caucus_clustering_items(const caucus_clustering *c)
{
    return c->stage == RUN ? c->work.samples.N : 0;
}

const char *caucus_clustering_item(const caucus_clustering *c, size_t item)
{
    return item < caucus_clustering_items(c)
               ? cau_alphabet_name(c->work.items.items, (uint32_t)item).s
               : NULL;
}

size_t caucus_clustering_clusters(const caucus_clustering *c)
{
    return c->stage == RUN ? c->work.consensus.K : 0;
}

const uint32_t *caucus_clustering_assignment(const caucus_clustering *c)
{
    return c->stage == RUN ? c->work.consensus.z : NULL;
}

const double *caucus_clustering_certainty(const caucus_clustering *c)
{
    return c->stage == RUN ? c->work.consensus.certainty : NULL;
}

size_t caucus_clustering_samples(const caucus_clustering *c)
{
    return c->stage == RUN ? c->work.samples.S : 0;
}

const uint32_t *caucus_clustering_sample(const caucus_clustering *c, size_t sample)
{
    const cau_partitions *samples = &c->work.samples;
    return sample < caucus_clustering_samples(c) ? samples->z + sample * samples->N : NULL;
}

size_t caucus_clustering_answers(const caucus_clustering *c)
{
    return c->stage == RUN ? cau_links_count(c->work.links) - c->work.first_answer : 0;
}

caucus_answered caucus_clustering_answer(const caucus_clustering *c, size_t index)
{
    if (index >= caucus_clustering_answers(c)) return (caucus_answered){0, 0, false};
    const cau_link link = cau_links_at(c->work.links, c->work.first_answer + index);
    return (caucus_answered){link.a, link.b, link.together > .5};
}

double caucus_clustering_score(const caucus_clustering *c, const char *measure)
{
    if (c->stage != RUN || !c->work.gold) return NAN;
    return cau_cluster_measure_get(&c->work.milestone[c->work.milestones - 1].measures, measure);
}

/* The results need a context for their failures: a view of the work that has it. */
static cau_cluster_work work_with(caucus_ctx *ctx, const caucus_clustering *c)
{
    cau_cluster_work work = c->work;
    work.ctx = ctx;
    return work;
}

static caucus_status check_run(caucus_ctx *ctx, const caucus_clustering *c)
{
    return c->stage == RUN ? CAUCUS_OK
                           : cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                                      "the clustering has not run; call caucus_clustering_run");
}

caucus_status caucus_clustering_write(caucus_ctx *ctx, const caucus_clustering *c,
                                      caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_cluster_work work = work_with(ctx, c);
    cau_writer writer = {.ctx = ctx, .write = write, .user = user};
    TRY(check_run(ctx, c));
    TRY(cau_cluster_report(&work, &writer));
    TRY(cau_writer_flush(&writer, true));
done:
    cau_writer_clear(&writer);
    return st;
}

caucus_status caucus_clustering_model(caucus_ctx *ctx, const caucus_clustering *c,
                                      caucus_model **out)
{
    cau_cluster_work work = work_with(ctx, c);
    const caucus_status st = check_run(ctx, c);
    return st ? st : cau_cluster_model(&work, out);
}
