/* binding.h - what the files of the extension module share. It is a thin layer over caucus.h.
 *
 *   call.c        a call into the library: context, callbacks, exceptions, options
 *   tokens.c      Python objects as features, cells or texts; the only place that converts them
 *   matrix.c      rows of numpy arrays and scipy matrices
 *   items.c       Items, Instances: as python-crfsuite keeps sequences and training data
 *   data.c        Data: labelled data
 *   model.c       Model: training, files and bytes, what a model holds
 *   tagger.c      Tagger: labels of sequences in memory
 *   reports.c     scores and studies
 *   clustering.c  Clustering
 *   module.c      the module
 *
 * The package `caucus` (python/caucus) gives these types their public form. Everything here is
 * private to it. The extension uses the limited API of CPython 3.9, so that one binary serves that
 * and all later versions. Each object is used by one thread at a time unless its comment says
 * otherwise; an object that is in use while the interpreter lock is released refuses other calls.
 */

#ifndef BINDING_H
#define BINDING_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "caucus.h"

/* In the limited API since 3.10, but exported with the same meaning by 3.9 as well. */
#if !defined(Py_LIMITED_API) || Py_LIMITED_API + 0 < 0x030a0000
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);
#endif

/* ---- call.c ---------------------------------------------------------------------------- */

/* One call into the library, or several of one object. */
typedef struct {
    caucus_ctx *ctx;
    PyObject *progress;                 /* called with the fields of caucus_progress; or NULL */
    PyObject *iterate;                  /* likewise; see call_iterate */
    PyObject *type, *value, *traceback; /* the exception that a callback raised */
    double checked;                     /* when signals were checked last, in seconds */
} library_call;

/* Both return false with an exception set. `progress` is borrowed, and may be None. */
bool call_begin(library_call *call, PyObject *progress);
bool call_check(library_call *call, caucus_status st);
void call_end(library_call *call);

/* Calls `iterate`, unless it is None, with the fields of caucus_iterate: a number, and bytes of
 * uint32. */
void call_iterate(library_call *call, PyObject *iterate);

/* Keeps the exception of a callback, and returns the status that ends the call. */
caucus_status call_keep_exception(library_call *call);

/* Whether Ctrl-C ended the call; the exception is then forgotten. */
bool call_take_interrupt(library_call *call);

/* Options of a command from a list of pairs (name, value) of strings. NULL with an exception. */
caucus_options *options_new(library_call *call, const char *command, PyObject *pairs);

/* A growing string; a caucus_write_fn appends to it. */
typedef struct {
    char *s;
    size_t n, room;
} text_sink;
caucus_status sink_write(void *sink, const char *bytes, size_t length);
PyObject *sink_take(text_sink *sink); /* as str; frees it */

/* The text of a str or bytes, which the object keeps; NULL with an exception. `what` names it. */
const char *text_of(PyObject *object, const char *what, size_t *length);

/* The strings of a list or tuple, borrowed from it. The array is to be freed. */
bool texts_of(PyObject *list, const char *what, const char ***texts, size_t *count);

/* Imports the functions of caucus._errors, which make exceptions and log notes. */
bool call_setup(void);

/* ---- tokens.c -------------------------------------------------------------------------- */

typedef enum { FORM_FEATURES, FORM_CELLS, FORM_TEXT } token_form;

/* What a str and what a list of strings means; a dict has features, and a tuple cells. */
typedef struct {
    token_form of_str, of_list;
} token_rules;

/* The keys (caucus_tagger_key) of a name that dicts had lately, by its hash in Python. */
enum { KEY_CACHE_SIZE = 256 };
typedef struct {
    Py_hash_t hash;
    uint64_t key, prefix; /* of the name, and of the name and a colon; 0 in an empty place */
} cached_key;

/* Tokens that can be used without the interpreter lock: the strings of their cells and features are
 * copied. With a tagger that takes features, only the keys of their names are kept. */
typedef struct {
    const caucus_tagger *keys_for; /* NULL: names are copied. Borrowed */
    cached_key *cache;             /* [KEY_CACHE_SIZE], with keys_for */
    bool zeros;                    /* features of value 0 are kept */
    char *text;
    size_t length, room;
    size_t *offset; /* [items] of the names or cells in the text */
    double *value;  /* [items] of features */
    size_t items, offset_room, value_room;
    caucus_keyed_feature *keyed; /* [items], instead of the two */
    size_t keyed_room;
    size_t *end; /* [tokens] items up to the end of each token */
    token_form *form;
    size_t tokens, end_room, form_room;
    caucus_feature *features; /* [items], made by tokens_seal */
    const char **cells;
    size_t feature_room, cell_room;
} token_buffer;

