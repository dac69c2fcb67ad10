/* tagging.c - models applied to files, and to sequences in memory.
 *
 *     cells ──▶ reader of columns, template ─┐
 *     text  ──▶ reader of text ──────────────┼─▶ block of keys ──▶ scorer ──▶ decoder ──▶ result
 *     features ──────────────────────────────┘
 *
 * Reader, scorer and decoder are those of tag.c, which tags files. All memory is kept from one
 * sequence to the next. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/options.h"
#include "base/key.h"
#include "base/status.h"
#include "comm/comm.h"
#include "infer/apply.h"
#include "tag/tag_setup.h"

caucus_status caucus_features(caucus_ctx *ctx, const caucus_options *options, const char *path,
                              caucus_write_fn *write, void *user)
{
    const caucus_status st = cau_options_expect(ctx, options, "features", NULL);
    return st ? st : cau_features_show(ctx, &options->data, path, write, user);
}

caucus_status caucus_tag(caucus_ctx *ctx, const caucus_model *model, const caucus_options *options,
                         const char *path, caucus_write_fn *write, void *user)
{
    cau_tag_options how = options->tag;
    const caucus_status st = cau_options_expect(ctx, options, "tag", NULL);
    how.format = options->data.read.format;
    how.layout = options->data.read.layout;
    return st ? st
              : cau_tag(ctx, model, &how, cau_options_threads(ctx, options), path, write, user);
}

/* Tags a file of this rank: rank 0 writes at once, the others keep the text. */
static caucus_status tag_own(caucus_ctx *ctx, const caucus_model *model,
                             const caucus_options *options, const char *path, cau_strbuf *text,
                             caucus_write_fn *write, void *user)
{
    if (strcmp(path, "-") == 0 && ctx->comm)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "standard input reaches one process only; name a file");
    if (ctx->rank == 0) return caucus_tag(ctx, model, options, path, write, user);
    const caucus_status st = caucus_tag(ctx, model, options, path, cau_strbuf_write, text);
    return st ? st : cau_strbuf_status(ctx, text);
}

/* Each rank tags every file in turn; rank 0 writes the texts in the order of the files. */
caucus_status caucus_tag_files(caucus_ctx *ctx, const caucus_model *model,
                               const caucus_options *options, const char *const *paths,
                               size_t count, caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    const size_t ranks = cau_comm_ranks(ctx->comm);
    cau_strbuf own = {0}, all = {0};
    for (size_t first = 0; first < count; first += ranks) {
        const size_t mine = first + ctx->rank;
        own.n = all.n = 0;
        if (mine < count) TRY(tag_own(ctx, model, options, paths[mine], &own, write, user));
        if (!ctx->comm) continue;
        st = cau_comm_gather(ctx->comm, (cau_str){own.s, own.n}, &all, NULL);
        if (st) TRY(cau_fail(ctx, st, "lost contact with the other processes"));
        if (all.n) TRY(write(user, all.s, all.n));
    }
done:
    cau_strbuf_clear(&own);
    cau_strbuf_clear(&all);
    return st;
}

/* ---- sequences in memory --------------------------------------------------------------- */

struct caucus_tagger {
    const caucus_model *model;
    cau_tag_setup setup;
    cau_scheme_name scheme;
    cau_template *template; /* of the model; NULL: it takes no cells */
    cau_labeller labeller;
    cau_reader *reader; /* of cells or text; NULL: it takes features alone */
    cau_forced_labels forced;
    cau_strbuf line; /* of the text that was added last */

    caucus_form form; /* of the sequence under way */
    size_t T;         /* its tokens */
    bool done;        /* the result is valid */

    caucus_segment *segment;
    size_t *segment_end; /* [labellings] where the segments of each end */
    size_t segment_room, end_room;
};

static caucus_status open_reader(caucus_ctx *ctx, caucus_tagger *t)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *model = t->model;
    cau_read_options read = model->read;
    if (model->template.n)
        TRY(cau_template_parse(ctx, "the template of the model", model->template, NULL,
                               &t->template));
    if (!t->template && !cau_has_text(read.format)) goto done;
    read.template = t->template;
    read.format = t->template ? CAU_FORMAT_COLUMNS : CAU_FORMAT_TEXT;
    read.layout = (cau_layout_options){0};
    TRY(cau_reader_memory(ctx, t->template ? "token" : "text", (cau_str){NULL, 0}, &read,
                          (int)model->base, &t->reader));
done:
    return st;
}

caucus_status caucus_tagger_new(caucus_ctx *ctx, const caucus_model *model,
                                const caucus_options *options, caucus_tagger **out)
{
    static const cau_tag_options standard = {0};
    caucus_status st = CAUCUS_OK;
    caucus_tagger *t = NULL;
    if (options) TRY(cau_options_expect(ctx, options, "tag", NULL));
    const cau_tag_options *how = options ? &options->tag : &standard;
    if (!model->template.n) TRY(cau_model_verify(ctx, model)); /* cells: the scorer verifies rows */
    t = cau_calloc(1, sizeof *t);
    if (!t) TRY(cau_fail_memory(ctx, "the tagger"));
    t->model = model;
    t->scheme = how->scheme;
    TRY(cau_tag_setup_init(ctx, &t->setup, model, how));
    TRY(cau_labeller_init(ctx, &t->labeller, model, &t->setup.decoder));
    cau_scorer_drop(&t->labeller.scorer, &t->setup.dropped);
    TRY(open_reader(ctx, t));
    *out = t;
    t = NULL;
done:
    caucus_tagger_free(t);
    return st;
}

