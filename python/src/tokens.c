/* tokens.c - Python objects as features, cells or texts.
 *
 *   dict        features, as in python-crfsuite: {"name": number or bool}, {"name": "value"} for
 *               "name:value", {"name": dict, list or set} for "name:" before each name inside
 *   tuple       cells: the columns of a token, of which a template makes features
 *   list        features that are present, or cells, as the rules say
 *   set, other iterables of strings    features that are present
 *   str         one cell or a text, as the rules say
 *
 * Training copies names into one buffer of text, which grows to the longest sequence; offsets stay
 * valid when it moves. tokens_seal makes the pointers for the library.
 *
 * Tagging copies no names: it computes their keys. Most names of a dict were in the dicts before,
 * so a small cache has their keys, by the hash that Python keeps in every str that is in a dict.
 * These 64 bits stand for the name, as the 61 of its key do. Features whose value is 0 are left
 * out: they change nothing. */

#include "binding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tokens_begin(token_buffer *b)
{
    b->length = b->items = b->tokens = 0;
}

void tokens_clear(token_buffer *b)
{
    free(b->cache);
    free(b->text);
    free(b->offset);
    free(b->value);
    free(b->keyed);
    free(b->end);
    free(b->form);
    free(b->features);
    free(b->cells);
    *b = (token_buffer){0};
}

bool tokens_grow(void *array, size_t *room, size_t n, size_t size)
{
    void **at = array;
    const size_t more = n + n / 2 + 16;
    void *moved = more < SIZE_MAX / size ? realloc(*at, more * size) : NULL;
    if (!moved) return PyErr_NoMemory() != NULL;
    *at = moved;
    *room = more;
    return true;
}

/* ---- names ----------------------------------------------------------------------------- */

/* A name under construction: its place in the text, or its key. The prefix of a name is one, too,
 * with its colon; the empty prefix is all 0. */
typedef struct {
    size_t at, length;
    uint64_t key;
} feature_name;

/* Continues a name; in the text a NUL follows. */
static bool extend_name(token_buffer *b, feature_name prefix, const char *s, size_t n,
                        feature_name *name)
{
    if (b->keys_for) {
        name->key = caucus_tagger_key(b->keys_for, prefix.key, s, n);
        return true;
    }
    const size_t begin = b->length;
    if (!GROW(b->text, b->room, begin + prefix.length + n + 1)) return false;
    char *to = b->text + begin;
    if (prefix.length) memcpy(to, b->text + prefix.at, prefix.length);
    memcpy(to + prefix.length, s, n);
    *name = (feature_name){.at = begin, .length = prefix.length + n};
    to[name->length] = 0;
    b->length = begin + name->length + 1;
    return true;
}

static bool add_item(token_buffer *b, feature_name name, double value)
{
    if (b->keys_for) {
        if (!GROW(b->keyed, b->keyed_room, b->items + 1)) return false;
        b->keyed[b->items++] = (caucus_keyed_feature){name.key, value};
        return true;
    }
    if (!GROW(b->offset, b->offset_room, b->items + 1) ||
        !GROW(b->value, b->value_room, b->items + 1))
        return false;
    b->offset[b->items] = name.at;
    b->value[b->items++] = value;
    return true;
}

/* ---- features -------------------------------------------------------------------------- */

static bool add_features(token_buffer *b, feature_name prefix, PyObject *from);

static bool add_text(token_buffer *b, feature_name prefix, PyObject *object, const char *what)
{
    size_t n;
    feature_name name = {0};
    const char *s = NULL;
    if (b->keys_for && PyUnicode_CheckExact(object)) { /* nothing is copied: a NUL does no harm */
        Py_ssize_t size;
        s = PyUnicode_AsUTF8AndSize(object, &size);
        n = (size_t)size;
    } else {
        s = text_of(object, what, &n);
    }
    return s && extend_name(b, prefix, s, n, &name) && add_item(b, name, 1);
}

