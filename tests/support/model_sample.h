/* model_sample.h - a small model in many variants, with checks of all its parts. */

#ifndef CAU_SUPPORT_MODEL_SAMPLE_H
#define CAU_SUPPORT_MODEL_SAMPLE_H

#include <string.h>

#include "model/layout.h"
#include "support/base_sample.h"

/* Bits that combine to a variant. Edges and transitions make it a CRF. */
enum {
    SAMPLE_PACKED = 1, /* few weights, so the image is packed */
    SAMPLE_LISTED = 2, /* the tables list their cells */
    SAMPLE_EDGES = 4,
    SAMPLE_PLAIN = 8,
    SAMPLE_BIAS = 16,
    SAMPLE_TEMPLATE = 32,
    SAMPLE_POOL = 64,
    SAMPLE_GATE = 128, /* only with SAMPLE_POOL */
    SAMPLE_VARIANTS = 256,
};

enum { SAMPLE_Y = 3, SAMPLE_NODES = 4, SAMPLE_EDGE_ROWS = 3, SAMPLE_J = 2 };

/* The third node and the first edge have no weights, so the model drops them; in a pool the members
 * disagree about that node, so it stays. */
static const char *const sample_nodes[SAMPLE_NODES] = {"sun", "rain:\ttab", "nothing", "snow"};
static const char *const sample_edges[SAMPLE_EDGE_ROWS] = {"nothing", "", "sun"};
static const char *const sample_labels[SAMPLE_Y] = {"dry", "wet and\tcold", "white"};
static const char sample_info[] = "solver\tlbfgs\nseed\t7\nnote\ta\\tb\n";
static const char sample_template[] = "U00:%x[0,0]\nU01:a\\b\t%x[-1,0]\n\nB\n";

static const double sample_dense_w[] = {1.5, -2, 0.25, -0.0, 3, -1, 0, 0, 0, -0.5, 0.5, 4};
static const double sample_packed_w[] = {1.5, 0, 0, 0, 3, 0, 0, -0.0, 0, 0, 0, 4};
static const double sample_dense_e[] = {0,  0, 0, 0, 0,  0, 0,  0, 0,  1,  2,  3, 4, 5,
                                        -6, 7, 8, 9, .1, 0, .3, 0, .5, .6, .7, 0, .9};
static const double sample_packed_e[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  2,  0, 0, 0,
                                         0, 0, 0, 0, 0, 0, 0, 0, 0, .6, .7, 0, 0};
static const double sample_plain[] = {1, -0.0, 0.5, -1, 0, 2, 3, 4, 5};
static const double sample_bias[] = {0.125, -0.25, -0.0};

/* Weights of the members; the second has no edge weights and no default weights. */
static const double sample_alpha[SAMPLE_J] = {0.1, 0.9};
static const double sample_dense_members[SAMPLE_J][SAMPLE_NODES * SAMPLE_Y] = {
    {-.5, 0, 1.25, 2, -0.0, .1, 0, 9, 0, 1, 1, 0}, {0, 3, 0, 0, -7, 0, 0, -1, 0, 0, .3, 5}};
static const double sample_packed_members[SAMPLE_J][SAMPLE_NODES * SAMPLE_Y] = {
    {15, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, -0.0}, {0, 0, 0, 0, .3, 0, 0, -1, 0, 2.5, 0, 4}};
static const double sample_dense_member_e[] = {0,  0,  0,  0, 0,  0, 0, -0.0, 0, 1.5, 2, 0, 4, 5,
                                               -6, .7, -8, 9, .2, 1, 3, 0,    5, 6,   7, 0, 9};
static const double sample_packed_member_e[] = {0, 0, 0, 0, 0, 0, 0, -0.0, 0, 0,  2,  0, 0, 0,
                                                0, 0, 0, 5, 0, 0, 0, 0,    0, .3, .7, 0, 0};
static const double sample_member_plain[SAMPLE_J][SAMPLE_Y * SAMPLE_Y] = {
    {1, 0, .5, -1, 0, 2, .3, 4, -5}, {0, 0, 0, -0.0, 8, 7, 6, 5, .4}};
