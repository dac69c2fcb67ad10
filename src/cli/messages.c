/* messages.c - messages on standard error, results on standard output, and small helpers. */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* Of this process, in a job of several. */
static size_t own_rank, all_ranks = 1;
static char own_host[65] = "?";

void messages_of_rank(size_t rank, size_t ranks)
{
    own_rank = rank;
    all_ranks = ranks;
    gethostname(own_host, sizeof own_host - 1);
}

/* Seconds that a rank waits before its message. */
static double patience_of(size_t rank)
{
    return rank ? 1.5 + 0.2 * (double)(rank < 20 ? rank : 20) : 0;
}

/* Control characters become '?', so that the name of a file cannot break the line or send commands
 * to the terminal. Only a newline before an indented line is kept: it shows a place in a template.
 */
void say(const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if (((unsigned char)*c < ' ' || *c == 0x7f) && !(c[0] == '\n' && c[1] == ' ')) *c = '?';
    if (all_ranks > 1 && own_rank) usleep((useconds_t)(1e6 * patience_of(own_rank)));
    fprintf(stderr, "caucus: %s\n", line);
}

/* "rank 2 on node7: ", or nothing. */
static const char *place_of_rank(void)
{
    static char text[128];
    if (all_ranks > 1) snprintf(text, sizeof text, "rank %zu on %s: ", own_rank, own_host);
    return text;
}

int failed(const caucus_ctx *ctx, caucus_status st)
{
    const char *message = caucus_message(ctx);
    fflush(stdout); /* both may go to the same place */
    say("%s%s", place_of_rank(), *message ? message : caucus_status_text(st));
    return st == CAUCUS_ERR_ARGUMENT ? MISUSED : FAILED;
}

/* A closed pipe, as in `caucus tag ... | head`, is not worth a message. */
static void say_output_failed(int error)
{
    if (error != EPIPE)
        say("standard output: %s; the result is incomplete, write it elsewhere", strerror(error));
}

caucus_status output_write(void *user, const char *bytes, size_t length)
{
    (void)user;
    if (own_rank) return CAUCUS_OK;
    /* The library writes at the end of what a reader may be waiting for. */
    if (fwrite(bytes, 1, length, stdout) == length && fflush(stdout) == 0) return CAUCUS_OK;
    say_output_failed(errno);
    return CAUCUS_ERR_IO;
}

int output_status(const caucus_ctx *ctx, caucus_status st)
{
    if (ferror(stdout)) return FAILED; /* output_write said why */
    return st ? failed(ctx, st) : DONE;
}

int output_close(int status)
{
    /* A write that failed earlier may have emptied the buffer, and then fclose succeeds. */
    const bool failed_before = ferror(stdout) != 0;
    const int reason = errno;
    if (fclose(stdout) == 0 && !failed_before) return status;
    if (failed_before && status != DONE) return status; /* output_write said why */
    say_output_failed(!failed_before ? errno : reason ? reason : EIO);
    return status == DONE ? FAILED : status;
}

int decimals(double x)
{
    double magnitude = floor(log10(fabs(x)));
    if (!(magnitude > 0)) return 6; /* also for 0 and NaN */
    return magnitude < 6 ? 6 - (int)magnitude : 0;
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}
