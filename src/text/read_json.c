/* read_json.c - JSON: an object per line, or an array of objects.
 *
 *     {"text": "win a prize", "label": "spam"}                     json-text
 *     {"tokens": ["The", "cat"], "ner_tags": ["O", "B-ANIMAL"]}    json-tokens
 *
 * In a file of lines each object ends on its line. In an array, which the first character of the
 * file begins, objects may span lines, or share one. Objects are found by their braces (cut.h) and
 * parsed one by one; the texts of the current one live as long as its tree. Keys that are not named
 * are ignored. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "text/columns.h"
#include "text/formats.h"

enum { KEYS_SHOWN = 8 };

/* ---- objects ----------------------------------------------------------------------------- */

/* Moves to the first character of the next object; rest.s is NULL at the end of the file. */
static caucus_status find_object(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    cau_str *rest = &r->json.rest;
    for (;;) {
        while (rest->n &&
               (cau_is_blank(*rest->s) || *rest->s == '\r' || (r->json.array && *rest->s == ',')))
            rest->s++, rest->n--;
        if (rest->n == 0) {
            TRY(cau_lines_next(ctx, r->lines, rest));
            if (!rest->s) break;
            continue;
        }
        const bool opens = *rest->s == '[' && !r->json.begun;
        if (opens) r->json.array = true;
        r->json.begun = true;
        if (!opens && !(*rest->s == ']' && r->json.array)) break;
        rest->s++, rest->n--;
    }
done:
    return st;
}

/* Finds the text of the object that begins at the rest of the line. */
static caucus_status read_text(caucus_ctx *ctx, cau_reader *r, cau_str *text)
{
    caucus_status st = CAUCUS_OK;
    cau_str *rest = &r->json.rest, line;
    cau_record_scan scan = {0};
    size_t at = 0;
    if (*rest->s != '{')
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "'%.*s' is not a JSON object; write one object per line, or an array "
                            "of them",
                     CAU_AT_ARGS(r->lines), CAU_SHOWN(*rest)));
    while (!cau_json_end(&scan, 0, rest->s, &at, rest->n)) {
        const size_t first = cau_lines_number(r->lines);
        if (!r->json.array)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "the object does not end on its line; write one object per line, "
                                "or an array of them",
                         CAU_AT_ARGS(r->lines)));
        TRY(cau_lines_next(ctx, r->lines, &line));
        if (!line.s)
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "the object does not end; is the file cut short?",
                         cau_lines_name(r->lines), first));
        rest->n = (size_t)(line.s + line.n - rest->s);
    }
    *text = (cau_str){rest->s, at};
    *rest = (cau_str){rest->s + at, rest->n - at};
done:
    return st;
}

/* Parses the next object into r->json.root; NULL at the end of the file. */
static caucus_status next_object(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    json_error_t error;
    cau_str text;
    cau_json_clear(r);
    TRY(find_object(ctx, r));
    if (!r->json.rest.s) return CAUCUS_OK;
    r->now = (cau_instance){.number = cau_lines_number(r->lines), .weight = 1};
    TRY(read_text(ctx, r, &text));
    r->now.line = text;
    r->json.root = json_loadb(text.s, text.n, 0, &error);
    if (!r->json.root && json_error_code(&error) == json_error_out_of_memory)
        TRY(cau_fail_memory(ctx, "a JSON object"));
    if (!r->json.root)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "not JSON: %s; correct it",
                     cau_lines_name(r->lines), r->now.number, error.text));
done:
    return st;
}

void cau_json_clear(cau_reader *r)
{
    json_decref(r->json.root); /* NULL is fine */
    r->json.root = NULL;
}

static json_t *value_of(const cau_reader *r, cau_str key)
{
    return json_object_getn(r->json.root, key.s, key.n);
}

