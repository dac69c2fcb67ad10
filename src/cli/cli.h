/* cli.h - what the files of the program share.
 *
 * main.c finds the command, arguments.c reads its arguments into a request, and the function of
 * the command turns the request into an exit status. Everything that the program knows about
 * options comes from caucus_option_at, and about commands from the table in commands.c; help.c,
 * manual.c and completion.c lay them out.
 *
 * Results go to standard output, everything else to standard error. An error is one line there:
 * place first, remedy last. */

#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "caucus.h"

/* Exit statuses. A training run that a signal stopped ends with 128 + its number. */
enum { DONE = 0, FAILED = 1, MISUSED = 2 };

typedef struct command command;

/* One call of the program. */
typedef struct {
    caucus_ctx *ctx;
    const command *command;
    caucus_options *options; /* NULL for commands without options */
    const char **operand;    /* [operands] and NULL; they point into argv */
    size_t operands;
    bool help, help_all; /* --help or --help-all; the arguments after it were not read */
    bool quiet;
} request;

struct command {
    const char *name;
    const char *synopsis; /* the text after the name */
    const char *summary;  /* one phrase, no full stop */
    const char *about;    /* paragraphs with an empty line between them */
    const char *examples; /* one command line per line; NULL: none */
    const char *words;    /* valid operands, separated by blanks; NULL: files */
    const char *slips;    /* names that people try instead, separated by blanks; or NULL */
    size_t least, most;   /* number of operands */
    bool ranks;           /* several processes can share the work */
    bool raw;             /* what follows the first operand is not ours to read */
    int (*run)(const request *r);
};

/* ---- commands.c ------------------------------------------------------------------------------ */

const command *command_at(size_t index);       /* NULL after the last */
const command *command_find(const char *name); /* NULL for an unknown name */

/* The command that a wrong name probably means, or NULL. */
const char *command_guess(const char *name);

int cmd_help(const request *r);
int cmd_train(const request *r);
int cmd_adapt(const request *r);
int cmd_cluster(const request *r);
int cmd_compat(const request *r);
int cmd_manual(const request *r);
int cmd_completion(const request *r);

/* ---- arguments.c ----------------------------------------------------------------------------- */

/* Reads the arguments after the name of the command; argv ends with NULL. DONE, or the exit status
 * after an error message. request_clear frees the request in both cases. */
int request_parse(caucus_ctx *ctx, const command *c, char **argv, request *out);
void request_clear(request *r);

/* The operands, or "-" (standard input) if there are none. */
const char *const *request_inputs(const request *r, size_t *count);

/* ---- messages.c ------------------------------------------------------------------------------ */

/* Prints "caucus: ..." as one line on standard error, control characters replaced. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* From now on, messages name the rank of this process and its host. Ranks above 0 write nothing
 * else anywhere, and wait a moment before a message: rank 0 mostly has the same one, and ends the
 * job. */
void messages_of_rank(size_t rank, size_t ranks);

/* The same for wrong usage; the exit status. */
#define misused(...) (say(__VA_ARGS__), MISUSED)

/* Prints why a function of the library failed; FAILED, or MISUSED for a bad argument. */
int failed(const caucus_ctx *ctx, caucus_status st);

/* Standard output as a caucus_write_fn, which reports its own errors. `user` is not used. */
caucus_status output_write(void *user, const char *bytes, size_t length);

/* The exit status of a library function that wrote through output_write. */
int output_status(const caucus_ctx *ctx, caucus_status st);

/* Closes standard output and checks that all bytes arrived: a full disk often shows only now. The
 * exit status: `status`, unless that was DONE and is no longer true. */
int output_close(int status);

/* The number of decimals that show x to seven digits, at most six. */
int decimals(double x);

double seconds_now(void); /* a monotonic clock */

/* Whether two paths name one regular file. Writing a model over its data would destroy the data. */
bool same_file(const char *a, const char *b);

/* ---- progress.c ------------------------------------------------------------------------------ */

/* The progress of long work on standard error. */
typedef struct {
    bool quiet;      /* neither notes nor progress */
    bool live;       /* standard error is a terminal: one line, rewritten in place */
    bool any;        /* whether an iteration has ended */
    bool shown;      /* whether `last` has been printed */
    double shown_at; /* when a line was printed last, as caucus_progress.elapsed */
    caucus_progress last;
} progress_line;

/* Shows the notes and the progress of the context from now on; on_progress also stops the work
 * after a signal. */
void progress_init(progress_line *p, const request *r);

/* Leaves the last iteration on the screen. Call it before anything else is printed. */
void progress_end(progress_line *p);

/* Removes the live line from the screen, to print something else there; a log stays as it is. */
void progress_clear(progress_line *p);

/* From now on, SIGINT and SIGTERM ask the work to stop instead of killing the program. `announce`
 * prints a line on the first signal. */
void catch_signals(bool announce);
int caught_signal(void); /* the signal that arrived, or 0 */

/* ---- help.c and topics.c --------------------------------------------------------------------- */

void help_overview(FILE *out);
void help_command(FILE *out, const command *c, bool all); /* all options, or the common ones */

/* The choices or range of an option and its default, as in "0 to 0.9; default 0"; "" if there is
 * nothing to print. The text is cut to `size` bytes. */
void option_limits(const caucus_option_info *option, char *text, size_t size);

/* The options of a command by index, those of a group together; NULL after the last. */
const caucus_option_info *option_grouped(const command *c, size_t index);

/* A page of the help that is not about a command: paragraphs and definitions. */
typedef struct {
    const char *term; /* NULL: the text is a paragraph */
    const char *text; /* NULL after the last */
} topic_entry;
typedef struct {
    const char *name, *summary;
    const topic_entry *entries;
} topic;
const topic *topic_at(size_t index); /* NULL after the last */

#endif
