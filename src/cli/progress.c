/* progress.c - the progress of long work, and Ctrl-C during it.
 *
 *     iteration 34  objective 213.4512  gradient 1.2e-03  dev 93.4%  0:12 ~0:30 left
 *     run 7 of 25  score 93.4%  0:12
 *     sweep 150 of 1000  log joint -7019.271  0:02 ~0:11 left
 *
 * On a terminal this is one line, rewritten at most ten times a second and cut to the width of the
 * terminal, because a line that wraps cannot be rewritten. A log gets the first iteration, the
 * last, and at most one line every few seconds between them.
 *
 * The first SIGINT or SIGTERM asks the work to stop: the handler notes the signal, the progress
 * callback passes it on, and the best result so far is saved. The handler also restores the
 * default action, so the second signal kills at once; files appear whole or not at all. While data
 * is read there is nothing to save, and the default action is in place. */

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

/* ---- signals --------------------------------------------------------------------------------- */

/* A handler can use nothing but such variables. */
static volatile sig_atomic_t stop_signal, announced;

static void restore_default(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
}

static void on_signal(int number)
{
    static const char text[] =
        "\ncaucus: stopping after this iteration; press Ctrl-C again to kill\n";
    const int error = errno;
    stop_signal = number;
    restore_default(SIGINT);
    restore_default(SIGTERM);
    if (announced && write(STDERR_FILENO, text, sizeof text - 1) < 0) announced = 0;
    errno = error;
}

/* A signal that the caller ignores (nohup, a background job of a script) stays ignored. */
static void catch_one(int number)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void catch_signals(bool announce)
{
    announced = announce;
    catch_one(SIGINT);
    catch_one(SIGTERM);
}

int caught_signal(void)
{
    return stop_signal;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const double live_pause = 0.1, log_pause = 5; /* seconds between lines */

/* Adds to a line, which is cut at `size`. */
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

/* What a step counts, and the name of its objective. */
static void add_step(char *line, size_t size, const caucus_progress *p)
{
    const bool mistakes = strcmp(p->solver, "perceptron") == 0 || strcmp(p->solver, "pa") == 0;
    const bool gibbs = strcmp(p->solver, "gibbs") == 0;
    if (isnan(p->objective)) { /* a study */
        add(line, size, "run %zu of %zu", p->iteration, p->passes);
        if (!isnan(p->dev)) add(line, size, "  score %.1f%%", 100 * p->dev);
        return;
    }
    add(line, size, "%s %zu", gibbs ? "sweep" : "iteration", p->iteration);
    if (gibbs) add(line, size, " of %zu", p->passes);
    add(line, size, "  %s %.*f",
        gibbs      ? "log joint"
        : mistakes ? "wrong labels"
                   : "objective",
        mistakes ? 0 : decimals(p->objective), p->objective);
    if (!isnan(p->gradient)) add(line, size, "  gradient %.1e", p->gradient);
    if (!isnan(p->dev)) add(line, size, "  dev %.1f%%", 100 * p->dev);
    if (p->imbalance > 0.005) add(line, size, "  imbalance %.0f%%", 100 * p->imbalance);
}

static void print_last(progress_line *p)
{
    char line[256] = "";
    add_step(line, sizeof line, &p->last);
    add(line, sizeof line, "  ");
    add_time(line, sizeof line, p->last.elapsed);
    if (!isnan(p->last.remaining)) {
        add(line, sizeof line, " ~");
        add_time(line, sizeof line, p->last.remaining);
        add(line, sizeof line, " left");
    }
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

/* A caucus_progress_fn. */
static bool on_progress(void *user, const caucus_progress *now)
{
    progress_line *p = user;
    const bool first = !p->any;
    p->any = true;
    p->shown = false;
    p->last = *now;
    if (!p->quiet && (first || now->elapsed - p->shown_at >= (p->live ? live_pause : log_pause)))
        print_last(p);
    return stop_signal == 0;
}

/* A caucus_note_fn, which prints the live line again below the note. */
static void on_note(void *user, const char *sentence)
{
    progress_line *p = user;
    if (p->quiet) return;
    if (p->live && p->any) fputs("\r\033[K", stderr);
    say("%s", sentence);
    if (p->live && p->any) print_last(p);
}

void progress_init(progress_line *p, const request *r)
{
    const char *terminal = getenv("TERM");
    const bool able = terminal && *terminal && strcmp(terminal, "dumb") != 0;
    *p = (progress_line){.quiet = r->quiet, .live = able && isatty(STDERR_FILENO)};
    caucus_on_note(r->ctx, on_note, p);
    caucus_on_progress(r->ctx, on_progress, p);
}

void progress_end(progress_line *p)
{
    if (p->quiet || !p->any) return;
    p->last.remaining = NAN;
    if (p->live || !p->shown) print_last(p);
    if (p->live) fputc('\n', stderr);
    p->any = false;
}

void progress_clear(progress_line *p)
{
    if (p->quiet || !p->any || !p->live) return;
    fputs("\r\033[K", stderr);
    p->any = false;
}
