/* peer_model.c - what the readers of all peers share (peer_model.h). */

#include "peers/peer_model.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alphabet.h"
#include "base/utf8.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "a model of another program");
}

caucus_status cau_peer_damaged(caucus_ctx *ctx, const cau_peer_model *m, const char *what, ...)
{
    char text[256];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    "%s: damaged %s model: %s; copy it again or train it again", m->path,
                    m->program, text);
}

caucus_status cau_peer_set_labels(caucus_ctx *ctx, cau_peer_model *m, uint64_t Y)
{
    if (Y == 0 || Y > CAU_PEER_LABELS_MOST)
        return cau_peer_damaged(ctx, m, "%llu labels, where 1 to %d are possible",
                                (unsigned long long)Y, CAU_PEER_LABELS_MOST);
    m->Y = m->width = (size_t)Y;
    m->label = cau_arena_alloc(&m->arena, m->Y, sizeof *m->label);
    if (!m->label) return no_memory(ctx);
    memset(m->label, 0, m->Y * sizeof *m->label);
    return CAUCUS_OK;
}

caucus_status cau_peer_set_transitions(caucus_ctx *ctx, cau_peer_model *m)
{
    m->transitions = cau_calloc(m->Y * m->Y, sizeof *m->transitions);
    return m->transitions ? CAUCUS_OK : no_memory(ctx);
}

caucus_status cau_peer_reserve(caucus_ctx *ctx, cau_peer_rows *rows, size_t count, size_t weights)
{
    rows->name_room = count;
    rows->start_room = count + 1;
    rows->cell_room = rows->w_room = weights;
    rows->name = cau_alloc_large(rows->name_room, sizeof *rows->name);
    rows->start = cau_alloc_large(rows->start_room, sizeof *rows->start);
    rows->cell = cau_alloc_large(rows->cell_room, sizeof *rows->cell);
    rows->w = cau_alloc_large(rows->w_room, sizeof *rows->w);
    return rows->name && rows->start && rows->cell && rows->w ? CAUCUS_OK : no_memory(ctx);
}

caucus_status cau_peer_add_row(caucus_ctx *ctx, cau_peer_rows *rows, cau_str name)
{
    if (rows->rows + 1 >= CAU_UNKNOWN || !CAU_GROW(rows->name, rows->name_room, rows->rows + 1) ||
        !CAU_GROW(rows->start, rows->start_room, rows->rows + 2))
        return no_memory(ctx);
    rows->name[rows->rows] = name;
    rows->start[rows->rows++] = rows->used;
    rows->start[rows->rows] = rows->used;
    return CAUCUS_OK;
}

caucus_status cau_peer_add_weight(caucus_ctx *ctx, cau_peer_rows *rows, uint32_t cell, double w)
{
    if (!CAU_GROW(rows->cell, rows->cell_room, rows->used + 1) ||
        !CAU_GROW(rows->w, rows->w_room, rows->used + 1))
        return no_memory(ctx);
    rows->cell[rows->used] = cell;
    rows->w[rows->used++] = w;
    rows->start[rows->rows] = rows->used;
    return CAUCUS_OK;
}

/* ---- templates ------------------------------------------------------------------------------ */

/* Compiling takes the square of the number of lines, and each feature is compared with those that
 * have no macros. Only a file made to take long has more. */
enum { PATTERNS_MOST = 4096, PLAINS_MOST = 16 };

/* A line of a template is a pattern with the macros of the program and no others. */
static caucus_status check_pattern(caucus_ctx *ctx, const cau_peer_model *m, cau_str line,
                                   const char *macros)
{
    for (size_t i = 0; i + 1 < line.n; i++)
        if (line.s[i] == '%' && (i + 2 >= line.n || !line.s[i + 1] ||
                                 !strchr(macros, line.s[i + 1]) || line.s[i + 2] != '['))
            return cau_peer_damaged(ctx, m, "a template with '%.*s'", CAU_SHOWN(line));
    return CAUCUS_OK;
}

