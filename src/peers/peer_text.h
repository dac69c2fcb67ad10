/* peer_text.h - for the files of peers/: models and templates that are lines of text. */

#ifndef CAU_PEERS_PEER_TEXT_H
#define CAU_PEERS_PEER_TEXT_H

#include "base/strbuf.h"

typedef struct {
    cau_str rest;
    size_t number; /* of the line that was read last, from 1 */
} cau_peer_lines;

/* The next line, without its LF or CR LF; false at the end. */
bool cau_peer_next_line(cau_peer_lines *lines, cau_str *line);

/* The next word of a line, between blanks and TABs; false at its end. */
bool cau_peer_next_word(cau_str *rest, cau_str *word);

static inline bool cau_peer_is(cau_str word, const char *text)
{
    return word.n == strlen(text) && memcmp(word.s, text, word.n) == 0;
}

#endif