static const double sample_member_bias[] = {1.25, -0.0, .1};

static const double sample_gate_base[SAMPLE_J] = {-0.0, 1.0 / 3};
static const double sample_gate[SAMPLE_NODES * SAMPLE_J] = {.5, -2, -0.0, 0, 0, .1, 7, 0};

static inline cau_str sample_node(const void *self, size_t k)
{
    (void)self;
    return str(sample_nodes[k]);
}

static inline cau_str sample_edge(const void *self, size_t k)
{
    (void)self;
    return str(sample_edges[k]);
}

static inline cau_str sample_label(const void *self, size_t y)
{
    (void)self;
    return str(sample_labels[y]);
}

/* The parts of a variant and the arrays they point into. */
typedef struct {
    unsigned variant;
    /* all weights, [nodes][Y] and [edges][Y*Y]: the model's, then those of each member or NULL */
    const double *w[1 + SAMPLE_J], *e[1 + SAMPLE_J];
    cau_model_parts parts;
    cau_member_part member[SAMPLE_J];
    size_t start[2][8];
    uint32_t cell[2][64];
    double list[2][1 + SAMPLE_J][64];
} sample;

/* A full table, or a list with all nonzero cells and some zero ones. A list also replaces the
 * weights: w then points to the listed ones. */
static inline cau_table sample_table(sample *s, int which, const double *w[1 + SAMPLE_J],
                                     size_t rows, size_t width)
{
    cau_table table = {.rows = rows, .width = width};
    if (!(s->variant & SAMPLE_LISTED)) return table;
    size_t n = 0;
    for (size_t i = 0; i < rows * width; i++) {
        bool zero = true;
        for (size_t v = 0; v <= SAMPLE_J; v++) zero &= !w[v] || w[v][i] == 0;
        if (i % width == 0) s->start[which][i / width] = n;
        if (zero && i % 3) continue;
        s->cell[which][n] = (uint32_t)(i % width);
        for (size_t v = 0; v <= SAMPLE_J; v++) s->list[which][v][n] = w[v] ? w[v][i] : 0;
        n++;
    }
    s->start[which][rows] = n;
    for (size_t v = 0; v <= SAMPLE_J; v++)
        if (w[v]) w[v] = s->list[which][v];
    table.start = s->start[which];
    table.cell = s->cell[which];
    return table;
}

static inline void sample_pool(sample *s, const double *const *w, const double *const *e)
{
    for (size_t j = 0; j < SAMPLE_J; j++)
        s->member[j] = (cau_member_part){
            .nodes = w[1 + j], .edges = e[1 + j], .transitions = sample_member_plain[j]};
    s->member[0].bias = sample_member_bias;
    s->parts.pool = (cau_pool){.J = SAMPLE_J,
                               .combine = CAU_COMBINE_MIXTURE,
                               .per = CAU_PER_TRANSITION,
                               .mix = CAU_MIX_RESCORE,
                               .alpha = sample_alpha};
    s->parts.member = s->member;
    if (!(s->variant & SAMPLE_GATE)) return;
    s->parts.gate_base = sample_gate_base;
    s->parts.gate = sample_gate;
}

