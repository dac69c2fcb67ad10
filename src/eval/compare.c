/* compare.c - several systems on the same tokens: counts, significance tests and their report.
 *
 * Three things are counted: for all pairs of systems the tokens where i is right and j is wrong
 * (McNemar's table); the chunks of each sentence or document; and its right tokens, because labels
 * are known to be chunks or classes only after the last one. Sentences are kept as a multiset of
 * shares (resample.c), so memory grows with the number of different sentences. If no line ends a
 * sentence, each token is a unit.
 *
 * McNemar's test compares the numbers of right tokens. It does not involve chunks, and it assumes
 * that tokens are independent, which the tokens of a sentence are not. The two tests by resampling
 * compare the reported score. The report states what each test compares.
 * docs/evaluation.md describes the JSON. */

#include "eval/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* The tests of a pair. */
enum { MCNEMAR, EXACT, BOOTSTRAP, RANDOMISATION, TESTS };
static const char *const test_keys[TESTS] = {"mcnemar", "exact", "bootstrap", "randomisation"};

typedef struct {
    size_t a, b;
    uint64_t only_a, only_b;
    double chi2;
    cau_resampled resampled;
} pair_result;

/* The current document. */
typedef struct {
    bool open;
    cau_share *chunks, *tokens; /* [S] */
} document_shares;

struct cau_compare {
    size_t S;
    size_t firsts, P; /* the pairs a < b with a < firsts, and their number */
    cau_arena arena;  /* of the names and all arrays [S] */
    const char **names;
    cau_unit unit;

    uint64_t tokens;
    uint64_t *right; /* [S] */
    uint64_t *only;  /* [S][S] tokens where i is right and j is wrong */

    bool ended, marked;       /* some sentence has ended; some document has begun */
    uint64_t length;          /* tokens since the last end */
    cau_share *since;         /* [S] right tokens, and all tokens, since the last end */
    cau_share *scratch;       /* [S] */
    document_shares document; /* if units are documents */
    cau_shares *of_chunks;    /* NULL once labels are classes */
    cau_shares *of_sentences; /* the right tokens of sentences or documents */
    cau_shares *of_tokens;    /* each token a unit; NULL after the first end */

    /* after cau_compare_finish */
    bool chunks; /* scores are F1 */
    uint64_t units, resamples, seed;
    cau_interval *scores; /* [S] */
    pair_result *pairs;   /* [P] by cau_pair_at */
    double *p, *holm;     /* [TESTS][P] p-values, and corrected ones */
};

/* ---- collecting ---------------------------------------------------------------------- */

static void *zeros(cau_compare *c, size_t count, size_t size)
{
    void *array = cau_arena_alloc(&c->arena, count, size);
    return array ? memset(array, 0, count * size) : NULL;
}

static bool alloc_arrays(cau_compare *c, const char *const *names)
{
    const size_t S = c->S;
    size_t cells;
    if (!cau_size_mul(S, S, &cells)) return false;
    c->P = cau_pair_at(S, c->firsts, c->firsts + 1);
    c->names = zeros(c, S, sizeof *c->names);
    c->right = zeros(c, S, sizeof *c->right);
    c->only = zeros(c, cells, sizeof *c->only);
    c->since = zeros(c, S, sizeof *c->since);
    c->scratch = zeros(c, S, sizeof *c->scratch);
    c->document.chunks = zeros(c, S, sizeof *c->document.chunks);
    c->document.tokens = zeros(c, S, sizeof *c->document.tokens);
    c->scores = zeros(c, S, sizeof *c->scores);
    c->pairs = zeros(c, c->P, sizeof *c->pairs);
    c->p = zeros(c, c->P, TESTS * sizeof *c->p);
    c->holm = zeros(c, c->P, TESTS * sizeof *c->holm);
    bool fine = c->names && c->right && c->only && c->since && c->scratch && c->document.chunks &&
                c->document.tokens && c->scores && c->pairs && c->p && c->holm;
    for (size_t s = 0; fine && s < S; s++) {
        c->names[s] = cau_arena_copy(&c->arena, names[s], strlen(names[s]));
        fine = c->names[s] != NULL;
    }
    return fine;
}

