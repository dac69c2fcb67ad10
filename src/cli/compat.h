/* compat.h - what the stand-ins for the programs of other toolkits share.
 *
 * A stand-in turns the flags of a program into options of ours, calls the library, and prints lines
 * in the form of that program. It reads flags by getopt_long, as those programs do. */

#ifndef COMPAT_H
#define COMPAT_H

#include <getopt.h>

#include "cli.h"

/* One call of a stand-in. */
typedef struct {
    caucus_ctx *ctx;
    const char *program; /* "crfsuite learn" */
    caucus_options *options;
    const char **input; /* [inputs] files that are left after the flags */
    size_t inputs;
    bool stopped;    /* by an error, which was printed, or after the help */
    int status;      /* the exit status if so */
    double start;    /* seconds_now() */
    double previous; /* of the progress: the objective before */
    double elapsed;  /* and the seconds until then */
} stand_in;

typedef int stand_in_fn(caucus_ctx *ctx, int argc, char **argv);
stand_in_fn compat_crfsuite, compat_crf_learn, compat_crf_test, compat_wapiti;
stand_in_fn compat_wapiti_update;

/* The stand-in for a program by its name, which may be a path, or NULL. */
stand_in_fn *compat_find(const char *program);

/* Begins a call with the options of "train" or "tag". */
void stand_in_begin(stand_in *s, caucus_ctx *ctx, const char *program, const char *options_of);

/* Frees everything; the exit status. */
int stand_in_end(stand_in *s);

/* The next flag, by its letter or number; -1 after the last, or after an error. Then the files are
 * in `input`. `letters` begins with ':'. */
int stand_in_flag(stand_in *s, int argc, char **argv, const char *letters,
                  const struct option *names);

/* Prints "caucus: PROGRAM: ..." and stops the call with status 2. */
__attribute__((format(printf, 2, 3))) void stand_in_misused(stand_in *s, const char *format, ...);

/* A flag that has no meaning here: a note. */
void stand_in_ignores(const stand_in *s, const char *flag, const char *why);

/* Sets an option of ours; stops the call if the value is bad. */
void stand_in_set(stand_in *s, const char *name, const char *value);
void stand_in_set_number(stand_in *s, const char *name, double value);

/* The value of a flag as a number; stops the call if it is none. */
double stand_in_number(stand_in *s, const char *flag, const char *value);

/* Stops the call unless there are between `least` and `most` files. */
void stand_in_expect(stand_in *s, size_t least, size_t most, const char *usage);

/* Reads `data`, trains with the options, and writes the model in `form` (caucus_model_export) to
 * `path`, unless it is NULL. The caller frees *out. */
void stand_in_train(stand_in *s, const char *const *data, size_t count, const char *form,
                    const char *path, caucus_progress_fn *progress, caucus_model **out);

/* The same on data that was read. `path` is not NULL. */
void stand_in_train_on(stand_in *s, const caucus_data *data, const char *form, const char *path,
                       caucus_progress_fn *progress, caucus_model **out);

/* Opens a model, unless the call was stopped; NULL after an error. */
caucus_model *stand_in_open(stand_in *s, const char *path);

/* Tags the files, or standard input without any, and gives each line of the result to `line`, which
 * may change it. It has no newline. */
typedef void stand_in_line_fn(void *user, char *line);
void stand_in_tag(stand_in *s, const caucus_model *model, stand_in_line_fn *line, void *user);

/* Cuts the last column, after the last TAB, off a line; NULL if it has no TAB. */
char *stand_in_last_column(char *line);

/* The probability of a label in "A:0.2 TAB B:0.8"; NaN if it is not there. */
double stand_in_probability_of(const char *list, const char *label);

/* Splits "label:0.5" at its last colon: the number, or NULL without a colon. */
char *stand_in_split_probability(char *cell);

#endif
