/* write_crfpp.c - a model as one of CRF++, text or binary, in the layouts of load_crfpp.c.
 *
 * The template of the model must be one of CRF++: lines U and B with %x alone, and cells that CRF++
 * finds by itself. Features are written in the order of their names, each with all its weights.
 * Plain transitions are the feature of their line. */

#include <stdlib.h>

#include "base/memory.h"
#include "peers/darts.h"
#include "peers/save_model.h"

enum { ROWS_MOST = 8, TEXT_LINE_MOST = 8191 };

/* A feature: its row among nodes or edges, or the plain transitions. */
typedef struct {
    cau_str name;
    enum { NODE, EDGE, PLAIN } of;
    size_t row;
    size_t first; /* weight */
} crfpp_entry;

typedef struct {
    const cau_peer_target *to;
    crfpp_entry *entry; /* [entries] by name */
    size_t entries;
    size_t maxid;
    cau_str plain;    /* the line of the plain transitions, or {NULL, 0} */
    cau_packed *row;  /* [Y Y] */
    float *weight;    /* [Y Y] */
    cau_strbuf lines; /* of the template that CRF++ has, U before B, each with its newline */
} crfpp_writer;

/* ---- the template ---------------------------------------------------------------------------- */

/* Whether a pattern has no macros but %x[row,column], with rows that CRF++ has. */
static bool is_pattern(cau_str line)
{
    const char *end = line.s + line.n;
    for (const char *p = line.s; (p = memchr(p, '%', (size_t)(end - p)));) {
        if (end - p < 3 || p[1] != 'x' || p[2] != '[') return false;
        p += 3;
        p += p < end && *p == '-';
        size_t digits = 0, row = 0;
        for (; p < end && *p >= '0' && *p <= '9' && digits < 9; p++, digits++)
            row = 10 * row + (size_t)(*p - '0');
        if (!digits || row > ROWS_MOST || p == end || *p++ != ',') return false;
        for (digits = 0; p < end && *p >= '0' && *p <= '9'; p++) digits++;
        if (!digits || p == end || *p++ != ']') return false;
    }
    return true;
}

static caucus_status take_template(crfpp_writer *w)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = w->to->model;
    const cau_layout_options *layout = &m->read.layout;
    if (!m->template.n) TRY(cau_peer_lacks(w->to, "data without a template"));
    if (cau_layout_chooses(layout) || layout->delimiter || layout->header)
        TRY(cau_peer_lacks(w->to, "--columns, --label, --delimiter and --header"));
    if (m->read.format != CAU_FORMAT_COLUMNS) TRY(cau_peer_lacks(w->to, "data but columns"));
    for (int edges = 0; edges < 2; edges++) {
        cau_peer_lines lines = {m->template, 0};
        cau_str line;
        while (cau_peer_next_line(&lines, &line)) {
            if (line.n == 0 || line.s[0] == '@') continue; /* groups are for training */
            const bool edge = line.s[0] == 'B';
            if ((!edge && line.s[0] != 'U') || !is_pattern(line))
                TRY(cau_peer_lacks(w->to, "templates but lines U and B with %x and rows -8 to 8"));
            if (edge != (edges == 1)) continue;
            if (edge && !w->plain.s && !memchr(line.s, '%', line.n)) w->plain = line;
            cau_strbuf_add(&w->lines, line.s, line.n);
            cau_strbuf_add(&w->lines, "\n", 1);
        }
    }
    TRY(cau_strbuf_status(w->to->ctx, &w->lines));
done:
    return st;
}

