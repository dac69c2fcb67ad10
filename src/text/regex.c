/* regex.c - regular expressions by PCRE2, with Unicode properties, bounded in time and memory.
 *
 * Expressions of Wapiti are translated. Their language has
 *     .                        any character
 *     \a \d \l \p \s \u \w     letter, digit, lower case, punctuation, space, upper case, letter
 *                              or digit; their complements in upper case
 *     \x                       any other character x itself
 *     ^ first, $ last          the ends of the cell; literal elsewhere
 *     x*  x?                   any number, but as few as possible; one if possible
 * and everything else is literal. Wapiti uses the classes of the C library for bytes; here the
 * classes are those of Unicode, which agree on ASCII, unless bytes are asked for.
 *
 * The number of steps of a search is limited, so no expression can hang on a cell. A search that
 * reaches the limit is an error, not "no match". */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

enum {
    STEPS_MAX = 200000,     /* of one search */
    MEMORY_MAX = 64 << 10,  /* of one search, KiB */
    PATTERN_MAX = 64 << 10, /* bytes of an expression */
};

struct cau_regex {
    pcre2_code *code;
    char *source; /* for messages */
    bool starved; /* an allocation failed while it was compiled */
};

struct cau_matcher {
    pcre2_match_context *limits;
    pcre2_match_data *data;
};

/* PCRE2 allocates through our functions. A failure sets *starved, unless that is NULL. */
static void *take_memory(size_t size, void *starved)
{
    void *memory = cau_alloc(size, 1);
    if (!memory && starved) *(bool *)starved = true;
    return memory;
}

static void give_memory(void *memory, void *starved)
{
    (void)starved;
    free(memory);
}

/* ---- Wapiti's expressions ---------------------------------------------------------------- */

/* The members of a class, as written within brackets, by its lower-case letter; NULL for a letter
 * that is not a class. */
static const char *class_of(char letter, bool bytes)
{
    switch (letter) {
    case 'a':
        return bytes ? "A-Za-z" : "\\p{L}";
    case 'd':
        return bytes ? "0-9" : "\\p{Nd}";
    case 'l':
        return bytes ? "a-z" : "\\p{Ll}";
    case 'p':
        return bytes ? "[:punct:]" : "\\p{P}\\p{S}";
    case 's':
        return "\\s";
    case 'u':
        return bytes ? "A-Z" : "\\p{Lu}";
    case 'w':
        return bytes ? "A-Za-z0-9" : "\\p{L}\\p{Nd}";
    default:
        return NULL;
    }
}

/* Writes one character as a literal. */
static void add_literal(cau_strbuf *out, char c)
{
    const bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      (unsigned char)c >= 0x80;
    if (!word) cau_strbuf_add(out, "\\", 1);
    cau_strbuf_add(out, &c, 1);
}

/* True, or false with an error and its place. */
static bool translate(cau_str source, bool bytes, cau_strbuf *out, char error[CAU_REGEX_ERROR_MAX],
                      size_t *at)
{
    size_t i = 0;
    if (source.n && source.s[0] == '^') {
        cau_strbuf_add(out, "\\A", 2);
        i++;
    }
    while (i < source.n) {
        const char c = source.s[i];
        *at = i;
        if (c == '$' && i + 1 == source.n) {
            cau_strbuf_add(out, "\\z", 2);
            break;
        }
        if (c == '*' || c == '?') {
            snprintf(error, CAU_REGEX_ERROR_MAX, "'%c' follows nothing that it could repeat", c);
            return false;
        }
        i++;
        if (c == '\\') {
            if (i == source.n) {
                snprintf(error, CAU_REGEX_ERROR_MAX, "'\\' at the end");
                return false;
            }
            const char letter = source.s[i++];
            const bool upper = letter >= 'A' && letter <= 'Z';
            const char *class = class_of((char)(upper ? letter + ('a' - 'A') : letter), bytes);
            if (class)
                cau_strbuf_printf(out, "[%s%s]", upper ? "^" : "", class);
            else
                add_literal(out, letter);
        } else if (c == '.') {
            cau_strbuf_add(out, ".", 1);
        } else {
            add_literal(out, c);
        }
        /* A repetition is of the whole character, of which these are the other bytes. */
        while (!bytes && i < source.n && ((unsigned char)source.s[i] & 0xC0) == 0x80)
            cau_strbuf_add(out, source.s + i++, 1);
        if (i < source.n && source.s[i] == '*') {
            cau_strbuf_add(out, "*?", 2);
            i++;
        } else if (i < source.n && source.s[i] == '?') {
            cau_strbuf_add(out, "?", 1);
            i++;
        }
    }
    return true;
}

/* ---- compiling --------------------------------------------------------------------------- */

static const uint32_t UNICODE = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;

