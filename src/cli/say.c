/* say.c - the two ways out: lines on standard error, results on standard output. */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli.h"

/* A message is one line whatever a file is called, and cannot send commands to the terminal:
 * control characters become '?'. Only indented lines may follow: those that point at a place in a
 * template. */
static void print_line(const char *format, va_list arguments)
{
    char line[4096];
    vsnprintf(line, sizeof line, format, arguments);
    for (char *c = line; *c; c++)
        if (((unsigned char)*c < ' ' || *c == 0x7f) && !(c[0] == '\n' && c[1] == ' ')) *c = '?';
    fprintf(stderr, "caucus: %s\n", line);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

int misused(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return MISUSED;
}

int failed(const caucus_ctx *ctx, caucus_status st)
{
    const char *message = caucus_message(ctx);
    fflush(stdout); /* what came before the failure, also where both go to the same place */
    say("%s", *message ? message : caucus_status_text(st));
    return st == CAUCUS_ERR_ARGUMENT ? MISUSED : FAILED;
}

/* A reader that has seen enough, as in `caucus tag ... | head`, is no mistake of anybody's. */
static void say_output_failed(int error)
{
    if (error != EPIPE)
        say("standard output: %s; the result is incomplete, write it elsewhere", strerror(error));
}

caucus_status output_write(void *user, const char *bytes, size_t length)
{
    (void)user;
    /* The library hands on what somebody may be waiting for, so it goes on at once. */
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
    bool known = ferror(stdout) && status != DONE;
    errno = EIO; /* for a stream that failed some time ago */
    if ((fclose(stdout) == 0 && !known) || known) return status;
    say_output_failed(errno);
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
