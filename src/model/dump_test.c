/* dump_test.c - models as text: exact in both directions, and invalid dumps are refused. */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/strbuf.h"
#include "model/dump.h"
#include "support/base_sample.h"
#include "support/model_sample.h"
#include "support/support.h"

/* Names that need escapes, or look like keywords of the format. */
static const char *const names[] = {"sun", "a\ttab",   "line\nend\r",   "back\\slash",
                                    "",    "0:0x1p+0", "W\xC3\xB6rter", "end"};
static const char *const labels[] = {"dry", "wet and\tcold", "white"};
static const char info[] = "model\tmaxent\noption.l2\t1\nnote\ta\\tb\\nc\nempty\t\n";

enum { K = sizeof names / sizeof *names, Y = sizeof labels / sizeof *labels };

static cau_str name_of(const void *self, size_t k)
{
    (void)self;
    return str(names[k]);
}

static cau_str label_of(const void *self, size_t y)
{
    (void)self;
    return str(labels[y]);
}

static cau_model_parts parts_of(const double *w, size_t width, const double *bias)
{
    return (cau_model_parts){
        .Y = Y,
        .nodes = {.table = {.rows = K, .width = width}, .w = w, .name = name_of},
        .bias = bias,
        .label = label_of,
        .read = {.format = CAU_FORMAT_MEGAM, .ngrams = 3, .values = true},
        .info = {info, sizeof info - 1}};
}

static cau_strbuf dump(caucus_ctx *ctx, const caucus_model *m)
{
    cau_strbuf text = {0};
    assert_ok(ctx, cau_model_dump(ctx, m, into_text, &text));
    assert_ok(ctx, cau_strbuf_status(ctx, &text));
    return text;
}

/* Dumps, reads back and compares byte for byte. Returns the text, which the caller clears. */
static cau_strbuf round_trip(const cau_model_parts *parts)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *before = NULL, *after = NULL;
    assert_ok(ctx, cau_model_build(ctx, parts, &before));
    cau_strbuf text = dump(ctx, before);
    const char *path = test_file("dump.txt", text.s, text.n);
    assert_ok(ctx, cau_model_undump(ctx, path, &after));
    assert_same_model(after, before);
    cau_model_free(before);
    cau_model_free(after);
    caucus_ctx_free(ctx);
    return text;
}

static void test_exact(void **state)
{
    (void)state;
    const double bias[Y] = {0.1, -0.0, -1e-40}; /* includes a negative zero and a subnormal float */
    double w[K * Y];
    cau_rng rng;
    cau_rng_init(&rng, 1);
    for (size_t i = 0; i < K * Y; i++) w[i] = ldexp(cau_rng_real(&rng) - 0.5, (int)i * 8 - 96);
    w[0] = FLT_MAX, w[1] = -FLT_MAX, w[2] = 1e-45, w[3] = FLT_MIN;

    cau_model_parts dense = parts_of(w, Y, bias);
    cau_strbuf text = round_trip(&dense);
    assert_non_null(strstr(text.s, "\nclass\twet and\\tcold\t-0x0p+0\n"));
    assert_non_null(strstr(text.s, "\nfeature\tsun\t0:0x1.fffffep+127\t1:-0x1.fffffep+127\t"
                                   "2:0x1p-149\n"));
    cau_strbuf_clear(&text);

    cau_model_parts plain = parts_of(w, Y, NULL); /* no intercepts */
    text = round_trip(&plain);
    cau_strbuf_clear(&text);

    cau_model_parts apart = parts_of(w, 1, bias); /* one weight for all classes */
    text = round_trip(&apart);
    assert_non_null(strstr(text.s, "\nweights\tall classes\n"));
    cau_strbuf_clear(&text);

    memset(w, 0, sizeof w);
    w[1] = 2, w[5] = -3, w[K * Y - 1] = 0.1; /* stored sparsely, with most rows dropped */
    cau_model_parts packed = parts_of(w, Y, bias);
    text = round_trip(&packed);
    cau_strbuf_clear(&text);

    memset(w, 0, sizeof w); /* no features */
    cau_model_parts empty = parts_of(w, Y, bias);
    empty.info = (cau_str){NULL, 0};
    text = round_trip(&empty);
    cau_strbuf_clear(&text);
}

