/* compare.c - several systems on the same tokens: what is kept of them, and what is said.
 *
 * While sentences come, three things are counted: how often system i was right where j was wrong,
 * for all pairs (McNemar's table); the chunks of each sentence or document; and its right tokens,
 * for only the last label tells whether labels are chunks or classes. Sentences are kept as
 * bags of shares (resample.c), so memory grows with those that differ from all before.
 * Where no sentence ever ends, each token is a unit of its own, of which there are few kinds.
 *
 * What McNemar tests is whether two systems are right about equally many tokens. Nothing in it is
 * about chunks, and tokens of a sentence are not independent, as it assumes. The two tests by
 * resampling are about the score that is reported. All are printed, with what they test.
 *
 * The JSON, as the value of "comparison":
 *
 *   {
 *     "measure": "f1",             what scores are: "f1" of chunks, or "accuracy" of tokens
 *     "unit": "sentence",          what is resampled: "sentence", "document" or "token"
 *     "units": 3684,
 *     "tokens": 46435,             with a known gold label: those of McNemar's test
 *     "resamples": 10000,          of the bootstrap, and of the randomisation
 *     "seed": 1,
 *     "systems": [
 *       {"name": "a.txt", "right": 45000,                   tokens
 *        "score": 0.8545, "interval": [0.8490, 0.8600]},    95%, percentiles of the bootstrap
 *       ...],
 *     "pairs": [                   all of them: 0 1, 0 2, ..., 1 2, ...
 *       {"first": 0, "second": 1,                           indices of "systems"
 *        "difference": 0.0116,                              second minus first
 *        "interval": [0.0071, 0.0163],
 *        "only_first": 100, "only_second": 140,             tokens that only one has right
 *        "chi2": 6.3375,                                    of McNemar, with continuity
 *        "p": {                                             two-sided, but for the bootstrap's
 *          "mcnemar": 0.011821, "exact": 0.011664, "bootstrap": p, "randomisation": p},
 *        "holm": {...}},                                    the same, adjusted for all pairs
 *       ...]
 *   } */

#include "eval/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    NAME_WIDTH_MAX = 40, /* a longer name breaks its row instead of widening all */
    PAIR_WIDTH = 9,      /* of the column of numbers: "12 - 3" */
    P_WIDTH = 15,        /* of a p, and of "randomisation" */
};

/* The tests of a pair, in the order of their columns. */
enum { BOOTSTRAP, RANDOMISATION, MCNEMAR, EXACT, TESTS };

typedef struct {
    size_t a, b;
    uint64_t only_a, only_b;
    double chi2;
    cau_resampled resampled;
    double p[TESTS], holm[TESTS];
} pair_result;

/* What a document has so far. */
typedef struct {
    bool open;
    cau_share *chunks, *tokens; /* [S] */
} document;

struct cau_compare {
    size_t S;
    cau_arena arena; /* of the names and all arrays [S] */
    const char **names;
    cau_unit unit;

    uint64_t tokens;
    uint64_t *right; /* [S] */
    uint64_t *only;  /* [S][S] i is right, j is wrong */

    bool ended, marked;       /* some sentence did; some document began */
    uint64_t length;          /* tokens since the last end */
    cau_share *since;         /* [S] the same, and how many are right */
    cau_share *scratch;       /* [S] */
    document document;        /* where units are documents */
    cau_shares *of_chunks;    /* NULL once labels are known to be classes */
    cau_shares *of_sentences; /* the right tokens of sentences or documents */
    cau_shares *of_tokens;    /* each a unit; NULL after the first end */

    /* after cau_compare_finish */
    bool chunks; /* scores are F1 */
    uint64_t units, resamples, seed;
    cau_interval *scores; /* [S] */
    size_t P;
    pair_result *pairs; /* [P] by cau_pair_at */
};

/* ---- collecting ---------------------------------------------------------------------- */