void tokens_begin(token_buffer *b);
void tokens_clear(token_buffer *b);
bool tokens_add(token_buffer *b, PyObject *token, token_rules rules);
bool tokens_seal(token_buffer *b);

/* An item of python-crfsuite: features, whatever it is; those of a str are its characters. */
bool tokens_add_item(token_buffer *b, PyObject *item);

/* A token with these features; and all tokens of another buffer, which has names, or keys of the
 * same model. */
bool tokens_append(token_buffer *b, const caucus_feature *features, size_t count);
bool tokens_copy(token_buffer *b, const token_buffer *from);

/* Makes room for n elements of an array; false with an exception. */
bool tokens_grow(void *array, size_t *room, size_t n, size_t size);
#define GROW(array, room, n) ((n) <= (room) || tokens_grow(&(array), &(room), (n), sizeof *(array)))

/* ---- matrix.c -------------------------------------------------------------------------- */

/* An array of one or two dimensions. */
typedef struct {
    const char *elements;
    char kind;   /* 'f' or 'i' */
    size_t size; /* of an element */
    size_t shape[2];
    Py_ssize_t stride[2]; /* in bytes */
} array_view;

/* A matrix, whose arrays Python keeps. */
typedef struct {
    size_t rows, columns;
    size_t longest; /* the most elements that a row may have */
    bool sparse;
    array_view value, start, index; /* of a dense matrix, the value alone */
} matrix_rows;

/* A two-dimensional array, or a tuple with the arrays indptr, indices and data. Checks all indices.
 * False with an exception. */
bool matrix_open(PyObject *parts, size_t columns, matrix_rows *m);

/* The columns and values [longest] of a row, without zeros of a dense matrix. Their number. */
size_t matrix_row(const matrix_rows *m, size_t r, uint32_t *column, double *value);

/* The weights [rows] of an array, or 1 of None, to be freed; NULL with an exception. */
double *matrix_weights(PyObject *array, size_t rows);

/* ---- types ----------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD caucus_data *data;
    token_buffer tokens;
    token_rules rules;
    library_call call;
} data_object;

/* A model and what it is made of, which its taggers share. They do not keep the object itself,
 * which keeps them: nothing would ever free such a cycle. */
typedef struct {
    caucus_model *model;
    PyObject *owner;   /* a capsule that frees the model */
    PyObject *classes; /* tuple of str */
    bool sequences;    /* it labels sequences */
    uint64_t serial;   /* of the model in this process, from 1 */
} shared_model;

typedef struct {
    PyObject_HEAD shared_model shared;
} model_object;

extern PyObject *data_type, *model_type;
bool data_setup(PyObject *module);
bool model_setup(PyObject *module);
bool tagger_setup(PyObject *module);
bool clustering_setup(PyObject *module);
bool items_setup(PyObject *module);

/* The tokens of Items, which keep them; NULL without an exception for any other object. */
const token_buffer *items_tokens(PyObject *object);

/* The tokens of Items as keys of a model, for a tagger that takes features. The Items keep them
 * until another model asks. NULL with an exception. */
const token_buffer *items_keys(PyObject *object, const caucus_tagger *tagger, uint64_t serial);

/* Makes a type and adds it to the module. NULL with an exception. */
PyObject *type_add(PyObject *module, const char *name, PyType_Spec *spec);

/* Takes and gives back references to a shared model. */
shared_model model_share(const shared_model *model);
void model_unshare(shared_model *model);

/* A model object that owns `model`; frees it on failure. */
PyObject *model_wrap(PyTypeObject *type, caucus_model *model);

PyObject *report_features(PyObject *self, PyObject *args);
PyObject *report_scores(PyObject *self, PyObject *args);
PyObject *report_study(PyObject *self, PyObject *args);

/* Runs a statement of the library without the interpreter lock. */
#define UNLOCKED(statement)                                                                        \
    do {                                                                                           \
        PyThreadState *released = PyEval_SaveThread();                                             \
        statement;                                                                                 \
        PyEval_RestoreThread(released);                                                            \
    } while (0)

#endif
