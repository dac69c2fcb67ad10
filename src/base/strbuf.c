/* strbuf.c - growing strings, strict parsing of numbers, comparison of names.
 *
 * A number is first reduced to an integer and an exponent: "-12.50e3" is -1250 * 10^1. If the
 * integer is at most 2^53 and the power of ten at most 10^22, both are exact in a double, and one
 * multiplication or division gives the correctly rounded result [1]. Nearly all numbers in data
 * files are of this kind. All others are rewritten without a decimal point, "-1250e1", which
 * strtod reads the same way in every locale.
 *
 * The rewritten form is short: a double depends on its first 768 significant digits and on whether
 * any later digit is not zero.
 * [1] Clinger. How to Read Floating Point Numbers Accurately. PLDI 1990. */

#include "base/strbuf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- numbers ------------------------------------------------------------------------- */

enum {
    DIGITS_KEPT = 780,    /* significant digits passed to strtod */
    MANTISSA_DIGITS = 19, /* any number of so few digits fits in 64 bits */
    POWERS = 23,          /* 10^0 to 10^22 are exact */
};

/* With a larger exponent, every number that fits in memory is 0 or infinite. */
static const int64_t EXPONENT_MAX = (int64_t)1 << 56;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a digit, or 255. */
static unsigned digit_value(char c, bool hex)
{
    if (is_digit(c)) return (unsigned)(c - '0');
    if (hex && c >= 'a' && c <= 'f') return (unsigned)(c - 'a' + 10);
    if (hex && c >= 'A' && c <= 'F') return (unsigned)(c - 'A' + 10);
    return 255;
}

/* The exponent after the 'e' or 'p', limited to +-EXPONENT_MAX. */
static bool parse_exponent(const char *s, const char *end, int64_t *out)
{
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end) return false;
    int64_t value = 0;
    for (; s < end; s++) {
        if (!is_digit(*s)) return false;
        value = value * 10 + (*s - '0');
        if (value > EXPONENT_MAX) value = EXPONENT_MAX;
    }
    *out = negative ? -value : value;
    return true;
}

/* The general case, after the sign (and after "0x"): digits with at most one point, then an
 * optional exponent. */
static bool parse_slowly(const char *s, const char *end, bool hex, double *out)
{
    char form[DIGITS_KEPT + 32] = "0x0";
    size_t length = hex ? 3 : 1, kept = 0;
    int64_t exponent = 0, written = 0; /* of the base: 10, or 2 in hexadecimal */
    int64_t places = 0;                /* digits that the point moves to the right */
    bool any = false, point = false, rest = false;

    for (; s < end; s++) {
        unsigned digit = digit_value(*s, hex);
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (digit == 255) break;
        any = true;
        if (kept == 0 && digit == 0) {
            places -= point;
        } else if (kept < DIGITS_KEPT) {
            form[length++] = *s;
            kept++;
            places -= point;
        } else {
            rest |= digit != 0;
            places += !point;
        }
    }
    if (!any) return false;
    if (s < end) {
        char mark = hex ? 'p' : 'e';
        if ((*s | 0x20) != mark || !parse_exponent(s + 1, end, &written)) return false;
    }
    if (rest) {
        form[length++] = '1';
        places--;
    }
    exponent = written + places * (hex ? 4 : 1);
    snprintf(form + length, sizeof form - length, "%c%lld", hex ? 'p' : 'e', (long long)exponent);
    *out = strtod(form, NULL);
    return true;
}

static bool parse_word(const char *s, size_t n, double *out)
{
    if ((n == 3 && strncasecmp(s, "inf", n) == 0) || (n == 8 && strncasecmp(s, "infinity", n) == 0))
        *out = INFINITY;
    else if (n == 3 && strncasecmp(s, "nan", n) == 0)
        *out = NAN;
    else
        return false;
    return true;
}

