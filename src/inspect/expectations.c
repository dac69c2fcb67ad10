/* expectations.c - counts in the data and expectations of the model, feature by feature.
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
 * Features are listed in order of first occurrence in the data, whether the model has them or not;
 * "(default)", which is always 1, comes first if the model has default weights. An explicit feature
 * f_k(x_i,y) has one weight and one row: raw sums over f_k(x_i,y_i), model over all classes. Of a
 * megam file only the training part counts. Models of sequences are refused.
 *
 * The text is a table with tabs. As JSON:
 *     {"format": 1, "classes": [LABEL, ...], "instances": ..., "weight": N, "entropy": ...,
 *      "log-likelihood": ..., "features": [
 *       {"feature": NAME, "raw": [a number for each class], "empirical": [...],
 *        "model": [...], "difference": [...]}, ...]}
 * with a line for each feature, and lists of one number for explicit features. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "inspect/inspect.h"
#include "math/kernels.h"

/* Sums over the data. */
typedef struct {
    const caucus_model *model;
    cau_named_scorer scorer;
    size_t K;         /* features so far */
    double *raw;      /* [K][width] sum of c f [y_i = y] */
    double *expected; /* [K][width] sum of c f p */
    size_t raw_room, expected_room;
    double *class_raw, *class_expected; /* [Y] for the default feature */
    double *p;                          /* [Y] of the current instance */
    size_t instances;
    double weight, entropy, likelihood;
} expectation_sums;

/* Makes room for all names read so far. */
static bool grow_sums(expectation_sums *a)
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
static void add_for_classes(double *raw, double *expected, size_t Y, const double *p, uint32_t gold,
                            double f)
{
    raw[gold] += f;
    for (size_t y = 0; y < Y; y++) expected[y] += f * p[y];
}

static void add_features(expectation_sums *a, uint32_t gold)
{
    const cau_indexed_instance *x = &a->scorer.instance;
    size_t Y = a->model->Y, width = a->model->nodes.width;
    for (size_t g = 0; g < x->groups; g++)
        for (size_t i = x->start[g]; i < x->start[g + 1]; i++) {
            double f = x->weight * (x->value ? (double)x->value[i] : 1);
            double *raw = a->raw + x->id[i] * width, *expected = a->expected + x->id[i] * width;
            if (width == Y) {
                add_for_classes(raw, expected, Y, a->p, gold, f);
            } else { /* the features of class g alone */
                raw[0] += g == gold ? f : 0;
                expected[0] += f * a->p[g];
            }
        }
    add_for_classes(a->class_raw, a->class_expected, Y, a->p, gold, x->weight);
}

static caucus_status find_gold(caucus_ctx *ctx, const expectation_sums *a, const cau_reader *reader,
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
                        CAU_AT_ARGS(lines), CAU_SHOWN(label));
    return CAUCUS_OK;
}

static caucus_status add_instance(caucus_ctx *ctx, expectation_sums *a, const cau_reader *reader,
                                  const cau_instance *x)
{
    caucus_status st = CAUCUS_OK;
    uint32_t gold;
    TRY(find_gold(ctx, a, reader, x->label, &gold));
    TRY(cau_named_scores(ctx, &a->scorer, reader, x, a->p));
    if (!grow_sums(a)) TRY(cau_fail_memory(ctx, "the expectations"));

    double gold_score = a->p[gold], logz;
    cau_kernels_get()->softmax(1, a->model->Y, a->p, &logz);
    a->instances++;
    a->weight += x->weight;
    a->likelihood += x->weight * (gold_score - logz);
    for (size_t y = 0; y < a->model->Y; y++)
        if (a->p[y] > 0) a->entropy -= x->weight * a->p[y] * log(a->p[y]);
    add_features(a, gold);
done:
    return st;
}