static caucus_status fail_key(caucus_ctx *ctx, const cau_reader *r, cau_str key, const char *option)
{
    caucus_status st = CAUCUS_OK;
    cau_strbuf known = {0};
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach(r->json.root, name, value)
    {
        if (count++ < KEYS_SHOWN)
            cau_strbuf_printf(&known, "%s%.*s", count > 1 ? ", " : "", CAU_SHOWN(cau_str_of(name)));
    }
    TRY(cau_strbuf_status(ctx, &known));
    TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                 CAU_AT "the object has no \"%.*s\"; choose with --%s among its keys: %s",
                 cau_lines_name(r->lines), r->now.number, CAU_SHOWN(key), option,
                 known.s ? known.s : "none"));
done:
    cau_strbuf_clear(&known);
    return st;
}

/* A string, number or truth value as text, of which `number` holds the digits. {NULL, 0}: null. */
static caucus_status text_of(caucus_ctx *ctx, const cau_reader *r, const json_t *value,
                             const char *what, char number[CAU_NUMBER_MOST], cau_str *text)
{
    *text = (cau_str){NULL, 0};
    switch (json_typeof(value)) {
    case JSON_STRING:
        *text = (cau_str){json_string_value(value), json_string_length(value)};
        break;
    case JSON_INTEGER:
        snprintf(number, CAU_NUMBER_MOST, "%lld", (long long)json_integer_value(value));
        *text = cau_str_of(number);
        break;
    case JSON_REAL:
        snprintf(number, CAU_NUMBER_MOST, "%.17g", json_real_value(value));
        *text = cau_str_of(number);
        break;
    case JSON_TRUE:
        *text = CAU_STR("true");
        break;
    case JSON_FALSE:
        *text = CAU_STR("false");
        break;
    case JSON_NULL:
        break;
    default:
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%s is neither text nor a number; is it another key?",
                        cau_lines_name(r->lines), r->now.number, what);
    }
    return CAUCUS_OK;
}

/* ---- json-text --------------------------------------------------------------------------- */

/* The label of the object: a value, or the first one of an array. */
static caucus_status read_label(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    const char *name = r->options.layout.label;
    const json_t *value = value_of(r, name ? cau_str_of(name) : CAU_STR("label"));
    if (!value || r->options.layout.no_label) return CAUCUS_OK;
    if (json_is_array(value)) {
        const size_t count = json_array_size(value);
        if (count > 1) cau_note_labels(ctx, r, count);
        value = json_array_get(value, 0);
        if (!value) return CAUCUS_OK;
    }
    TRY(text_of(ctx, r, value, "the label", r->number, &r->now.label));
    TRY(cau_reader_label(ctx, r));
done:
    return st;
}

caucus_status cau_json_text_record(caucus_ctx *ctx, cau_reader *r, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    const char *name = r->options.layout.text;
    const cau_str key = name ? cau_str_of(name) : CAU_STR("text");
    TRY(next_object(ctx, r));
    *kind = r->json.root ? CAU_LINE_INSTANCE : CAU_LINE_END;
    if (!r->json.root) return CAUCUS_OK;
    const json_t *text = value_of(r, key);
    if (!text) TRY(fail_key(ctx, r, key, "text"));
    if (!json_is_string(text))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "\"%.*s\" is not text; choose with --text",
                     cau_lines_name(r->lines), r->now.number, CAU_SHOWN(key)));
    TRY(read_label(ctx, r));
    TRY(cau_reader_words(ctx, r, (cau_str){json_string_value(text), json_string_length(text)}));
done:
    return st;
}

/* ---- json-tokens ------------------------------------------------------------------------- */

/* The arrays of a sequence. */
typedef struct {
    const json_t *cell[CAU_LAYOUT_CELLS];
    size_t cells, T;
    const json_t *label; /* or NULL */
} token_arrays;

static caucus_status check_array(caucus_ctx *ctx, const cau_reader *r, cau_str key,
                                 const json_t *value, size_t T)
{
    if (!json_is_array(value))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT, CAU_AT "\"%.*s\" is not an array",
                        cau_lines_name(r->lines), r->now.number, CAU_SHOWN(key));
    if (json_array_size(value) != T)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "%zu values in \"%.*s\", but %zu tokens; correct it or drop the "
                               "object",
                        cau_lines_name(r->lines), r->now.number, json_array_size(value),
                        CAU_SHOWN(key), T);
    return CAUCUS_OK;
}

