/* chunk_report.c - the scores of chunks as conlleval prints them, as tables, and as JSON.
 *
 * What conlleval prints is the same to the byte, with the same operations on the same doubles, so
 * that a last digit is never rounded another way. Its habits are kept: names are padded by bytes;
 * without tokens there is no second line; a type with no name is printed twice if it has gold
 * chunks and found ones (the script takes the empty name for none seen yet). One is not: a type
 * called 0 keeps its name, which the script takes for the empty one.
 *
 * As JSON, the value of "chunks":
 *
 *   {
 *     "scheme": "iob2",              that labels are read in; "none": any
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

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "eval/chunk_scores.h"

enum {
    NAME_WIDTH_MAX = 40,    /* a longer name breaks its row instead of widening all */
    MATRIX_WIDTH_MAX = 100, /* columns of a terminal; wider matrices are told as a list */
    LIST_MAX = 20,
};

static void say(cau_writer *sheet, const char *text)
{
    cau_strbuf_add(&sheet->text, text, strlen(text));
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

static void pad(cau_writer *sheet, cau_str name, size_t width)
{
    for (size_t n = name.n; n < width; n++) say(sheet, " ");
}

static void name_right(cau_writer *sheet, cau_str name, size_t width)
{
    pad(sheet, name, width);
    cau_strbuf_add(&sheet->text, name.s, name.n);
}

static void name_left(cau_writer *sheet, cau_str name, size_t width)
{
    cau_strbuf_add(&sheet->text, name.s, name.n);
    pad(sheet, name, width);
}

/* Precision, recall and F1, each with the text before it. */
static void three(cau_writer *sheet, cau_chunk_average a, const char *const before[3])
{
    const double value[3] = {a.precision, a.recall, a.f1};
    for (size_t i = 0; i < 3; i++) {
        say(sheet, before[i]);
        cau_writer_number(sheet, value[i], 2, 6);
    }
}

static void plain_type(cau_writer *sheet, const cau_type_score *type)
{
    static const char *const before[] = {": precision: ", "%; recall: ", "%; FB1: "};
    name_right(sheet, type->name, 17);
    three(sheet, percent(type->counts), before);
    cau_strbuf_printf(&sheet->text, "  %llu\n", ull(type->counts.found));
}

static void latex_type(cau_writer *sheet, const cau_type_score *type)
{
    static const char *const before[] = {" &  ", "\\% & ", "\\% & "};
    say(sheet, "\n");
    name_left(sheet, type->name, 7);
    three(sheet, percent(type->counts), before);
    say(sheet, " \\\\");
}

static void write_types(const cau_chunk_scores *scores, cau_writer *sheet,
                        void (*write)(cau_writer *, const cau_type_score *))
{
    for (size_t i = 0; i < scores->n; i++) {
        const cau_type_score *type = &scores->type[i];
        write(sheet, type);
        if (type->name.n == 0 && type->counts.gold && type->counts.found) write(sheet, type);
    }
}

void cau_chunk_scores_conlleval(const cau_chunk_scores *scores, cau_writer *sheet, bool latex)
{
    static const char *const plain[] = {"%; precision: ", "%; recall: ", "%; FB1: "};
    static const char *const overall[] = {"Overall &  ", "\\% & ", "\\% & "};
    const cau_counts all = scores->all;
    if (latex) {
        say(sheet, "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline");
        write_types(scores, sheet, latex_type);
        say(sheet, "\\hline\n");
        three(sheet, percent(all), overall);
        say(sheet, " \\\\\\hline\n");
        return;
    }
    cau_strbuf_printf(&sheet->text,
                      "processed %llu tokens with %llu phrases; found: %llu phrases; correct: "
                      "%llu.\n",
                      ull(scores->tokens), ull(all.gold), ull(all.found), ull(all.correct));
    if (scores->tokens) {
        say(sheet, "accuracy: ");
        cau_writer_number(sheet, 100 * (double)scores->right / (double)scores->tokens, 2, 6);
        three(sheet, percent(all), plain);
        say(sheet, "\n");
    }
    write_types(scores, sheet, plain_type);
}

/* ---- tables -------------------------------------------------------------------------- */

static cau_str shown_name(const cau_chunk_scores *scores, uint32_t type)
{
    if (type == CAU_UNKNOWN) return CAU_STR("(none)");
    const cau_str name = scores->type[type].name;
    return name.n ? name : CAU_STR("(no type)");
}

/* Columns for the names of all types and for those of the averages. */
static size_t width_of_names(const cau_chunk_scores *scores)
{
    size_t width = strlen("weighted average");
    for (uint32_t i = 0; i < scores->n; i++) {
        const size_t own = cau_text_width(shown_name(scores, i));
        if (own > width) width = own;
    }
    return width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
}

static void left(cau_writer *sheet, const char *text, size_t width)
{
    cau_writer_left(sheet, (cau_str){text, strlen(text)}, width);
}

static void write_average(cau_writer *sheet, cau_chunk_average a)
{
    cau_writer_number(sheet, a.precision, 4, 11);
    cau_writer_number(sheet, a.recall, 4, 8);
    cau_writer_number(sheet, a.f1, 4, 8);
}

static void write_type_table(const cau_chunk_scores *scores, cau_writer *sheet)
{
    const struct {
        const char *name;
        cau_chunk_average value;
    } averages[] = {{"micro average", scores->micro},
                    {"macro average", scores->macro},
                    {"weighted average", scores->weighted}};
    const size_t width = width_of_names(scores);
    left(sheet, "chunks", width);
    say(sheet, "  precision  recall      F1     support       found     correct\n");
    for (uint32_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        const cau_chunk_average a = {cau_counts_precision(c), cau_counts_recall(c),
                                     cau_counts_f1(c)};
        cau_writer_left(sheet, shown_name(scores, i), width);
        write_average(sheet, a);
        cau_strbuf_printf(&sheet->text, "  %10llu  %10llu  %10llu\n", ull(c.gold), ull(c.found),
                          ull(c.correct));
    }
    for (size_t i = 0; i < 3; i++) {
        left(sheet, averages[i].name, width);
        write_average(sheet, averages[i].value);
        if (i == 0)
            cau_strbuf_printf(&sheet->text, "  %10llu  %10llu  %10llu", ull(scores->all.gold),
                              ull(scores->all.found), ull(scores->all.correct));
        say(sheet, "\n");
    }
    cau_strbuf_printf(
        &sheet->text,
        "(A chunk is correct when both ends and its type are; 0 stands for 0/0. Micro "
        "is of the sums, as\nconlleval has it; macro is the mean over the %zu type%s "
        "with chunks; weighted the mean by support,\nthe gold chunks.)\n",
        scores->n, scores->n == 1 ? "" : "s");
}

static void write_reading(const cau_chunk_scores *scores, cau_writer *sheet)
{
    if (scores->raw) {
        say(sheet, "(Labels are types as they stand; each token but O is a chunk.)\n");
        return;
    }
    if (scores->scheme == CAU_SCHEME_NONE) {
        say(sheet, "(Labels are read by their letters, in no scheme: none is illegal.)\n");
        return;
    }
    cau_strbuf_printf(
        &sheet->text,
        "(Labels are read as %s; %llu gold and %llu predicted ones stand where it does "
        "not allow them%s)\n",
        cau_scheme_text(scores->scheme), ull(scores->illegal[CAU_GOLD]),
        ull(scores->illegal[CAU_FOUND]),
        scores->strict ? ":\nstrictly, what begins or ends with such a label is no "
                         "chunk."
                       : ",\nand begin or end chunks all the same, as in conlleval.");
}

static void write_token_row(cau_writer *sheet, const char *name, uint64_t right, uint64_t all)
{
    left(sheet, name, 30);
    if (all)
        cau_writer_number(sheet, (double)right / (double)all, 4, 10);
    else
        cau_writer_right(sheet, CAU_STR("-"), 10);
    cau_strbuf_printf(&sheet->text, "  %10llu  %10llu\n", ull(right), ull(all));
}

static void write_token_table(const cau_chunk_scores *scores, cau_writer *sheet)
{
    say(sheet, "\n");
    left(sheet, "tokens", 30);
    say(sheet, "  accuracy     correct      tokens\n");
    write_token_row(sheet, "all", scores->right, scores->tokens);
    write_token_row(sheet, "gold label is not O", scores->right_inside, scores->inside);
    write_token_row(sheet, "gold label is O", scores->right - scores->right_inside,
                    scores->tokens - scores->inside);
}

static void write_share(cau_writer *sheet, uint64_t part, uint64_t all)
{
    cau_strbuf_printf(&sheet->text, "  %10llu  ", ull(part));
    cau_writer_number(sheet, all ? 100 * (double)part / (double)all : 0, 1, 5);
    say(sheet, "%");
}

static void write_outcome_table(const cau_chunk_scores *scores, cau_writer *sheet)
{
    static const char *const names[CAU_CHUNK_OUTCOMES] = {
        [CAU_CHUNK_RIGHT] = "correct",
        [CAU_CHUNK_RETYPED] = "same span, other type",
        [CAU_CHUNK_MISPLACED] = "other span, same type",
        [CAU_CHUNK_CONFUSED] = "other span, other type",
        [CAU_CHUNK_ALONE] = "missed; spurious",
    };
    if (scores->n == 0) return;
    say(sheet, "\n");
    left(sheet, "outcomes", 22);
    say(sheet, "        gold   share       found   share\n");
    for (size_t i = 0; i < CAU_CHUNK_OUTCOMES; i++) {
        left(sheet, names[i], 22);
        write_share(sheet, scores->outcome[CAU_GOLD][i], scores->all.gold);
        write_share(sheet, scores->outcome[CAU_FOUND][i], scores->all.found);
        say(sheet, "\n");
    }
    left(sheet, "all", 22);
    write_share(sheet, scores->all.gold, scores->all.gold);
    write_share(sheet, scores->all.found, scores->all.found);
    say(sheet, "\n(A chunk is held against the one of the other side that it shares most tokens "
               "with; of equals,\none of its type, then the first.)\n");
}

static void write_boundary_table(const cau_chunk_scores *scores, cau_writer *sheet)
{
    static const char *const names[CAU_ENDS] = {[CAU_ENDS_LEFT] = "left end wrong",
                                                [CAU_ENDS_RIGHT] = "right end wrong",
                                                [CAU_ENDS_BOTH] = "both ends wrong"};
    if (scores->outcome[CAU_GOLD][CAU_CHUNK_MISPLACED] == 0) return;
    uint64_t sum[CAU_SPANS] = {0};
    say(sheet, "\n");
    left(sheet, "other span, same type", 22);
    say(sheet, "    too long   too short     shifted         all\n");
    for (size_t e = 0; e <= CAU_ENDS; e++) {
        const uint64_t *row = e < CAU_ENDS ? scores->misplaced[e] : sum;
        uint64_t all = 0;
        left(sheet, e < CAU_ENDS ? names[e] : "all", 22);
        for (size_t s = 0; s < CAU_SPANS; s++) {
            if (s == CAU_SPAN_SHIFTED && e < CAU_ENDS_BOTH)
                say(sheet, "           -"); /* takes both ends */
            else
                cau_strbuf_printf(&sheet->text, "  %10llu", ull(row[s]));
            all += row[s];
            if (e < CAU_ENDS) sum[s] += row[s];
        }
        cau_strbuf_printf(&sheet->text, "  %10llu\n", ull(all));
    }
    const uint64_t *pieces = scores->pieces;
    cau_strbuf_printf(
        &sheet->text,
        "(Gold chunks, by the found one. %llu: one for one; %llu: split, several found "
        "ones overlap it;\n%llu: joined, the found one overlaps several; %llu: both.)"
        "\n",
        ull(pieces[CAU_PIECES_ONE]), ull(pieces[CAU_PIECES_SPLIT]), ull(pieces[CAU_PIECES_JOINED]),
        ull(pieces[CAU_PIECES_MIXED]));
}

/* ---- confusion of types -------------------------------------------------------------- */

static size_t digits(uint64_t count)
{
    size_t n = 1;
    while (count /= 10) n++;
    return n;
}

static size_t index_of(const cau_chunk_scores *scores, uint32_t type)
{
    return type == CAU_UNKNOWN ? scores->n : type;
}

/* Rows are gold, columns found; a dot is 0. width [n + 1] of the columns, the last for none. */
static void write_matrix(const cau_chunk_scores *scores, cau_writer *sheet, const size_t *width,
                         size_t name_width)
{
    const size_t n = scores->n;
    left(sheet, "gold, found as", name_width);
    for (size_t i = 0; i <= n; i++) {
        say(sheet, "  ");
        cau_writer_right(sheet, shown_name(scores, i < n ? (uint32_t)i : CAU_UNKNOWN), width[i]);
    }
    say(sheet, "\n");
    const cau_type_pair *pair = scores->confusion, *end = pair + scores->confusions;
    for (size_t gold = 0; gold <= n; gold++) {
        cau_writer_left(sheet, shown_name(scores, gold < n ? (uint32_t)gold : CAU_UNKNOWN),
                        name_width);
        for (size_t found = 0; found <= n; found++) {
            const bool here = pair < end && index_of(scores, pair->gold) == gold &&
                              index_of(scores, pair->found) == found;
            if (here)
                cau_strbuf_printf(&sheet->text, "  %*llu", (int)width[found], ull(pair++->count));
            else
                cau_strbuf_printf(&sheet->text, "  %*s", (int)width[found], ".");
        }
        say(sheet, "\n");
    }
}

/* More frequent first; the order of `confusion` decides between equals. */
static int compare_frequency(const void *a, const void *b)
{
    const cau_type_pair *p = *(const cau_type_pair *const *)a;
    const cau_type_pair *q = *(const cau_type_pair *const *)b;
    if (p->count != q->count) return p->count > q->count ? -1 : 1;
    return (p > q) - (p < q);
}

static void write_list(const cau_chunk_scores *scores, cau_writer *sheet, size_t name_width)
{
    const cau_type_pair **wrong = cau_alloc(scores->confusions, sizeof(const cau_type_pair *));
    if (!wrong) {
        sheet->text.failed = true;
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < scores->confusions; i++)
        if (scores->confusion[i].gold != scores->confusion[i].found)
            wrong[count++] = &scores->confusion[i];
    qsort(wrong, count, sizeof *wrong, compare_frequency);
    left(sheet, "gold", name_width + 2);
    left(sheet, "found", name_width);
    say(sheet, "       count\n");
    for (size_t i = 0; i < count && i < LIST_MAX; i++) {
        cau_writer_left(sheet, shown_name(scores, wrong[i]->gold), name_width + 2);
        cau_writer_left(sheet, shown_name(scores, wrong[i]->found), name_width);
        cau_strbuf_printf(&sheet->text, "  %10llu\n", ull(wrong[i]->count));
    }
    if (count > LIST_MAX)
        cau_strbuf_printf(&sheet->text, "(the %d most frequent of %zu confusions)\n", LIST_MAX,
                          count);
    free(wrong);
}

static void write_confusion(const cau_chunk_scores *scores, cau_writer *sheet)
{
    const size_t n = scores->n, name_width = width_of_names(scores);
    if (n == 0) return;
    size_t *width = cau_alloc(n + 1, sizeof *width);
    if (!width) {
        sheet->text.failed = true;
        return;
    }
    size_t whole = name_width;
    for (size_t i = 0; i <= n; i++)
        width[i] = cau_text_width(shown_name(scores, i < n ? (uint32_t)i : CAU_UNKNOWN));
    for (size_t i = 0; i < scores->confusions; i++) {
        size_t *own = &width[index_of(scores, scores->confusion[i].found)];
        const size_t need = digits(scores->confusion[i].count);
        if (need > *own) *own = need;
    }
    for (size_t i = 0; i <= n; i++) whole += 2 + width[i];

    say(sheet, "\n");
    if (whole <= MATRIX_WIDTH_MAX)
        write_matrix(scores, sheet, width, name_width);
    else
        write_list(scores, sheet, name_width);
    say(sheet, "(Gold chunks by the type that they were found as, at any span; "
               "\"(none)\": missed, and spurious.)\n");
    free(width);
}

void cau_chunk_scores_report(const cau_chunk_scores *scores, cau_writer *sheet)
{
    write_type_table(scores, sheet);
    write_reading(scores, sheet);
    write_token_table(scores, sheet);
    write_outcome_table(scores, sheet);
    write_boundary_table(scores, sheet);
    write_confusion(scores, sheet);
}

/* ---- JSON ---------------------------------------------------------------------------- */

static json_t *integer(uint64_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *share(uint64_t part, uint64_t all)
{
    return all ? json_real((double)part / (double)all) : json_null();
}

static json_t *average_object(cau_chunk_average a)
{
    return json_pack("{sf sf sf}", "precision", a.precision, "recall", a.recall, "f1", a.f1);
}

/* An object of `n` counts. */
static json_t *counts_object(cau_writer *sheet, const char *const *keys, const uint64_t *counts,
                             size_t n)
{
    json_t *object = json_object();
    for (size_t i = 0; i < n; i++) cau_writer_put(sheet, object, keys[i], integer(counts[i]));
    return object;
}

static json_t *token_object(const cau_chunk_scores *scores, cau_writer *sheet)
{
    json_t *object = json_object();
    cau_writer_put(sheet, object, "count", integer(scores->tokens));
    cau_writer_put(sheet, object, "correct", integer(scores->right));
    cau_writer_put(sheet, object, "accuracy", share(scores->right, scores->tokens));
    cau_writer_put(sheet, object, "inside", integer(scores->inside));
    cau_writer_put(sheet, object, "inside_correct", integer(scores->right_inside));
    cau_writer_put(sheet, object, "inside_accuracy", share(scores->right_inside, scores->inside));
    return object;
}

static void put_counts(cau_writer *sheet, json_t *object, cau_counts c)
{
    cau_writer_put(sheet, object, "support", integer(c.gold));
    cau_writer_put(sheet, object, "found", integer(c.found));
    cau_writer_put(sheet, object, "correct", integer(c.correct));
}

static json_t *type_list(const cau_chunk_scores *scores, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scores->n; i++) {
        const cau_counts c = scores->type[i].counts;
        json_t *item = json_object();
        cau_writer_put(sheet, item, "type", cau_writer_string(scores->type[i].name));
        put_counts(sheet, item, c);
        cau_writer_put(sheet, item, "precision", json_real(cau_counts_precision(c)));
        cau_writer_put(sheet, item, "recall", json_real(cau_counts_recall(c)));
        cau_writer_put(sheet, item, "f1", json_real(cau_counts_f1(c)));
        cau_writer_push(sheet, list, item);
    }
    return list;
}

static json_t *outcome_object(const cau_chunk_scores *scores, cau_writer *sheet)
{
    static const char *const keys[2][CAU_CHUNK_OUTCOMES] = {
        {"right", "retyped", "misplaced", "confused", "missed"},
        {"right", "retyped", "misplaced", "confused", "spurious"}};
    json_t *object = json_object();
    for (size_t side = 0; side < 2; side++)
        cau_writer_put(sheet, object, side == CAU_GOLD ? "gold" : "found",
                       counts_object(sheet, keys[side], scores->outcome[side], CAU_CHUNK_OUTCOMES));
    return object;
}

static json_t *misplaced_object(const cau_chunk_scores *scores, cau_writer *sheet)
{
    static const char *const ends[] = {"left", "right", "both"};
    static const char *const spans[] = {"long", "short", "shifted"};
    static const char *const pieces[] = {"one", "split", "joined", "mixed"};
    json_t *object = json_object();
    for (size_t e = 0; e < CAU_ENDS; e++)
        cau_writer_put(sheet, object, ends[e],
                       counts_object(sheet, spans, scores->misplaced[e], CAU_SPANS));
    cau_writer_put(sheet, object, "pieces",
                   counts_object(sheet, pieces, scores->pieces, CAU_PIECES));
    return object;
}

static json_t *type_or_null(const cau_chunk_scores *scores, uint32_t type)
{
    return type == CAU_UNKNOWN ? json_null() : cau_writer_string(scores->type[type].name);
}

static json_t *confusion_list(const cau_chunk_scores *scores, cau_writer *sheet)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scores->confusions; i++) {
        const cau_type_pair *pair = &scores->confusion[i];
        json_t *item = json_object();
        cau_writer_put(sheet, item, "gold", type_or_null(scores, pair->gold));
        cau_writer_put(sheet, item, "predicted", type_or_null(scores, pair->found));
        cau_writer_put(sheet, item, "count", integer(pair->count));
        cau_writer_push(sheet, list, item);
    }
    return list;
}

