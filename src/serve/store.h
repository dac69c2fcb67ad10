/* store.h - the models of a server, which are loaded again when their files change.
 *
 * A model is read into memory rather than mapped, so that a file that is overwritten in place
 * cannot change it. A new version takes the place of the old one at once; requests that use the old
 * one keep it until they are done. A file that cannot be loaded leaves the old version in place. */

#ifndef CAU_SERVE_STORE_H
#define CAU_SERVE_STORE_H

#include <stdatomic.h>

#include "caucus.h"

/* A version of a model. Immutable, threads may share it. */
typedef struct {
    const char *name; /* of the store */
    caucus_model *model;
    uint64_t version; /* 1, 2, ... in the whole store */
    atomic_size_t users;
} cau_served;

typedef struct cau_store cau_store;

/* Opens all models. A name is that of the file without folder and extension.
 * CAUCUS_ERR_ARGUMENT for two models of one name. */
caucus_status cau_store_new(caucus_ctx *ctx, const char *const *paths, size_t count,
                            cau_store **out);
void cau_store_free(cau_store *store); /* when nobody uses a model any more */

/* The models by index, NULL after the last; and by name, "" for the first, or NULL. Give each back
 * with cau_store_release. Any thread. */
cau_served *cau_store_at(cau_store *store, size_t index);
cau_served *cau_store_find(cau_store *store, const char *name);
void cau_store_release(cau_served *served);

/* Loads the models whose files have changed and rest, or, with `all`, every model. *loaded and
 * *failed count them. Failures go to the note callback. One thread. */
void cau_store_reload(caucus_ctx *ctx, cau_store *store, bool all, size_t *loaded, size_t *failed);

#endif
