/* data.c - Data: labelled data from files or from Python objects, converted as it comes.
 *
 * While data grows, an object keeps the interpreter lock, so that threads take turns. */

#include "binding.h"

#include <stdlib.h>

PyObject *data_type;

static data_object *data_alloc(PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    data_object *self = (data_object *)alloc(type, 0);
    if (self && !call_begin(&self->call, NULL)) Py_CLEAR(self);
    return self;
}

/* Data(command, pairs, template, forms): `forms` has the form of a str and of a list. */
static PyObject *data_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *command, *template;
    int of_str, of_list;
    PyObject *pairs;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "sOz(ii)", &command, &pairs, &template, &of_str, &of_list))
        return NULL;
    data_object *self = data_alloc(type);
    if (!self) return NULL;
    library_call *call = &self->call;
    self->rules = (token_rules){(token_form)of_str, (token_form)of_list};
    caucus_options *options = options_new(call, command, pairs);
    bool done = options && call_check(call, caucus_data_new(call->ctx, options, &self->data));
    if (done && template)
        done = call_check(call, caucus_data_template(call->ctx, self->data, template));
    caucus_options_free(options);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

/* Data.read(command, pairs, paths) */
static PyObject *data_read(PyObject *type, PyObject *args)
{
    const char *command, **paths = NULL;
    size_t count;
    PyObject *pairs, *list;
    if (!PyArg_ParseTuple(args, "sOO", &command, &pairs, &list)) return NULL;
    data_object *self = data_alloc((PyTypeObject *)type);
    if (!self) return NULL;
    library_call *call = &self->call;
    caucus_options *options = options_new(call, command, pairs);
    bool done = options && texts_of(list, "a path", &paths, &count);
    if (done) {
        caucus_status st;
        UNLOCKED(st = caucus_train_check(call->ctx, options);
                 if (!st) st = caucus_data_read(call->ctx, options, paths, count, &self->data));
        done = call_check(call, st);
    }
    free(paths);
    caucus_options_free(options);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

static void data_dealloc(PyObject *object)
{
    data_object *self = (data_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    caucus_data_free(self->data);
    tokens_clear(&self->tokens);
    call_end(&self->call);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- instances ------------------------------------------------------------------------- */

/* Converts one token and adds it. */
static bool add_token(data_object *self, PyObject *token, PyObject *label, double weight,
                      token_rules rules)
{
    size_t n;
    token_buffer *b = &self->tokens;
    caucus_ctx *ctx = self->call.ctx;
    caucus_status st;
    const char *name = text_of(label, "a label", &n);
    tokens_begin(b);
    if (!name || !tokens_add(b, token, rules) || !tokens_seal(b)) return false;
    if (b->form[0] == FORM_FEATURES)
        st = caucus_data_add_features(ctx, self->data, name, weight, b->features, b->items);
    else if (b->form[0] == FORM_CELLS)
        st = caucus_data_add_cells(ctx, self->data, name, weight, b->cells, b->items);
    else
        st = caucus_data_add_text(ctx, self->data, name, weight, b->cells[0]);
    return call_check(&self->call, st);
}

/* add(instance, label, weight) */
static PyObject *data_add(PyObject *object, PyObject *args)
{
    data_object *self = (data_object *)object;
    PyObject *token, *label;
    double weight;
    if (!PyArg_ParseTuple(args, "OOd", &token, &label, &weight)) return NULL;
    const token_rules rules = {FORM_TEXT, self->rules.of_list};
    if (!add_token(self, token, label, weight, rules)) return NULL;
    Py_RETURN_NONE;
}

/* add_sequence(tokens, labels, weight): both are iterated once. */
static PyObject *data_add_sequence(PyObject *object, PyObject *args)
{
    data_object *self = (data_object *)object;
    PyObject *x, *y, *token, *label;
    double weight;
    size_t n = 0;
    bool done = true;
    if (!PyArg_ParseTuple(args, "OOd", &x, &y, &weight)) return NULL;
    PyObject *tokens = PyObject_GetIter(x), *labels = tokens ? PyObject_GetIter(y) : NULL;
    if (!labels) {
        Py_XDECREF(tokens);
        return NULL;
    }
    while (done && (token = PyIter_Next(tokens))) {
        label = PyIter_Next(labels);
        if (!label && !PyErr_Occurred())
            PyErr_Format(PyExc_ValueError,
                         "a sequence has %zu labels but more tokens; give each token one label", n);
        done = label && add_token(self, token, label, weight, self->rules);
        Py_DECREF(token);
        Py_XDECREF(label);
        n++;
    }
    done = done && !PyErr_Occurred();
    if (done && (label = PyIter_Next(labels))) {
        Py_DECREF(label);
        PyErr_Format(PyExc_ValueError,
                     "a sequence has %zu tokens but more labels; give each token one label", n);
    }
    Py_DECREF(tokens);
    Py_DECREF(labels);
    if (!done || PyErr_Occurred()) return NULL;
    if (n && !call_check(&self->call, caucus_data_break(self->call.ctx, self->data))) return NULL;
    Py_RETURN_NONE;
}

/* add_rows(labels, names, weights, matrix): instances that are rows of a matrix (matrix_open);
 * weights may be None. */
static PyObject *data_add_rows(PyObject *object, PyObject *args)
{
    data_object *self = (data_object *)object;
    PyObject *label_list, *name_list, *weight_array, *parts;
    const char **labels = NULL, **names = NULL;
    size_t count, columns;
    matrix_rows m;
    double *weight = NULL, *value = NULL;
    uint32_t *column = NULL;
    caucus_feature *features = NULL;
    bool done = false;
    if (!PyArg_ParseTuple(args, "OOOO", &label_list, &name_list, &weight_array, &parts))
        return NULL;
    if (!texts_of(label_list, "a label", &labels, &count) ||
        !texts_of(name_list, "the name of a feature", &names, &columns) ||
        !matrix_open(parts, columns, &m) || !(weight = matrix_weights(weight_array, m.rows)))
        goto out;
    if (count != m.rows) {
        PyErr_Format(PyExc_ValueError, "%zu labels for %zu rows; give each one a label", count,
                     m.rows);
        goto out;
    }
    features = malloc((m.longest + 1) * sizeof *features);
    value = malloc((m.longest + 1) * sizeof *value);
    column = malloc((m.longest + 1) * sizeof *column);
    if (!features || !value || !column) {
        PyErr_NoMemory();
        goto out;
    }
    for (size_t r = 0; r < m.rows; r++) {
        const size_t n = matrix_row(&m, r, column, value);
        for (size_t i = 0; i < n; i++) features[i] = (caucus_feature){names[column[i]], value[i]};
        if (!call_check(&self->call, caucus_data_add_features(self->call.ctx, self->data, labels[r],
                                                              weight[r], features, n)))
            goto out;
    }
    done = true;
out:
    free(features);
    free(value);
    free(column);
    free(weight);
    free(labels);
    free(names);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* ---- the rest -------------------------------------------------------------------------- */

/* part(number): 0 training, 1 development, 2 test */
static PyObject *data_part(PyObject *object, PyObject *number)
{
    data_object *self = (data_object *)object;
    const long part = PyLong_AsLong(number);
    if (part == -1 && PyErr_Occurred()) return NULL;
    if (!call_check(&self->call, caucus_data_part(self->call.ctx, self->data, (caucus_part)part)))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *data_group(PyObject *object, PyObject *name)
{
    data_object *self = (data_object *)object;
    size_t n;
    const char *s = text_of(name, "the name of a group", &n);
    if (!s || !call_check(&self->call, caucus_data_group(self->call.ctx, self->data, s)))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *data_close(PyObject *object, PyObject *unused)
{
    data_object *self = (data_object *)object;
    (void)unused;
    if (!call_check(&self->call, caucus_data_close(self->call.ctx, self->data))) return NULL;
    tokens_clear(&self->tokens);
    Py_RETURN_NONE;
}

static PyObject *data_size(PyObject *object, PyObject *number)
{
    const long part = PyLong_AsLong(number);
    if (part == -1 && PyErr_Occurred()) return NULL;
    return PyLong_FromSize_t(caucus_data_size(((data_object *)object)->data, (caucus_part)part));
}

/* classes(): the classes of closed data, a tuple */
static PyObject *data_classes(PyObject *object, PyObject *unused)
{
    const caucus_data *data = ((data_object *)object)->data;
    Py_ssize_t n = 0;
    const char *name;
    (void)unused;
    while (caucus_data_class(data, (size_t)n)) n++;
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++) {
        PyObject *text =
            (name = caucus_data_class(data, (size_t)i)) ? PyUnicode_FromString(name) : NULL;
        if (!text || PyTuple_SetItem(tuple, i, text)) Py_CLEAR(tuple);
    }
    return tuple;
}

static Py_ssize_t data_length(PyObject *object)
{
    return (Py_ssize_t)caucus_data_size(((data_object *)object)->data, CAUCUS_PART_TRAIN);
}

static PyMethodDef methods[] = {
    {"read", data_read, METH_VARARGS | METH_CLASS, NULL},
    {"add", data_add, METH_VARARGS, NULL},
    {"add_sequence", data_add_sequence, METH_VARARGS, NULL},
    {"add_rows", data_add_rows, METH_VARARGS, NULL},
    {"part", data_part, METH_O, NULL},
    {"group", data_group, METH_O, NULL},
    {"close", data_close, METH_NOARGS, NULL},
    {"size", data_size, METH_O, NULL},
    {"classes", data_classes, METH_NOARGS, NULL},
    {0},
};

bool data_setup(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_new, data_new},
                                  {Py_tp_dealloc, data_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_mp_length, data_length},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "caucus._caucus.Data",
                               .basicsize = sizeof(data_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = slots};
    data_type = type_add(module, "Data", &spec);
    return data_type != NULL;
}
