/* tree.c - trees of JSON values.
 *
 * jansson returns NULL when memory is short; given NULL as container or value, it fails without a
 * crash. So a tree is built without a check at each value: `failed` is set once and checked at the
 * end. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/utf8.h"
#include "report/report.h"

/* ---- building ------------------------------------------------------------------------ */

void cau_tree_clear(cau_tree *tree)
{
    json_decref(tree->root);
    *tree = (cau_tree){0};
}

caucus_status cau_tree_status(caucus_ctx *ctx, const cau_tree *tree)
{
    assert(tree->depth == 0);
    return tree->failed ? cau_fail_memory(ctx, "the report") : CAUCUS_OK;
}

void cau_tree_value(cau_tree *tree, const char *key, json_t *value)
{
    if (tree->depth == 0) {
        assert(!tree->root && !key);
        tree->root = value;
        tree->failed |= !value;
        return;
    }
    json_t *to = tree->open[tree->depth - 1];
    assert(!to || json_is_object(to) == (key != NULL));
    if (key ? json_object_set_new(to, key, value) : json_array_append_new(to, value))
        tree->failed = true;
}

static void open_container(cau_tree *tree, const char *key, json_t *container)
{
    assert(tree->depth < CAU_TREE_DEPTH);
    const bool had = tree->failed;
    tree->failed = false;
    cau_tree_value(tree, key, container);
    /* a container that was not added has been freed */
    tree->open[tree->depth++] = tree->failed ? NULL : container;
    tree->failed |= had;
}

void cau_tree_object(cau_tree *tree, const char *key)
{
    open_container(tree, key, json_object());
}

void cau_tree_array(cau_tree *tree, const char *key)
{
    open_container(tree, key, json_array());
}

void cau_tree_end(cau_tree *tree)
{
    assert(tree->depth > 0);
    tree->depth--;
}

/* A JSON string of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *cau_json_text(cau_str text)
{
    if (!text.s) return json_null();
    if (cau_utf8_check(text.s, text.n) == text.n) return json_stringn(text.s, text.n);
    cau_strbuf repaired = {0};
    while (text.n) {
        const size_t valid = cau_utf8_check(text.s, text.n), bad = valid < text.n;
        cau_strbuf_add(&repaired, text.s, valid);
        if (bad) cau_strbuf_add(&repaired, "\xEF\xBF\xBD", 3);
        text.s += valid + bad;
        text.n -= valid + bad;
    }
    json_t *string = repaired.failed ? NULL : json_stringn(repaired.s, repaired.n);
    cau_strbuf_clear(&repaired);
    return string;
}

json_t *cau_json_string(const char *text)
{
    return cau_json_text(cau_str_of(text));
}

json_t *cau_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cau_json_numbers(const double *x, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++)
        if (json_array_append_new(array, cau_json_number(x[i]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

json_t *cau_json_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

json_t *cau_json_bool(bool yes)
{
    return json_boolean(yes);
}

void cau_tree_number(cau_tree *tree, const char *key, double x)
{
    cau_tree_value(tree, key, cau_json_number(x));
}

void cau_tree_count(cau_tree *tree, const char *key, uint64_t n)
{
    cau_tree_value(tree, key, cau_json_count(n));
}

void cau_tree_bool(cau_tree *tree, const char *key, bool yes)
{
    cau_tree_value(tree, key, cau_json_bool(yes));
}

void cau_tree_text(cau_tree *tree, const char *key, cau_str text)
{
    cau_tree_value(tree, key, cau_json_text(text));
}

void cau_tree_string(cau_tree *tree, const char *key, const char *text)
{
    cau_tree_value(tree, key, cau_json_string(text));
}

void cau_tree_add_fields(cau_tree *tree, const cau_field *field)
{
    for (; field->key; field++) cau_tree_value(tree, field->key, field->value);
}

void cau_tree_numbers(cau_tree *tree, const char *key, const double *x, size_t n)
{
    cau_tree_value(tree, key, cau_json_numbers(x, n));
}

/* ---- reading ------------------------------------------------------------------------- */

json_t *cau_at(const json_t *node, const char *path)
{
    while (node && !json_is_null(node) && *path) {
        char key[64];
        const size_t n = strcspn(path, ".");
        assert(n > 0 && n < sizeof key);
        memcpy(key, path, n);
        key[n] = '\0';
        node = json_is_array(node) ? json_array_get(node, strtoul(key, NULL, 10))
                                   : json_object_get(node, key);
        path += n + (path[n] == '.');
    }
    return (json_t *)node;
}

double cau_number_at(const json_t *node, const char *path)
{
    const json_t *value = cau_at(node, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

uint64_t cau_count_at(const json_t *node, const char *path)
{
    return (uint64_t)json_integer_value(cau_at(node, path));
}

/* ---- writing ------------------------------------------------------------------------- */

static int add_bytes(const char *bytes, size_t length, void *text)
{
    cau_strbuf_add(text, bytes, length);
    return 0; /* a failure is kept in the text */
}

static void dump(cau_writer *out, const json_t *tree, int digits, size_t flags)
{
    if (!tree || json_dump_callback(tree, add_bytes, &out->text,
                                    JSON_REAL_PRECISION((size_t)digits) | flags))
        out->text.failed = true;
}

void cau_print_json(cau_writer *out, const json_t *tree, int digits)
{
    dump(out, tree, digits, JSON_INDENT(2));
    cau_strbuf_add(&out->text, "\n", 1);
}

void cau_print_json_line(cau_writer *out, const json_t *tree, int digits)
{
    dump(out, tree, digits, 0);
}
