/* expectations.c - what the data says and what the model expects, feature by feature.
 *
 * For each (feature k, class y), over N = sum_i c_i weighted instances (MATH A.1):
 *     raw         sum_i c_i f_k(x_i) [y_i = y]
 *     empirical   raw / N
 *     model       sum_i c_i f_k(x_i) p(y|x_i) / N
 *     difference  empirical - model: the gradient of the mean log-likelihood, 0 at its optimum
 * and for the model as a whole
 *     entropy         -1/N sum_i c_i sum_y p(y|x_i) log p(y|x_i), in nats
 *     log-likelihood  sum_i c_i log p(y_i|x_i)
 *
 * Features are those of the data in the order of their coming, whether the model knows them
 * or not; before them stands "(default)", which is always 1, if the model has default weights.
 * Where features were given for each class apart, f_k(x_i,y), a feature has one weight and one
 * row: raw sums over f_k(x_i,y_i), model over all classes. Of a megam file only the training
 * part counts. Models of sequences are refused.
 *
 * As text it is a table with tabs. As JSON:
 *     {"format": 1, "classes": [LABEL, ...], "instances": ..., "weight": N, "entropy": ...,
 *      "log-likelihood": ..., "features": [
 *       {"feature": NAME, "raw": [a number for each class], "empirical": [...],
 *        "model": [...], "difference": [...]}, ...]}
 * with a feature to a line, and lists of one number for features of the explicit form. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "infer/score.h"
#include "inspect/views.h"
#include "math/kernels.h"

enum { DIGITS = 9 };

/* Sums over the data. */
typedef struct {
    const caucus_model *model;
    cau_scorer scorer;
    size_t K;         /* features so far */
    double *raw;      /* [K][width] sum of c f [y_i = y] */
    double *expected; /* [K][width] sum of c f p */
    size_t raw_room, expected_room;
    double *class_raw, *class_expected; /* [Y] the same for the default feature */
    double *p;                          /* [Y] of the instance at hand */
    size_t instances;
    double weight, entropy, likelihood;
} sums;

/* Makes room for all names that have come so far. */
static bool grow(sums *a)
{
    size_t K = cau_alphabet_size(a->scorer.names), from = a->K * a->model->nodes.width, need;
    if (K == a->K) return true;
    if (!cau_size_mul(K, a->model->nodes.width, &need) || !CAU_GROW(a->raw, a->raw_room, need) ||
        !CAU_GROW(a->expected, a->expected_room, need))
        return false;
    memset(a->raw + from, 0, (need - from) * sizeof *a->raw);
    memset(a->expected + from, 0, (need - from) * sizeof *a->expected);
    a->K = K;
    return true;
}

/* raw[gold] += f and expected[y] += f p(y) for every y. */
static void add_for_all(double *raw, double *expected, size_t Y, const double *p, uint32_t gold,
                        double f)
{
    raw[gold] += f;
    for (size_t y = 0; y < Y; y++) expected[y] += f * p[y];
}

static void add_features(sums *a, const cau_instance *x, uint32_t gold)
{
    size_t Y = a->model->Y, width = a->model->nodes.width;
    for (size_t g = 0; g < x->groups; g++)
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            double f = x->weight * (x->value ? (double)x->value[i] : 1);
            double *raw = a->raw + x->id[i] * width, *expected = a->expected + x->id[i] * width;
            if (width == Y) {
                add_for_all(raw, expected, Y, a->p, gold, f);
            } else { /* the features of class g alone */
                raw[0] += g == gold ? f : 0;
                expected[0] += f * a->p[g];
            }
        }
    add_for_all(a->class_raw, a->class_expected, Y, a->p, gold, x->weight);
}

static caucus_status find_gold(caucus_ctx *ctx, const sums *a, const cau_reader *reader,
                               cau_str label, uint32_t *gold)
{
    const cau_lines *lines = cau_reader_lines(reader);
    if (!label.s)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "no label; expectations need labelled data",
                        CAU_AT_ARGS(lines));
    *gold = cau_model_label_find(a->model, label);
    if (*gold == CAU_UNKNOWN)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the model has no class '%.*s'; correct the label or drop the line",
                        CAU_AT_ARGS(lines), (int)(label.n < 60 ? label.n : 60), label.s);
    return CAUCUS_OK;
}

