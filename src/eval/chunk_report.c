/* chunk_report.c - the scores of chunks as conlleval prints them, as tables, and as JSON.
 *
 * The output equals that of conlleval to the byte: it makes the same operations on the same
 * doubles, so that no last digit is rounded another way. The habits of the script are kept: names
 * are padded by bytes; without tokens there is no second line; a type with no name is printed twice
 * if it has gold chunks and found ones (the script takes the empty name for none seen yet). One is
 * not: a type called 0 keeps its name, which the script takes for the empty one.
 *
 * As JSON, the value of "chunks":
 *
 *   {
 *     "scheme": "iob2",              by which labels are read; "none": any
 *     "strict": false, "raw": false,
 *     "illegal": {"gold": 0, "predicted": 3},                labels, by the scheme
 *     "tokens": {"count": 500, "correct": 480, "accuracy": x,
 *                "inside": 90, "inside_correct": 80, "inside_accuracy": x},
 *                                    inside: the gold label is not O; null for 0/0
 *     "support": 60, "found": 61, "correct": 50,             chunks: gold, found, right
 *     "micro": {"precision": p, "recall": r, "f1": f},       conlleval's; 0 for 0/0
 *     "macro": {"precision": p, "recall": r, "f1": f},       mean over `types`
 *     "weighted": {"precision": p, "recall": r, "f1": f},    weighted by support
 *     "types": [                     that have chunks, by the bytes of their names
 *       {"type": "LOC", "support": 10, "found": 9, "correct": 8,
 *        "precision": p, "recall": r, "f1": f}, ...],
 *     "outcomes": {                  these sum to support, and to found (see chunk_scores.c)
 *       "gold": {"right": 50, "retyped": 2, "misplaced": 4, "confused": 1, "missed": 3},
 *       "found": {"right": 50, "retyped": 2, "misplaced": 4, "confused": 1, "spurious": 4}},
 *     "misplaced": {                 gold chunks: the nine sum to outcomes.gold.misplaced,
 *       "left": {"long": 1, "short": 0, "shifted": 0},
 *       "right": {...}, "both": {...},
 *       "pieces": {"one": 3, "split": 1, "joined": 0, "mixed": 0}},           as do these four
 *     "confusion": [                 gold chunks by the type of their counterpart, null: none;
 *       {"gold": "LOC", "predicted": "ORG", "count": 2}, ...]      gold null: spurious ones
 *   } */

#include "eval/chunk_scores.h"

#include <math.h>
#include <string.h>

enum {
    MATRIX_WIDTH_MAX = 100, /* columns of a terminal; a wider matrix is printed as a list */
    LIST_MAX = 20,
};

static void say(cau_writer *out, const char *text)
{
    cau_strbuf_add(&out->text, text, strlen(text));
}

static unsigned long long ull(uint64_t count)
{
    return count;
}

/* ---- conlleval ----------------------------------------------------------------------- */

/* In percent, with F1 from precision and recall. */
static cau_chunk_average percent(cau_counts c)
{
    cau_chunk_average a = {0};
    if (c.found) a.precision = 100 * (double)c.correct / (double)c.found;
    if (c.gold) a.recall = 100 * (double)c.correct / (double)c.gold;
    if (a.precision + a.recall > 0) a.f1 = 2 * a.precision * a.recall / (a.precision + a.recall);
    return a;
}

static void pad(cau_writer *out, cau_str name, size_t width)
{
    for (size_t n = name.n; n < width; n++) say(out, " ");
}

static void name_right(cau_writer *out, cau_str name, size_t width)
{
    pad(out, name, width);
    cau_strbuf_add(&out->text, name.s, name.n);
}

static void name_left(cau_writer *out, cau_str name, size_t width)
{
    cau_strbuf_add(&out->text, name.s, name.n);
    pad(out, name, width);
}

/* Precision, recall and F1, each with the text before it. */
static void three(cau_writer *out, cau_chunk_average a, const char *const before[3])
{
    const double value[3] = {a.precision, a.recall, a.f1};
    for (size_t i = 0; i < 3; i++) {
        say(out, before[i]);
        cau_writer_number(out, value[i], 2, 6);
    }
}

static void plain_type(cau_writer *out, const cau_type_score *type)
{
    static const char *const before[] = {": precision: ", "%; recall: ", "%; FB1: "};
    name_right(out, type->name, 17);
    three(out, percent(type->counts), before);
    cau_strbuf_printf(&out->text, "  %llu\n", ull(type->counts.found));
}

static void latex_type(cau_writer *out, const cau_type_score *type)
{
    static const char *const before[] = {" &  ", "\\% & ", "\\% & "};
    say(out, "\n");
    name_left(out, type->name, 7);
    three(out, percent(type->counts), before);
    say(out, " \\\\");
}

static void write_types(const cau_chunk_scores *scores, cau_writer *out,
                        void (*write)(cau_writer *, const cau_type_score *))
{
    for (size_t i = 0; i < scores->n; i++) {
        const cau_type_score *type = &scores->type[i];
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
        say(out, "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline");
        write_types(scores, out, latex_type);
        say(out, "\\hline\n");
        three(out, percent(all), overall);
        say(out, " \\\\\\hline\n");
        return;
    }
    cau_strbuf_printf(&out->text,
                      "processed %llu tokens with %llu phrases; found: %llu phrases; correct: "
                      "%llu.\n",
                      ull(scores->tokens), ull(all.gold), ull(all.found), ull(all.correct));
    if (scores->tokens) {
        say(out, "accuracy: ");
        cau_writer_number(out, 100 * (double)scores->right / (double)scores->tokens, 2, 6);
        three(out, percent(all), plain);
        say(out, "\n");
    }
    write_types(scores, out, plain_type);
}

