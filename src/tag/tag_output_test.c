/* tag_output_test.c - compares the output for sequences, option by option, with the list of all
 * labellings, for models and pools; the same bytes at any number of threads and any chunk size. */

#include <stdio.h>

#include "base/rng.h"
#include "support/paths.h"
#include "support/tag_sample.h"

enum { Y = 3, WORDS_MAX = 5, SENTENCES = 30 };

/* Word, previous word, plain transitions, and transitions by word. */
static const char names[] = "U0:p|U0:q|U1:p|U1:q|U1:_B-1", edge_names[] = "B1:p|B1:q";
static const char labels[] = "O|B-X|I-X";
static const char template[] = "U0:%x[0,0]\nU1:%x[-1,0]\n\nB\nB1:%x[0,0]\n";

/* A model or a pool, and data for it. */
typedef struct {
    double w[VOTERS_MAX][5 * Y], edge_w[VOTERS_MAX][2 * Y * Y];
    double plain[VOTERS_MAX][Y * Y], bias[VOTERS_MAX][Y];
    double alpha[VOTERS_MAX];
    cau_member_part member[VOTERS_MAX];
    tiny parts;
    struct {
        size_t T;
        char word[WORDS_MAX];
        const char *gold[WORDS_MAX];
    } sentence[SENTENCES];
    cau_tag_options options;
} output_case;

static const char *const golds[] = {"O", "B-X", "I-X", "?", "B-X|O", "I-X|B-X|I-X"};

/* Must not be moved. pool NULL: a single model; otherwise its alphas are made here. */
static void output_case_init(output_case *x, cau_rng *rng, cau_kind kind, const cau_pool *pool)
{
    memset(x, 0, sizeof *x);
    const size_t J = pool ? pool->J : 1;
    static const size_t counts[] = {5 * Y, 2 * Y * Y, Y * Y, Y};
    for (size_t j = 0; j < J; j++) {
        double *const weights[] = {x->w[j], x->edge_w[j], x->plain[j], x->bias[j]};
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < counts[i]; k++)
                weights[i][k] = (double)(float)(3 * cau_rng_real(rng) - 1.5);
        x->alpha[j] = J == 2 ? (j ? 0.25 : 0.75) : (j == 1 ? 0.5 : 0.25);
        x->member[j] = (cau_member_part){x->w[j], x->edge_w[j], x->plain[j], x->bias[j]};
    }
    x->parts = (tiny){.kind = kind,
                      .names = names,
                      .labels = labels,
                      .w = x->w[0],
                      .bias = x->bias[0],
                      .edge_names = edge_names,
                      .edge_w = x->edge_w[0],
                      .plain = x->plain[0],
                      .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1, .comments = true},
                      .template = template};
    if (pool) {
        x->parts.pool = *pool;
        x->parts.pool.alpha = x->alpha;
        x->parts.member = x->member;
    }
    for (size_t i = 0; i < SENTENCES; i++) {
        x->sentence[i].T = 1 + cau_rng_below(rng, WORDS_MAX);
        for (size_t t = 0; t < x->sentence[i].T; t++) {
            x->sentence[i].word[t] = "pqr"[cau_rng_below(rng, 3)];
            x->sentence[i].gold[t] = golds[cau_rng_below(rng, 6)];
        }
    }
}

/* ---- by hand ------------------------------------------------------------------------- */

/* The row of a name in a list, or SIZE_MAX. */
static size_t find(const char *list, const char *name)
{
    for (size_t k = 0; k < tiny_count(list); k++) {
        const cau_str item = tiny_item(list, k);
        if (item.n == strlen(name) && memcmp(item.s, name, item.n) == 0) return k;
    }
    return SIZE_MAX;
}

static void add_row(const char *list, const double *w, size_t width, const char *name, double *s)
{
    const size_t k = find(list, name);
    for (size_t c = 0; k != SIZE_MAX && c < width; c++) s[c] += w[k * width + c];
}

typedef struct {
    const output_case *x;
    size_t i;
} output_options;

