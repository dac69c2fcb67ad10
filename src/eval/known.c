/* known.c - how well known and unknown words, and chunks of them, are labelled.
 *
 * Training data is read once into three sets. They store their members, not only hashes, so that no
 * collision makes an unknown word or chunk known:
 *
 *     forms   the words, byte by byte: case matters, nothing is normalised
 *     spans   the chunks, each as the numbers of its words in `forms`
 *     typed   the pairs (number of the span, number of the type)
 *
 * A token is known (in vocabulary, IV) if its word is in `forms`; others are unknown (OOV).
 * Wang and Manning's Table 3 scores tokens by type, which is the label without B- and I-; O is no
 * type. With g the type of the gold label and s that of the system's, over each kind of token
 *
 *     tp = #{g = s, not O}     fp = #{s not O, s differs from g}     fn = #{g not O, g differs}
 *     precision = tp / (tp + fp)    recall = tp / (tp + fn)    F1 = 2 tp / (2 tp + fp + fn)
 *
 * which is the micro-average over the types.
 *
 * Chunks are grouped by their words (all known, some unknown, all unknown) and by the training data
 * (seen with this type; seen with other types only; not seen). Both depend on the chunk alone, so a
 * correct chunk is in the same group as gold and as found chunk, and each group has a precision as
 * well as a recall.
 *
 * If labels are classes, or if all are O, the accuracy of known and of unknown words is reported
 * instead.
 *
 * docs/evaluation.md describes the JSON.
 *
 * [1] Wang, Manning. Learning a Product of Experts with Elitist Lasso. IJCNLP 2013. */

#include "eval/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "base/status.h"
#include "eval/tagged.h"
#include "text/columns.h"
#include "text/lines.h"

/* Tokens of one kind. */
typedef struct {
    uint64_t count, right; /* right: both labels are the same */
    uint64_t tp, fp, fn;   /* by type */
} token_counts;

enum { KNOWN, UNKNOWN, KINDS };
enum { ALL_KNOWN, SOME_UNKNOWN, ALL_UNKNOWN, BY_WORDS };
enum { SEEN, OTHER_TYPE, UNSEEN, BY_TRAINING };

struct cau_words_known {
    char delimiter; /* of the columns of training data; 0: TAB or blanks */
    uint64_t word;  /* the column of the words */

    cau_alphabet *forms, *spans;
    cau_key_set typed;
    cau_alphabet *labels; /* of the training data */
    cau_tags tags;        /* the meaning of these */
    uint64_t tokens, sentences;

    bool classes; /* labels are classes even if they look like labels of chunks */
    bool chunked; /* all labels counted so far are labels of chunks */
    token_counts token[KINDS];
    cau_counts by_words[BY_WORDS], by_training[BY_TRAINING];

    uint32_t *form, *label; /* [T] of the current sentence of training */
    cau_chunk *chunk;       /* [T] */
    size_t form_room, label_room, chunk_room;
};

void cau_words_known_free(cau_words_known *k)
{
    if (!k) return;
    cau_alphabet_free(k->forms);
    cau_alphabet_free(k->spans);
    cau_key_set_clear(&k->typed);
    cau_alphabet_free(k->labels);
    cau_tags_clear(&k->tags);
    free(k->form);
    free(k->label);
    free(k->chunk);
    free(k);
}

/* ---- chunks as keys ---------------------------------------------------------------------- */

/* The key of a chunk in `spans`: the numbers of its words. */
static cau_str span_key(const uint32_t *form, const cau_chunk *chunk)
{
    return (cau_str){(const char *)(form + chunk->begin),
                     (size_t)(chunk->end - chunk->begin) * sizeof *form};
}

static uint64_t typed_key(uint32_t span, uint32_t type)
{
    return (uint64_t)span << 32 | type;
}

/* ---- training data ----------------------------------------------------------------------- */

/* Adds the current sentence, T tokens, to the sets. */
static caucus_status learn_sentence(cau_words_known *k, size_t T)
{
    if (T == 0) return CAUCUS_OK;
    k->sentences++;
    if (k->classes) return CAUCUS_OK;
    if (!CAU_GROW(k->chunk, k->chunk_room, T)) return CAUCUS_ERR_MEMORY;
    caucus_status st = cau_tags_learn(&k->tags, k->labels);
    if (st) return st;
    const size_t n = cau_chunks_of(&k->tags, k->label, T, k->chunk, NULL);
    for (size_t i = 0; i < n; i++) {
        const cau_str words = span_key(k->form, &k->chunk[i]);
        const uint32_t span = cau_alphabet_add(k->spans, words.s, words.n);
        if (span == CAU_UNKNOWN || !cau_key_set_reserve(&k->typed, 1)) return CAUCUS_ERR_MEMORY;
        cau_key_set_add(&k->typed, typed_key(span, k->chunk[i].type));
    }
    return CAUCUS_OK;
}

