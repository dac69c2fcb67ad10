/* write_crfsuite.c - a model as the binary model of CRFsuite, in the layout of load_crfsuite.c.
 *
 * A table of names has the records first, then up to 256 hash tables, then the offset of each
 * record by its number. The hash of a name (lookup3, with its NUL) says the table by its lowest
 * byte and the first place by the rest; a table has two places for each of its names, and a free
 * place has offset 0.
 *
 * CRFsuite has neither intercepts nor features of two labels, and its numbers have 32 bits. */

#include <stdlib.h>

#include "base/memory.h"
#include "peers/lookup3.h"
#include "peers/save_model.h"

enum { HEADER = 48, CHUNK = 12, TABLES = 256, RECORDS = 24 + 8 * TABLES };

static const uint32_t VERSION = 100, CQDB_BYTE_ORDER = 0x62445371;

static void encode(char *to, uint32_t x)
{
    for (int i = 0; i < 4; i++) to[i] = (char)(x >> 8 * i);
}

static void add_zeros(cau_strbuf *out, size_t n)
{
    static const char zeros[64];
    for (; n > sizeof zeros; n -= sizeof zeros) cau_strbuf_add(out, zeros, sizeof zeros);
    cau_strbuf_add(out, zeros, n);
}

/* Sets a number that was left open. */
static void set_number(cau_strbuf *out, size_t at, size_t x)
{
    if (!out->failed) encode(out->s + at, (uint32_t)x);
}

/* Begins a part; returns where. end_part sets its size and the number of its items. */
static size_t begin_part(cau_strbuf *out, const char *letters)
{
    add_zeros(out, (4 - out->n % 4) % 4);
    const size_t at = out->n;
    cau_strbuf_add(out, letters, 4);
    add_zeros(out, CHUNK - 4);
    return at;
}

static void end_part(cau_strbuf *out, size_t at, size_t count)
{
    set_number(out, at + 4, out->n - at);
    set_number(out, at + 8, count);
}

/* ---- names --------------------------------------------------------------------------- */

typedef struct {
    uint32_t hash, record; /* record: offset from the start of the table of names */
} place;

/* The places of all hash tables, one after the other. */
typedef struct {
    uint32_t names[TABLES]; /* in each table */
    size_t begin[TABLES];   /* its first place */
    place *places;
} hash_tables;

static void insert(hash_tables *h, place name)
{
    const size_t table = name.hash % TABLES, room = 2 * (size_t)h->names[table];
    place *first = h->places + h->begin[table];
    size_t i = (name.hash >> 8) % room;
    while (first[i].record) i = (i + 1) % room;
    first[i] = name;
}

/* Names by their number. */
typedef cau_str name_fn(const caucus_model *model, size_t i);

static cau_str attribute(const caucus_model *model, size_t i)
{
    return cau_model_name(&model->nodes, i);
}

static cau_str label(const caucus_model *model, size_t i)
{
    return cau_str_of(cau_model_label(model, i));
}

static caucus_status add_names(caucus_ctx *ctx, cau_strbuf *out, const caucus_model *m,
                               name_fn *name, size_t count)
{
    caucus_status st = CAUCUS_OK;
    hash_tables h = {0};
    const size_t at = begin_part(out, "CQDB");
    place *names = cau_alloc(count, sizeof *names);
    h.places = cau_calloc(2 * count, sizeof *h.places);
    if (!names || !h.places) TRY(cau_fail_memory(ctx, "the names of a model"));
    add_zeros(out, RECORDS - CHUNK);
    for (size_t i = 0; i < count; i++) {
        const cau_str text = name(m, i);
        const size_t record = out->n;
        cau_peer_put_u32(out, i);
        cau_peer_put_u32(out, text.n + 1);
        cau_strbuf_add(out, text.s, text.n);
        add_zeros(out, 1);
        TRY(cau_strbuf_status(ctx, out));
        names[i] = (place){cau_lookup3(out->s + record + 8, text.n + 1), (uint32_t)(record - at)};
        h.names[names[i].hash % TABLES]++;
    }
    for (size_t t = 0, begin = 0; t < TABLES; begin += 2 * (size_t)h.names[t++]) {
        h.begin[t] = begin;
        set_number(out, at + 24 + 8 * t, h.names[t] ? out->n - at + begin * sizeof(place) : 0);
        set_number(out, at + 28 + 8 * t, 2 * (size_t)h.names[t]);
    }
    for (size_t i = 0; i < count; i++) insert(&h, names[i]);
    for (size_t i = 0; i < 2 * count; i++) {
        cau_peer_put_u32(out, h.places[i].hash);
        cau_peer_put_u32(out, h.places[i].record);
    }
    set_number(out, at + 12, CQDB_BYTE_ORDER);
    set_number(out, at + 16, count);
    set_number(out, at + 20, out->n - at);
    for (size_t i = 0; i < count; i++) cau_peer_put_u32(out, names[i].record);
    set_number(out, at + 4, out->n - at);
    set_number(out, at + 8, 0);
done:
    free(names);
    free(h.places);
    return st;
}