/* Legal in iob2, and consistent with the forced labels. */
static bool allowed(const void *self, const uint32_t *y)
{
    const output_options *at = self;
    const size_t T = at->x->sentence[at->i].T;
    for (size_t t = 0; t < T; t++) {
        if (at->x->options.scheme && y[t] == 2 && (t == 0 || y[t - 1] == 0)) return false;
        const char *gold = at->x->sentence[at->i].gold[t];
        bool found = strcmp(gold, "?") == 0 || !at->x->options.forced;
        for (size_t k = 0; k < tiny_count(gold); k++) {
            const cau_str one = tiny_item(gold, k), own = tiny_item(labels, y[t]);
            found |= one.n == own.n && memcmp(one.s, own.s, own.n) == 0;
        }
        if (!found) return false;
    }
    return true;
}

/* The scores of a sentence by a model or by each member. */
typedef struct {
    double s[VOTERS_MAX][WORDS_MAX * Y], own[VOTERS_MAX][WORDS_MAX * Y * Y];
    scored_sequence q[VOTERS_MAX];
} sentence_scores;

static void score(const output_case *x, size_t i, sentence_scores *out)
{
    const size_t T = x->sentence[i].T, J = x->parts.pool.J ? x->parts.pool.J : 1;
    memset(out, 0, sizeof *out);
    for (size_t j = 0; j < J; j++) {
        double *s = out->s[j], *own = out->own[j];
        for (size_t t = 0; t < T; t++) {
            char name[20];
            memcpy(s + t * Y, x->bias[j], sizeof x->bias[j]);
            snprintf(name, sizeof name, "U0:%c", x->sentence[i].word[t]);
            add_row(names, x->w[j], Y, name, s + t * Y);
            snprintf(name, sizeof name, "U1:%c", t ? x->sentence[i].word[t - 1] : ' ');
            add_row(names, x->w[j], Y, t ? name : "U1:_B-1", s + t * Y);
            snprintf(name, sizeof name, "B1:%c", x->sentence[i].word[t]);
            add_row(edge_names, x->edge_w[j], Y * Y, name, own + t * Y * Y);
        }
        out->q[j] = (scored_sequence){x->parts.kind, T, Y, s, x->plain[j], own};
    }
}

/* All labellings, with the distribution of token and segment probabilities. */
static all_paths *list(const output_case *x, size_t i)
{
    sentence_scores by;
    score(x, i, &by);
    const output_options at = {x, i};
    return x->parts.pool.J ? list_votes(&x->parts.pool, by.q, allowed, &at)
                           : list_paths(by.q, allowed, &at);
}

/* The same with the distribution that ranks labellings: the mixture itself, if it is decoded
 * exactly, or if it is rescored without constraints. */
static all_paths *list_best(const output_case *x, size_t i)
{
    const cau_tag_options *o = &x->options;
    const cau_pool *pool = &x->parts.pool;
    const bool exact = pool->mix == CAU_MIX_EXACT;
    if (pool->J == 0 || (pool->mix != CAU_MIX_RESCORE && !exact) ||
        pool->per == CAU_PER_TRANSITION || (!exact && (o->forced || o->scheme)) ||
        o->decode == CAU_DECODE_POSTERIOR)
        return list(x, i);
    const output_options at = {x, i};
    sentence_scores by;
    score(x, i, &by);
    if (exact) return list_mixture(pool, by.q, allowed, &at);
    return list_rescored(pool, by.q, o->nbest > 8 ? (size_t)o->nbest : 8);
}

static void add_label(cau_strbuf *out, size_t y)
{
    const cau_str label = tiny_item(labels, y);
    cau_strbuf_add(out, label.s, label.n);
}

/* The labels by their probability at t. */
static void add_ranked(cau_strbuf *out, const all_paths *all, size_t t, size_t n)
{
    bool used[Y] = {0};
    for (size_t k = 0; k < n && k < Y; k++) {
        uint32_t best = Y;
        for (uint32_t y = 0; y < Y; y++)
            if (!used[y] && (best == Y || marginal_of(all, t, y) > marginal_of(all, t, best)))
                best = y;
        used[best] = true;
        cau_strbuf_printf(out, "\t");
        add_label(out, best);
        cau_strbuf_printf(out, ":%.9g", marginal_of(all, t, best));
    }
}

