/* words.h - words and sentences of running text, by Unicode rules, with their places in the text.
 *
 * The rules are those of UAX #29 (word boundaries of Unicode), and where these are open:
 *
 *   blanks         separate words and belong to none: spaces, line ends, controls, U+200B, U+FEFF
 *   letters        run together with digits, underscores and combining marks: x2, naïve, ไทย. A Han
 *                  character or a Hiragana letter is a word, a run of Katakana is one
 *   apostrophes    join letters (don't, O'Brien), but the clitics 's 'd 'm 'll 're 've begin a
 * word, and a short elision ends one: l'|homme, d'|accord, dell'|anno full stops     join letters
 * (example.com, e.g) unless the second is the capital that follows a lower-case letter (end.Start),
 * and end what has single letters: U.S.  a.m. numbers        keep their . , : and apostrophes
 * between digits: 3.14  1,000  10:30 addresses      are one word: https://example.com/a?b=1,
 * www.example.com, name@example.com;
 *                  @name and #name, too, after a blank or an opening bracket
 *   all else       is a word by itself, with what belongs to the same grapheme: hyphens, brackets,
 *                  quotes, an emoji with its modifiers. Equal . - ! ? * = ~ ' ` run together: ...
 *
 * A sentence ends after . ! ? or … with the quotes and brackets that close after it, if blanks and
 * no lower-case letter follow; after the wide 。！？ without a blank; and at an empty line. A
 * stop after an initial, a title (Dr.), an abbreviation with stops (e.g.) or, before a number,
 * after No., Fig. and the like does not end one. */

#ifndef CAU_TEXT_WORDS_H
#define CAU_TEXT_WORDS_H

#include <stdbool.h>

#include "base/strbuf.h"

/* A word: where it is, in bytes and in characters (code points), and whether a sentence begins. */
typedef struct {
    size_t begin, end; /* bytes */
    size_t from, to;   /* characters */
    bool first;        /* of a sentence */
} cau_word;

/* Goes through the words of a text, which is valid UTF-8. Set `text`, the rest zeroed. */
typedef struct {
    cau_str text;
    size_t at, characters; /* before the next word */
    bool begun, ended;     /* there was a word; it may end a sentence */
    bool titled, counted;  /* the word before is an abbreviation, always or before a number */
    bool wide;             /* what ended the sentence needs no blank */
} cau_words;

/* The next word; false at the end. */
bool cau_words_next(cau_words *words, cau_word *word);

#endif
