/* tagger.c - Tagger: labels of sequences, or of instances of a classifier.
 *
 * A sequence is converted as a whole, and then looked up, scored and decoded without the
 * interpreter lock. Meanwhile the tagger is busy and refuses other threads. tag_items keeps the
 * lock, so that threads may share a tagger as they share one of python-crfsuite. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

static PyObject *tagger_type;

typedef struct tagger_object {
    PyObject_HEAD caucus_tagger *tagger;
    shared_model model; /* outlives the tagger */
    token_buffer tokens;
    token_rules rules;
    library_call call;
    bool busy;
    struct tagger_object *lender; /* the tagger whose tokens are in use; NULL: it has its own */
} tagger_object;

/* Which form the model takes decides what a str and a list mean. The library tells by refusing
 * others; each refusal also forgets the token that was added. */
static token_rules find_rules(library_call *call, caucus_tagger *tagger)
{
    const bool features = !caucus_tagger_add_features(call->ctx, tagger, NULL, 0);
    if (features) caucus_tagger_add_cells(call->ctx, tagger, NULL, 0);
    const bool text = features && !caucus_tagger_add_text(call->ctx, tagger, "");
    if (text) caucus_tagger_add_cells(call->ctx, tagger, NULL, 0);
    return text       ? (token_rules){FORM_TEXT, FORM_FEATURES}
           : features ? (token_rules){FORM_FEATURES, FORM_FEATURES}
                      : (token_rules){FORM_CELLS, FORM_CELLS};
}

