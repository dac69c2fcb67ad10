/* survey.h - what is in a file of data: one pass over it, on all threads.
 *
 *     chunker ──▶ reader ──▶ labels, words, cells of a chunk ──▶ counts, in the order of the file
 *
 * Memory grows with the number of different sentences and different values of columns: some tens of
 * bytes for each. Texts are kept of labels alone; words are compared by 64-bit hashes. */

#ifndef CAU_DOCTOR_SURVEY_H
#define CAU_DOCTOR_SURVEY_H

#include "base/alphabet.h"
#include "base/key_set.h"
#include "doctor/characters.h"
#include "text/reader.h"
#include "text/scheme.h"

/* Pairs of lines: how many, and the first of them. */
typedef struct {
    uint64_t count;
    size_t first[CAU_LINES_KEPT], second[CAU_LINES_KEPT];
} cau_line_pairs;

/* A label, by its number in the alphabet. */
typedef struct {
    uint64_t count;
    size_t line; /* the first */
    bool chunk;  /* O, or a letter of a scheme and a type */
    cau_place place;
    uint32_t type; /* in `types` */
} cau_label_survey;

/* A value of a column. */
typedef struct {
    uint64_t count;
    uint32_t label; /* of the first */
    bool mixed;     /* another has another label */
} cau_value_survey;

typedef struct {
    size_t number; /* in the file, from 0 */
    cau_key_set values;
    cau_value_survey *value; /* [values.count] */
    size_t room;
} cau_column_survey;

/* A sentence, or an instance of a classifier, that occurs for the first time. */
typedef struct {
    uint64_t labels; /* their hash */
    size_t line;
} cau_first_seen;

typedef struct cau_survey {
    const char *path; /* as messages show it. Borrowed */
    cau_format format;
    cau_characters characters;
    uint64_t instances, sequences;
    size_t longest, longest_line; /* sentence */
    cau_line_list long_ones;      /* sentences of more than CAU_LONG_SENTENCE tokens */
    cau_line_list unlabelled;     /* instances without a label, or with "?" */

    cau_alphabet *labels, *types;
    cau_label_survey *label;           /* [size of labels] */
    cau_line_list foreign;             /* labels that are in no scheme */
    cau_line_list broken[CAU_SCHEMES]; /* by the schemes in the order of cau_schemes */

    cau_column_survey *column; /* [columns] the cells */
    size_t columns;

    cau_key_set contents;
    cau_first_seen *seen;                   /* [contents.count] */
    cau_line_pairs duplicates, conflicts;   /* within the file */
    cau_line_pairs leaks, leaked_conflicts; /* the first line is one of `other` */

    size_t label_room, seen_room;
} cau_survey;

enum { CAU_LONG_SENTENCE = 250 };

/* Reads a file. `other`, or NULL, is what its sentences are compared with: the training data. Embed
 * the survey zeroed, clear it at the end, also after a failure. */
caucus_status cau_survey_file(caucus_ctx *ctx, const char *path, const cau_read_options *options,
                              unsigned threads, const cau_survey *other, cau_survey *survey);
void cau_survey_clear(cau_survey *survey);

/* The scheme of the labels, as an index into cau_schemes, or CAU_SCHEMES if they are not of one. */
size_t cau_survey_scheme(const cau_survey *survey);

#endif