static bool add_nested(token_buffer *b, feature_name prefix, PyObject *from)
{
    if (Py_EnterRecursiveCall(" in nested features")) return false;
    const bool done = add_features(b, prefix, from);
    Py_LeaveRecursiveCall();
    return done;
}

/* The name of a pair, and with `colon` also its colon. */
static bool name_pair(token_buffer *b, feature_name prefix, PyObject *key, bool colon,
                      feature_name *name)
{
    size_t n;
    const char *s = text_of(key, "the name of a feature", &n);
    if (!s || !extend_name(b, prefix, s, n, name)) return false;
    if (!colon) return true;
    if (b->keys_for) return extend_name(b, *name, ":", 1, name);
    b->text[name->at + name->length++] = ':'; /* instead of the NUL at the end */
    return true;
}

/* The same without a prefix, by way of the cache. */
static bool name_cached(token_buffer *b, PyObject *key, bool colon, feature_name *name)
{
    const Py_hash_t hash = PyObject_Hash(key);
    cached_key *place = &b->cache[(size_t)hash % KEY_CACHE_SIZE];
    if (place->hash != hash || place->prefix == 0) {
        const feature_name none = {0};
        if (!name_pair(b, none, key, false, name)) return false;
        const uint64_t prefix = caucus_tagger_key(b->keys_for, name->key, ":", 1);
        *place = (cached_key){hash, name->key, prefix};
    }
    name->key = colon ? place->prefix : place->key;
    return true;
}

static bool add_pair(token_buffer *b, feature_name prefix, PyObject *key, PyObject *value)
{
    feature_name name = {0};
    double number = 0;
    const bool text = PyUnicode_CheckExact(value) || PyUnicode_Check(value) || PyBytes_Check(value);
    const bool boolean = value == Py_True || value == Py_False;
    const bool nested = !text && !boolean && !PyFloat_CheckExact(value) &&
                        (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) ||
                         PyAnySet_Check(value));
    if (boolean) {
        number = value == Py_True;
    } else if (!text && !nested) {
        number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_TypeError))
                PyErr_Format(PyExc_TypeError,
                             "feature '%S': its value must be a number, a bool, a string, or a "
                             "dict, list or set of more features, not %R",
                             key, value);
            return false;
        }
        if (!isfinite(number)) {
            PyErr_Format(PyExc_ValueError,
                         "the value %R of feature '%S' is not finite; leave it out", value, key);
            return false;
        }
    }
    const bool exact = PyUnicode_CheckExact(key), cached = b->cache && prefix.key == 0 && exact;
    if (exact && !b->zeros && !text && !nested && number == 0) return true;
    if (!(cached ? name_cached(b, key, text || nested, &name)
                 : name_pair(b, prefix, key, text || nested, &name)))
        return false;
    return text     ? add_text(b, name, value, "the value of a feature")
           : nested ? add_nested(b, name, value)
                    : add_item(b, name, number);
}

static bool add_each(token_buffer *b, feature_name prefix, PyObject *from, const char *what)
{
    PyObject *item, *items = PyObject_GetIter(from);
    bool done = items != NULL;
    while (done && (item = PyIter_Next(items))) {
        done = add_text(b, prefix, item, what);
        Py_DECREF(item);
    }
    Py_XDECREF(items);
    return done && !PyErr_Occurred();
}

/* A mapping that is no dict. */
static bool add_mapping(token_buffer *b, feature_name prefix, PyObject *from)
{
    PyObject *items = PyMapping_Items(from);
    bool done = items != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_Size(items); i++) {
        PyObject *key, *value;
        done = PyArg_ParseTuple(PyList_GetItem(items, i), "OO", &key, &value) &&
               add_pair(b, prefix, key, value);
    }
    Py_XDECREF(items);
    return done;
}