/* The first of these keys that the object has, and how many it has. */
static size_t find_key(const cau_reader *r, const cau_str *keys, size_t count, cau_str *key)
{
    size_t found = 0;
    for (size_t i = count; i-- > 0;)
        if (value_of(r, keys[i])) {
            *key = keys[i];
            found++;
        }
    return found;
}

static caucus_status find_cells(caucus_ctx *ctx, const cau_reader *r, token_arrays *x)
{
    static const cau_str usual[] = {{"tokens", 6}, {"words", 5}};
    caucus_status st = CAUCUS_OK;
    cau_str rest = cau_str_of(r->options.layout.columns), key = usual[0];
    if (!rest.s) {
        find_key(r, usual, 2, &key);
        rest = key;
    }
    while (cau_column_first(&rest, (cau_separator){',', false}, &key)) {
        const json_t *value = value_of(r, key);
        if (!value) TRY(fail_key(ctx, r, key, "columns"));
        if (x->cells == CAU_LAYOUT_CELLS)
            TRY(cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--columns names more than %d columns",
                         CAU_LAYOUT_CELLS));
        TRY(check_array(ctx, r, key, value, x->cells ? x->T : json_array_size(value)));
        x->T = json_array_size(value);
        x->cell[x->cells++] = value;
    }
done:
    return st;
}

static caucus_status find_labels(caucus_ctx *ctx, const cau_reader *r, token_arrays *x)
{
    static const cau_str usual[] = {{"labels", 6}, {"tags", 4}, {"ner_tags", 8}};
    caucus_status st = CAUCUS_OK;
    cau_str key = cau_str_of(r->options.layout.label);
    if (r->options.layout.no_label) return CAUCUS_OK;
    if (!key.s && find_key(r, usual, 3, &key) > 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "the object has several keys of labels; choose labels, tags or "
                            "ner_tags with --label",
                     cau_lines_name(r->lines), r->now.number));
    x->label = key.s ? value_of(r, key) : NULL;
    if (!x->label && key.s && r->options.columns == 0) TRY(fail_key(ctx, r, key, "label"));
    if (x->label) TRY(check_array(ctx, r, key, x->label, x->T));
done:
    return st;
}

caucus_status cau_json_tokens_sequence(caucus_ctx *ctx, cau_reader *r)
{
    caucus_status st = CAUCUS_OK;
    token_arrays x = {.cells = 0};
    cau_str *cell = NULL;
    char(*number)[CAU_NUMBER_MOST] = NULL;
    cau_columns_reset(r);
    TRY(next_object(ctx, r));
    r->sequence.ended = !r->json.root;
    if (!r->json.root) return CAUCUS_OK;
    TRY(find_cells(ctx, r, &x));
    TRY(find_labels(ctx, r, &x));
    cell = cau_alloc(x.cells, sizeof *cell);
    number = cau_alloc(x.cells, sizeof *number);
    if (!cell || !number) TRY(cau_fail_memory(ctx, "a sequence"));
    for (size_t t = 0; t < x.T; t++) {
        for (size_t j = 0; j < x.cells; j++) {
            TRY(text_of(ctx, r, json_array_get(x.cell[j], t), "a token", number[j], &cell[j]));
            if (!cell[j].s) cell[j] = CAU_STR("");
        }
        r->now.label = (cau_str){NULL, 0};
        if (x.label)
            TRY(text_of(ctx, r, json_array_get(x.label, t), "a label", r->number, &r->now.label));
        TRY(cau_reader_label(ctx, r));
        TRY(cau_sequence_token(ctx, r, cell, x.cells, r->now.label));
    }
    TRY(cau_sequence_break(ctx, r));
    TRY(cau_sequence_close(ctx, r));
done:
    free(cell);
    free(number);
    if (st) cau_columns_reset(r);
    return st;
}
