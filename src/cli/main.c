/* main.c - finds the command, parses its arguments, runs it, and checks that its output was
 * written. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"

/* If the caller has closed standard input, output or error, the next file to be opened would take
 * its number, and a message could end up inside a model. So each closed one is opened in a way
 * that fails on use: for writing as input, for reading as output. */
static void open_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(FAILED);
}

static void print_note(void *user, const char *sentence)
{
    (void)user;
    say("%s", sentence);
}

/* Joins the other processes of a job, if a launcher started some. */
static int join(const command *c, caucus_ctx *ctx)
{
    size_t rank;
    const size_t launched = caucus_launched(&rank);
    if (launched == 1 || (!c->ranks && !caucus_option_at(c->name, 0))) return DONE;
    messages_of_rank(rank, launched);
    const caucus_status st = c->ranks ? caucus_join(ctx) : CAUCUS_OK;
    if (!c->ranks)
        return misused("caucus %s is not made for %zu processes, and each would do the same; start "
                       "it without mpirun or srun, or set CAUCUS_MPI=none",
                       c->name, launched);
    return st ? failed(ctx, st) : DONE;
}

/* Leaves the job; after a failure, ends the other processes too, which may wait for this one. */
static void leave(caucus_ctx *ctx, int status)
{
    if (caucus_ranks(ctx) == 1) return;
    if (status == FAILED || status == MISUSED) {
        usleep(100000); /* the launcher passes the message on */
        caucus_abort(ctx, status);
    }
    caucus_leave(ctx);
}

static int run(const command *c, char **argv)
{
    caucus_ctx *ctx = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (st) return failed(NULL, st);

    request r = {0};
    int status = join(c, ctx);
    if (status == DONE) status = request_parse(ctx, c, argv, &r);
    if (caucus_rank(ctx)) r.quiet = true;
    if (status == DONE && (r.help || r.help_all)) {
        if (caucus_rank(ctx) == 0) help_command(stdout, c, r.help_all);
    } else if (status == DONE) {
        if (!r.quiet) caucus_on_note(ctx, print_note, NULL);
        status = c->run(&r);
    }
    request_clear(&r);
    leave(ctx, status);
    caucus_ctx_free(ctx);
    return status;
}

/* The name of a command that does not exist; options before the command come here as well. */
static int unknown_command(const char *name)
{
    static const char *const options[] = {"--help", "--version", "-help", "-version", NULL};
    const char *guess = command_guess(name + strspn(name, "-"));
    if (name[0] == '-' && caucus_nearest(name, options))
        return misused("there is no option %s; did you mean %s?", name,
                       strchr(caucus_nearest(name, options), 'v') ? "--version" : "--help");
    if (guess) return misused("there is no command '%s'; did you mean '%s'?", name, guess);
    if (name[0] == '-')
        return misused("%s: options follow the command, as in `caucus train %s`; `caucus help` "
                       "lists the commands",
                       name, name);
    return misused("there is no command '%s'; `caucus help` lists the commands", name);
}

int main(int argc, char **argv)
{
    open_standard_files();
    if (argc < 2 && !compat_find(argv[0])) {
        help_overview(stderr);
        return MISUSED;
    }
    if (!isatty(STDOUT_FILENO)) setvbuf(stdout, NULL, _IOFBF, 1 << 16);

    if (compat_find(argv[0])) return output_close(run(command_find("compat"), argv));
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const command *c = command_find(name);
    return output_close(c ? run(c, argv + 2) : unknown_command(name));
}