/* Tagger(model, pairs) */
static PyObject *tagger_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *model, *pairs;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OO", &model, &pairs)) return NULL;
    if (!PyObject_TypeCheck(model, (PyTypeObject *)model_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a Model");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    tagger_object *self = (tagger_object *)alloc(type, 0);
    if (!self) return NULL;
    self->model = model_share(&((model_object *)model)->shared);
    caucus_options *options = NULL;
    bool done = call_begin(&self->call, NULL);
    if (done) done = (options = options_new(&self->call, "tag", pairs)) != NULL;
    if (done)
        done = call_check(&self->call, caucus_tagger_new(self->call.ctx, self->model.model, options,
                                                         &self->tagger));
    if (done) self->rules = find_rules(&self->call, self->tagger);
    if (done && self->rules.of_str == FORM_FEATURES) self->tokens.keys_for = self->tagger;
    caucus_options_free(options);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

static void tagger_dealloc(PyObject *object)
{
    tagger_object *self = (tagger_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    caucus_tagger_free(self->tagger);
    tokens_clear(&self->tokens);
    call_end(&self->call);
    model_unshare(&self->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static bool check_idle(const tagger_object *self)
{
    if (!self->busy) return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "another thread uses this tagger; give each thread a tagger of its own");
    return false;
}

/* ---- tagging --------------------------------------------------------------------------- */

static caucus_status add_token(const tagger_object *self, const token_buffer *b, size_t t)
{
    const size_t begin = t ? b->end[t - 1] : 0, count = b->end[t] - begin;
    caucus_ctx *ctx = self->call.ctx;
    return b->keys_for ? caucus_tagger_add_keys(ctx, self->tagger, b->keyed + begin, count)
           : b->form[t] == FORM_FEATURES
               ? caucus_tagger_add_features(ctx, self->tagger, b->features + begin, count)
           : b->form[t] == FORM_CELLS
               ? caucus_tagger_add_cells(ctx, self->tagger, b->cells + begin, count)
               : caucus_tagger_add_text(ctx, self->tagger, b->cells[begin]);
}

/* Labels the tokens of the buffer. `forced` has the allowed labels of each, NULL for any, or is
 * NULL. */
static caucus_status run(const tagger_object *self, const token_buffer *b,
                         const char *const *forced)
{
    caucus_status st = CAUCUS_OK;
    for (size_t t = 0; !st && t < b->tokens; t++) {
        st = add_token(self, b, t);
        if (!st && forced && forced[t])
            st = caucus_tagger_force(self->call.ctx, self->tagger, forced[t]);
    }
    return st ? st : caucus_tagger_run(self->call.ctx, self->tagger);
}

/* Converts a sequence, or one instance of a classifier. NULL with an exception. Another tagger of
 * the same model lends its tokens until end_use. */
static const token_buffer *convert(tagger_object *self, PyObject *x)
{
    if (PyObject_TypeCheck(x, (PyTypeObject *)tagger_type)) {
        tagger_object *other = (tagger_object *)x;
        if (other->model.model != self->model.model) {
            PyErr_SetString(PyExc_ValueError, "a tagger of another model");
            return NULL;
        }
        if (other != self && !check_idle(other)) return NULL;
        other->busy = true;
        self->lender = other;
        return &other->tokens;
    }
    tokens_begin(&self->tokens);
    if (!self->model.sequences)
        return tokens_add(&self->tokens, x, self->rules) && tokens_seal(&self->tokens)
                   ? &self->tokens
                   : NULL;
    PyObject *token, *tokens = PyObject_GetIter(x);
    bool done = tokens != NULL;
    while (done && (token = PyIter_Next(tokens))) {
        done = tokens_add(&self->tokens, token, self->rules);
        Py_DECREF(token);
    }
    Py_XDECREF(tokens);
    return done && !PyErr_Occurred() && tokens_seal(&self->tokens) ? &self->tokens : NULL;
}

static void end_use(tagger_object *self)
{
    if (self->lender) self->lender->busy = false;
    self->lender = NULL;
    self->busy = false;
}

static bool label_tokens(tagger_object *self, const token_buffer *b, const char *const *forced)
{
    caucus_status st;
    if (b == &self->tokens)
        UNLOCKED(st = run(self, b, forced));
    else
        st = run(self, b, forced);
    return call_check(&self->call, st);
}

/* The name of the label of a token in a labelling. */
static PyObject *label_of(const tagger_object *self, size_t rank, size_t t)
{
    PyObject *name = PyTuple_GetItem(self->model.classes,
                                     (Py_ssize_t)caucus_tagger_labels(self->tagger, rank)[t]);
    Py_XINCREF(name);
    return name;
}

static PyObject *labels_of(const tagger_object *self, size_t rank)
{
    const size_t T = caucus_tagger_length(self->tagger);
    PyObject *labels = PyList_New((Py_ssize_t)T);
    for (size_t t = 0; labels && t < T; t++)
        PyList_SetItem(labels, (Py_ssize_t)t, label_of(self, rank, t));
    return labels;
}

/* tag(x): the labels of a sequence, which may have no tokens; of a classifier, the label of an
 * instance. */
static PyObject *tagger_tag(PyObject *object, PyObject *x)
{
    tagger_object *self = (tagger_object *)object;
    PyObject *labels = NULL;
    if (!check_idle(self)) return NULL;
    self->busy = true;
    const token_buffer *b = convert(self, x);
    if (b && b->tokens == 0)
        labels = PyList_New(0);
    else if (b && label_tokens(self, b, NULL))
        labels = self->model.sequences ? labels_of(self, 0) : label_of(self, 0, 0);
    end_use(self);
    return labels;
}

/* ---- items, for the module in the place of python-crfsuite ------------------------------- */

/* Converts the items of a list or tuple, or copies Items. */
static bool hold_items(tagger_object *self, PyObject *list)
{
    const token_buffer *items = items_tokens(list);
    bool done = true;
    tokens_begin(&self->tokens);
    if (items) {
        if (self->tokens.keys_for) items = items_keys(list, self->tagger, self->model.serial);
        done = items && tokens_copy(&self->tokens, items);
    } else {
        const bool tuple = PyTuple_Check(list);
        for (Py_ssize_t t = 0; done && t < PySequence_Size(list); t++) {
            PyObject *item = tuple ? PyTuple_GetItem(list, t) : PyList_GetItem(list, t);
            Py_XINCREF(item); /* the list may change */
            done = item && tokens_add_item(&self->tokens, item);
            Py_XDECREF(item);
        }
    }
    if (done && tokens_seal(&self->tokens)) return true;
    tokens_begin(&self->tokens);
    return false;
}

/* The sequence may be any iterable. */
static bool hold(tagger_object *self, PyObject *sequence)
{
    if (!check_idle(self)) return false;
    PyObject *list =
        NULL; /* programs behind an iterator run first, since they may change threads */
    if (!PyList_Check(sequence) && !PyTuple_Check(sequence) && !items_tokens(sequence)) {
        list = PySequence_List(sequence);
        if (!list) return false;
    }
    self->busy = true;
    const bool done = hold_items(self, list ? list : sequence);
    self->busy = false;
    Py_XDECREF(list);
    return done;
}

/* hold(sequence): keeps its items, for tag_items, and for `run` and `chance` of another tagger.
 * Returns their number. */
static PyObject *tagger_hold(PyObject *object, PyObject *sequence)
{
    tagger_object *self = (tagger_object *)object;
    return hold(self, sequence) ? PyLong_FromSize_t(self->tokens.tokens) : NULL;
}

/* tag_items(sequence): the labels of a sequence, which is then held; of the one that is held, if it
 * is None. */
static PyObject *tagger_tag_items(PyObject *object, PyObject *sequence)
{
    tagger_object *self = (tagger_object *)object;
    if (sequence == Py_None ? !check_idle(self) : !hold(self, sequence)) return NULL;
    if (self->tokens.tokens == 0) return PyList_New(0);
    return call_check(&self->call, run(self, &self->tokens, NULL)) ? labels_of(self, 0) : NULL;
}

/* ---- one run ----------------------------------------------------------------------------- */

/* run(x, forced): the number of tokens. `forced` is a list of strings, or None. The methods
 * below then read the result. */
static PyObject *tagger_run(PyObject *object, PyObject *args)
{
    tagger_object *self = (tagger_object *)object;
    PyObject *x, *labels, *list = NULL;
    const char **forced = NULL;
    size_t count = 0;
    size_t tokens = 0;
    bool done = false;
    if (!PyArg_ParseTuple(args, "OO", &x, &labels) || !check_idle(self)) return NULL;
    if (labels != Py_None &&
        (!(list = PySequence_List(labels)) || !texts_of(list, "a forced label", &forced, &count))) {
        Py_XDECREF(list);
        return NULL;
    }
    self->busy = true;
    const token_buffer *b = convert(self, x);
    if (b) {
        tokens = b->tokens;
        if (forced && count != tokens)
            PyErr_Format(PyExc_ValueError, "%zu tokens, but %zu forced labels; give one for each",
                         tokens, count);
        else
            done = label_tokens(self, b, forced);
    }
    end_use(self);
    free(forced);
    Py_XDECREF(list); /* which kept the strings */
    return done ? PyLong_FromSize_t(tokens) : NULL;
}

/* ---- the probability of a labelling ---------------------------------------------------- */

/* p(y | x) of a chain from marginals under forced labels:
 *
 *     p(y) = p(y_0) p(y_S | y_0) prod of p(y_t | the nearest labels known on both sides)
 *
 * Given both neighbours that are known, the labels between them do not depend on any other. So one
 * pass gives the factors of all positions in the middle of two known ones, and 2 + log2(T) passes
 * give all of them. S is the largest power of 2 below T. */
static caucus_status chain_probability(const tagger_object *self, const token_buffer *b,
                                       const uint32_t *y, const char **forced, double *p)
{
    const size_t T = b->tokens, Y = caucus_model_classes(self->model.model);
    size_t step = 1;
    *p = 1;
    while (step < T) step *= 2;
    for (size_t t = 0; t < T; t++) forced[t] = NULL;
    for (size_t at = 0; step > 0; step /= 2, at = step) {
        const caucus_status st = run(self, b, forced);
        if (st) return st;
        const double *marginal = caucus_tagger_marginals(self->tagger);
        for (size_t t = at; t < T; t += at ? 2 * step : T) {
            *p *= marginal[t * Y + y[t]];
            forced[t] = caucus_model_class(self->model.model, y[t]);
        }
        if (*p == 0) return CAUCUS_OK;
    }
    return CAUCUS_OK;
}

/* chance(sequence, classes): the probability of a labelling, a list of numbers of classes. The
 * tagger has the option probabilities. */
static PyObject *tagger_chance(PyObject *object, PyObject *args)
{
    tagger_object *self = (tagger_object *)object;
    PyObject *sequence, *list;
    double p = 1;
    bool done = false;
    if (!PyArg_ParseTuple(args, "OO!", &sequence, &PyList_Type, &list) || !check_idle(self))
        return NULL;
    const size_t n = (size_t)PyList_Size(list), Y = caucus_model_classes(self->model.model);
    uint32_t *y = malloc((n + 1) * sizeof *y);
    const char **forced = malloc((n + 1) * sizeof *forced);
    self->busy = true;
    const token_buffer *b = convert(self, sequence);
    if (b && b->tokens != n) {
        PyErr_Format(PyExc_ValueError, "%zu items, but %zu labels; give one for each", b->tokens,
                     n);
    } else if (b && (!y || !forced)) {
        PyErr_NoMemory();
    } else if (b) {
        done = true;
        for (size_t t = 0; done && t < n; t++) {
            const size_t c = PyLong_AsSize_t(PyList_GetItem(list, (Py_ssize_t)t));
            if ((done = c < Y)) y[t] = (uint32_t)c;
        }
        if (!done && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no such class");
        if (done) done = call_check(&self->call, chain_probability(self, b, y, forced, &p));
    }
    end_use(self);
    free(y);
    free(forced);
    return done ? PyFloat_FromDouble(p) : NULL;
}

/* Labels the rows of a matrix one by one. `key` has the keys of the columns; labels [rows] are
 * numbers of classes; probabilities [rows][Y] may be NULL. Runs without the interpreter lock. */
static caucus_status run_rows(const tagger_object *self, const matrix_rows *m, const uint64_t *key,
                              uint32_t *labels, double *probabilities)
{
    caucus_ctx *ctx = self->call.ctx;
    const size_t Y = caucus_model_classes(self->model.model);
    caucus_keyed_feature *features = malloc((m->longest + 1) * sizeof *features);
    double *value = malloc((m->longest + 1) * sizeof *value);
    uint32_t *column = malloc((m->longest + 1) * sizeof *column);
    caucus_status st = features && value && column ? CAUCUS_OK : CAUCUS_ERR_MEMORY;
    for (size_t r = 0; !st && r < m->rows; r++) {
        const size_t n = matrix_row(m, r, column, value);
        for (size_t i = 0; i < n; i++)
            features[i] = (caucus_keyed_feature){key[column[i]], value[i]};
        st = caucus_tagger_add_keys(ctx, self->tagger, features, n);
        if (!st) st = caucus_tagger_run(ctx, self->tagger);
        if (st) break;
        labels[r] = *caucus_tagger_labels(self->tagger, 0);
        if (probabilities)
            memcpy(probabilities + r * Y, caucus_tagger_marginals(self->tagger),
                   Y * sizeof *probabilities);
    }
    free(features);
    free(value);
    free(column);
    return st;
}

/* rows(names, matrix, probabilities): of a classifier, the labels of the rows of a matrix
 * (matrix_open) as uint32 in a bytearray. `probabilities` is a bytearray of doubles [rows][Y], for
 * a tagger with this option, or None. */
static PyObject *tagger_rows(PyObject *object, PyObject *args)
{
    tagger_object *self = (tagger_object *)object;
    PyObject *list, *parts, *shares, *labels = NULL;
    const char **names = NULL;
    uint64_t *key = NULL;
    size_t columns;
    matrix_rows m;
    caucus_status st;
    if (!PyArg_ParseTuple(args, "OOO", &list, &parts, &shares) || !check_idle(self)) return NULL;
    if (self->model.sequences) {
        PyErr_SetString(PyExc_TypeError, "this model labels sequences, and a matrix has none");
        return NULL;
    }
    if (!texts_of(list, "the name of a feature", &names, &columns)) return NULL;
    key = malloc((columns + 1) * sizeof *key);
    if (!key) PyErr_NoMemory();
    for (size_t j = 0; key && j < columns; j++)
        key[j] = caucus_tagger_key(self->tagger, 0, names[j], strlen(names[j]));
    if (key && matrix_open(parts, columns, &m))
        labels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(m.rows * sizeof(uint32_t)));
    const size_t size =
        labels ? m.rows * caucus_model_classes(self->model.model) * sizeof(double) : 0;
    if (labels && shares != Py_None &&
        (!PyByteArray_Check(shares) || (size_t)PyByteArray_Size(shares) != size)) {
        PyErr_SetString(PyExc_ValueError, "probabilities: expected a bytearray of their size");
        Py_CLEAR(labels);
    }
    if (labels) {
        uint32_t *to = (uint32_t *)(void *)PyByteArray_AsString(labels);
        double *p = shares == Py_None ? NULL : (double *)(void *)PyByteArray_AsString(shares);
        self->busy = true;
        UNLOCKED(st = run_rows(self, &m, key, to, p));
        self->busy = false;
        if (st == CAUCUS_ERR_MEMORY) {
            PyErr_NoMemory();
            Py_CLEAR(labels);
        } else if (!call_check(&self->call, st)) {
            Py_CLEAR(labels);
        }
    }
    free(key);
    free(names);
    return labels;
}

/* ---- results --------------------------------------------------------------------------- */

/* labels(rank): a list of labels, or None */
static PyObject *tagger_labels(PyObject *object, PyObject *number)
{
    tagger_object *self = (tagger_object *)object;
    const size_t rank = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || !check_idle(self)) return NULL;
    if (rank >= caucus_tagger_labellings(self->tagger)) Py_RETURN_NONE;
    return labels_of(self, rank);
}

static PyObject *tagger_probability(PyObject *object, PyObject *number)
{
    tagger_object *self = (tagger_object *)object;
    const size_t rank = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || !check_idle(self)) return NULL;
    return PyFloat_FromDouble(caucus_tagger_probability(self->tagger, rank));
}

/* marginals(): a list with a dict {label: probability} for each token */
static PyObject *tagger_marginals(PyObject *object, PyObject *unused)
{
    tagger_object *self = (tagger_object *)object;
    (void)unused;
    if (!check_idle(self)) return NULL;
    const size_t T = caucus_tagger_length(self->tagger);
    const Py_ssize_t Y = PyTuple_Size(self->model.classes);
    const double *p = caucus_tagger_marginals(self->tagger);
    if (!p) Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)T);
    for (size_t t = 0; list && t < T; t++) {
        PyObject *token = PyDict_New();
        for (Py_ssize_t y = 0; token && y < Y; y++) {
            PyObject *share = PyFloat_FromDouble(*p++);
            if (!share || PyDict_SetItem(token, PyTuple_GetItem(self->model.classes, y), share))
                Py_CLEAR(token);
            Py_XDECREF(share);
        }
        if (!token || PyList_SetItem(list, (Py_ssize_t)t, token)) Py_CLEAR(list);
    }
    return list;
}

