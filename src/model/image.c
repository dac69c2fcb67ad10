/* image.c - computes the layout of a model file (layout.h), opens and saves files. verify.c
 * verifies them. */

#include <stdlib.h>
#include <string.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/status.h"
#include "model/layout.h"

enum { ALIGN = 64 };

/* ---- layout -------------------------------------------------------------------------- */

/* Reserves a section of count items; false on overflow. */
static bool place(size_t *at, size_t *section, uint64_t count, size_t size)
{
    size_t bytes;
    *section = *at;
    if (!cau_size_mul((size_t)count, size, &bytes)) return false;
    if (!cau_size_add(bytes, ALIGN - 1, &bytes)) return false;
    return cau_size_add(*at, bytes & ~(size_t)(ALIGN - 1), at);
}

static bool place_weights(size_t *at, size_t *section, const cau_model_counts *n, uint64_t width,
                          bool packed)
{
    size_t dense;
    if (packed) return place(at, section, n->used, sizeof(cau_packed));
    return cau_size_mul((size_t)n->K, (size_t)width, &dense) &&
           place(at, section, dense, sizeof(float));
}

static bool place_slots(size_t *at, cau_model_places *o, const cau_model_counts *n, bool packed)
{
    return n->K < CAU_UNKNOWN && place(at, &o->slots, n->places, sizeof(cau_name_slot)) &&
           place(at, &o->start, packed ? n->K + 1 : 0, sizeof(uint64_t));
}

static bool place_names(size_t *at, cau_model_places *o, const cau_model_counts *n)
{
    return place(at, &o->name_at, n->K + 1, sizeof(uint64_t)) &&
           place(at, &o->names, n->name_bytes, 1);
}

/* Places all sections except the checksums. */
static bool place_sections(size_t *at, const cau_model_header *h, cau_model_layout *l)
{
    const bool nodes_packed = h->flags & CAU_MODEL_NODES_PACKED;
    const bool edges_packed = h->flags & CAU_MODEL_EDGES_PACKED;
    const uint64_t pairs = h->Y * h->Y;
    const uint64_t plain = h->flags & CAU_MODEL_TRANSITIONS ? pairs : 0;
    const uint64_t bias = h->flags & CAU_MODEL_BIAS ? h->Y : 0;
    if (!place(at, &l->label_at, h->Y + 1, sizeof(uint64_t)) ||
        !place(at, &l->labels, h->label_bytes, 1) || !place(at, &l->info, h->info_bytes, 1) ||
        !place(at, &l->template, h->template_bytes, 1) ||
        !place(at, &l->transitions, plain, sizeof(float)) ||
        !place(at, &l->bias, bias, sizeof(float)) ||
        !place_slots(at, &l->nodes, &h->nodes, nodes_packed) ||
        !place_slots(at, &l->edges, &h->edges, edges_packed))
        return false;
    l->later = *at;
    if (!place_weights(at, &l->nodes.weights, &h->nodes, h->width, nodes_packed) ||
        !place_weights(at, &l->edges.weights, &h->edges, pairs, edges_packed) ||
        !place_names(at, &l->nodes, &h->nodes) || !place_names(at, &l->edges, &h->edges))
        return false;

    cau_model_member_places *member = &l->member;
    const uint64_t gates = h->flags & CAU_MODEL_GATE ? h->members : 0;
    size_t gate;
    member->bytes = 0;
    return place_weights(&member->bytes, &member->nodes, &h->nodes, h->width, nodes_packed) &&
           place_weights(&member->bytes, &member->edges, &h->edges, pairs, edges_packed) &&
           place(&member->bytes, &member->transitions, plain, sizeof(float)) &&
           place(&member->bytes, &member->bias, bias, sizeof(float)) &&
           place(at, &l->alpha, h->members, sizeof(double)) &&
           place(at, &l->members, h->members, member->bytes) &&
           place(at, &l->gate_base, gates, sizeof(double)) &&
           cau_size_mul((size_t)h->nodes.K, (size_t)gates, &gate) &&
           place(at, &l->gate, gate, sizeof(float));
}

