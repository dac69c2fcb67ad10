/* chunk_report.c - the scores of chunks as conlleval prints them, as tables, and as JSON.
 *
 * The output of conlleval is reproduced byte for byte: the same operations are made on the same
 * doubles, so that no last digit is rounded differently. The habits of the script are kept: names
 * are padded by bytes; without tokens there is no second line; a type without a name is printed
 * twice if it has gold and found chunks. There is one exception: a type called 0 keeps its name,
 * which the script drops. docs/evaluation.md describes the JSON. */

#include "eval/scores.h"

#include <math.h>
#include <string.h>

enum {
    MATRIX_WIDTH_MAX = 100, /* columns; a wider matrix is printed as a list */
    LIST_MAX = 20,
};

static void add_string(cau_writer *out, const char *text)
{
    cau_strbuf_add(&out->text, text, strlen(text));
}

static unsigned long long ull(uint64_t count)
{
    return count;
}

/* ---- conlleval ----------------------------------------------------------------------- */

/* In percent; F1 is computed from precision and recall, as in the script. */
static cau_prf percentages_of(cau_counts c)
{
    cau_prf a = {0};
    if (c.found) a.precision = 100 * (double)c.correct / (double)c.found;
    if (c.gold) a.recall = 100 * (double)c.correct / (double)c.gold;
    if (a.precision + a.recall > 0) a.f1 = 2 * a.precision * a.recall / (a.precision + a.recall);
    return a;
}

static void add_padding(cau_writer *out, cau_str name, size_t width)
{
    for (size_t n = name.n; n < width; n++) add_string(out, " ");
}

static void add_right_aligned(cau_writer *out, cau_str name, size_t width)
{
    add_padding(out, name, width);
    cau_strbuf_add(&out->text, name.s, name.n);
}

static void add_left_aligned(cau_writer *out, cau_str name, size_t width)
{
    cau_strbuf_add(&out->text, name.s, name.n);
    add_padding(out, name, width);
}

/* Precision, recall and F1, each with the text before it. */
static void add_percentages(cau_writer *out, cau_prf a, const char *const before[3])
{
    const double value[3] = {a.precision, a.recall, a.f1};
    for (size_t i = 0; i < 3; i++) {
        add_string(out, before[i]);
        cau_writer_number(out, value[i], 2, 6);
    }
}

static void write_plain_type(cau_writer *out, const cau_named_counts *type)
{
    static const char *const before[] = {": precision: ", "%; recall: ", "%; FB1: "};
    add_right_aligned(out, type->name, 17);
    add_percentages(out, percentages_of(type->counts), before);
    cau_strbuf_printf(&out->text, "  %llu\n", ull(type->counts.found));
}

static void write_latex_type(cau_writer *out, const cau_named_counts *type)
{
    static const char *const before[] = {" &  ", "\\% & ", "\\% & "};
    add_string(out, "\n");
    add_left_aligned(out, type->name, 7);
    add_percentages(out, percentages_of(type->counts), before);
    add_string(out, " \\\\");
}

static void write_types(const cau_chunk_scores *scores, cau_writer *out,
                        void (*write)(cau_writer *, const cau_named_counts *))
{
    for (size_t i = 0; i < scores->n; i++) {
        const cau_named_counts *type = &scores->type[i];
        write(out, type);
        if (type->name.n == 0 && type->counts.gold && type->counts.found) write(out, type);
    }
}

void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_writer *out, bool latex)
{
    static const char *const plain[] = {"%; precision: ", "%; recall: ", "%; FB1: "};
    static const char *const overall[] = {"Overall &  ", "\\% & ", "\\% & "};
    const cau_counts all = scores->all;
    if (latex) {
        add_string(out, "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline");
        write_types(scores, out, write_latex_type);
        add_string(out, "\\hline\n");
        add_percentages(out, percentages_of(all), overall);
        add_string(out, " \\\\\\hline\n");
        return;
    }
    cau_strbuf_printf(&out->text,
                      "processed %llu tokens with %llu phrases; found: %llu phrases; correct: "
                      "%llu.\n",
                      ull(scores->tokens), ull(all.gold), ull(all.found), ull(all.correct));
    if (scores->tokens) {
        add_string(out, "accuracy: ");
        cau_writer_number(out, 100 * (double)scores->right / (double)scores->tokens, 2, 6);
        add_percentages(out, percentages_of(all), plain);
        add_string(out, "\n");
    }
    write_types(scores, out, write_plain_type);
}

