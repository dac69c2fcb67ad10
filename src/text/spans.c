/* spans.c - see spans.h. */

#include "text/spans.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/scheme.h"
#include "text/token.h"

enum { PROBABILITY_DIGITS = 9 };

/* The start of a message about a span: its line in the file of the record, if it has these. */
#define PLACE(x, lines, at)                                                                        \
    (x)->file.n ? (x)->file.s : cau_lines_name(lines), (at) ? (at) : cau_lines_number(lines)

/* A record under way. */
typedef struct {
    caucus_ctx *ctx;
    cau_span_text *to;
    const cau_lines *lines;
    json_t *root;
    bool utf16;  /* offsets of Label Studio */
    size_t line; /* of the span at hand, in the file of the record */
} record;

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the spans of a text");
}

void cau_span_text_clear(cau_span_text *x)
{
    cau_strbuf_clear(&x->text);
    cau_strbuf_clear(&x->labels);
    cau_strbuf_clear(&x->file);
    free(x->word);
    free(x->span);
    free(x->owner);
    *x = (cau_span_text){0};
}

bool cau_spans_look(const cau_str *lines, size_t count)
{
    static const char *const keys[] = {"\"spans\":", "\"entities\":", "\"annotations\":"};
    size_t records = 0;
    for (size_t i = 0; i < count; i++) {
        const cau_str line = lines[i];
        bool found = false;
        if (line.n == 0) continue;
        if (line.s[0] != '{' || !memmem(line.s, line.n, "\"text\":", 7)) return false;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            found |= memmem(line.s, line.n, keys[k], strlen(keys[k])) != NULL;
        if (!found) return false;
        records++;
    }
    return records > 0;
}

/* ---- places in a text ------------------------------------------------------------------- */

/* The byte at which character `n` begins; the end for n = the number of characters. SIZE_MAX if
 * there are fewer. Goes on from the place that was found last. */
static size_t byte_of(cau_str text, size_t n, cau_text_place *last)
{
    if (n < last->character) *last = (cau_text_place){0, 0};
    for (; last->character < n && last->byte < text.n; last->character++)
        last->byte += cau_token_step(text.s + last->byte, text.n - last->byte);
    return last->character < n ? SIZE_MAX : last->byte;
}

/* The number of characters before unit `n` of UTF-16; SIZE_MAX if there are fewer, or if it is the
 * second of a pair. */
static size_t character_of_unit(cau_str text, size_t n)
{
    size_t characters = 0;
    for (size_t at = 0, units = 0; at <= text.n; characters++) {
        if (units >= n) return units == n ? characters : SIZE_MAX;
        if (at == text.n) break;
        const size_t bytes = cau_token_step(text.s + at, text.n - at);
        units += bytes == 4 ? 2 : 1;
        at += bytes;
    }
    return SIZE_MAX;
}

static cau_str text_of(const cau_span_text *x)
{
    return (cau_str){x->text.s ? x->text.s : "", x->text.n};
}

cau_str cau_span_text_piece(cau_span_text *x, size_t from, size_t to)
{
    const cau_str text = text_of(x);
    const size_t begin = byte_of(text, from, &x->place), end = byte_of(text, to, &x->place);
    if (begin == SIZE_MAX || end == SIZE_MAX || begin > end) return (cau_str){NULL, 0};
    return (cau_str){text.s + begin, end - begin};
}

/* ---- records ---------------------------------------------------------------------------- */

static cau_str string_of(const json_t *value)
{
    if (!json_is_string(value)) return (cau_str){NULL, 0};
    return (cau_str){json_string_value(value), json_string_length(value)};
}

static caucus_status fail_span(const record *r, const char *what)
{
    return cau_fail(r->ctx, CAUCUS_ERR_FORMAT, CAU_AT "span %zu: %s", CAU_AT_ARGS(r->lines),
                    r->to->spans + 1, what);
}

/* An offset, in characters. */
static bool offset_of(const record *r, const json_t *value, size_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *out = (size_t)json_integer_value(value);
    if (r->utf16) *out = character_of_unit(text_of(r->to), *out);
    return *out != SIZE_MAX;
}