/* Places the sections twice, because the number of checksums before them depends on their size. */
bool cau_model_lay_out(const cau_model_header *h, cau_model_layout *l)
{
    if (h->Y >= CAU_UNKNOWN || h->members > CAU_MEMBERS_MOST) return false;
    if (h->edges.K > 0 && h->Y * h->Y >= CAU_UNKNOWN) return false; /* cells have 32 bits */
    size_t size = 0;
    if (!place_sections(&size, h, l)) return false;
    l->blocks = size / CAU_BLOCK + (size % CAU_BLOCK > 0);
    l->bytes = (sizeof *h + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!place(&l->bytes, &l->sums, l->blocks, sizeof(uint64_t))) return false;
    l->first = l->bytes;
    return place_sections(&l->bytes, h, l);
}

static cau_observations view(const caucus_model *m, const cau_model_places *at,
                             const cau_model_counts *n, uint64_t width, bool packed)
{
    const char *base = m->image;
    return (cau_observations){
        .K = (size_t)n->K,
        .width = (size_t)width,
        .slot = (const cau_name_slot *)(base + at->slots),
        .slots = (size_t)n->slots,
        .name_at = (const uint64_t *)(base + at->name_at),
        .name_bytes = base + at->names,
        .dense = packed ? NULL : (const float *)(base + at->weights),
        .start = packed ? (const uint64_t *)(base + at->start) : NULL,
        .packed = packed ? (const cau_packed *)(base + at->weights) : NULL,
        .blocks = m->blocks,
    };
}

/* The same observations with other weights. */
static cau_observations with_weights(const cau_observations *of, const char *weights)
{
    cau_observations other = *of;
    if (of->dense)
        other.dense = (const float *)weights;
    else
        other.packed = (const cau_packed *)weights;
    return other;
}

static bool view_members(caucus_model *m, const cau_model_header *h, const cau_model_layout *l)
{
    const char *base = (const char *)m->image + l->members;
    m->pool = (cau_pool){.J = h->members,
                         .combine = (cau_combine)h->combine,
                         .per = (cau_per)h->per,
                         .mix = (cau_mix)h->mix};
    m->gate = (cau_gate){NULL, NULL};
    if (h->flags & CAU_MODEL_GATE)
        m->gate = (cau_gate){(const double *)((const char *)m->image + l->gate_base),
                             (const float *)((const char *)m->image + l->gate)};
    if (h->members == 0) return true;
    m->pool.alpha = (const double *)((const char *)m->image + l->alpha);
    m->member = cau_calloc(h->members, sizeof *m->member);
    if (!m->member) return false;
    for (size_t j = 0; j < h->members; j++, base += l->member.bytes)
        m->member[j] = (cau_member){
            .nodes = with_weights(&m->nodes, base + l->member.nodes),
            .edges = with_weights(&m->edges, base + l->member.edges),
            .transitions = m->transitions ? (const float *)(base + l->member.transitions) : NULL,
            .bias = m->bias ? (const float *)(base + l->member.bias) : NULL};
    return true;
}

bool cau_model_set_views(caucus_model *m, const cau_model_header *h, const cau_model_layout *l)
{
    const char *base = m->image;
    const uint32_t flags = h->flags;
    m->kind = (cau_kind)h->kind;
    m->Y = (size_t)h->Y;
    m->nodes = view(m, &l->nodes, &h->nodes, h->width, flags & CAU_MODEL_NODES_PACKED);
    m->edges = view(m, &l->edges, &h->edges, h->Y * h->Y, flags & CAU_MODEL_EDGES_PACKED);
    m->read = (cau_read_options){.format = (cau_format)h->format,
                                 .ngrams = h->ngrams,
                                 .lower = flags & CAU_MODEL_LOWER,
                                 .counts = flags & CAU_MODEL_COUNTS,
                                 .values = flags & CAU_MODEL_VALUES,
                                 .comments = flags & CAU_MODEL_COMMENTS,
                                 .docstart = flags & CAU_MODEL_DOCSTART,
                                 .columns = h->columns};
    m->base = h->base;
    m->label_at = (const uint64_t *)(base + l->label_at);
    m->label_bytes = base + l->labels;
    m->info = (cau_str){base + l->info, (size_t)h->info_bytes};
    m->template = (cau_str){NULL, 0};
    if (h->template_bytes) m->template = (cau_str){base + l->template, (size_t)h->template_bytes};
    m->transitions = flags & CAU_MODEL_TRANSITIONS ? (const float *)(base + l->transitions) : NULL;
    m->bias = flags & CAU_MODEL_BIAS ? (const float *)(base + l->bias) : NULL;
    return view_members(m, h, l);
}

