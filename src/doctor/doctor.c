/* doctor.c - surveys files and reports what they hold.
 *
 *     {"data": FILE, "test": FILE or null, "findings": [...]}
 *
 * with FILE {"file", "format", "lines", "instances", "sequences" or null, "longest", "labels":
 * [{"label", "count", "share", "line"}], "scheme": {"name", "broken"} or null,
 * "columns": [{"column", "values", "mixed"}]}. */

#include "doctor/doctor.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "doctor/findings.h"

enum { LABELS_SHOWN = 40, PLACES_SHOWN = 3 };

/* ---- the tree ---------------------------------------------------------------------------- */

/* Labels by count, the most frequent first. */
typedef struct {
    const cau_survey *survey;
    size_t y;
} ranked_label;

static int compare_labels(const void *a, const void *b)
{
    const ranked_label *x = a, *z = b;
    const uint64_t n = x->survey->label[x->y].count, m = z->survey->label[z->y].count;
    return n != m ? (n < m ? 1 : -1) : (x->y > z->y) - (x->y < z->y);
}

static caucus_status add_labels(caucus_ctx *ctx, cau_tree *tree, const cau_survey *s)
{
    const size_t Y = cau_alphabet_size(s->labels);
    ranked_label *ranked = cau_alloc(Y, sizeof *ranked);
    if (!ranked) return cau_fail_memory(ctx, "the report");
    for (size_t y = 0; y < Y; y++) ranked[y] = (ranked_label){s, y};
    qsort(ranked, Y, sizeof *ranked, compare_labels);
    cau_tree_array(tree, "labels");
    for (size_t i = 0; i < Y; i++) {
        const cau_label_survey *label = &s->label[ranked[i].y];
        cau_tree_record(
            tree, NULL,
            {"label", cau_json_text(cau_alphabet_name(s->labels, (uint32_t)ranked[i].y))},
            {"count", cau_json_count(label->count)},
            {"share", cau_json_number(cau_ratio(label->count, s->instances - s->unlabelled.count))},
            {"line", cau_json_count(label->line)});
    }
    cau_tree_end(tree);
    free(ranked);
    return CAUCUS_OK;
}

static void add_columns(cau_tree *tree, const cau_survey *s)
{
    cau_tree_array(tree, "columns");
    for (size_t j = 0; j < s->columns; j++) {
        const cau_column_survey *c = &s->column[j];
        uint64_t mixed = 0;
        for (size_t v = 0; v < c->values.count; v++) mixed += c->value[v].mixed;
        cau_tree_record(tree, NULL, {"column", cau_json_count(c->number)},
                        {"values", cau_json_count(c->values.count)},
                        {"mixed", cau_json_count(mixed)});
    }
    cau_tree_end(tree);
}

static caucus_status add_survey(caucus_ctx *ctx, cau_tree *tree, const char *key,
                                const cau_survey *s)
{
    const bool sequences = cau_has_sequences(s->format);
    const size_t scheme = cau_survey_scheme(s);
    cau_tree_object(tree, key);
    cau_tree_fields(tree, {"file", cau_json_string(s->path)},
                    {"format", cau_json_string(cau_format_name(s->format))},
                    {"lines", cau_json_count(s->characters.lines)},
                    {"instances", cau_json_count(s->instances)},
                    {"sequences", sequences ? cau_json_count(s->sequences) : json_null()});
    if (sequences) {
        cau_tree_number(tree, "mean_length", cau_ratio(s->instances, s->sequences));
        cau_tree_record(tree, "longest", {"tokens", cau_json_count(s->longest)},
                        {"line", cau_json_count(s->longest_line)});
    }
    const caucus_status st = add_labels(ctx, tree, s);
    if (sequences && scheme < CAU_SCHEMES)
        cau_tree_record(tree, "scheme",
                        {"name", cau_json_string(cau_scheme_text(cau_schemes[scheme]))},
                        {"broken", cau_json_count(s->broken[scheme].count)});
    add_columns(tree, s);
    cau_tree_end(tree);
    return st;
}

/* ---- as text ----------------------------------------------------------------------------- */