/* ---- the tree ------------------------------------------------------------------------ */

static void add_counts(cau_tree *tree, const char *key, const char *const *keys,
                       const uint64_t *counts, size_t n)
{
    cau_tree_object(tree, key);
    for (size_t i = 0; i < n; i++) cau_tree_count(tree, keys[i], counts[i]);
    cau_tree_end(tree);
}

#define CHUNK_FIELDS(c)                                                                            \
    {"support", cau_json_count((c).gold)}, {"found", cau_json_count((c).found)},                   \
    {                                                                                              \
        "correct", cau_json_count((c).correct)                                                     \
    }

static void add_tokens(cau_tree *tree, const cau_chunk_scores *s)
{
    cau_tree_record(
        tree, "tokens", {"count", cau_json_count(s->tokens)}, {"correct", cau_json_count(s->right)},
        {"accuracy", cau_json_number(cau_ratio(s->right, s->tokens))},
        {"inside", cau_json_count(s->inside)}, {"inside_correct", cau_json_count(s->right_inside)},
        {"inside_accuracy", cau_json_number(cau_ratio(s->right_inside, s->inside))});
}

static void add_types(cau_tree *tree, const cau_chunk_scores *scores)
{
    cau_tree_array(tree, "types");
    for (size_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        const cau_prf prf = cau_counts_prf(c, 0);
        cau_tree_record(tree, NULL, {"type", cau_json_text(scores->type[i].name)}, CHUNK_FIELDS(c),
                        CAU_PRF_FIELDS(prf));
    }
    cau_tree_end(tree);
}

static const char *const outcome_keys[2][CAU_CHUNK_OUTCOMES] = {
    {"right", "retyped", "misplaced", "confused", "missed"},
    {"right", "retyped", "misplaced", "confused", "spurious"}};
static const char *const end_keys[] = {"left", "right", "both"};

void cau_chunk_scores_tree(const cau_chunk_scores *scores, cau_tree *tree)
{
    static const char *const sides[] = {"gold", "predicted"};
    static const char *const spans[] = {"long", "short", "shifted"};
    static const char *const pieces[] = {"one", "split", "joined", "mixed"};
    cau_tree_object(tree, "chunks");
    cau_tree_fields(tree, {"scheme", cau_json_string(cau_scheme_text(scores->scheme))},
                    {"strict", cau_json_bool(scores->strict)}, {"raw", cau_json_bool(scores->raw)});
    add_counts(tree, "illegal", sides, scores->illegal, 2);
    add_tokens(tree, scores);
    cau_tree_fields(tree, CHUNK_FIELDS(scores->all));
    cau_tree_prf(tree, "micro", scores->micro);
    cau_tree_prf(tree, "macro", scores->macro);
    cau_tree_prf(tree, "weighted", scores->weighted);
    add_types(tree, scores);
    cau_tree_object(tree, "outcomes");
    add_counts(tree, "gold", outcome_keys[0], scores->outcome[CAU_GOLD], CAU_CHUNK_OUTCOMES);
    add_counts(tree, "found", outcome_keys[1], scores->outcome[CAU_FOUND], CAU_CHUNK_OUTCOMES);
    cau_tree_end(tree);
    cau_tree_object(tree, "misplaced");
    for (size_t e = 0; e < CAU_ENDS; e++)
        add_counts(tree, end_keys[e], spans, scores->misplaced[e], CAU_SPANS);
    add_counts(tree, "pieces", pieces, scores->pieces, CAU_PIECES);
    cau_tree_end(tree);
    cau_confusion_tree(&scores->confusion, tree, "confusion");
    cau_tree_end(tree);
}

/* ---- tables -------------------------------------------------------------------------- */

