/* characters.h - line ends and unusual characters of a text. */

#ifndef CAU_DOCTOR_CHARACTERS_H
#define CAU_DOCTOR_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum { CAU_LINES_KEPT = 8 };

/* How many lines have something, and the first of them. */
typedef struct {
    uint64_t count;
    size_t line[CAU_LINES_KEPT];
} cau_line_list;

void cau_line_list_add(cau_line_list *list, size_t line);
void cau_line_list_join(cau_line_list *list, const cau_line_list *next);

/* What a line may have. */
typedef enum {
    CAU_ODD_CRLF,       /* ends with CR LF */
    CAU_ODD_SPACE,      /* a blank that is neither a space nor a TAB: U+00A0, U+2009 ... */
    CAU_ODD_INVISIBLE,  /* U+200B, U+2060, U+FEFF, U+00AD, directions; not the joiners of scripts */
    CAU_ODD_CONTROL,    /* a control character but TAB and CR */
    CAU_ODD_LOST,       /* U+FFFD, left by a conversion */
    CAU_ODD_MISREAD,    /* UTF-8 that was read as Latin-1 or Windows-1252: "Ã©" */
    CAU_ODD_DECOMPOSED, /* not in the normal form NFC */
    CAU_ODD_COMPOSED,   /* has letters that NFD would decompose */
    CAU_ODDITIES
} cau_oddity;

typedef struct {
    bool byte_order_mark;
    size_t lines;
    cau_line_list odd[CAU_ODDITIES];
} cau_characters;

/* Adds the lines of some bytes, the first of which has this number. False when memory is short. */
bool cau_characters_add(cau_characters *all, cau_str bytes, size_t first);
void cau_characters_join(cau_characters *all, const cau_characters *next);

#endif