static void print_survey(cau_writer *out, const json_t *file)
{
    static const cau_column columns[] = {
        {"label", "<{label}"}, {"count", "{count}"}, {"share", "{share:.2%}"}};
    json_t *labels = cau_at(file, "labels"), *first = labels;
    const size_t Y = json_array_size(labels);
    cau_print(out, file, "{file}: {format}, {lines} line{lines:|s}, ");
    if (cau_count_at(file, "sequences"))
        cau_print(out, file,
                  "{sequences} sentence{sequences:|s}, {instances} token{instances:|s} "
                  "(mean {mean_length:.1f}, longest {longest.tokens} at line "
                  "{longest.line})");
    else
        cau_print(out, file, "{instances} instance{instances:|s}");
    cau_strbuf_printf(&out->text, ", %zu label%s\n", Y, Y == 1 ? "" : "s");
    if (cau_at(file, "scheme.name")) cau_print(out, file, "labels are chunks in {scheme.name}\n");
    const json_t *cells = cau_at(file, "columns");
    for (size_t j = 0; j < json_array_size(cells); j++)
        cau_print(out, json_array_get(cells, j),
                  "column {column}: {values} value{values:|s}, {mixed} with several labels\n");
    if (Y > LABELS_SHOWN) {
        first = json_array();
        for (size_t y = 0; y < LABELS_SHOWN; y++)
            json_array_append(first, json_array_get(labels, y));
    }
    cau_print_table(out, columns, 3, first);
    if (Y > LABELS_SHOWN) {
        json_decref(first);
        cau_strbuf_printf(&out->text, "and %zu more; --json lists all\n", Y - LABELS_SHOWN);
    }
    cau_strbuf_add(&out->text, "\n", 1);
}

/* "FILE:LINE: TEXT", and the first places if there are several. */
static void print_finding(cau_writer *out, const json_t *finding)
{
    const json_t *pairs = cau_at(finding, "pairs");
    const json_t *list = pairs ? pairs : cau_at(finding, "lines");
    const size_t n = json_array_size(list), shown = n < PLACES_SHOWN ? n : PLACES_SHOWN;
    cau_print(out, finding, "{file}");
    if (n) cau_print(out, json_array_get(list, 0), pairs ? ":{1}" : ":{}");
    cau_print(out, finding, ": {text}");
    for (size_t i = 0; i < shown && (pairs || n > 1); i++) {
        cau_strbuf_printf(&out->text, "%s", i ? ", " : pairs ? " (" : " (lines ");
        cau_print(out, json_array_get(list, i), pairs ? "{1} like {0}" : "{}");
        if (i + 1 == shown)
            cau_strbuf_printf(&out->text, cau_count_at(finding, "count") > shown ? ", ...)" : ")");
    }
    cau_strbuf_add(&out->text, "\n", 1);
}

static void print_report(cau_writer *out, const json_t *root)
{
    const json_t *findings = cau_at(root, "findings");
    const size_t n = json_array_size(findings);
    print_survey(out, cau_at(root, "data"));
    if (json_is_object(cau_at(root, "test"))) print_survey(out, cau_at(root, "test"));
    cau_strbuf_printf(&out->text, n ? "%zu finding%s\n" : "no findings\n", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++) print_finding(out, json_array_get(findings, i));
}

/* ---- the command --------------------------------------------------------------------------- */

caucus_status cau_doctor(caucus_ctx *ctx, const cau_doctor_options *options,
                         const cau_read_options *read, unsigned threads, const char *path,
                         caucus_write_fn *write, void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_survey data = {0}, test = {0};
    cau_tree tree = {0};
    cau_read_options test_read = *read;
    cau_writer out = {.ctx = ctx, .write = write, .user = user};
    TRY(cau_survey_file(ctx, path, read, threads, NULL, &data));
    if (data.instances == 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, "%s: no instances; is it the right file?", data.path));
    test_read.format = data.format;
    if (options->test) TRY(cau_survey_file(ctx, options->test, &test_read, threads, &data, &test));
    cau_tree_object(&tree, NULL);
    st = add_survey(ctx, &tree, "data", &data);
    if (!st && options->test) st = add_survey(ctx, &tree, "test", &test);
    cau_tree_array(&tree, "findings");
    cau_findings_add(&tree, &data, NULL, options->rare);
    if (options->test) cau_findings_add(&tree, &test, &data, options->rare);
    cau_tree_end(&tree);
    cau_tree_end(&tree);
    if (st) goto done;
    TRY(cau_tree_status(ctx, &tree));
    if (options->json)
        cau_print_json(&out, tree.root, CAU_DIGITS_DOUBLE);
    else
        print_report(&out, tree.root);
    st = cau_writer_flush(&out, true);
done:
    cau_tree_clear(&tree);
    cau_writer_clear(&out);
    cau_survey_clear(&data);
    cau_survey_clear(&test);
    return st;
}