static caucus_status learn_line(caucus_ctx *ctx, cau_words_known *k, const cau_lines *lines,
                                cau_str line, size_t T)
{
    const cau_separator by = cau_separator_of(line, k->delimiter);
    cau_str form = {0}, label = {0}, column;
    size_t columns = 0;
    while (k->delimiter && line.n && line.s[line.n - 1] == k->delimiter) line.n--;
    for (; cau_column_first(&line, by, &column); columns++) {
        if (columns == k->word) form = column;
        label = column;
    }
    if (columns < 2 || k->word > columns - 2)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu column%s, but --word %llu needs a word in that column (from 0) "
                               "and a label after it; give another --word, or another file",
                        CAU_AT_ARGS(lines), columns, columns == 1 ? "" : "s",
                        (unsigned long long)k->word);
    if (label.n == 0)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "the label is empty; fix the line or drop it", CAU_AT_ARGS(lines));
    if (!CAU_GROW(k->form, k->form_room, T + 1) || !CAU_GROW(k->label, k->label_room, T + 1))
        return cau_fail_memory(ctx, "the known words");

    const bool labelled = !(label.n == 1 && label.s[0] == '?');
    k->form[T] = cau_alphabet_add(k->forms, form.s, form.n);
    k->label[T] = labelled ? cau_alphabet_add(k->labels, label.s, label.n) : CAU_UNKNOWN;
    if (k->form[T] == CAU_UNKNOWN || (labelled && k->label[T] == CAU_UNKNOWN))
        return cau_fail_memory(ctx, "the known words");
    k->tokens++;
    return CAUCUS_OK;
}

static caucus_status learn_file(caucus_ctx *ctx, cau_words_known *k, const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    const uint64_t before = k->tokens;
    TRY(cau_lines_open(ctx, path, &lines));
    for (size_t T = 0;;) {
        cau_str line;
        TRY(cau_lines_next(ctx, lines, &line));
        if (line.s && !cau_tagged_ends_sentence(line, k->delimiter)) {
            TRY(learn_line(ctx, k, lines, line, T));
            T++;
            continue;
        }
        if (learn_sentence(k, T)) TRY(cau_fail_memory(ctx, "the known chunks"));
        if (!line.s) break;
        T = 0;
    }
    if (k->tokens == before)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%s: no tokens; give training data in columns, the label last",
                     cau_lines_name(lines)));
done:
    cau_lines_free(lines);
    return st;
}

caucus_status cau_words_known_read(caucus_ctx *ctx, const cau_eval_options *options,
                                   cau_words_known **out)
{
    caucus_status st = CAUCUS_OK;
    cau_words_known *k = cau_calloc(1, sizeof *k);
    if (!k) return cau_fail_memory(ctx, "the known words");
    k->word = options->word;
    k->classes = options->classes;
    k->tags = (cau_tags){.scheme = options->scheme,
                         .strict = options->strict,
                         .raw = options->raw,
                         .outside = options->outside,
                         .foreign = CAU_UNKNOWN};
    TRY(cau_eval_delimiter(ctx, options, &k->delimiter));
    TRY(cau_alphabet_new(ctx, &k->forms));
    TRY(cau_alphabet_new(ctx, &k->spans));
    TRY(cau_alphabet_new(ctx, &k->labels));
    for (size_t i = 0; i < options->known.count; i++)
        TRY(learn_file(ctx, k, options->known.path[i]));
    *out = k;
    k = NULL; /* the caller owns it from here */
done:
    cau_words_known_free(k);
    return st;
}

/* ---- counting ---------------------------------------------------------------------------- */

/* The type of a label, or CAU_UNKNOWN for O. */
static uint32_t type_of(const cau_tags *tags, uint32_t label)
{
    if (label >= tags->count || tags->tag[label].place == CAU_OUTSIDE) return CAU_UNKNOWN;
    return tags->tag[label].type;
}

static void count_token(token_counts *c, const cau_tags *tags, uint32_t gold, uint32_t label)
{
    const uint32_t g = type_of(tags, gold), s = type_of(tags, label);
    c->count++;
    c->right += gold == label;
    c->tp += g == s && g != CAU_UNKNOWN;
    c->fp += s != CAU_UNKNOWN && s != g;
    c->fn += g != CAU_UNKNOWN && s != g;
}

static size_t group_by_words(const uint32_t *form, const cau_chunk *chunk)
{
    size_t known = 0;
    for (size_t t = chunk->begin; t < chunk->end; t++) known += form[t] != CAU_UNKNOWN;
    return known == chunk->end - chunk->begin ? ALL_KNOWN : known ? SOME_UNKNOWN : ALL_UNKNOWN;
}

