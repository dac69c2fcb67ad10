/* words.c - see words.h. A word is found by its first character; ASCII needs no tables. */

#include "text/words.h"

#include <string.h>
#include <utf8proc.h>

#include "text/token.h"

/* What a character is to the rules of words. */
typedef enum {
    BLANK,
    LETTER,
    DIGIT,
    JOINER, /* underscores: part of letters and of digits */
    MARK,   /* part of what is before it */
    ALONE,  /* a word by itself: Han, Hiragana */
    KATAKANA,
    SIGN,
} char_class;

enum { LOCAL_MOST = 64 }; /* characters before the @ of an address */

typedef struct {
    char_class is;
    utf8proc_int32_t code;
    size_t bytes; /* 0 at the end of the text */
} character;

static char_class class_of_ascii(unsigned char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return LETTER;
    if (c >= '0' && c <= '9') return DIGIT;
    if (c == '_') return JOINER;
    return c <= ' ' || c == 0x7F ? BLANK : SIGN;
}

static bool between(utf8proc_int32_t code, utf8proc_int32_t first, utf8proc_int32_t last)
{
    return code >= first && code <= last;
}

static char_class class_of_letter(utf8proc_int32_t code)
{
    if (between(code, 0x3041, 0x309F) || between(code, 0x3005, 0x3007) ||
        between(code, 0x3021, 0x3029) || between(code, 0x3400, 0x4DBF) ||
        between(code, 0x4E00, 0x9FFF) || between(code, 0xF900, 0xFAFF) ||
        between(code, 0x20000, 0x3FFFD))
        return ALONE;
    if (between(code, 0x30A1, 0x30FF) || between(code, 0x31F0, 0x31FF) ||
        between(code, 0xFF66, 0xFF9F))
        return KATAKANA;
    return LETTER;
}

static char_class class_of(utf8proc_int32_t code)
{
    if (code == 0x200B || code == 0xFEFF) return BLANK;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return class_of_letter(code);
    case UTF8PROC_CATEGORY_ND:
        return DIGIT;
    case UTF8PROC_CATEGORY_PC:
        return JOINER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
        return MARK;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
        return BLANK;
    default:
        return SIGN;
    }
}

/* The character at a place of the text. */
static character look(cau_str text, size_t at)
{
    if (at >= text.n) return (character){.is = BLANK};
    const unsigned char c = (unsigned char)text.s[at];
    if (c < 0x80) return (character){class_of_ascii(c), c, 1};
    character found = {.bytes = cau_token_step(text.s + at, text.n - at)};
    if (utf8proc_iterate((const utf8proc_uint8_t *)text.s + at, (utf8proc_ssize_t)found.bytes,
                         &found.code) < 0)
        return (character){SIGN, 0xFFFD, 1};
    found.is = class_of(found.code);
    return found;
}

/* The character before a place, which is not the first. */
static character look_back(cau_str text, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && at - from < 4 && ((unsigned char)text.s[from] & 0xC0) == 0x80) from--;
    return look(text, from);
}