/* Adds a span; `itself` is its text by the record, or {NULL, 0}. */
static caucus_status add_span(record *r, const json_t *start, const json_t *end, cau_str label,
                              cau_str itself)
{
    caucus_status st = CAUCUS_OK;
    cau_span_text *to = r->to;
    size_t from = 0, until = 0;
    if (!label.n) TRY(fail_span(r, "no label; write {\"start\": 0, \"end\": 5, \"label\": \"X\"}"));
    if (memchr(label.s, '\t', label.n) || memchr(label.s, '\n', label.n) ||
        memchr(label.s, '\0', label.n))
        TRY(fail_span(r, "a TAB, a line end or a NUL in its label; rename the label"));
    if (!offset_of(r, start, &from) || !offset_of(r, end, &until))
        TRY(fail_span(r, "its start and end are not offsets in the text; count characters from 0"));
    const cau_str text = cau_span_text_piece(to, from, until);
    if (!text.s)
        TRY(cau_fail(r->ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the span %zu-%zu (%.*s) ends after the text or before it begins; "
                            "count characters from 0, the end is exclusive",
                     PLACE(r->to, r->lines, r->line), from, until, CAU_SHOWN(label)));
    if (from == until)
        TRY(cau_fail(r->ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the span %zu-%zu (%.*s) is empty; the end is exclusive",
                     PLACE(r->to, r->lines, r->line), from, until, CAU_SHOWN(label)));
    if (itself.s && (itself.n != text.n || memcmp(itself.s, text.s, text.n) != 0))
        TRY(cau_fail(r->ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the span %zu-%zu (%.*s) is '%.*s' in the text, but its own text is "
                            "'%.*s'; are the offsets those of another text, or in bytes?",
                     PLACE(r->to, r->lines, r->line), from, until, CAU_SHOWN(label),
                     CAU_SHOWN(text), CAU_SHOWN(itself)));
    if (!CAU_GROW(to->span, to->span_room, to->spans + 1)) TRY(no_memory(r->ctx));
    /* labels move while they grow: `s` is set at the end */
    to->span[to->spans++] = (cau_span){
        .from = from, .to = until, .label = {NULL, label.n}, .probability = NAN, .line = r->line};
    cau_strbuf_add(&to->labels, label.s, label.n);
    TRY(cau_strbuf_status(r->ctx, &to->labels));
done:
    return st;
}

/* Adds a span of any form. */
static caucus_status add_any(record *r, const json_t *span)
{
    caucus_status st = CAUCUS_OK;
    const json_t *value = json_object_get(span, "value");
    if (json_is_object(value)) span = value; /* of Label Studio */
    if (json_is_array(span) && json_array_size(span) >= 3)
        return add_span(r, json_array_get(span, 0), json_array_get(span, 1),
                        string_of(json_array_get(span, 2)), (cau_str){NULL, 0});
    if (!json_is_object(span))
        return fail_span(r, "neither an object nor [start, end, label]; correct it");
    const json_t *start = json_object_get(span, "start"), *end = json_object_get(span, "end");
    const json_t *labels = json_object_get(span, "labels");
    const json_t *label = labels ? json_array_get(labels, 0) : json_object_get(span, "label");
    if (!start) start = json_object_get(span, "start_offset");
    if (!end) end = json_object_get(span, "end_offset");
    if (labels && json_array_size(labels) > 1)
        TRY(fail_span(r, "several labels; a word has one, remove the others"));
    const json_t *line = json_object_get(span, "brat.line");
    r->line = r->to->file.n && json_is_integer(line) ? (size_t)json_integer_value(line) : 0;
    r->utf16 = labels != NULL;
    st = add_span(r, start, end, string_of(label), string_of(json_object_get(span, "text")));
    r->utf16 = false;
done:
    return st;
}

static caucus_status add_list(record *r, const json_t *list)
{
    caucus_status st = CAUCUS_OK;
    if (!json_is_array(list))
        TRY(fail_span(r, "the spans are not an array; write \"spans\": [...]"));
    r->to->labelled = true;
    for (size_t i = 0; i < json_array_size(list); i++) TRY(add_any(r, json_array_get(list, i)));
done:
    return st;
}

/* Adds the annotation of Label Studio that was not cancelled. Results without offsets, such as
 * choices, are left out. */
