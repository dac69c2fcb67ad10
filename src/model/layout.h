/* layout.h - the layout of a model file; for image.c, verify.c, build.c, name_table.c and lookup.c.
 *
 * A file is a header of counts followed by sections, each starting at a multiple of 64 bytes, in
 * this order. First come the checksums of the rest, and the sections that every use needs:
 *
 *     sums      [blocks] uint64   one for each CAU_BLOCK bytes after this section
 *     label_at  [Y+1]  uint64     offset of each label in `labels`
 *     labels                      each ends with a NUL
 *     info                        key NUL value NUL ...
 *     template                    its text
 *     transitions [Y][Y] float    if the model has them
 *     bias      [Y]    float      intercepts, if the model has them
 *
 * then the tables that find observations, first of the nodes, then of the edges:
 *
 *     slots     [places]          the table of names, in the order of lookup.c
 *     start     [K+1]  uint64     offset of each row in `weights`, if they are packed
 *
 * then the observations themselves, of the nodes and of the edges; this is nearly all of a large
 * file, and is verified on first use (verify.c):
 *
 *     weights   [K][width] float  or, if fewer than half of them are used, packed:
 *               [used]            cell and weight
 *     name_at   [K+1]  uint64     offset of each name in `names`
 *     names                       one after the other
 *
 * and in a pool of J members
 *
 *     alpha     [J]    double     their weights in the vote
 *     members   [J]               the weights of each: nodes, edges, transitions and bias, in the
 *                                 form and size of the model's; packed rows have the same offsets
 *                                 and cells
 *
 * and, if the pool has a gate (pool.h),
 *
 *     gate_base [J]    double     its score without observations
 *     gate      [K][J] float      its weight of each observation of the nodes
 *
 * The header has no offsets: they follow from the counts, and the only check is that the sum of the
 * sizes is the size of the file. Numbers are little endian; a file from a big-endian machine is
 * refused as foreign. The checksum of the header covers the bytes from the counts to the end of
 * `sums`; `sums` cover the rest.
 *
 * The same parts always give the same bytes: model files can be compared with cmp. */

#ifndef CAU_MODEL_LAYOUT_H
#define CAU_MODEL_LAYOUT_H

#include <stdatomic.h>

#include "model/model.h"

#define CAU_MODEL_MAGIC "caucus\r\n"

enum { CAU_MODEL_VERSION = 5, CAU_MODEL_BYTE_ORDER = 0x01020304 };

enum { CAU_BLOCK = 1 << 14 }; /* bytes with a checksum; the last block may have fewer */

enum {
    CAU_MODEL_BIAS = 1,
    CAU_MODEL_TRANSITIONS = 2,
    CAU_MODEL_NODES_PACKED = 4,
    CAU_MODEL_EDGES_PACKED = 8,
    CAU_MODEL_LOWER = 16,
    CAU_MODEL_COUNTS = 32,
    CAU_MODEL_VALUES = 64,
    CAU_MODEL_COMMENTS = 128,
    CAU_MODEL_DOCSTART = 256,
    CAU_MODEL_GATE = 512,
    CAU_MODEL_FLAGS = 1023, /* all of them */
};

/* Sizes of the sections of observations. */
typedef struct {
    uint64_t K;
    uint64_t slots;  /* number of places where a search can begin */
    uint64_t places; /* of the whole table, including overflow at the end and a free place */
    uint64_t name_bytes;
    uint64_t used; /* packed weights, or 0 */
} cau_model_counts;

/* The first bytes of a file. Those before `nodes` are the same in every version. */
typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t order;    /* CAU_MODEL_BYTE_ORDER, to detect the other byte order */
    uint64_t checksum; /* of all bytes from `nodes` to the end of `sums` */
    cau_model_counts nodes, edges;
    uint64_t Y;
    uint64_t width; /* of the nodes: Y or 1; that of the edges is Y*Y */
    uint64_t label_bytes, info_bytes, template_bytes;
    uint64_t columns, ngrams; /* read options */
    uint32_t kind, base, flags, format;
    uint32_t members, combine, per, mix; /* of the pool; all 0 in a single model */
} cau_model_header;

_Static_assert(sizeof(cau_model_header) == 192, "the header has no padding");

/* Offsets of the sections of observations. */
typedef struct {
    size_t slots, start, weights, name_at, names;
} cau_model_places;

/* Offsets within the section of a member, and its size. */
typedef struct {
    size_t nodes, edges, transitions, bias;
    size_t bytes;
} cau_model_member_places;

/* Offsets of all sections, and the size of the file. */
typedef struct {
    size_t sums, blocks; /* blocks: their number */
    size_t first;        /* offset of the first block */
    size_t label_at, labels, info, template, transitions, bias;
    cau_model_places nodes, edges;
    size_t later; /* bytes before this offset are verified when the file is opened */
    size_t alpha, members, gate_base, gate;
    cau_model_member_places member;
    size_t bytes;
} cau_model_layout;

/* Computes the layout from the counts of a header; false on overflow. */
bool cau_model_lay_out(const cau_model_header *header, cau_model_layout *layout);

/* Points the views of a model into its image, and allocates those of the members; false when memory
 * is short. */
bool cau_model_set_views(caucus_model *model, const cau_model_header *header,
                         const cau_model_layout *layout);