static caucus_status add_file(caucus_ctx *ctx, expectation_sums *a, const cau_read_options *read,
                              const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_reader *reader = NULL;
    TRY(cau_reader_open(ctx, path, read, CAU_BY_NAME, &reader));
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

/* The numbers of feature k, or of the default feature for k = SIZE_MAX, as an object. */
static void add_row(const expectation_sums *a, size_t k, cau_tree *tree)
{
    const bool is_default = k == SIZE_MAX;
    const size_t width = is_default ? a->model->Y : a->model->nodes.width;
    const double *raw = is_default ? a->class_raw : a->raw + k * width;
    const double *expected = is_default ? a->class_expected : a->expected + k * width;
    static const char *const keys[] = {"raw", "empirical", "model", "difference"};
    cau_tree_object(tree, NULL);
    cau_tree_text(tree, "feature",
                  is_default ? CAU_STR(CAU_DEFAULT_NAME)
                             : cau_alphabet_name(a->scorer.names, (uint32_t)k));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cau_tree_array(tree, keys[i]);
        for (size_t y = 0; y < width; y++) {
            const double empirical = raw[y] / a->weight, model = expected[y] / a->weight;
            const double number[] = {raw[y], empirical, model, empirical - model};
            cau_tree_number(tree, NULL, number[i]);
        }
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

/* A line for each class. */
static void print_row(const expectation_sums *a, const json_t *row, cau_writer *out)
{
    const size_t width = json_array_size(cau_at(row, "raw"));
    for (size_t y = 0; y < width; y++) {
        char numbers[192];
        snprintf(numbers, sizeof numbers,
                 "\t{raw.%zu:.9g}\t{empirical.%zu:.9g}\t{model.%zu:.9g}\t{difference.%zu:.9g}\n", y,
                 y, y, y);
        cau_print(out, row, "{feature}\t");
        cau_strbuf_escape(&out->text, width == a->model->Y
                                          ? cau_str_of(cau_model_label(a->model, y))
                                          : CAU_STR("*"));
        cau_print(out, row, numbers);
    }
}

/* Writes the rows one by one: a tree of all rows would be many times as large as the numbers. */
static caucus_status write_rows(const expectation_sums *a, bool json, cau_writer *out)
{
    caucus_status st = CAUCUS_OK;
    const size_t first = a->model->bias ? SIZE_MAX : 0; /* SIZE_MAX + 1 is 0 */
    for (size_t k = first; !st && k != a->K; k++) {
        cau_tree row = {0};
        add_row(a, k, &row);
        st = cau_tree_status(out->ctx, &row);
        if (!st && json && k != first) cau_strbuf_add(&out->text, ",\n", 2);
        if (!st && json) cau_print_json_line(out, row.root, CAU_DIGITS_FLOAT);
        if (!st && !json) print_row(a, row.root, out);
        cau_tree_clear(&row);
        if (!st) st = cau_writer_flush(out, false);
    }
    return st;
}

static caucus_status write_expectations(const expectation_sums *a, bool json, cau_writer *out)
{
    caucus_status st = CAUCUS_OK;
    cau_tree tree = {0};
    cau_tree_object(&tree, NULL);
    cau_tree_count(&tree, "format", 1);
    cau_tree_array(&tree, "classes");
    for (size_t y = 0; y < a->model->Y; y++)
        cau_tree_string(&tree, NULL, cau_model_label(a->model, y));
    cau_tree_end(&tree);
    cau_tree_fields(&tree, {"instances", cau_json_count(a->instances)},
                    {"weight", cau_json_number(a->weight)},
                    {"entropy", cau_json_number(a->entropy)},
                    {"log-likelihood", cau_json_number(a->likelihood)});
    cau_tree_end(&tree);
    TRY(cau_tree_status(out->ctx, &tree));
    if (json) {
        cau_print_json_line(out, tree.root, CAU_DIGITS_FLOAT);
        if (out->text.n) out->text.n--; /* the closing brace comes after the rows */
        cau_print(out, tree.root, ", \"features\": [\n");
        TRY(write_rows(a, json, out));
        cau_print(out, tree.root, "\n]}\n");
    } else {
        cau_print(out, tree.root, "feature\tclass\traw\tempirical\tmodel\tdifference\n");
        TRY(write_rows(a, json, out));
        cau_print(out, tree.root,
                  "\ninstances\t{instances}\nweight\t{weight:.9g}\nentropy\t{entropy:.9g}\n"
                  "log-likelihood\t{log-likelihood:.9g}\n");
    }
done:
    cau_tree_clear(&tree);
    return st;
}

caucus_status cau_expectations(const caucus_model *model, const cau_read_options *read,
                               const char *path, bool json, cau_writer *out)
{
    caucus_ctx *ctx = out->ctx;
    caucus_status st = CAUCUS_OK;
    expectation_sums a = {.model = model};
    if (model->kind != CAU_KIND_MAXENT)
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "--expectations are about single instances, but this is a %s of "
                        "sequences; give a model of kind maxent",
                        cau_kind_name(model->kind));
    a.p = cau_vector(model->Y, sizeof *a.p);
    a.class_raw = cau_vector(model->Y, sizeof *a.class_raw);
    a.class_expected = cau_vector(model->Y, sizeof *a.class_expected);
    if (!a.p || !a.class_raw || !a.class_expected) TRY(cau_fail_memory(ctx, "the expectations"));
    TRY(cau_named_scorer_init(ctx, &a.scorer, model));
    TRY(add_file(ctx, &a, read, path));
    TRY(write_expectations(&a, json, out));
done:
    cau_named_scorer_clear(&a.scorer);
    free(a.raw);
    free(a.expected);
    free(a.class_raw);
    free(a.class_expected);
    free(a.p);
    return st;
}
