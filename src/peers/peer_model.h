/* peer_model.h - for the files of peers/: a model of a peer while it is read.
 *
 * A reader fills a cau_peer_model with labels, rows of named weights and how data is read;
 * peer_model.c checks what all readers have in common and builds the image. Names and labels are
 * views of the file, or of the arena. */

#ifndef CAU_PEERS_PEER_MODEL_H
#define CAU_PEERS_PEER_MODEL_H

#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "peers/peer_text.h"

enum { CAU_PEER_LABELS_MOST = 8192 }; /* the table of transitions has the square of it */

/* Named rows of weights, as in math/table.h: row k has the cells start[k] .. start[k + 1] - 1. */
typedef struct {
    size_t rows, used; /* used: weights so far */
    cau_str *name;     /* [rows] */
    size_t *start;     /* [rows + 1] */
    uint32_t *cell;    /* [used] ascending in a row */
    double *w;         /* [used] */
    size_t name_room, start_room, cell_room, w_room;
} cau_peer_rows;

/* Zeroed at first, except for `path` and `program`. */
typedef struct {
    const char *path;    /* of the file, for messages */
    const char *program; /* "CRFsuite" */
    cau_arena arena;
    cau_kind kind;
    size_t Y;
    cau_str *label;      /* [Y] */
    double *transitions; /* [Y][Y], or NULL. Owned */
    double *bias;        /* [Y], or NULL. Owned */
    size_t width;        /* cells of a row of the nodes: Y, or 1 for explicit features */
    cau_peer_rows nodes, edges;
    cau_read_options read;
    cau_strbuf template;
    cau_str *plain; /* [plains] lines of the template that stand for plain transitions */
    size_t plains;
    bool on_transitions; /* the weights of the current observation are those of transitions */
    cau_strbuf info;     /* lines as in cau_model_parts */
} cau_peer_model;

/* Reads a file of one program into an empty model. */
typedef caucus_status cau_peer_load(caucus_ctx *ctx, cau_str file, cau_peer_model *to);

cau_peer_load cau_load_crfsuite, cau_load_crfpp, cau_load_crfpp_text, cau_load_wapiti,
    cau_load_megam, cau_load_liblinear;

/* Builds the image. Checks labels, weights and names. */
caucus_status cau_peer_build(caucus_ctx *ctx, cau_peer_model *from, caucus_model **out);
void cau_peer_clear(cau_peer_model *model);

/* ---- for the readers --------------------------------------------------------------------------
 */

/* CAUCUS_ERR_FORMAT: "FILE: damaged CRFsuite model: what; copy it again or train it again". */
__attribute__((format(printf, 3, 4))) caucus_status
cau_peer_damaged(caucus_ctx *ctx, const cau_peer_model *m, const char *what, ...);

/* Sets the number of labels and makes room for them. */
caucus_status cau_peer_set_labels(caucus_ctx *ctx, cau_peer_model *m, uint64_t Y);

/* Takes the template of the file, whose macros have these letters ("x"). The data is columns then.
 * The reader makes transitions if there are `plains`. */
caucus_status cau_peer_set_template(caucus_ctx *ctx, cau_peer_model *m, cau_str text,
                                    const char *macros);

/* Makes zeroed transitions. */
caucus_status cau_peer_set_transitions(caucus_ctx *ctx, cau_peer_model *m);

/* Makes room for this many rows and weights, before the first row; more can follow. */
caucus_status cau_peer_reserve(caucus_ctx *ctx, cau_peer_rows *rows, size_t count, size_t weights);

/* Appends an empty row. Then the weights of its cells are added, each with a higher cell than the
 * one before. */
caucus_status cau_peer_add_row(caucus_ctx *ctx, cau_peer_rows *rows, cau_str name);
caucus_status cau_peer_add_weight(caucus_ctx *ctx, cau_peer_rows *rows, uint32_t cell, double w);

/* Begins an observation that a line of the template gives: on nodes, on edges or both, by its first
 * letter. Then its weights that are not 0 are added, by ascending cells, node weights by label. */
caucus_status cau_peer_add_observation(caucus_ctx *ctx, cau_peer_model *m, cau_str name);
caucus_status cau_peer_add_node_weight(caucus_ctx *ctx, cau_peer_model *m, uint32_t y, double w);
caucus_status cau_peer_add_edge_weight(caucus_ctx *ctx, cau_peer_model *m, uint32_t cell, double w);

/* Which of both an observation is on. */
static inline bool cau_peer_on_nodes(cau_str name)
{
    return name.n && strchr("Uu*", name.s[0]);
}
static inline bool cau_peer_on_edges(cau_str name)
{
    return name.n && strchr("Bb*", name.s[0]);
}

/* A number of 32 bits in a file, little endian; the caller has checked that it is inside. */
static inline uint32_t cau_peer_u32(const char *at)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(x) : x;
}

/* A double, likewise. */
static inline double cau_peer_double(const char *at)
{
    uint64_t bits;
    double x;
    memcpy(&bits, at, sizeof bits);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) bits = __builtin_bswap64(bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether `count` items of `size` bytes at an offset are inside the file. */
static inline bool cau_peer_inside(cau_str file, uint64_t at, uint64_t count, size_t size)
{
    return at <= file.n && count <= (file.n - at) / size;
}

#endif