void caucus_tagger_free(caucus_tagger *t)
{
    if (!t) return;
    cau_reader_free(t->reader);
    cau_labeller_clear(&t->labeller);
    cau_template_free(t->template);
    cau_tag_setup_clear(&t->setup);
    cau_forced_labels_clear(&t->forced);
    cau_strbuf_clear(&t->line);
    free(t->segment);
    free(t->segment_end);
    free(t);
}

/* ---- a sequence ------------------------------------------------------------------------ */

static void forget(caucus_tagger *t)
{
    if (t->template) cau_reader_continue(t->reader, (cau_str){NULL, 0}, 1);
    t->T = 0;
    t->done = false;
}

/* Refuses a form that the model does not take, or that the tokens before do not have. */
static caucus_status check_form(caucus_ctx *ctx, const caucus_tagger *t, caucus_form form)
{
    static const char *const names[] = {"features", "cells", "text"};
    static const char *const functions[] = {"caucus_tagger_add_features", "caucus_tagger_add_cells",
                                            "caucus_tagger_add_text"};
    const caucus_form wanted = caucus_model_form(t->model, NULL);
    if (t->model->nodes.width != t->model->Y)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "this model has features for each class apart; tag a file with caucus_tag");
    if (form != wanted && !(wanted == CAUCUS_FORM_TEXT && form == CAUCUS_FORM_FEATURES))
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "this model takes %s, not %s; pass them with %s",
                        names[wanted], names[form], functions[wanted]);
    if (t->T && t->form != form)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "this token has %s, but those before it have %s; use one form for a "
                        "sequence",
                        names[form], names[t->form]);
    return CAUCUS_OK;
}

/* Begins a token; the first also begins a sequence. */
static caucus_status begin_token(caucus_ctx *ctx, caucus_tagger *t, caucus_form form)
{
    if (t->done) forget(t);
    const caucus_status st = check_form(ctx, t, form);
    if (st || t->T) return st;
    cau_scorer_begin(&t->labeller.scorer);
    cau_forced_labels_begin(&t->forced);
    t->form = form;
    return CAUCUS_OK;
}

/* Ends a token, or forgets the sequence. */
static caucus_status end_token(caucus_tagger *t, caucus_status st)
{
    if (st)
        forget(t);
    else
        t->T++;
    return st;
}

caucus_status caucus_tagger_add_features(caucus_ctx *ctx, caucus_tagger *t,
                                         const caucus_feature *features, size_t count)
{
    caucus_status st = begin_token(ctx, t, CAUCUS_FORM_FEATURES);
    if (!st) st = cau_labeller_add(ctx, &t->labeller, features, count);
    return end_token(t, st);
}

uint64_t caucus_tagger_key(const caucus_tagger *t, uint64_t beginning, const char *bytes,
                           size_t length)
{
    return cau_key_extend((unsigned)t->model->base, beginning, bytes, length);
}

caucus_status caucus_tagger_add_keys(caucus_ctx *ctx, caucus_tagger *t,
                                     const caucus_keyed_feature *features, size_t count)
{
    caucus_status st = begin_token(ctx, t, CAUCUS_FORM_FEATURES);
    if (!st) st = cau_labeller_add_keys(ctx, &t->labeller, features, count);
    return end_token(t, st);
}

caucus_status caucus_tagger_add_cells(caucus_ctx *ctx, caucus_tagger *t, const char *const *cells,
                                      size_t count)
{
    caucus_status st = begin_token(ctx, t, CAUCUS_FORM_CELLS);
    if (!st) st = cau_reader_row(ctx, t->reader, cells, count, (cau_str){"", 0});
    return end_token(t, st);
}

/* Scores the instances that the reader has. */
static caucus_status push_all(caucus_ctx *ctx, caucus_tagger *t)
{
    caucus_status st = CAUCUS_OK;
    cau_read_event event;
    cau_instance in;
    for (;;) {
        TRY(cau_reader_next(ctx, t->reader, &event, &in));
        if (event == CAU_READ_END) break;
        TRY(cau_scorer_push(ctx, &t->labeller.scorer, t->reader, &in));
    }
done:
    return st;
}

caucus_status caucus_tagger_add_text(caucus_ctx *ctx, caucus_tagger *t, const char *text)
{
    caucus_status st = begin_token(ctx, t, CAUCUS_FORM_TEXT);
    if (!st) st = cau_reader_text(ctx, t->reader, text, &t->line);
    if (!st) st = push_all(ctx, t);
    return end_token(t, st);
}

