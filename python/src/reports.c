/* reports.c - scores of labels and studies, as the library reports them. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* ---- scores ---------------------------------------------------------------------------- */

/* The report as JSON and as the table of the options. */
static PyObject *write_scores(library_call *call, const caucus_scores *scores,
                              caucus_options *options)
{
    text_sink table = {0}, json = {0};
    PyObject *result = NULL;
    caucus_status st = caucus_scores_write(call->ctx, scores, options, sink_write, &table);
    if (!st) st = caucus_options_set(call->ctx, options, "json", "1");
    if (!st) st = caucus_scores_write(call->ctx, scores, options, sink_write, &json);
    if (call_check(call, st)) {
        PyObject *texts[] = {sink_take(&json), sink_take(&table)};
        if (texts[0] && texts[1]) result = PyTuple_Pack(2, texts[0], texts[1]);
        Py_XDECREF(texts[0]);
        Py_XDECREF(texts[1]);
    }
    free(table.s);
    free(json.s);
    return result;
}

/* The numbers of a list, copied. NULL with an exception. */
static void *numbers_of(PyObject *list, bool sizes, size_t *count)
{
    const Py_ssize_t n = PyList_Size(list);
    if (n < 0) return NULL;
    double *real = malloc(((size_t)n + 1) * sizeof *real);
    size_t *size = malloc(((size_t)n + 1) * sizeof *size);
    bool done = real && size;
    if (!done) PyErr_NoMemory();
    for (Py_ssize_t i = 0; done && i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (sizes)
            size[i] = PyLong_AsSize_t(item);
        else
            real[i] = PyFloat_AsDouble(item);
        done = !PyErr_Occurred();
    }
    *count = (size_t)n;
    if (!sizes || !done) free(size);
    if (sizes || !done) free(real);
    return !done ? NULL : sizes ? (void *)size : (void *)real;
}

/* Fills `labels` from lists of Python; Python frees what it borrows, free_labels the rest. */
static bool read_labels(PyObject *args, PyObject **pairs, caucus_labels *labels)
{
    PyObject *gold, *predicted, *words, *ends, *probabilities, *classes, *others, *names;
    size_t n;
    if (!PyArg_ParseTuple(args, "OOOOOOOOO", pairs, &gold, &predicted, &words, &ends,
                          &probabilities, &classes, &others, &names))
        return false;
    if (!texts_of(gold, "a label", (const char ***)&labels->gold, &labels->count) ||
        !texts_of(predicted, "a label", (const char ***)&labels->predicted, &n))
        return false;
    if (n != labels->count) {
        PyErr_Format(PyExc_ValueError, "%zu true labels, but %zu predicted ones", labels->count, n);
        return false;
    }
    if (words != Py_None && !texts_of(words, "a word", (const char ***)&labels->words, &n))
        return false;
    if (n != labels->count) {
        PyErr_Format(PyExc_ValueError, "%zu labels, but %zu words", labels->count, n);
        return false;
    }
    if (ends != Py_None && !(labels->ends = numbers_of(ends, true, &labels->sequences)))
        return false;
    if (probabilities != Py_None) {
        if (!texts_of(classes, "a class", (const char ***)&labels->class_names, &labels->classes) ||
            !(labels->probabilities = numbers_of(probabilities, false, &n)))
            return false;
        if (n != labels->count * labels->classes) {
            PyErr_Format(PyExc_ValueError, "%zu probabilities for %zu labels of %zu classes", n,
                         labels->count, labels->classes);
            return false;
        }
    }
    const Py_ssize_t systems = PySequence_Size(others);
    if (systems < 0) return false;
    const char *const **lists = calloc((size_t)systems + 1, sizeof *lists);
    if (!lists) return PyErr_NoMemory() != NULL;
    labels->others = lists;
    for (; labels->other_count < (size_t)systems; labels->other_count++) {
        PyObject *list = PySequence_GetItem(others, (Py_ssize_t)labels->other_count);
        const bool done =
            list && texts_of(list, "a label", (const char ***)&lists[labels->other_count], &n);
        Py_XDECREF(list); /* `others` keeps it */
        if (!done) return false;
        if (n != labels->count) {
            free((void *)lists[labels->other_count]);
            PyErr_Format(PyExc_ValueError, "%zu true labels, but another system has %zu",
                         labels->count, n);
            return false;
        }
    }
    return texts_of(names, "a name", (const char ***)&labels->other_names, &n);
}

static void free_labels(caucus_labels *labels)
{
    for (size_t i = 0; i < labels->other_count; i++) free((void *)labels->others[i]);
    free((void *)labels->gold);
    free((void *)labels->predicted);
    free((void *)labels->words);
    free((void *)labels->ends);
    free((void *)labels->probabilities);
    free((void *)labels->class_names);
    free((void *)labels->others);
    free((void *)labels->other_names);
}

/* scores(pairs, gold, predicted, words, ends, probabilities, classes, others, names) of labels in
 * memory, or scores(pairs, paths) of files: (JSON, table) */
