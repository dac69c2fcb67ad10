/* dump.c - a model as exact text, and back.
 *
 * One fact to a line, fields separated by tabs, in this order:
 *
 *     caucus dump 1
 *     format     text                  how lines become features
 *     ngrams     1
 *     lower      0
 *     counts     0
 *     values     0
 *     info       KEY   VALUE           any number of them
 *     class      LABEL [DEFAULT]       each class; the default weight for all or for none
 *     weights    each class            or "all classes": one for a feature (explicit form)
 *     feature    NAME  Y:WEIGHT ...    each observation; Y counts the classes from 0
 *     end        FEATURES              how many there were: a text cut short is noticed
 *
 * Tabs and line ends inside names are escaped (text.h). Weights are hexadecimal floats, which
 * are exact; a weight that is not written is zero. Whether an image is dense or packed is not
 * said: cau_model_build decides that from the weights, and it is the same decision again, so
 * the bytes come back as they were. Decimal weights are read as well: the text may be edited. */

#include "model/dump.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define FIRST_LINE "caucus dump 1"
#define EACH_CLASS "each class"
#define ALL_CLASSES "all classes"

enum { FLUSH_AT = 1 << 16 }; /* bytes of output that are worth a write */

/* ---- writing ------------------------------------------------------------------------- */

/* x as "%a" writes it in the C locale: [-]0x1.8p+3. Every float is a normal double or zero, so
 * its 52 bits of fraction, without the zeros at the end, are the digits. */
static void add_hex(cau_text *text, float x)
{
    double wide = (double)x;
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    uint64_t fraction = bits << 12;
    int exponent = (int)(bits >> 52 & 0x7FF) - 1023;

    char out[32];
    size_t n = 0;
    if (bits >> 63) out[n++] = '-';
    out[n++] = '0';
    out[n++] = 'x';
    out[n++] = x == 0 ? '0' : '1';
    if (x == 0) exponent = 0;
    if (fraction) out[n++] = '.';
    for (; fraction; fraction <<= 4) out[n++] = "0123456789abcdef"[fraction >> 60];
    out[n++] = 'p';
    out[n++] = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)abs(exponent);
    char digits[4];
    size_t count = 0;
    do digits[count++] = (char)('0' + size % 10);
    while (size /= 10);
    while (count) out[n++] = digits[--count];
    cau_text_add(text, out, n);
}

static void add_weight(cau_text *text, size_t y, float w)
{
    if (w == 0) return;
    cau_text_printf(text, "\t%zu:", y);
    add_hex(text, w);
}

static void add_feature(cau_text *text, const caucus_model *m, size_t k)
{
    cau_text_add(text, "feature\t", 8);
    cau_text_escape(text, cau_model_name(m, k));
    if (m->dense)
        for (size_t y = 0; y < m->width; y++) add_weight(text, y, m->dense[k * m->width + y]);
    else
        for (uint64_t i = m->start[k]; i < m->start[k + 1]; i++)
            add_weight(text, m->column[i], m->weight[i]);
    cau_text_add(text, "\n", 1);
}

static void add_head(cau_text *text, const caucus_model *m)
{
    const char *key, *value;
    cau_text_printf(text, FIRST_LINE "\nformat\t%s\n", cau_format_name(m->read.format));
    cau_text_printf(text, "ngrams\t%llu\nlower\t%d\ncounts\t%d\nvalues\t%d\n",
                    (unsigned long long)m->read.ngrams, m->read.lower, m->read.counts,
                    m->read.values);
    for (size_t at = 0; cau_model_info_next(m, &at, &key, &value);)
        cau_text_printf(text, "info\t%s\t%s\n", key, value); /* escaped in the image already */
    for (size_t y = 0; y < m->Y; y++) {
        const char *label = cau_model_label(m, y);
        cau_text_add(text, "class\t", 6);
        cau_text_escape(text, (cau_str){label, strlen(label)});
        if (m->bias) {
            cau_text_add(text, "\t", 1);
            add_hex(text, m->bias[y]);
        }
        cau_text_add(text, "\n", 1);
    }
    cau_text_printf(text, "weights\t%s\n", m->width == m->Y ? EACH_CLASS : ALL_CLASSES);
}