/* Every variant of the sample, and the text of the largest. */
static void test_variants(void **state)
{
    (void)state;
    for (unsigned variant = 0; variant < SAMPLE_VARIANTS; variant++) {
        sample s;
        sample_make(&s, variant);
        if (variant % 3) s.parts.read.comments = true;
        if (s.parts.kind == CAU_KIND_CRF && variant % 2) s.parts.kind = CAU_KIND_MEMM;
        cau_strbuf text = round_trip(&s.parts);
        cau_strbuf_clear(&text);
    }
    sample s;
    sample_make(&s, (SAMPLE_VARIANTS - 1) & ~(unsigned)(SAMPLE_POOL | SAMPLE_GATE));
    cau_strbuf text = round_trip(&s.parts);
    assert_string_equal(text.s, "caucus dump 2\nkind\tcrf\nformat\tcolumns\nngrams\t1\nlower\t0\n"
                                "counts\t0\nvalues\t0\ncomments\t0\ndocstart\t1\ncolumns\t2\n"
                                "template\tU00:%x[0,0]\\nU01:a\\\\b\\t%x[-1,0]\\n\\nB\\n\n"
                                "info\tsolver\tlbfgs\ninfo\tseed\t7\ninfo\tnote\ta\\tb\n"
                                "class\tdry\t0x1p-3\nclass\twet and\\tcold\t-0x1p-2\n"
                                "class\twhite\t-0x0p+0\n"
                                "from\t0\t0:0x1p+0\t2:0x1p-1\nfrom\t1\t0:-0x1p+0\t2:0x1p+1\n"
                                "from\t2\t0:0x1.8p+1\t1:0x1p+2\t2:0x1.4p+2\n"
                                "weights\teach class\n"
                                "feature\tsun\t0:0x1.8p+0\nfeature\train:\\ttab\t1:0x1.8p+1\n"
                                "feature\tsnow\t2:0x1p+2\n"
                                "edge\t\t0>1:0x1p+1\nedge\tsun\t1>2:0x1.333334p-1\t"
                                "2>0:0x1.666666p-1\nend\t3\t2\n");
    cau_strbuf_clear(&text);

    sample_make(&s, SAMPLE_VARIANTS - 1); /* the same as a pool, from its line on */
    text = round_trip(&s.parts);
    const char *pool = strstr(text.s, "pool\t");
    assert_non_null(pool);
    assert_string_equal(pool, "pool\tmixture\ttransition\trescore\t0x1.999999999999ap-4\t"
                              "0x1.ccccccccccccdp-1\ngate\t-0x0p+0\t0x1.5555555555555p-2\n"
                              "class\tdry\t0x1p-3\nmember\t0\t0x1.4p+0\nmember\t1\t0x0p+0\n"
                              "class\twet and\\tcold\t-0x1p-2\nmember\t0\t-0x0p+0\n"
                              "member\t1\t0x0p+0\n"
                              "class\twhite\t-0x0p+0\nmember\t0\t0x1.99999ap-4\n"
                              "member\t1\t0x0p+0\n"
                              "from\t0\t0:0x1p+0\t2:0x1p-1\nmember\t0\t0:0x1p+0\t2:0x1p-1\n"
                              "from\t1\t0:-0x1p+0\t2:0x1p+1\nmember\t0\t0:-0x1p+0\t2:0x1p+1\n"
                              "member\t1\t1:0x1p+3\t2:0x1.cp+2\n"
                              "from\t2\t0:0x1.8p+1\t1:0x1p+2\t2:0x1.4p+2\n"
                              "member\t0\t0:0x1.333334p-2\t1:0x1p+2\t2:-0x1.4p+2\n"
                              "member\t1\t0:0x1.8p+2\t1:0x1.4p+2\t2:0x1.99999ap-2\n"
                              "weights\teach class\n"
                              "feature\tsun\t0:0x1.8p+0\nmember\t0\t0:0x1.ep+3\n"
                              "gate\t0:0x1p-1\t1:-0x1p+1\n"
                              "feature\train:\\ttab\t1:0x1.8p+1\nmember\t1\t1:0x1.333334p-2\n"
                              "feature\tnothing\nmember\t0\t1:0x1.2p+3\nmember\t1\t1:-0x1p+0\n"
                              "gate\t1:0x1.99999ap-4\n"
                              "feature\tsnow\t2:0x1p+2\nmember\t1\t0:0x1.4p+1\t2:0x1p+2\n"
                              "gate\t0:0x1.cp+2\n"
                              "edge\t\t0>1:0x1p+1\nmember\t0\t0>1:0x1p+1\t2>2:0x1.4p+2\n"
                              "edge\tsun\t1>2:0x1.333334p-1\t2>0:0x1.666666p-1\n"
                              "member\t0\t1>2:0x1.333334p-2\t2>0:0x1.666666p-1\n"
                              "end\t4\t2\n");
    cau_strbuf_clear(&text);
}