caucus_status cau_peer_set_template(caucus_ctx *ctx, cau_peer_model *m, cau_str text,
                                    const char *macros)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf reason = {0};
    cau_template *compiled = NULL;
    cau_peer_lines lines = {text, 0};
    cau_str line;
    size_t count = 0;
    m->read.format = CAU_FORMAT_COLUMNS;
    cau_strbuf_add(&m->template, text.s, text.n);
    for (size_t i = 0; i < text.n; i++) count += text.s[i] == '\n';
    m->plain = cau_arena_alloc(&m->arena, count + 1, sizeof *m->plain);
    if (m->template.failed || !m->plain) TRY(no_memory(ctx));
    while (cau_peer_next_line(&lines, &line)) {
        TRY(check_pattern(ctx, m, line, macros));
        if (cau_peer_on_edges(line) && !memchr(line.s, '%', line.n)) m->plain[m->plains++] = line;
    }
    if (lines.number > PATTERNS_MOST || m->plains > PLAINS_MOST)
        TRY(cau_peer_damaged(ctx, m, "a template of %zu lines, %zu of them without macros",
                             lines.number, m->plains));
    st = cau_template_parse(ctx, "its template", text, NULL, &compiled);
    if (st == CAUCUS_ERR_FORMAT) { /* the first line of the message; the others show the place */
        const char *message = caucus_message(ctx);
        cau_strbuf_add(&reason, message, strcspn(message, "\n;"));
        if (!reason.failed) TRY(cau_peer_damaged(ctx, m, "%s", reason.s));
    }
    TRY(st);
    if (m->read.columns && cau_template_columns(compiled) > m->read.columns)
        TRY(cau_peer_damaged(ctx, m, "its template looks at column %zu of %llu",
                             cau_template_columns(compiled) - 1,
                             (unsigned long long)m->read.columns));
done:
    cau_template_free(compiled);
    cau_strbuf_clear(&reason);
    return st;
}

static bool is_plain(const cau_peer_model *m, cau_str name)
{
    size_t i = 0;
    while (i < m->plains && (m->plain[i].n != name.n || memcmp(m->plain[i].s, name.s, name.n) != 0))
        i++;
    return i < m->plains;
}

caucus_status cau_peer_add_observation(caucus_ctx *ctx, cau_peer_model *m, cau_str name)
{
    caucus_status st = CAUCUS_OK;
    m->on_transitions = cau_peer_on_edges(name) && is_plain(m, name);
    if (cau_peer_on_nodes(name)) TRY(cau_peer_add_row(ctx, &m->nodes, name));
    if (cau_peer_on_edges(name) && !m->on_transitions) TRY(cau_peer_add_row(ctx, &m->edges, name));
done:
    return st;
}

caucus_status cau_peer_add_node_weight(caucus_ctx *ctx, cau_peer_model *m, uint32_t y, double w)
{
    return w != 0 ? cau_peer_add_weight(ctx, &m->nodes, y, w) : CAUCUS_OK;
}

caucus_status cau_peer_add_edge_weight(caucus_ctx *ctx, cau_peer_model *m, uint32_t cell, double w)
{
    if (!m->on_transitions)
        return w != 0 ? cau_peer_add_weight(ctx, &m->edges, cell, w) : CAUCUS_OK;
    m->transitions[cell] += w;
    return CAUCUS_OK;
}

/* ---- the image --------------------------------------------------------------------------- */

static cau_str label_at(const void *self, size_t y)
{
    return ((const cau_peer_model *)self)->label[y];
}

static cau_str node_name(const void *self, size_t k)
{
    return ((const cau_peer_model *)self)->nodes.name[k];
}

static cau_str edge_name(const void *self, size_t k)
{
    return ((const cau_peer_model *)self)->edges.name[k];
}

/* Whether a file of ours can keep all these numbers. */
static bool are_finite(const double *w, size_t count)
{
    bool finite = true;
    for (size_t i = 0; w && i < count; i++) finite &= fabs(w[i]) <= (double)FLT_MAX;
    return finite;
}

