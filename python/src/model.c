/* model.c - Model: training, files and bytes, classes and weights.
 *
 * A model is immutable, so threads may share it. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

PyObject *model_type;

static void free_owned(PyObject *owner)
{
    caucus_model_free(PyCapsule_GetPointer(owner, NULL));
}

shared_model model_share(const shared_model *model)
{
    Py_INCREF(model->owner);
    Py_INCREF(model->classes);
    return *model;
}

void model_unshare(shared_model *model)
{
    Py_XDECREF(model->owner);
    Py_XDECREF(model->classes);
    *model = (shared_model){0};
}

/* The shared form of a model, which it owns; without an owner after a failure. */
static shared_model share_new(caucus_model *model)
{
    const size_t Y = caucus_model_classes(model);
    const char *kind = caucus_model_info(model, "model");
    static uint64_t serial; /* protected by the interpreter lock */
    shared_model s = {.model = model,
                      .owner = PyCapsule_New(model, NULL, free_owned),
                      .classes = PyTuple_New((Py_ssize_t)Y),
                      .sequences = kind && strcmp(kind, "maxent") != 0,
                      .serial = ++serial};
    for (size_t y = 0; s.classes && y < Y; y++) {
        PyObject *name = PyUnicode_FromString(caucus_model_class(model, y));
        if (!name || PyTuple_SetItem(s.classes, (Py_ssize_t)y, name)) Py_CLEAR(s.classes);
    }
    if (!s.owner) caucus_model_free(model);
    if (!s.owner || !s.classes) model_unshare(&s);
    return s;
}

PyObject *model_wrap(PyTypeObject *type, caucus_model *model)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    shared_model shared = share_new(model);
    model_object *self = shared.owner ? (model_object *)alloc(type, 0) : NULL;
    if (self)
        self->shared = shared;
    else
        model_unshare(&shared);
    return (PyObject *)self;
}

static void model_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    model_unshare(&((model_object *)object)->shared);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static caucus_model *model_of(PyObject *object)
{
    return ((model_object *)object)->shared.model;
}

/* ---- making models --------------------------------------------------------------------- */

static PyObject *model_open(PyObject *type, PyObject *path)
{
    library_call call;
    size_t n;
    caucus_model *model = NULL;
    caucus_status st;
    const char *name = text_of(path, "a path", &n);
    if (!name || !call_begin(&call, NULL)) return NULL;
    UNLOCKED(st = caucus_model_open(call.ctx, name, &model));
    const bool done = call_check(&call, st);
    call_end(&call);
    return done ? model_wrap((PyTypeObject *)type, model) : NULL;
}

static PyObject *model_from_bytes(PyObject *type, PyObject *args)
{
    library_call call;
    const char *bytes;
    Py_ssize_t n;
    caucus_model *model = NULL;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &n) || !call_begin(&call, NULL)) return NULL;
    const bool done =
        call_check(&call, caucus_model_from_bytes(call.ctx, bytes, (size_t)n, &model));
    call_end(&call);
    return done ? model_wrap((PyTypeObject *)type, model) : NULL;
}

/* _fit(command, pairs, data, progress, iterate=None): the model, and whether Ctrl-C ended training
 * early. */
static PyObject *model_fit(PyObject *type, PyObject *args)
{
    library_call call;
    const char *command;
    PyObject *pairs, *data, *progress, *iterate = Py_None, *model = NULL;
    caucus_model *made = NULL;
    caucus_status st;
    if (!PyArg_ParseTuple(args, "sOOO|O", &command, &pairs, &data, &progress, &iterate))
        return NULL;
    if (!PyObject_TypeCheck(data, (PyTypeObject *)data_type)) {
        PyErr_SetString(PyExc_TypeError, "expected Data");
        return NULL;
    }
    if (!call_begin(&call, progress)) return NULL;
    call_iterate(&call, iterate);
    bool interrupted = false, done = false;
    caucus_options *options = options_new(&call, command, pairs);
    if (options) {
        UNLOCKED(st = caucus_train(call.ctx, ((data_object *)data)->data, options, &made));
        interrupted = !st && call_take_interrupt(&call);
        done = call_check(&call, st);
    }
    caucus_options_free(options);
    call_end(&call);
    if (done)
        model = model_wrap((PyTypeObject *)type, made);
    else
        caucus_model_free(made);
    return model ? Py_BuildValue("NO", model, interrupted ? Py_True : Py_False) : NULL;
}

/* ---- files and bytes ------------------------------------------------------------------- */

