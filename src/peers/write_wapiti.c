/* write_wapiti.c - a model as one of Wapiti, in the layout of load_wapiti.c.
 *
 * The template of the model must be one of Wapiti: lines u, b and * with %x %X %m %M %t %T. Wapiti
 * applies these macros to bytes. So a model of a template without @bytes is written only if all its
 * names are ASCII. */

#include <stdlib.h>

#include "base/memory.h"
#include "peers/save_model.h"

typedef struct {
    const cau_peer_target *to;
    cau_strbuf patterns, names, weights; /* parts of the file */
    size_t pattern_count, name_count;
    uint64_t next, active; /* number of the next weight; weights that are not 0 */
    size_t columns;
    cau_str plain; /* the pattern of the plain transitions, or {NULL, 0} */
    bool plain_done;
    bool bytes, other; /* @bytes; macros but %x */
    cau_packed *row;   /* [Y Y] */
} wapiti_writer;

static void put_string(cau_strbuf *out, cau_str text)
{
    cau_strbuf_printf(out, "%zu:", text.n);
    cau_strbuf_add(out, text.s, text.n);
    cau_strbuf_add(out, ",\n", 2);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Whether Wapiti has the macros of a pattern. */
static bool is_pattern(wapiti_writer *w, cau_str line)
{
    if (!strchr("ub*", line.s[0])) return false;
    for (size_t i = 0; i < line.n; i++) {
        if (line.s[i] == '#') return false;
        if (line.s[i] != '%') continue;
        if (i + 2 >= line.n || !line.s[i + 1] || !strchr("xXmMtT", line.s[i + 1]) ||
            line.s[i + 2] != '[')
            return false;
        w->other = w->other || line.s[i + 1] != 'x';
    }
    return true;
}

static caucus_status take_patterns(wapiti_writer *w)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = w->to->model;
    const cau_layout_options *layout = &m->read.layout;
    cau_peer_lines lines = {m->template, 0};
    cau_str line;
    cau_template *compiled = NULL;
    if (!m->template.n) TRY(cau_peer_lacks(w->to, "data without a template"));
    if (cau_layout_chooses(layout) || layout->delimiter || layout->header)
        TRY(cau_peer_lacks(w->to, "--columns, --label, --delimiter and --header"));
    if (m->read.format != CAU_FORMAT_COLUMNS) TRY(cau_peer_lacks(w->to, "data but columns"));
    while (cau_peer_next_line(&lines, &line)) {
        w->bytes = w->bytes || cau_peer_is(line, "@bytes");
        if (line.n == 0 || line.s[0] == '@') continue; /* groups are for training */
        if (!is_pattern(w, line))
            TRY(cau_peer_lacks(w->to, "templates but lines u, b and * with %x %X %m %M %t %T"));
        const bool plain = line.s[0] != 'u' && !memchr(line.s, '%', line.n);
        if (plain && (!w->plain.s || line.s[0] == 'b')) w->plain = line;
        put_string(&w->patterns, line);
        w->pattern_count++;
    }
    TRY(cau_template_parse(w->to->ctx, "the template of the model", m->template, NULL, &compiled));
    w->columns = cau_template_columns(compiled);
    TRY(cau_strbuf_status(w->to->ctx, &w->patterns));
done:
    cau_template_free(compiled);
    return st;
}

/* ---- observations ---------------------------------------------------------------------------- */

static bool is_ascii(cau_str s)
{
    bool ascii = true;
    for (size_t i = 0; i < s.n; i++) ascii = ascii && (unsigned char)s.s[i] < 0x80;
    return ascii;
}

static caucus_status begin_observation(wapiti_writer *w, cau_str name, const char *letters)
{
    if (name.n == 0 || !strchr(letters, name.s[0]))
        return cau_peer_lacks(w->to, "features whose names do not begin with u, b or *");
    if (w->other && !w->bytes && !is_ascii(name))
        return cau_peer_lacks(w->to, "macros of characters beyond ASCII (train with @bytes as the "
                                     "first line of the template)");
    put_string(&w->names, name);
    w->name_count++;
    return CAUCUS_OK;
}