caucus_status cau_compare_new(caucus_ctx *ctx, size_t systems, const char *const *names,
                              cau_unit unit, cau_pairs pairs, cau_compare **out)
{
    caucus_status st = CAUCUS_OK;
    cau_compare *c = cau_calloc(1, sizeof *c);
    if (!c) TRY(cau_fail_memory(ctx, "the comparison"));
    c->S = systems;
    c->firsts = pairs == CAU_PAIRS_FIRST ? 1 : systems - 1;
    c->unit = unit;
    cau_arena_init(&c->arena);
    if (!alloc_arrays(c, names)) TRY(cau_fail_memory(ctx, "the comparison"));
    TRY(cau_shares_new(ctx, systems, &c->of_chunks));
    TRY(cau_shares_new(ctx, systems, &c->of_sentences));
    TRY(cau_shares_new(ctx, systems, &c->of_tokens));
    *out = c;
    c = NULL;
done:
    cau_compare_free(c);
    return st;
}

void cau_compare_free(cau_compare *c)
{
    if (!c) return;
    cau_shares_free(c->of_chunks);
    cau_shares_free(c->of_sentences);
    cau_shares_free(c->of_tokens);
    cau_arena_clear(&c->arena);
    free(c);
}

caucus_status cau_compare_token(cau_compare *c, const bool *right)
{
    c->tokens++;
    c->length++;
    for (size_t i = 0; i < c->S; i++) {
        c->right[i] += right[i];
        c->since[i].hits += right[i];
        c->since[i].base++;
        for (size_t j = 0; right[i] && j < c->S; j++) c->only[i * c->S + j] += !right[j];
    }
    if (c->ended) return CAUCUS_OK;
    for (size_t s = 0; s < c->S; s++) c->scratch[s] = (cau_share){right[s], 1};
    return cau_shares_add(c->of_tokens, c->scratch);
}

static void add_shares(size_t S, const cau_share *from, cau_share *to)
{
    for (size_t s = 0; s < S; s++) to[s].hits += from[s].hits, to[s].base += from[s].base;
}

/* Adds the current document as a unit. */
static caucus_status close_document(cau_compare *c)
{
    caucus_status st = CAUCUS_OK;
    document_shares *d = &c->document;
    if (!d->open) return CAUCUS_OK;
    if (c->of_chunks) TRY(cau_shares_add(c->of_chunks, d->chunks));
    TRY(cau_shares_add(c->of_sentences, d->tokens));
    memset(d->chunks, 0, c->S * sizeof *d->chunks);
    memset(d->tokens, 0, c->S * sizeof *d->tokens);
    d->open = false;
done:
    return st;
}

/* A sentence without a counted token or chunk is not a unit, but can begin a document. */
static bool is_empty(const cau_compare *c, const cau_counts *counts)
{
    if (c->length) return false;
    for (size_t s = 0; counts && s < c->S; s++)
        if (counts[s].gold || counts[s].found) return false;
    return true;
}

caucus_status cau_compare_break(cau_compare *c, const cau_counts *counts, bool first)
{
    caucus_status st = CAUCUS_OK;
    if (!counts) {
        cau_shares_free(c->of_chunks);
        c->of_chunks = NULL;
    }
    if (first) {
        c->marked = true;
        TRY(close_document(c));
    }
    if (is_empty(c, counts)) return CAUCUS_OK;
    c->ended = true;
    cau_shares_free(c->of_tokens);
    c->of_tokens = NULL;
    for (size_t s = 0; counts && s < c->S; s++)
        c->scratch[s] = (cau_share){2 * counts[s].correct, counts[s].found + counts[s].gold};
    if (c->unit == CAU_UNIT_DOCUMENT) {
        if (counts) add_shares(c->S, c->scratch, c->document.chunks);
        add_shares(c->S, c->since, c->document.tokens);
        c->document.open = true;
    } else {
        if (c->of_chunks) TRY(cau_shares_add(c->of_chunks, c->scratch));
        TRY(cau_shares_add(c->of_sentences, c->since));
    }
    memset(c->since, 0, c->S * sizeof *c->since);
    c->length = 0;
done:
    return st;
}

/* ---- testing ------------------------------------------------------------------------- */

