/* feature_group.c - groups of features by the pattern of the template that they come from. */

#include "dataset/feature_group.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* Up to this number of names without a sign are flags such as "capital", each a group of its own.
 * More of them are words, which are one group. */
enum { ALONE_MAX = 64 };

/* The number of bytes before the first sign that ends the name of a group; all bytes without one.
 */
static size_t prefix_of(cau_str name)
{
    size_t n = 0;
    while (n < name.n && name.s[n] != ':' && name.s[n] != '=' && name.s[n] != '[') n++;
    return n;
}

cau_str cau_feature_group_of(cau_str name)
{
    return (cau_str){name.s, prefix_of(name)};
}

caucus_status cau_feature_groups_init(caucus_ctx *ctx, const cau_alphabet *names,
                                      cau_feature_groups *groups)
{
    caucus_status st = CAUCUS_OK;
    size_t alone = 0;
    cau_feature_groups k = {.K = cau_alphabet_size(names)};
    TRY(cau_alphabet_new(ctx, &k.names));
    k.of = cau_alloc(k.K, sizeof *k.of);
    if (!k.of) TRY(cau_fail_memory(ctx, "the groups of features"));
    for (uint32_t i = 0; i < k.K; i++) {
        const cau_str name = cau_alphabet_name(names, i);
        alone += prefix_of(name) == name.n;
    }
    for (uint32_t i = 0; i < k.K; i++) {
        const cau_str name = cau_alphabet_name(names, i);
        const size_t n = prefix_of(name);
        k.of[i] = cau_alphabet_add(k.names, name.s, n == name.n && alone > ALONE_MAX ? 0 : n);
        if (k.of[i] == CAU_UNKNOWN) TRY(cau_fail_memory(ctx, "the groups of features"));
    }
    *groups = k;
    k = (cau_feature_groups){0};
done:
    cau_feature_groups_clear(&k);
    return st;
}

void cau_feature_groups_clear(cau_feature_groups *groups)
{
    cau_alphabet_free(groups->names);
    free(groups->of);
    *groups = (cau_feature_groups){0};
}
