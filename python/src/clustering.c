/* clustering.c - Clustering: items without labels, links, questions.
 *
 * The run releases the interpreter lock and takes it for each question. */

#include "binding.h"

#include <stdlib.h>

typedef struct {
    PyObject_HEAD caucus_clustering *clustering;
    token_buffer tokens;
    library_call call;
    PyObject *ask; /* during the run */
    bool busy;
} clustering_object;

/* Clustering(pairs) */
static PyObject *clustering_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *pairs;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O", &pairs)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    clustering_object *self = (clustering_object *)alloc(type, 0);
    if (!self) return NULL;
    caucus_options *options = NULL;
    bool done = call_begin(&self->call, NULL);
    if (done) done = (options = options_new(&self->call, "cluster", pairs)) != NULL;
    if (done)
        done = call_check(&self->call,
                          caucus_clustering_new(self->call.ctx, options, &self->clustering));
    caucus_options_free(options);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

static void clustering_dealloc(PyObject *object)
{
    clustering_object *self = (clustering_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    caucus_clustering_free(self->clustering);
    tokens_clear(&self->tokens);
    call_end(&self->call);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static bool check_idle(const clustering_object *self)
{
    if (!self->busy) return true;
    PyErr_SetString(PyExc_RuntimeError, "the clustering is running; wait for its end");
    return false;
}

/* None, or NULL with the exception of a failure. */
static PyObject *none_if(clustering_object *self, caucus_status st)
{
    if (!call_check(&self->call, st)) return NULL;
    Py_RETURN_NONE;
}

/* ---- items and links ------------------------------------------------------------------- */

static PyObject *clustering_read(PyObject *object, PyObject *list)
{
    clustering_object *self = (clustering_object *)object;
    const char **paths;
    size_t count;
    caucus_status st;
    if (!check_idle(self) || !texts_of(list, "a path", &paths, &count)) return NULL;
    self->busy = true;
    UNLOCKED(st = caucus_clustering_read(self->call.ctx, self->clustering, paths, count));
    self->busy = false;
    free(paths);
    return none_if(self, st);
}

/* add(item, features) */
static PyObject *clustering_add(PyObject *object, PyObject *args)
{
    clustering_object *self = (clustering_object *)object;
    const token_rules rules = {FORM_FEATURES, FORM_FEATURES};
    const char *item;
    PyObject *features;
    if (!PyArg_ParseTuple(args, "sO", &item, &features) || !check_idle(self)) return NULL;
    tokens_begin(&self->tokens);
    if (!tokens_add(&self->tokens, features, rules) || !tokens_seal(&self->tokens)) return NULL;
    return none_if(self, caucus_clustering_add(self->call.ctx, self->clustering, item,
                                               self->tokens.features, self->tokens.items));
}

/* link(a, b, together) */
static PyObject *clustering_link(PyObject *object, PyObject *args)
{
    clustering_object *self = (clustering_object *)object;
    const char *a, *b;
    double together;
    if (!PyArg_ParseTuple(args, "ssd", &a, &b, &together) || !check_idle(self)) return NULL;
    return none_if(self, caucus_clustering_link(self->call.ctx, self->clustering, a, b, together));
}

/* set_class(item, class) */
static PyObject *clustering_class(PyObject *object, PyObject *args)
{
    clustering_object *self = (clustering_object *)object;
    const char *item, *name;
    if (!PyArg_ParseTuple(args, "ss", &item, &name) || !check_idle(self)) return NULL;
    return none_if(self, caucus_clustering_class(self->call.ctx, self->clustering, item, name));
}

/* ---- the run --------------------------------------------------------------------------- */

static PyObject *list_of(const char *const *texts, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text)) Py_CLEAR(list);
    }
    return list;
}

/* A caucus_ask_fn: the callable gets the fields of the question and returns a caucus_answer. */
static caucus_status ask_python(void *user, const caucus_question *q, caucus_answer *answer)
{
    clustering_object *self = user;
    caucus_status st = CAUCUS_OK;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *said = PyObject_CallFunction(
        self->ask, "ssdnnNN", q->a, q->b, q->together, (Py_ssize_t)q->number, (Py_ssize_t)q->total,
        list_of(q->a_features, q->a_count), list_of(q->b_features, q->b_count));
    const long number = said ? PyLong_AsLong(said) : -1;
    Py_XDECREF(said);
    if (PyErr_Occurred())
        st = call_keep_exception(&self->call);
    else
        *answer = (caucus_answer)number;
    PyGILState_Release(state);
    return st;
}

/* run(ask, progress): either may be None */
static PyObject *clustering_run(PyObject *object, PyObject *args)
{
    clustering_object *self = (clustering_object *)object;
    PyObject *ask, *progress;
    caucus_status st;
    if (!PyArg_ParseTuple(args, "OO", &ask, &progress) || !check_idle(self)) return NULL;
    self->busy = true;
    self->ask = ask;
    self->call.progress = progress == Py_None ? NULL : progress;
    UNLOCKED(st = caucus_clustering_run(self->call.ctx, self->clustering,
                                        ask == Py_None ? NULL : ask_python, self));
    self->ask = self->call.progress = NULL;
    self->busy = false;
    return none_if(self, st);
}

