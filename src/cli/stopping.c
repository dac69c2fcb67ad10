/* stopping.c - Ctrl-C during long work.
 *
 * The first one (or SIGTERM) asks the work to end where it can be left: the handler only notes the
 * signal, the progress callback passes it on, and what there is by then is kept. The handler also
 * puts the default action back, so that the second one kills at once; a file is then what it was,
 * since files appear whole or not at all. While data is being read there is nothing to keep, and
 * the default action is in place. */

#include "stopping.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* The number of the signal that asked for the end, and whether somebody at a terminal waits for
 * an answer. A handler can reach nothing but such variables. */
static volatile sig_atomic_t stop_signal, answer;

static void default_action(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
}

static void on_signal(int number)
{
    static const char text[] =
        "\ncaucus: stopping as soon as what there is can be kept; once more ends at once\n";
    int error = errno;
    stop_signal = number;
    default_action(SIGINT);
    default_action(SIGTERM);
    if (answer && write(STDERR_FILENO, text, sizeof text - 1) < 0) answer = 0;
    errno = error;
}

/* A signal that the caller has ignored (nohup, a background job of a script) stays ignored. */
static void catch_signal(int number)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void stopping_catch(bool tell)
{
    answer = tell;
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

int stopping_signal(void)
{
    return stop_signal;
}

bool stopping_progress(void *user, const caucus_progress *now)
{
    progress_step(user, now);
    return stop_signal == 0;
}