/* ---- features -------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const cau_str p = ((const crfpp_entry *)a)->name, q = ((const crfpp_entry *)b)->name;
    const int order = memcmp(p.s, q.s, p.n < q.n ? p.n : q.n);
    return order ? order : (p.n > q.n) - (p.n < q.n);
}

static caucus_status collect_features(crfpp_writer *w)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = w->to->model;
    w->entry = cau_alloc(m->nodes.K + m->edges.K + 1, sizeof *w->entry);
    if (!w->entry) TRY(cau_fail_memory(w->to->ctx, "the features of a model"));
    for (size_t k = 0; k < m->nodes.K; k++)
        w->entry[w->entries++] = (crfpp_entry){cau_model_name(&m->nodes, k), NODE, k, 0};
    for (size_t k = 0; k < m->edges.K; k++)
        w->entry[w->entries++] = (crfpp_entry){cau_model_name(&m->edges, k), EDGE, k, 0};
    if (m->transitions && w->plain.s) w->entry[w->entries++] = (crfpp_entry){w->plain, PLAIN, 0, 0};
    qsort(w->entry, w->entries, sizeof *w->entry, compare_entries);
    for (size_t i = 0; i < w->entries; i++) {
        crfpp_entry *e = &w->entry[i];
        if (e->name.n == 0 || e->name.s[0] != (e->of == NODE ? 'U' : 'B'))
            TRY(cau_peer_lacks(w->to, "features whose names do not begin with U or B"));
        e->first = w->maxid;
        w->maxid += e->of == NODE ? m->Y : m->Y * m->Y;
        if (w->maxid > INT32_MAX) TRY(cau_peer_lacks(w->to, "models of 2^31 weights and more"));
    }
done:
    return st;
}

/* All weights of a feature, with the zeros; *count is their number. */
static const float *weights_of(const crfpp_writer *w, const crfpp_entry *e, size_t *count)
{
    const caucus_model *m = w->to->model;
    *count = e->of == NODE ? m->Y : m->Y * m->Y;
    if (e->of == PLAIN) return m->transitions;
    memset(w->weight, 0, *count * sizeof *w->weight);
    const size_t n = cau_row_weights(e->of == NODE ? &m->nodes : &m->edges, e->row, w->row);
    for (size_t i = 0; i < n; i++) w->weight[w->row[i].cell] = w->row[i].weight;
    return w->weight;
}

static caucus_status begin_writer(crfpp_writer *w)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = w->to->model;
    w->row = cau_alloc(m->Y * m->Y, sizeof *w->row);
    w->weight = cau_alloc(m->Y * m->Y, sizeof *w->weight);
    if (!w->row || !w->weight) TRY(cau_fail_memory(w->to->ctx, "the weights of a feature"));
    if (m->kind == CAU_KIND_MEMM) TRY(cau_peer_lacks(w->to, "models of kind memm"));
    TRY(cau_check_single(w->to));
    TRY(take_template(w));
    TRY(collect_features(w));
done:
    return st;
}