/* Alphas are doubles: every bit is restored, and they print like printf's "%a". */
static void test_alphas(void **state)
{
    (void)state;
    static const double alpha[] = {1.0 / 3, -0.0,    0,       5e-324, -2.2e-308,
                                   DBL_MIN, DBL_MAX, -1e-200, 1,      -7.25};
    enum { J = sizeof alpha / sizeof *alpha };
    const cau_member_part silent[J] = {0};
    double w[K * Y] = {1, 2};
    cau_model_parts parts = parts_of(w, Y, NULL);
    parts.pool = (cau_pool){.J = J, .alpha = alpha};
    parts.member = silent;
    cau_strbuf text = round_trip(&parts);
    cau_strbuf want = {0};
    cau_strbuf_printf(&want, "\npool\tproduct\tsequence\tchain");
    for (size_t j = 0; j < J; j++) cau_strbuf_printf(&want, "\t%a", alpha[j]);
    assert_non_null(strstr(text.s, want.s));
    cau_strbuf_clear(&text);
    cau_strbuf_clear(&want);
}

/* Random pools: any member may have weights in any cell, or none. */
static void test_random_pools(void **state)
{
    (void)state;
    enum { J = 5 };
    static const double alpha[J] = {.2, .2, .2, .2, .2};
    cau_rng rng;
    cau_rng_init(&rng, 3);
    for (size_t round = 0; round < 60; round++) {
        double w[1 + J][K * Y], bias[1 + J][Y];
        cau_member_part member[J];
        for (size_t v = 0; v <= J; v++) {
            for (size_t i = 0; i < K * Y; i++)
                w[v][i] = cau_rng_below(&rng, 12) <= round % 13 ? cau_rng_real(&rng) - .5 : 0;
            for (size_t y = 0; y < Y; y++) bias[v][y] = cau_rng_real(&rng);
            if (v > 0)
                member[v - 1] =
                    (cau_member_part){.nodes = round % 3 || v > 2 ? w[v] : NULL, .bias = bias[v]};
        }
        cau_model_parts parts = parts_of(w[0], round % 4 ? Y : 1, round % 2 ? bias[0] : NULL);
        parts.pool = (cau_pool){.J = 1 + round % J, .mix = CAU_MIX_POSTERIOR, .alpha = alpha};
        parts.member = member;
        double base[J], gate[K * J];
        for (size_t j = 0; j < J; j++) base[j] = cau_rng_real(&rng) - .5;
        for (size_t i = 0; i < K * J; i++)
            gate[i] = cau_rng_below(&rng, 12) <= round % 5 ? cau_rng_real(&rng) - .5 : 0;
        if (round % 7 < 3) { /* some rows have only a gate weight */
            parts.pool.combine = CAU_COMBINE_MIXTURE;
            parts.pool.per = CAU_PER_TRANSITION;
            parts.gate_base = base;
            parts.gate = gate;
        }
        cau_strbuf text = round_trip(&parts);
        cau_strbuf_clear(&text);
    }
}

/* A stack, whose only member does not vote. */
static void test_stack(void **state)
{
    (void)state;
    static const double alpha[] = {1};
    sample s;
    sample_make(&s, SAMPLE_POOL | SAMPLE_BIAS);
    s.parts.pool = (cau_pool){.J = 1, .combine = CAU_COMBINE_STACK, .alpha = alpha};
    cau_strbuf text = round_trip(&s.parts);
    assert_non_null(strstr(text.s, "\npool\tstack\tsequence\tchain\t0x1p+0\nclass\t"));
    cau_strbuf_clear(&text);
}

