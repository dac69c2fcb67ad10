/* links_test.c - closure, undo and proofs compared with a table of all pairs and all walks. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cluster/links.h"
#include "support/support.h"

enum { MOST = 12, LINKS = 64 };

/* Items named by letters. */
static cau_alphabet *letters(size_t N)
{
    cau_alphabet *names = NULL;
    caucus_ctx *ctx = test_ctx();
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (size_t i = 0; i < N; i++) {
        const char letter = (char)('a' + i);
        assert_int_equal(cau_alphabet_add(names, &letter, 1), i);
    }
    caucus_ctx_free(ctx);
    return names;
}

/* ---- a naive implementation ------------------------------------------------------------------ */

/* The state of every pair, by applying the rules until nothing changes:
 *     together(i,j), together(j,k)  ->  together(i,k)
 *     together(i,j), apart(j,k)     ->  apart(i,k) */
typedef struct {
    size_t N;
    bool together[MOST][MOST], apart[MOST][MOST];
} table;

static void close_table(table *t)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < t->N; i++)
            for (size_t j = 0; j < t->N; j++)
                for (size_t k = 0; k < t->N; k++) {
                    if (!t->together[i][j]) continue;
                    if (t->together[j][k] && !t->together[i][k]) t->together[i][k] = changed = true;
                    if (t->apart[j][k] && !t->apart[i][k])
                        t->apart[i][k] = t->apart[k][i] = changed = true;
                }
    }
}

/* False where the links contradict each other. */
static bool fill_table(table *t, size_t N, const cau_link *link, size_t count)
{
    *t = (table){.N = N};
    for (size_t i = 0; i < N; i++) t->together[i][i] = true;
    for (size_t l = 0; l < count; l++) {
        const uint32_t a = link[l].a, b = link[l].b;
        if (link[l].together == 1) t->together[a][b] = t->together[b][a] = true;
        if (link[l].together == 0) t->apart[a][b] = t->apart[b][a] = true;
    }
    close_table(t);
    for (size_t i = 0; i < N; i++)
        if (t->apart[i][i]) return false;
    return true;
}

/* The fewest links that lead from a to b, of which `crossings` are cannot-links: Bellman and Ford
 * over all links again and again. */
