/* template_parse.c - one line of a template: literal text and macros.
 *
 *     line     = first { "%%" | macro | character }
 *     macro    = "%" name "[" row "," column { "," argument } "]"
 *     row      = [ "@" ] [ "+" | "-" ] digits
 *     argument = digits | digits "-" digits | '"' text '"' | word
 *
 * Blanks may stand around every part in brackets. The first character selects nodes or edges, and
 * the dialect:
 *
 *     U B      CRF++: the whole line is the pattern, with any '#'
 *     u b *    Wapiti: a '#' outside of quotes begins a comment; blanks at the end are dropped
 *
 * The dialect also selects the padding. The macros that only Wapiti has always use the padding of
 * Wapiti, because its expressions may match it. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/status.h"
#include "text/template_internal.h"

enum {
    CHARS_MAX = 32,    /* of an n-gram */
    AFFIX_MAX = 1000,  /* characters of a prefix or suffix */
    SHOWN_MAX = 72,    /* columns of a line in a message */
    SHOWN_BEFORE = 48, /* of them before the place */
};

/* The arguments of a macro after row and column. */
typedef enum { ARGS_NONE, ARGS_LENGTH, ARGS_RANGE, ARGS_REGEX, ARGS_LIST } arguments;

typedef enum { NOT_WAPITI, WAPITI } origin;

enum { NUMBER = -1 }; /* instead of a term: the value of the feature */

static const struct macro {
    const char *name;
    int kind; /* cau_term_kind or NUMBER */
    arguments args;
    bool lower;
    origin origin;
    const char *usage;
} macros[] = {
    {"x", CAU_TERM_CELL, ARGS_NONE, false, NOT_WAPITI, "%x[row,column]"},
    {"X", CAU_TERM_CELL, ARGS_NONE, true, WAPITI, "%X[row,column]"},
    {"m", CAU_TERM_MATCH, ARGS_REGEX, false, WAPITI, "%m[row,column,\"expression\"]"},
    {"M", CAU_TERM_MATCH, ARGS_REGEX, true, WAPITI, "%M[row,column,\"expression\"]"},
    {"t", CAU_TERM_TEST, ARGS_REGEX, false, WAPITI, "%t[row,column,\"expression\"]"},
    {"T", CAU_TERM_TEST, ARGS_REGEX, false, WAPITI, "%T[row,column,\"expression\"]"},
    {"match", CAU_TERM_MATCH, ARGS_REGEX, false, NOT_WAPITI, "%match[row,column,\"expression\"]"},
    {"test", CAU_TERM_TEST, ARGS_REGEX, false, NOT_WAPITI, "%test[row,column,\"expression\"]"},
    {"lower", CAU_TERM_CELL, ARGS_NONE, true, NOT_WAPITI, "%lower[row,column]"},
    {"prefix", CAU_TERM_PREFIX, ARGS_LENGTH, false, NOT_WAPITI, "%prefix[row,column,length]"},
    {"suffix", CAU_TERM_SUFFIX, ARGS_LENGTH, false, NOT_WAPITI, "%suffix[row,column,length]"},
    {"chars", CAU_TERM_CHARS, ARGS_RANGE, false, NOT_WAPITI, "%chars[row,column,least-most]"},
    {"shape", CAU_TERM_SHAPE, ARGS_NONE, false, NOT_WAPITI, "%shape[row,column]"},
    {"lex", CAU_TERM_LEX, ARGS_LIST, false, NOT_WAPITI, "%lex[row,column,\"file\"]"},
    {"number", NUMBER, ARGS_NONE, false, NOT_WAPITI, "%number[row,column]"},
};
enum { MACROS = sizeof macros / sizeof *macros };

/* ---- messages ---------------------------------------------------------------------------- */

/* Appends to the message of the context, as far as there is room. */
static void add_message(caucus_ctx *ctx, cau_str more)
{
    const size_t n = strlen(ctx->message), room = CAU_MESSAGE_MAX - 1 - n;
    const size_t taken = more.n < room ? more.n : room;
    memcpy(ctx->message + n, more.s, taken);
    ctx->message[n + taken] = '\0';
}

/* Columns that a character takes on a terminal; what would move the cursor is shown as one. */
static size_t width_of(const char *s, size_t bytes)
{
    utf8proc_int32_t code;
    if (utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)bytes, &code) < 0) return 1;
    if (code < 0x20 || code == 0x7F) return 1;
    const int width = utf8proc_charwidth(code);
    return width < 0 ? 0 : (size_t)width;
}