/* Parses short decimals exactly; false for any other text. */
static bool parse_quickly(const char *s, const char *end, double *out)
{
    static const double power[POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (end - s > MANTISSA_DIGITS + 6) return false;
    const char *start = s;
    uint64_t mantissa = 0;
    while (s < end && is_digit(*s)) mantissa = mantissa * 10 + (uint64_t)(*s++ - '0');
    ptrdiff_t digits = s - start;
    int64_t exponent = 0;
    if (s < end && *s == '.') {
        const char *fraction = ++s;
        while (s < end && is_digit(*s)) mantissa = mantissa * 10 + (uint64_t)(*s++ - '0');
        digits += s - fraction;
        exponent = fraction - s;
    }
    if (digits == 0 || digits > MANTISSA_DIGITS || mantissa > (uint64_t)1 << 53) return false;
    if (s < end) {
        int64_t written;
        if ((*s | 0x20) != 'e' || !parse_exponent(s + 1, end, &written)) return false;
        exponent += written;
    }
    if (exponent <= -POWERS || exponent >= POWERS) return false;
    *out = exponent < 0 ? (double)mantissa / power[-exponent] : (double)mantissa * power[exponent];
    return true;
}

bool cau_parse_real(const char *s, size_t n, double *out)
{
    const char *end = s + n;
    bool negative = n > 0 && *s == '-';
    if (n > 0 && (*s == '-' || *s == '+')) s++;
    bool hex = end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x';

    double value;
    if (!parse_quickly(s, end, &value) && !parse_slowly(hex ? s + 2 : s, end, hex, &value) &&
        !parse_word(s, (size_t)(end - s), &value))
        return false;
    *out = negative ? -value : value;
    return true;
}

bool cau_parse_count(const char *s, size_t n, uint64_t *out)
{
    if (n == 0) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(s[i]) || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s[i] - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

/* ---- names --------------------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* d(i,j), the edits between the first i bytes of a and the first j of b, is the least of
 *     d(i-1,j) + 1,  d(i,j-1) + 1,  d(i-1,j-1) + [a_i != b_j],
 *     d(i-2,j-2) + 1  where the last two bytes are swapped;
 * three rows of it are kept. */
size_t cau_edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (n > m) { /* the distance is symmetric: rows follow the shorter text */
        const char *longer = b;
        b = a, a = longer;
        size_t longest = n;
        n = m, m = longest;
    }
    enum { ROW = 256 };
    if (n >= ROW) return m; /* no name is this long; replacing everything is enough */

    size_t rows[3][ROW];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++) last[j] = before[j] = j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last, last = row, row = free_row;
    }
    return last[n];
}

/* The digits of the number that starts at *at, without leading zeros; advances *at past them. */
static cau_str scan_number(cau_str text, size_t *at)
{
    while (*at < text.n && text.s[*at] == '0') ++*at;
    size_t start = *at;
    while (*at < text.n && is_digit(text.s[*at])) ++*at;
    return (cau_str){text.s + start, *at - start};
}

static int compare_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t common = least(a_length, b_length);
    int order = common ? memcmp(a, b, common) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* Treats a text as a sequence of bytes and numbers. A number compares with a byte by its first
 * digit; all digits lie on one side of any other byte, so the order is transitive. Texts that are
 * equal in this sense ("a1", "a01") are compared byte by byte. */
int cau_natural_compare(cau_str a, cau_str b)
{
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n) {
        if (is_digit(a.s[i]) && is_digit(b.s[j])) {
            cau_str x = scan_number(a, &i), y = scan_number(b, &j);
            if (x.n != y.n) return x.n < y.n ? -1 : 1;
            int order = memcmp(x.s, y.s, x.n);
            if (order) return order;
        } else {
            unsigned char x = (unsigned char)a.s[i++], y = (unsigned char)b.s[j++];
            if (x != y) return x < y ? -1 : 1;
        }
    }
    if (i < a.n || j < b.n) return i < a.n ? 1 : -1;
    return compare_bytes(a.s, a.n, b.s, b.n);
}

int cau_shown(cau_str text)
{
    enum { MOST = 80 };
    size_t n = text.n;
    if (n > MOST)
        for (n = MOST; n && ((unsigned char)text.s[n] & 0xc0) == 0x80;) n--;
    return (int)n;
}

/* ---- strings that grow --------------------------------------------------------------- */

bool cau_strbuf_reserve(cau_strbuf *text, size_t more)
{
    size_t need;
    if (text->failed || !cau_size_add(text->n, more, &need) || !cau_size_add(need, 1, &need) ||
        !CAU_GROW(text->s, text->capacity, need))
        text->failed = true;
    return !text->failed;
}