static size_t shortest(size_t N, const cau_link *link, size_t count, uint32_t a, uint32_t b,
                       size_t crossings)
{
    size_t d[2][MOST];
    for (size_t i = 0; i < N; i++) d[0][i] = d[1][i] = 1000;
    d[0][a] = 0;
    for (size_t round = 0; round < 2 * N; round++)
        for (size_t l = 0; l < count; l++)
            for (int way = 0; way < 2; way++) {
                const uint32_t x = way ? link[l].b : link[l].a, y = way ? link[l].a : link[l].b;
                for (int side = 0; side < 2; side++) {
                    if (link[l].together == 1 && d[side][x] + 1 < d[side][y])
                        d[side][y] = d[side][x] + 1;
                    if (link[l].together == 0 && side == 0 && d[0][x] + 1 < d[1][y])
                        d[1][y] = d[0][x] + 1;
                }
            }
    return d[crossings][b];
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void check_states(const cau_links *links, const table *t)
{
    for (uint32_t i = 0; i < t->N; i++)
        for (uint32_t j = 0; j < t->N; j++)
            assert_int_equal(cau_links_state(links, i, j), t->together[i][j] ? CAU_PAIR_TOGETHER
                                                           : t->apart[i][j]  ? CAU_PAIR_APART
                                                                             : CAU_PAIR_OPEN);
}

/* The views agree with the table, in the order that the header states. */
static void check_constraints(caucus_ctx *ctx, cau_links *links, const table *t,
                              const cau_link *link, size_t count)
{
    cau_constraints c;
    assert_ok(ctx, cau_links_constraints(ctx, links, &c));
    const size_t N = t->N;
    assert_int_equal(c.N, N);
    size_t next = 0;
    for (uint32_t i = 0; i < N; i++) {
        if (c.group[i] == next) next++;
        assert_true(c.group[i] < next);
        for (size_t j = 0; j < N; j++)
            assert_int_equal(c.group[i] == c.group[j], t->together[i][j]);
    }
    assert_int_equal(next, c.G);
    assert_int_equal(c.start[0], 0);
    assert_int_equal(c.start[c.G], N);
    for (size_t g = 0; g < c.G; g++) {
        for (size_t m = c.start[g]; m < c.start[g + 1]; m++) {
            assert_int_equal(c.group[c.member[m]], g);
            assert_true(m == c.start[g] || c.member[m - 1] < c.member[m]);
        }
        bool forbidden[MOST] = {false};
        for (size_t f = c.forbid_start[g]; f < c.forbid_start[g + 1]; f++) {
            assert_true(f == c.forbid_start[g] || c.forbid[f - 1] < c.forbid[f]);
            forbidden[c.forbid[f]] = true;
        }
        for (size_t h = 0; h < c.G; h++)
            assert_int_equal(forbidden[h], t->apart[c.member[c.start[g]]][c.member[c.start[h]]]);
    }
    for (uint32_t i = 0; i < N; i++) {
        double want[MOST] = {0}, found[MOST] = {0};
        size_t partners = 0;
        for (uint32_t j = 0; j < N; j++) {
            bool any = false;
            for (size_t l = 0; l < count; l++) {
                const double p = link[l].together;
                const bool here =
                    (link[l].a == i && link[l].b == j) || (link[l].a == j && link[l].b == i);
                if (!here || p == 0 || p == 1 || t->together[i][j] || t->apart[i][j]) continue;
                want[j] += log(p / (1 - p));
                any = true;
            }
            partners += any;
        }
        assert_int_equal(c.soft_start[i + 1] - c.soft_start[i], partners);
        for (size_t s = c.soft_start[i]; s < c.soft_start[i + 1]; s++) {
            assert_true(s == c.soft_start[i] || c.soft_item[s - 1] < c.soft_item[s]);
            found[c.soft_item[s]] = c.soft_log_odds[s];
        }
        for (size_t j = 0; j < N; j++) assert_near(found[j], want[j], 1e-12);
    }
}

/* The sentence is a walk over given links from a to b, then the refused link; returns its links. */
static size_t check_sentence(const char *sentence, const cau_link *link, size_t count,
                             cau_link refused, size_t crossings)
{
    size_t length = 0, cannots = 0;
    uint32_t at = refused.a;
    for (;; length++) {
        char x, y, kind[16];
        int used = 0;
        if (strncmp(sentence, "so ", 3) == 0) break;
        assert_int_equal(sscanf(sentence, "%c %15s %c, %n", &x, kind, &y, &used), 3);
        const uint32_t from = (uint32_t)(x - 'a'), to = (uint32_t)(y - 'a');
        const double together = strcmp(kind, "must") == 0;
        bool is_given = false;
        for (size_t l = 0; l < count; l++)
            is_given |= link[l].together == together && ((link[l].a == from && link[l].b == to) ||
                                                         (link[l].a == to && link[l].b == from));
        assert_true(is_given);
        assert_int_equal(from, at);
        at = to;
        cannots += together == 0;
        sentence += used;
    }
    char end[64];
    snprintf(end, sizeof end, "so %c %s %c contradicts; ", 'a' + (char)refused.a,
             refused.together == 1 ? "must" : "cannot", 'a' + (char)refused.b);
    assert_memory_equal(sentence, end, strlen(end));
    assert_int_equal(at, refused.b);
    assert_int_equal(cannots, crossings);
    return length;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Random links, refusals and undos; after each, everything agrees with the table. */
static void agrees_with_a_table_of_all_pairs(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    size_t refusals[2] = {0, 0}, longest = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        cau_rng rng;
        cau_rng_init(&rng, seed);
        const size_t N = 2 + cau_rng_below(&rng, MOST - 1);
        cau_alphabet *names = letters(N);
        cau_links *links = NULL;
        cau_link link[LINKS];
        size_t count = 0;
        table t;
        assert_ok(ctx, cau_links_new(ctx, N, &links));
        assert_true(fill_table(&t, N, link, 0));
        for (size_t step = 0; step < 40; step++) {
            if (count && cau_rng_below(&rng, 5) == 0) {
                assert_ok(ctx, cau_links_drop_last(ctx, links));
                count--;
            } else {
                static const double kinds[] = {1, 1, 0, 0.9, 0.25, 1};
                cau_link *l = &link[count];
                l->a = (uint32_t)cau_rng_below(&rng, N);
                l->b = (uint32_t)((l->a + 1 + cau_rng_below(&rng, N - 1)) % N);
                l->together = kinds[cau_rng_below(&rng, 6)];
                const bool fits = fill_table(&t, N, link, count + 1);
                const caucus_status st = cau_links_add(ctx, links, names, *l);
                if (fits) {
                    assert_ok(ctx, st);
                    count++;
                } else {
                    const size_t crossings = l->together == 1;
                    assert_fails(ctx, st, CAUCUS_ERR_FORMAT, " contradicts; ");
                    const size_t length =
                        check_sentence(caucus_message(ctx), link, count, *l, crossings);
                    assert_int_equal(length, shortest(N, link, count, l->a, l->b, crossings));
                    refusals[crossings]++;
                    if (length > longest) longest = length;
                }
            }
            assert_int_equal(cau_links_count(links), count);
            assert_true(fill_table(&t, N, link, count));
            check_states(links, &t);
            if (step % 3 == 0) check_constraints(ctx, links, &t, link, count);
        }
        while (cau_links_count(links)) assert_ok(ctx, cau_links_drop_last(ctx, links));
        assert_true(fill_table(&t, N, link, 0));
        check_states(links, &t);
        cau_links_free(links);
        cau_alphabet_free(names);
    }
    assert_true(refusals[0] > 100 && refusals[1] > 100 && longest >= 4);
    caucus_ctx_free(ctx);
}

static void says_which_links_contradict(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = letters(26);
    cau_links *links = NULL;
    assert_ok(ctx, cau_links_new(ctx, 26, &links));
    assert_fails(ctx, cau_links_drop_last(ctx, links), CAUCUS_ERR_ARGUMENT, "no link");
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){3, 3, 1}), CAUCUS_ERR_ARGUMENT,
                 "two different items");
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){3, 26, 1}), CAUCUS_ERR_ARGUMENT,
                 "two different items of 26");
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){3, 4, (double)NAN}),
                 CAUCUS_ERR_ARGUMENT, "probability from 0 to 1");
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){3, 4, 1.5}), CAUCUS_ERR_ARGUMENT,
                 "probability from 0 to 1");

    assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){0, 1, 1}));
    assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){2, 1, 1}));
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){0, 2, 0}), CAUCUS_ERR_FORMAT,
                 "a must b, b must c, so a cannot c contradicts; drop one");
    assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){2, 3, 0}));
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){3, 0, 1}), CAUCUS_ERR_FORMAT,
                 "d cannot c, c must b, b must a, so d must a contradicts; drop one");

    /* A chain of 23 links shows 12 of them. */
    for (uint32_t i = 3; i < 25; i++)
        assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){i, i + 1, 1}));
    assert_fails(ctx, cau_links_add(ctx, links, names, (cau_link){25, 2, 1}), CAUCUS_ERR_FORMAT,
                 "z must y, y must x, x must w, w must v, v must u, u must t, (11 more links), "
                 "i must h, h must g, g must f, f must e, e must d, d cannot c, so z must c "
                 "contradicts; drop one");
    cau_links_free(links);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