/* `tags` belong to the counted labels; the training data has other ids of types. */
static size_t group_by_training(const cau_words_known *k, const cau_tags *tags,
                                const uint32_t *form, const cau_chunk *chunk)
{
    const cau_str words = span_key(form, chunk);
    const uint32_t span = cau_alphabet_find(k->spans, words.s, words.n);
    if (span == CAU_UNKNOWN) return UNSEEN; /* also if any word is unknown */
    const cau_str name = cau_alphabet_name(tags->types, chunk->type);
    const uint32_t type = cau_alphabet_find(k->tags.types, name.s, name.n);
    return cau_key_set_find(&k->typed, typed_key(span, type)) == SIZE_MAX ? OTHER_TYPE : SEEN;
}

/* Merges the gold and the found chunks, both in order and without overlaps. */
static void count_chunks(cau_words_known *k, const cau_tags *tags, const cau_sentence *s)
{
    const cau_labelled *gold = cau_sentence_gold(s), *found = &s->by[0];
    for (size_t i = 0, j = 0; i < gold->chunks || j < found->chunks;) {
        const cau_chunk *g = i < gold->chunks ? &gold->chunk[i] : NULL;
        const cau_chunk *f = j < found->chunks ? &found->chunk[j] : NULL;
        const bool same = g && f && g->begin == f->begin && g->end == f->end && g->type == f->type;
        const bool gold_now = g && (!f || same || g->begin <= f->begin);
        const cau_chunk *chunk = gold_now ? g : f;
        const cau_counts one = {gold_now, !gold_now || same, same};
        cau_counts *const groups[] = {&k->by_words[group_by_words(s->form, chunk)],
                                      &k->by_training[group_by_training(k, tags, s->form, chunk)]};
        for (size_t a = 0; a < 2; a++) {
            groups[a]->gold += one.gold;
            groups[a]->found += one.found;
            groups[a]->correct += one.correct;
        }
        i += one.gold;
        j += one.found;
    }
}

uint32_t cau_words_known_form(const cau_words_known *k, cau_str word)
{
    return cau_alphabet_find(k->forms, word.s, word.n);
}

void cau_words_known_add(cau_words_known *k, const cau_tags *tags, const cau_sentence *s)
{
    const uint32_t *gold = cau_sentence_gold(s)->label;
    for (size_t t = 0; t < s->T; t++)
        if (gold[t] != CAU_UNKNOWN)
            count_token(&k->token[s->form[t] == CAU_UNKNOWN ? UNKNOWN : KNOWN], tags, gold[t],
                        s->by[0].label[t]);
    k->chunked = !k->classes && tags->chunked && tags->types && cau_alphabet_size(tags->types) > 0;
    if (k->chunked) count_chunks(k, tags, s);
}

/* ---- the tree ------------------------------------------------------------------------ */

static const char *const kind_keys[] = {"known", "unknown", "all"};
static const char *const words_keys[] = {"all_known", "some_unknown", "all_unknown", "all"};
static const char *const training_keys[] = {"seen", "other_type", "unseen", "all"};

enum { GROUPS = 3 };