/* Every weight prints like printf's "%a". */
static void test_hexadecimal(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double w[K * Y];
    cau_rng rng;
    cau_rng_init(&rng, 2);
    for (size_t i = 0; i < K * Y; i++)
        w[i] = (double)(float)ldexp(cau_rng_real(&rng) - 0.5, (int)cau_rng_below(&rng, 200) - 120);
    cau_model_parts parts = parts_of(w, Y, NULL);
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    cau_strbuf text = dump(ctx, m);
    for (size_t i = 0; i < K * Y; i++) {
        char want[64];
        snprintf(want, sizeof want, "\t%zu:%a", i % Y, w[i]);
        assert_non_null(strstr(text.s, want));
    }
    cau_strbuf_clear(&text);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

#define FIRST "caucus dump 2\n"
#define KIND FIRST "kind\tmaxent\n"
#define READ "\ncounts\t1\nvalues\t0\ncomments\t0\ndocstart\t0\ncolumns\t0\n"
#define HEAD KIND "format\ttext\nngrams\t1\nlower\t0" READ
#define CHAIN FIRST "kind\tcrf\nformat\tcolumns\nngrams\t1\nlower\t0" READ
#define LABELS "class\ta\nclass\tb\n"
#define CLASSES LABELS "weights\teach class\n"
#define POOL "pool\tmixture\tsequence\tchain\t.5\t.5\n"
#define GATE "pool\tmixture\ttransition\tchain\t.5\t.5\ngate"
#define GATED GATE "\t0\t-1.5\n"

/* Text written by hand, with decimals, zeros and Windows line ends. */
static void test_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "caucus dump 2\r\nkind\tmaxent\r\nformat\ttext\r\nngrams\t1\nlower\t0" READ CLASSES
        "feature\tx\t0:-12.5\t1:1e-3\nfeature\tgone\nfeature\tgone too\t1:0\n"
        "feature\ty\t1:0x1.8p+1\nend\t4\t0\n";
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_undump(ctx, test_text("hand.txt", text), &m));
    assert_int_equal(m->nodes.K, 2);
    assert_int_equal(m->Y, 2);
    assert_true(m->read.counts && !m->read.lower && m->read.format == CAU_FORMAT_TEXT);
    assert_null(m->bias);
    assert_near(cau_model_weight(&m->nodes, cau_model_find(m, &m->nodes, "x", 1), 0), -12.5, 0);
    assert_near(cau_model_weight(&m->nodes, cau_model_find(m, &m->nodes, "x", 1), 1), (double)1e-3f,
                0);
    assert_near(cau_model_weight(&m->nodes, cau_model_find(m, &m->nodes, "y", 1), 1), 3, 0);
    assert_int_equal(cau_model_find(m, &m->nodes, "gone", 4), CAU_UNKNOWN);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* A pool written by hand: members may omit zeros. */
static void test_pool_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        CHAIN POOL "class\ta\t1\nmember\t1\t-1\nclass\tb\t2\nfrom\t0\t1:3\nfrom\t1\n"
                   "member\t0\t0:4\nweights\teach class\nfeature\tx\nmember\t0\t1:5\nmember\t1\n"
                   "feature\ty\t0:1\nmember\t1\t0:6\t1:7\nfeature\tz\nmember\t0\t0:0\n"
                   "end\t3\t0\n";
    static const double nodes[2][4] = {{0, 5, 0, 0}, {0, 0, 6, 7}};
    static const double plain[2][4] = {{0, 0, 4, 0}, {0}}, bias[2][2] = {{0}, {-1, 0}};
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_undump(ctx, test_text("hand.txt", text), &m));
    assert_int_equal(m->nodes.K, 2); /* z has no weights */
    assert_int_equal(m->pool.J, 2);
    assert_true(m->pool.combine == CAU_COMBINE_MIXTURE && m->pool.alpha[1] == .5);
    for (size_t j = 0; j < 2; j++) {
        const cau_member *member = &m->member[j];
        for (size_t i = 0; i < 4; i++) {
            assert_near(cau_model_weight(&member->nodes, i / 2, i % 2), nodes[j][i], 0);
            assert_near((double)member->transitions[i], plain[j][i], 0);
        }
        for (size_t y = 0; y < 2; y++) assert_near((double)member->bias[y], bias[j][y], 0);
    }
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