/* The part of the line around the place, and a caret below the place. */
static void show_place(const cau_template_line *in, const char *place)
{
    const char *stop = in->line.s + in->line.n, *from = in->line.s;
    size_t before = 0; /* columns from `from` to the place */
    for (const char *p = from; p < place;) {
        const size_t bytes = cau_token_step(p, (size_t)(stop - p));
        before += width_of(p, bytes);
        p += bytes;
    }
    const bool cut = before > SHOWN_BEFORE;
    while (before > SHOWN_BEFORE) {
        const size_t bytes = cau_token_step(from, (size_t)(stop - from));
        before -= width_of(from, bytes);
        from += bytes;
    }

    static const cau_str start = {"\n    ", 5}, more = {"...", 3};
    add_message(in->ctx, start);
    if (cut) add_message(in->ctx, more);
    size_t shown = 0;
    const char *p = from;
    while (p < stop && shown < SHOWN_MAX) {
        const size_t bytes = cau_token_step(p, (size_t)(stop - p));
        const bool control = (unsigned char)*p < 0x20 || *p == 0x7F;
        add_message(in->ctx, control ? (cau_str){*p == '\t' ? " " : "?", 1} : (cau_str){p, bytes});
        shown += width_of(p, bytes);
        p += bytes;
    }
    if (p < stop) add_message(in->ctx, more);
    add_message(in->ctx, start);
    for (size_t i = 0; i < before + (cut ? more.n : 0); i++)
        add_message(in->ctx, (cau_str){" ", 1});
    add_message(in->ctx, (cau_str){"^", 1});
}

caucus_status cau_template_fail(const cau_template_line *in, const char *place, const char *format,
                                ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)cau_fail(in->ctx, CAUCUS_ERR_FORMAT, "%.1024s:%zu: %s", in->name, in->number, what);
    show_place(in, place);
    return CAUCUS_ERR_FORMAT;
}

static caucus_status no_memory(const cau_template_line *in)
{
    return cau_fail_memory(in->ctx, "the template");
}

/* ---- parts of a macro -------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(cau_template_line *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t')) in->at++;
}

/* Takes the character if it is next, after blanks. */
static bool take(cau_template_line *in, char c)
{
    skip_blanks(in);
    if (in->at == in->end || *in->at != c) return false;
    in->at++;
    return true;
}

/* Reads a whole number without sign; false if there is no digit. Numbers above `most` become
 * `most` + 1. */
static bool take_number(cau_template_line *in, size_t most, size_t *out)
{
    skip_blanks(in);
    if (in->at == in->end || !is_digit(*in->at)) return false;
    size_t value = 0;
    for (; in->at < in->end && is_digit(*in->at); in->at++) {
        value = value * 10 + (size_t)(*in->at - '0');
        if (value > most) value = most + 1;
    }
    *out = value;
    return true;
}

static caucus_status read_row(cau_template_line *in, const struct macro *macro,
                              cau_template_row *out)
{
    skip_blanks(in);
    const char *place = in->at;
    size_t distance;
    const bool absolute = take(in, '@');
    const bool minus = take(in, '-');
    if (!minus) (void)take(in, '+');
    if (!take_number(in, CAU_ROW_MAX, &distance))
        return cau_template_fail(in, place, "the row is no whole number; write %s", macro->usage);
    if (distance > CAU_ROW_MAX)
        return cau_template_fail(in, place, "the row is too far away; use %d to %d", -CAU_ROW_MAX,
                                 CAU_ROW_MAX);
    const int row = minus ? -(int)distance : (int)distance;
    *out = (cau_template_row){CAU_FROM_HERE, row};
    if (absolute)
        *out = row < 0 ? (cau_template_row){CAU_FROM_END, row}
                       : (cau_template_row){CAU_FROM_START, row - 1};
    return CAUCUS_OK;
}

static caucus_status read_column(cau_template_line *in, const struct macro *macro, size_t *out)
{
    if (!take(in, ',')) {
        if (in->at < in->end && *in->at != ']')
            return cau_template_fail(in, in->at, "the row is no whole number; write %s",
                                     macro->usage);
        return cau_template_fail(in, in->at, "missing column; write %s", macro->usage);
    }
    skip_blanks(in);
    const char *place = in->at;
    if (!take_number(in, CAU_COLUMN_MAX, out))
        return cau_template_fail(in, place, "the column is no number; columns count from 0");
    if (*out > CAU_COLUMN_MAX)
        return cau_template_fail(in, place, "the column is too large; use 0 to %d", CAU_COLUMN_MAX);
    return CAUCUS_OK;
}