static caucus_status alloc_arrays(cau_compare *c, const char *const *names)
{
    size_t cells;
    if (!cau_size_mul(c->S, c->S, &cells)) return CAUCUS_ERR_MEMORY;
    c->P = (cells - c->S) / 2;
    struct {
        void **array;
        size_t count, size;
    } wanted[] = {
        {(void **)&c->names, c->S, sizeof *c->names},
        {(void **)&c->right, c->S, sizeof *c->right},
        {(void **)&c->only, cells, sizeof *c->only},
        {(void **)&c->since, c->S, sizeof *c->since},
        {(void **)&c->scratch, c->S, sizeof *c->scratch},
        {(void **)&c->document.chunks, c->S, sizeof *c->document.chunks},
        {(void **)&c->document.tokens, c->S, sizeof *c->document.tokens},
        {(void **)&c->scores, c->S, sizeof *c->scores},
        {(void **)&c->pairs, c->P, sizeof *c->pairs},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        *wanted[i].array = cau_arena_alloc(&c->arena, wanted[i].count, wanted[i].size);
        if (!*wanted[i].array) return CAUCUS_ERR_MEMORY;
        memset(*wanted[i].array, 0, wanted[i].count * wanted[i].size);
    }
    for (size_t s = 0; s < c->S; s++) {
        c->names[s] = cau_arena_copy(&c->arena, names[s], strlen(names[s]));
        if (!c->names[s]) return CAUCUS_ERR_MEMORY;
    }
    return CAUCUS_OK;
}

caucus_status cau_compare_new(caucus_ctx *ctx, size_t systems, const char *const *names,
                              cau_unit unit, cau_compare **out)
{
    caucus_status st = CAUCUS_OK;
    cau_compare *c = cau_calloc(1, sizeof *c);
    if (!c) TRY(cau_fail_memory(ctx, "the comparison"));
    c->S = systems;
    c->unit = unit;
    cau_arena_init(&c->arena);
    if (alloc_arrays(c, names)) TRY(cau_fail_memory(ctx, "the comparison"));
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

/* The document ends and is a unit. */
static caucus_status close_document(cau_compare *c)
{
    caucus_status st = CAUCUS_OK;
    document *d = &c->document;
    if (!d->open) return CAUCUS_OK;
    if (c->of_chunks) TRY(cau_shares_add(c->of_chunks, d->chunks));
    TRY(cau_shares_add(c->of_sentences, d->tokens));
    memset(d->chunks, 0, c->S * sizeof *d->chunks);
    memset(d->tokens, 0, c->S * sizeof *d->tokens);
    d->open = false;
done:
    return st;
}

/* A sentence without a counted token or chunk is no unit, but it may begin a document. */
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

/* The adjusted p-values of one test; p and adjusted [P] are scratch. */
static caucus_status adjust(cau_compare *c, size_t test, double *p, double *adjusted)
{
    for (size_t i = 0; i < c->P; i++) p[i] = c->pairs[i].p[test];
    caucus_status st = cau_holm(p, c->P, adjusted);
    for (size_t i = 0; !st && i < c->P; i++) c->pairs[i].holm[test] = adjusted[i];
    return st;
}

static caucus_status test_pairs(caucus_ctx *ctx, cau_compare *c, const cau_resampled *resampled)
{
    caucus_status st = CAUCUS_OK;
    for (size_t a = 0; a < c->S; a++)
        for (size_t b = a + 1; b < c->S; b++) {
            const size_t at = cau_pair_at(c->S, a, b);
            pair_result *pair = &c->pairs[at];
            *pair = (pair_result){.a = a,
                                  .b = b,
                                  .only_a = c->only[a * c->S + b],
                                  .only_b = c->only[b * c->S + a],
                                  .resampled = resampled[at]};
            const cau_mcnemar mcnemar = cau_mcnemar_test(pair->only_a, pair->only_b);
            pair->chi2 = mcnemar.chi2;
            pair->p[MCNEMAR] = mcnemar.p;
            pair->p[EXACT] = mcnemar.exact;
            pair->p[BOOTSTRAP] = resampled[at].bootstrap;
            pair->p[RANDOMISATION] = resampled[at].randomisation;
        }
    double *p = cau_alloc(c->P, sizeof *p), *adjusted = cau_alloc(c->P, sizeof *adjusted);
    if (!p || !adjusted) st = CAUCUS_ERR_MEMORY;
    for (size_t test = 0; !st && test < TESTS; test++) st = adjust(c, test, p, adjusted);
    free(p);
    free(adjusted);
    return st ? cau_fail_memory(ctx, "the tests") : CAUCUS_OK;
}

/* Ends what is open and gives the bag that is to be resampled. */
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
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "no line -DOCSTART- tells where a document begins; put one before each, or "
                     "resample sentences"));
    TRY(choose_units(ctx, c, chunks, &units));
    c->units = cau_shares_count(units);
    if (c->units < 2)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     "%llu %s%s in all, and resampling needs two or more; compare on more data",
                     (unsigned long long)c->units, unit_name(c), plural(c->units)));
    resampled = cau_alloc(c->P, sizeof *resampled);
    if (!resampled) TRY(cau_fail_memory(ctx, "the comparison"));
    TRY(cau_resample(ctx, units, resamples, seed, threads, c->scores, resampled));
    c->resamples = resamples;
    c->seed = seed;
    TRY(test_pairs(ctx, c, resampled));