/* marginal(token, class): one of these probabilities */
static PyObject *tagger_marginal(PyObject *object, PyObject *args)
{
    tagger_object *self = (tagger_object *)object;
    Py_ssize_t t, y;
    if (!PyArg_ParseTuple(args, "nn", &t, &y) || !check_idle(self)) return NULL;
    const size_t T = caucus_tagger_length(self->tagger),
                 Y = caucus_model_classes(self->model.model);
    const double *p = caucus_tagger_marginals(self->tagger);
    if (p && t >= 0 && (size_t)t < T && y >= 0 && (size_t)y < Y)
        return PyFloat_FromDouble(p[(size_t)t * Y + (size_t)y]);
    PyErr_SetString(PyExc_IndexError, "no such token or class");
    return NULL;
}

/* segments(rank): a list of (begin, end, type, probability) */
static PyObject *tagger_segments(PyObject *object, PyObject *number)
{
    tagger_object *self = (tagger_object *)object;
    size_t count = 0;
    const size_t rank = PyLong_AsSize_t(number);
    if (PyErr_Occurred() || !check_idle(self)) return NULL;
    const caucus_segment *segment = caucus_tagger_segments(self->tagger, rank, &count);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *each =
            Py_BuildValue("nnsd", (Py_ssize_t)segment[i].begin, (Py_ssize_t)segment[i].end,
                          segment[i].type, segment[i].probability);
        if (!each || PyList_SetItem(list, (Py_ssize_t)i, each)) Py_CLEAR(list);
    }
    return list;
}