static PyObject *model_save(PyObject *object, PyObject *path)
{
    library_call call;
    size_t n;
    caucus_status st;
    const char *name = text_of(path, "a path", &n);
    if (!name || !call_begin(&call, NULL)) return NULL;
    UNLOCKED(st = caucus_model_save(call.ctx, model_of(object), name));
    const bool done = call_check(&call, st);
    call_end(&call);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* _export(form, path): as a model of another program */
static PyObject *model_export(PyObject *object, PyObject *args)
{
    library_call call;
    const char *form, *path;
    caucus_status st;
    if (!PyArg_ParseTuple(args, "ss", &form, &path) || !call_begin(&call, NULL)) return NULL;
    UNLOCKED(st = caucus_model_export(call.ctx, model_of(object), form, path));
    const bool done = call_check(&call, st);
    call_end(&call);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

static PyObject *model_to_bytes(PyObject *object, PyObject *unused)
{
    library_call call;
    const void *bytes;
    size_t n;
    PyObject *out = NULL;
    (void)unused;
    if (!call_begin(&call, NULL)) return NULL;
    if (call_check(&call, caucus_model_bytes(call.ctx, model_of(object), &bytes, &n)))
        out = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    call_end(&call);
    return out;
}

/* What `caucus inspect` writes of a model, or `caucus tag` of a file, unless path is NULL. */
static PyObject *write_text(PyObject *object, PyObject *pairs, const char *path)
{
    const caucus_model *model = model_of(object);
    library_call call;
    text_sink sink = {0};
    caucus_status st;
    bool done = false;
    if (!call_begin(&call, NULL)) return NULL;
    caucus_options *options = options_new(&call, path ? "tag" : "inspect", pairs);
    if (options) {
        UNLOCKED(st = path ? caucus_tag(call.ctx, model, options, path, sink_write, &sink)
                           : caucus_inspect(call.ctx, model, options, sink_write, &sink));
        done = call_check(&call, st);
    }
    caucus_options_free(options);
    call_end(&call);
    if (done) return sink_take(&sink);
    free(sink.s);
    return NULL;
}

/* _report(pairs) */
static PyObject *model_report(PyObject *object, PyObject *pairs)
{
    return write_text(object, pairs, NULL);
}

/* _tag_file(pairs, path) */
static PyObject *model_tag_file(PyObject *object, PyObject *args)
{
    const char *path;
    PyObject *pairs;
    if (!PyArg_ParseTuple(args, "Os", &pairs, &path)) return NULL;
    return write_text(object, pairs, path);
}

/* ---- what it holds --------------------------------------------------------------------- */

static PyObject *model_classes(PyObject *object, void *unused)
{
    PyObject *classes = ((model_object *)object)->shared.classes;
    (void)unused;
    Py_INCREF(classes);
    return classes;
}

static PyObject *model_kind(PyObject *object, void *unused)
{
    const char *kind = caucus_model_info(model_of(object), "model");
    (void)unused;
    return PyUnicode_FromString(kind ? kind : "maxent");
}

/* _note(key): str or None */
static PyObject *model_note(PyObject *object, PyObject *key)
{
    size_t n;
    const char *name = text_of(key, "a key", &n);
    if (!name) return NULL;
    const char *value = caucus_model_info(model_of(object), name);
    if (!value) Py_RETURN_NONE;
    return PyUnicode_FromString(value);
}

/* _size(kind): the number of features; 0 of tokens, 1 of edges */
static PyObject *model_size(PyObject *object, PyObject *kind)
{
    const long which = PyLong_AsLong(kind);
    if (which == -1 && PyErr_Occurred()) return NULL;
    return PyLong_FromSize_t(caucus_model_features(model_of(object), (caucus_feature_kind)which));
}

/* _find(kind, name): an index, or None */
static PyObject *model_find(PyObject *object, PyObject *args)
{
    int kind;
    const char *name;
    if (!PyArg_ParseTuple(args, "is", &kind, &name)) return NULL;
    const size_t index = caucus_model_find(model_of(object), (caucus_feature_kind)kind, name);
    if (index == CAUCUS_NONE) Py_RETURN_NONE;
    return PyLong_FromSize_t(index);
}

/* A tuple of numbers. */
static PyObject *tuple_of(const double *numbers, size_t n)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)n);
    for (size_t i = 0; tuple && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, (Py_ssize_t)i, number)) Py_CLEAR(tuple);
    }
    return tuple;
}

