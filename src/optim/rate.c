/* rate.c - see rate.h. As the rate grows, the objective after a short run falls and then rises.
 * The search ends at the first rate that is worse than the one before. */

#include "optim/rate.h"

#include <math.h>

#include "base/status.h"

enum { TRIALS = 60 }; /* in each direction */

caucus_status cau_rate_choose(cau_rate_trial *trial, void *self, double *rate)
{
    caucus_status st = CAUCUS_OK;
    double best = 0.1, least, f;
    TRY(trial(self, best, &least));
    for (int direction = 0; direction < 2; direction++) {
        const double factor = direction == 0 ? 2 : 0.5, first = best;
        for (int i = 0; i < TRIALS; i++) {
            TRY(trial(self, best * factor, &f));
            if (!(f < least) && isfinite(least)) break;
            if (!isfinite(f) && factor > 1) break; /* larger rates will not help */
            best *= factor;
            least = f;
        }
        if (best != first) break;
    }
    *rate = best;
done:
    return st;
}
