/* dump.c - a model as exact text (dump.h). */

#include "model/dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { FLUSH_AT = 1 << 16 }; /* bytes of output that are worth a write */

/* "cell:weight" of a class, or of a pair of them: `pairs` is their number Y, else 0. */
static void add_weight(cau_strbuf *text, size_t cell, size_t pairs, float w)
{
    if (w == 0) return;
    if (pairs)
        cau_strbuf_printf(text, "\t%zu>%zu:", cell / pairs, cell % pairs);
    else
        cau_strbuf_printf(text, "\t%zu:", cell);
    cau_strbuf_hex(text, (double)w);
}

static void add_weights(cau_strbuf *text, const float *w, size_t width, size_t pairs)
{
    for (size_t cell = 0; cell < width; cell++) add_weight(text, cell, pairs, w[cell]);
}

static void add_row(cau_strbuf *text, const cau_observations *of, size_t k, size_t pairs)
{
    if (of->dense) {
        add_weights(text, of->dense + k * of->width, of->width, pairs);
        return;
    }
    for (uint64_t i = of->start[k]; i < of->start[k + 1]; i++)
        add_weight(text, of->packed[i].cell, pairs, of->packed[i].weight);
}

/* A line that is taken back at its end where no weight has come. */
typedef struct {
    size_t line, bare; /* where it begins, and where the weights do */
} tentative;

static tentative begin_member(cau_strbuf *text, size_t j)
{
    tentative at = {.line = text->n};
    cau_strbuf_printf(text, "member\t%zu", j);
    at.bare = text->n;
    return at;
}

static tentative begin_gate(cau_strbuf *text)
{
    tentative at = {.line = text->n};
    cau_strbuf_add(text, "gate", 4);
    at.bare = text->n;
    return at;
}

static void end_line(cau_strbuf *text, tentative at)
{
    if (text->n == at.bare)
        text->n = at.line;
    else
        cau_strbuf_add(text, "\n", 1);
}

static void add_observation(cau_strbuf *text, const caucus_model *m, bool edges, size_t k)
{
    const cau_observations *of = edges ? &m->edges : &m->nodes;
    const size_t pairs = edges ? m->Y : 0;
    cau_strbuf_printf(text, "%s\t", edges ? "edge" : "feature");
    cau_strbuf_escape(text, cau_model_name(of, k));
    add_row(text, of, k, pairs);
    cau_strbuf_add(text, "\n", 1);
    for (size_t j = 0; j < m->pool.J; j++) {
        const tentative at = begin_member(text, j);
        add_row(text, edges ? &m->member[j].edges : &m->member[j].nodes, k, pairs);
        end_line(text, at);
    }
    if (!edges && m->gate.base) {
        const tentative at = begin_gate(text);
        add_weights(text, m->gate.weight + k * m->pool.J, m->pool.J, 0);
        end_line(text, at);
    }
}

static void add_settings(cau_strbuf *text, const caucus_model *m)
{
    const cau_read_options *read = &m->read;
    const char *key, *value;
    cau_strbuf_printf(text, CAU_DUMP_FIRST_LINE "\nkind\t%s\nformat\t%s\n", cau_kind_name(m->kind),
                      cau_format_name(read->format));
    cau_strbuf_printf(text, "ngrams\t%llu\nlower\t%d\ncounts\t%d\nvalues\t%d\n",
                      (unsigned long long)read->ngrams, read->lower, read->counts, read->values);
    cau_strbuf_printf(text, "comments\t%d\ndocstart\t%d\ncolumns\t%llu\n", read->comments,
                      read->docstart, (unsigned long long)read->columns);
    if (m->template.s) {
        cau_strbuf_add(text, "template\t", 9);
        cau_strbuf_escape(text, m->template);
        cau_strbuf_add(text, "\n", 1);
    }
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        cau_strbuf_printf(text, "info\t%s\t%s\n", key, value); /* escaped in the image already */
}

/* The rest of a line with a number for each member. */
static void add_numbers(cau_strbuf *text, const double *x, size_t J)
{
    for (size_t j = 0; j < J; j++) {
        cau_strbuf_add(text, "\t", 1);
        cau_strbuf_hex(text, x[j]);
    }
    cau_strbuf_add(text, "\n", 1);
}

static void add_pool(cau_strbuf *text, const caucus_model *m)
{
    const cau_pool *pool = &m->pool;
    if (pool->J == 0) return;
    cau_strbuf_printf(text, "pool\t%s\t%s\t%s", cau_combine_name(pool->combine),
                      cau_per_name(pool->per), cau_mix_name(pool->mix));
    add_numbers(text, pool->alpha, pool->J);
    if (!m->gate.base) return;
    cau_strbuf_add(text, "gate", 4);
    add_numbers(text, m->gate.base, pool->J);
}

static void add_default(cau_strbuf *text, float w)
{
    cau_strbuf_add(text, "\t", 1);
    cau_strbuf_hex(text, (double)w);
}

static void add_classes(cau_strbuf *text, const caucus_model *m)
{
    for (size_t y = 0; y < m->Y; y++) {
        const char *label = cau_model_label(m, y);
        cau_strbuf_add(text, "class\t", 6);
        cau_strbuf_escape(text, (cau_str){label, strlen(label)});
        if (m->bias) add_default(text, m->bias[y]);
        cau_strbuf_add(text, "\n", 1);
        for (size_t j = 0; m->bias && j < m->pool.J; j++) {
            const tentative at = begin_member(text, j);
            add_default(text, m->member[j].bias[y]);
            end_line(text, at);
        }
    }
    for (size_t y = 0; m->transitions && y < m->Y; y++) {
        cau_strbuf_printf(text, "from\t%zu", y);
        add_weights(text, m->transitions + y * m->Y, m->Y, 0);
        cau_strbuf_add(text, "\n", 1);
        for (size_t j = 0; j < m->pool.J; j++) {
            const tentative at = begin_member(text, j);
            add_weights(text, m->member[j].transitions + y * m->Y, m->Y, 0);
            end_line(text, at);
        }
    }
    cau_strbuf_printf(text, "weights\t%s\n",
                      m->nodes.width == m->Y ? CAU_DUMP_EACH_CLASS : CAU_DUMP_ALL_CLASSES);
}

static caucus_status flush(caucus_ctx *ctx, cau_strbuf *text, caucus_write_fn *write, void *user)
{
    caucus_status st = cau_strbuf_status(ctx, text);
    if (!st && text->n) st = write(user, text->s, text->n);
    text->n = 0;
    return st;
}

caucus_status cau_model_dump(caucus_ctx *ctx, const caucus_model *m, caucus_write_fn *write,
                             void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf text = {0};
    add_settings(&text, m);
    add_pool(&text, m);
    add_classes(&text, m);
    for (size_t k = 0; k < m->nodes.K; k++) {
        add_observation(&text, m, false, k);
        if (text.failed || text.n >= FLUSH_AT) TRY(flush(ctx, &text, write, user));
    }
    for (size_t k = 0; k < m->edges.K; k++) {
        add_observation(&text, m, true, k);
        if (text.failed || text.n >= FLUSH_AT) TRY(flush(ctx, &text, write, user));
    }
    cau_strbuf_printf(&text, "end\t%zu\t%zu\n", m->nodes.K, m->edges.K);
    TRY(flush(ctx, &text, write, user));
done:
    cau_strbuf_clear(&text);
    return st;
}