/* _feature(kind, index, expert = all): (name, weights) */
static PyObject *model_feature(PyObject *object, PyObject *args)
{
    const caucus_model *model = model_of(object);
    const size_t Y = caucus_model_classes(model);
    library_call call;
    int kind;
    Py_ssize_t index, expert = -1;
    size_t length;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "in|n", &kind, &index, &expert) || !call_begin(&call, NULL))
        return NULL;
    const size_t count = kind == CAUCUS_EDGE_FEATURES ? Y * Y : Y;
    double *weights = malloc(count * sizeof *weights);
    if (!weights) {
        PyErr_NoMemory();
    } else if (call_check(&call, caucus_model_weights(
                                     call.ctx, model, expert < 0 ? CAUCUS_NONE : (size_t)expert,
                                     (caucus_feature_kind)kind, (size_t)index, weights))) {
        const char *name =
            caucus_model_feature(model, (caucus_feature_kind)kind, (size_t)index, &length);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)length, "replace");
        PyObject *tuple = tuple_of(weights, count);
        if (text && tuple) result = PyTuple_Pack(2, text, tuple);
        Py_XDECREF(text);
        Py_XDECREF(tuple);
    }
    free(weights);
    call_end(&call);
    return result;
}

/* _coefficients(names): the weights of these features, doubles [names][Y] in a bytearray; 0 of
 * those that the model does not have. */
static PyObject *model_coefficients(PyObject *object, PyObject *list)
{
    const caucus_model *model = model_of(object);
    const size_t Y = caucus_model_classes(model);
    library_call call;
    const char **names;
    size_t count;
    if (!texts_of(list, "the name of a feature", &names, &count)) return NULL;
    PyObject *out = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * Y * sizeof(double)));
    if (out && !call_begin(&call, NULL)) Py_CLEAR(out);
    if (out) {
        double *weights = (double *)(void *)PyByteArray_AsString(out);
        memset(weights, 0, count * Y * sizeof *weights);
        for (size_t i = 0; out && i < count; i++) {
            const size_t k = caucus_model_find(model, CAUCUS_TOKEN_FEATURES, names[i]);
            if (k != CAUCUS_NONE &&
                !call_check(&call, caucus_model_weights(call.ctx, model, CAUCUS_NONE,
                                                        CAUCUS_TOKEN_FEATURES, k, weights + i * Y)))
                Py_CLEAR(out);
        }
        call_end(&call);
    }
    free(names);
    return out;
}

/* _experts(): the weights of the experts of a pool */
static PyObject *model_experts(PyObject *object, PyObject *unused)
{
    const caucus_model *model = model_of(object);
    const size_t J = caucus_model_experts(model);
    PyObject *tuple = PyTuple_New((Py_ssize_t)J);
    (void)unused;
    for (size_t j = 0; tuple && j < J; j++) {
        PyObject *weight = PyFloat_FromDouble(caucus_model_expert_weight(model, j));
        if (!weight || PyTuple_SetItem(tuple, (Py_ssize_t)j, weight)) Py_CLEAR(tuple);
    }
    return tuple;
}

/* _transition(from, to), _intercept(class): weights of the whole model */
static PyObject *model_transition(PyObject *object, PyObject *args)
{
    Py_ssize_t from, to;
    if (!PyArg_ParseTuple(args, "nn", &from, &to)) return NULL;
    return PyFloat_FromDouble(
        caucus_model_transition(model_of(object), CAUCUS_NONE, (size_t)from, (size_t)to));
}

static PyObject *model_intercept(PyObject *object, PyObject *label)
{
    const size_t y = PyLong_AsSize_t(label);
    if (PyErr_Occurred()) return NULL;
    return PyFloat_FromDouble(caucus_model_intercept(model_of(object), CAUCUS_NONE, y));
}

static PyMethodDef methods[] = {
    {"open", model_open, METH_O | METH_CLASS, NULL},
    {"from_bytes", model_from_bytes, METH_VARARGS | METH_CLASS, NULL},
    {"_fit", model_fit, METH_VARARGS | METH_CLASS, NULL},
    {"save", model_save, METH_O, NULL},
    {"_export", model_export, METH_VARARGS, NULL},
    {"to_bytes", model_to_bytes, METH_NOARGS, NULL},
    {"_report", model_report, METH_O, NULL},
    {"_tag_file", model_tag_file, METH_VARARGS, NULL},
    {"_note", model_note, METH_O, NULL},
    {"_size", model_size, METH_O, NULL},
    {"_find", model_find, METH_VARARGS, NULL},
    {"_feature", model_feature, METH_VARARGS, NULL},
    {"_coefficients", model_coefficients, METH_O, NULL},
    {"_experts", model_experts, METH_NOARGS, NULL},
    {"_transition", model_transition, METH_VARARGS, NULL},
    {"_intercept", model_intercept, METH_O, NULL},
    {0},
};

static PyGetSetDef getters[] = {
    {"classes", model_classes, NULL, NULL, NULL}, {"kind", model_kind, NULL, NULL, NULL}, {0}};

bool model_setup(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, model_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, getters},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "caucus._caucus.Model",
                               .basicsize = sizeof(model_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = slots};
    model_type = type_add(module, "Model", &spec);
    return model_type != NULL;
}
