/* module.c - the module caucus._caucus. */

#include "binding.h"

PyObject *type_add(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    if (!type) return NULL;
    Py_INCREF(type);
    if (PyModule_AddObject(module, name, type) == 0) return type;
    Py_DECREF(type);
    Py_DECREF(type);
    return NULL;
}

/* options(command): a list of (name, kind, default, min, max, choices, group, help) */
static PyObject *list_options(PyObject *self, PyObject *command)
{
    const caucus_option_info *info;
    size_t n;
    const char *name = text_of(command, "a command", &n);
    PyObject *list = name ? PyList_New(0) : NULL;
    (void)self;
    for (size_t i = 0; list && (info = caucus_option_at(name, i)); i++) {
        PyObject *row = Py_BuildValue("sizddzss", info->name, (int)info->kind, info->default_value,
                                      info->min, info->max, info->choices, info->group, info->help);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"options", list_options, METH_O, NULL},
    {"features", report_features, METH_VARARGS, NULL},
    {"scores", report_scores, METH_VARARGS, NULL},
    {"study", report_study, METH_VARARGS, NULL},
    {0},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "caucus._caucus",
                                        .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit__caucus(void); /* the interpreter calls it */

PyMODINIT_FUNC PyInit__caucus(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && call_setup() && data_setup(module) && model_setup(module) &&
        tagger_setup(module) && clustering_setup(module) && items_setup(module) &&
        PyModule_AddStringConstant(module, "version", caucus_version()) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