static caucus_status check_labels(caucus_ctx *ctx, const cau_peer_model *m)
{
    caucus_status st = CAUCUS_OK;
    cau_alphabet *seen = NULL;
    TRY(cau_alphabet_new(ctx, &seen));
    for (size_t y = 0; y < m->Y; y++) {
        const cau_str label = m->label[y];
        if (cau_utf8_check(label.s, label.n) < label.n)
            TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                         "%s: label %zu is not UTF-8; train the model on data in UTF-8", m->path,
                         y));
        const uint32_t id = cau_alphabet_add(seen, label.s, label.n);
        if (id == CAU_UNKNOWN) TRY(no_memory(ctx));
        if (id != y) TRY(cau_peer_damaged(ctx, m, "label '%.*s' stands twice", CAU_SHOWN(label)));
    }
done:
    cau_alphabet_free(seen);
    return st;
}

/* Data is read as UTF-8 only, so other names never occur in it, unless macros cut bytes off. */
static void note_names(caucus_ctx *ctx, const cau_peer_model *m)
{
    static const char bytes[] = "@bytes\n";
    if (m->template.n && strncmp(m->template.s, bytes, strlen(bytes)) == 0) return;
    const cau_peer_rows *parts[] = {&m->nodes, &m->edges};
    size_t other = 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < parts[i]->rows; k++) {
            const cau_str name = parts[i]->name[k];
            other += cau_utf8_check(name.s, name.n) < name.n;
        }
    if (other)
        cau_note(ctx,
                 "%s: %zu names of features are not UTF-8 and do not occur in data that Caucus "
                 "reads",
                 m->path, other);
}

static cau_model_part part_of(const cau_peer_rows *rows, size_t width,
                              cau_str (*name)(const void *self, size_t k))
{
    static size_t no_rows[1];
    return (cau_model_part){.table = {.rows = rows->rows,
                                      .width = width,
                                      .start = rows->start ? rows->start : no_rows,
                                      .cell = rows->cell},
                            .w = rows->w,
                            .name = name};
}

caucus_status cau_peer_build(caucus_ctx *ctx, cau_peer_model *m, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    TRY(check_labels(ctx, m));
    if (!are_finite(m->transitions, m->Y * m->Y) || !are_finite(m->bias, m->Y) ||
        !are_finite(m->nodes.w, m->nodes.used) || !are_finite(m->edges.w, m->edges.used))
        TRY(cau_peer_damaged(ctx, m, "a weight is not finite, or above 3e38"));
    note_names(ctx, m);
    cau_strbuf_printf(&m->info, "origin\t%s\n", m->program);
    if (m->info.failed || m->template.failed) TRY(no_memory(ctx));
    if (m->read.ngrams == 0) m->read.ngrams = 1;
    const cau_model_parts parts = {.kind = m->kind,
                                   .Y = m->Y,
                                   .nodes = part_of(&m->nodes, m->width, node_name),
                                   .edges = part_of(&m->edges, m->Y * m->Y, edge_name),
                                   .transitions = m->transitions,
                                   .bias = m->bias,
                                   .label = label_at,
                                   .self = m,
                                   .read = m->read,
                                   .template = {m->template.s, m->template.n},
                                   .info = {m->info.s, m->info.n}};
    st = cau_model_build(ctx, &parts, out);
    if (st == CAUCUS_ERR_ARGUMENT) st = cau_peer_damaged(ctx, m, "two features have the same name");
done:
    return st;
}

static void clear_rows(cau_peer_rows *rows)
{
    free(rows->name);
    free(rows->start);
    free(rows->cell);
    free(rows->w);
}

void cau_peer_clear(cau_peer_model *m)
{
    cau_arena_clear(&m->arena);
    clear_rows(&m->nodes);
    clear_rows(&m->edges);
    free(m->transitions);
    free(m->bias);
    cau_strbuf_clear(&m->template);
    cau_strbuf_clear(&m->info);
}