/* ---- weights ------------------------------------------------------------------------- */

static void add_feature(cau_strbuf *out, uint32_t type, size_t source, size_t to, float weight)
{
    const double w = (double)weight;
    uint64_t bits;
    memcpy(&bits, &w, sizeof bits);
    cau_peer_put_u32(out, type);
    cau_peer_put_u32(out, source);
    cau_peer_put_u32(out, to);
    cau_peer_put_u32(out, (uint32_t)bits);
    cau_peer_put_u32(out, (uint32_t)(bits >> 32));
}

/* The transitions out of a label that have a weight. */
static size_t transitions_from(const caucus_model *m, size_t y, cau_packed *row)
{
    const cau_observations all = {.width = m->Y, .dense = m->transitions};
    return m->transitions ? cau_row_weights(&all, y, row) : 0;
}

/* All features: those of attributes first, then transitions. Returns their number. */
static size_t add_features(cau_strbuf *out, const caucus_model *m, cau_packed *row)
{
    size_t count = 0;
    for (size_t k = 0; k < m->nodes.K; k++) {
        const size_t n = cau_row_weights(&m->nodes, k, row);
        for (size_t i = 0; i < n; i++) add_feature(out, 0, k, row[i].cell, row[i].weight);
        count += n;
    }
    for (size_t y = 0; y < m->Y; y++) {
        const size_t n = transitions_from(m, y, row);
        for (size_t i = 0; i < n; i++) add_feature(out, 1, y, row[i].cell, row[i].weight);
        count += n;
    }
    return count;
}

/* The list of the next n features, and its offset in the place of the list. */
static void add_list(cau_strbuf *out, size_t place_of_list, size_t *next, size_t n)
{
    set_number(out, place_of_list, out->n);
    cau_peer_put_u32(out, n);
    for (size_t i = 0; i < n; i++) cau_peer_put_u32(out, (*next)++);
}

/* The lists of features of the attributes, or of the labels. */
static size_t add_lists(cau_strbuf *out, const caucus_model *m, bool labels, size_t *next,
                        cau_packed *row)
{
    enum { UNUSED = 2 }; /* lists of labels that CRFsuite leaves open */
    const size_t count = labels ? m->Y : m->nodes.K, lists = labels ? count + UNUSED : count;
    const size_t at = begin_part(out, labels ? "LFRF" : "AFRF");
    add_zeros(out, 4 * lists);
    for (size_t i = 0; i < count; i++) {
        const size_t n = labels ? transitions_from(m, i, row) : cau_row_weights(&m->nodes, i, row);
        add_list(out, at + CHUNK + 4 * i, next, n);
    }
    end_part(out, at, lists);
    return at;
}

/* ---- all of it ----------------------------------------------------------------------- */

static caucus_status check(const cau_peer_target *to)
{
    const caucus_model *m = to->model;
    if (m->kind == CAU_KIND_MEMM) return cau_peer_lacks(to, "models of kind memm");
    if (m->edges.K) return cau_peer_lacks(to, "features of two labels (lines B, b and *)");
    return cau_check_single(to);
}

caucus_status cau_write_crfsuite(const cau_peer_target *to, cau_strbuf *out)
{
    caucus_status st = CAUCUS_OK;
    caucus_ctx *ctx = to->ctx;
    const caucus_model *m = to->model;
    cau_packed *row = cau_alloc(m->Y, sizeof *row);
    if (!row) TRY(cau_fail_memory(ctx, "the weights of a feature"));
    TRY(check(to));
    cau_strbuf_add(out, "lCRF", 4);
    cau_peer_put_u32(out, 0);
    cau_strbuf_add(out, "FOMC", 4);
    cau_peer_put_u32(out, VERSION);
    cau_peer_put_u32(out, 0);
    cau_peer_put_u32(out, m->Y);
    cau_peer_put_u32(out, m->nodes.K);
    add_zeros(out, HEADER - 28);

    const size_t features = begin_part(out, "FEAT");
    end_part(out, features, add_features(out, m, row));
    const size_t labels = out->n + (4 - out->n % 4) % 4;
    TRY(add_names(ctx, out, m, label, m->Y));
    const size_t attributes = out->n + (4 - out->n % 4) % 4;
    TRY(add_names(ctx, out, m, attribute, m->nodes.K));
    size_t next = 0; /* feature */
    const size_t of_attributes = add_lists(out, m, false, &next, row);
    const size_t of_labels = add_lists(out, m, true, &next, row);
    TRY(cau_strbuf_status(ctx, out));
    if (out->n > UINT32_MAX) TRY(cau_peer_lacks(to, "models of 4 GB and more"));
    const size_t numbers[] = {features, labels, attributes, of_labels, of_attributes};
    for (size_t i = 0; i < 5; i++) set_number(out, 28 + 4 * i, numbers[i]);
    set_number(out, 4, out->n);
    if (m->template.s)
        cau_note(ctx,
                 "%s: CRFsuite has no templates; give it the items that `caucus features` makes of "
                 "data",
                 to->path);
done:
    free(row);
    return st;
}