/* Reads the options about columns and words that a model notes as text into model->read. */
caucus_status cau_model_read_layout(caucus_ctx *ctx, caucus_model *model);

/* ---- checksums: verify.c ------------------------------------------------------------------ */

/* The verification state of a mapped image. Threads share it: two threads that verify the same
 * block at once come to the same result. */
struct cau_blocks {
    const char *first;           /* the first block */
    const char *end;             /* of the last block and of the image */
    const uint64_t *sum;         /* [blocks] in the image */
    atomic_uchar *right;         /* [blocks] verified and correct. Owned */
    atomic_bool whole;           /* all blocks are verified and correct */
    atomic_uint wrong;           /* the last fault found, or 0 */
    struct cau_numbers *section; /* [sections] whose numbers are checked. Owned */
    size_t sections;
    char *path; /* of the file. Owned */
};

/* Writes the checksums of an otherwise complete image. */
void cau_model_seal(void *image, const cau_model_layout *layout);

/* Verifies a file on opening: its header and checksums, and all blocks up to `later`, or all blocks
 * of a pool. Sets the views and the blocks of the model. */
caucus_status cau_model_adopt(caucus_ctx *ctx, const char *path, caucus_model *model);
void cau_blocks_free(cau_blocks *blocks); /* NULL is fine */

/* Whether block i is correct; remembers it if so. */
bool cau_block_verify(cau_blocks *blocks, size_t i);

/* Whether all blocks that contain the bytes from begin to end - 1 are correct. */
static inline bool cau_blocks_right(cau_blocks *blocks, const void *begin, const void *end)
{
    if (!blocks || begin == end) return true;
    const size_t last = (size_t)((const char *)end - 1 - blocks->first) / CAU_BLOCK;
    for (size_t i = (size_t)((const char *)begin - blocks->first) / CAU_BLOCK; i <= last; i++)
        if (!atomic_load_explicit(&blocks->right[i], memory_order_relaxed) &&
            !cau_block_verify(blocks, i))
            return false;
    return true;
}

/* ---- the table of names: lookup.c --------------------------------------------------------- */

/* The form of a hash that a slot holds; the mapping is one to one. The hashes of names that differ
 * in one letter differ by a multiple of a power of the base (base/key.h), so numbered names would
 * cluster if the hash were only multiplied. */
static inline uint64_t cau_name_slot_mix(uint64_t hash)
{
    return (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
}

static inline uint64_t cau_name_slot_value(const cau_name_slot *slot)
{
    return (uint64_t)slot->high << 32 | slot->low;
}

/* The place where the search for a mixed hash begins. */
static inline size_t cau_name_slot_first(uint64_t mixed, size_t slots)
{
    return (size_t)(((unsigned __int128)mixed * slots) >> 64);
}

/* The same for a hash. */
static inline const cau_name_slot *cau_name_slot_place(const cau_observations *of, uint64_t hash)
{
    return &of->slot[cau_name_slot_first(cau_name_slot_mix(hash), of->slots)];
}

/* The row of a hash, or CAU_UNKNOWN. Most names are at one of the first places, unpredictably
 * which, so the first two steps have no branch. */
static inline uint32_t cau_name_slot_find(const cau_observations *of, uint64_t hash)
{
    const uint64_t mixed = cau_name_slot_mix(hash);
    const cau_name_slot *slot = &of->slot[cau_name_slot_first(mixed, of->slots)];
    slot += cau_name_slot_value(slot) < mixed;
    slot += cau_name_slot_value(slot) < mixed;
    while (cau_name_slot_value(slot) < mixed) slot++;
    return cau_name_slot_value(slot) == mixed ? slot->row : CAU_UNKNOWN;
}

/* The same; also prefetches the weights. */
static inline uint32_t cau_name_slot_answer(const cau_observations *of, uint64_t hash)
{
    enum { LINE = 64 }; /* bytes of a cache line */
    const uint32_t k = cau_name_slot_find(of, hash);
    if (k == CAU_UNKNOWN) return k;
    if (of->dense) {
        const char *row = (const char *)(of->dense + (size_t)k * of->width);
        const char *end = row + of->width * sizeof *of->dense;
        for (; row < end; row += LINE) __builtin_prefetch(row);
        __builtin_prefetch(end - 1);
    } else {
        __builtin_prefetch(&of->start[k]);
    }
    return k;
}

/* ---- building it: name_table.c ------------------------------------------------------------- */

/* Sorts the slots of n names by their values. False if two values are equal, or one is that of a
 * free place; another base is then needed. spare [n] is scratch. */
bool cau_name_table_sort(cau_name_slot *slot, size_t n, cau_name_slot *spare);

enum { CAU_SLOTS_BLOCK = 4096 }; /* names of a block, whose part of the table one thread writes */

static inline size_t cau_name_table_blocks(size_t n)
{
    return n ? (n - 1) / CAU_SLOTS_BLOCK + 1 : 1;
}

/* The number of places of the table of these names. Fills begin [blocks + 1]: the first place of
 * each block, and the end of the last. */
size_t cau_name_table_measure(const cau_name_slot *sorted, size_t n, size_t slots, size_t *begin);

/* Writes the places of one block. */
void cau_name_table_place(const cau_name_slot *sorted, size_t n, size_t slots, const size_t *begin,
                          size_t block, cau_name_slot *table);

#endif
