/* sample.h - what the tests of this room share: a small model in many variants, and what must be
 * found in it. */

#ifndef CAU_MODEL_SAMPLE_H
#define CAU_MODEL_SAMPLE_H

#include <string.h>

#include "model/model.h"
#include "support.h"

/* The variants, to be combined. Edges and transitions make it a CRF. */
enum {
    SAMPLE_PACKED = 1, /* few weights, so that the image is packed */
    SAMPLE_LISTED = 2, /* the tables list their cells */
    SAMPLE_EDGES = 4,
    SAMPLE_PLAIN = 8,
    SAMPLE_BIAS = 16,
    SAMPLE_TEMPLATE = 32,
    SAMPLE_VARIANTS = 64,
};

enum { SAMPLE_Y = 3, SAMPLE_NODES = 4, SAMPLE_EDGE_ROWS = 3 };

/* The third node and the first edge have no weight and must vanish. */
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

static inline cau_str sample_string(const char *s)
{
    return (cau_str){s, strlen(s)};
}

static inline cau_str sample_node(const void *self, size_t k)
{
    (void)self;
    return sample_string(sample_nodes[k]);
}

static inline cau_str sample_edge(const void *self, size_t k)
{
    (void)self;
    return sample_string(sample_edges[k]);
}

static inline cau_str sample_label(const void *self, size_t y)
{
    (void)self;
    return sample_string(sample_labels[y]);
}

/* The parts of a variant, and the arrays that they point into. */
typedef struct {
    unsigned variant;
    const double *w, *e; /* all weights, [nodes][Y] and [edges][Y*Y] */
    cau_model_parts parts;
    size_t start[2][8];
    uint32_t cell[2][64];
    double list[2][64];
} sample;

/* A full table, or the same as a list: every cell that is not zero, and some that are. */
static inline cau_model_part sample_part(sample *s, int which, const double *w, size_t rows,
                                         size_t width)
{
    cau_model_part part = {.table = {.rows = rows, .width = width}, .w = w};
    if (!(s->variant & SAMPLE_LISTED)) return part;
    size_t n = 0;
    for (size_t i = 0; i < rows * width; i++) {
        if (i % width == 0) s->start[which][i / width] = n;
        if (w[i] == 0 && i % 3) continue;
        s->cell[which][n] = (uint32_t)(i % width);
        s->list[which][n++] = w[i];
    }
    s->start[which][rows] = n;
    part.table.start = s->start[which];
    part.table.cell = s->cell[which];
    part.w = s->list[which];
    return part;
}

static inline void sample_make(sample *s, unsigned variant)
{
    memset(s, 0, sizeof *s);
    s->variant = variant;
    s->w = variant & SAMPLE_PACKED ? sample_packed_w : sample_dense_w;
    s->e = variant & SAMPLE_PACKED ? sample_packed_e : sample_dense_e;
    cau_model_parts *p = &s->parts;
    p->kind = variant & (SAMPLE_EDGES | SAMPLE_PLAIN) ? CAU_KIND_CRF : CAU_KIND_MAXENT;
    p->Y = SAMPLE_Y;
    p->nodes = sample_part(s, 0, s->w, SAMPLE_NODES, SAMPLE_Y);
    p->nodes.name = sample_node;
    if (variant & SAMPLE_EDGES)
        p->edges = sample_part(s, 1, s->e, SAMPLE_EDGE_ROWS, (size_t)SAMPLE_Y * SAMPLE_Y);
    p->edges.name = sample_edge;
    if (variant & SAMPLE_PLAIN) p->plain = sample_plain;
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

static inline void sample_check_rows(const caucus_model *m, const cau_observations *of, bool packed,
                                     const char *const *names, size_t rows, const double *w,
                                     size_t vanished)
{
    assert_int_equal(of->K, rows ? rows - 1 : 0);
    assert_true(rows == 0 || !of->dense == packed);
    for (size_t k = 0, row = 0; k < rows; k++, w += of->width) {
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
            assert_near(cau_model_weight(of, row, c), (double)(float)w[c], 0);
            assert_near(s[c], 2 * (double)(float)w[c], 0);
        }
        row++;
    }
    assert_int_equal(cau_model_find(m, of, "snow ", 5), CAU_UNKNOWN);
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
    sample_check_rows(m, &m->nodes, packed, sample_nodes, SAMPLE_NODES, s.w, 2);
    sample_check_rows(m, &m->edges, packed, sample_edges, edges ? SAMPLE_EDGE_ROWS : 0, s.e, 0);
    for (uint32_t y = 0; y < SAMPLE_Y; y++) {
        assert_string_equal(cau_model_label(m, y), sample_labels[y]);
        assert_int_equal(cau_model_label_find(m, sample_label(NULL, y)), y);
    }
    assert_int_equal(cau_model_label_find(m, (cau_str){"dr", 2}), CAU_UNKNOWN);
    assert_true(!m->plain == !s.parts.plain && !m->bias == !s.parts.bias);
    for (size_t i = 0; m->plain && i < SAMPLE_Y * SAMPLE_Y; i++)
        assert_near((double)m->plain[i], sample_plain[i], 0);
    for (size_t y = 0; m->bias && y < SAMPLE_Y; y++)
        assert_near((double)m->bias[y], sample_bias[y], 0);
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

#endif