/* Written links are read back unchanged, for any probabilities and names. */
static void lines_are_read_as_they_were_written(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char *const words[] = {"give", "give up", "#1", "#", "été", "must", " x ", "a:b"};
    enum { WORDS = sizeof words / sizeof *words };
    cau_alphabet *names = NULL;
    cau_links *links = NULL, *again = NULL;
    cau_strbuf file = {0};
    cau_rng rng;
    cau_rng_init(&rng, 7);
    assert_ok(ctx, cau_alphabet_new(ctx, &names));
    for (size_t i = 0; i < WORDS; i++) cau_alphabet_add(names, words[i], strlen(words[i]));
    assert_ok(ctx, cau_links_new(ctx, WORDS, &links));
    static const double some[] = {0.9, 0.2, 1 - 0.8, 0.5, 1e-300, 1 - 0x1p-53, 0x1p-53, 1.0 / 3};
    for (size_t i = 0; i < 200; i++) {
        cau_link link = {(uint32_t)cau_rng_below(&rng, WORDS), 0, cau_rng_real(&rng)};
        link.b = (uint32_t)((link.a + 1 + cau_rng_below(&rng, WORDS - 1)) % WORDS);
        if (i < 8) link.together = some[i];
        if (i % 5 == 0 && i > 8) link.together = (link.a + link.b) % 2 == 0; /* by parity: legal */
        assert_ok(ctx, cau_links_add(ctx, links, names, link));
        cau_link_write(link, names, &file);
    }
    assert_ok(ctx, cau_strbuf_status(ctx, &file));
    assert_non_null(strstr(file.s, "\tcannot:0.8\n"));
    assert_non_null(strstr(file.s, "\tmust:0.9\n"));
    assert_ok(ctx, cau_links_new(ctx, WORDS, &again));
    assert_ok(ctx, cau_links_read(ctx, again, names, test_file("links", file.s, file.n)));
    assert_int_equal(cau_links_count(again), cau_links_count(links));
    for (size_t i = 0; i < cau_links_count(links); i++) {
        const cau_link x = cau_links_at(links, i), y = cau_links_at(again, i);
        assert_true(x.a == y.a && x.b == y.b && x.together == y.together);
    }
    cau_strbuf_clear(&file);
    cau_links_free(links);
    cau_links_free(again);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

/* Reads the text as links of five letters. */
static caucus_status read_text(caucus_ctx *ctx, const char *text, cau_links **out)
{
    cau_alphabet *names = letters(5);
    cau_links *links = NULL;
    assert_ok(ctx, cau_links_new(ctx, 5, &links));
    caucus_status st = cau_links_read(ctx, links, names, test_text("links", text));
    if (st || !out)
        cau_links_free(links);
    else
        *out = links;
    cau_alphabet_free(names);
    return st;
}

static void reads_lines_of_every_shape(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    cau_links *links = NULL;
    assert_ok(ctx, read_text(ctx,
                             "# who goes with whom\n\n   \n \t \na b must\n"
                             "c\td\tcannot # said Ann\r\n  b  c  must:0.75  # perhaps\n"
                             "\td\te\tcannot:0.9\t#why\na b must",
                             &links));
    static const cau_link want[] = {{0, 1, 1}, {2, 3, 0}, {1, 2, 0.75}, {3, 4, 1 - 0.9}, {0, 1, 1}};
    assert_int_equal(cau_links_count(links), 5);
    for (size_t i = 0; i < 5; i++) {
        const cau_link link = cau_links_at(links, i);
        assert_true(link.a == want[i].a && link.b == want[i].b);
        assert_near(link.together, want[i].together, 0);
    }
    cau_links_free(links);
    caucus_ctx_free(ctx);
}

static void refuses_malformed_links(void **state)
{
    (void)state;
    caucus_ctx *ctx = test_ctx();
    static const char *const cases[][2] = {
        {"a b must\na x must\n", "links:2: there is no item 'x'; "},
        {"x b must\n", "links:1: there is no item 'x'; "},
        {"a b\n", "links:1: a line is two items"},
        {"a\n", "links:1: a line is two items"},
        {"a b must c\n", "links:1: a line is two items"},
        {"a b c\td\te\n", "links:1: there is no item 'a b c'"},
        {"a b may\n", "links:1: 'may' is no kind of link"},
        {"a b mustard\n", "'mustard' is no kind"},
        {"a b must:\n", "'must:' is no kind"},
        {"a b must:1\n", "'must:1' is no kind"},
        {"a b cannot:0\n", "'cannot:0' is no kind"},
        {"a b cannot:1e-99\n", "'cannot:1e-99' is no kind"},
        {"a b must:nan\n", "'must:nan' is no kind"},
        {"a b must:2\n", "'must:2' is no kind"},
        {"c c must\n", "links:1: a link from 'c' to itself"},
        {"a b must\nb c must\n\na c cannot\n",
         "links:4: a must b, b must c, so a cannot c contradicts; drop one of these"},
        {"a b cannot\nb a must\n", "links:2: b cannot a, so b must a contradicts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(ctx, read_text(ctx, cases[i][0], NULL), CAUCUS_ERR_FORMAT, cases[i][1]);
    cau_alphabet *names = letters(2);
    cau_links *links = NULL;
    assert_ok(ctx, cau_links_new(ctx, 2, &links));
    assert_fails(ctx, cau_links_read(ctx, links, names, test_path("missing")), CAUCUS_ERR_IO,
                 "missing");
    cau_links_free(links);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

/* 100,000 items: chains, and two groups with many cannot-links between them; nothing quadratic. */
static void stays_fast_when_it_is_large(void **state)
{
    (void)state;
    enum { N = 100000 };
    caucus_ctx *ctx = test_ctx();
    cau_alphabet *names = letters(1); /* no names are needed: no link contradicts */
    cau_links *links = NULL;
    cau_constraints c;
    const double start = cau_seconds();
    assert_ok(ctx, cau_links_new(ctx, N, &links));
    for (uint32_t i = 0; i + 2 < N; i += 2) { /* cannot-links first, then unions over them */
        const uint32_t odd = (uint32_t)((i * 7919u + 1) % N) | 1;
        assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){i, odd, 0}));
    }
    for (uint32_t i = 0; i + 2 < N; i++)
        assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){i, i + 2, 1}));
    for (uint32_t i = 0; i + 2 < N; i += 2) /* again between two groups of 50,000 */
        assert_ok(ctx, cau_links_add(ctx, links, names, (cau_link){i, i + 1, 0}));
    assert_ok(ctx, cau_links_constraints(ctx, links, &c));
    assert_int_equal(c.G, 2);
    assert_int_equal(c.forbid_start[2], 2);
    assert_int_equal(cau_links_state(links, 0, N - 1), CAU_PAIR_APART);
    while (cau_links_count(links)) assert_ok(ctx, cau_links_drop_last(ctx, links));
    assert_int_equal(cau_links_state(links, 0, N - 1), CAU_PAIR_OPEN);
    assert_true(cau_seconds() - start < 20); /* 0.1 s without sanitizers */
    cau_links_free(links);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
}