static inline void sample_make(sample *s, unsigned variant)
{
    memset(s, 0, sizeof *s);
    s->variant = variant;
    const bool packed = variant & SAMPLE_PACKED;
    s->w[0] = packed ? sample_packed_w : sample_dense_w;
    s->e[0] = packed ? sample_packed_e : sample_dense_e;
    if (variant & SAMPLE_POOL) {
        for (size_t j = 0; j < SAMPLE_J; j++)
            s->w[1 + j] = packed ? sample_packed_members[j] : sample_dense_members[j];
        s->e[1] = packed ? sample_packed_member_e : sample_dense_member_e;
    }
    const double *w[1 + SAMPLE_J], *e[1 + SAMPLE_J];
    memcpy(w, s->w, sizeof w);
    memcpy(e, s->e, sizeof e);
    cau_model_parts *p = &s->parts;
    p->kind = variant & (SAMPLE_EDGES | SAMPLE_PLAIN) ? CAU_KIND_CRF : CAU_KIND_MAXENT;
    p->Y = SAMPLE_Y;
    p->nodes.table = sample_table(s, 0, w, SAMPLE_NODES, SAMPLE_Y);
    p->nodes.name = sample_node;
    p->nodes.w = w[0];
    if (variant & SAMPLE_EDGES)
        p->edges.table = sample_table(s, 1, e, SAMPLE_EDGE_ROWS, (size_t)SAMPLE_Y * SAMPLE_Y);
    p->edges.name = sample_edge;
    p->edges.w = e[0];
    if (variant & SAMPLE_POOL) sample_pool(s, w, e);
    if (variant & SAMPLE_PLAIN) p->transitions = sample_plain;
    if (variant & SAMPLE_BIAS) p->bias = sample_bias;
    p->label = sample_label;
    p->read = (cau_read_options){.format = CAU_FORMAT_TEXT, .ngrams = 2, .lower = true};
    if (variant & SAMPLE_TEMPLATE) {
        p->read = (cau_read_options){
            .format = CAU_FORMAT_COLUMNS, .ngrams = 1, .docstart = true, .columns = 2};
        p->template = (cau_str){sample_template, sizeof sample_template - 1};
    }
    p->info = (cau_str){sample_info, sizeof sample_info - 1};
}

static inline caucus_model *sample_build(caucus_ctx *ctx, unsigned variant)
{
    sample s;
    sample_make(&s, variant);
    caucus_model *model = NULL;
    assert_ok(ctx, cau_model_build(ctx, &s.parts, &model));
    return model;
}

/* ---- what must be found in it --------------------------------------------------------- */

enum { SAMPLE_ALL_STAY = 100 }; /* row number that means: no row was dropped */

/* w [rows][width], or NULL: all zero. */
static inline void sample_check_rows(const caucus_model *m, const cau_observations *of, bool packed,
                                     const char *const *names, size_t rows, const double *w,
                                     size_t vanished)
{
    assert_int_equal(of->K, rows ? rows - (vanished < rows) : 0);
    assert_true(rows == 0 || !of->dense == packed);
    for (size_t k = 0, row = 0; k < rows; k++) {
        size_t n = strlen(names[k]);
        uint32_t found = cau_model_find(m, of, names[k], n);
        assert_int_equal(found, k == vanished ? CAU_UNKNOWN : row);
        if (k == vanished) continue;
        cau_str name = cau_model_name(of, row);
        assert_int_equal(name.n, n);
        assert_memory_equal(name.s, names[k], n);
        double s[SAMPLE_Y * SAMPLE_Y] = {0};
        float two = 2;
        cau_model_add(of, 1, &found, &two, s);
        for (size_t c = 0; c < of->width; c++) {
            const double want = w ? (double)(float)w[k * of->width + c] : 0;
            assert_near(cau_model_weight(of, row, c), want, 0);
            assert_near(s[c], 2 * want, 0);
        }
        row++;
    }
    assert_int_equal(cau_model_find(m, of, "snow ", 5), CAU_UNKNOWN);
}

/* `want` NULL: all are zero. */
static inline void sample_check_floats(const float *x, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_near((double)x[i], want ? (double)(float)want[i] : 0, 0);
}