static const char *unit_name(const cau_compare *c)
{
    if (c->unit == CAU_UNIT_DOCUMENT) return "document";
    return c->chunks || c->ended ? "sentence" : "token";
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static caucus_status test_pairs(caucus_ctx *ctx, cau_compare *c, const cau_resampled *resampled)
{
    for (size_t a = 0; a < c->firsts; a++)
        for (size_t b = a + 1; b < c->S; b++) {
            const size_t i = cau_pair_at(c->S, a, b);
            const uint64_t only_a = c->only[a * c->S + b], only_b = c->only[b * c->S + a];
            const cau_mcnemar mcnemar = cau_mcnemar_test(only_a, only_b);
            c->pairs[i] = (pair_result){a, b, only_a, only_b, mcnemar.chi2, resampled[i]};
            c->p[MCNEMAR * c->P + i] = mcnemar.p;
            c->p[EXACT * c->P + i] = mcnemar.exact;
            c->p[BOOTSTRAP * c->P + i] = resampled[i].bootstrap;
            c->p[RANDOMISATION * c->P + i] = resampled[i].randomisation;
        }
    for (size_t test = 0; test < TESTS; test++)
        if (cau_holm(c->p + test * c->P, c->P, c->holm + test * c->P))
            return cau_fail_memory(ctx, "the tests");
    return CAUCUS_OK;
}

/* Ends the current sentence and document. *out are the units to resample. */
static caucus_status choose_units(caucus_ctx *ctx, cau_compare *c, bool chunks, cau_shares **out)
{
    caucus_status st = CAUCUS_OK;
    if (!chunks && c->ended && c->length) TRY(cau_compare_break(c, NULL, false));
    TRY(close_document(c));
    c->chunks = chunks && c->of_chunks;
    *out = c->chunks ? c->of_chunks : c->ended ? c->of_sentences : c->of_tokens;
done:
    return st ? cau_fail_memory(ctx, "the comparison") : CAUCUS_OK;
}

caucus_status cau_compare_finish(caucus_ctx *ctx, cau_compare *c, bool chunks, uint64_t resamples,
                                 uint64_t seed, unsigned threads)
{
    caucus_status st = CAUCUS_OK;
    cau_resampled *resampled = NULL; /* [P] */
    cau_shares *units = NULL;
    if (c->unit == CAU_UNIT_DOCUMENT && !c->marked)
        TRY(cau_fail(
            ctx, CAUCUS_ERR_FORMAT,
            "no line -DOCSTART- marks the beginning of a document; put one before each, or "
            "resample sentences"));
    TRY(choose_units(ctx, c, chunks, &units));
    c->units = cau_shares_count(units);
    if (c->units < 2)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%llu %s%s, but resampling needs two or more; compare on more data",
                     (unsigned long long)c->units, unit_name(c), plural(c->units)));
    resampled = cau_alloc(c->P, sizeof *resampled);
    if (!resampled) TRY(cau_fail_memory(ctx, "the comparison"));
    TRY(cau_resample(ctx, units, resamples, seed, threads, c->firsts, c->scores, resampled));
    c->resamples = resamples;
    c->seed = seed;
    TRY(test_pairs(ctx, c, resampled));
done:
    free(resampled);
    return st;
}

/* ---- the tree ------------------------------------------------------------------------ */

static json_t *interval_of(double low, double high)
{
    return cau_json_numbers((const double[]){low, high}, 2);
}

/* p-values of pair i by the names of the tests; p [TESTS][P]. */
static void add_tests(cau_tree *tree, const char *key, const cau_compare *c, const double *p,
                      size_t i)
{
    cau_tree_object(tree, key);
    for (size_t test = 0; test < TESTS; test++)
        cau_tree_number(tree, test_keys[test], p[test * c->P + i]);
    cau_tree_end(tree);
}

