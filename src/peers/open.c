/* open.c - recognises model files by their first bytes and opens them (peers.h). */

#include <stdlib.h>

#include "base/mapping.h"
#include "model/layout.h"
#include "peers/peer_model.h"
#include "peers/peers.h"

/* One row for each kind of file. */
static const struct {
    cau_str start; /* the first bytes */
    const char *program;
    cau_peer_load *load;
} kinds[] = {
    {CAU_STR("lCRF"), "CRFsuite", cau_load_crfsuite},
    {CAU_STR("d\0\0\0\0\0\0\0"), "CRF++", cau_load_crfpp}, /* version 100, type 0 */
    {CAU_STR("version: "), "CRF++", cau_load_crfpp_text},
    {CAU_STR("#mdl#"), "Wapiti", cau_load_wapiti},
    {CAU_STR("**BIAS**"), "MegaM", cau_load_megam},
    {CAU_STR("***NAMEDLABELSIDS***"), "MegaM", cau_load_megam},
    {CAU_STR("solver_type "), "LIBLINEAR", cau_load_liblinear},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of a file; KINDS if it is none of these. */
static size_t kind_of(cau_str file)
{
    size_t i = 0;
    while (i < KINDS &&
           (file.n < kinds[i].start.n || memcmp(file.s, kinds[i].start.s, kinds[i].start.n) != 0))
        i++;
    return i;
}

bool cau_peers_is_model(caucus_ctx *ctx, const char *path)
{
    cau_str file = {NULL, 0};
    if (cau_map_file(ctx, path, &file)) return false;
    const bool ours = file.n >= strlen(CAU_MODEL_MAGIC) &&
                      memcmp(file.s, CAU_MODEL_MAGIC, strlen(CAU_MODEL_MAGIC)) == 0;
    const bool known = ours || kind_of(file) < KINDS;
    cau_unmap_file(file);
    return known;
}

static caucus_status load(caucus_ctx *ctx, const char *path, cau_str file, size_t kind,
                          caucus_model **out)
{
    caucus_status st = CAUCUS_OK;
    cau_peer_model m = {.path = path, .program = kinds[kind].program};
    cau_arena_init(&m.arena);
    TRY(kinds[kind].load(ctx, file, &m));
    TRY(cau_peer_build(ctx, &m, out));
done:
    cau_peer_clear(&m);
    return st;
}

caucus_status cau_peers_open(caucus_ctx *ctx, const char *path, caucus_model **out)
{
    cau_str file = {NULL, 0};
    caucus_status st = cau_map_file(ctx, path, &file);
    if (st) return st;
    const size_t kind = kind_of(file);
    if (kind < KINDS) st = load(ctx, path, file, kind, out);
    cau_unmap_file(file);
    return kind < KINDS ? st : cau_model_open(ctx, path, out);
}

caucus_status cau_peers_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                   caucus_model **out)
{
    const cau_str file = {bytes, length};
    const size_t kind = kind_of(file);
    return kind < KINDS ? load(ctx, "model bytes", file, kind, out)
                        : cau_model_from_bytes(ctx, bytes, length, out);
}