static bool is_upper(utf8proc_int32_t code)
{
    const utf8proc_category_t category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

static bool is_lower(utf8proc_int32_t code)
{
    return utf8proc_category(code) == UTF8PROC_CATEGORY_LL;
}

static bool is_apostrophe(utf8proc_int32_t code)
{
    return code == '\'' || code == 0x2019;
}

static bool is_wordly(char_class c)
{
    return c == LETTER || c == DIGIT || c == JOINER;
}

/* ---- short lists ----------------------------------------------------------------------- */

/* Whether a word, in lower case, is in a list of words that blanks separate. Only ASCII words are.
 */
static bool listed(const char *list, cau_str word)
{
    char lower[16];
    if (word.n == 0 || word.n > sizeof lower - 2) return false;
    lower[0] = ' ';
    for (size_t i = 0; i < word.n; i++) {
        const char c = word.s[i];
        if (class_of_ascii((unsigned char)c) != LETTER) return false;
        lower[i + 1] = (char)(c | 0x20);
    }
    lower[word.n + 1] = '\0';
    for (const char *at = list; (at = strstr(at, lower)); at++)
        if (at[word.n + 1] == ' ') return true;
    return false;
}

static const char clitics[] = " s d m ll re ve ";
static const char elisions[] = " l d j m t s c n qu jusqu lorsqu puisqu quoiqu un all dall dell "
                               "nell sull coll quell quest ";
static const char titles[] = " mr mrs ms mme mlle dr prof st sr sra dra hr fr rev hon gen col capt "
                             "sgt lt cmdr gov sen rep pres mt ca bzw vgl cf vs approx ";
static const char before_numbers[] = " no nos nr fig figs eq eqs art sec ch vol pp p abs kap tab "
                                     "jan feb mar apr jun jul aug sep sept oct nov dec ";

/* The end of the letters that begin at a place. */
static size_t letters_end(cau_str text, size_t at)
{
    for (character c; (c = look(text, at)).is == LETTER || (c.bytes && c.is == MARK);)
        at += c.bytes;
    return at;
}

/* Whether the letters after an apostrophe are a clitic. */
static bool is_clitic(cau_str text, size_t at, size_t *end)
{
    *end = letters_end(text, at);
    const character next = look(text, *end);
    return listed(clitics, (cau_str){text.s + at, *end - at}) && !is_wordly(next.is) &&
           !is_apostrophe(next.code);
}

/* ---- addresses ------------------------------------------------------------------------- */

static bool starts_with(cau_str text, size_t at, const char *what)
{
    const size_t n = strlen(what);
    return text.n - at >= n && memcmp(text.s + at, what, n) == 0;
}

/* The end of an address of the web, which begins at `from` and goes on at `at`. Punctuation at its
 * end belongs to the sentence, and so does a bracket that was opened before it. */
static size_t web_end(cau_str text, size_t from, size_t at)
{
    size_t open = 0, close = 0;
    for (character c; (c = look(text, at)).is != BLANK; at += c.bytes) {
        if (c.code < 0x80 ? strchr("<>\"`{}|\\^", c.code) != NULL : c.is == SIGN) break;
    }
    for (size_t i = from; i < at; i++) {
        open += text.s[i] == '(' || text.s[i] == '[';
        close += text.s[i] == ')' || text.s[i] == ']';
    }
    for (; at > from; at--) {
        const char last = text.s[at - 1];
        const bool bracket = last == ')' || last == ']';
        if (!strchr(".,;:!?'*", last) && !(bracket && close > open)) break;
        close -= bracket;
    }
    return at;
}

/* The end of a mail address that begins at a place, or the place if there is none. */
static size_t mail_end(cau_str text, size_t from)
{
    size_t at = from, dots = 0, end = from;
    while (at < text.n && at - from < LOCAL_MOST &&
           (is_wordly(class_of_ascii((unsigned char)text.s[at])) ||
            (text.s[at] && strchr(".+-%", text.s[at]))))
        at++;
    if (at == from || at >= text.n || text.s[at] != '@') return from;
    for (at++; at < text.n; at++) {
        const char_class c = class_of_ascii((unsigned char)text.s[at]);
        if ((unsigned char)text.s[at] >= 0x80) break;
        if (c == LETTER || c == DIGIT) {
            if (dots) end = at + 1;
        } else if (text.s[at] == '.' && text.s[at - 1] != '.' && text.s[at - 1] != '@') {
            dots++;
        } else if (text.s[at] != '-') {
            break;
        }
    }
    return end;
}

/* ---- words ----------------------------------------------------------------------------- */

/* Whether a character between two others makes one word of both sides: `begin` is where the word
 * begins. *end is set to the end of the word where it is split inside or after the character. */
static bool joins(cau_str text, size_t begin, size_t at, character left, character here,
                  character right, size_t *end)
{
    const bool digits = left.is == DIGIT && right.is == DIGIT;
    const bool letters = left.is == LETTER && right.is == LETTER;
    size_t ignored;
    *end = at;
    if (is_apostrophe(here.code)) {
        if (!letters || is_clitic(text, at + here.bytes, &ignored)) return digits;
        if (!listed(elisions, (cau_str){text.s + begin, at - begin})) return true;
        *end = at + here.bytes;
        return false;
    }
    switch (here.code) {
    case '.':
        return digits || (letters && !(is_lower(left.code) && is_upper(right.code)));
    case ',':
    case ':':
    case 0x066B:
    case 0x066C:
        return digits;
    case 0x00B7:
    case 0x2027:
        return letters;
    default:
        return false;
    }
}

/* Whether a text is single letters with stops between them: U.S */
static bool is_initials(cau_str text, size_t at, size_t end)
{
    size_t letters = 0;
    for (; at < end; letters++) {
        const character c = look(text, at);
        if (c.is != LETTER) return false;
        at += c.bytes;
        if (at < end && text.s[at] != '.') return false;
        at += at < end;
    }
    return letters > 1;
}

/* The end of a word that begins with a letter, a digit or an underscore. */
static size_t word_end(cau_str text, size_t begin)
{
    size_t at = begin, end;
    character left = look(text, at);
    for (at += left.bytes;;) {
        const character here = look(text, at);
        if (here.bytes && here.is == MARK) {
            at += here.bytes;
            continue;
        }
        if (!is_wordly(here.is)) {
            const character right = here.is == SIGN ? look(text, at + here.bytes) : here;
            if (!joins(text, begin, at, left, here, right, &end)) break;
        }
        at += here.bytes;
        left = here.is == SIGN ? left : here;
    }
    if (end > at) return end; /* with the apostrophe of an elision */
    if (starts_with(text, at, "://") && look(text, at + 3).is != BLANK)
        return web_end(text, begin, at + 3);
    if (at - begin > 4 && starts_with(text, begin, "www.")) return web_end(text, begin, at);
    if (starts_with(text, at, ".") && is_initials(text, begin, at)) at++;
    return at;
}

/* The end of a grapheme, with the equal signs that follow it. */
static size_t sign_end(cau_str text, size_t begin)
{
    const character first = look(text, begin);
    utf8proc_int32_t state = 0, last = first.code;
    size_t at = begin + first.bytes;
    if (first.code < 0x80 && strchr(".-!?*=~'`", first.code)) {
        while (at < text.n && text.s[at] == text.s[begin]) at++;
        return at;
    }
    for (character c; (c = look(text, at)).bytes; at += c.bytes) {
        if (c.is == BLANK || utf8proc_grapheme_break_stateful(last, c.code, &state)) break;
        last = c.code;
    }
    return at;
}

static bool opens(character c)
{
    const utf8proc_category_t category = utf8proc_category(c.code);
    return c.is == BLANK || category == UTF8PROC_CATEGORY_PS || category == UTF8PROC_CATEGORY_PI ||
           c.code == '"' || c.code == '\'';
}

/* The end of the word that begins at a place, which is not a blank. */
static size_t find_end(cau_str text, size_t begin)
{
    const character first = look(text, begin);
    const character before = begin ? look_back(text, begin) : (character){.is = BLANK};
    const size_t next = begin + first.bytes;
    size_t end;
    switch (first.is) {
    case LETTER:
    case DIGIT:
    case JOINER:
        end = first.code < 0x80 && !is_wordly(before.is) ? mail_end(text, begin) : begin;
        return end > begin ? end : word_end(text, begin);
    case ALONE:
    case KATAKANA:
        end = next;
        for (character c; (c = look(text, end)).bytes; end += c.bytes)
            if (c.is != MARK && (first.is == ALONE || c.is != KATAKANA)) break;
        return end;
    default:
        break;
    }
    const bool wordly = is_wordly(look(text, next).is);
    if (is_apostrophe(first.code) && (is_wordly(before.is) || before.is == MARK) &&
        is_clitic(text, next, &end))
        return end;
    if ((first.code == '@' || first.code == '#') && wordly && opens(before)) {
        end = next;
        for (character c; is_wordly((c = look(text, end)).is) || (c.bytes && c.is == MARK);)
            end += c.bytes;
        return end;
    }
    return sign_end(text, begin);
}

/* ---- sentences ------------------------------------------------------------------------- */

/* Whether a word closes what is before it. */
static bool closes(character c, bool gap)
{
    const utf8proc_category_t category = utf8proc_category(c.code);
    if (c.code == '"' || c.code == '\'') return !gap;
    return category == UTF8PROC_CATEGORY_PE || category == UTF8PROC_CATEGORY_PF;
}

/* Takes the word into account: whether a sentence begins with it, and whether one may end. */
static bool sentence_begins(cau_words *w, size_t begin, size_t end, bool gap, bool empty_line)
{
    const character first = look(w->text, begin);
    const cau_str word = {w->text.s + begin, end - begin};
    const bool closing = closes(first, gap), ended = w->ended;
    const bool stop = first.code == '.' || first.code == 0x2026;
    const bool wide = first.code == 0x3002 || first.code == 0xFF01 || first.code == 0xFF1F;
    bool begins = !w->begun || empty_line;
    if (stop || wide || first.code == '!' || first.code == '?') {
        const bool abbreviates = first.code == '.' && word.n == 1 && !gap;
        w->ended = !(w->titled && abbreviates);
        w->counted &= abbreviates;
        w->wide = wide;
        w->titled = false;
        return begins;
    }
    if (ended && closing) return begins;
    begins |=
        ended && (gap || w->wide) && !is_lower(first.code) && !(first.is == DIGIT && w->counted);
    w->ended = w->wide = false;
    w->counted = listed(before_numbers, word);
    w->titled = listed(titles, word) ||
                (is_upper(first.code) && end - begin == first.bytes && first.is == LETTER);
    return begins;
}

bool cau_words_next(cau_words *w, cau_word *word)
{
    bool empty_line = false;
    const size_t before = w->at;
    size_t ends = 0;
    for (character c; (c = look(w->text, w->at)).is == BLANK && c.bytes; w->at += c.bytes) {
        w->characters++;
        if (c.code == '\n') empty_line |= ends++ > 0;
    }
    if (w->at == w->text.n) return false;
    word->begin = w->at;
    word->from = w->characters;
    word->end = find_end(w->text, w->at);
    for (; w->at < word->end; w->characters++)
        w->at += cau_token_step(w->text.s + w->at, word->end - w->at);
    word->to = w->characters;
    word->first = sentence_begins(w, word->begin, word->end, word->begin > before, empty_line);
    w->begun = true;
    return true;
}