static void print_types(const json_t *chunks, cau_writer *out)
{
    static const cau_column columns[] = {
        {"chunks", "<{type}"},       {"precision", "{precision:.4f}"}, {"recall", "{recall:.4f}"},
        {"    F1", "{f1:.4f}"},      {"   support", "{support}"},      {"     found", "{found}"},
        {"   correct", "{correct}"},
    };
    const json_t *types = cau_at(chunks, "types");
    const size_t n = json_array_size(types);
    cau_text_table table = cau_text_table_begin(out, columns, 7);
    for (size_t i = 0; i < n; i++) {
        const json_t *type = json_array_get(types, i);
        const bool named = json_string_length(cau_at(type, "type")) > 0;
        cau_text_table_row(&table, named ? NULL : "(no type)", type);
    }
    json_t *micro = json_copy(cau_at(chunks, "micro")); /* the row also has the counts */
    if (json_object_update_missing(micro, (json_t *)chunks)) out->text.failed = true;
    cau_text_table_row(&table, "micro average", micro);
    cau_text_table_row(&table, "macro average", cau_at(chunks, "macro"));
    cau_text_table_row(&table, "weighted average", cau_at(chunks, "weighted"));
    cau_text_table_end(&table);
    json_decref(micro);
    cau_strbuf_printf(
        &out->text,
        "(A chunk is correct if both ends and its type are; 0/0 is shown as 0. Micro sums the "
        "counts "
        "of all\ntypes, as conlleval does; macro is the mean over the %zu type%s with chunks; "
        "weighted is the mean\nweighted by support, the number of gold chunks.)\n",
        n, n == 1 ? "" : "s");
}

static void print_scheme(const json_t *chunks, cau_writer *out)
{
    if (json_is_true(cau_at(chunks, "raw")))
        cau_print(out, chunks,
                  "(Each label is a type; each token whose label is not O is a chunk.)\n");
    else if (strcmp(json_string_value(cau_at(chunks, "scheme")), "none") == 0)
        cau_print(out, chunks,
                  "(Labels are read by their letters, without a scheme; no label is illegal.)\n");
    else
        cau_print(
            out, chunks,
            json_is_true(cau_at(chunks, "strict"))
                ? "(Labels are read as {scheme}; {illegal.gold} gold and {illegal.predicted} "
                  "predicted labels are illegal there.\nStrict: chunks that begin or end with "
                  "an illegal label are ignored.)\n"
                : "(Labels are read as {scheme}; {illegal.gold} gold and {illegal.predicted} "
                  "predicted labels are illegal there,\nbut begin or end chunks all the same, "
                  "as in conlleval.)\n");
}

/* A row of a table; it is not part of the results. */
static void add_token_row(cau_tree *rows, const char *name, uint64_t correct, uint64_t tokens)
{
    cau_tree_record(rows, NULL, {"name", cau_json_string(name)},
                    {"accuracy", cau_json_number(cau_ratio(correct, tokens))},
                    {"correct", cau_json_count(correct)}, {"tokens", cau_json_count(tokens)});
}

static void print_tokens(const json_t *tokens, cau_writer *out)
{
    static const cau_column columns[] = {{"tokens                        ", "<{name}"},
                                         {"accuracy", "{accuracy:.4f}"},
                                         {"   correct", "{correct}"},
                                         {"    tokens", "{tokens}"}};
    const uint64_t all = cau_count_at(tokens, "count"), right = cau_count_at(tokens, "correct");
    const uint64_t inside = cau_count_at(tokens, "inside");
    const uint64_t right_inside = cau_count_at(tokens, "inside_correct");
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    add_token_row(&rows, "all", right, all);
    add_token_row(&rows, "gold label is not O", right_inside, inside);
    add_token_row(&rows, "gold label is O", right - right_inside, all - inside);
    cau_print_rows(out, columns, 4, &rows);
}