void cau_compare_tree(const cau_compare *c, cau_tree *tree)
{
    cau_tree_object(tree, "comparison");
    cau_tree_fields(tree, {"measure", cau_json_string(c->chunks ? "f1" : "accuracy")},
                    {"unit", cau_json_string(unit_name(c))}, {"units", cau_json_count(c->units)},
                    {"tokens", cau_json_count(c->tokens)},
                    {"resamples", cau_json_count(c->resamples)}, {"seed", cau_json_count(c->seed)});
    cau_tree_array(tree, "systems");
    for (size_t s = 0; s < c->S; s++)
        cau_tree_record(tree, NULL, {"name", cau_json_string(c->names[s])},
                        {"right", cau_json_count(c->right[s])},
                        {"score", cau_json_number(c->scores[s].score)},
                        {"interval", interval_of(c->scores[s].low, c->scores[s].high)});
    cau_tree_end(tree);
    cau_tree_array(tree, "pairs");
    for (size_t i = 0; i < c->P; i++) {
        const pair_result *pair = &c->pairs[i];
        cau_tree_object(tree, NULL);
        cau_tree_fields(
            tree, {"first", cau_json_count(pair->a)}, {"second", cau_json_count(pair->b)},
            {"difference", cau_json_number(pair->resampled.difference)},
            {"interval", interval_of(pair->resampled.low, pair->resampled.high)},
            {"only_first", cau_json_count(pair->only_a)},
            {"only_second", cau_json_count(pair->only_b)}, {"chi2", cau_json_number(pair->chi2)});
        add_tests(tree, "p", c, c->p, i);
        add_tests(tree, "holm", c, c->holm, i);
        cau_tree_end(tree);
    }
    cau_tree_end(tree);
    cau_tree_end(tree);
}

/* ---- text ---------------------------------------------------------------------------- */

/* Adds p-value `kind` ("p" or "holm") of a test as text: "0.0123", "1.23e-07", "< 1e-300", or with
 * "<=" if it is the smallest that the resamples can give, and so only a bound. */
static void add_p(cau_tree *row, const char *key, const json_t *comparison, const json_t *pair,
                  const char *kind, size_t test, bool equals)
{
    const double smallest =
        (test == BOOTSTRAP ? 2 : 1) / (cau_number_at(comparison, "resamples") + 1);
    const double own = cau_number_at(cau_at(pair, "p"), test_keys[test]);
    const bool resampled = test == BOOTSTRAP || test == RANDOMISATION;
    const json_t *value = cau_at(cau_at(pair, kind), test_keys[test]);
    const double p = json_number_value(value);
    const char *template = equals ? "= {:.4f}" : "{:.4f}";
    if (p < 1e-300)
        template = "< 1e-300";
    else if (resampled && own < 1.5 * smallest)
        template = "<= {:.3g}";
    else if (p < 0.0001)
        template = equals ? "= {:.3g}" : "{:.3g}";
    cau_tree_print(row, key, value, template);
}

static void print_systems(const json_t *comparison, cau_writer *out)
{
    const bool chunks = strcmp(json_string_value(cau_at(comparison, "measure")), "f1") == 0;
    const cau_column columns[] = {{"         ", "{number}"},
                                  {"system", "<{name}"},
                                  {chunks ? "      F1" : "accuracy", "{score:.4f}"},
                                  {"95% interval", "{interval.0:.4f} to {interval.1:.4f}"}};
    const json_t *systems = cau_at(comparison, "systems"), *pairs = cau_at(comparison, "pairs");
    cau_text_table table = cau_text_table_begin(out, columns, 4);
    for (size_t s = 0; s < json_array_size(systems); s++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", s + 1);
        cau_text_table_row(&table, number, json_array_get(systems, s));
    }
    if (json_array_size(pairs) == 1) {
        json_t *row = json_copy(json_array_get(pairs, 0));
        if (json_object_set(row, "score", cau_at(row, "difference"))) out->text.failed = true;
        cau_text_table_row(&table, "2 - 1", row);
        json_decref(row);
    }
    cau_text_table_end(&table);
}