static bool add_features(token_buffer *b, feature_name prefix, PyObject *from)
{
    if (PyDict_Check(from)) {
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(from, &at, &key, &value);) {
            bool done;
            if (PyUnicode_CheckExact(value) || PyBool_Check(value) || PyFloat_CheckExact(value)) {
                done = add_pair(b, prefix, key, value);
            } else { /* a number of the caller's own type may change the dict */
                Py_INCREF(key);
                Py_INCREF(value);
                done = add_pair(b, prefix, key, value);
                Py_DECREF(key);
                Py_DECREF(value);
            }
            if (!done) return false;
        }
        return true;
    }
    if (!PyList_Check(from) && !PyTuple_Check(from) && !PyAnySet_Check(from) &&
        PyObject_HasAttrString(from, "items"))
        return add_mapping(b, prefix, from);
    return add_each(b, prefix, from, "the name of a feature");
}

/* ---- tokens ---------------------------------------------------------------------------- */

static bool end_token(token_buffer *b, token_form form)
{
    if (!GROW(b->end, b->end_room, b->tokens + 1) || !GROW(b->form, b->form_room, b->tokens + 1))
        return false;
    b->end[b->tokens] = b->items;
    b->form[b->tokens++] = form;
    return true;
}

/* Makes the cache of a buffer that keeps keys. */
static bool begin_token(token_buffer *b)
{
    if (!b->keys_for || b->cache) return true;
    b->cache = calloc(KEY_CACHE_SIZE, sizeof *b->cache);
    return b->cache || PyErr_NoMemory() != NULL;
}

bool tokens_add_item(token_buffer *b, PyObject *item)
{
    return begin_token(b) && add_features(b, (feature_name){0}, item) &&
           end_token(b, FORM_FEATURES);
}

bool tokens_append(token_buffer *b, const caucus_feature *features, size_t count)
{
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        feature_name name = {0};
        const char *s = features[i].name;
        done = extend_name(b, (feature_name){0}, s, strlen(s), &name) &&
               add_item(b, name, features[i].value);
    }
    return done && end_token(b, FORM_FEATURES);
}

bool tokens_copy(token_buffer *b, const token_buffer *from)
{
    bool done = true;
    if (from->keys_for) { /* into an empty buffer */
        if (!GROW(b->keyed, b->keyed_room, from->items) ||
            !GROW(b->end, b->end_room, from->tokens) || !GROW(b->form, b->form_room, from->tokens))
            return false;
        if (from->items) memcpy(b->keyed, from->keyed, from->items * sizeof *b->keyed);
        if (from->tokens) memcpy(b->end, from->end, from->tokens * sizeof *b->end);
        if (from->tokens) memcpy(b->form, from->form, from->tokens * sizeof *b->form);
        b->items = from->items;
        b->tokens = from->tokens;
        return true;
    }
    for (size_t t = 0, i = 0; done && t < from->tokens; i = from->end[t++])
        done = tokens_append(b, from->features + i, from->end[t] - i);
    return done;
}

bool tokens_add(token_buffer *b, PyObject *token, token_rules rules)
{
    const feature_name none = {0};
    token_form form = FORM_FEATURES;
    bool done;
    if (!begin_token(b)) return false;
    if (PyUnicode_Check(token) || PyBytes_Check(token))
        form = rules.of_str;
    else if (PyTuple_Check(token))
        form = FORM_CELLS;
    else if (PyList_Check(token))
        form = rules.of_list;
    if (rules.of_list == FORM_FEATURES && rules.of_str == FORM_FEATURES) form = FORM_FEATURES;
    if (PyUnicode_Check(token) || PyBytes_Check(token))
        done = add_text(b, none, token, "a token");
    else if (form == FORM_CELLS)
        done = add_each(b, none, token, "a cell");
    else
        done = add_features(b, none, token);
    return done && end_token(b, form);
}

bool tokens_seal(token_buffer *b)
{
    if (b->keys_for) return true;
    if (!GROW(b->features, b->feature_room, b->items) || !GROW(b->cells, b->cell_room, b->items))
        return false;
    for (size_t i = 0; i < b->items; i++) {
        const char *name = b->text + b->offset[i];
        b->features[i] = (caucus_feature){name, b->value[i]};
        b->cells[i] = name;
    }
    return true;
}