static void add_segment(cau_strbuf *out, const all_paths *all, const uint32_t *y, size_t t)
{
    const bool starts = y[t] == 1 || (y[t] == 2 && (t == 0 || y[t - 1] == 0));
    size_t end = t + 1;
    while (end < all->T && y[end] == 2) end++;
    if (starts)
        cau_strbuf_printf(out, "\t%.9g", probability_of(all, y, t, end));
    else
        cau_strbuf_printf(out, "\t_");
}

static void add_labelling(cau_strbuf *out, const output_case *x, size_t i, const all_paths *all,
                          const uint32_t *y)
{
    const cau_tag_options *o = &x->options;
    for (size_t t = 0; t < all->T; t++) {
        cau_strbuf_printf(out, "%c %s\t", x->sentence[i].word[t], x->sentence[i].gold[t]);
        add_label(out, y[t]);
        if (o->label_probability) cau_strbuf_printf(out, "\t%.9g", marginal_of(all, t, y[t]));
        if (o->segments) add_segment(out, all, y, t);
        for (uint32_t k = 0; o->probabilities && k < Y; k++) {
            cau_strbuf_printf(out, "\t");
            add_label(out, k);
            cau_strbuf_printf(out, ":%.9g", marginal_of(all, t, k));
        }
        if (o->top) add_ranked(out, all, t, (size_t)o->top);
        cau_strbuf_printf(out, "\n");
    }
}

/* The labelling of posterior decoding: the best product of marginals that the scheme allows. */
static const uint32_t *posterior(const output_case *x, size_t i, const all_paths *all,
                                 all_paths **memory)
{
    output_case legal = *x;
    legal.options.forced = false;
    *memory = list(&legal, i);
    const uint32_t *best = NULL;
    double most = -1;
    for (size_t n = 0; n < (*memory)->count; n++) {
        double product = 1;
        for (size_t t = 0; t < all->T; t++) product *= marginal_of(all, t, (*memory)->path[n].y[t]);
        if (product > most) most = product, best = (*memory)->path[n].y;
    }
    return best;
}

/* Expected output for sentence i, without the blank line after it. */
static void add_sentence(cau_strbuf *out, const output_case *x, size_t i, const all_paths *all)
{
    const cau_tag_options *o = &x->options;
    all_paths *best = list_best(x, i);
    for (size_t n = 0; n < (o->nbest ? o->nbest : 1) && n < best->count; n++) {
        all_paths *memory = NULL;
        const uint32_t *y = best->path[n].y;
        if (o->decode == CAU_DECODE_POSTERIOR) y = posterior(x, i, all, &memory);
        if (n) cau_strbuf_printf(out, "\n");
        if (o->nbest)
            cau_strbuf_printf(out, "# %zu %.9g\n", n, best->path[n].p);
        else if (o->sequence_probability)
            cau_strbuf_printf(out, "# %.9g\n", probability_of(best, y, 0, all->T));
        add_labelling(out, x, i, all, y);
        free(memory);
    }
    free(best);
}

/* ---- the tagger ---------------------------------------------------------------------- */

static void check(output_case *x, const cau_tag_options *options)
{
    static const unsigned threads[] = {1, 2, 3, 8};
    static const size_t pieces[] = {1, 7, 50, 1000, 0};
    caucus_ctx *ctx = test_ctx();
    cau_strbuf input = {0}, want = {0};
    x->options = *options;
    for (size_t i = 0; i < SENTENCES; i++) {
        all_paths *all = list(x, i);
        for (size_t t = 0; all->count && t < all->T; t++)
            cau_strbuf_printf(&input, "%c %s\n", x->sentence[i].word[t], x->sentence[i].gold[t]);
        if (all->count) add_sentence(&want, x, i, all);
        cau_strbuf_printf(&input, "\n");
        cau_strbuf_printf(&want, "\n");
        free(all);
    }
    caucus_model *model = tiny_model(&x->parts);
    const char *path = test_file("in.txt", input.s, input.n);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            cau_strbuf got = {0};
            cau_tag_options o = *options;
            o.chunk = pieces[p];
            assert_ok(ctx, cau_tag(ctx, model, &o, threads[i], path, into_text, &got));
            assert_string_equal(got.s, want.s);
            cau_strbuf_clear(&got);
        }
    cau_model_free(model);
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&want);
    caucus_ctx_free(ctx);
}