void cau_chunk_scores_json(const cau_chunk_scores *scores, cau_writer *sheet, json_t *root)
{
    static const char *const sides[] = {"gold", "predicted"};
    json_t *chunks = json_object();
    cau_writer_put(sheet, chunks, "scheme", json_string(cau_scheme_text(scores->scheme)));
    cau_writer_put(sheet, chunks, "strict", json_boolean(scores->strict));
    cau_writer_put(sheet, chunks, "raw", json_boolean(scores->raw));
    cau_writer_put(sheet, chunks, "illegal", counts_object(sheet, sides, scores->illegal, 2));
    cau_writer_put(sheet, chunks, "tokens", token_object(scores, sheet));
    put_counts(sheet, chunks, scores->all);
    cau_writer_put(sheet, chunks, "micro", average_object(scores->micro));
    cau_writer_put(sheet, chunks, "macro", average_object(scores->macro));
    cau_writer_put(sheet, chunks, "weighted", average_object(scores->weighted));
    cau_writer_put(sheet, chunks, "types", type_list(scores, sheet));
    cau_writer_put(sheet, chunks, "outcomes", outcome_object(scores, sheet));
    cau_writer_put(sheet, chunks, "misplaced", misplaced_object(scores, sheet));
    cau_writer_put(sheet, chunks, "confusion", confusion_list(scores, sheet));
    cau_writer_put(sheet, root, "chunks", chunks);
}
