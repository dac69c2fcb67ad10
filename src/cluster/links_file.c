/* links_file.c - reads and writes links as lines of a file.
 *
 *     give    grant     must
 *     give    murmur    cannot
 *     grant   lend      must:0.9
 *
 * Names come from the items and may contain anything but TABs and line ends: cells are the text
 * between TABs, and blanks separate cells only in lines without a TAB. If the first name of a
 * written line begins with '#', the line starts with a TAB, so that it is not a comment.
 * Probabilities are written with the fewest digits that read back as the same number, so that an
 * interrupted session continues under exactly the same links. */

#include <string.h>

#include "base/status.h"
#include "cluster/links.h"
#include "text/lines.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Cuts the next cell off *rest: the text between separators, which are bytes of `between`. Empty at
 * the end. */
static cau_str next_cell(cau_str *rest, const char *between)
{
    while (rest->n && strchr(between, rest->s[0])) rest->s++, rest->n--;
    cau_str cell = {rest->s, 0};
    while (rest->n && !strchr(between, rest->s[0])) rest->s++, rest->n--, cell.n++;
    return cell;
}

/* Reads must, cannot, must:p or cannot:p. */
static bool parse_kind(cau_str kind, double *together)
{
    static const struct {
        cau_str word;
        bool must;
    } kinds[] = {{CAU_STR("must"), true}, {CAU_STR("cannot"), false}};
    for (size_t i = 0; i < 2; i++) {
        const cau_str word = kinds[i].word;
        double p = 1;
        if (kind.n < word.n || memcmp(kind.s, word.s, word.n) != 0) continue;
        if (kind.n > word.n) {
            const char *number = kind.s + word.n + 1;
            if (kind.s[word.n] != ':' || !cau_parse_real(number, kind.n - word.n - 1, &p))
                return false;
        }
        *together = kinds[i].must ? p : 1 - p;
        return kind.n == word.n || (*together > 0 && *together < 1);
    }
    return false;
}

static caucus_status find_item(caucus_ctx *ctx, const cau_lines *lines, const cau_alphabet *names,
                               cau_str name, uint32_t *item)
{
    *item = cau_alphabet_find(names, name.s, name.n);
    if (*item != CAU_UNKNOWN) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "there is no item '%.*s'; correct the name, or drop the line",
                    CAU_AT_ARGS(lines), CAU_SHOWN(name));
}

/* Adds the link of a line, unless it is blank or a comment. */
static caucus_status read_line(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                               const cau_lines *lines, cau_str line)
{
    caucus_status st = CAUCUS_OK;
    const char *between = memchr(line.s, '\t', line.n) ? "\t" : " ";
    cau_link link;
    cau_str rest = line;
    if (next_cell(&rest, "\t ").n == 0 || line.s[0] == '#') return CAUCUS_OK;
    const cau_str a = next_cell(&line, between);
    const cau_str b = next_cell(&line, between);
    const cau_str kind = next_cell(&line, "\t ");
    const cau_str behind = next_cell(&line, "\t ");
    if (kind.n == 0 || (behind.n && behind.s[0] != '#'))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "a line is two items and must or cannot, with TABs between; fix the "
                            "line or drop it",
                     CAU_AT_ARGS(lines)));
    TRY(find_item(ctx, lines, names, a, &link.a));
    TRY(find_item(ctx, lines, names, b, &link.b));
    if (!parse_kind(kind, &link.together))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "'%.*s' is no kind of link; write must, cannot, or one of them with a "
                            "probability between 0 and 1, as must:0.9",
                     CAU_AT_ARGS(lines), CAU_SHOWN(kind)));
    if (link.a == link.b)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "a link from '%.*s' to itself; name two items, or drop the line",
                     CAU_AT_ARGS(lines), CAU_SHOWN(a)));
    st = cau_links_add(ctx, links, names, link);
    if (st == CAUCUS_ERR_FORMAT) { /* a contradiction: add the place before its proof */
        char proof[CAU_MESSAGE_MAX];
        memcpy(proof, caucus_message(ctx), strlen(caucus_message(ctx)) + 1);
        st = cau_fail(ctx, st, CAU_AT "%s", CAU_AT_ARGS(lines), proof);
    }
done:
    return st;
}

caucus_status cau_links_read(caucus_ctx *ctx, cau_links *links, const cau_alphabet *names,
                             const char *path)
{
    caucus_status st = CAUCUS_OK;
    cau_lines *lines = NULL;
    TRY(cau_lines_open(ctx, path, &lines));
    for (cau_str line;;) {
        TRY(cau_lines_next(ctx, lines, &line));
        if (!line.s) break;
        TRY(read_line(ctx, links, names, lines, line));
    }
done:
    cau_lines_free(lines);
    return st;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Adds p with the fewest digits that read back as p. */
static void write_probability(double p, cau_strbuf *out)
{
    double back = -1;
    for (int digits = 1; digits <= 17 && back != p; digits++) {
        cau_strbuf number = {0};
        cau_strbuf_general(&number, p, digits);
        if (number.failed)
            out->failed = true;
        else if (cau_parse_real(number.s, number.n, &back) && back == p)
            cau_strbuf_add(out, number.s, number.n);
        cau_strbuf_clear(&number);
    }
}

/* A soft link below 1/2 is written as cannot if 1 - p is exact. */
void cau_link_write(cau_link link, const cau_alphabet *names, cau_strbuf *out)
{
    const cau_str a = cau_alphabet_name(names, link.a), b = cau_alphabet_name(names, link.b);
    const double p = link.together, apart = 1 - p;
    const bool cannot = p < 0.5 && 1 - apart == p;
    if (a.n && a.s[0] == '#') cau_strbuf_add(out, "\t", 1);
    cau_strbuf_add(out, a.s, a.n);
    cau_strbuf_add(out, "\t", 1);
    cau_strbuf_add(out, b.s, b.n);
    cau_strbuf_printf(out, "\t%s", cannot ? "cannot" : "must");
    if (p > 0 && p < 1) {
        cau_strbuf_add(out, ":", 1);
        write_probability(cannot ? apart : p, out);
    }
    cau_strbuf_add(out, "\n", 1);
}