/* Every step that allocates: reading, copying, views, a refusal. A failed step changes nothing. */
static caucus_status use(void *self)
{
    const char *path = self;
    caucus_status st = CAUCUS_OK;
    caucus_ctx *ctx = NULL;
    cau_alphabet *names = NULL;
    cau_links *links = NULL;
    cau_constraints c;
    st = caucus_ctx_new(&ctx);
    if (!st) st = cau_alphabet_new(ctx, &names);
    for (char x = 'a'; x < 'a' + 12 && !st; x++)
        if (cau_alphabet_add(names, &x, 1) == CAU_UNKNOWN) st = CAUCUS_ERR_MEMORY;
    if (!st) st = cau_links_new(ctx, 12, &links);
    if (!st) st = cau_links_read(ctx, links, names, path);
    for (uint32_t i = 0; i < 8 && !st; i++) { /* enough pairs for a larger table */
        const size_t before = cau_links_count(links);
        st = cau_links_add(ctx, links, names, (cau_link){i, i + 4, 0});
        assert_int_equal(cau_links_count(links), before + !st);
        assert_int_equal(cau_links_state(links, i, i + 4), st ? CAU_PAIR_OPEN : CAU_PAIR_APART);
    }
    if (!st) st = cau_links_constraints(ctx, links, &c);
    if (!st) {
        st = cau_links_add(ctx, links, names, (cau_link){0, 4, 1});
        if (st == CAUCUS_ERR_FORMAT) st = CAUCUS_OK;
    }
    cau_strbuf line = {0};
    if (!st) cau_link_write((cau_link){0, 1, 0.125}, names, &line);
    if (!st) st = cau_strbuf_status(ctx, &line);
    cau_strbuf_clear(&line);
    cau_links_free(links);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
    return st;
}

static void survives_every_allocation(void **state)
{
    (void)state;
    const char text[] = "a b must\nb c must:0.5\nc d cannot\n";
    char path[256];
    snprintf(path, sizeof path, "%s", test_text("links", text));
    assert_true(test_every_allocation(use, path) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_table_of_all_pairs),
        cmocka_unit_test(says_which_links_contradict),
        cmocka_unit_test(lines_are_read_as_they_were_written),
        cmocka_unit_test(reads_lines_of_every_shape),
        cmocka_unit_test(refuses_malformed_links),
        cmocka_unit_test(stays_fast_when_it_is_large),
        cmocka_unit_test(survives_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