/* One length, or a range of them. */
static caucus_status read_lengths(cau_template_line *in, const struct macro *macro, cau_term *term)
{
    const size_t most = macro->args == ARGS_RANGE ? CHARS_MAX : AFFIX_MAX;
    skip_blanks(in);
    const char *place = in->at;
    if (!take_number(in, most, &term->least))
        return cau_template_fail(in, place, "missing length; write %s", macro->usage);
    term->most = term->least;
    if (macro->args == ARGS_RANGE && take(in, '-') && !take_number(in, most, &term->most))
        return cau_template_fail(in, in->at, "missing length; write %s", macro->usage);
    if (term->least < 1 || term->most > most || term->least > term->most)
        return cau_template_fail(in, place, "no such lengths; use 1 to %zu, the lesser one first",
                                 most);
    return CAUCUS_OK;
}

caucus_status cau_template_quoted(cau_template_line *in, cau_str *out)
{
    skip_blanks(in);
    const char *place = in->at;
    if (!take(in, '"'))
        return cau_template_fail(in, place, "missing text in quotes; write it as \"text\"");
    const char *first = in->at;
    for (; in->at < in->end && *in->at != '"'; in->at++)
        if (*in->at == '\\' && in->at + 1 < in->end) in->at++;
    if (in->at == in->end)
        return cau_template_fail(in, place, "the quote is never closed; add \" after the text");
    *out = (cau_str){first, (size_t)(in->at++ - first)};
    return CAUCUS_OK;
}

static bool equal(cau_str a, cau_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static bool copy(cau_template *t, cau_str from, cau_str *out)
{
    const char *s = cau_arena_copy(&t->arena, from.s, from.n);
    *out = (cau_str){s, from.n};
    return s;
}

static caucus_status read_regex(cau_template_line *in, const struct macro *macro, cau_term *term)
{
    cau_template *t = in->t;
    const cau_regex_language language = macro->origin != WAPITI ? CAU_REGEX_PCRE
                                        : t->bytes              ? CAU_REGEX_WAPITI_BYTES
                                                                : CAU_REGEX_WAPITI;
    cau_str source;
    caucus_status st = cau_template_quoted(in, &source);
    if (st) return st;
    for (size_t i = 0; i < t->expression_count; i++)
        if (t->expressions[i].language == language && equal(t->expressions[i].source, source)) {
            term->regex = t->expressions[i].regex;
            return CAUCUS_OK;
        }

    cau_expression new = {.language = language};
    char error[CAU_REGEX_ERROR_MAX] = "";
    size_t place = 0;
    if (!CAU_GROW(t->expressions, t->expression_room, t->expression_count + 1) ||
        !copy(t, source, &new.source))
        return no_memory(in);
    st = cau_regex_new(source, language, &new.regex, error, &place);
    if (st == CAUCUS_ERR_MEMORY) return no_memory(in);
    if (st)
        return cau_template_fail(in, source.s + place,
                                 "bad regular expression, %s; fix it, or put \\ before what is "
                                 "meant literally",
                                 error);
    t->expressions[t->expression_count++] = new;
    term->regex = new.regex;
    return CAUCUS_OK;
}

static caucus_status read_list(cau_template_line *in, cau_term *term)
{
    cau_str name;
    cau_list *list = NULL;
    const char *place = in->at;
    caucus_status st = cau_template_quoted(in, &name);
    if (!st && name.n == 0) st = cau_template_fail(in, place, "no file name; write it in quotes");
    if (st) return st;
    bool lower = false;
    if (take(in, ',')) {
        skip_blanks(in);
        static const cau_str word = {"lower", 5};
        lower = (size_t)(in->end - in->at) >= word.n && memcmp(in->at, word.s, word.n) == 0;
        if (!lower)
            return cau_template_fail(in, in->at,
                                     "unknown word; write lower to find names in any case");
        in->at += word.n;
    }
    st = cau_template_list(in, name, place, &list);
    if (st) return st;
    if (!list->form[lower]) {
        cau_lexicon *lexicon = NULL;
        st = cau_lexicon_new(in->ctx, lower, &lexicon);
        const char *end = list->names.s + list->names.n;
        for (const char *p = list->names.s; !st && p < end;) {
            const char *stop = memchr(p, '\n', (size_t)(end - p));
            st = cau_lexicon_add(in->ctx, lexicon, (cau_str){p, (size_t)(stop - p)});
            p = stop + 1;
        }
        if (st) {
            cau_lexicon_free(lexicon);
            return st;
        }
        list->form[lower] = lexicon;
    }
    term->lexicon = list->form[lower];
    return CAUCUS_OK;
}

/* ---- terms and slots --------------------------------------------------------------------- */

/* The index of a term, which is added if it is new. CAU_NONE when memory is short. */
static size_t find_term(cau_template *t, const cau_term *term)
{
    for (size_t i = 0; i < t->term_count; i++) {
        const cau_term *old = &t->terms[i];
        if (old->kind == term->kind && old->lower == term->lower && old->bytes == term->bytes &&
            old->column == term->column && old->least == term->least && old->most == term->most &&
            old->regex == term->regex && old->lexicon == term->lexicon &&
            old->applies_to_padding == term->applies_to_padding)
            return i;
    }
    if (!CAU_GROW(t->terms, t->term_room, t->term_count + 1)) return CAU_NONE;
    t->terms[t->term_count] = *term;
    t->terms[t->term_count].slots = CAU_NONE;
    return t->term_count++;
}

/* The same for the slot of a term. */
static size_t find_slot(cau_template *t, size_t term, cau_str lead, cau_padding padding)
{
    for (size_t i = t->terms[term].slots; i != CAU_NONE; i = t->slots[i].next)
        if (t->slots[i].padding == padding && equal(t->slots[i].lead, lead)) return i;
    cau_template_slot new = {.term = term, .padding = padding, .next = t->terms[term].slots};
    if (!CAU_GROW(t->slots, t->slot_room, t->slot_count + 1) || !copy(t, lead, &new.lead))
        return CAU_NONE;
    t->slots[t->slot_count] = new;
    return t->terms[term].slots = t->slot_count++;
}

/* ---- a line ------------------------------------------------------------------------------ */

/* The macro by its name, which starts at in->at; NULL after an unknown one. */
static const struct macro *find_macro(const cau_template_line *in, size_t length)
{
    for (size_t i = 0; i < MACROS; i++)
        if (equal((cau_str){macros[i].name, strlen(macros[i].name)}, (cau_str){in->at, length}))
            return &macros[i];
    return NULL;
}

static caucus_status unknown_macro(const cau_template_line *in, const char *place, size_t length)
{
    if (length == 0)
        return cau_template_fail(in, place, "'%%' begins no macro; write %%%% for a percent sign");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), in->at);
    size_t best = 0, least = SIZE_MAX;
    for (size_t i = 0; i < MACROS; i++) {
        const size_t edits = cau_edit_distance(name, macros[i].name);
        if (edits < least) {
            least = edits;
            best = i;
        }
    }
    if (length > 1 && strlen(macros[best].name) > 1 && least <= 2)
        return cau_template_fail(in, place, "unknown macro %%%s; did you mean %%%s?", name,
                                 macros[best].name);
    return cau_template_fail(in, place,
                             "unknown macro %%%s; there are %%x %%X %%m %%M %%t %%T %%match %%test "
                             "%%lower %%prefix %%suffix %%chars %%shape %%lex %%number, and %%%% "
                             "is a percent sign",
                             name);
}

