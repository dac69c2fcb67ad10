/* sample.h - what the tests of this room share: names for the parts of a model. */

#ifndef CAU_MODEL_SAMPLE_H
#define CAU_MODEL_SAMPLE_H

#include <string.h>

#include "model/model.h"

/* The `self` of parts whose names are strings. */
typedef struct {
    const char *const *names;  /* [K] */
    const char *const *labels; /* [Y] */
} sample_names;

static inline cau_str sample_name(const void *self, size_t k)
{
    const char *name = ((const sample_names *)self)->names[k];
    return (cau_str){name, strlen(name)};
}

static inline cau_str sample_label(const void *self, size_t y)
{
    const char *label = ((const sample_names *)self)->labels[y];
    return (cau_str){label, strlen(label)};
}

#endif
