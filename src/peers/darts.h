/* darts.h - double arrays, in which CRF++ keeps the names of features.
 *
 * A double array is a trie in one array of units, each a base and a check (32 bits, little endian).
 * A node is a base b; the base of the root is that of unit 0. The child of node b by byte c is unit
 * p = b + 1 + c, if check[p] = b, and is the node base[p]. A key ends at node b if check[b] = b;
 * its value is then -base[b] - 1. No two nodes have the same base. */

#ifndef CAU_PEERS_DARTS_H
#define CAU_PEERS_DARTS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/strbuf.h"

enum { CAU_DARTS_UNIT = 8 }; /* bytes */

typedef struct {
    cau_str text;
    uint32_t value; /* up to INT32_MAX */
} cau_darts_key;

/* The keys of a double array, in the order of their bytes, in an arena. CAUCUS_ERR_FORMAT if it is
 * none, CAUCUS_ERR_MEMORY; both without a message. Keys that are far longer than the array together
 * are refused: only a file made for that has them. */
caucus_status cau_darts_read(cau_arena *arena, cau_str units, cau_darts_key **keys, size_t *count);

/* Adds a double array with these keys, which are not empty, have no NUL, differ, and are sorted by
 * bytes. CAUCUS_ERR_MEMORY without a message. */
caucus_status cau_darts_build(const cau_darts_key *keys, size_t count, cau_strbuf *out);

#endif