static caucus_status add_annotations(record *r, const json_t *annotations)
{
    caucus_status st = CAUCUS_OK;
    for (size_t i = 0; i < json_array_size(annotations); i++) {
        const json_t *one = json_array_get(annotations, i);
        const json_t *result = json_object_get(one, "result");
        if (json_is_true(json_object_get(one, "was_cancelled"))) continue;
        r->to->labelled = true;
        for (size_t k = 0; k < json_array_size(result); k++) {
            const json_t *value = json_object_get(json_array_get(result, k), "value");
            if (json_object_get(value, "labels")) TRY(add_any(r, value));
        }
        break;
    }
done:
    return st;
}

/* The text of a record. */
static caucus_status read_text(record *r, const json_t *object, const char *key)
{
    caucus_status st = CAUCUS_OK;
    const json_t *data = json_object_get(object, "data");
    const json_t *value = json_object_get(data ? data : object, key ? key : "text");
    if (json_is_array(object)) value = json_array_get(object, 0);
    const cau_str text = string_of(value);
    if (!text.s)
        TRY(cau_fail(r->ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the record has no text at \"%s\"; is it another format?",
                     CAU_AT_ARGS(r->lines), key ? key : "text"));
    if (memchr(text.s, '\0', text.n))
        TRY(cau_fail(r->ctx, CAUCUS_ERR_FORMAT, CAU_AT "a NUL in the text; remove it",
                     CAU_AT_ARGS(r->lines)));
    const cau_str file = string_of(json_object_get(object, "brat.file"));
    cau_strbuf_add(&r->to->file, file.s, file.n);
    cau_strbuf_add(&r->to->text, text.s, text.n);
    TRY(cau_strbuf_status(r->ctx, &r->to->text));
done:
    return st;
}

static int compare_spans(const void *a, const void *b)
{
    const cau_span *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to != y->to ? (x->to < y->to ? 1 : -1) : 0;
}

/* Begins a text anew. */
static void begin(cau_span_text *x)
{
    x->text.n = x->labels.n = x->file.n = x->words = x->spans = 0;
    x->labelled = false;
    x->place = (cau_text_place){0, 0};
}

static caucus_status read_spans(record *r, const json_t *object)
{
    static const char *const keys[] = {"spans", "entities", "label", "labels"};
    caucus_status st = CAUCUS_OK;
    cau_span_text *x = r->to;
    if (json_is_array(object)) object = json_array_get(object, 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *list = json_object_get(object, keys[i]);
        if (!list || json_is_null(list)) continue;
        TRY(add_list(r, list));
        break;
    }
    const json_t *annotations = json_object_get(object, "annotations");
    if (annotations && !x->labelled) TRY(add_annotations(r, annotations));
    const char *label = x->labels.s;
    for (size_t i = 0; i < x->spans; i++) {
        x->span[i].label.s = label;
        label += x->span[i].label.n;
    }
    if (x->spans) qsort(x->span, x->spans, sizeof *x->span, compare_spans);
done:
    return st;
}

caucus_status cau_span_text_read(caucus_ctx *ctx, cau_span_text *x, const cau_lines *lines,
                                 cau_str line, const char *key, bool *skipped)
{
    caucus_status st = CAUCUS_OK;
    json_error_t error;
    record r = {.ctx = ctx, .to = x, .lines = lines};
    begin(x);
    r.root = json_loadb(line.s, line.n, 0, &error);
    if (!r.root && json_error_code(&error) == json_error_out_of_memory) TRY(no_memory(ctx));
    if (!r.root)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "not a JSON object: %s; write one record per line (jq -c '.[]' makes "
                            "lines of an array)",
                     CAU_AT_ARGS(lines), error.text));
    const cau_str answer = string_of(json_object_get(r.root, "answer"));
    *skipped = answer.s && strcmp(answer.s, "accept") != 0;
    if (*skipped) goto done;
    TRY(read_text(&r, r.root, key));
    TRY(read_spans(&r, r.root));
done:
    json_decref(r.root);
    return st;
}

caucus_status cau_span_text_raw(caucus_ctx *ctx, cau_span_text *x, cau_str line)
{
    begin(x);
    cau_strbuf_add(&x->text, line.s, line.n);
    return cau_strbuf_status(ctx, &x->text);
}

/* ---- spans and words ---------------------------------------------------------------------- */