done:
    free(resampled);
    return st;
}

double cau_compare_get(const cau_compare *c, size_t a, size_t b, const char *measure)
{
    if (a >= c->S || b >= c->S || a == b || c->resamples == 0) return NAN;
    const bool turned = a > b;
    const pair_result *pair = &c->pairs[turned ? cau_pair_at(c->S, b, a) : cau_pair_at(c->S, a, b)];
    const cau_resampled *r = &pair->resampled;
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"mcnemar", pair->chi2},
        {"mcnemar-p", pair->p[MCNEMAR]},
        {"mcnemar-exact", pair->p[EXACT]},
        {"difference", turned ? -r->difference : r->difference},
        {"low", turned ? -r->high : r->low},
        {"high", turned ? -r->low : r->high},
        {"bootstrap-p", pair->p[BOOTSTRAP]},
        {"randomisation-p", pair->p[RANDOMISATION]},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(measure, known[i].name) == 0) return known[i].value;
    return NAN;
}

/* ---- tables -------------------------------------------------------------------------- */

/* A table is written row by row: `row` is where the row begins in the text of the sheet. */
typedef struct {
    const cau_compare *c;
    cau_writer *sheet;
    size_t row;
} page;

/* Blanks up to a column of the row, and at least two; all that stands before is ASCII. */
static void go_to(page *to, size_t column)
{
    const size_t used = to->sheet->text.n - to->row;
    cau_writer_left(to->sheet, CAU_STR(""), used + 2 < column ? column - used : 2);
}

static void end_row(page *to)
{
    cau_strbuf_add(&to->sheet->text, "\n", 1);
    to->row = to->sheet->text.n;
}

/* "0.8490 to 0.8600", with room for a sign before. */
static void add_interval(page *to, double low, double high)
{
    cau_writer_number(to->sheet, low, 4, 9);
    cau_strbuf_printf(&to->sheet->text, " to ");
    cau_strbuf_fixed(&to->sheet->text, high, 4);
}

/* Whether p is the smallest that so many resamples can give, and so only a bound. */
static bool is_bound(const page *to, const pair_result *pair, size_t test)
{
    return (test == BOOTSTRAP || test == RANDOMISATION) &&
           pair->p[test] * ((double)to->c->resamples + 1) < 1.5;
}

/* "0.0123" behind `equals`, or "<= 0.0001", "1.23e-07", "< 1e-300". */
static void add_p(page *to, double p, bool bound, const char *equals)
{
    const bool tiny = p < 1e-300;
    cau_strbuf_printf(&to->sheet->text, "%s", tiny ? "< " : bound ? "<= " : equals);
    if (p < 0.0001 || bound)
        cau_strbuf_general(&to->sheet->text, tiny ? 1e-300 : p, 3);
    else
        cau_strbuf_fixed(&to->sheet->text, p, 4);
}

static const char *score_name(const cau_compare *c)
{
    return c->chunks ? "the F1 of chunks" : "accuracy";
}

static void write_scores(page *to)
{
    const cau_compare *c = to->c;
    size_t width = strlen("system");
    for (size_t s = 0; s < c->S; s++) {
        size_t w = cau_text_width((cau_str){c->names[s], strlen(c->names[s])});
        if (w > NAME_WIDTH_MAX) w = NAME_WIDTH_MAX;
        if (w > width) width = w;
    }
    cau_strbuf_printf(&to->sheet->text, "%*s  ", PAIR_WIDTH, "");
    cau_writer_left(to->sheet, CAU_STR("system"), width);
    cau_strbuf_printf(&to->sheet->text, "  %8s   95%% interval", c->chunks ? "F1" : "accuracy");
    end_row(to);
    for (size_t s = 0; s < c->S; s++) {
        cau_strbuf_printf(&to->sheet->text, "%*zu  ", PAIR_WIDTH, s + 1);
        cau_writer_left(to->sheet, (cau_str){c->names[s], strlen(c->names[s])}, width);
        cau_writer_number(to->sheet, c->scores[s].score, 4, 10);
        add_interval(to, c->scores[s].low, c->scores[s].high);
        end_row(to);
    }
    if (c->P > 1) return;
    const cau_resampled *r = &c->pairs[0].resampled;
    cau_strbuf_printf(&to->sheet->text, "%*s  ", PAIR_WIDTH, "2 - 1");
    cau_writer_left(to->sheet, CAU_STR(""), width);
    cau_writer_number(to->sheet, r->difference, 4, 10);
    add_interval(to, r->low, r->high);
    end_row(to);
}