/* Remembers how far outside of a sequence the rows reach. */
static void note_row(cau_template *t, cau_template_row row)
{
    const size_t ahead = row.offset > 0 ? (size_t)row.offset : 0;
    const size_t behind = row.offset < 0 ? (size_t)-row.offset : 0;
    const size_t after = row.origin == CAU_FROM_START ? ahead + 1 : ahead;
    if (after > t->after) t->after = after;
    if (behind > t->before) t->before = behind;
}

/* Parses the macro at in->at, which is a '%'. `literal` is the text before it. It becomes part of
 * the pattern and is emptied, except for %number, which stays in the name as it is written. */
static caucus_status read_macro(cau_template_line *in, cau_pattern *pattern, cau_strbuf *literal)
{
    caucus_status st = CAUCUS_OK;
    cau_template *t = in->t;
    const char *place = in->at++;
    size_t length = 0;
    while (in->at + length < in->end && ((in->at[length] >= 'a' && in->at[length] <= 'z') ||
                                         (in->at[length] >= 'A' && in->at[length] <= 'Z')))
        length++;
    const struct macro *macro = find_macro(in, length);
    if (!macro) return unknown_macro(in, place, length);
    in->at += length;
    if (!take(in, '[')) return cau_template_fail(in, in->at, "missing [; write %s", macro->usage);

    cau_template_row row = {0};
    cau_term term = {.lower = macro->lower,
                     .bytes = macro->lower && macro->origin == WAPITI && t->bytes,
                     .applies_to_padding = macro->origin == WAPITI && macro->args == ARGS_REGEX};
    TRY(read_row(in, macro, &row));
    TRY(read_column(in, macro, &term.column));
    if (macro->args != ARGS_NONE && !take(in, ','))
        TRY(cau_template_fail(in, in->at, "an argument is missing; write %s", macro->usage));
    if (macro->args == ARGS_LENGTH || macro->args == ARGS_RANGE)
        TRY(read_lengths(in, macro, &term));
    if (macro->args == ARGS_REGEX) TRY(read_regex(in, macro, &term));
    if (macro->args == ARGS_LIST) TRY(read_list(in, &term));
    if (!take(in, ']'))
        TRY(cau_template_fail(in, in->at, "missing ]; write %s%s", macro->usage,
                              macro->args == ARGS_LIST ? " or %lex[row,column,\"file\",lower]"
                                                       : ""));
    if (term.column >= t->columns) t->columns = term.column + 1;

    if (macro->kind == NUMBER) {
        if (pattern->number_column != CAU_NONE)
            TRY(cau_template_fail(in, place,
                                  "a second %%number; a line has one value, use two lines"));
        pattern->number_column = term.column;
        pattern->number_row = row;
        cau_strbuf_add(literal, place, (size_t)(in->at - place));
        return CAUCUS_OK;
    }

    term.kind = (cau_term_kind)macro->kind;
    if (term.kind == CAU_TERM_CHARS) {
        if (pattern->many != CAU_NONE)
            TRY(cau_template_fail(in, place, "a second %%chars; use two lines"));
        pattern->many = pattern->count;
    }
    if (literal->failed) return no_memory(in);
    const cau_str lead = {literal->s, literal->n};
    if (pattern->count == 0 && !copy(t, lead, &pattern->head)) return no_memory(in);
    const size_t index = find_term(t, &term);
    if (index == CAU_NONE || !CAU_GROW(t->refs, t->ref_room, t->ref_count + 1))
        return no_memory(in);
    const size_t slot = find_slot(t, index, pattern->count ? lead : (cau_str){"", 0},
                                  macro->origin == WAPITI ? CAU_PADDING_WAPITI : in->dialect);
    if (slot == CAU_NONE) return no_memory(in);
    t->refs[t->ref_count++] = (cau_ref){slot, row};
    pattern->count++;
    note_row(t, row);
    literal->n = 0;
done:
    return st;
}

