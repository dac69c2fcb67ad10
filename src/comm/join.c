/* join.c - finds out whether a launcher started this process with others, and opens the module of
 * its MPI library.
 *
 * The launcher shows in the environment. Open MPI and the process managers of MPICH and Slurm each
 * have variables of their own, and a module of the wrong library would not find the others: each
 * process would believe to be alone, and train a model of its own. So the number of ranks that MPI
 * reports is compared with that of the launcher. */

#include "comm/join.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

#ifndef CAU_MODULE_DIR /* where `make install` puts modules */
#define CAU_MODULE_DIR "/usr/lib/caucus"
#endif

static const char *setting(void)
{
    const char *text = getenv("CAUCUS_MPI");
    return text && *text ? text : NULL;
}

/* A number in the environment; `none` if there is none. */
static size_t number_of(const char *name, size_t none)
{
    const char *text = getenv(name);
    uint64_t number;
    return text && cau_parse_count(text, strlen(text), &number) && number < INT_MAX ? (size_t)number
                                                                                    : none;
}

typedef struct {
    const char *size, *rank; /* variables */
    const char *library;     /* whose module to try first */
} launcher;

static const launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi"},
    {"PMI_SIZE", "PMI_RANK", "mpich"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "mpich"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "openmpi"}, /* srun; a batch script lacks the first */
};

static const launcher *find_launcher(size_t *ranks, size_t *rank)
{
    const char *how = setting();
    *ranks = 1;
    *rank = 0;
    if (how && strcmp(how, "none") == 0) return NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const launcher *l = &launchers[i];
        if (number_of(l->size, 1) < 2) continue;
        *ranks = number_of(l->size, 1);
        *rank = number_of(l->rank, 0);
        return l;
    }
    return NULL;
}

size_t cau_launched(size_t *rank)
{
    size_t ranks;
    find_launcher(&ranks, rank);
    return ranks;
}

/* ---- the module ------------------------------------------------------------------------------ */

/* The folder of the program or library that holds this code; "" if unknown. */
static void own_folder(char *folder, size_t size)
{
    Dl_info info;
    char path[PATH_MAX];
    folder[0] = '\0';
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) path[n] = '\0';
    if (dladdr((void *)(uintptr_t)own_folder, &info) && info.dli_fname &&
        strstr(info.dli_fname, ".so"))
        snprintf(folder, size, "%s", info.dli_fname);
    else if (n > 0)
        snprintf(folder, size, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

/* Opens a module and checks that it is one. */
static const cau_comm_module *open_module(const char *path)
{
    void *so =
        dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI has plug-ins that need its symbols */
    cau_comm_module_fn *get = NULL;
    if (!so) return NULL;
    void *symbol = dlsym(so, CAU_COMM_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    const cau_comm_module *module = get ? get() : NULL;
    return module && module->version == CAU_COMM_VERSION ? module : NULL;
}

/* Looks for the module of a library beside the program, and where it is installed. */
static const cau_comm_module *find_module(const char *library)
{
    char own[PATH_MAX], path[PATH_MAX + 64];
    own_folder(own, sizeof own);
    const cau_comm_module *module = NULL;
    const char *const folders[] = {".", "../lib/caucus", "caucus"}; /* from the own one */
    for (size_t i = 0; !module && own[0] && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s/libcaucus-mpi-%s.so", own, folders[i], library);
        module = open_module(path);
    }
    if (module) return module;
    snprintf(path, sizeof path, "%s/libcaucus-mpi-%s.so", CAU_MODULE_DIR, library);
    return open_module(path);
}

static caucus_status load(caucus_ctx *ctx, const launcher *l, size_t ranks,
                          const cau_comm_module **out)
{
    const char *path = setting();
    if (path) {
        *out = open_module(path);
        if (*out) return CAUCUS_OK;
        const char *reason = dlerror();
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "CAUCUS_MPI=%s: %s; name a libcaucus-mpi-*.so, or 'none'", path,
                        reason ? reason : "not a module of this version");
    }
    *out = find_module(l->library);
    if (!*out && strcmp(l->library, "mpich") == 0) *out = find_module("openmpi");
    if (!*out && strcmp(l->library, "openmpi") == 0) *out = find_module("mpich");
    if (*out) return CAUCUS_OK;
    return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                    "%zu processes were started, but caucus was built without MPI, and each would "
                    "train a model of its own; install mpicc (libopenmpi-dev or libmpich-dev) and "
                    "build again, or set CAUCUS_MPI=none",
                    ranks);
}

/* ---- from joining to leaving ----------------------------------------------------------------- */

void cau_comm_release(cau_comm *c)
{
    free(c->inbox);
    free(c->out);
    free(c->in);
    free(c->out_bytes);
    free(c->in_bytes);
    free(c->at);
    free(c->first);
    free(c->begin);
    free(c->lengths);
}

bool cau_comm_allocate(cau_comm *c)
{
    c->out = cau_calloc(c->ranks, sizeof *c->out);
    c->in = cau_calloc(c->ranks, sizeof *c->in);
    c->out_bytes = cau_calloc(c->ranks, sizeof *c->out_bytes);
    c->in_bytes = cau_calloc(c->ranks, sizeof *c->in_bytes);
    c->at = cau_calloc(c->ranks + 1, sizeof *c->at);
    c->first = cau_calloc(c->ranks + 1, sizeof *c->first);
    c->begin = cau_calloc(c->ranks + 1, sizeof *c->begin);
    c->lengths = cau_calloc(c->ranks, sizeof *c->lengths);
    return c->out && c->in && c->out_bytes && c->in_bytes && c->at && c->first && c->begin &&
           c->lengths;
}

caucus_status cau_comm_join(caucus_ctx *ctx, cau_comm **out)
{
    caucus_status st = CAUCUS_OK;
    size_t ranks, rank;
    cau_comm *c = NULL;
    const launcher *l = find_launcher(&ranks, &rank);
    *out = NULL;
    if (!l) return CAUCUS_OK;
    c = cau_calloc(1, sizeof *c);
    if (!c) TRY(cau_fail_memory(ctx, "MPI"));
    TRY(load(ctx, l, ranks, &c->module));
    if (c->module->start(&c->rank, &c->ranks))
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s does not start; check the installation of MPI",
                     c->module->name));
    if (c->ranks != ranks)
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "%zu processes were started, but %s sees %zu; start caucus with the mpirun of "
                     "this library (with srun: --mpi=pmix or --mpi=pmi2)",
                     ranks, c->module->name, c->ranks));
    if (!cau_comm_allocate(c)) TRY(cau_fail_memory(ctx, "MPI"));
    *out = c;
    c = NULL;
done:
    if (c) cau_comm_release(c);
    free(c);
    return st;
}

void cau_comm_leave(cau_comm *c)
{
    if (!c) return;
    c->module->end();
    cau_comm_release(c);
    free(c);
}

void cau_comm_stop(cau_comm *c, int status)
{
    c->module->stop(status);
}
