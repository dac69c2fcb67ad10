/* read_vw.c - Vowpal Wabbit: label importance 'tag |namespace feature:value ...
 *
 *     1 2 'mail17|words win:2 prize |shape:0.5 length:17
 *     |words see you
 *
 * Before the first '|' stand the label, the weight of the instance, a base, which is ignored, and a
 * tag, which begins with ' or touches the '|'. A name and its namespace are joined by '^', as VW
 * shows them; the value of a namespace multiplies those of its features. A line without a label
 * begins with '|', or has only a tag before it. Labels with costs are not read. */

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

/* Splits "name:value"; the value is 1 without one. */
static caucus_status split_value(caucus_ctx *ctx, const cau_reader *r, cau_str token, cau_str *name,
                                 double *value)
{
    const char *colon = memchr(token.s, ':', token.n);
    *name = (cau_str){token.s, colon ? (size_t)(colon - token.s) : token.n};
    *value = 1;
    if (!colon) return CAUCUS_OK;
    return cau_reader_value(ctx, r, *name, (cau_str){colon + 1, token.n - name->n - 1}, value);
}

/* Reads label, weight and tag. */
static caucus_status read_head(caucus_ctx *ctx, cau_reader *r, cau_str head)
{
    caucus_status st = CAUCUS_OK;
    cau_str token;
    const bool touches = head.n && !cau_is_blank(head.s[head.n - 1]);
    for (size_t i = 0; cau_token(&head, &token); i++) {
        const bool last = head.n == 0;
        if (token.s[0] == '\'' || (touches && last && i > 0)) continue; /* the tag */
        if (i == 0) {
            if (memchr(token.s, ':', token.n))
                TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                             CAU_AT "the label '%.*s' has a cost; write a class instead",
                             CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
            if (token.n > 1 && token.s[0] == '+') token.s++, token.n--;
            r->now.label = token;
        } else if (i == 1) {
            TRY(cau_reader_weight(ctx, r, "the importance", token, &r->now.weight));
        } else if (i > 2) {
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "'%.*s' before the first '|', where label, weight, base and tag "
                                "stand; correct it",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
        }
    }
done:
    return st;
}

/* Reads a namespace and its features, the text between two '|'. */
static caucus_status read_namespace(caucus_ctx *ctx, cau_reader *r, cau_str text)
{
    caucus_status st = CAUCUS_OK;
    cau_str space = {NULL, 0}, token, name;
    double factor = 1, value;
    if (text.n && !cau_is_blank(text.s[0])) {
        cau_token(&text, &token);
        TRY(split_value(ctx, r, token, &space, &factor));
    }
    while (cau_token(&text, &token)) {
        TRY(split_value(ctx, r, token, &name, &value));
        if (name.n == 0)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "the feature '%.*s' has no name; write name:value",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
        r->joined.n = 0;
        cau_strbuf_add(&r->joined, space.s, space.n);
        if (space.n) cau_strbuf_add(&r->joined, "^", 1);
        cau_strbuf_add(&r->joined, name.s, name.n);
        TRY(cau_strbuf_status(ctx, &r->joined));
        TRY(cau_reader_add_copy(ctx, r, (cau_str){r->joined.s, r->joined.n}, factor * value));
    }
done:
    return st;
}

caucus_status cau_vw_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    const char *bar = memchr(line.s, '|', line.n);
    cau_str rest = line, token;
    if (!cau_token(&rest, &token)) {
        *kind = CAU_LINE_NOTHING;
        return CAUCUS_OK;
    }
    if (!bar)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "no '|' before the features; correct it, or is it another format?",
                     CAU_AT_ARGS(r->lines)));
    TRY(read_head(ctx, r, (cau_str){line.s, (size_t)(bar - line.s)}));
    for (const char *end = line.s + line.n; bar;) {
        const char *from = bar + 1;
        bar = memchr(from, '|', (size_t)(end - from));
        TRY(read_namespace(ctx, r, (cau_str){from, (size_t)((bar ? bar : end) - from)}));
    }
done:
    return st;
}