static caucus_status flush(caucus_ctx *ctx, cau_text *text, caucus_write_fn *write, void *user)
{
    caucus_status st = cau_text_status(ctx, text);
    if (!st && text->n) st = write(user, text->s, text->n);
    text->n = 0;
    return st;
}

caucus_status cau_model_dump(caucus_ctx *ctx, const caucus_model *m, caucus_write_fn *write,
                             void *user)
{
    caucus_status st = CAUCUS_OK;
    cau_text text = {0};
    add_head(&text, m);
    for (size_t k = 0; k < m->K; k++) {
        add_feature(&text, m, k);
        if (text.failed || text.n >= FLUSH_AT) TRY(flush(ctx, &text, write, user));
    }
    cau_text_printf(&text, "end\t%zu\n", m->K);
    TRY(flush(ctx, &text, write, user));
done:
    cau_text_clear(&text);
    return st;
}

/* ---- reading ------------------------------------------------------------------------- */

/* What has been read so far. */
typedef struct {
    caucus_ctx *ctx;
    cau_lines *lines;
    cau_str keyword; /* the first field of the line at hand */
    cau_str rest;    /* the fields after those taken; {NULL, 0} when there are none */
    cau_text plain;  /* a field without its escapes */

    cau_read_options read;
    cau_text info;
    cau_alphabet *labels, *names;
    double *bias; /* [Y], NULL without default weights */
    size_t bias_room;
    size_t width;
    double *w; /* [K][width] */
    size_t w_room;
} undump;

