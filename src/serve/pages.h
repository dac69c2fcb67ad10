/* pages.h - the files of src/serve/pages, which the build puts into the program
 * (cmake/pages.cmake). */

#ifndef CAU_SERVE_PAGES_H
#define CAU_SERVE_PAGES_H

#include "serve/http.h"

extern const cau_http_page cau_pages[]; /* the last has no path */

#endif