/* Drops the blanks at the end, as Wapiti does. */
static void trim(cau_template_line *in, cau_strbuf *literal)
{
    while (literal->n && memchr(" \t\v\f\r", literal->s[literal->n - 1], 5)) {
        literal->n--;
        in->at--;
    }
}

caucus_status cau_template_pattern(cau_template_line *in)
{
    caucus_status st = CAUCUS_OK;
    cau_template *t = in->t;
    const char first = *in->at;
    cau_pattern pattern = {.node = strchr("Uu*", first),
                           .edge = strchr("Bb*", first),
                           .first = t->ref_count,
                           .many = CAU_NONE,
                           .number_column = CAU_NONE};
    in->dialect = first == 'U' || first == 'B' ? CAU_PADDING_CRFPP : CAU_PADDING_WAPITI;

    cau_strbuf literal = {0};
    while (in->at < in->end) {
        if (*in->at == '#' && in->dialect == CAU_PADDING_WAPITI) break;
        if (*in->at == '%' && in->at + 1 < in->end && in->at[1] == '%') {
            cau_strbuf_add(&literal, "%", 1);
            in->at += 2;
        } else if (*in->at == '%') {
            TRY(read_macro(in, &pattern, &literal));
        } else {
            cau_strbuf_add(&literal, in->at++, 1);
        }
    }
    if (in->dialect == CAU_PADDING_WAPITI) trim(in, &literal);
    if (pattern.edge && pattern.count == 0 && pattern.number_column == CAU_NONE) {
        t->plain = true;
        pattern.edge = false;
    }

    if (literal.failed) TRY(no_memory(in));
    const cau_str rest = {literal.s, literal.n};
    const cau_str text = {in->line.s, (size_t)(in->at - in->line.s)};
    if (!copy(t, rest, pattern.count ? &pattern.tail : &pattern.head) ||
        !copy(t, text, &pattern.text) ||
        !CAU_GROW(t->patterns, t->pattern_room, t->pattern_count + 1))
        TRY(no_memory(in));
    t->patterns[t->pattern_count++] = pattern;
done:
    cau_strbuf_clear(&literal);
    return st;
}