/* The four tests of two systems, a row each. */
static void write_tests(page *to)
{
    const pair_result *pair = &to->c->pairs[0];
    const double d = pair->resampled.difference;
    cau_strbuf *text = &to->sheet->text;
    static const char *const names[TESTS] = {
        [BOOTSTRAP] = "paired bootstrap",
        [RANDOMISATION] = "approximate randomisation",
        [MCNEMAR] = "McNemar, chi-square",
        [EXACT] = "McNemar, exact",
    };
    for (size_t test = 0; test < TESTS; test++) {
        cau_strbuf_printf(text, "%s", names[test]);
        go_to(to, 27);
        cau_strbuf_printf(text, "p ");
        add_p(to, pair->p[test], is_bound(to, pair, test), "= ");
        go_to(to, 42);
        if (test == BOOTSTRAP && d == 0)
            cau_strbuf_printf(text, "neither is better on these data");
        else if (test == BOOTSTRAP)
            cau_strbuf_printf(text, "one-sided: %d is better than %d", d > 0 ? 2 : 1,
                              d > 0 ? 1 : 2);
        else
            cau_strbuf_printf(text, "two-sided");
        if (test == MCNEMAR) {
            cau_strbuf_printf(text, ", chi2 ");
            cau_strbuf_fixed(&to->sheet->text, pair->chi2, 4);
        }
        if (test == EXACT)
            cau_strbuf_printf(text, "; tokens right in 1 only: %llu, in 2 only: %llu",
                              (unsigned long long)pair->only_a, (unsigned long long)pair->only_b);
        end_row(to);
    }
}

static void begin_pair(page *to, const pair_result *pair)
{
    char name[64];
    snprintf(name, sizeof name, "%zu - %zu", pair->b + 1, pair->a + 1);
    cau_strbuf_printf(&to->sheet->text, "%*s", PAIR_WIDTH, name);
}

/* A p and its adjusted form, in columns of their own. */
static void add_test(page *to, const pair_result *pair, size_t test, size_t column)
{
    const bool bound = is_bound(to, pair, test);
    go_to(to, column);
    add_p(to, pair->p[test], bound, "");
    go_to(to, column + P_WIDTH);
    add_p(to, pair->holm[test], bound, "");
}

static void add_heads(page *to, size_t column, const char *test, const char *other)
{
    const char *const heads[] = {test, "Holm", other, "Holm"};
    for (size_t i = 0; i < 4; i++) {
        go_to(to, column + i * P_WIDTH);
        cau_strbuf_printf(&to->sheet->text, "%s", heads[i]);
    }
}

/* All pairs of more than two systems: the score, then the tokens. */
static void write_pairs(page *to)
{
    enum { SCORE_COLUMN = 43, TOKEN_COLUMN = 48 }; /* where the tests begin */
    const cau_compare *c = to->c;
    cau_strbuf_printf(&to->sheet->text, "%*s  difference   95%% interval", PAIR_WIDTH, "pair");
    add_heads(to, SCORE_COLUMN, "bootstrap", "randomisation");
    end_row(to);
    for (size_t i = 0; i < c->P; i++) {
        const pair_result *pair = &c->pairs[i];
        begin_pair(to, pair);
        cau_writer_number(to->sheet, pair->resampled.difference, 4, 12);
        add_interval(to, pair->resampled.low, pair->resampled.high);
        add_test(to, pair, BOOTSTRAP, SCORE_COLUMN);
        add_test(to, pair, RANDOMISATION, SCORE_COLUMN + 2 * P_WIDTH);
        end_row(to);
    }
    end_row(to);
    cau_strbuf_printf(&to->sheet->text, "%*s  only second  only first        chi2", PAIR_WIDTH,
                      "pair");
    add_heads(to, TOKEN_COLUMN, "McNemar", "exact");
    end_row(to);
    for (size_t i = 0; i < c->P; i++) {
        const pair_result *pair = &c->pairs[i];
        begin_pair(to, pair);
        cau_strbuf_printf(&to->sheet->text, "  %11llu  %10llu", (unsigned long long)pair->only_b,
                          (unsigned long long)pair->only_a);
        cau_writer_number(to->sheet, pair->chi2, 4, 12);
        add_test(to, pair, MCNEMAR, TOKEN_COLUMN);
        add_test(to, pair, EXACT, TOKEN_COLUMN + 2 * P_WIDTH);
        end_row(to);
    }
}

