/* main.c - finds the verb, has its arguments read, runs it, and makes sure that what it wrote
 * has arrived. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* A caller may have closed standard input, output or error. The next file to be opened would
 * take that number, and a message could end up inside a model. So each gets a file which
 * fails when it is used: one that cannot be read for input, cannot be written for output. */
static void hold_standard_files(void)
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

static int run(const verb *v, char **argv)
{
    caucus_ctx *ctx = NULL;
    caucus_status st = caucus_ctx_new(&ctx);
    if (st) return failed(NULL, st);

    request r;
    int status = args_parse(ctx, v, argv, &r);
    if (status == DONE && r.help) {
        help_verb(stdout, v);
    } else if (status == DONE) {
        if (!r.quiet) caucus_on_note(ctx, print_note, NULL);
        status = v->run(&r);
    }
    args_clear(&r);
    caucus_ctx_free(ctx);
    return status;
}

int main(int argc, char **argv)
{
    hold_standard_files();
    if (argc < 2) {
        help_overview(stderr);
        return MISUSED;
    }
    if (!isatty(STDOUT_FILENO)) setvbuf(stdout, NULL, _IOFBF, 1 << 16);

    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    if (name[0] == '-')
        return misused("%s: options stand behind the verb, as in caucus train %s; "
                       "caucus --help lists the verbs",
                       name, name);
    const verb *v = verb_find(name);
    return output_close(v ? run(v, argv + 2) : verb_unknown(name));
}
