/* tokens.c - Python objects as features, cells or texts.
 *
 *   dict        features, as in python-crfsuite: {"name": number or bool}, {"name": "value"} for
 *               "name:value", {"name": dict, list or set} for "name:" before each name inside
 *   tuple       cells: the columns of a token, of which a template makes features
 *   list        features that are present, or cells, as the rules say
 *   set, other iterables of strings    features that are present
 *   str         one cell or a text, as the rules say
 *
 * Names are put together in one buffer of text, which grows to the longest sequence; offsets stay
 * valid when it moves. tokens_seal makes the pointers for the library. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

void tokens_begin(token_buffer *b)
{
    b->length = b->items = b->tokens = 0;
}

void tokens_clear(token_buffer *b)
{
    free(b->text);
    free(b->offset);
    free(b->value);
    free(b->end);
    free(b->form);
    free(b->features);
    free(b->cells);
    *b = (token_buffer){0};
}

/* Makes room for n elements; false with an exception. */
static bool grow(void *array, size_t *room, size_t n, size_t size)
{
    void **at = array;
    if (n <= *room) return true;
    const size_t more = n + n / 2 + 16;
    void *moved = more < SIZE_MAX / size ? realloc(*at, more * size) : NULL;
    if (!moved) return PyErr_NoMemory() != NULL;
    *at = moved;
    *room = more;
    return true;
}

#define GROW(array, room, n) grow(&(array), &(room), (n), sizeof *(array))

/* ---- items ----------------------------------------------------------------------------- */

/* A name under construction: its prefix begins at an offset of the text, or has length 0. */
typedef struct {
    size_t at, length;
} name_prefix;

/* Appends PREFIX:TEXT and a NUL; *name is where it is. */
static bool append_name(token_buffer *b, name_prefix prefix, const char *s, size_t n,
                        name_prefix *name)
{
    const size_t begin = b->length;
    if (!GROW(b->text, b->room, begin + prefix.length + n + 2)) return false;
    char *to = b->text + begin;
    if (prefix.length) {
        memcpy(to, b->text + prefix.at, prefix.length);
        to += prefix.length;
        *to++ = ':';
    }
    memcpy(to, s, n);
    to[n] = 0;
    *name = (name_prefix){begin, (size_t)(to + n - (b->text + begin))};
    b->length = begin + name->length + 1;
    return true;
}

static bool add_item(token_buffer *b, name_prefix name, double value)
{
    if (!GROW(b->offset, b->offset_room, b->items + 1) ||
        !GROW(b->value, b->value_room, b->items + 1))
        return false;
    b->offset[b->items] = name.at;
    b->value[b->items++] = value;
    return true;
}

static bool add_text(token_buffer *b, name_prefix prefix, PyObject *object, const char *what)
{
    size_t n;
    name_prefix name;
    const char *s = text_of(object, what, &n);
    return s && append_name(b, prefix, s, n, &name) && add_item(b, name, 1);
}

/* ---- features -------------------------------------------------------------------------- */

static bool add_features(token_buffer *b, name_prefix prefix, PyObject *from);

static bool add_nested(token_buffer *b, name_prefix prefix, PyObject *from)
{
    if (Py_EnterRecursiveCall(" in nested features")) return false;
    const bool done = add_features(b, prefix, from);
    Py_LeaveRecursiveCall();
    return done;
}

static bool add_pair(token_buffer *b, name_prefix prefix, PyObject *key, PyObject *value)
{
    size_t n;
    name_prefix name;
    const char *s = text_of(key, "the name of a feature", &n);
    if (!s || !append_name(b, prefix, s, n, &name)) return false;
    if (PyUnicode_Check(value) || PyBytes_Check(value))
        return add_text(b, name, value, "the value of a feature");
    if (PyFloat_Check(value)) return add_item(b, name, PyFloat_AsDouble(value));
    if (value == Py_True || value == Py_False) return add_item(b, name, value == Py_True);
    if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) || PyAnySet_Check(value))
        return add_nested(b, name, value);
    const double number = PyFloat_AsDouble(value);
    if (number != -1 || !PyErr_Occurred()) return add_item(b, name, number);
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "feature '%S': its value must be a number, a bool, a string, or a dict, list "
                     "or set of more features, not %R",
                     key, value);
    return false;
}

static bool add_each(token_buffer *b, name_prefix prefix, PyObject *from, const char *what)
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
static bool add_mapping(token_buffer *b, name_prefix prefix, PyObject *from)
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

static bool add_features(token_buffer *b, name_prefix prefix, PyObject *from)
{
    if (PyDict_Check(from)) {
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(from, &at, &key, &value);) {
            Py_INCREF(key); /* a number of the caller's own type may change the dict */
            Py_INCREF(value);
            const bool done = add_pair(b, prefix, key, value);
            Py_DECREF(key);
            Py_DECREF(value);
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

bool tokens_add(token_buffer *b, PyObject *token, token_rules rules)
{
    const name_prefix none = {0, 0};
    token_form form = FORM_FEATURES;
    bool done;
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
    if (!done || !GROW(b->end, b->end_room, b->tokens + 1) ||
        !GROW(b->form, b->form_room, b->tokens + 1))
        return false;
    b->end[b->tokens] = b->items;
    b->form[b->tokens++] = form;
    return true;
}

bool tokens_seal(token_buffer *b)
{
    if (!GROW(b->features, b->feature_room, b->items) || !GROW(b->cells, b->cell_room, b->items))
        return false;
    for (size_t i = 0; i < b->items; i++) {
        const char *name = b->text + b->offset[i];
        b->features[i] = (caucus_feature){name, b->value[i]};
        b->cells[i] = name;
    }
    return true;
}