/* What was tested, in plain words. */
static void write_words(page *to)
{
    const cau_compare *c = to->c;
    cau_strbuf *text = &to->sheet->text;
    if (c->P > 1)
        cau_strbuf_printf(text,
                          "The bootstrap's p is one-sided, that the better system of the pair is "
                          "better; the others are\ntwo-sided. Holm: adjusted for %zu pairs.\n",
                          c->P);
    cau_strbuf_printf(text,
                      "Bootstrap and randomisation are about %s and draw %ss; %llu resamples, "
                      "seed %llu.\n",
                      score_name(c), unit_name(c), (unsigned long long)c->resamples,
                      (unsigned long long)c->seed);
    if (c->chunks)
        cau_strbuf_printf(text, "McNemar's test is about single tokens, right or wrong, and not "
                                "about F1.\n");
    else
        cau_strbuf_printf(text, "McNemar's test is about single tokens, right or wrong, each by "
                                "itself.\n");
}

void cau_compare_report(const cau_compare *c, cau_writer *sheet)
{
    page to = {.c = c, .sheet = sheet, .row = sheet->text.n};
    cau_strbuf_printf(&sheet->text, "%zu systems compared by %s: %llu %s%s, %llu token%s", c->S,
                      score_name(c), (unsigned long long)c->units, unit_name(c), plural(c->units),
                      (unsigned long long)c->tokens, plural(c->tokens));
    end_row(&to);
    end_row(&to);
    write_scores(&to);
    end_row(&to);
    if (c->P > 1)
        write_pairs(&to);
    else
        write_tests(&to);
    end_row(&to);
    write_words(&to);
}

/* ---- JSON ---------------------------------------------------------------------------- */

/* Each gives a new value, or NULL when memory is short; a NULL inside a larger value makes
 * that NULL as well. */

static json_t *interval(double low, double high)
{
    return json_pack("[ff]", low, high);
}

static json_t *integer(uint64_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *of_tests(const double value[TESTS])
{
    return json_pack("{sf sf sf sf}", "mcnemar", value[MCNEMAR], "exact", value[EXACT], "bootstrap",
                     value[BOOTSTRAP], "randomisation", value[RANDOMISATION]);
}

static json_t *of_system(const cau_compare *c, size_t s)
{
    const cau_interval *score = &c->scores[s];
    return json_pack("{so so sf so}", "name",
                     cau_writer_string((cau_str){c->names[s], strlen(c->names[s])}), "right",
                     integer(c->right[s]), "score", score->score, "interval",
                     interval(score->low, score->high));
}

static json_t *of_pair(const pair_result *pair)
{
    const cau_resampled *r = &pair->resampled;
    return json_pack("{so so sf so so so sf so so}", "first", integer(pair->a), "second",
                     integer(pair->b), "difference", r->difference, "interval",
                     interval(r->low, r->high), "only_first", integer(pair->only_a), "only_second",
                     integer(pair->only_b), "chi2", pair->chi2, "p", of_tests(pair->p), "holm",
                     of_tests(pair->holm));
}

void cau_compare_json(const cau_compare *c, cau_writer *sheet, json_t *root)
{
    json_t *systems = json_array(), *pairs = json_array();
    for (size_t s = 0; s < c->S; s++) cau_writer_push(sheet, systems, of_system(c, s));
    for (size_t i = 0; i < c->P; i++) cau_writer_push(sheet, pairs, of_pair(&c->pairs[i]));
    cau_writer_put(sheet, root, "comparison",
                   json_pack("{ss ss so so so so so so}", "measure", c->chunks ? "f1" : "accuracy",
                             "unit", unit_name(c), "units", integer(c->units), "tokens",
                             integer(c->tokens), "resamples", integer(c->resamples), "seed",
                             integer(c->seed), "systems", systems, "pairs", pairs));
}
