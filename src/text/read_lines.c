/* read_lines.c - formats of a line that split at blanks: fastText, MALLET, SimpleTagger, Wapiti.
 *
 *     __label__spam win a prize               fasttext: words, and labels anywhere
 *     mail17 spam win a prize                 mallet: a name, a label, words
 *     w=The pos=DT CAPITALIZED B-NP           simpletagger: features, then the label
 *     u:w=The u:pos=DT b:pos=DT B-NP          wapiti: observations, then the label
 *
 * In the last two a blank line ends a sequence. The first letter of an observation of Wapiti says
 * where it holds: u for the label of the token, b for this label and the one before, * for both.
 * With --no-label there are only features. */

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

void cau_note_labels(caucus_ctx *ctx, cau_reader *r, size_t count)
{
    if (!r->noted)
        cau_note(ctx, CAU_AT "%zu labels; of several labels the first counts",
                 CAU_AT_ARGS(r->lines), count);
    r->noted = true;
}

/* ---- fastText ---------------------------------------------------------------------------- */

/* Whether a token is a label, which is cut down to its name. */
static bool is_label(cau_str *token)
{
    static const char prefix[] = "__label__";
    const size_t n = sizeof prefix - 1;
    if (token->n <= n || memcmp(token->s, prefix, n) != 0) return false;
    *token = (cau_str){token->s + n, token->n - n};
    return true;
}

caucus_status cau_fasttext_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    cau_str rest = line, words = line, token;
    size_t labels = 0;
    bool front = true; /* no word before the label */
    (void)kind;
    while (cau_token(&rest, &token)) {
        if (!is_label(&token)) {
            front = false;
            continue;
        }
        if (labels++ == 0) r->now.label = token;
        if (front) words = rest;
    }
    if (labels > 1) cau_note_labels(ctx, r, labels);
    while (words.n && cau_is_blank(*words.s)) words.s++, words.n--;

    rest = words;
    r->joined.n = 0;
    for (bool more = cau_token(&rest, &token); more; more = cau_token(&rest, &token)) {
        if (is_label(&token)) continue;
        if (r->joined.n) cau_strbuf_add(&r->joined, " ", 1);
        cau_strbuf_add(&r->joined, token.s, token.n);
    }
    TRY(cau_strbuf_status(ctx, &r->joined));
    TRY(cau_reader_words(ctx, r, (cau_str){r->joined.s ? r->joined.s : "", r->joined.n}));
done:
    return st;
}

/* ---- MALLET ------------------------------------------------------------------------------ */

caucus_status cau_mallet_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    cau_str rest = line, name, label;
    if (!cau_token(&rest, &name)) {
        *kind = CAU_LINE_NOTHING;
        return CAUCUS_OK;
    }
    if (!r->options.layout.no_label) {
        if (!cau_token(&rest, &label))
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "no label after the name; write name, label and words, or say "
                                   "--no-label",
                            CAU_AT_ARGS(r->lines));
        r->now.label = label;
    }
    while (rest.n && cau_is_blank(*rest.s)) rest.s++, rest.n--;
    return cau_reader_words(ctx, r, rest);
}

/* ---- SimpleTagger and Wapiti ------------------------------------------------------------- */

/* Cuts the label off the end of a line; false for a blank line. */
static bool begin_token(cau_reader *r, cau_str *line, cau_line_kind *kind)
{
    while (line->n && cau_is_blank(line->s[line->n - 1])) line->n--;
    if (line->n == 0) {
        *kind = CAU_LINE_BREAK;
        return false;
    }
    if (r->options.layout.no_label) return true;
    size_t at = line->n;
    while (at && !cau_is_blank(line->s[at - 1])) at--;
    r->now.label = (cau_str){line->s + at, line->n - at};
    line->n = at;
    return true;
}

caucus_status cau_simpletagger_line(caucus_ctx *ctx, cau_reader *r, cau_str line,
                                    cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    cau_str token;
    if (!begin_token(r, &line, kind)) return CAUCUS_OK;
    while (cau_token(&line, &token)) TRY(cau_reader_add(ctx, r, token, 1));
done:
    return st;
}

static caucus_status add_edge(caucus_ctx *ctx, cau_reader *r, cau_str name)
{
    cau_feature_list *edges = &r->block.edges;
    const int base = r->block.base;
    const bool added = base == CAU_BY_NAME
                           ? cau_add_copied_name(edges, name, 1)
                           : cau_add_key(edges, cau_key_hash((unsigned)base, name.s, name.n), 1);
    return added ? CAUCUS_OK : cau_fail_memory(ctx, "the features of an instance");
}

caucus_status cau_wapiti_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    cau_str token;
    const bool inside = r->inside; /* the first token of a sequence has no edge */
    r->inside = begin_token(r, &line, kind);
    if (!r->inside) return CAUCUS_OK;
    while (cau_token(&line, &token)) {
        const char first = token.s[0];
        if (first != 'u' && first != 'b' && first != '*')
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "the observation '%.*s' does not begin with u, b or *; correct it, "
                                "or read the file as columns",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
        if (first != 'b') TRY(cau_reader_add(ctx, r, token, 1));
        if (first != 'u' && inside) TRY(add_edge(ctx, r, token));
    }
done:
    return st;
}