PyObject *report_scores(PyObject *self, PyObject *args)
{
    library_call call;
    caucus_labels labels = {0};
    caucus_scores *scores = NULL;
    caucus_options *options = NULL;
    const char **paths = NULL;
    size_t count;
    PyObject *pairs, *list = NULL, *result = NULL;
    caucus_status st;
    (void)self;
    const bool files = PyTuple_Size(args) == 2;
    if (!call_begin(&call, NULL)) return NULL;
    const bool read = files ? PyArg_ParseTuple(args, "OO", &pairs, &list) &&
                                  texts_of(list, "a path", &paths, &count)
                            : read_labels(args, &pairs, &labels);
    if (read && (options = options_new(&call, "eval", pairs))) {
        UNLOCKED(st = files ? caucus_evaluate(call.ctx, options, paths, count, &scores)
                            : caucus_score_labels(call.ctx, options, &labels, &scores));
        if (call_check(&call, st)) result = write_scores(&call, scores, options);
    }
    caucus_scores_free(scores);
    caucus_options_free(options);
    free_labels(&labels);
    free(paths);
    call_end(&call);
    return result;
}

/* ---- features -------------------------------------------------------------------------- */

/* features(pairs, path): what `caucus features` writes of a file */
PyObject *report_features(PyObject *self, PyObject *args)
{
    library_call call;
    text_sink sink = {0};
    const char *path;
    PyObject *pairs;
    caucus_status st;
    bool done = false;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &pairs, &path) || !call_begin(&call, NULL)) return NULL;
    caucus_options *options = options_new(&call, "features", pairs);
    if (options) {
        UNLOCKED(st = caucus_features(call.ctx, options, path, sink_write, &sink));
        done = call_check(&call, st);
    }
    caucus_options_free(options);
    call_end(&call);
    if (done) return sink_take(&sink);
    free(sink.s);
    return NULL;
}

/* ---- studies --------------------------------------------------------------------------- */

static PyObject *row_of(const caucus_study_row *row)
{
    PyObject *scores = PyList_New((Py_ssize_t)row->runs);
    for (size_t i = 0; scores && i < row->runs; i++) {
        PyObject *score = PyFloat_FromDouble(row->scores[i]);
        if (!score || PyList_SetItem(scores, (Py_ssize_t)i, score)) Py_CLEAR(scores);
    }
    return scores ? Py_BuildValue("sddddN", row->name, row->trained, row->score, row->error,
                                  row->accuracy, scores)
                  : NULL;
}

/* The values of the options that train a row, by name: those of `names` that have one. */
static PyObject *row_options(library_call *call, const caucus_study *study, size_t row,
                             const char *command)
{
    caucus_options *options = NULL;
    const caucus_option_info *info;
    const char *value;
    PyObject *list = NULL;
    if (!call_check(call, caucus_study_options(call->ctx, study, row, &options))) return NULL;
    list = PyList_New(0);
    for (size_t i = 0; list && (info = caucus_option_at(command, i)); i++)
        for (size_t k = 0; list && (value = caucus_options_get_at(options, info->name, k)); k++) {
            if (info->default_value && strcmp(value, info->default_value) == 0) continue;
            PyObject *pair = Py_BuildValue("ss", info->name, value);
            if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
            Py_XDECREF(pair);
        }
    caucus_options_free(options);
    return list;
}

/* (rows, best or None, measure, JSON); a row has its name, numbers and options. */
static PyObject *study_result(library_call *call, const caucus_study *study, const char *command)
{
    text_sink json = {0};
    const size_t n = caucus_study_rows(study), best = caucus_study_best(study);
    PyObject *rows = PyList_New(0), *text = NULL;
    if (!rows || !call_check(call, caucus_study_write(call->ctx, study, sink_write, &json)) ||
        !(text = sink_take(&json)))
        goto failed;
    for (size_t r = 0; r < n; r++) {
        PyObject *row = row_of(caucus_study_at(study, r));
        PyObject *options = row ? row_options(call, study, r, command) : NULL;
        PyObject *pair = options ? PyTuple_Pack(2, row, options) : NULL;
        const bool done = pair && PyList_Append(rows, pair) == 0;
        Py_XDECREF(row);
        Py_XDECREF(options);
        Py_XDECREF(pair);
        if (!done) goto failed;
    }
    if (best == CAUCUS_NONE)
        return Py_BuildValue("NOsN", rows, Py_None, caucus_study_measure(study), text);
    return Py_BuildValue("NnsN", rows, (Py_ssize_t)best, caucus_study_measure(study), text);
failed:
    free(json.s);
    Py_XDECREF(rows);
    Py_XDECREF(text);
    return NULL;
}

/* study(command, pairs, data, progress) */
PyObject *report_study(PyObject *self, PyObject *args)
{
    library_call call;
    const char *command;
    PyObject *pairs, *data, *progress, *result = NULL;
    caucus_study *study = NULL;
    caucus_status st;
    (void)self;
    if (!PyArg_ParseTuple(args, "sOOO", &command, &pairs, &data, &progress)) return NULL;
    if (!PyObject_TypeCheck(data, (PyTypeObject *)data_type)) {
        PyErr_SetString(PyExc_TypeError, "expected Data");
        return NULL;
    }
    if (!call_begin(&call, progress)) return NULL;
    caucus_options *options = options_new(&call, command, pairs);
    if (options) {
        UNLOCKED(st = caucus_study_run(call.ctx, ((data_object *)data)->data, options, &study));
        if (call_check(&call, st)) result = study_result(&call, study, command);
    }
    caucus_study_free(study);
    caucus_options_free(options);
    call_end(&call);
    return result;
}