/* ---- the layout of columns ------------------------------------------------------------ */

/* The value of a noted option, unescaped; NULL without it. */
static caucus_status noted_option(caucus_ctx *ctx, caucus_model *m, const char *name,
                                  const char **text)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf plain = {0};
    const char *noted = cau_model_info(m, name);
    *text = NULL;
    if (!noted) return CAUCUS_OK;
    if (!cau_strbuf_unescape(&plain, cau_str_of(noted)) || plain.failed || !plain.s) goto done;
    *text = cau_arena_copy(&m->texts, plain.s, plain.n);
    if (!*text) TRY(cau_fail_memory(ctx, "the model"));
done:
    if (plain.failed) st = cau_strbuf_status(ctx, &plain);
    cau_strbuf_clear(&plain);
    return st;
}

caucus_status cau_model_read_layout(caucus_ctx *ctx, caucus_model *m)
{
    caucus_status st = CAUCUS_OK;
    cau_layout_options *layout = &m->read.layout;
    TRY(noted_option(ctx, m, "option.columns", &layout->columns));
    TRY(noted_option(ctx, m, "option.label", &layout->label));
    TRY(noted_option(ctx, m, "option.delimiter", &layout->delimiter));
    TRY(noted_option(ctx, m, "option.text", &layout->text));
    TRY(noted_option(ctx, m, "option.label-names", &layout->names));
    layout->header = cau_model_info(m, "option.header") != NULL;
    layout->no_header = cau_model_info(m, "option.no-header") != NULL;
    layout->no_quotes = cau_model_info(m, "option.no-quotes") != NULL;
    TRY(noted_option(ctx, m, "option.chars", &m->read.chars));
    m->read.tokenize = cau_model_info(m, "option.tokenize") != NULL;
    m->read.tfidf = cau_model_info(m, "option.tfidf") != NULL;
done:
    return st;
}

/* ---- files --------------------------------------------------------------------------- */

caucus_status cau_model_open(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_str file = {NULL, 0};
    caucus_model *m = NULL;
    TRY(cau_map_file(ctx, path, &file));
    m = cau_calloc(1, sizeof *m);
    if (!m) {
        cau_unmap_file(file);
        TRY(cau_fail_memory(ctx, "the model"));
    }
    m->image = (void *)(uintptr_t)file.s;
    m->bytes = file.n;
    m->mapped = true;
    TRY(cau_model_adopt(ctx, path, m));
    *out = m;
    m = NULL;
done:
    cau_model_free(m);
    return st;
}

caucus_status cau_model_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                   caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_model *m = cau_calloc(1, sizeof *m);
    if (!m) TRY(cau_fail_memory(ctx, "the model"));
    m->image = cau_alloc(length, 1);
    if (!m->image) TRY(cau_fail_memory(ctx, "the model"));
    if (length) memcpy(m->image, bytes, length);
    m->bytes = length;
    TRY(cau_model_adopt(ctx, "model bytes", m));
    *out = m;
    m = NULL;
done:
    cau_model_free(m);
    return st;
}

caucus_status cau_model_save(caucus_ctx *ctx, const caucus_model *m, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_output *file = NULL;
    TRY(cau_model_verify(ctx, m));
    TRY(cau_output_open(ctx, path, &file));
    TRY(cau_output_write(ctx, file, m->image, m->bytes));
    TRY(cau_output_commit(ctx, file));
done:
    cau_output_free(file);
    return st;
}

void cau_model_free(caucus_model *m)
{
    if (!m) return;
    if (m->mapped)
        cau_unmap_file((cau_str){m->image, m->bytes});
    else
        free(m->image);
    cau_blocks_free(m->blocks);
    cau_arena_clear(&m->texts);
    free(m->member);
    free(m);
}