/* The tests of two systems, a row each. */
static void print_tests(const json_t *comparison, cau_writer *out)
{
    static const cau_column columns[] = {{NULL, "<{name}"}, {NULL, "<p {p}"}, {NULL, "<{about}"}};
    const json_t *pair = cau_at(comparison, "pairs.0");
    const struct {
        size_t test;
        const char *name, *about;
    } tests[] = {
        {BOOTSTRAP, "paired bootstrap", "two-sided"},
        {RANDOMISATION, "approximate randomisation", "two-sided"},
        {MCNEMAR, "McNemar, chi-square", "two-sided, chi2 {chi2:.4f}"},
        {EXACT, "McNemar, exact",
         "two-sided; tokens right in 1 only: {only_first}, in 2 only: {only_second}"},
    };
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t i = 0; i < TESTS; i++) {
        cau_tree_object(&rows, NULL);
        cau_tree_string(&rows, "name", tests[i].name);
        add_p(&rows, "p", comparison, pair, "p", tests[i].test, true);
        cau_tree_print(&rows, "about", pair, tests[i].about);
        cau_tree_end(&rows);
    }
    cau_print_rows(out, columns, 3, &rows);
}

/* The pairs of more than two systems: the score, then the tokens. */
static void print_pairs(const json_t *comparison, cau_writer *out)
{
    static const cau_column scores[] = {
        {"     pair", "{pair}"},
        {"difference", "{of.difference:.4f}"},
        {"95% interval", "{of.interval.0:.4f} to {of.interval.1:.4f}"},
        {"bootstrap", "{p.bootstrap}"},
        {"Holm", "{holm.bootstrap}"},
        {"randomisation", "{p.randomisation}"},
        {"Holm", "{holm.randomisation}"}};
    static const cau_column tokens[] = {{"     pair", "{pair}"},
                                        {"only second", "{of.only_second}"},
                                        {"only first", "{of.only_first}"},
                                        {"chi2", "{of.chi2:.4f}"},
                                        {"McNemar", "{p.mcnemar}"},
                                        {"Holm", "{holm.mcnemar}"},
                                        {"exact", "{p.exact}"},
                                        {"Holm", "{holm.exact}"}};
    static const char *const kinds[] = {"p", "holm"};
    const json_t *pairs = cau_at(comparison, "pairs");
    cau_tree rows = {0};
    cau_tree_array(&rows, NULL);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        json_t *pair = json_array_get(pairs, i);
        char name[64];
        snprintf(name, sizeof name, "%llu - %llu",
                 (unsigned long long)cau_count_at(pair, "second") + 1,
                 (unsigned long long)cau_count_at(pair, "first") + 1);
        cau_tree_object(&rows, NULL);
        cau_tree_fields(&rows, {"pair", cau_json_string(name)}, {"of", json_incref(pair)});
        for (size_t kind = 0; kind < 2; kind++) {
            cau_tree_object(&rows, kinds[kind]);
            for (size_t test = 0; test < TESTS; test++)
                add_p(&rows, test_keys[test], comparison, pair, kinds[kind], test, false);
            cau_tree_end(&rows);
        }
        cau_tree_end(&rows);
    }
    cau_tree_end(&rows);
    if (rows.failed) out->text.failed = true;
    cau_print_table(out, scores, 7, rows.root);
    cau_strbuf_add(&out->text, "\n", 1);
    cau_print_table(out, tokens, 8, rows.root);
    cau_tree_clear(&rows);
}

void cau_compare_print(const json_t *comparison, cau_writer *out)
{
    const bool chunks = strcmp(json_string_value(cau_at(comparison, "measure")), "f1") == 0;
    const char *score = chunks ? "the F1 of chunks" : "accuracy";
    const size_t S = json_array_size(cau_at(comparison, "systems"));
    cau_strbuf_printf(&out->text, "%zu systems compared by %s: ", S, score);
    cau_print(out, comparison, "{units} {unit}{units:|s}, {tokens} token{tokens:|s}\n\n");
    print_systems(comparison, out);
    cau_strbuf_add(&out->text, "\n", 1);
    if (S > 2)
        print_pairs(comparison, out);
    else
        print_tests(comparison, out);
    if (S > 2)
        cau_strbuf_printf(&out->text,
                          "\nAll p-values are two-sided. Holm: corrected for %zu pairs.",
                          json_array_size(cau_at(comparison, "pairs")));
    cau_strbuf_printf(&out->text, "\nBootstrap and randomisation test %s by resampling ", score);
    cau_print(out, comparison, "{unit}s; {resamples} resamples, seed {seed}.\n");
    cau_print(out, NULL,
              chunks ? "McNemar's test compares the labels of single tokens, not F1.\n"
                     : "McNemar's test takes tokens as independent.\n");
}