static void clear_writer(crfpp_writer *w)
{
    free(w->entry);
    free(w->row);
    free(w->weight);
    cau_strbuf_clear(&w->lines);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* crf_learn -C reads short lines, and names without blanks. */
static caucus_status check_name(const crfpp_writer *w, cau_str name)
{
    if (name.n > TEXT_LINE_MOST - 12) return cau_peer_lacks(w->to, "names of 8 KB in text models");
    if (memchr(name.s, ' ', name.n) || memchr(name.s, '\t', name.n))
        return cau_peer_lacks(w->to, "names with blanks in text models (write --as crfpp)");
    return CAUCUS_OK;
}

caucus_status cau_write_crfpp_text(const cau_peer_target *to, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = to->model;
    crfpp_writer w = {.to = to};
    TRY(begin_writer(&w));
    cau_strbuf_printf(out, "version: 100\ncost-factor: 1\nmaxid: %zu\nxsize: %llu\n\n", w.maxid,
                      (unsigned long long)m->read.columns);
    for (size_t y = 0; y < m->Y; y++) cau_strbuf_printf(out, "%s\n", cau_model_label(m, y));
    cau_strbuf_printf(out, "\n%s\n", w.lines.s);
    for (size_t i = 0; i < w.entries; i++) {
        TRY(check_name(&w, w.entry[i].name));
        cau_strbuf_printf(out, "%zu ", w.entry[i].first);
        cau_strbuf_add(out, w.entry[i].name.s, w.entry[i].name.n);
        cau_strbuf_add(out, "\n", 1);
    }
    cau_strbuf_add(out, "\n", 1);
    for (size_t i = 0; i < w.entries; i++) {
        size_t count = 0;
        const float *weight = weights_of(&w, &w.entry[i], &count);
        for (size_t c = 0; c < count; c++) {
            cau_strbuf_fixed(out, (double)weight[c], 16);
            cau_strbuf_add(out, "\n", 1);
        }
    }
done:
    clear_writer(&w);
    return st;
}

/* ---- binary ---------------------------------------------------------------------------------- */

static void put_float(cau_strbuf *out, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    cau_peer_put_u32(out, bits);
}

/* Each line of a text with a NUL in place of its newline, after the size of the part. `padding`
 * makes the size a multiple of 4 together with `before` bytes. */
static void put_lines(cau_strbuf *out, cau_str lines, size_t before, bool padding)
{
    static const char zeros[4] = "";
    const size_t more = padding ? (4 - (before + lines.n) % 4) % 4 : 0, at = out->n + 4;
    cau_peer_put_u32(out, lines.n + more);
    cau_strbuf_add(out, lines.s, lines.n);
    for (size_t i = at; i < out->n; i++)
        if (out->s[i] == '\n') out->s[i] = '\0';
    cau_strbuf_add(out, zeros, more);
}

static caucus_status put_names(const crfpp_writer *w, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    cau_darts_key *key = cau_alloc(w->entries, sizeof *key);
    if (!key) TRY(CAUCUS_ERR_MEMORY);
    for (size_t i = 0; i < w->entries; i++) {
        key[i] = (cau_darts_key){w->entry[i].name, (uint32_t)w->entry[i].first};
        if (memchr(key[i].text.s, '\0', key[i].text.n))
            TRY(cau_peer_lacks(w->to, "names with a NUL"));
    }
    st = cau_darts_build(key, w->entries, out);
done:
    free(key);
    return st == CAUCUS_ERR_MEMORY ? cau_fail_memory(w->to->ctx, "the features of a model") : st;
}

caucus_status cau_write_crfpp(const cau_peer_target *to, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    const caucus_model *m = to->model;
    crfpp_writer w = {.to = to};
    cau_strbuf labels = {0}, names = {0};
    TRY(begin_writer(&w));
    for (size_t y = 0; y < m->Y; y++) cau_strbuf_printf(&labels, "%s\n", cau_model_label(m, y));
    TRY(cau_strbuf_status(to->ctx, &labels));
    TRY(put_names(&w, &names));
    if (names.n > UINT32_MAX) TRY(cau_peer_lacks(to, "models of 4 GB and more"));
    cau_peer_put_u32(out, 100);
    cau_peer_put_u32(out, 0);
    cau_peer_put_u32(out, 0);
    cau_peer_put_u32(out, 0x3FF00000); /* the cost factor 1, a double */
    cau_peer_put_u32(out, w.maxid);
    cau_peer_put_u32(out, (size_t)m->read.columns);
    cau_peer_put_u32(out, names.n);
    put_lines(out, (cau_str){labels.s, labels.n}, 0, false);
    put_lines(out, (cau_str){w.lines.s, w.lines.n}, labels.n, true);
    cau_strbuf_add(out, names.s, names.n);
    for (size_t i = 0; i < w.entries; i++) {
        size_t count = 0;
        const float *weight = weights_of(&w, &w.entry[i], &count);
        for (size_t c = 0; c < count; c++) put_float(out, weight[c]);
    }
done:
    cau_strbuf_clear(&labels);
    cau_strbuf_clear(&names);
    clear_writer(&w);
    return st;
}