/* domain(token): p(general | token), NaN if the model has no domains */
static PyObject *tagger_domain(PyObject *object, PyObject *token)
{
    tagger_object *self = (tagger_object *)object;
    const size_t t = PyLong_AsSize_t(token);
    if (PyErr_Occurred() || !check_idle(self)) return NULL;
    return PyFloat_FromDouble(caucus_tagger_domain(self->tagger, t));
}

/* certified(): whether exact decoding of a mixture did not come to its limit */
static PyObject *tagger_certified(PyObject *object, PyObject *unused)
{
    tagger_object *self = (tagger_object *)object;
    (void)unused;
    if (!check_idle(self)) return NULL;
    return PyBool_FromLong(caucus_tagger_certified(self->tagger));
}

static PyMethodDef methods[] = {
    {"tag", tagger_tag, METH_O, NULL},
    {"hold", tagger_hold, METH_O, NULL},
    {"tag_items", tagger_tag_items, METH_O, NULL},
    {"run", tagger_run, METH_VARARGS, NULL},
    {"rows", tagger_rows, METH_VARARGS, NULL},
    {"chance", tagger_chance, METH_VARARGS, NULL},
    {"labels", tagger_labels, METH_O, NULL},
    {"probability", tagger_probability, METH_O, NULL},
    {"marginals", tagger_marginals, METH_NOARGS, NULL},
    {"marginal", tagger_marginal, METH_VARARGS, NULL},
    {"segments", tagger_segments, METH_O, NULL},
    {"domain", tagger_domain, METH_O, NULL},
    {"certified", tagger_certified, METH_NOARGS, NULL},
    {0},
};

bool tagger_setup(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_new, tagger_new},
                                  {Py_tp_dealloc, tagger_dealloc},
                                  {Py_tp_methods, methods},
                                  {0, NULL}};
    static PyType_Spec spec = {.name = "caucus._caucus.Tagger",
                               .basicsize = sizeof(tagger_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
    tagger_type = type_add(module, "Tagger", &spec);
    return tagger_type != NULL;
}