static const cau_tag_options all_options[] = {
    {0},
    {.probabilities = true},
    {.top = 2},
    {.label_probability = true},
    {.sequence_probability = true},
    {.nbest = 1},
    {.nbest = 4},
    {.decode = CAU_DECODE_POSTERIOR},
    {.scheme = CAU_SCHEME_IOB2},
    {.forced = true},
    {.segments = true},
    {.forced = true, .scheme = CAU_SCHEME_IOB2, .probabilities = true},
    {.decode = CAU_DECODE_POSTERIOR, .scheme = CAU_SCHEME_IOB2, .sequence_probability = true},
    {.nbest = 3,
     .scheme = CAU_SCHEME_IOB2,
     .forced = true,
     .segments = true,
     .label_probability = true,
     .top = 3},
    {.nbest = 12, .probabilities = true, .segments = true},
};
enum { OPTIONS = sizeof all_options / sizeof *all_options };

static void test_options(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 17);
    for (size_t i = 0; i < OPTIONS; i++)
        for (cau_kind kind = CAU_KIND_MEMM; kind <= CAU_KIND_CRF; kind++) {
            output_case x;
            output_case_init(&x, &rng, kind, NULL);
            check(&x, &all_options[i]);
        }
}

static const cau_pool ways[] = {
    {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_CHAIN},
    {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_POSTERIOR},
    {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_RESCORE},
    {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_SEQUENCE, .mix = CAU_MIX_EXACT},
    {.combine = CAU_COMBINE_MIXTURE, .per = CAU_PER_TRANSITION},
    {.combine = CAU_COMBINE_PRODUCT, .per = CAU_PER_TRANSITION},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Pools that vote per sequence, in every way. */
static void test_pools(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 19);
    for (size_t i = 0; i < OPTIONS; i++)
        for (size_t k = 0; k < WAYS; k++) {
            output_case x;
            cau_pool pool = ways[k];
            pool.J = 2 + (i + k) % 2;
            output_case_init(&x, &rng, i % 2 ? CAU_KIND_MEMM : CAU_KIND_CRF, &pool);
            check(&x, &all_options[i]);
        }
}

/* Two members: one slightly prefers a at every token, the other b. No labelling is much better than
 * the others, so exact decoding of 20 tokens reaches its limit and says so. */
static void test_uncertified(void **state)
{
    (void)state;
    static const double half[] = {0.5, 0.5}, first[] = {0.01, 0}, second[] = {0, 0.01};
    static const cau_member_part member[] = {{.nodes = first}, {.nodes = second}};
    const tiny parts = {
        .kind = CAU_KIND_CRF,
        .names = "U:x",
        .labels = "a|b",
        .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1},
        .template = "U:%x[0,0]\nB\n",
        .pool = {.J = 2, .combine = CAU_COMBINE_MIXTURE, .mix = CAU_MIX_EXACT, .alpha = half},
        .member = member};
    const cau_tag_options options = {.sequence_probability = true};
    cau_strbuf input = {0}, notes = {0};
    for (size_t t = 0; t < 20; t++) cau_strbuf_printf(&input, "x\n");
    cau_strbuf_printf(&input, "\nx\n");
    for (unsigned threads = 1; threads < 3; threads++) {
        caucus_ctx *ctx = test_ctx();
        caucus_status st;
        notes.n = 0;
        caucus_on_note(ctx, collect_note, &notes);
        char *got = tiny_tag(ctx, &parts, &options, threads, input.s, &st);
        assert_ok(ctx, st);
        assert_non_null(strstr(got, "e-07 uncertified\nx\ta\nx\ta\n"));
        assert_non_null(strstr(got, "\n\n# 0.5\nx\ta\n"));
        const char *note = strstr(notes.s, "/in.txt: ");
        assert_non_null(note);
        assert_string_equal(note, "/in.txt: exact decoding stopped at 4096-best lists for 1 of 2 "
                                  "sequences; their labels are the best of these lists, and "
                                  "perhaps not the best\n");
        free(got);
        caucus_ctx_free(ctx);
    }
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&notes);

    /* from memory */
    static const char *const cell[] = {"x"};
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = tiny_model(&parts);
    caucus_tagger *tagger = NULL;
    assert_ok(ctx, caucus_tagger_new(ctx, model, NULL, &tagger));
    for (size_t T = 1; T < 21; T += 19) {
        for (size_t t = 0; t < T; t++)
            assert_ok(ctx, caucus_tagger_add_cells(ctx, tagger, cell, 1));
        assert_int_equal(caucus_tagger_certified(tagger), 0);
        assert_ok(ctx, caucus_tagger_run(ctx, tagger));
        assert_int_equal(caucus_tagger_certified(tagger), T == 1);
        assert_int_equal(caucus_tagger_length(tagger), T);
    }
    caucus_tagger_free(tagger);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