static caucus_status add_instance(caucus_ctx *ctx, sums *a, const cau_reader *reader,
                                  const cau_instance *x)
{
    caucus_status st = CAUCUS_OK;
    uint32_t gold;
    TRY(find_gold(ctx, a, reader, x->label, &gold));
    TRY(cau_scorer_scores(ctx, &a->scorer, reader, x, a->p));
    if (!grow(a)) TRY(cau_fail_memory(ctx, "the expectations"));

    double gold_score = a->p[gold], logz;
    cau_kernels_get()->softmax(1, a->model->Y, a->p, &logz);
    a->instances++;
    a->weight += x->weight;
    a->likelihood += x->weight * (gold_score - logz);
    for (size_t y = 0; y < a->model->Y; y++)
        if (a->p[y] > 0) a->entropy -= x->weight * a->p[y] * log(a->p[y]);
    add_features(a, x, gold);
done:
    return st;
}

static caucus_status add_file(caucus_ctx *ctx, sums *a, const cau_read_options *read,
                              const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_reader *reader = NULL;
    TRY(cau_reader_open(ctx, path, read, cau_scorer_vocabulary(&a->scorer), &reader));
    for (;;) {
        cau_read_event event;
        cau_instance instance;
        TRY(cau_reader_next(ctx, reader, &event, &instance));
        if (event == CAU_READ_END) break;
        if (event == CAU_READ_INSTANCE && instance.part == CAU_PART_TRAIN)
            TRY(add_instance(ctx, a, reader, &instance));
    }
    if (!(a->weight > 0))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instance of any weight; give labelled data",
                     cau_lines_name(cau_reader_lines(reader))));
    a->entropy /= a->weight;
done:
    cau_reader_free(reader);
    return st;
}

/* ---- writing ------------------------------------------------------------------------- */

/* One feature and its numbers. */
typedef struct {
    cau_str name;
    size_t width;
    const double *raw, *expected;
} row;

/* Feature k; k = SIZE_MAX is the default feature. */
static row row_at(const sums *a, size_t k)
{
    if (k == SIZE_MAX)
        return (row){CAU_STR(CAU_DEFAULT_NAME), a->model->Y, a->class_raw, a->class_expected};
    size_t width = a->model->nodes.width;
    return (row){cau_alphabet_name(a->scorer.names, (uint32_t)k), width, a->raw + k * width,
                 a->expected + k * width};
}

static void add_row_text(const sums *a, row r, cau_writer *sheet)
{
    for (size_t y = 0; y < r.width; y++) {
        double empirical = r.raw[y] / a->weight, expected = r.expected[y] / a->weight;
        const char *label = r.width == a->model->Y ? cau_model_label(a->model, y) : "*";
        cau_strbuf_escape(&sheet->text, r.name);
        cau_strbuf_add(&sheet->text, "\t", 1);
        cau_strbuf_escape(&sheet->text, (cau_str){label, strlen(label)});
        const double number[] = {r.raw[y], empirical, expected, empirical - expected};
        for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
            cau_strbuf_add(&sheet->text, "\t", 1);
            cau_strbuf_general(&sheet->text, number[i], DIGITS);
        }
        cau_strbuf_add(&sheet->text, "\n", 1);
    }
}

static void add_row_json(const sums *a, row r, cau_writer *sheet)
{
    json_t *object = json_object(), *raw = json_array(), *empirical = json_array();
    json_t *expected = json_array(), *difference = json_array();
    for (size_t y = 0; y < r.width; y++) {
        double data = r.raw[y] / a->weight, model = r.expected[y] / a->weight;
        cau_writer_push(sheet, raw, json_real(r.raw[y]));
        cau_writer_push(sheet, empirical, json_real(data));
        cau_writer_push(sheet, expected, json_real(model));
        cau_writer_push(sheet, difference, json_real(data - model));
    }
    cau_writer_put(sheet, object, "feature", cau_writer_string(r.name));
    cau_writer_put(sheet, object, "raw", raw);
    cau_writer_put(sheet, object, "empirical", empirical);
    cau_writer_put(sheet, object, "model", expected);
    cau_writer_put(sheet, object, "difference", difference);
    cau_writer_json(sheet, object, true);
}

