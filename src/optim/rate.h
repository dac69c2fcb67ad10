/* rate.h - the learning rate of a stochastic solver, chosen by trials. */

#ifndef CAU_OPTIM_RATE_H
#define CAU_OPTIM_RATE_H

#include "caucus.h"

enum { CAU_RATE_SAMPLE = 500 }; /* the most examples for a trial */

/* Sets *f to the objective that a short run with this rate reaches, infinite when it diverges.
 * Restores the solver. */
typedef caucus_status cau_rate_trial(void *self, double rate, double *f);

/* Sets *rate to the best of 0.1 times the powers of 2. Searches upwards, then downwards if the
 * objective did not improve. Returns the status of a failed trial. */
caucus_status cau_rate_choose(cau_rate_trial *trial, void *self, double *rate);

#endif