static void print_outcomes(const json_t *chunks, cau_writer *out)
{
    static const cau_column columns[] = {{"outcomes              ", "<{name}"},
                                         {"      gold", "{gold}"},
                                         {" share", "{gold_share:.1%}"},
                                         {"     found", "{found}"},
                                         {" share", "{found_share:.1%}"}};
    static const char *const names[] = {"correct",
                                        "same span, other type",
                                        "other span, same type",
                                        "other span, other type",
                                        "missed; spurious",
                                        "all"};
    const json_t *gold = cau_at(chunks, "outcomes.gold"), *found = cau_at(chunks, "outcomes.found");
    const uint64_t gold_all = cau_count_at(chunks, "support");
    const uint64_t found_all = cau_count_at(chunks, "found");
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t i = 0; i <= CAU_CHUNK_OUTCOMES; i++) {
        const bool last = i == CAU_CHUNK_OUTCOMES;
        const uint64_t g = last ? gold_all : cau_count_at(gold, outcome_keys[0][i]);
        const uint64_t f = last ? found_all : cau_count_at(found, outcome_keys[1][i]);
        cau_tree_record(&rows, NULL, {"name", cau_json_string(names[i])},
                        {"gold", cau_json_count(g)},
                        {"gold_share", cau_json_number(gold_all ? cau_ratio(g, gold_all) : 0)},
                        {"found", cau_json_count(f)},
                        {"found_share", cau_json_number(found_all ? cau_ratio(f, found_all) : 0)});
    }
    cau_print_rows(out, columns, 5, &rows);
    cau_print(out, NULL,
              "(A chunk is compared with the chunk of the other side that shares most tokens with "
              "it; ties prefer\na chunk of the same type, then the first.)\n");
}

static void print_boundaries(const json_t *misplaced, cau_writer *out)
{
    static const cau_column columns[] = {{"other span, same type ", "<{name}"},
                                         {"  too long", "{long}"},
                                         {" too short", "{short}"},
                                         {"   shifted", "{shifted}"},
                                         {"       all", "{all}"}};
    static const char *const names[] = {"left end wrong", "right end wrong", "both ends wrong",
                                        "all"};
    uint64_t sum[3] = {0};
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t e = 0; e <= CAU_ENDS; e++) {
        const json_t *ends = e < CAU_ENDS ? cau_at(misplaced, end_keys[e]) : NULL;
        uint64_t count[] = {cau_count_at(ends, "long"), cau_count_at(ends, "short"),
                            cau_count_at(ends, "shifted")};
        if (e == CAU_ENDS) memcpy(count, sum, sizeof sum);
        /* a chunk with one right end is not shifted */
        cau_tree_record(&rows, NULL, {"name", cau_json_string(names[e])},
                        {"long", cau_json_count(count[0])}, {"short", cau_json_count(count[1])},
                        {"shifted", e < CAU_ENDS_BOTH ? json_null() : cau_json_count(count[2])},
                        {"all", cau_json_count(count[0] + count[1] + count[2])});
        for (size_t i = 0; i < 3; i++) sum[i] += count[i];
    }
    cau_print_rows(out, columns, 5, &rows);
    cau_print(
        out, cau_at(misplaced, "pieces"),
        "(Of these gold chunks, {one} overlap one found chunk, {split} are split over several, "
        "{joined} are joined\nwith other gold chunks in one, and {mixed} both.)\n");
}

void cau_chunk_scores_print(const json_t *chunks, const cau_confusion *confusion, cau_writer *out)
{
    print_types(chunks, out);
    print_scheme(chunks, out);
    cau_strbuf_add(&out->text, "\n", 1);
    print_tokens(cau_at(chunks, "tokens"), out);
    if (json_array_size(cau_at(chunks, "types")) == 0) return;
    cau_strbuf_add(&out->text, "\n", 1);
    print_outcomes(chunks, out);
    cau_strbuf_add(&out->text, "\n", 1);
    if (cau_count_at(chunks, "outcomes.gold.misplaced")) {
        print_boundaries(cau_at(chunks, "misplaced"), out);
        cau_strbuf_add(&out->text, "\n", 1);
    }
    cau_confusion_print_matrix(confusion, out, MATRIX_WIDTH_MAX, LIST_MAX);
    cau_print(
        out, NULL,
        "(Rows are types of gold chunks, columns the types they were found as, with any span; "
        "\"(none)\":\nmissed, or spurious.)\n");
}