/* Compiles the text of an expression in the language of PCRE2. */
static caucus_status compile(cau_regex *regex, cau_str text, uint32_t options,
                             char error[CAU_REGEX_ERROR_MAX], size_t *at)
{
    caucus_status st = CAUCUS_ERR_MEMORY;
    pcre2_compile_context *how = NULL;
    pcre2_general_context *memory =
        pcre2_general_context_create(take_memory, give_memory, &regex->starved);
    if (!memory) goto done;
    how = pcre2_compile_context_create(memory);
    if (!how) goto done;

    int code = 0;
    PCRE2_SIZE where = 0;
    pcre2_set_max_pattern_length(how, PATTERN_MAX);
    regex->code = pcre2_compile((PCRE2_SPTR)(text.s ? text.s : ""), text.n,
                                options | PCRE2_NEVER_BACKSLASH_C, &code, &where, how);
    /* Machine code where the system allows it; the interpreter finds the same matches. */
    if (regex->code) (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
    if (regex->starved || (!regex->code && code == PCRE2_ERROR_HEAP_FAILED)) goto done;
    st = CAUCUS_OK;
    if (!regex->code) {
        if (pcre2_get_error_message(code, (PCRE2_UCHAR *)error, CAU_REGEX_ERROR_MAX) < 0)
            error[CAU_REGEX_ERROR_MAX - 1] = '\0'; /* cut, which is fine */
        *at = where < text.n ? where : text.n;
        st = CAUCUS_ERR_FORMAT;
    }
done:
    pcre2_compile_context_free(how);
    pcre2_general_context_free(memory);
    return st;
}

caucus_status cau_regex_new(cau_str source, cau_regex_language language, cau_regex **out,
                            char error[CAU_REGEX_ERROR_MAX], size_t *at)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf text = {0};
    cau_regex *regex = cau_calloc(1, sizeof *regex);
    if (regex) regex->source = cau_alloc(source.n + 1, 1);
    if (!regex || !regex->source) TRY(CAUCUS_ERR_MEMORY);
    if (source.n) memcpy(regex->source, source.s, source.n);
    regex->source[source.n] = '\0';

    if (language == CAU_REGEX_PCRE) {
        TRY(compile(regex, source, UNICODE, error, at));
    } else {
        const bool bytes = language == CAU_REGEX_WAPITI_BYTES;
        if (!translate(source, bytes, &text, error, at)) TRY(CAUCUS_ERR_FORMAT);
        if (text.failed) TRY(CAUCUS_ERR_MEMORY);
        size_t place;
        TRY(compile(regex, (cau_str){text.s, text.n}, PCRE2_DOTALL | (bytes ? 0 : UNICODE), error,
                    &place));
    }
    *out = regex;
    regex = NULL;
done:
    cau_regex_free(regex);
    cau_strbuf_clear(&text);
    return st;
}

void cau_regex_free(cau_regex *regex)
{
    if (!regex) return;
    pcre2_code_free(regex->code);
    free(regex->source);
    free(regex);
}

/* ---- matching ---------------------------------------------------------------------------- */

caucus_status cau_matcher_new(caucus_ctx *ctx, cau_matcher **out)
{
    cau_matcher *matcher = cau_calloc(1, sizeof *matcher);
    pcre2_general_context *memory = pcre2_general_context_create(take_memory, give_memory, NULL);
    if (matcher && memory) {
        matcher->limits = pcre2_match_context_create(memory);
        matcher->data = pcre2_match_data_create(2, memory); /* the match and its first group */
    }
    pcre2_general_context_free(memory);
    if (!matcher || !matcher->limits || !matcher->data) {
        cau_matcher_free(matcher);
        return cau_fail_memory(ctx, "matching regular expressions");
    }
    pcre2_set_match_limit(matcher->limits, STEPS_MAX);
    pcre2_set_depth_limit(matcher->limits, STEPS_MAX);
    pcre2_set_heap_limit(matcher->limits, MEMORY_MAX);
    *out = matcher;
    return CAUCUS_OK;
}

void cau_matcher_free(cau_matcher *matcher)
{
    if (!matcher) return;
    pcre2_match_context_free(matcher->limits);
    pcre2_match_data_free(matcher->data);
    free(matcher);
}

caucus_status cau_regex_find(caucus_ctx *ctx, cau_matcher *matcher, const cau_regex *regex,
                             cau_str text, bool *yes, cau_str *found)
{
    const PCRE2_SPTR s = (PCRE2_SPTR)(text.s ? text.s : "");
    int count = pcre2_match(regex->code, s, text.n, 0, 0, matcher->data, matcher->limits);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter keeps its stack on the heap */
        count =
            pcre2_match(regex->code, s, text.n, 0, PCRE2_NO_JIT, matcher->data, matcher->limits);
    if (count == PCRE2_ERROR_NOMEMORY) return cau_fail_memory(ctx, "matching regular expressions");
    if (count < 0 && count != PCRE2_ERROR_NOMATCH)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        "the regular expression \"%.60s\" takes too long on a cell of %zu bytes; "
                        "simplify it",
                        regex->source, text.n);

    /* count is 0 when there are more groups than the two that we ask for. */
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(matcher->data);
    *yes = count >= 0;
    *found = (cau_str){text.s, 0};
    if (!*yes) return CAUCUS_OK;
    uint32_t groups = 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    const size_t first = groups > 0 ? ends[2] : ends[0], last = groups > 0 ? ends[3] : ends[1];
    if (groups > 0 && (count == 1 || first == PCRE2_UNSET)) return CAUCUS_OK; /* took no part */
    if (first < last && last <= text.n) *found = (cau_str){text.s + first, last - first};
    return CAUCUS_OK;
}