static caucus_status write_rows(const sums *a, bool json, cau_writer *sheet)
{
    caucus_status st = CAUCUS_OK;
    size_t first = a->model->bias ? SIZE_MAX : 0; /* SIZE_MAX + 1 is 0 */
    for (size_t k = first; k != a->K; k++) {
        if (json && k != first) cau_strbuf_add(&sheet->text, ",\n", 2);
        (json ? add_row_json : add_row_text)(a, row_at(a, k), sheet);
        TRY(cau_writer_flush(sheet, false));
    }
done:
    return st;
}

static caucus_status write_text(const sums *a, cau_writer *sheet)
{
    cau_strbuf_printf(&sheet->text, "feature\tclass\traw\tempirical\tmodel\tdifference\n");
    caucus_status st = write_rows(a, false, sheet);
    cau_strbuf_printf(&sheet->text, "\ninstances\t%zu\nweight\t", a->instances);
    cau_strbuf_general(&sheet->text, a->weight, DIGITS);
    cau_strbuf_printf(&sheet->text, "\nentropy\t");
    cau_strbuf_general(&sheet->text, a->entropy, DIGITS);
    cau_strbuf_printf(&sheet->text, "\nlog-likelihood\t");
    cau_strbuf_general(&sheet->text, a->likelihood, DIGITS);
    cau_strbuf_add(&sheet->text, "\n", 1);
    return st;
}

/* The rows are written one by one into the open end of the object: a tree of all of them would
 * be many times as large as the numbers. */
static caucus_status write_json(const sums *a, cau_writer *sheet)
{
    json_t *head = json_object(), *classes = json_array();
    cau_writer_put(sheet, head, "format", json_integer(1));
    for (size_t y = 0; y < a->model->Y; y++) {
        const char *label = cau_model_label(a->model, y);
        cau_writer_push(sheet, classes, cau_writer_string((cau_str){label, strlen(label)}));
    }
    cau_writer_put(sheet, head, "classes", classes);
    cau_writer_put(sheet, head, "instances", json_integer((json_int_t)a->instances));
    cau_writer_put(sheet, head, "weight", json_real(a->weight));
    cau_writer_put(sheet, head, "entropy", json_real(a->entropy));
    cau_writer_put(sheet, head, "log-likelihood", json_real(a->likelihood));
    cau_writer_json(sheet, head, true);
    if (sheet->text.n) sheet->text.n--; /* the closing brace */
    cau_strbuf_printf(&sheet->text, ", \"features\": [\n");
    caucus_status st = write_rows(a, true, sheet);
    cau_strbuf_printf(&sheet->text, "\n]}\n");
    return st;
}

caucus_status cau_expectations(const caucus_model *model, const cau_read_options *read,
                               const char *path, bool json, cau_writer *sheet)
{
    caucus_ctx *ctx = sheet->ctx;
    caucus_status st = CAUCUS_OK;
    sums a = {.model = model};
    if (model->kind != CAU_KIND_MAXENT)
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "--expectations are those of single instances, but this is a %s of "
                        "sequences; give a model of kind maxent",
                        cau_kind_name(model->kind));
    a.p = cau_vector(model->Y, sizeof *a.p);
    a.class_raw = cau_vector(model->Y, sizeof *a.class_raw);
    a.class_expected = cau_vector(model->Y, sizeof *a.class_expected);
    if (!a.p || !a.class_raw || !a.class_expected) TRY(cau_fail_memory(ctx, "the expectations"));
    TRY(cau_scorer_init(ctx, &a.scorer, model, true));
    TRY(add_file(ctx, &a, read, path));
    TRY((json ? write_json : write_text)(&a, sheet));
done:
    cau_scorer_clear(&a.scorer);
    free(a.raw);
    free(a.expected);
    free(a.class_raw);
    free(a.class_expected);
    free(a.p);
    return st;
}