static inline void sample_check_pool(const caucus_model *m, const sample *s)
{
    const size_t edge_rows = s->variant & SAMPLE_EDGES ? SAMPLE_EDGE_ROWS : 0;
    const bool packed = s->variant & SAMPLE_PACKED;
    const cau_pool *pool = &m->pool, *want = &s->parts.pool;
    assert_int_equal(pool->J, want->J);
    assert_true(!pool->alpha == !pool->J && !m->member == !pool->J);
    assert_true(pool->combine == want->combine && pool->per == want->per && pool->mix == want->mix);
    for (size_t j = 0; j < pool->J; j++) {
        const cau_member *member = &m->member[j];
        assert_true(pool->alpha[j] == sample_alpha[j]);
        sample_check_rows(m, &member->nodes, packed, sample_nodes, SAMPLE_NODES, s->w[1 + j],
                          SAMPLE_ALL_STAY);
        sample_check_rows(m, &member->edges, packed, sample_edges, edge_rows, s->e[1 + j], 0);
        assert_true(!member->transitions == !m->transitions && !member->bias == !m->bias);
        assert_true(member->nodes.slot == m->nodes.slot && member->nodes.start == m->nodes.start);
        assert_true(member->nodes.name_bytes == m->nodes.name_bytes);
        if (member->transitions)
            sample_check_floats(member->transitions, sample_member_plain[j], SAMPLE_Y * SAMPLE_Y);
        if (member->bias) sample_check_floats(member->bias, s->member[j].bias, SAMPLE_Y);
    }
    assert_true(!m->gate.base == !s->parts.gate_base && !m->gate.weight == !m->gate.base);
    if (!m->gate.base) return;
    assert_memory_equal(m->gate.base, sample_gate_base, sizeof sample_gate_base);
    sample_check_floats(m->gate.weight, sample_gate, m->nodes.K * pool->J);
}

static inline void sample_check(const caucus_model *m, unsigned variant)
{
    sample s;
    sample_make(&s, variant);
    bool packed = variant & SAMPLE_PACKED, edges = variant & SAMPLE_EDGES;
    assert_int_equal(m->kind, s.parts.kind);
    assert_int_equal(m->Y, SAMPLE_Y);
    assert_int_equal(m->nodes.width, SAMPLE_Y);
    assert_int_equal(m->edges.width, SAMPLE_Y * SAMPLE_Y);
    sample_check_rows(m, &m->nodes, packed, sample_nodes, SAMPLE_NODES, s.w[0],
                      variant & SAMPLE_POOL ? SAMPLE_ALL_STAY : 2);
    sample_check_rows(m, &m->edges, packed, sample_edges, edges ? SAMPLE_EDGE_ROWS : 0, s.e[0], 0);
    sample_check_pool(m, &s);
    for (uint32_t y = 0; y < SAMPLE_Y; y++) {
        assert_string_equal(cau_model_label(m, y), sample_labels[y]);
        assert_int_equal(cau_model_label_find(m, sample_label(NULL, y)), y);
    }
    assert_int_equal(cau_model_label_find(m, (cau_str){"dr", 2}), CAU_UNKNOWN);
    assert_true(!m->transitions == !s.parts.transitions && !m->bias == !s.parts.bias);
    if (m->transitions) sample_check_floats(m->transitions, sample_plain, SAMPLE_Y * SAMPLE_Y);
    if (m->bias) sample_check_floats(m->bias, sample_bias, SAMPLE_Y);
    assert_int_equal(m->template.n, s.parts.template.n);
    if (m->template.n) assert_memory_equal(m->template.s, sample_template, m->template.n);
    assert_true(!m->template.s == !m->template.n);
    const cau_read_options *read = &m->read, *want = &s.parts.read;
    assert_true(read->format == want->format && read->ngrams == want->ngrams);
    assert_true(read->lower == want->lower && read->counts == want->counts);
    assert_true(read->values == want->values && read->comments == want->comments);
    assert_true(read->docstart == want->docstart && read->columns == want->columns);
    assert_string_equal(cau_model_info(m, "solver"), "lbfgs");
    assert_string_equal(cau_model_info(m, "note"), "a\\tb");
    assert_null(cau_model_info(m, "7"));
}

/* Recomputes the checksums of a changed image, unless its header claims another size. Imitates a
 * malicious file. */
static inline void sample_seal(void *image, size_t bytes)
{
    cau_model_header h;
    cau_model_layout l;
    memcpy(&h, image, sizeof h);
    if (cau_model_lay_out(&h, &l) && l.bytes == bytes) cau_model_seal(image, &l);
}

#endif