/* A gate written by hand: features without a line have weight 0 in it. */
static void test_gate_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        CHAIN GATED CLASSES "feature\tx\nmember\t0\t1:5\nfeature\ty\ngate\t1:.5\nfeature\tz\ngate\n"
                            "feature\tu\t0:1\ngate\t0:-2\t1:1e-3\nedge\te\t0>0:1\nend\t4\t1\n";
    static const double gate[] = {0, 0, 0, .5, -2, (double)1e-3f};
    caucus_ctx *ctx = test_ctx();
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_undump(ctx, test_text("hand.txt", text), &m));
    assert_int_equal(m->nodes.K, 3); /* z has no weights, in the gate neither */
    assert_int_equal(m->edges.K, 1);
    assert_true(m->gate.base[0] == 0 && m->gate.base[1] == -1.5);
    for (size_t i = 0; i < 6; i++) assert_true((double)m->gate.weight[i] == gate[i]);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

static void test_invalid_dumps(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"", "bad.txt: the first line is not 'caucus dump 2'"},
        {"caucus dump 1\n", "bad.txt: the first line is not 'caucus dump 2'"},
        {FIRST, "bad.txt:1: the text ends here"},
        {FIRST "format\ttext\n", "bad.txt:2: 'format' instead of 'kind'"},
        {FIRST "kind\tsvm\n", "bad.txt:2: 'svm' is not a kind; use maxent, memm or crf"},
        {FIRST "kind\n", "bad.txt:2: '' is not a kind"},
        {FIRST "kind\tcrf\tx\n", "bad.txt:2: 'x' is one field too many"},
        {KIND "ngrams\t1\n", "bad.txt:3: 'ngrams' instead of 'format'"},
        {KIND "format\n", "bad.txt:3: '' is not a format"},
        {KIND "format\tword\n", "bad.txt:3: 'word' is not a format"},
        {KIND "format\ttext\tx\n", "bad.txt:3: 'x' is one field too many"},
        {KIND "format\ttext\nngrams\t9\n", "bad.txt:4: '9' is not a whole number from 1"},
        {KIND "format\ttext\nngrams\t\n", "bad.txt:4: '' is not a whole number"},
        {KIND "format\ttext\nngrams\n", "bad.txt:4: '' is not a whole number"},
        {KIND "format\ttext\nngrams\t1\nlower\t2\n", "bad.txt:5: '2' is not a whole number from 0"},
        {HEAD "template\n", "bad.txt:11: 'template' without a text"},
        {HEAD "template\t\n", "bad.txt:11: an empty template"},
        {HEAD "template\tB\tB\n", "bad.txt:11: 'B' is one field too many"},
        {HEAD "template\ta\\x\n", "bad.txt:11: 'a\\x' has a backslash"},
        {HEAD "template\tU:%x[\n", "bad.txt:11: the template:1: "},
        {HEAD "template\tB\ntemplate\tB\n", "bad.txt:12: 'template' instead of 'class'"},
        {HEAD "info\tkey\n", "bad.txt:11: info without a key and a value"},
        {HEAD "info\tkey\tvalue\tmore\n", "bad.txt:11: 'more' is one field too many"},
        {HEAD "weights\teach class\n", "bad.txt:11: 'weights' instead of 'class'"},
        {HEAD "class\n", "bad.txt:11: 'class' without a name"},
        {HEAD "class\ta\nclass\ta\n", "bad.txt:12: 'a' stands twice"},
        {HEAD "class\ta\\x\n", "bad.txt:11: 'a\\x' has a backslash"},
        {HEAD "class\ta\t1\nclass\tb\n", "bad.txt:12: default weights for some classes only"},
        {HEAD "class\ta\nclass\tb\t1\n", "bad.txt:12: default weights for some classes only"},
        {HEAD "class\ta\tnan\n", "bad.txt:11: 'nan' is not a weight"},
        {HEAD "class\ta\t1e39\n", "bad.txt:11: '1e39' is not a weight"},
        {HEAD "class\ta\nfeature\tx\n", "bad.txt:12: 'feature' instead of 'weights'"},
        {HEAD "class\ta\nweights\tsome\n", "bad.txt:12: 'some' is neither"},
        {CHAIN "class\ta\nweights\tall classes\n", "bad.txt:12: 'all classes' is neither"},
        {HEAD LABELS "from\t0\n", "bad.txt:13: transitions in a model of kind maxent"},
        {CHAIN LABELS "from\n", "bad.txt:13: transitions from class '' where those from 0"},
        {CHAIN LABELS "from\t1\n", "bad.txt:13: transitions from class '1' where those from 0"},
        {CHAIN LABELS "from\t0\nfrom\t0\n", "bad.txt:14: transitions from class '0' where"},
        {CHAIN LABELS "from\t0\nweights\t\n", "bad.txt:14: 'weights' instead of 'from'"},
        {CHAIN LABELS "from\t0\t2:1\n", "bad.txt:13: '2:1' is not class:weight"},
        {CHAIN LABELS "from\t0\t1:x\n", "bad.txt:13: 'x' is not a weight"},
        {CHAIN LABELS "from\t0\nfrom\t1\nfrom\t2\n",
         "bad.txt:15: 'from' instead of 'weights'; see `inspect --dump` for the order"},
        {HEAD CLASSES "feature\tx\t0:1\t0:2\n", "bad.txt:14: '0:2' is not class:weight"},
        {HEAD CLASSES "feature\tx\t2:1\n", "bad.txt:14: '2:1' is not class:weight"},
        {HEAD CLASSES "feature\tx\t-1:1\n", "bad.txt:14: '-1:1' is not class:weight"},
        {HEAD CLASSES "feature\tx\t1\n", "bad.txt:14: '1' is not class:weight"},
        {HEAD CLASSES "feature\tx\t1:\n", "bad.txt:14: '' is not a weight"},
        {HEAD CLASSES "feature\tx\t1:inf\n", "bad.txt:14: 'inf' is not a weight"},
        {HEAD CLASSES "feature\tx\t1:1\nfeature\tx\t1:1\n", "bad.txt:15: 'x' stands twice"},
        {HEAD CLASSES "feature\tx\t1:1\n", "bad.txt:14: the text ends here"},
        {HEAD CLASSES "edge\tx\t0>0:1\n", "bad.txt:14: an edge in a model of kind maxent"},
        {CHAIN CLASSES "edge\tx\t0:1\n", "bad.txt:14: '0:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t0>2:1\n", "bad.txt:14: '0>2:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t2>0:1\n", "bad.txt:14: '2>0:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t>0:1\n", "bad.txt:14: '>0:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t0>:1\n", "bad.txt:14: '0>:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t0>1\n", "bad.txt:14: '0>1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t1>0:1\t0>1:1\n", "bad.txt:14: '0>1:1' is not class>class:weight"},
        {CHAIN CLASSES "edge\tx\t0>1:1\nfeature\ty\n",
         "bad.txt:15: 'feature' instead of 'end'; see `inspect --dump` for the order"},
        {CHAIN CLASSES "edge\tx\t0>1:1\nedge\tx\n", "bad.txt:15: 'x' stands twice"},
        {CHAIN CLASSES "edge\tx\t0>1:1\nend\t0\t0\n", "bad.txt:15: the end of '0' edges, but 1"},
        {HEAD CLASSES "feature\tx\t1:1\nend\t2\t0\n", "bad.txt:15: the end of '2' features, but 1"},
        {HEAD CLASSES "end\n", "bad.txt:14: the end of '' features, but 0"},
        {HEAD CLASSES "end\t0\n", "bad.txt:14: the end of '' edges, but 0"},
        {HEAD CLASSES "end\t0\t0\t0\n", "bad.txt:14: '0' is one field too many"},
        {HEAD CLASSES "end\t0\t0\nmore\n", "bad.txt:15: text after the end"},
        {HEAD CLASSES "feature\t\xFF\t1:1\nend\t1\t0\n", "bad.txt:14: invalid UTF-8"},
        {HEAD "pool\n", "bad.txt:11: '' is not a way to combine; use product, mixture or stack"},
        {HEAD "pool\tsum\n", "bad.txt:11: 'sum' is not a way to combine"},
        {HEAD "pool\tproduct\tword\n",
         "bad.txt:11: 'word' is not a step to vote on; use sequence or transition"},
        {HEAD "pool\tproduct\tsequence\tbest\n", "bad.txt:11: 'best' is not a way to decode"},
        {HEAD "pool\tproduct\tsequence\tchain\n", "bad.txt:11: members cannot vote with these"},
        {HEAD "pool\tproduct\tsequence\tchain\t\n",
         "bad.txt:11: '' is no weight of a member; give a number such as 0x1p-1 or 0.5"},
        {HEAD "pool\tproduct\tsequence\tchain\t1\tx\n",
         "bad.txt:11: 'x' is no weight of a member; give a number such as 0x1p-1 or 0.5"},
        {HEAD "pool\tproduct\tsequence\tchain\tinf\n", "bad.txt:11: members cannot vote with"},
        {HEAD "pool\tmixture\tsequence\tchain\t2\t-1\n", "bad.txt:11: members cannot vote with"},
        {HEAD "pool\tmixture\tsequence\tchain\t0\t0\n", "bad.txt:11: members cannot vote with"},
        {HEAD POOL "pool\tproduct\n", "bad.txt:12: 'pool' instead of 'class'"},
        {HEAD "class\ta\t1\nmember\t0\t1\n",
         "bad.txt:12: 'member' instead of 'weights'; see `inspect --dump` for the order"},
        {HEAD POOL "class\ta\nmember\t0\t1\n",
         "bad.txt:13: 'member' instead of 'weights'; see `inspect --dump` for the order"},
        {HEAD POOL "class\ta\t1\nmember\t0\n", "bad.txt:13: '' is not a weight"},
        {HEAD POOL "class\ta\t1\nmember\t0\t1\t1\n", "bad.txt:13: '1' is one field too many"},
        {HEAD POOL "class\ta\t1\nmember\n", "bad.txt:13: '' is not a member below 2"},
        {HEAD POOL "class\ta\t1\nmember\t2\t1\n", "bad.txt:13: '2' is not a member below 2"},
        {HEAD POOL "class\ta\t1\nmember\t1\t1\nmember\t1\t1\n", "bad.txt:14: '1' is not a member"},
        {HEAD POOL "class\ta\t1\nmember\t1\t1\nmember\t0\t1\n", "bad.txt:14: '0' is not a member"},
        {CHAIN POOL LABELS "from\t0\nmember\t0\t2:1\n", "bad.txt:15: '2:1' is not class:weight"},
        {CHAIN POOL LABELS "from\t0\nmember\tx\n", "bad.txt:15: 'x' is not a member below 2"},
        {HEAD POOL CLASSES "member\t0\t0:1\n", "bad.txt:15: 'member' instead of 'end'"},
        {HEAD POOL CLASSES "feature\tx\nmember\t0\t1:1\t0:1\n",
         "bad.txt:16: '0:1' is not class:weight"},
        {CHAIN POOL CLASSES "edge\tx\nmember\t0\t1:1\n",
         "bad.txt:16: '1:1' is not class>class:weight"},
        {HEAD "pool\tstack\tsequence\tchain\t1\t1\n", "bad.txt:11: a stack that is more than"},
        {HEAD "pool\tstack\tsequence\tchain\n", "bad.txt:11: a stack that is more than"},
        {HEAD "pool\tstack\ttransition\tchain\t1\n", "bad.txt:11: a stack that is more than"},
        {HEAD "pool\tstack\tsequence\trescore\t1\n", "bad.txt:11: a stack that is more than"},
        {HEAD "pool\tstack\tsequence\tchain\tinf\n", "bad.txt:11: members cannot vote with"},
        {HEAD "gate\t1\n", "bad.txt:11: 'gate' instead of 'class'"},
        {HEAD POOL "gate\t1\t1\n", "bad.txt:12: a gate in a pool that is no mixture by transition"},
        {HEAD GATE "\n", "bad.txt:12: a gate of 2 members with other than 2 finite numbers"},
        {HEAD GATE "\t1\n", "bad.txt:12: a gate of 2 members with other than 2"},
        {HEAD GATE "\t1\t2\t3\n", "bad.txt:12: a gate of 2 members with other than 2"},
        {HEAD GATE "\t1\tnan\n", "bad.txt:12: a gate of 2 members with other than 2"},
        {HEAD GATE "\t1\tx\n",
         "bad.txt:12: 'x' is no number of a gate; give a number such as 0x1p-1 or 0.5"},
        {HEAD GATED "gate\t1\t1\n", "bad.txt:13: 'gate' instead of 'class'"},
        {HEAD GATED CLASSES "gate\t0:1\n", "bad.txt:16: 'gate' instead of 'end'"},
        {HEAD GATED CLASSES "feature\tx\ngate\t2:1\n",
         "bad.txt:17: '2:1' is not member:weight with members below 2, ascending"},
        {HEAD GATED CLASSES "feature\tx\ngate\t1:1\t0:1\n", "bad.txt:17: '0:1' is not member:"},
        {HEAD GATED CLASSES "feature\tx\ngate\t1:1e39\n", "bad.txt:17: '1e39' is not a weight"},
        {HEAD GATED CLASSES "feature\tx\ngate\t1:1\ngate\t1:1\n",
         "bad.txt:18: 'gate' instead of 'end'; see `inspect --dump` for the order"},
        {HEAD GATED CLASSES "feature\tx\ngate\t1:1\nmember\t0\n",
         "bad.txt:18: 'member' instead of 'end'; see `inspect --dump` for the order"},
        {CHAIN GATED CLASSES "edge\tx\ngate\t1:1\n",
         "bad.txt:17: 'gate' instead of 'end'; see `inspect --dump` for the order"},
        {HEAD POOL CLASSES "feature\tx\ngate\t1:1\n",
         "bad.txt:16: 'gate' instead of 'end'; see `inspect --dump` for the order"},
    };
    caucus_ctx *ctx = test_ctx();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *path = test_text("bad.txt", faults[i].text);
        caucus_model *m = NULL;
        caucus_status st = cau_model_undump(ctx, path, &m);
        assert_fails(ctx, st, CAUCUS_ERR_FORMAT, faults[i].message);
        assert_null(m);
    }
    caucus_model *m = NULL;
    assert_fails(ctx, cau_model_undump(ctx, test_path("absent"), &m), CAUCUS_ERR_IO, "absent");

    cau_strbuf crowd = {0};
    cau_strbuf_printf(&crowd, HEAD "pool\tproduct\tsequence\tchain");
    for (size_t j = 0; j <= CAU_MEMBERS_MOST; j++) cau_strbuf_add(&crowd, "\t1", 2);
    cau_strbuf_add(&crowd, "\n", 1);
    const char *path = test_file("crowd.txt", crowd.s, crowd.n);
    assert_fails(ctx, cau_model_undump(ctx, path, &m), CAUCUS_ERR_FORMAT, "more than 64 members");
    cau_strbuf_clear(&crowd);
    caucus_ctx_free(ctx);
}

