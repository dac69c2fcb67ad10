/* layout.h - where things are in a model file: what image.c, verify.c, build.c,
 * slots.c and lookup.c share.
 *
 * A file is a header of counts followed by sections, each starting at a multiple of 64 bytes, in
 * this order. First the checksums of all that follows, and what every use of a model needs:
 *
 *     sums      [blocks] uint64   one for each CAU_BLOCK bytes behind this section
 *     label_at  [Y+1]  uint64     where each label starts in `labels`
 *     labels                      each ends with a NUL
 *     info                        key NUL value NUL ...
 *     template                    its text
 *     plain     [Y][Y] float      transitions, if the model has them
 *     bias      [Y]    float      default weights, if the model has them
 *
 * then what finds the observations, those of the nodes and then those of the edges:
 *
 *     slots     [places]          the table of names, in the order of lookup.c
 *     start     [K+1]  uint64     where each row starts in `weights`, if they are packed
 *
 * then what they are, again of the nodes and of the edges; this is nearly all of a large file, and
 * verified when it is first used (verify.c):
 *
 *     weights   [K][width] float  or, packed, where fewer than half of them are used,
 *               [used]            cell and weight
 *     name_at   [K+1]  uint64     where each name starts in `names`
 *     names                       one after the other
 *
 * and in a pool of J members
 *
 *     alpha     [J]    double     their weights in the vote
 *     members   [J]               the weights of each: nodes, edges, plain and bias, of the same
 *                                 form and size as above; packed rows start where the model's do
 *                                 and have the same cells
 *
 * and where the pool has a gate (pool.h)
 *
 *     gate_base [J]    double     what it makes of no observation at all
 *     gate      [K][J] float      and of each observation of the nodes
 *
 * The header has no offsets: they follow from the counts, so there is nothing to check but that
 * the sum of the sizes is the size of the file. Numbers are little endian; a file from the other
 * kind of machine is refused as foreign. The checksum of the header covers what follows it up to
 * the end of `sums`, and these cover the rest.
 *
 * The same parts always give the same bytes: a model file can be compared with cmp. */

#ifndef CAU_MODEL_LAYOUT_H
#define CAU_MODEL_LAYOUT_H

#include <stdatomic.h>

#include "model/model.h"

#define CAU_MODEL_MAGIC "caucus\r\n"

enum { CAU_MODEL_VERSION = 5, CAU_MODEL_BYTE_ORDER = 0x01020304 };

enum { CAU_BLOCK = 1 << 14 }; /* bytes with a checksum; the last block may have fewer */

enum {
    CAU_MODEL_BIAS = 1,
    CAU_MODEL_PLAIN = 2,
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
    uint64_t slots;  /* where a search can begin */
    uint64_t places; /* all of the table: those that run over the end, and a free one, included */
    uint64_t name_bytes;
    uint64_t used; /* weights, when packed; else 0 */
} cau_model_counts;

/* The first bytes of a file. Those before `nodes` are the same in every version. */
typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t order;    /* CAU_MODEL_BYTE_ORDER, to notice the other one */
    uint64_t checksum; /* of all bytes from `nodes` to the end of `sums` */
    cau_model_counts nodes, edges;
    uint64_t Y;
    uint64_t width; /* of the nodes: Y or 1; that of the edges is Y*Y */
    uint64_t label_bytes, info_bytes, template_bytes;
    uint64_t columns, ngrams; /* of the read options */
    uint32_t kind, base, flags, format;
    uint32_t members, combine, per, mix; /* of the pool; all 0 in a single model */
} cau_model_header;

_Static_assert(sizeof(cau_model_header) == 192, "the header has no padding, inside or behind it");

/* Offsets of the sections of observations. */
typedef struct {
    size_t slots, start, weights, name_at, names;
} cau_model_places;

/* Offsets of what each member has, from where it begins, and its size. */
typedef struct {
    size_t nodes, edges, plain, bias;
    size_t bytes;
} cau_model_member_places;

/* Offsets of all sections, and the size of the file. */
typedef struct {
    size_t sums, blocks; /* and the number of blocks */
    size_t first;        /* where the first block begins */
    size_t label_at, labels, info, template, plain, bias;
    cau_model_places nodes, edges;
    size_t later; /* what lies before it is verified when the file is opened */
    size_t alpha, members, gate_base, gate;
    cau_model_member_places member;
    size_t bytes;
} cau_model_layout;

