/* peer_sample.h - bytes of model files, written number by number, and what our model of them is. */

#ifndef CAU_SUPPORT_PEER_SAMPLE_H
#define CAU_SUPPORT_PEER_SAMPLE_H

#include <string.h>

#include "model/dump.h"
#include "peers/peers.h"
#include "support/base_sample.h"

/* Adds a number of 32 bits, little endian. */
static inline void put32(cau_strbuf *file, size_t x)
{
    const char bytes[] = {(char)x, (char)(x >> 8), (char)(x >> 16), (char)(x >> 24)};
    cau_strbuf_add(file, bytes, sizeof bytes);
}

/* Overwrites the number at an offset. */
static inline void set32(cau_strbuf *file, size_t at, size_t x)
{
    for (size_t i = 0; i < 4; i++) file->s[at + i] = (char)(x >> 8 * i);
}

static inline uint32_t get32(const char *at)
{
    uint32_t x = 0;
    for (size_t i = 0; i < 4; i++) x |= (uint32_t)(unsigned char)at[i] << 8 * i;
    return x;
}

static inline void put_double(cau_strbuf *file, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put32(file, (uint32_t)bits);
    put32(file, (uint32_t)(bits >> 32));
}

/* The dump of the model in a file, to be cleared. */
static inline cau_strbuf peer_dump(caucus_ctx *ctx, cau_str file)
{
    cau_strbuf text = {0};
    caucus_model *model = NULL;
    assert_ok(ctx, cau_peers_open(ctx, test_file("peer.model", file.s, file.n), &model));
    assert_ok(ctx, cau_model_dump(ctx, model, into_text, &text));
    cau_model_free(model);
    return text;
}

/* A file is read as the model with this dump. */
static inline void assert_peer_dump(cau_str file, const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = peer_dump(ctx, file);
    assert_string_equal(text.s, want);
    cau_strbuf_clear(&text);
    caucus_ctx_free(ctx);
}

/* A file is refused with a message that begins with its path and contains these words. */
static inline void assert_peer_refused(cau_str file, caucus_status want, const char *words)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = NULL;
    const char *path = test_file("peer.model", file.s, file.n);
    assert_fails(ctx, cau_peers_open(ctx, path, &model), want, words);
    assert_memory_equal(caucus_message(ctx), path, strlen(path));
    assert_null(model);
    caucus_ctx_free(ctx);
}

/* Opening a file, for test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    cau_str file;
} peer_attempt;

static inline caucus_status try_peer(void *self)
{
    const peer_attempt *a = self;
    caucus_model *model = NULL;
    const caucus_status st = cau_peers_from_bytes(a->ctx, a->file.s, a->file.n, &model);
    cau_model_free(model);
    return st;
}

static inline void assert_peer_memory(cau_str file)
{
    peer_attempt a = {test_ctx(), file};
    assert_true(test_every_allocation(try_peer, &a) > 0);
    caucus_ctx_free(a.ctx);
}

/* Every part of a file that is cut short is refused. */
static inline void assert_peer_cuts_refused(cau_str file, size_t from)
{
    caucus_ctx *ctx = test_ctx();
    for (size_t n = from; n < file.n; n++) {
        caucus_model *model = NULL;
        assert_fails(ctx, cau_peers_from_bytes(ctx, file.s, n, &model), CAUCUS_ERR_FORMAT, "; ");
    }
    caucus_ctx_free(ctx);
}

/* Writes the model of a dump in a form, or fails with these words and writes nothing. The path. */
static inline const char *peer_save(const char *dump, cau_model_form form, const char *words)
{
    caucus_ctx *ctx = test_ctx();
    caucus_model *model = NULL;
    const char *path = test_path(words ? "refused.model" : "saved.model");
    assert_ok(ctx, cau_model_undump(ctx, test_text("dump.txt", dump), &model));
    const caucus_status st = cau_peers_save(ctx, model, form, path);
    if (words)
        assert_fails(ctx, st, CAUCUS_ERR_UNSUPPORTED, words);
    else
        assert_ok(ctx, st);
    assert_int_equal(test_exists(path), !words);
    cau_model_free(model);
    caucus_ctx_free(ctx);
    return path;
}

/* Saving a model, for test_every_allocation. */
typedef struct {
    caucus_ctx *ctx;
    const caucus_model *model;
    cau_model_form form;
} peer_save_attempt;

static inline caucus_status try_peer_save(void *self)
{
    const peer_save_attempt *a = self;
    return cau_peers_save(a->ctx, a->model, a->form, test_path("attempt.model"));
}

static inline void assert_peer_save_memory(const char *dump, cau_model_form form)
{
    peer_save_attempt a = {.ctx = test_ctx(), .form = form};
    caucus_model *model = NULL;
    assert_ok(a.ctx, cau_model_undump(a.ctx, test_text("dump.txt", dump), &model));
    a.model = model;
    assert_true(test_every_allocation(try_peer_save, &a) > 0);
    cau_model_free(model);
    caucus_ctx_free(a.ctx);
}

/* The dump of the file at a path. */
static inline void assert_saved_dump(const char *path, const char *want)
{
    caucus_ctx *ctx = test_ctx();
    cau_strbuf text = {0};
    caucus_model *model = NULL;
    assert_ok(ctx, cau_peers_open(ctx, path, &model));
    assert_ok(ctx, cau_model_dump(ctx, model, into_text, &text));
    assert_string_equal(text.s, want);
    cau_strbuf_clear(&text);
    cau_model_free(model);
    caucus_ctx_free(ctx);
}

#endif