/* Leaves the labels of the tokens before number T open. */
static caucus_status leave_open(caucus_ctx *ctx, caucus_tagger *t, size_t T)
{
    caucus_status st = CAUCUS_OK;
    const cau_instance open = {.label = {NULL, 0}};
    while (!st && t->forced.T < T)
        st = cau_forced_labels_add(ctx, &t->forced, t->model, "token", &open);
    return st;
}

caucus_status caucus_tagger_force(caucus_ctx *ctx, caucus_tagger *t, const char *labels)
{
    caucus_status st = CAUCUS_OK;
    const cau_instance given = {.label = {labels, strlen(labels)}, .number = t->T};
    if (t->model->kind == CAU_KIND_MAXENT)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "labels are forced in sequence models, and this is a maxent model"));
    if (t->done || t->T == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "there is no token to force; add it first"));
    if (t->forced.T == t->T)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                     "token:%zu: its label is forced already; write a|b to allow two", t->T));
    TRY(leave_open(ctx, t, t->T - 1));
    TRY(cau_forced_labels_add(ctx, &t->forced, t->model, "token", &given));
done:
    if (st) forget(t);
    return st == CAUCUS_ERR_FORMAT ? CAUCUS_ERR_ARGUMENT : st;
}

/* ---- the result ------------------------------------------------------------------------ */

static caucus_status list_segments(caucus_ctx *ctx, caucus_tagger *t)
{
    const cau_decoded *d = &t->labeller.decoded;
    const cau_scheme_constraints *scheme = &t->setup.scheme;
    size_t n = 0;
    if (!CAU_GROW(t->segment_end, t->end_room, d->count) ||
        !CAU_GROW(t->segment, t->segment_room, d->count * d->T))
        return cau_fail_memory(ctx, "the segments of a sequence");
    for (size_t i = 0; i < d->count; i++) {
        const uint32_t *path = d->path + i * d->T;
        for (size_t k = 0; k < d->T; k++) {
            const double p = d->segment[i * d->T + k];
            const char *label = cau_model_label(t->model, path[k]);
            cau_place place;
            cau_str type = {"", 0};
            if (p < 0) continue;
            cau_scheme_parse(t->scheme, (cau_str){label, strlen(label)}, &place, &type);
            t->segment[n++] =
                (caucus_segment){.begin = k,
                                 .end = cau_scheme_constraints_segment(scheme, path, d->T, k),
                                 .type = type.s, /* the end of the label */
                                 .probability = p};
        }
        t->segment_end[i] = n;
    }
    return CAUCUS_OK;
}

caucus_status caucus_tagger_run(caucus_ctx *ctx, caucus_tagger *t)
{
    caucus_status st = CAUCUS_OK;
    const cau_forced_labels *forced = NULL;
    if (t->done || t->T == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "a sequence without tokens; add one at least"));
    if (t->forced.T) {
        TRY(leave_open(ctx, t, t->T));
        forced = &t->forced;
    }
    if (t->form == CAUCUS_FORM_CELLS) {
        TRY(cau_reader_end_rows(ctx, t->reader));
        TRY(push_all(ctx, t));
    }
    TRY(cau_labeller_end(ctx, &t->labeller, forced));
    if (t->setup.decoder.how.segments) TRY(list_segments(ctx, t));
    t->done = true;
done:
    if (st) forget(t);
    return st;
}

size_t caucus_tagger_length(const caucus_tagger *t)
{
    return t->done ? t->T : 0;
}

size_t caucus_tagger_labellings(const caucus_tagger *t)
{
    return t->done ? t->labeller.decoded.count : 0;
}

const uint32_t *caucus_tagger_labels(const caucus_tagger *t, size_t rank)
{
    return rank < caucus_tagger_labellings(t) ? t->labeller.decoded.path + rank * t->T : NULL;
}

double caucus_tagger_probability(const caucus_tagger *t, size_t rank)
{
    if (rank >= caucus_tagger_labellings(t) || !t->setup.decoder.how.probability) return NAN;
    return t->labeller.decoded.probability[rank];
}

int caucus_tagger_certified(const caucus_tagger *t)
{
    return t->done && !t->labeller.decoded.uncertified;
}

const double *caucus_tagger_marginals(const caucus_tagger *t)
{
    return t->done && t->setup.decoder.how.marginals ? t->labeller.decoded.marginal : NULL;
}

double caucus_tagger_domain(const caucus_tagger *t, size_t token)
{
    const size_t J = t->model->pool.J;
    if (token >= caucus_tagger_length(t) || !t->model->gate.base) return NAN;
    return t->labeller.scorer.mixing[token * J + J - 1];
}

const caucus_segment *caucus_tagger_segments(const caucus_tagger *t, size_t rank, size_t *count)
{
    *count = 0;
    if (rank >= caucus_tagger_labellings(t) || !t->setup.decoder.how.segments) return NULL;
    const size_t begin = rank ? t->segment_end[rank - 1] : 0;
    *count = t->segment_end[rank] - begin;
    return t->segment + begin;
}