/* Where everything is, by the counts of a header; false when no memory could hold it. */
bool cau_model_lay_out(const cau_model_header *header, cau_model_layout *layout);

/* Points the views of a model into its image, and makes those of the members; false when there is
 * no memory for these. */
bool cau_model_set_views(caucus_model *model, const cau_model_header *header,
                         const cau_model_layout *layout);

/* ---- checksums: verify.c ------------------------------------------------------------------ */

/* What of a mapped image has been verified. Threads share it: a block that two of them verify at
 * once is found the same by both. */
struct cau_blocks {
    const char *first;           /* the first block */
    const char *end;             /* of the last one, and of the image */
    const uint64_t *sum;         /* [blocks] in the image */
    atomic_uchar *right;         /* [blocks] verified, and right. Owned */
    atomic_bool whole;           /* all of them are */
    atomic_uint wrong;           /* what was found last that is not right; 0: nothing */
    struct cau_numbers *section; /* [sections] whose numbers are looked at. Owned */
    size_t sections;
    char *path; /* of the file. Owned */
};

/* Writes the checksums of an image that is complete but for these. */
void cau_model_seal(void *image, const cau_model_layout *layout);

/* Verifies what opening a file has to: its header and checksums, and all blocks up to `later`, or,
 * of a pool, all of them. Sets the views and the blocks of the model. */
caucus_status cau_model_adopt(caucus_ctx *ctx, const char *path, caucus_model *model);
void cau_blocks_free(cau_blocks *blocks); /* NULL is fine */

/* Whether block i is right; says so for good if it is. */
bool cau_block_verify(cau_blocks *blocks, size_t i);

/* Whether all blocks that the bytes from begin to end - 1 lie in are right. */
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

/* A hash as a slot keeps it: no two hashes have the same. The hashes of names that differ in one
 * letter differ by a multiple of a power of the base (base/key.h), so that numbered names would
 * gather in places if they were only multiplied. */
static inline uint64_t cau_name_slot_mix(uint64_t hash)
{
    return (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
}

static inline uint64_t cau_name_slot_value(const cau_name_slot *slot)
{
    return (uint64_t)slot->high << 32 | slot->low;
}

/* Where the search for a mixed hash begins. */
static inline size_t cau_name_slot_first(uint64_t mixed, size_t slots)
{
    return (size_t)(((unsigned __int128)mixed * slots) >> 64);
}

/* The same for a hash. */
static inline const cau_name_slot *cau_name_slot_place(const cau_observations *of, uint64_t hash)
{
    return &of->slot[cau_name_slot_first(cau_name_slot_mix(hash), of->slots)];
}

/* The row of a hash, or CAU_UNKNOWN. Most names lie at one of the first places, and nothing tells
 * at which: two steps without a branch. */
static inline uint32_t cau_name_slot_find(const cau_observations *of, uint64_t hash)
{
    const uint64_t mixed = cau_name_slot_mix(hash);
    const cau_name_slot *slot = &of->slot[cau_name_slot_first(mixed, of->slots)];
    slot += cau_name_slot_value(slot) < mixed;
    slot += cau_name_slot_value(slot) < mixed;
    while (cau_name_slot_value(slot) < mixed) slot++;
    return cau_name_slot_value(slot) == mixed ? slot->row : CAU_UNKNOWN;
}

/* The same, and its weights are asked for. */
static inline uint32_t cau_name_slot_answer(const cau_observations *of, uint64_t hash)
{
    enum { LINE = 64 }; /* bytes that memory gives at a time */
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

/* ---- making it: slots.c -------------------------------------------------------------------- */

/* Sorts the slots of n names, in any order, by their values. False when two have the same, or one
 * has that of a free place: then there is no table of them. spare [n] is scratch. */
bool cau_name_table_sort(cau_name_slot *slot, size_t n, cau_name_slot *spare);

enum { CAU_SLOTS_BLOCK = 4096 }; /* names whose part of the table is written at a time */

static inline size_t cau_name_table_blocks(size_t n)
{
    return n ? (n - 1) / CAU_SLOTS_BLOCK + 1 : 1;
}

/* How many places the table of these names has. begin [blocks + 1] is where the part of each block
 * begins, and the end of the last. */
size_t cau_name_table_measure(const cau_name_slot *sorted, size_t n, size_t slots, size_t *begin);

/* Writes the part of one block. */
void cau_name_table_place(const cau_name_slot *sorted, size_t n, size_t slots, const size_t *begin,
                          size_t block, cau_name_slot *table);

#endif
