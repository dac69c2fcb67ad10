/* fuzz_template.c - random bytes as a template, and as a sequence it is applied to.
 *
 * The sequence follows the first line "---": its lines are positions, blanks separate cells. Either
 * the template is refused with a message that has its place, or it compiles; then its own text
 * compiles to the same text, and the keys are the hashes of the names. No gazetteer is read:
 * relative paths lead nowhere, and texts with absolute paths are skipped. */

#include "support/feature_rows.h"
#include "text/template.h"

#include "fuzz.h"

enum { POSITIONS = 16, COLUMNS = 64, BASE = 1 };

/* Cells of a sequence; what is missing is empty. */
static size_t split(cau_str text, cau_str cells[POSITIONS][COLUMNS])
{
    size_t T = 0;
    const char *p = text.s, *end = text.s + text.n;
    for (; T < POSITIONS && p < end; T++, p++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            const char *first = p;
            while (p < end && *p != ' ' && *p != '\n') p++;
            cells[T][c] = (cau_str){first, (size_t)(p - first)};
            if (p < end && *p == ' ') p++;
        }
        while (p < end && *p != '\n') p++;
    }
    return T;
}

static cau_extractor *extractor_of(caucus_ctx *ctx, const cau_template *t, int base,
                                   cau_str cells[POSITIONS][COLUMNS], size_t T, caucus_status *st)
{
    cau_extractor *x = NULL;
    *st = cau_extractor_new(ctx, t, base, &x);
    if (!*st) cau_extractor_begin(x);
    for (size_t i = 0; !*st && i < T; i++) *st = cau_extractor_add(ctx, x, cells[i], COLUMNS);
    return x;
}

static void apply(caucus_ctx *ctx, const cau_template *t, cau_str sequence)
{
    cau_str cells[POSITIONS][COLUMNS];
    const size_t T = split(sequence, cells);
    cau_feature_block names = {.base = CAU_BY_NAME}, keys = {.base = BASE};
    caucus_status st, same;
    cau_extractor *x = extractor_of(ctx, t, CAU_BY_NAME, cells, T, &st);
    cau_extractor *y = extractor_of(ctx, t, BASE, cells, T, &same);
    require(st == same);
    for (size_t at = 0; !st && at < T; at += names.rows) {
        st = cau_extractor_fill(ctx, x, at, &names);
        require(cau_extractor_fill(ctx, y, at, &keys) == st);
        require(st || (names.rows > 0 && names.rows == keys.rows));
        for (size_t row = 0; !st && row < names.rows; row++)
            require(rows_agree(&names, row, &keys, row));
    }
    require(!st || *caucus_message(ctx));
    cau_extractor_free(x);
    cau_extractor_free(y);
    cau_feature_block_clear(&names);
    cau_feature_block_clear(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *all = (const char *)bytes;
    if (size && memmem(all, size, "\"/", 2)) return 0;
    const char *mark = size ? memmem(all, size, "\n---\n", 5) : NULL;
    const cau_str text = {all, mark ? (size_t)(mark - all) : size};
    const cau_str sequence = {mark ? mark + 5 : "a b", mark ? size - text.n - 5 : 3};

    caucus_ctx *ctx = new_context();
    cau_template *t = NULL, *again = NULL;
    if (cau_template_parse(ctx, "fuzz", text, "/nonexistent", &t)) {
        require(!t && strncmp(caucus_message(ctx), "fuzz:", 5) == 0);
    } else {
        const cau_str own = cau_template_text(t);
        require(!cau_template_parse(ctx, "own", own, "/nonexistent", &again));
        require(cau_template_text(again).n == own.n);
        require(memcmp(cau_template_text(again).s, own.s, own.n) == 0);
        if (cau_template_columns(t) <= COLUMNS) apply(ctx, t, sequence);
    }
    cau_template_free(t);
    cau_template_free(again);
    caucus_ctx_free(ctx);
    return 0;
}