/* ---- results --------------------------------------------------------------------------- */

static PyObject *numbers_of(const uint32_t *numbers, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *number = PyLong_FromUnsignedLong(numbers[i]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)i, number)) Py_CLEAR(list);
    }
    return list;
}

/* results(): (items, assignment, certainty, answers) */
static PyObject *clustering_results(PyObject *object, PyObject *unused)
{
    clustering_object *self = (clustering_object *)object;
    const caucus_clustering *c = self->clustering;
    (void)unused;
    if (!check_idle(self)) return NULL;
    const size_t n = caucus_clustering_items(c), m = caucus_clustering_answers(c);
    const double *certainty = caucus_clustering_certainty(c);
    const uint32_t *assignment = caucus_clustering_assignment(c);
    if (!assignment || !certainty) {
        PyErr_SetString(PyExc_RuntimeError, "the clustering has not run");
        return NULL;
    }
    PyObject *items = PyList_New((Py_ssize_t)n), *shares = PyList_New((Py_ssize_t)n);
    PyObject *answers = PyList_New((Py_ssize_t)m), *clusters = numbers_of(assignment, n);
    bool done = items && shares && answers && clusters;
    for (size_t i = 0; done && i < n; i++)
        done = PyList_SetItem(items, (Py_ssize_t)i,
                              PyUnicode_FromString(caucus_clustering_item(c, i))) == 0 &&
               PyList_SetItem(shares, (Py_ssize_t)i, PyFloat_FromDouble(certainty[i])) == 0;
    for (size_t i = 0; done && i < m; i++) {
        const caucus_answered a = caucus_clustering_answer(c, i);
        done = PyList_SetItem(answers, (Py_ssize_t)i,
                              Py_BuildValue("ssO", caucus_clustering_item(c, a.a),
                                            caucus_clustering_item(c, a.b),
                                            a.together ? Py_True : Py_False)) == 0;
    }
    PyObject *result =
        done && !PyErr_Occurred() ? PyTuple_Pack(4, items, clusters, shares, answers) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(clusters);
    Py_XDECREF(shares);
    Py_XDECREF(answers);
    return result;
}

/* sample(index): the cluster of each item in a sample, or None */
static PyObject *clustering_sample(PyObject *object, PyObject *number)
{
    clustering_object *self = (clustering_object *)object;
    const size_t index = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || !check_idle(self)) return NULL;
    const uint32_t *sample = caucus_clustering_sample(self->clustering, index);
    if (!sample) Py_RETURN_NONE;
    return numbers_of(sample, caucus_clustering_items(self->clustering));
}

static PyObject *clustering_score(PyObject *object, PyObject *measure)
{
    clustering_object *self = (clustering_object *)object;
    size_t n;
    const char *name = text_of(measure, "a measure", &n);
    if (!name || !check_idle(self)) return NULL;
    return PyFloat_FromDouble(caucus_clustering_score(self->clustering, name));
}

static PyObject *clustering_report(PyObject *object, PyObject *unused)
{
    clustering_object *self = (clustering_object *)object;
    text_sink sink = {0};
    (void)unused;
    if (!check_idle(self)) return NULL;
    if (call_check(&self->call,
                   caucus_clustering_write(self->call.ctx, self->clustering, sink_write, &sink)))
        return sink_take(&sink);
    free(sink.s);
    return NULL;
}

/* model(type): a model that assigns new items */
static PyObject *clustering_model(PyObject *object, PyObject *type)
{
    clustering_object *self = (clustering_object *)object;
    caucus_model *model = NULL;
    if (!PyType_Check(type) || !check_idle(self)) return NULL;
    if (!call_check(&self->call, caucus_clustering_model(self->call.ctx, self->clustering, &model)))
        return NULL;
    return model_wrap((PyTypeObject *)type, model);
}

static PyMethodDef methods[] = {
    {"read", clustering_read, METH_O, NULL},
    {"add", clustering_add, METH_VARARGS, NULL},
    {"link", clustering_link, METH_VARARGS, NULL},
    {"set_class", clustering_class, METH_VARARGS, NULL},
    {"run", clustering_run, METH_VARARGS, NULL},
    {"results", clustering_results, METH_NOARGS, NULL},
    {"sample", clustering_sample, METH_O, NULL},
    {"score", clustering_score, METH_O, NULL},
    {"report", clustering_report, METH_NOARGS, NULL},
    {"model", clustering_model, METH_O, NULL},
    {0},
};

bool clustering_setup(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_new, clustering_new},
                                  {Py_tp_dealloc, clustering_dealloc},
                                  {Py_tp_methods, methods},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "caucus._caucus.Clustering",
                               .basicsize = sizeof(clustering_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = slots};
    PyObject *type = type_add(module, "Clustering", &spec);
    Py_XDECREF(type);
    return type != NULL;
}