/* ---- forms --------------------------------------------------------------------------- */

/* The words determine the labels, whatever precedes: p O, q B-X, r I-X. */
static const double simple_w[] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
static const tiny simple = {
    .kind = CAU_KIND_CRF,
    .names = "U:p|U:q|U:r",
    .labels = labels,
    .w = simple_w,
    .read = {.format = CAU_FORMAT_COLUMNS, .columns = 1, .comments = true, .docstart = true},
    .template = "U:%x[0,0]\nB\n"};

static void check_text(const tiny *parts, const cau_tag_options *options, const char *input,
                       const char *want)
{
    caucus_ctx *ctx = test_ctx();
    caucus_status st;
    char *got = tiny_tag(ctx, parts, options, 2, input, &st);
    assert_ok(ctx, st);
    assert_string_equal(got, want);
    free(got);
    caucus_ctx_free(ctx);
}

static void test_comments_and_marks(void **state)
{
    (void)state;
    const cau_tag_options plain = {0}, two = {.nbest = 2};
    check_text(&simple, &plain, "\n# c\n\np O\n# in\nq O\n-DOCSTART- O\nr O\n\n\n# e",
               "\n# c\n\np O\tO\n# in\nq O\tB-X\n-DOCSTART- O\nr O\tI-X\n\n\n# e\n");
    check_text(&simple, &plain, "p\tx\r\nq\tx", "p\tx\tO\nq\tx\tB-X\n");
    check_text(&simple, &plain, "", "");
    check_text(&simple, &plain, "# nothing\n", "# nothing\n");
    /* p = e^2 / (e^2 + 2) = 0.786986 and 1 / (e^2 + 2) = 0.106507; comments are printed once */
    check_text(&simple, &two, "# c\np O\n# in\nq O\n",
               "# c\n# 0 0.619347031\np O\tO\n# in\nq O\tB-X\n"
               "\n# 1 0.0838195058\np O\tO\nq O\tO\n");
}

static void test_crfsuite(void **state)
{
    (void)state;
    tiny parts = simple;
    parts.names = "p|q|r";
    parts.template = NULL;
    parts.read = (cau_read_options){.format = CAU_FORMAT_CRFSUITE};
    /* after B-X, I-X is best: the sequence matters */
    const double plain[] = {0, 0, 0, 0, 0, 9, 0, 0, 0};
    parts.plain = plain;
    const cau_tag_options options = {0}, forced = {.forced = true};
    check_text(&parts, &options, "O\tq\nO\tp\n\nO\tp\n", "O\tB-X\nO\tI-X\n\nO\tO\n");
    check_text(&parts, &forced, "O\tq\n?\tp\n\nO|I-X\tq\n", "O\tO\n?\tO\n\nO|I-X\tO\n");
}

