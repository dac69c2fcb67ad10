/* items.c - Items and Instances, for the modules that take the place of python-crfsuite.
 *
 *   Items      the features of a sequence, converted once; immutable
 *   Instances  labelled sequences, which wait until training knows its options. Names have numbers,
 *              so an occurrence of a feature takes 4 bytes, and 8 more if it has a value
 *
 * Training makes Items of every sequence, so the memory of one that dies serves the next. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

static PyObject *items_type;

enum { SPARE_MOST = 1 << 20 }; /* bytes of text that are kept for the next Items */

static token_buffer spare; /* protected by the interpreter lock */

/* ---- Items ------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD token_buffer tokens;
    token_buffer keys; /* the same for the model that asked last */
    uint64_t serial;   /* of this model; 0: none */
} items_object;

const token_buffer *items_tokens(PyObject *object)
{
    const bool is_items = PyObject_TypeCheck(object, (PyTypeObject *)items_type);
    return is_items ? &((items_object *)object)->tokens : NULL;
}

const token_buffer *items_keys(PyObject *object, const caucus_tagger *tagger, uint64_t serial)
{
    items_object *self = (items_object *)object;
    if (self->serial == serial) return &self->keys;
    self->serial = 0;
    self->keys.keys_for = tagger;
    tokens_begin(&self->keys);
    if (!tokens_copy(&self->keys, &self->tokens)) return NULL;
    self->serial = serial;
    return &self->keys;
}

static bool convert_items(token_buffer *b, PyObject *sequence)
{
    PyObject *item, *items = PyObject_GetIter(sequence);
    bool done = items != NULL;
    while (done && (item = PyIter_Next(items))) {
        done = tokens_add_item(b, item);
        Py_DECREF(item);
    }
    Py_XDECREF(items);
    return done && !PyErr_Occurred() && tokens_seal(b);
}

/* An empty Items object. */
static items_object *items_alloc(PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    items_object *self = (items_object *)alloc(type, 0);
    if (!self) return NULL;
    self->tokens = spare;
    spare = (token_buffer){0};
    self->tokens.zeros = true;
    tokens_begin(&self->tokens);
    return self;
}

/* Items(sequence): of items, in the forms of tokens.c, or of other Items, which are copied. */
static PyObject *items_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *sequence;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O", &sequence)) return NULL;
    items_object *self = items_alloc(type);
    if (!self) return NULL;
    const token_buffer *other = items_tokens(sequence);
    const bool done = other ? tokens_copy(&self->tokens, other) && tokens_seal(&self->tokens)
                            : convert_items(&self->tokens, sequence);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

