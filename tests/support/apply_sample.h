/* apply_sample.h - tiny models with known weights, and the output of `inspect` for them. */

#ifndef CAU_SUPPORT_APPLY_SAMPLE_H
#define CAU_SUPPORT_APPLY_SAMPLE_H

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "inspect/inspect.h"
#include "model/model.h"
#include "report/report.h"
#include "support/base_sample.h"
#include "support/support.h"

/* A model by its parts: names and labels separated by '|', weights [K][width]. */
typedef struct {
    cau_kind kind;
    const char *names, *labels;
    const double *w, *bias;
    bool apart;             /* one weight per feature: megam's explicit form */
    const char *edge_names; /* NULL: none */
    const double *edge_w;   /* [E][Y][Y] */
    const double *plain;    /* [Y][Y], or NULL */
    cau_read_options read;
    const char *template; /* its text, or NULL */
    const char *info;
    cau_pool pool; /* J > 0: its weighted sums replace the weights above, except in a stack */
    const cau_member_part *member;  /* [J] */
    const double *gate_base, *gate; /* [J], [K][J], or NULL */
} tiny;

/* The model that most tests use. */
static const double tiny_w[] = {
    /* a    b     c */
    1.0,  -0.5, 0.25, /* x */
    -2.0, 0.5,  1.5,  /* y */
    0.0,  3.0,  -1.0, /* z */
};
static const double tiny_bias[] = {0.125, 0, -0.25};
static const tiny text_model = {.names = "x|y|z",
                                .labels = "a|b|c",
                                .w = tiny_w,
                                .bias = tiny_bias,
                                .read = {.format = CAU_FORMAT_TEXT}};

static inline size_t tiny_count(const char *list)
{
    size_t n = *list ? 1 : 0;
    for (; *list; list++) n += *list == '|';
    return n;
}

static inline cau_str tiny_item(const char *list, size_t i)
{
    while (i--) list += strcspn(list, "|") + 1;
    return (cau_str){list, strcspn(list, "|")};
}

static inline cau_str tiny_name(const void *self, size_t k)
{
    return tiny_item(((const tiny *)self)->names, k);
}

static inline cau_str tiny_edge_name(const void *self, size_t k)
{
    return tiny_item(((const tiny *)self)->edge_names, k);
}

static inline cau_str tiny_label(const void *self, size_t y)
{
    return tiny_item(((const tiny *)self)->labels, y);
}

/* sum_j alpha_j w_j [n] of the weights at `offset` in cau_member_part; the caller frees it. NULL if
 * a member has no such weights. */
static inline double *tiny_sum(const tiny *t, size_t n, size_t offset)
{
    double *sum = calloc(n + 1, sizeof *sum);
    assert_non_null(sum);
    for (size_t j = 0; j < t->pool.J; j++) {
        const double *w = *(const double *const *)((const char *)&t->member[j] + offset);
        if (!w) {
            free(sum);
            return NULL;
        }
        for (size_t i = 0; i < n; i++) sum[i] += t->pool.alpha[j] * w[i];
    }
    return sum;
}

static inline caucus_model *tiny_model(const tiny *t)
{
    caucus_ctx *ctx = test_ctx();
    const size_t Y = tiny_count(t->labels);
    cau_template *template = NULL;
    cau_model_parts parts = {.kind = t->kind,
                             .Y = Y,
                             .nodes = {.table = {.rows = tiny_count(t->names), .width = Y},
                                       .w = t->w,
                                       .name = tiny_name},
                             .transitions = t->plain,
                             .bias = t->bias,
                             .label = tiny_label,
                             .self = t,
                             .read = t->read};
    if (t->apart) parts.nodes.table.width = 1;
    if (t->edge_names)
        parts.edges = (cau_model_part){.table = {.rows = tiny_count(t->edge_names), .width = Y * Y},
                                       .w = t->edge_w,
                                       .name = tiny_edge_name};
    if (parts.read.ngrams == 0) parts.read.ngrams = 1;
    if (t->template)
        assert_ok(ctx,
                  cau_template_parse(ctx, "template", (cau_str){t->template, strlen(t->template)},
                                     NULL, &template));
    parts.read.template = template;
    if (t->info) parts.info = (cau_str){t->info, strlen(t->info)};
    double *sums[4] = {0};
    parts.pool = t->pool;
    parts.member = t->member;
    parts.gate_base = t->gate_base;
    parts.gate = t->gate;
    if (t->pool.J && t->pool.combine != CAU_COMBINE_STACK) {
        const size_t nodes = parts.nodes.table.rows * parts.nodes.table.width;
        const size_t edges = parts.edges.table.rows * parts.edges.table.width;
        parts.nodes.w = sums[0] = tiny_sum(t, nodes, offsetof(cau_member_part, nodes));
        parts.edges.w = sums[1] = tiny_sum(t, edges, offsetof(cau_member_part, edges));
        parts.transitions = sums[2] = tiny_sum(t, Y * Y, offsetof(cau_member_part, transitions));
        parts.bias = sums[3] = tiny_sum(t, Y, offsetof(cau_member_part, bias));
    }
    caucus_model *model = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &model));
    for (size_t i = 0; i < 4; i++) free(sums[i]);
    cau_template_free(template);
    caucus_ctx_free(ctx);
    return model;
}

/* Appends what `inspect` writes for a tiny model to *out. */
static inline caucus_status tiny_inspect(caucus_ctx *ctx, const tiny *parts,
                                         const cau_inspect_options *options, cau_strbuf *out)
{
    caucus_model *model = tiny_model(parts);
    caucus_status st = cau_inspect(ctx, model, options, 1, into_text, out);
    cau_model_free(model);
    return st;
}

/* The same as JSON; the caller releases it. */
static inline json_t *tiny_json(const tiny *parts, cau_inspect_options options)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf out = {0};
    options.json = true;
    assert_ok(ctx, tiny_inspect(ctx, parts, &options, &out));
    json_t *root = json_loadb(out.s, out.n, 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "format")), 1);
    cau_strbuf_clear(&out);
    caucus_ctx_free(ctx);
    return root;
}

/* The string at `path` in a tree (report/report.h) is `want`. */
static inline void assert_text_at(const json_t *node, const char *path, const char *want)
{
    const json_t *value = cau_at(node, path);
    assert_true(json_is_string(value));
    assert_string_equal(json_string_value(value), want);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    cau_inspect_options options;
} tiny_inspection;

static inline caucus_status tiny_inspect_once(void *self)
{
    const tiny_inspection *i = self;
    cau_strbuf out = {0};
    caucus_status st = cau_inspect(i->ctx, i->model, &i->options, 1, into_text, &out);
    cau_strbuf_clear(&out);
    return st;
}

/* Fails every allocation of `inspect` in turn, for text and for JSON; there must be more than
 * `least`. */
static inline void tiny_inspect_without_memory(const tiny *parts, cau_inspect_options options,
                                               size_t least)
{
    caucus_model *model = tiny_model(parts);
    tiny_inspection i = {.ctx = test_ctx(), .model = model, .options = options};
    for (int json = 0; json < 2; json++) {
        i.options.json = json;
        assert_true(test_every_allocation(tiny_inspect_once, &i) > least);
    }
    cau_model_free(model);
    caucus_ctx_free(i.ctx);
}

#endif