static void test_errors(void **state)
{
    (void)state;
    static const cau_tag_options forced = {.forced = true},
                                 both = {.forced = true, .scheme = CAU_SCHEME_IOB2};
    static const struct {
        const cau_tag_options *options;
        const char *input, *answered, *message;
    } cases[] = {
        {&forced, "p O\n\nq O\nr I-Y\np O\n", "p O\tO\n\n",
         "in.txt:4: the model has no label 'I-Y'"},
        {&forced, "p O\n\nq O|\n", "p O\tO\n\n", "in.txt:3: the model has no label ''"},
        {&forced, "p ?\n\nq O|?\n", "p ?\tO\n\n", "in.txt:3: the model has no label '?'"},
        {&both, "p O\n\n\np O\nq I-X\n\n", "p O\tO\n\n\n", "in.txt:4: no labelling"},
        {&both, "p O\n\np O O\n", "p O\tO\n\n", "in.txt:3: "},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_status st;
        char *got = tiny_tag(ctx, &simple, cases[i].options, 2, cases[i].input, &st);
        assert_fails(ctx, st, CAUCUS_ERR_FORMAT, cases[i].message);
        assert_string_equal(got, cases[i].answered);
        free(got);
    }
    caucus_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        bool maxent;
        cau_tag_options options;
        const char *message;
    } cases[] = {
        {false, {.nbest = 2, .decode = CAU_DECODE_POSTERIOR}, "give one of them"},
        {false, {.top = 2, .probabilities = true}, "give one of them"},
        {false, {.scheme = CAU_SCHEME_IO}, "not part of scheme io"},
        {true, {.nbest = 1}, "--nbest is for sequence models"},
        {true, {.decode = CAU_DECODE_POSTERIOR}, "--decode is for"},
        {true, {.forced = true}, "--forced is for"},
        {true, {.scheme = CAU_SCHEME_IOB2}, "--scheme is for"},
        {true, {.segments = true}, "--segments is for"},
        {true, {.sequence_probability = true}, "--sequence-probability is for"},
    };
    caucus_ctx *ctx = test_ctx();
    tiny maxent = simple;
    maxent.kind = CAU_KIND_MAXENT;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        caucus_status st;
        free(
            tiny_tag(ctx, cases[i].maxent ? &maxent : &simple, &cases[i].options, 2, "p O\n", &st));
        assert_fails(ctx, st, CAUCUS_ERR_ARGUMENT, cases[i].message);
    }
    const cau_tag_options label_probability = {.label_probability = true};
    check_text(&maxent, &label_probability, "p O\n", "p O\tO\t0.786986042\n");
    caucus_ctx_free(ctx);
}

/* A sequence with many features is scored in several steps, and its buffer grows. */
static void test_long_sequence(void **state)
{
    (void)state;
    cau_strbuf input = {0}, want = {0};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t t = 0; t < 30000; t++) {
        const size_t y = cau_rng_below(&rng, 3);
        cau_strbuf_printf(&input, "%c O\n", "pqr"[y]);
        cau_strbuf_printf(&want, "%c O\t", "pqr"[y]);
        add_label(&want, y);
        cau_strbuf_printf(&want, "\n");
    }
    const cau_tag_options plain = {0};
    check_text(&simple, &plain, input.s, want.s);
    cau_strbuf_clear(&input);
    cau_strbuf_clear(&want);
}

/* ---- a pipe -------------------------------------------------------------------------- */

/* A sequence is answered as soon as its blank line arrives, and not before: the first half of the
 * second turn cannot be answered yet. */
static void test_answers_before_the_end(void **state)
{
    (void)state;
    static const char *const questions[] = {"q O\n\np O\n", "", "\np O\n", "r O\n\nq O\n", NULL};
    check_conversation(&simple, questions, "q O\tB-X\n\np O\tO\n\np O\tO\nr O\tI-X\n\nq O\tB-X\n");
}

/* ---- memory -------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    cau_rng rng;
    cau_rng_init(&rng, 23);
    tag_attempt r = {.ctx = test_ctx(),
                     .path = test_text("in.txt", "p O|B-X\n# c\nq ?\nr I-X\n\nq O\np ?\n")};
    for (size_t k = 0; k <= WAYS; k++) {
        output_case x;
        cau_pool pool = k ? ways[k - 1] : (cau_pool){0};
        pool.J = 2;
        output_case_init(&x, &rng, CAU_KIND_CRF, k ? &pool : NULL);
        caucus_model *model = tiny_model(&x.parts);
        r.model = model;
        r.options = (cau_tag_options){
            .nbest = 2, .scheme = CAU_SCHEME_IOB2, .forced = true, .segments = true, .top = 1};
        assert_true(test_every_allocation(try_tag, &r) > (k ? 70 : 40));
        r.options = (cau_tag_options){.nbest = 2};
        assert_true(test_every_allocation(try_tag, &r) > 30);
        cau_model_free(model);
    }
    caucus_ctx_free(r.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_uncertified),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_comments_and_marks),
        cmocka_unit_test(test_crfsuite),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_sequence),
        cmocka_unit_test(test_answers_before_the_end),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
