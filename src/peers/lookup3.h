/* lookup3.h - the hash of the tables of names in CRFsuite's models. */

#ifndef CAU_PEERS_LOOKUP3_H
#define CAU_PEERS_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

/* Bob Jenkins's lookup3 of some bytes, little endian, with initial value 0 [1].
 * [1] https://burtleburtle.net/bob/hash/doobs.html */
uint32_t cau_lookup3(const char *s, size_t n);

#endif