/* ---- the tree ------------------------------------------------------------------------ */

static double ratio(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : (double)NAN;
}

static void add_average(cau_tree *tree, const char *key, cau_chunk_average a)
{
    cau_tree_object(tree, key);
    cau_tree_number(tree, "precision", a.precision);
    cau_tree_number(tree, "recall", a.recall);
    cau_tree_number(tree, "f1", a.f1);
    cau_tree_end(tree);
}

static void add_chunk_counts(cau_tree *tree, cau_counts c)
{
    cau_tree_count(tree, "support", c.gold);
    cau_tree_count(tree, "found", c.found);
    cau_tree_count(tree, "correct", c.correct);
}

static void add_counts(cau_tree *tree, const char *key, const char *const *keys,
                       const uint64_t *counts, size_t n)
{
    cau_tree_object(tree, key);
    for (size_t i = 0; i < n; i++) cau_tree_count(tree, keys[i], counts[i]);
    cau_tree_end(tree);
}

static void add_tokens(cau_tree *tree, const cau_chunk_scores *scores)
{
    cau_tree_object(tree, "tokens");
    cau_tree_count(tree, "count", scores->tokens);
    cau_tree_count(tree, "correct", scores->right);
    cau_tree_number(tree, "accuracy", ratio(scores->right, scores->tokens));
    cau_tree_count(tree, "inside", scores->inside);
    cau_tree_count(tree, "inside_correct", scores->right_inside);
    cau_tree_number(tree, "inside_accuracy", ratio(scores->right_inside, scores->inside));
    cau_tree_end(tree);
}

static void add_types(cau_tree *tree, const cau_chunk_scores *scores)
{
    cau_tree_array(tree, "types");
    for (size_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        cau_tree_object(tree, NULL);
        cau_tree_text(tree, "type", scores->type[i].name);
        add_chunk_counts(tree, c);
        cau_tree_number(tree, "precision", cau_counts_precision(c));
        cau_tree_number(tree, "recall", cau_counts_recall(c));
        cau_tree_number(tree, "f1", cau_counts_f1(c));
        cau_tree_end(tree);
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
    cau_tree_string(tree, "scheme", cau_scheme_text(scores->scheme));
    cau_tree_bool(tree, "strict", scores->strict);
    cau_tree_bool(tree, "raw", scores->raw);
    add_counts(tree, "illegal", sides, scores->illegal, 2);
    add_tokens(tree, scores);
    add_chunk_counts(tree, scores->all);
    add_average(tree, "micro", scores->micro);
    add_average(tree, "macro", scores->macro);
    add_average(tree, "weighted", scores->weighted);
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

/* A row of a table made for the eye: it is no part of the results. */
static void add_token_row(cau_tree *rows, const char *name, uint64_t correct, uint64_t tokens)
{
    cau_tree_object(rows, NULL);
    cau_tree_string(rows, "name", name);
    cau_tree_number(rows, "accuracy", ratio(correct, tokens));
    cau_tree_count(rows, "correct", correct);
    cau_tree_count(rows, "tokens", tokens);
    cau_tree_end(rows);
}

static void print_rows(cau_tree *rows, const cau_column *columns, size_t n, cau_writer *out)
{
    cau_tree_end(rows);
    if (rows->failed) out->text.failed = true;
    cau_strbuf_add(&out->text, "\n", 1);
    cau_print_table(out, columns, n, rows->root);
    cau_tree_clear(rows);
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
    print_rows(&rows, columns, 4, out);
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
        cau_tree_object(&rows, NULL);
        cau_tree_string(&rows, "name", names[i]);
        cau_tree_count(&rows, "gold", g);
        cau_tree_number(&rows, "gold_share", gold_all ? ratio(g, gold_all) : 0);
        cau_tree_count(&rows, "found", f);
        cau_tree_number(&rows, "found_share", found_all ? ratio(f, found_all) : 0);
        cau_tree_end(&rows);
    }
    print_rows(&rows, columns, 5, out);
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
        cau_tree_object(&rows, NULL);
        cau_tree_string(&rows, "name", names[e]);
        cau_tree_count(&rows, "long", count[0]);
        cau_tree_count(&rows, "short", count[1]);
        if (e < CAU_ENDS_BOTH) /* a chunk with one right end is not shifted */
            cau_tree_string(&rows, "shifted", NULL);
        else
            cau_tree_count(&rows, "shifted", count[2]);
        cau_tree_count(&rows, "all", count[0] + count[1] + count[2]);
        cau_tree_end(&rows);
        for (size_t i = 0; i < 3; i++) sum[i] += count[i];
    }
    print_rows(&rows, columns, 5, out);
    cau_print(
        out, cau_at(misplaced, "pieces"),
        "(Of these gold chunks, {one} overlap one found chunk, {split} are split over several, "
        "{joined} are joined\nwith other gold chunks in one, and {mixed} both.)\n");
}

void cau_chunk_scores_print(const json_t *chunks, const cau_confusion *confusion, cau_writer *out)
{
    print_types(chunks, out);
    print_scheme(chunks, out);
    print_tokens(cau_at(chunks, "tokens"), out);
    if (json_array_size(cau_at(chunks, "types")) == 0) return;
    print_outcomes(chunks, out);
    if (cau_count_at(chunks, "outcomes.gold.misplaced"))
        print_boundaries(cau_at(chunks, "misplaced"), out);
    cau_strbuf_add(&out->text, "\n", 1);
    cau_confusion_print_matrix(confusion, out, MATRIX_WIDTH_MAX, LIST_MAX);
    cau_print(
        out, NULL,
        "(Rows are types of gold chunks, columns the types they were found as, with any span; "
        "\"(none)\":\nmissed, or spurious.)\n");
}