/* Removes the shorter one of two spans that overlap. */
static void drop_overlaps(cau_span_text *x)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->spans; i++) {
        const cau_span now = x->span[i];
        cau_span *last = kept ? &x->span[kept - 1] : NULL;
        if (!last || last->to <= now.from)
            x->span[kept++] = now;
        else if (now.to - now.from > last->to - last->from)
            *last = now;
    }
    x->spans = kept;
}

static caucus_status check_overlaps(caucus_ctx *ctx, const cau_span_text *x, const cau_lines *lines)
{
    for (size_t i = 1; i < x->spans; i++) {
        const cau_span *a = &x->span[i - 1], *b = &x->span[i];
        if (a->to > b->from)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            CAU_AT "the spans %zu-%zu (%.*s) and %zu-%zu (%.*s) overlap, and a "
                                   "word has one label; remove one, or say --misaligned drop",
                            PLACE(x, lines, b->line), a->from, a->to, CAU_SHOWN(a->label), b->from,
                            b->to, CAU_SHOWN(b->label));
    }
    return CAUCUS_OK;
}

/* The message about a span that begins or ends inside of a word. */
static caucus_status fail_border(caucus_ctx *ctx, cau_span_text *x, const cau_span *s,
                                 const cau_word *word, const cau_lines *lines)
{
    const cau_str text = cau_span_text_piece(x, s->from, s->to);
    const cau_str whole = {x->text.s + word->begin, word->end - word->begin};
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "the span %zu-%zu (%.*s), '%.*s', does not begin and end with a word: "
                           "'%.*s' is one; correct it, or say --misaligned expand or drop",
                    PLACE(x, lines, s->line), s->from, s->to, CAU_SHOWN(s->label), CAU_SHOWN(text),
                    CAU_SHOWN(whole));
}

/* Fits a span to the words first .. end - 1 that it touches. *keep: it stays. */
static caucus_status fit_span(caucus_ctx *ctx, cau_span_text *x, cau_span *s, size_t first,
                              size_t end, const cau_lines *lines, cau_misaligned misaligned,
                              bool *keep)
{
    caucus_status st = CAUCUS_OK;
    *keep = first < end;
    if (!*keep) {
        if (misaligned == CAU_MISALIGNED_FAIL)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "the span %zu-%zu (%.*s) has only blanks; correct it, or say "
                                "--misaligned drop",
                         PLACE(x, lines, s->line), s->from, s->to, CAU_SHOWN(s->label)));
        goto done;
    }
    const cau_word *a = &x->word[first], *z = &x->word[end - 1];
    const bool fits = s->from <= a->from && s->to >= z->to; /* blanks around words are fine */
    *keep = fits || misaligned == CAU_MISALIGNED_EXPAND;
    if (!fits && misaligned == CAU_MISALIGNED_FAIL)
        TRY(fail_border(ctx, x, s, s->from > a->from ? a : z, lines));
    s->from = a->from;
    s->to = z->to;
done:
    return st;
}

caucus_status cau_span_text_align(caucus_ctx *ctx, cau_span_text *x, const cau_lines *lines,
                                  cau_misaligned misaligned)
{
    caucus_status st = CAUCUS_OK;
    cau_words words = {.text = text_of(x)};
    cau_word word;
    for (x->words = 0; cau_words_next(&words, &word); x->words++) {
        if (!CAU_GROW(x->word, x->word_room, x->words + 1) ||
            !CAU_GROW(x->owner, x->owner_room, x->words + 1))
            TRY(no_memory(ctx));
        x->word[x->words] = word;
        x->owner[x->words] = SIZE_MAX;
    }
    if (misaligned == CAU_MISALIGNED_DROP)
        drop_overlaps(x);
    else
        TRY(check_overlaps(ctx, x, lines));
    size_t kept = 0, first = 0;
    for (size_t i = 0; i < x->spans; i++) {
        cau_span s = x->span[i];
        bool keep;
        while (first < x->words && x->word[first].to <= s.from) first++;
        size_t end = first;
        while (end < x->words && x->word[end].from < s.to) end++;
        TRY(fit_span(ctx, x, &s, first, end, lines, misaligned, &keep));
        if (!keep) continue;
        for (size_t w = first; w < end; w++) {
            x->owner[w] = kept;
            if (w > first) x->word[w].first = false;
        }
        x->span[kept++] = s;
        first = end; /* words of an expanded span are taken */
    }
    x->spans = kept;
done:
    return st;
}