#define FAIL(u, format, ...)                                                                       \
    cau_fail((u)->ctx, CAUCUS_ERR_FORMAT, CAU_AT format, CAU_AT_ARGS((u)->lines), ##__VA_ARGS__)

/* Enough of a text for a message: the arguments of "%.*s". */
#define SHORT(text) (int)((text).n < 60 ? (text).n : 60), (text).s ? (text).s : ""

static bool is(cau_str text, const char *word)
{
    return text.n == strlen(word) && memcmp(text.s, word, text.n) == 0;
}

/* The next field of the line, {NULL, 0} after the last. */
static cau_str take(undump *u)
{
    cau_str field = u->rest;
    const char *tab = field.s ? memchr(field.s, '\t', field.n) : NULL;
    u->rest = (cau_str){NULL, 0};
    if (tab) {
        const char *end = field.s + field.n;
        field.n = (size_t)(tab - field.s);
        u->rest = (cau_str){tab + 1, (size_t)(end - tab) - 1};
    }
    return field;
}

/* The next line, its keyword taken. */
static caucus_status next_line(undump *u)
{
    caucus_status st = cau_lines_next(u->ctx, u->lines, &u->rest);
    if (st) return st;
    if (!u->rest.s) return FAIL(u, "the text ends here, but a dump ends with 'end'; copy it again");
    u->keyword = take(u);
    return CAUCUS_OK;
}

static caucus_status expect(undump *u, const char *keyword)
{
    if (is(u->keyword, keyword)) return CAUCUS_OK;
    return FAIL(u, "'%.*s' where '%s' should stand; see `inspect --dump` for the order",
                SHORT(u->keyword), keyword);
}

static caucus_status line_ends(undump *u)
{
    if (!u->rest.s) return CAUCUS_OK;
    return FAIL(u, "'%.*s' is one field too many for '%.*s'; remove it", SHORT(u->rest),
                SHORT(u->keyword));
}

/* The next field as a name that `alphabet` does not have yet, added to it. */
static caucus_status take_name(undump *u, cau_alphabet *alphabet)
{
    cau_str field = take(u);
    if (!field.s) return FAIL(u, "'%.*s' without a name; add it", SHORT(u->keyword));
    u->plain.n = 0;
    if (!cau_text_unescape(&u->plain, field))
        return FAIL(u, "'%.*s' has a backslash that is none of \\t \\n \\r \\\\; write it twice",
                    SHORT(field));
    if (u->plain.failed) return cau_fail_memory(u->ctx, "a name");
    size_t size = cau_alphabet_size(alphabet);
    uint32_t id = cau_alphabet_add(alphabet, u->plain.n ? u->plain.s : "", u->plain.n);
    if (id == CAU_UNKNOWN) return cau_fail_memory(u->ctx, "the names");
    if (id < size) return FAIL(u, "'%.*s' stands twice; remove one of them", SHORT(field));
    return CAUCUS_OK;
}

/* A weight, finite also as a float. */
static caucus_status parse_weight(undump *u, cau_str text, double *out)
{
    if (cau_parse_real(text.s, text.n, out) && fabs(*out) <= (double)FLT_MAX) return CAUCUS_OK;
    return FAIL(u, "'%.*s' is no weight; give a number such as 0x1.8p+3 or 12", SHORT(text));
}

/* A whole line "keyword TAB number". */
static caucus_status read_number(undump *u, const char *keyword, uint64_t min, uint64_t max,
                                 uint64_t *out)
{
    caucus_status st = CAUCUS_OK;
    TRY(next_line(u));
    TRY(expect(u, keyword));
    cau_str field = take(u);
    uint64_t value;
    if (!field.s || !cau_parse_count(field.s, field.n, &value) || value < min || value > max)
        TRY(FAIL(u, "'%.*s' is no whole number from %llu to %llu; correct it", SHORT(field),
                 (unsigned long long)min, (unsigned long long)max));
    TRY(line_ends(u));
    *out = value;
done:
    return st;
}

/* From the first line to the last of the read options. */
static caucus_status read_settings(undump *u)
{
    caucus_status st = CAUCUS_OK;
    cau_str line;
    TRY(cau_lines_next(u->ctx, u->lines, &line));
    if (!line.s || !is(line, FIRST_LINE))
        TRY(cau_fail(u->ctx, CAUCUS_ERR_FORMAT,
                     "%s: the first line is not '" FIRST_LINE
                     "'; give a file that `caucus inspect --dump` wrote",
                     cau_lines_name(u->lines)));
    TRY(next_line(u));
    TRY(expect(u, "format"));
    cau_str name = take(u);
    cau_format format = CAU_FORMAT_AUTO;
    while (format <= CAU_FORMAT_COLUMNS && !(name.s && is(name, cau_format_name(format)))) format++;
    if (format > CAU_FORMAT_COLUMNS)
        TRY(FAIL(u, "'%.*s' is no format; text and columns are", SHORT(name)));
    TRY(line_ends(u));

    uint64_t lower, counts, values;
    TRY(read_number(u, "ngrams", 1, 8, &u->read.ngrams));
    TRY(read_number(u, "lower", 0, 1, &lower));
    TRY(read_number(u, "counts", 0, 1, &counts));
    TRY(read_number(u, "values", 0, 1, &values));
    u->read.format = format;
    u->read.lower = lower;
    u->read.counts = counts;
    u->read.values = values;
done:
    return st;
}

/* "info TAB key TAB value" lines, kept as they are; ends at the first line that is none. */
static caucus_status read_info(undump *u)
{
    caucus_status st = CAUCUS_OK;
    for (;;) {
        TRY(next_line(u));
        if (!is(u->keyword, "info")) break;
        cau_str key = take(u), value = take(u);
        if (!value.s) TRY(FAIL(u, "info without a key and a value; add them"));
        TRY(line_ends(u));
        cau_text_add(&u->info, key.s, (size_t)(value.s + value.n - key.s)); /* with the tab */
        cau_text_add(&u->info, "\n", 1);
    }
    st = cau_text_status(u->ctx, &u->info);
done:
    return st;
}

/* "class TAB label [TAB default weight]" lines; the first of them has been read. */
static caucus_status read_classes(undump *u)
{
    caucus_status st = CAUCUS_OK;
    TRY(expect(u, "class"));
    for (size_t y = 0; is(u->keyword, "class"); y++) {
        TRY(take_name(u, u->labels));
        cau_str weight = take(u);
        if (y > 0 && !weight.s != !u->bias)
            TRY(FAIL(u, "default weights for some classes only; give them for all or for none"));
        if (weight.s) {
            if (!CAU_GROW(u->bias, u->bias_room, y + 1))
                TRY(cau_fail_memory(u->ctx, "the default weights"));
            TRY(parse_weight(u, weight, &u->bias[y]));
        }
        TRY(line_ends(u));
        TRY(next_line(u));
    }
    TRY(expect(u, "weights"));
    cau_str width = take(u);
    if (is(width, EACH_CLASS))
        u->width = cau_alphabet_size(u->labels);
    else if (is(width, ALL_CLASSES))
        u->width = 1;
    else
        TRY(FAIL(u, "'%.*s' is neither '" EACH_CLASS "' nor '" ALL_CLASSES "'; correct it",
                 SHORT(width)));
    TRY(line_ends(u));
done:
    return st;
}

/* One "y:weight" after the other into w [width], which is zero. */
static caucus_status read_weights(undump *u, double *w)
{
    uint64_t y, least = 0;
    for (cau_str field = take(u); field.s; field = take(u)) {
        const char *colon = memchr(field.s, ':', field.n);
        size_t n = colon ? (size_t)(colon - field.s) : 0;
        if (!cau_parse_count(field.s, n, &y) || y >= u->width || y < least)
            return FAIL(u,
                        "'%.*s' is not class:weight with a class below %zu, ascending; "
                        "correct it",
                        SHORT(field), u->width);
        caucus_status st = parse_weight(u, (cau_str){colon + 1, field.n - n - 1}, &w[y]);
        if (st) return st;
        least = y + 1;
    }
    return CAUCUS_OK;
}

/* "feature" lines, and "end". */
static caucus_status read_features(undump *u)
{
    caucus_status st = CAUCUS_OK;
    for (size_t K = 0;; K++) {
        TRY(next_line(u));
        if (!is(u->keyword, "feature")) break;
        TRY(take_name(u, u->names));
        size_t need;
        if (!cau_size_mul(K + 1, u->width, &need) || !CAU_GROW(u->w, u->w_room, need))
            TRY(cau_fail_memory(u->ctx, "the weights"));
        double *w = u->w + K * u->width;
        memset(w, 0, u->width * sizeof *w);
        TRY(read_weights(u, w));
    }
    TRY(expect(u, "end"));
    cau_str count = take(u);
    uint64_t said;
    if (!count.s || !cau_parse_count(count.s, count.n, &said) ||
        said != cau_alphabet_size(u->names))
        TRY(FAIL(u, "the end of '%.*s' features, but %zu came; copy the text again or correct it",
                 SHORT(count), cau_alphabet_size(u->names)));
    TRY(line_ends(u));
    cau_str line;
    TRY(cau_lines_next(u->ctx, u->lines, &line));
    if (line.s) TRY(FAIL(u, "text after the end of the dump; remove it"));
done:
    return st;
}

static cau_str name_of(const void *self, size_t k)
{
    return cau_alphabet_name(((const undump *)self)->names, (uint32_t)k);
}

static cau_str label_of(const void *self, size_t y)
{
    return cau_alphabet_name(((const undump *)self)->labels, (uint32_t)y);
}

caucus_status cau_model_undump(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_input *input = NULL;
    undump u = {.ctx = ctx};

    TRY(cau_alphabet_new(ctx, &u.labels));
    TRY(cau_alphabet_new(ctx, &u.names));
    TRY(cau_input_open(ctx, path, &input));
    TRY(cau_lines_new(ctx, input, &u.lines));
    TRY(read_settings(&u));
    TRY(read_info(&u));
    TRY(read_classes(&u));
    TRY(read_features(&u));

    cau_model_parts parts = {.K = cau_alphabet_size(u.names),
                             .Y = cau_alphabet_size(u.labels),
                             .width = u.width,
                             .w = u.w,
                             .bias = u.bias,
                             .name = name_of,
                             .label = label_of,
                             .self = &u,
                             .read = u.read,
                             .info = {u.info.s, u.info.n}};
    TRY(cau_model_build(ctx, &parts, out));
done:
    cau_lines_free(u.lines);
    cau_alphabet_free(u.labels);
    cau_alphabet_free(u.names);
    cau_text_clear(&u.plain);
    cau_text_clear(&u.info);
    free(u.bias);
    free(u.w);
    return st;
}
