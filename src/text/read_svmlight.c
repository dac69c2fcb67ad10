/* read_svmlight.c - label index:value index:value ... # comment.
 *
 * The label is any text, without a leading '+', so that "+1" and "1" are one class. A line that
 * starts with a feature has no label. Indices are whole numbers from 0 to 2^31 - 1 and ascend
 * within a line; they become names, without leading zeros. "qid:n" belongs to ranking: it is
 * ignored, and the first one noted. */

#include <string.h>

#include "base/status.h"
#include "text/formats.h"

enum { INDEX_DIGITS = 10 }; /* of 2^31 - 1 */

static bool all_digits(cau_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.s[i] < '0' || s.s[i] > '9') return false;
    return s.n > 0;
}

/* Whether a token is index:something, or qid:something. */
static bool is_feature(cau_str token)
{
    const char *colon = memchr(token.s, ':', token.n);
    if (!colon) return false;
    const cau_str before = {token.s, (size_t)(colon - token.s)};
    return all_digits(before) || cau_is_text(before, "qid");
}

/* Checks an index and drops its leading zeros. */
static caucus_status check_index(caucus_ctx *ctx, const cau_reader *r, cau_str *index,
                                 uint64_t *number)
{
    const cau_str written = *index;
    if (written.n > 1 && written.s[0] == '-' && all_digits((cau_str){written.s + 1, written.n - 1}))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "index '%.*s' is negative; count features from 0 or 1",
                        CAU_AT_ARGS(r->lines), CAU_SHOWN(written));
    if (!all_digits(written))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "index '%.*s' is not a whole number; number the features, or use "
                               "the format crfsuite for names",
                        CAU_AT_ARGS(r->lines), CAU_SHOWN(written));

    while (index->n > 1 && index->s[0] == '0') index->s++, index->n--;
    *number = 0;
    for (size_t i = 0; i < index->n && i < INDEX_DIGITS; i++)
        *number = *number * 10 + (uint64_t)(index->s[i] - '0');
    if (index->n > INDEX_DIGITS || *number > INT32_MAX)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "index '%.*s' is above %d; number the features from 1",
                        CAU_AT_ARGS(r->lines), CAU_SHOWN(written), INT32_MAX);
    return CAUCUS_OK;
}

caucus_status cau_svmlight_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    const char *comment = memchr(line.s, '#', line.n);
    if (comment) line.n = (size_t)(comment - line.s);

    cau_str rest = line, token;
    if (!cau_token(&rest, &token)) {
        *kind = CAU_LINE_NOTHING;
        return CAUCUS_OK;
    }
    if (is_feature(token)) {
        rest = line; /* no label: begin again */
    } else {
        if (token.n > 1 && token.s[0] == '+') token.s++, token.n--;
        r->now.label = token;
    }

    bool any = false;
    uint64_t last = 0;
    while (cau_token(&rest, &token)) {
        const char *colon = memchr(token.s, ':', token.n);
        if (!colon)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "feature '%.*s' has no value; write index:value",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(token)));
        cau_str index = {token.s, (size_t)(colon - token.s)};
        const cau_str text = {colon + 1, token.n - index.n - 1};
        if (cau_is_text(index, "qid")) {
            if (!r->noted)
                cau_note(ctx, CAU_AT "qid is for ranking and is ignored", CAU_AT_ARGS(r->lines));
            r->noted = true;
            continue;
        }

        uint64_t number = 0;
        double value = 0;
        TRY(check_index(ctx, r, &index, &number));
        TRY(cau_reader_value(ctx, r, index, text, &value));
        if (any && number <= last)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "index %llu after %llu; indices must ascend: sort the line and "
                                "name each once",
                         CAU_AT_ARGS(r->lines), (unsigned long long)number,
                         (unsigned long long)last));
        any = true;
        last = number;
        TRY(cau_reader_add(ctx, r, index, value));
    }
done:
    return st;
}
