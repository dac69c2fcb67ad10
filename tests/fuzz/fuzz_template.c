/* fuzz_template.c - random bytes as a template, and as a sequence it is applied to.
 *
 * The sequence follows the first line "---": its lines are positions, blanks separate cells. Either
 * the template is refused with a message that has its place, or it compiles; then its own text
 * compiles to the same text, and the keys are the hashes of the names. No gazetteer is read:
 * relative paths lead nowhere, and texts with absolute paths are skipped. */

#include "text/template.h"

#include "fuzz.h"

enum { POSITIONS = 16, COLUMNS = 64, FEATURES = 1 << 16 };

typedef struct {
    uint64_t key[FEATURES];
    double value[FEATURES];
    size_t count;
    uint64_t given[FEATURES]; /* [numbers] keys that have a number */
    uint32_t numbers;
    bool hash; /* names come: make keys of them */
} seen;

typedef enum { NAMES, KEYS, CONTENTS } form;

static caucus_status take(void *self, cau_str name, uint64_t key, double value)
{
    seen *s = self;
    require(!name.s == !s->hash);
    if (s->count == FEATURES) return CAUCUS_ERR_STOPPED;
    s->key[s->count] = s->hash ? cau_key_of(1, name.s, name.n).hash : key;
    s->value[s->count++] = value;
    return CAUCUS_OK;
}

static caucus_status take_contents(void *self, size_t positions, const cau_family *family,
                                   size_t count, const cau_key *content, uint32_t *first)
{
    seen *s = self;
    (void)positions;
    if (count * family->members > FEATURES - s->numbers) return CAUCUS_ERR_STOPPED;
    *first = s->numbers;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < family->members; i++)
            s->given[s->numbers++] = cau_family_key(family, i, content[j]);
    return CAUCUS_OK;
}

static caucus_status take_numbers(void *self, size_t count, const uint32_t *number)
{
    seen *s = self;
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; !st && i < count; i++) {
        require(number[i] < s->numbers);
        st = take(self, (cau_str){NULL, 0}, s->given[number[i]], 1);
    }
    return st;
}

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

static caucus_status extract(caucus_ctx *ctx, const cau_template *t, form as,
                             cau_str cells[POSITIONS][COLUMNS], size_t T, seen *into)
{
    cau_extractor *x = NULL;
    const cau_feature_sink sink = {.node = take,
                                   .contents = as == CONTENTS ? take_contents : NULL,
                                   .nodes = take_numbers,
                                   .edge = take,
                                   .self = into};
    into->count = into->numbers = 0;
    into->hash = as == NAMES;
    caucus_status st = cau_extractor_new(ctx, t, as != NAMES, 1, &x);
    if (!st) cau_extractor_begin(x);
    for (size_t i = 0; !st && i < T; i++) st = cau_extractor_add(ctx, x, cells[i], COLUMNS);
    for (size_t i = 0; !st && i < T; i++) st = cau_extractor_features(ctx, x, i, &sink);
    cau_extractor_free(x);
    require(!st || st == CAUCUS_ERR_STOPPED || *caucus_message(ctx));
    return st;
}

static void compare(const seen *a, const seen *b)
{
    require(a->count == b->count);
    require(memcmp(a->key, b->key, b->count * sizeof *b->key) == 0);
    require(memcmp(a->value, b->value, b->count * sizeof *b->value) == 0);
}

static void apply(caucus_ctx *ctx, const cau_template *t, cau_str sequence)
{
    static seen names, keys, contents;
    cau_str cells[POSITIONS][COLUMNS];
    const size_t T = split(sequence, cells);
    const caucus_status st = extract(ctx, t, NAMES, cells, T, &names);
    require(extract(ctx, t, KEYS, cells, T, &keys) == st);
    compare(&names, &keys);
    const caucus_status last = extract(ctx, t, CONTENTS, cells, T, &contents);
    require(last == st || last == CAUCUS_ERR_STOPPED); /* paddings have numbers too */
    if (!last) compare(&names, &contents);
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
