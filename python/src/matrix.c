/* matrix.c - rows of numpy arrays and of sparse matrices of scipy, used where they are.
 *
 * Arrays come through the array interface of numpy, which needs neither its headers nor a newer
 * limited API. Values are float32 or float64, indices int32 or int64; any strides will do. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of a tuple of `dimensions`; false with an exception. */
static bool read_sizes(PyObject *tuple, int dimensions, Py_ssize_t *out)
{
    if (PyTuple_Size(tuple) != dimensions) return false;
    for (int i = 0; i < dimensions; i++) out[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
    return !PyErr_Occurred();
}

static bool read_interface(PyObject *interface, int dimensions, array_view *out)
{
    Py_ssize_t shape[2] = {1, 1};
    PyObject *data = PyDict_GetItemString(interface, "data");
    PyObject *type = PyDict_GetItemString(interface, "typestr");
    PyObject *shapes = PyDict_GetItemString(interface, "shape");
    PyObject *strides = PyDict_GetItemString(interface, "strides");
    const char *code = type ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
    if (!data || !shapes || !code || !PyTuple_Check(data) || !PyTuple_Check(shapes)) return false;
    if (code[0] != '<' || (code[1] != 'f' && code[1] != 'i') || (code[2] != '4' && code[2] != '8'))
        return false;
    *out = (array_view){.elements = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)),
                        .kind = code[1],
                        .size = (size_t)(code[2] - '0')};
    if (PyErr_Occurred() || !read_sizes(shapes, dimensions, shape)) return false;
    Py_ssize_t step = (Py_ssize_t)out->size;
    for (int i = dimensions - 1; i >= 0; i--) {
        out->shape[i] = (size_t)shape[i];
        out->stride[i] = step;
        step *= shape[i];
    }
    return !strides || strides == Py_None || read_sizes(strides, dimensions, out->stride);
}

/* A view of an array of this kind and number of dimensions. */
static bool view_of(PyObject *array, char kind, int dimensions, array_view *out)
{
    PyObject *interface = PyObject_GetAttrString(array, "__array_interface__");
    if (!interface) return false;
    const bool done =
        PyDict_Check(interface) && read_interface(interface, dimensions, out) && out->kind == kind;
    Py_DECREF(interface);
    if (!done && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError,
                     "expected an array of %d dimensions and of the type %s of this machine",
                     dimensions, kind == 'f' ? "float32 or float64" : "int32 or int64");
    return done;
}

static double real_at(const array_view *a, size_t i, size_t j)
{
    const char *at = a->elements + (Py_ssize_t)i * a->stride[0] + (Py_ssize_t)j * a->stride[1];
    float small;
    double large;
    if (a->size == sizeof small) {
        memcpy(&small, at, sizeof small);
        return (double)small;
    }
    memcpy(&large, at, sizeof large);
    return large;
}

/* An index, or a number that no matrix is as large as. */
static size_t index_at(const array_view *a, size_t i)
{
    const char *at = a->elements + (Py_ssize_t)i * a->stride[0];
    int32_t small;
    int64_t large;
    if (a->size == sizeof small) {
        memcpy(&small, at, sizeof small);
        large = small;
    } else {
        memcpy(&large, at, sizeof large);
    }
    return large < 0 ? SIZE_MAX : (size_t)large;
}

/* Checks the rows of a sparse matrix, and sets the length of the longest. */
static bool check_rows(matrix_rows *m)
{
    for (size_t r = 0; r < m->rows; r++) {
        const size_t begin = index_at(&m->start, r), end = index_at(&m->start, r + 1);
        if (begin > end || end > m->index.shape[0]) return false;
        if (end - begin > m->longest) m->longest = end - begin;
        for (size_t k = begin; k < end; k++)
            if (index_at(&m->index, k) >= m->columns) return false;
    }
    return true;
}

bool matrix_open(PyObject *parts, size_t columns, matrix_rows *m)
{
    PyObject *start, *index, *value;
    *m = (matrix_rows){.columns = columns, .sparse = PyTuple_Check(parts)};
    if (!m->sparse) {
        if (!view_of(parts, 'f', 2, &m->value)) return false;
        m->rows = m->value.shape[0];
        m->longest = m->value.shape[1];
        if (m->longest == columns) return true;
        PyErr_Format(PyExc_ValueError, "%zu columns, but %zu feature names", m->longest, columns);
        return false;
    }
    if (!PyArg_ParseTuple(parts, "OOO", &start, &index, &value) ||
        !view_of(start, 'i', 1, &m->start) || !view_of(index, 'i', 1, &m->index) ||
        !view_of(value, 'f', 1, &m->value))
        return false;
    m->rows = m->start.shape[0] - 1;
    if (m->start.shape[0] && m->index.shape[0] == m->value.shape[0] && check_rows(m)) return true;
    PyErr_SetString(PyExc_ValueError, "an index of the sparse matrix is out of range");
    return false;
}

size_t matrix_row(const matrix_rows *m, size_t r, uint32_t *column, double *value)
{
    size_t n = 0;
    if (!m->sparse) {
        for (size_t j = 0; j < m->columns; j++) {
            column[n] = (uint32_t)j;
            value[n] = real_at(&m->value, r, j);
            n += value[n] != 0;
        }
        return n;
    }
    for (size_t k = index_at(&m->start, r); k < index_at(&m->start, r + 1); k++, n++) {
        column[n] = (uint32_t)index_at(&m->index, k);
        value[n] = real_at(&m->value, k, 0);
    }
    return n;
}

double *matrix_weights(PyObject *array, size_t rows)
{
    array_view weights;
    if (array == Py_None) weights = (array_view){.shape = {rows, 1}};
    if (array != Py_None && !view_of(array, 'f', 1, &weights)) return NULL;
    if (weights.shape[0] != rows) {
        PyErr_Format(PyExc_ValueError, "%zu weights for %zu rows", weights.shape[0], rows);
        return NULL;
    }
    double *out = malloc((rows + 1) * sizeof *out);
    if (!out) PyErr_NoMemory();
    for (size_t r = 0; out && r < rows; r++)
        out[r] = weights.elements ? real_at(&weights, r, 0) : 1;
    return out;
}
