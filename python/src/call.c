/* call.c - see binding.h. */

#include "binding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PyObject *make_error, *log_note;

enum { CHECKS_PER_SECOND = 20 };

bool call_setup(void)
{
    PyObject *errors = PyImport_ImportModule("caucus._errors");
    if (!errors) return false;
    make_error = PyObject_GetAttrString(errors, "make_error");
    log_note = PyObject_GetAttrString(errors, "log_note");
    Py_DECREF(errors);
    return make_error && log_note;
}

/* ---- callbacks ------------------------------------------------------------------------- */

caucus_status call_keep_exception(library_call *call)
{
    if (call->type)
        PyErr_Clear(); /* the first one is raised */
    else
        PyErr_Fetch(&call->type, &call->value, &call->traceback);
    return CAUCUS_ERR_STOPPED;
}

/* A caucus_progress_fn. Without a callback of the caller it only looks for Ctrl-C, and not at every
 * iteration, because another thread may hold the interpreter lock. */
static bool report_progress(void *user, const caucus_progress *p)
{
    library_call *call = user;
    bool go_on = true;
    if (call->type) return false;
    if (!call->progress && fabs(p->elapsed - call->checked) * CHECKS_PER_SECOND < 1) return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    call->checked = p->elapsed;
    go_on = PyErr_CheckSignals() == 0;
    if (go_on && call->progress) {
        PyObject *said =
            PyObject_CallFunction(call->progress, "snndddddnd", p->solver, (Py_ssize_t)p->iteration,
                                  (Py_ssize_t)p->passes, p->objective, p->gradient, p->dev,
                                  p->elapsed, p->remaining, (Py_ssize_t)p->weights, p->norm);
        go_on = said && said != Py_False;
        Py_XDECREF(said);
    }
    if (PyErr_Occurred()) call_keep_exception(call);
    PyGILState_Release(state);
    return go_on;
}

/* A caucus_iterate_fn. */
static void report_iterate(void *user, const caucus_iterate *now)
{
    library_call *call = user;
    if (call->type) return; /* training ends */
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *done = PyObject_CallFunction(call->iterate, "ny#", (Py_ssize_t)now->nonzero,
                                           now->labels ? (const char *)now->labels : "",
                                           (Py_ssize_t)(now->count * sizeof *now->labels));
    if (!done) call_keep_exception(call);
    Py_XDECREF(done);
    PyGILState_Release(state);
}

void call_iterate(library_call *call, PyObject *iterate)
{
    if (iterate == Py_None) return;
    call->iterate = iterate;
    caucus_on_iterate(call->ctx, report_iterate, call);
}

/* A caucus_note_fn. */
static void report_note(void *user, const char *sentence)
{
    library_call *call = user;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *done = PyObject_CallFunction(log_note, "s", sentence);
    if (!done) call_keep_exception(call);
    Py_XDECREF(done);
    PyGILState_Release(state);
}

/* ---- calls ----------------------------------------------------------------------------- */

bool call_begin(library_call *call, PyObject *progress)
{
    memset(call, 0, sizeof *call);
    if (caucus_ctx_new(&call->ctx)) {
        PyErr_NoMemory();
        return false;
    }
    call->progress = progress == Py_None ? NULL : progress;
    caucus_on_progress(call->ctx, report_progress, call);
    caucus_on_note(call->ctx, report_note, call);
    return true;
}

/* The exception of a callback comes first: the failure of the library follows from it. */
bool call_check(library_call *call, caucus_status st)
{
    if (call->type) {
        PyErr_Restore(call->type, call->value, call->traceback);
        call->type = call->value = call->traceback = NULL;
        return false;
    }
    if (!st) return true;
    PyObject *e = PyObject_CallFunction(make_error, "is", (int)st, caucus_message(call->ctx));
    if (!e) return false;
    PyErr_SetObject((PyObject *)Py_TYPE(e), e);
    Py_DECREF(e);
    return false;
}

void call_end(library_call *call)
{
    caucus_ctx_free(call->ctx);
    call->ctx = NULL;
    Py_CLEAR(call->type);
    Py_CLEAR(call->value);
    Py_CLEAR(call->traceback);
}

bool call_take_interrupt(library_call *call)
{
    if (!call->type || !PyErr_GivenExceptionMatches(call->type, PyExc_KeyboardInterrupt))
        return false;
    Py_CLEAR(call->type);
    Py_CLEAR(call->value);
    Py_CLEAR(call->traceback);
    return true;
}

/* ---- texts ----------------------------------------------------------------------------- */

const char *text_of(PyObject *object, const char *what, size_t *length)
{
    Py_ssize_t n = 0;
    const char *s = NULL;
    if (PyUnicode_Check(object)) {
        s = PyUnicode_AsUTF8AndSize(object, &n);
    } else if (PyBytes_Check(object)) {
        s = PyBytes_AsString(object);
        n = PyBytes_Size(object);
    } else {
        PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
        if (type) PyErr_Format(PyExc_TypeError, "%s must be a string, not %U", what, type);
        Py_XDECREF(type);
    }
    if (!s) return NULL;
    if (memchr(s, 0, (size_t)n)) {
        PyErr_Format(PyExc_ValueError, "%s has a NUL character; remove it", what);
        return NULL;
    }
    *length = (size_t)n;
    return s;
}

bool texts_of(PyObject *list, const char *what, const char ***texts, size_t *count)
{
    const Py_ssize_t n = PySequence_Size(list);
    if (n < 0) return false;
    if (!PyList_Check(list) && !PyTuple_Check(list)) { /* only these keep their items */
        PyErr_Format(PyExc_TypeError, "%s: expected a list or tuple of strings", what);
        return false;
    }
    const char **out = malloc(((size_t)n + 1) * sizeof *out);
    if (!out) return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        size_t length;
        PyObject *item = PySequence_GetItem(list, i);
        out[i] = item ? text_of(item, what, &length) : NULL;
        Py_XDECREF(item); /* the list keeps it */
        if (!out[i]) {
            free(out);
            return false;
        }
    }
    out[n] = NULL;
    *texts = out;
    *count = (size_t)n;
    return true;
}

caucus_options *options_new(library_call *call, const char *command, PyObject *pairs)
{
    caucus_options *options = NULL;
    if (!call_check(call, caucus_options_new(call->ctx, command, &options))) return NULL;
    const Py_ssize_t n = PyList_Size(pairs);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name, *value;
        if (!PyArg_ParseTuple(PyList_GetItem(pairs, i), "ss", &name, &value) ||
            !call_check(call, caucus_options_set(call->ctx, options, name, value)))
            goto failed;
    }
    if (n >= 0) return options;
failed:
    caucus_options_free(options);
    return NULL;
}

caucus_status sink_write(void *user, const char *bytes, size_t length)
{
    text_sink *sink = user;
    if (sink->n + length > sink->room) {
        const size_t room = 2 * (sink->n + length);
        char *more = realloc(sink->s, room);
        if (!more) return CAUCUS_ERR_MEMORY;
        sink->s = more;
        sink->room = room;
    }
    memcpy(sink->s + sink->n, bytes, length);
    sink->n += length;
    return CAUCUS_OK;
}

PyObject *sink_take(text_sink *sink)
{
    PyObject *text = PyUnicode_DecodeUTF8(sink->s ? sink->s : "", (Py_ssize_t)sink->n, "replace");
    free(sink->s);
    *sink = (text_sink){0};
    return text;
}
