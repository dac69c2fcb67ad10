/* rate.h - the learning rate of a stochastic solver, chosen by trials. */

#ifndef CAU_OPTIM_RATE_H
#define CAU_OPTIM_RATE_H

#include "caucus.h"

enum { CAU_RATE_SAMPLE = 500 }; /* examples that a trial should learn, at most */

/* *f is the objective that a short run with this rate reaches, infinite where it diverges. The
 * solver is as before afterwards. */
typedef caucus_status cau_rate_trial(void *self, double rate, double *f);

/* *rate is the best of 0.1 times powers of 2: searched upwards, or downwards if that is no
 * better. Fails as a trial does. */
caucus_status cau_rate_choose(cau_rate_trial *trial, void *self, double *rate);

#endif