static void put_weight(wapiti_writer *w, size_t cell, float x)
{
    if (x == 0) return;
    cau_strbuf_printf(&w->weights, "%llu=", (unsigned long long)(w->next + cell));
    cau_strbuf_hex(&w->weights, (double)x);
    cau_strbuf_add(&w->weights, "\n", 1);
    w->active++;
}

/* The weights of a row; CAU_UNKNOWN is one of zeros. */
static void put_row(wapiti_writer *w, const cau_observations *of, uint32_t k, size_t width)
{
    const size_t n = k == CAU_UNKNOWN ? 0 : cau_row_weights(of, k, w->row);
    for (size_t i = 0; i < n; i++) put_weight(w, w->row[i].cell, w->row[i].weight);
    w->next += width;
}

static bool is_plain(const wapiti_writer *w, cau_str name)
{
    return w->plain.s && name.n == w->plain.n && memcmp(name.s, w->plain.s, name.n) == 0;
}

/* The weights of two labels of an observation * or b. */
static void put_edges(wapiti_writer *w, cau_str name)
{
    const caucus_model *m = w->to->model;
    const size_t cells = m->Y * m->Y;
    if (is_plain(w, name)) {
        for (size_t c = 0; m->transitions && c < cells; c++) put_weight(w, c, m->transitions[c]);
        w->next += cells;
        w->plain_done = true;
        return;
    }
    const uint32_t k = m->edges.K ? cau_model_find(m, &m->edges, name.s, name.n) : CAU_UNKNOWN;
    put_row(w, &m->edges, k, cells);
}

static caucus_status put_observations(wapiti_writer *w)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = w->to->model;
    for (size_t k = 0; k < m->nodes.K; k++) {
        const cau_str name = cau_model_name(&m->nodes, k);
        TRY(begin_observation(w, name, "u*"));
        put_row(w, &m->nodes, (uint32_t)k, m->Y);
        if (name.s[0] == '*') put_edges(w, name);
    }
    for (size_t k = 0; k < m->edges.K; k++) {
        const cau_str name = cau_model_name(&m->edges, k);
        const bool both = name.n && name.s[0] == '*';
        if (both && cau_model_find(m, &m->nodes, name.s, name.n) != CAU_UNKNOWN) continue;
        TRY(begin_observation(w, name, "b*"));
        if (both) put_row(w, &m->nodes, CAU_UNKNOWN, m->Y);
        put_edges(w, name);
    }
    if (w->plain.s && !w->plain_done) {
        TRY(begin_observation(w, w->plain, "b*"));
        if (w->plain.s[0] == '*') put_row(w, &m->nodes, CAU_UNKNOWN, m->Y);
        put_edges(w, w->plain);
    }
done:
    return st;
}

/* ---- all of it ------------------------------------------------------------------------------- */

caucus_status cau_write_wapiti(const cau_peer_target *to, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = to->model;
    wapiti_writer w = {.to = to, .row = cau_alloc(m->Y * m->Y, sizeof *w.row)};
    if (!w.row) TRY(cau_fail_memory(to->ctx, "the weights of a feature"));
    TRY(cau_check_single(to));
    TRY(take_patterns(&w));
    TRY(put_observations(&w));
    TRY(cau_strbuf_status(to->ctx, &w.names));
    TRY(cau_strbuf_status(to->ctx, &w.weights));
    cau_strbuf_printf(out, "#mdl#%d#%llu\n#rdr#%zu/%zu/0\n", (int)m->kind,
                      (unsigned long long)w.active, w.pattern_count, w.columns ? w.columns - 1 : 0);
    cau_strbuf_add(out, w.patterns.s, w.patterns.n);
    cau_strbuf_printf(out, "#qrk#%zu\n", m->Y);
    for (size_t y = 0; y < m->Y; y++) put_string(out, cau_str_of(cau_model_label(m, y)));
    cau_strbuf_printf(out, "#qrk#%zu\n", w.name_count);
    cau_strbuf_add(out, w.names.s, w.names.n);
    cau_strbuf_add(out, w.weights.s, w.weights.n);
done:
    free(w.row);
    cau_strbuf_clear(&w.patterns);
    cau_strbuf_clear(&w.names);
    cau_strbuf_clear(&w.weights);
    return st;
}