void cau_strbuf_printf(cau_strbuf *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        text->failed = true;
    else if (cau_strbuf_reserve(text, (size_t)length))
        text->n += (size_t)vsnprintf(text->s + text->n, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
}

/* Adds a number that printf formatted. Its decimal point depends on the locale of the program: it
 * may be a comma or several bytes, but it has digits on both sides, and nothing else changes. */
static void add_number(cau_strbuf *text, const char *number)
{
    const size_t whole = strspn(number, "+-0123456789");
    const size_t point = strcspn(number + whole, "0123456789einfa");
    cau_strbuf_add(text, number, whole);
    if (point) cau_strbuf_add(text, ".", 1);
    cau_strbuf_add(text, number + whole + point, strlen(number + whole + point));
}

enum { NUMBER_MAX = 400 }; /* bytes of -DBL_MAX with decimals */

void cau_strbuf_general(cau_strbuf *text, double x, int digits)
{
    char number[NUMBER_MAX];
    snprintf(number, sizeof number, "%.*g", digits, x);
    add_number(text, number);
}

void cau_strbuf_fixed(cau_strbuf *text, double x, int decimals)
{
    char number[NUMBER_MAX];
    snprintf(number, sizeof number, "%.*f", decimals, x);
    add_number(text, number);
}

/* The digits are the 52 bits of the fraction, without the zeros at the end; numbers too small for
 * an exponent of their own begin with 0. */
void cau_strbuf_hex(cau_strbuf *text, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits << 12;
    const int field = (int)(bits >> 52 & 0x7FF);
    int exponent = x == 0 ? 0 : field == 0 ? -1022 : field - 1023;

    char out[32];
    size_t n = 0;
    if (bits >> 63) out[n++] = '-';
    out[n++] = '0';
    out[n++] = 'x';
    out[n++] = field == 0 ? '0' : '1';
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
    cau_strbuf_add(text, out, n);
}

void cau_strbuf_escape(cau_strbuf *text, cau_str raw)
{
    size_t start = 0; /* of the bytes that need no escape */
    for (size_t i = 0; i < raw.n; i++) {
        const char *escape;
        switch (raw.s[i]) {
        case '\t':
            escape = "\\t";
            break;
        case '\n':
            escape = "\\n";
            break;
        case '\r':
            escape = "\\r";
            break;
        case '\\':
            escape = "\\\\";
            break;
        default:
            continue;
        }
        cau_strbuf_add(text, raw.s + start, i - start);
        cau_strbuf_add(text, escape, 2);
        start = i + 1;
    }
    cau_strbuf_add(text, raw.s + start, raw.n - start);
}

bool cau_strbuf_unescape(cau_strbuf *text, cau_str escaped)
{
    size_t before = text->n, start = 0;
    for (size_t i = 0; i < escaped.n; i++) {
        if (escaped.s[i] != '\\') continue;
        cau_strbuf_add(text, escaped.s + start, i - start);
        switch (++i < escaped.n ? escaped.s[i] : '\0') {
        case 't':
            cau_strbuf_add(text, "\t", 1);
            break;
        case 'n':
            cau_strbuf_add(text, "\n", 1);
            break;
        case 'r':
            cau_strbuf_add(text, "\r", 1);
            break;
        case '\\':
            cau_strbuf_add(text, "\\", 1);
            break;
        default:
            text->n = before;
            if (text->s) text->s[before] = '\0';
            return false;
        }
        start = i + 1;
    }
    cau_strbuf_add(text, escaped.s + start, escaped.n - start);
    return true;
}

caucus_status cau_strbuf_write(void *text, const char *bytes, size_t length)
{
    cau_strbuf *to = text;
    cau_strbuf_add(to, bytes, length);
    return to->failed ? CAUCUS_ERR_MEMORY : CAUCUS_OK;
}

caucus_status cau_strbuf_status(caucus_ctx *ctx, const cau_strbuf *text)
{
    return text->failed ? cau_fail_memory(ctx, "text") : CAUCUS_OK;
}

void cau_strbuf_clear(cau_strbuf *text)
{
    free(text->s);
    *text = (cau_strbuf){0};
}
