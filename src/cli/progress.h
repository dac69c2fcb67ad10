/* progress.h - what a training run says while it runs. */

#ifndef PROGRESS_H
#define PROGRESS_H

#include "caucus.h"

typedef struct {
    bool quiet;      /* neither notes nor progress */
    bool live;       /* standard error is a terminal: one line, rewritten in place */
    bool any;        /* whether an iteration has ended */
    bool shown;      /* whether `last` has been printed */
    double shown_at; /* when a line was printed last, as caucus_progress.elapsed */
    caucus_progress last;
} progress;

void progress_init(progress *p, bool quiet);

/* Takes note of an iteration and prints it when it is time to. */
void progress_step(progress *p, const caucus_progress *now);

/* A caucus_note_fn; `user` is the progress, whose live line it does not disturb. */
void progress_note(void *user, const char *sentence);

/* Leaves the last iteration on the screen. To be called before anything else is said. */
void progress_end(progress *p);

/* Takes the live line off the screen, for what else is to stand there; a log stays as it is. */
void progress_clear(progress *p);

#endif
