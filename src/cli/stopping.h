/* stopping.h - Ctrl-C during long work. */

#ifndef STOPPING_H
#define STOPPING_H

#include "progress.h"

/* From here on a signal asks for the end instead of making it; `tell`: and says so. */
void stopping_catch(bool tell);

/* The signal that asked, or 0. */
int stopping_signal(void);

/* A caucus_progress_fn whose user is a progress: shows it, and ends the work when asked to. */
bool stopping_progress(void *user, const caucus_progress *now);

#endif