void cau_span_text_label(const cau_span_text *x, size_t word, cau_strbuf *label)
{
    const size_t owner = x->owner[word];
    if (owner == SIZE_MAX) {
        cau_strbuf_add(label, "O", 1);
        return;
    }
    cau_strbuf_add(label, word && x->owner[word - 1] == owner ? "I-" : "B-", 2);
    cau_strbuf_add(label, x->span[owner].label.s, x->span[owner].label.n);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* What a label says of its word; CAU_OUTSIDE where it is unknown. */
static cau_place place_of(cau_str label, cau_str *type)
{
    cau_place place = CAU_OUTSIDE;
    *type = (cau_str){"", 0};
    if (!label.s || (label.n == 1 && *label.s == '?')) return CAU_OUTSIDE;
    if (cau_scheme_parse(CAU_SCHEME_NONE, label, &place, type)) return place;
    *type = label;
    return CAU_SINGLE;
}

bool cau_span_writer_add(cau_span_writer *w, const cau_word *word, const cau_str *label,
                         const double *probability, size_t count)
{
    cau_place before = CAU_OUTSIDE;
    cau_str last = {"", 0}, type;
    for (size_t i = 0; i < count; i++, last = type) {
        const cau_place place = place_of(label[i], &type);
        const bool goes_on = before != CAU_OUTSIDE && place != CAU_OUTSIDE && last.n == type.n &&
                             memcmp(last.s, type.s, type.n) == 0 &&
                             cau_place_continues(before, place);
        before = place;
        if (goes_on) w->span[w->spans - 1].to = word[i].to;
        if (goes_on || place == CAU_OUTSIDE) continue;
        if (!CAU_GROW(w->span, w->room, w->spans + 1)) return false;
        w->span[w->spans++] = (cau_span){.from = word[i].from,
                                         .to = word[i].to,
                                         .label = {NULL, type.n},
                                         .probability = probability ? probability[i] : NAN};
        cau_strbuf_add(&w->labels, type.s, type.n);
    }
    return !w->labels.failed;
}

bool cau_add_json_string(cau_strbuf *out, cau_str text)
{
    json_t *value = json_stringn(text.s ? text.s : "", text.n);
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    const bool made = json;
    if (json) cau_strbuf_add(out, json, strlen(json));
    free(json);
    json_decref(value);
    return made;
}

bool cau_span_writer_end(cau_span_writer *w, cau_strbuf *out)
{
    const char *label = w->labels.s;
    if (!w->open) return true;
    w->open = false;
    cau_strbuf_printf(out, "{\"text\": ");
    if (!cau_add_json_string(out, (cau_str){w->text.s, w->text.n})) return false;
    cau_strbuf_printf(out, ", \"spans\": [");
    for (size_t i = 0; i < w->spans; i++) {
        const cau_span *s = &w->span[i];
        cau_strbuf_printf(out, "%s{\"start\": %zu, \"end\": %zu, \"label\": ", i ? ", " : "",
                          s->from, s->to);
        if (!cau_add_json_string(out, (cau_str){label, s->label.n})) return false;
        label += s->label.n;
        if (!isnan(s->probability)) {
            cau_strbuf_printf(out, ", \"probability\": ");
            cau_strbuf_general(out, s->probability, PROBABILITY_DIGITS);
        }
        cau_strbuf_add(out, "}", 1);
    }
    cau_strbuf_printf(out, "]}\n");
    return !out->failed;
}

bool cau_span_writer_begin(cau_span_writer *w, cau_strbuf *out, cau_str text)
{
    const bool ended = cau_span_writer_end(w, out);
    w->text.n = w->labels.n = w->spans = 0;
    cau_strbuf_add(&w->text, text.s, text.n);
    w->open = true;
    return ended && !w->text.failed;
}

void cau_span_writer_clear(cau_span_writer *w)
{
    cau_strbuf_clear(&w->text);
    cau_strbuf_clear(&w->labels);
    free(w->span);
    *w = (cau_span_writer){0};
}
