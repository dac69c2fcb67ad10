/* mapping.c - see mapping.h. */

#include "base/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

caucus_status cau_map_file(caucus_ctx *ctx, const char *path, cau_str *bytes)
{
    caucus_status st = CAUCUS_OK;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0)
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: %s; check the path of the model", path,
                     strerror(errno)));
    if (!S_ISREG(info.st_mode))
        TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: not a regular file; give a model file", path));
    *bytes = (cau_str){NULL, 0};
    if (info.st_size > 0) {
        void *image = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (image == MAP_FAILED)
            TRY(cau_fail(ctx, CAUCUS_ERR_IO, "%s: cannot be mapped: %s", path, strerror(errno)));
        *bytes = (cau_str){image, (size_t)info.st_size};
    }
done:
    if (file >= 0) close(file);
    return st;
}

void cau_unmap_file(cau_str bytes)
{
    if (bytes.s) munmap((void *)(uintptr_t)bytes.s, bytes.n);
}