static void test_writer_fails(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    double w[K * Y] = {1};
    cau_model_parts parts = parts_of(w, Y, NULL);
    caucus_model *m = NULL;
    assert_ok(ctx, cau_model_build(ctx, &parts, &m));
    assert_int_equal(cau_model_dump(ctx, m, into_nothing, NULL), CAUCUS_ERR_IO);
    cau_model_free(m);
    caucus_ctx_free(ctx);
}

typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    const char *path;
} dump_case;

static caucus_status dump_into_text(void *self)
{
    dump_case *t = self;
    size_t bytes = 0;
    cau_strbuf text = {0};
    caucus_status st = cau_model_dump(t->ctx, t->model, into_text, &text);
    if (!st) st = cau_strbuf_status(t->ctx, &text);
    bytes = text.n;
    cau_strbuf_clear(&text);
    return st || bytes ? st : CAUCUS_ERR_IO;
}

static caucus_status undump_from_file(void *self)
{
    dump_case *t = self;
    caucus_model *m = NULL;
    caucus_status st = cau_model_undump(t->ctx, t->path, &m);
    cau_model_free(m);
    return st;
}

static void test_memory(void **state)
{
    (void)state;
    dump_case t = {.ctx = test_ctx()};
    sample all;
    sample_make(&all, SAMPLE_VARIANTS - 1);
    caucus_model *m = NULL;
    assert_ok(t.ctx, cau_model_build(t.ctx, &all.parts, &m));
    cau_strbuf text = dump(t.ctx, m);
    t.model = m;
    t.path = test_file("memory.txt", text.s, text.n);
    assert_true(test_every_allocation(dump_into_text, &t) > 0);
    assert_true(test_every_allocation(undump_from_file, &t) > 5);
    cau_strbuf_clear(&text);
    cau_model_free(m);
    caucus_ctx_free(t.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),         cmocka_unit_test(test_variants),
        cmocka_unit_test(test_hexadecimal),   cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_invalid_dumps), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_writer_fails),  cmocka_unit_test(test_alphas),
        cmocka_unit_test(test_random_pools),  cmocka_unit_test(test_pool_by_hand),
        cmocka_unit_test(test_stack),         cmocka_unit_test(test_gate_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
