/* progress.c - a live line on a terminal, a short log elsewhere.
 *
 *     iteration 34  objective 213.4512  gradient 1.2e-03  dev 93.4%  0:12 ~0:30 left
 *     run 7 of 25  score 93.4%  0:12
 *     sweep 150 of 1000  log joint -7019.271  0:02 ~0:11 left
 *
 * The live line is rewritten at most ten times a second and cut to the width of the terminal,
 * for a line that wraps could not be rewritten. A log gets the first iteration, the last, and
 * one line at most every few seconds between them. */

#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

static const double live_pause = 0.1, log_pause = 5; /* seconds between lines */

void progress_init(progress *p, bool quiet)
{
    const char *terminal = getenv("TERM");
    bool able = terminal && *terminal && strcmp(terminal, "dumb") != 0;
    *p = (progress){.quiet = quiet, .live = able && isatty(STDERR_FILENO)};
}

/* Adds to a line; what does not fit is cut off. */
__attribute__((format(printf, 3, 4))) static void add(char *line, size_t size, const char *format,
                                                      ...)
{
    size_t n = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + n, size - n, format, arguments);
    va_end(arguments);
}

/* Seconds as 0:07, 12:34 or 1:02:03. */
static void add_time(char *line, size_t size, double seconds)
{
    if (!(seconds < 1e9)) seconds = 1e9;
    long s = lround(seconds);
    if (s >= 3600)
        add(line, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        add(line, size, "%ld:%02ld", s / 60, s % 60);
}

static void describe(const caucus_progress *p, char *line, size_t size)
{
    *line = '\0';
    if (isnan(p->objective)) { /* the runs of a study */
        add(line, size, "run %zu of %zu", p->iteration, p->passes);
        if (!isnan(p->dev)) add(line, size, "  score %.1f%%", 100 * p->dev);
        add(line, size, "  ");
        add_time(line, size, p->elapsed);
        return;
    }
    if (strcmp(p->solver, "gibbs") == 0)
        add(line, size, "sweep %zu of %zu  log joint %.*f", p->iteration, p->passes,
            decimals(p->objective), p->objective);
    else
        add(line, size, "iteration %zu  objective %.*f", p->iteration, decimals(p->objective),
            p->objective);
    if (!isnan(p->gradient)) add(line, size, "  gradient %.1e", p->gradient);
    if (!isnan(p->dev)) add(line, size, "  dev %.1f%%", 100 * p->dev);
    add(line, size, "  ");
    add_time(line, size, p->elapsed);
    if (!isnan(p->remaining)) {
        add(line, size, " ~");
        add_time(line, size, p->remaining);
        add(line, size, " left");
    }
}

static void print_last(progress *p)
{
    char line[256];
    describe(&p->last, line, sizeof line);
    if (p->live) {
        struct winsize size = {0};
        size_t width = sizeof line;
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
            width = size.ws_col - 1u;
        if (width < sizeof line) line[width] = '\0';
        fprintf(stderr, "\r%s\033[K", line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
    p->shown = true;
    p->shown_at = p->last.elapsed;
}

void progress_step(progress *p, const caucus_progress *now)
{
    bool first = !p->any;
    p->any = true;
    p->shown = false;
    p->last = *now;
    if (p->quiet) return;
    if (first || now->elapsed - p->shown_at >= (p->live ? live_pause : log_pause)) print_last(p);
}

void progress_note(void *user, const char *sentence)
{
    progress *p = user;
    if (p->quiet) return;
    if (p->live && p->any) fputs("\r\033[K", stderr);
    say("%s", sentence);
    if (p->live && p->any) print_last(p);
}

void progress_end(progress *p)
{
    if (p->quiet || !p->any) return;
    p->last.remaining = NAN;
    if (p->live || !p->shown) print_last(p);
    if (p->live) fputc('\n', stderr);
    p->any = false;
}

void progress_clear(progress *p)
{
    if (p->quiet || !p->any || !p->live) return;
    fputs("\r\033[K", stderr);
    p->any = false;
}