/* Known and unknown tokens, and both together. */
static void add_tokens(cau_tree *tree, const cau_words_known *k)
{
    const token_counts *a = &k->token[KNOWN], *b = &k->token[UNKNOWN];
    const token_counts kinds[] = {
        *a,
        *b,
        {a->count + b->count, a->right + b->right, a->tp + b->tp, a->fp + b->fp, a->fn + b->fn}};
    cau_tree_object(tree, k->chunked ? "tokens" : "accuracy");
    for (size_t i = 0; i <= KINDS; i++) {
        const token_counts *c = &kinds[i];
        const cau_prf prf = cau_counts_prf((cau_counts){c->tp + c->fn, c->tp + c->fp, c->tp}, NAN);
        cau_tree_object(tree, kind_keys[i]);
        cau_tree_fields(tree, {"count", cau_json_count(c->count)},
                        {"share", cau_json_number(cau_ratio(c->count, kinds[KINDS].count))});
        if (k->chunked)
            cau_tree_fields(tree, {"tp", cau_json_count(c->tp)}, {"fp", cau_json_count(c->fp)},
                            {"fn", cau_json_count(c->fn)}, CAU_PRF_FIELDS(prf));
        else
            cau_tree_fields(tree, {"correct", cau_json_count(c->right)},
                            {"accuracy", cau_json_number(cau_ratio(c->right, c->count))});
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
}

/* Groups of chunks, and all of them together. */
static void add_groups(cau_tree *tree, const char *key, const char *const *keys,
                       const cau_counts *groups)
{
    cau_counts all = {0};
    cau_tree_object(tree, key);
    for (size_t i = 0; i <= GROUPS; i++) {
        const cau_counts c = i < GROUPS ? groups[i] : all;
        const cau_prf prf = cau_counts_prf(c, NAN);
        cau_tree_record(tree, keys[i], {"gold", cau_json_count(c.gold)},
                        {"found", cau_json_count(c.found)}, {"correct", cau_json_count(c.correct)},
                        CAU_PRF_FIELDS(prf));
        all.gold += c.gold;
        all.found += c.found;
        all.correct += c.correct;
    }
    cau_tree_end(tree);
}

void cau_words_known_tree(const cau_words_known *k, cau_tree *tree)
{
    cau_tree_object(tree, "known");
    cau_tree_string(tree, "case", "exact");
    cau_tree_object(tree, "training");
    cau_tree_count(tree, "tokens", k->tokens);
    cau_tree_count(tree, "sentences", k->sentences);
    cau_tree_count(tree, "forms", cau_alphabet_size(k->forms));
    if (k->chunked) cau_tree_count(tree, "chunks", k->typed.count);
    if (k->chunked && k->tags.foreign != CAU_UNKNOWN)
        cau_tree_text(tree, "foreign_label", cau_alphabet_name(k->labels, k->tags.foreign));
    cau_tree_end(tree);
    add_tokens(tree, k);
    if (k->chunked) {
        add_groups(tree, "chunks_by_words", words_keys, k->by_words);
        add_groups(tree, "chunks_by_training", training_keys, k->by_training);
    }
    cau_tree_end(tree);
}

/* ---- text ---------------------------------------------------------------------------- */

/* A table whose rows are the members of a node. */
static void print_rows(cau_writer *out, const cau_column *columns, size_t n, const json_t *node,
                       const char *const *titles, const char *const *keys, size_t rows)
{
    cau_strbuf_add(&out->text, "\n", 1);
    cau_text_table table = cau_text_table_begin(out, columns, n);
    for (size_t i = 0; i < rows; i++) cau_text_table_row(&table, titles[i], cau_at(node, keys[i]));
    cau_text_table_end(&table);
}

static void print_groups(cau_writer *out, const char *heading, const json_t *groups,
                         const char *const *titles, const char *const *keys)
{
    const cau_column columns[] = {
        {heading, "<"},
        {"precision", "{precision:.4f}"},
        {"recall", "{recall:.4f}"},
        {"    F1", "{f1:.4f}"},
        {"    gold", "{gold}"},
        {"   found", "{found}"},
        {" correct", "{correct}"},
    };
    print_rows(out, columns, 7, groups, titles, keys, GROUPS + 1);
}

void cau_words_known_print(const json_t *known, cau_writer *out)
{
    static const cau_column by_type[] = {
        {"tokens by type            ", "<"},
        {"   count", "{count}"},
        {" share", "{share:.1%}"},
        {"precision", "{precision:.4f}"},
        {"recall", "{recall:.4f}"},
        {"    F1", "{f1:.4f}"},
        {"      tp", "{tp}"},
        {"      fp", "{fp}"},
        {"      fn", "{fn}"},
    };
    static const cau_column by_class[] = {{"tokens                    ", "<"},
                                          {"   count", "{count}"},
                                          {" share", "{share:.1%}"},
                                          {"accuracy", "{accuracy:.4f}"},
                                          {" correct", "{correct}"}};
    static const char *const kinds[] = {"known (IV)", "unknown (OOV)", "all"};
    static const char *const words[] = {"all words known", "some words unknown",
                                        "all words unknown", "all"};
    static const char *const training[] = {"seen with this type", "seen with other types only",
                                           "not seen", "all"};
    cau_print(out, known,
              "\nknown words: {training.forms} forms in the {training.tokens} tokens of training; "
              "forms are compared exactly, case matters\n");
    const json_t *tokens = cau_at(known, "tokens");
    if (!tokens) {
        print_rows(out, by_class, 5, cau_at(known, "accuracy"), kinds, kind_keys, KINDS + 1);
        return;
    }
    print_rows(out, by_type, 9, tokens, kinds, kind_keys, KINDS + 1);
    cau_print(out, NULL,
              "(labels without B- and I-, micro-averaged over the types; O is not a type)\n");
    print_groups(out, "chunks by words           ", cau_at(known, "chunks_by_words"), words,
                 words_keys);
    print_groups(out, "chunks by training        ", cau_at(known, "chunks_by_training"), training,
                 training_keys);
    cau_print(out, known,
              "(seen: the training data has a chunk of the same words; it has {training.chunks} "
              "chunks of different words\nor type. - means a division by 0)\n");
    if (cau_at(known, "training.foreign_label"))
        cau_print(out, known,
                  "(training has labels that are not labels of chunks, such as "
                  "'{training.foreign_label}': they were read as O)\n");
}
