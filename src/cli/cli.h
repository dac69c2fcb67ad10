/* cli.h - what the parts of the program share.
 *
 * main.c finds the verb, args.c reads its arguments into a request, and the verb's function
 * (one cmd_*.c each) turns the request into an exit status. Everything the program knows of
 * options comes from the rows of caucus_option_at, everything it knows of verbs from the
 * table in verbs.c: help.c, manual.c and completion.c only lay them out.
 *
 * Results go to standard output, all else to standard error. A failure is one line there:
 * place first, remedy last. */

#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "caucus.h"

/* Exit statuses. A training run that a signal stopped ends with 128 + its number. */
enum { DONE = 0, FAILED = 1, MISUSED = 2 };

typedef struct verb verb;

/* One call of the program. */
typedef struct {
    caucus_ctx *ctx;
    const verb *verb;
    caucus_options *options; /* NULL for verbs that have none */
    const char **operand;    /* [operands], NULL after the last; point into argv */
    size_t operands;
    bool help;  /* --help was met: nothing behind it was read */
    bool quiet; /* --quiet */
} request;

struct verb {
    const char *name;
    const char *synopsis; /* what follows the name */
    const char *summary;  /* one phrase, no full stop */
    const char *about;    /* paragraphs, an empty line between them */
    const char *examples; /* one command a line; NULL: none */
    const char *words;    /* what its operand can be, separated by blanks; NULL: files */
    size_t least, most;   /* operands */
    int (*run)(const request *r);
};

/* ---- verbs.c ------------------------------------------------------------------------- */

const verb *verb_at(size_t index);       /* NULL after the last */
const verb *verb_find(const char *name); /* NULL when there is none of that name */
int verb_unknown(const char *name);      /* complains and suggests; MISUSED */

/* The options of a verb one after the other, those of a group together, groups in the order
 * of their first rows; NULL after the last. */
const caucus_option_info *option_grouped(const verb *v, size_t index);

/* How data may be written: name and description of each format, NULL after the last. */
typedef struct {
    const char *name, *text;
} format_text;
const format_text *format_at(size_t index);

int cmd_train(const request *r);
int cmd_tag(const request *r);
int cmd_eval(const request *r);
int cmd_inspect(const request *r);
int cmd_convert(const request *r);
int cmd_features(const request *r);
int cmd_adapt(const request *r);
int cmd_cluster(const request *r);
int cmd_help(const request *r);
int cmd_manual(const request *r);
int cmd_completion(const request *r);
int cmd_version(const request *r);

/* ---- args.c -------------------------------------------------------------------------- */

/* Reads the arguments of a verb; argv starts behind the verb and ends with NULL. DONE, or the
 * status to exit with after what was wrong has been said. args_clear frees in both cases. */
int args_parse(caucus_ctx *ctx, const verb *v, char **argv, request *out);
void args_clear(request *r);

/* The operands, or "-" (standard input) where there are none. */
const char *const *args_inputs(const request *r, size_t *count);

/* ---- say.c --------------------------------------------------------------------------- */

/* Prints "caucus: ..." as one line of standard error, control characters replaced. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* The same for a command that makes no sense; MISUSED. */
__attribute__((format(printf, 1, 2))) int misused(const char *format, ...);

/* Says why a function of the library failed; FAILED, or MISUSED for a bad argument. */
int failed(const caucus_ctx *ctx, caucus_status st);

/* Standard output as a caucus_write_fn; it says why, when it fails. `user` is not used. */
caucus_status output_write(void *user, const char *bytes, size_t length);

/* The exit status of a library function that wrote through output_write. */
int output_status(const caucus_ctx *ctx, caucus_status st);

/* Closes standard output and finds out whether all bytes arrived: a full disk often shows only
 * now. The status to exit with, which is `status` unless that was DONE and is no longer true. */
int output_close(int status);

/* How many decimals show a number to seven digits, or to six decimals if it is small. */
int decimals(double x);

/* A clock that only goes forward, in seconds. */
double seconds_now(void);

/* Whether two paths name one regular file: a model written over the data that it comes from would
 * be the loss of the data. */
bool same_file(const char *a, const char *b);

/* ---- report.c ------------------------------------------------------------------------ */

/* What a model is, what it cost, how good it is, on standard error. */
void report_model(const caucus_model *model, const char *path, double reading, double training);

/* Runs a study and writes its table. Unless `best` is NULL, the best setting or method is then
 * trained on all data; a curve has none and leaves *best as it is. */
caucus_status run_study(caucus_ctx *ctx, const caucus_data *data, const caucus_options *options,
                        caucus_model **best);

/* ---- help.c -------------------------------------------------------------------------- */

void help_overview(FILE *out);
void help_verb(FILE *out, const verb *v);

/* The row's choices, range and default as in "0 to 0.9; default 0"; "" when there is nothing
 * to say. The text is cut to `size` bytes. */
void help_limits(const caucus_option_info *row, char *text, size_t size);

#endif
