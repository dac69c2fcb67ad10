/* fuzz_links.c - random bytes as a file of links between eight items.
 *
 * Either the file is refused with a message, or the links are consistent: no pair is both together
 * and apart, the constraints agree with the states of the pairs, links that are written and read
 * again are the same, and removing all of them leaves every pair open. */

#include <math.h>

#include "cluster/links.h"

#include "fuzz.h"

enum { N = 8 };
static const cau_str item[N] = {{"a", 1}, {"b", 1},   {"c", 1},    {"d", 1},
                                {"#", 1}, {"e f", 3}, {"must", 4}, {"\xC3\xA9", 2}};

/* The links of a file; NULL if it is refused. */
static cau_links *read_bytes(caucus_ctx *ctx, const cau_alphabet *names, const void *bytes,
                             size_t size)
{
    memory_file file = memory_file_new(bytes, size);
    cau_links *links = NULL;
    require(!cau_links_new(ctx, N, &links));
    const caucus_status st = cau_links_read(ctx, links, names, file.path);
    close(file.fd);
    if (!st) return links;
    require(st == CAUCUS_ERR_FORMAT && *caucus_message(ctx));
    cau_links_free(links);
    return NULL;
}

static void check(caucus_ctx *ctx, cau_links *links)
{
    cau_constraints c;
    require(!cau_links_constraints(ctx, links, &c));
    require(c.N == N && c.start[c.G] == N);
    for (size_t i = 0; i < cau_links_count(links); i++) {
        const cau_link link = cau_links_at(links, i);
        const cau_pair_state pair = cau_links_state(links, link.a, link.b);
        require(link.a < N && link.b < N && link.a != link.b);
        require(link.together != 1 || pair == CAU_PAIR_TOGETHER);
        require(link.together != 0 || pair == CAU_PAIR_APART);
    }
    for (uint32_t a = 0; a < N; a++) {
        for (uint32_t b = 0; b < N; b++) {
            bool forbidden = false;
            const size_t g = c.group[a];
            for (size_t f = c.forbid_start[g]; f < c.forbid_start[g + 1]; f++)
                forbidden |= c.forbid[f] == c.group[b];
            require(cau_links_state(links, a, b) == (g == c.group[b] ? CAU_PAIR_TOGETHER
                                                     : forbidden     ? CAU_PAIR_APART
                                                                     : CAU_PAIR_OPEN));
            require(!forbidden || g != c.group[b]);
        }
        for (size_t s = c.soft_start[a]; s < c.soft_start[a + 1]; s++)
            require(c.soft_item[s] < N && isfinite(c.soft_log_odds[s]) &&
                    cau_links_state(links, a, c.soft_item[s]) == CAU_PAIR_OPEN);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    caucus_ctx *ctx = new_context();
    cau_alphabet *names = NULL;
    require(!cau_alphabet_new(ctx, &names));
    for (uint32_t i = 0; i < N; i++) require(cau_alphabet_add(names, item[i].s, item[i].n) == i);
    cau_links *links = read_bytes(ctx, names, bytes, size);
    if (links) {
        check(ctx, links);
        cau_strbuf text = {0};
        for (size_t i = 0; i < cau_links_count(links); i++)
            cau_link_write(cau_links_at(links, i), names, &text);
        require(!text.failed);
        cau_links *again = read_bytes(ctx, names, text.s, text.n);
        require(again && cau_links_count(again) == cau_links_count(links));
        for (size_t i = 0; i < cau_links_count(links); i++) {
            const cau_link x = cau_links_at(links, i), y = cau_links_at(again, i);
            require(x.a == y.a && x.b == y.b && x.together == y.together);
        }
        while (cau_links_count(again)) require(!cau_links_drop_last(ctx, again));
        for (uint32_t a = 0; a < N; a++)
            for (uint32_t b = 0; b < a; b++) require(cau_links_state(again, a, b) == CAU_PAIR_OPEN);
        check(ctx, again);
        cau_links_free(again);
        cau_strbuf_clear(&text);
    }
    cau_links_free(links);
    cau_alphabet_free(names);
    caucus_ctx_free(ctx);
    return 0;
}