static void items_dealloc(PyObject *object)
{
    items_object *self = (items_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->tokens.room <= SPARE_MOST) {
        const token_buffer old = spare;
        spare = self->tokens;
        self->tokens = old;
    }
    tokens_clear(&self->tokens);
    tokens_clear(&self->keys);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static Py_ssize_t items_length(PyObject *object)
{
    return (Py_ssize_t)((items_object *)object)->tokens.tokens;
}

/* items(): a list with a dict {name: value} for each item; of a name that occurs twice, the last.
 */
static PyObject *items_items(PyObject *object, PyObject *unused)
{
    const token_buffer *b = &((items_object *)object)->tokens;
    PyObject *list = PyList_New((Py_ssize_t)b->tokens);
    (void)unused;
    for (size_t t = 0, i = 0; list && t < b->tokens; t++) {
        PyObject *item = PyDict_New();
        for (; item && i < b->end[t]; i++) {
            PyObject *name = PyUnicode_FromString(b->features[i].name);
            PyObject *value = PyFloat_FromDouble(b->features[i].value);
            if (!name || !value || PyDict_SetItem(item, name, value)) Py_CLEAR(item);
            Py_XDECREF(name);
            Py_XDECREF(value);
        }
        if (!item || PyList_SetItem(list, (Py_ssize_t)t, item)) Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef items_methods[] = {{"items", items_items, METH_NOARGS, NULL}, {0}};

/* ---- Instances ------------------------------------------------------------------------- */

/* Strings and their numbers. */
typedef struct {
    char *text;
    size_t length, room;
    size_t *offset; /* [count] */
    size_t count, offset_room;
    uint32_t *place; /* [places] number + 1, or 0: a hash table, at most half full */
    uint32_t *tag;   /* [places] a part of the hash */
    size_t places;
} name_table;

typedef struct {
    PyObject_HEAD name_table names, labels;
    uint32_t *name; /* [items] */
    double *value;  /* [items], or NULL while all are 1 */
    size_t items, name_room, value_room;
    uint32_t *label; /* [tokens] */
    size_t *end;     /* [tokens] items up to the end of each */
    size_t tokens, label_room, end_room;
    size_t *sequence; /* [sequences] tokens up to the end of each */
    long *group;      /* [sequences] */
    size_t sequences, sequence_room, group_room;
} instances_object;

static void names_clear(name_table *names)
{
    free(names->text);
    free(names->offset);
    free(names->place);
    free(names->tag);
    *names = (name_table){0};
}

/* FNV-1a over words of 8 bytes, and a last step that mixes the high bits into the low ones. */
static uint64_t hash_of(const char *s, size_t n)
{
    uint64_t h = 1469598103934665603u ^ n, word;
    for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
        memcpy(&word, s, sizeof word);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 29;
    }
    word = 0;
    memcpy(&word, s, n);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static const char *name_at(const name_table *names, size_t i)
{
    return names->text + names->offset[i];
}

static bool names_widen(name_table *names)
{
    const size_t places = names->places ? 2 * names->places : 256;
    uint32_t *place = calloc(places, sizeof *place), *tag = calloc(places, sizeof *tag);
    if (!place || !tag) {
        free(place);
        free(tag);
        return PyErr_NoMemory() != NULL;
    }
    for (size_t i = 0; i < names->count; i++) {
        const uint64_t h = hash_of(name_at(names, i), strlen(name_at(names, i)));
        size_t at = h & (places - 1);
        while (place[at]) at = (at + 1) & (places - 1);
        place[at] = (uint32_t)i + 1;
        tag[at] = (uint32_t)(h >> 32);
    }
    free(names->place);
    free(names->tag);
    names->place = place;
    names->tag = tag;
    names->places = places;
    return true;
}

/* The number of a string, which is added if it is new. */
static bool names_add(name_table *names, const char *s, size_t n, uint32_t *number)
{
    if (2 * names->count >= names->places && !names_widen(names)) return false;
    const uint64_t h = hash_of(s, n);
    const uint32_t tag = (uint32_t)(h >> 32);
    size_t at = h & (names->places - 1);
    for (; names->place[at]; at = (at + 1) & (names->places - 1)) {
        *number = names->place[at] - 1;
        if (names->tag[at] == tag && strcmp(name_at(names, *number), s) == 0) return true;
    }
    if (names->count >= UINT32_MAX - 1) {
        PyErr_SetString(PyExc_OverflowError, "there are more than 2^32 - 2 different features");
        return false;
    }
    if (!GROW(names->text, names->room, names->length + n + 1) ||
        !GROW(names->offset, names->offset_room, names->count + 1))
        return false;
    memcpy(names->text + names->length, s, n + 1);
    names->offset[names->count] = names->length;
    names->length += n + 1;
    names->place[at] = (uint32_t)++names->count;
    names->tag[at] = tag;
    *number = (uint32_t)names->count - 1;
    return true;
}

static PyObject *instances_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    (void)keywords;
    return PyArg_ParseTuple(args, "") ? alloc(type, 0) : NULL;
}

static PyObject *instances_clear(PyObject *object, PyObject *unused)
{
    instances_object *self = (instances_object *)object;
    (void)unused;
    names_clear(&self->names);
    names_clear(&self->labels);
    free(self->name);
    free(self->value);
    free(self->label);
    free(self->end);
    free(self->sequence);
    free(self->group);
    memset((char *)self + offsetof(instances_object, names), 0,
           sizeof *self - offsetof(instances_object, names));
    Py_RETURN_NONE;
}

static void instances_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_DECREF(instances_clear(object, NULL));
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Appends the features of all tokens of a sequence; self->items stays as it is. */
static bool append_features(instances_object *self, const token_buffer *b)
{
    const size_t n = self->items + b->items;
    bool plain = self->value == NULL;
    if (!GROW(self->name, self->name_room, n)) return false;
    for (size_t i = 0; i < b->items; i++) {
        const char *s = b->features[i].name;
        plain &= b->features[i].value == 1;
        if (!names_add(&self->names, s, strlen(s), &self->name[self->items + i])) return false;
    }
    if (plain) return true;
    const size_t before = self->value ? self->items : 0;
    if (!GROW(self->value, self->value_room, n)) return false;
    for (size_t i = before; i < self->items; i++) self->value[i] = 1;
    for (size_t i = 0; i < b->items; i++) self->value[self->items + i] = b->features[i].value;
    return true;
}

/* Appends the labels of a sequence; self->tokens stays as it is. */
static bool append_labels(instances_object *self, const token_buffer *b, PyObject *labels)
{
    PyObject *label;
    size_t n = 0, length;
    bool done = true;
    while (done && (label = PyIter_Next(labels))) {
        const char *s = text_of(label, "a label", &length);
        done = s && GROW(self->label, self->label_room, self->tokens + n + 1) &&
               names_add(&self->labels, s, length, &self->label[self->tokens + n]);
        n += done;
        Py_DECREF(label);
    }
    if (!done || PyErr_Occurred()) return false;
    if (n == b->tokens) return true;
    PyErr_Format(PyExc_ValueError, "%zu items, but %zu labels; give one for each", b->tokens, n);
    return false;
}

/* append(items, labels, group) */
static PyObject *instances_append(PyObject *object, PyObject *args)
{
    instances_object *self = (instances_object *)object;
    PyObject *items, *y;
    long group;
    if (!PyArg_ParseTuple(args, "OOl", &items, &y, &group)) return NULL;
    const token_buffer *b = items_tokens(items);
    if (!b) {
        PyErr_SetString(PyExc_TypeError, "expected Items");
        return NULL;
    }
    PyObject *labels = PyObject_GetIter(y);
    const bool done = labels && append_labels(self, b, labels) && append_features(self, b) &&
                      GROW(self->end, self->end_room, self->tokens + b->tokens) &&
                      GROW(self->sequence, self->sequence_room, self->sequences + 1) &&
                      GROW(self->group, self->group_room, self->sequences + 1);
    Py_XDECREF(labels);
    if (!done) return NULL;
    for (size_t t = 0; t < b->tokens; t++) self->end[self->tokens + t] = self->items + b->end[t];
    self->items += b->items;
    self->tokens += b->tokens;
    self->sequence[self->sequences] = self->tokens;
    self->group[self->sequences++] = group;
    Py_RETURN_NONE;
}

static Py_ssize_t instances_length(PyObject *object)
{
    return (Py_ssize_t)((instances_object *)object)->sequences;
}

/* size(group, other): (sequences, tokens) in the group, or with `other` in all others. */
static PyObject *instances_size(PyObject *object, PyObject *args)
{
    const instances_object *self = (instances_object *)object;
    Py_ssize_t sequences = 0, tokens = 0;
    long group;
    int other;
    if (!PyArg_ParseTuple(args, "lp", &group, &other)) return NULL;
    for (size_t s = 0, begin = 0; s < self->sequences; begin = self->sequence[s++]) {
        if ((self->group[s] == group) == (other != 0)) continue;
        sequences++;
        tokens += (Py_ssize_t)(self->sequence[s] - begin);
    }
    return Py_BuildValue("nn", sequences, tokens);
}

/* The features of token t. */
static size_t features_of(const instances_object *self, size_t t, caucus_feature *features)
{
    const size_t begin = t ? self->end[t - 1] : 0, count = self->end[t] - begin;
    for (size_t i = 0; i < count; i++)
        features[i] = (caucus_feature){name_at(&self->names, self->name[begin + i]),
                                       self->value ? self->value[begin + i] : 1};
    return count;
}

/* Room for the features of any token, to be freed. */
static caucus_feature *features_room(const instances_object *self)
{
    size_t most = 0;
    for (size_t t = 0; t < self->tokens; t++) {
        const size_t count = self->end[t] - (t ? self->end[t - 1] : 0);
        if (count > most) most = count;
    }
    caucus_feature *features = malloc((most + 1) * sizeof *features);
    if (!features) PyErr_NoMemory();
    return features;
}

/* feed(data, group, inside, begin, end): adds those of these sequences to open Data that are in the
 * group, or that are not. Sequences without tokens do not count. */
static PyObject *instances_feed(PyObject *object, PyObject *args)
{
    const instances_object *self = (instances_object *)object;
    PyObject *data;
    long group;
    int inside;
    Py_ssize_t begin, end;
    caucus_status st = CAUCUS_OK;
    if (!PyArg_ParseTuple(args, "Olpnn", &data, &group, &inside, &begin, &end)) return NULL;
    if (!PyObject_TypeCheck(data, (PyTypeObject *)data_type)) {
        PyErr_SetString(PyExc_TypeError, "expected Data");
        return NULL;
    }
    if (begin < 0 || end < begin || (size_t)end > self->sequences) {
        PyErr_SetString(PyExc_IndexError, "no such sequences");
        return NULL;
    }
    data_object *to = (data_object *)data;
    caucus_feature *features = features_room(self);
    if (!features) return NULL;
    size_t t = begin ? self->sequence[begin - 1] : 0;
    for (size_t s = (size_t)begin; s < (size_t)end && !st; t = self->sequence[s++]) {
        if ((self->group[s] == group) != inside || t == self->sequence[s]) continue;
        for (size_t i = t; i < self->sequence[s] && !st; i++) {
            const size_t count = features_of(self, i, features);
            st = caucus_data_add_features(
                to->call.ctx, to->data, name_at(&self->labels, self->label[i]), 1, features, count);
        }
        if (!st) st = caucus_data_break(to->call.ctx, to->data);
    }
    free(features);
    if (!call_check(&to->call, st)) return NULL;
    Py_RETURN_NONE;
}

/* labels(group): lists of the labels of its sequences, without those that have no tokens. */
static PyObject *instances_labels(PyObject *object, PyObject *number)
{
    const instances_object *self = (instances_object *)object;
    const long group = PyLong_AsLong(number);
    PyObject *list = group == -1 && PyErr_Occurred() ? NULL : PyList_New(0);
    for (size_t s = 0, t = 0; list && s < self->sequences; t = self->sequence[s++]) {
        const size_t T = self->sequence[s] - t;
        if (self->group[s] != group || T == 0) continue;
        PyObject *labels = PyList_New((Py_ssize_t)T);
        for (size_t i = 0; labels && i < T; i++) {
            PyObject *label = PyUnicode_FromString(name_at(&self->labels, self->label[t + i]));
            if (!label || PyList_SetItem(labels, (Py_ssize_t)i, label)) Py_CLEAR(labels);
        }
        if (!labels || PyList_Append(list, labels)) Py_CLEAR(list);
        Py_XDECREF(labels);
    }
    return list;
}

static PyMethodDef instances_methods[] = {
    {"append", instances_append, METH_VARARGS, NULL}, {"clear", instances_clear, METH_NOARGS, NULL},
    {"size", instances_size, METH_VARARGS, NULL},     {"feed", instances_feed, METH_VARARGS, NULL},
    {"labels", instances_labels, METH_O, NULL},       {0}};

bool items_setup(PyObject *module)
{
    static PyType_Slot items_slots[] = {{Py_tp_new, items_new},
                                        {Py_tp_dealloc, items_dealloc},
                                        {Py_tp_methods, items_methods},
                                        {Py_sq_length, items_length},
                                        {0, NULL}};
    static PyType_Slot instances_slots[] = {{Py_tp_new, instances_new},
                                            {Py_tp_dealloc, instances_dealloc},
                                            {Py_tp_methods, instances_methods},
                                            {Py_sq_length, instances_length},
                                            {0, NULL}};
    static PyType_Spec items_spec = {.name = "caucus._caucus.Items",
                                     .basicsize = sizeof(items_object),
                                     .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                     .slots = items_slots};
    static PyType_Spec instances_spec = {.name = "caucus._caucus.Instances",
                                         .basicsize = sizeof(instances_object),
                                         .flags = Py_TPFLAGS_DEFAULT,
                                         .slots = instances_slots};
    items_type = type_add(module, "Items", &items_spec);
    PyObject *instances_type = items_type ? type_add(module, "Instances", &instances_spec) : NULL;
    Py_XDECREF(instances_type);
    return instances_type != NULL;
}
