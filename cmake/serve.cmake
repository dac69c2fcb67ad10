# `caucus serve`: src/serve and the pages in it. Without libmicrohttpd the command only says so.

pkg_check_modules(MHD IMPORTED_TARGET libmicrohttpd>=0.9.71)
if(MHD_FOUND)
  file(GLOB SERVE_SOURCES CONFIGURE_DEPENDS src/serve/*.c)
  list(FILTER SERVE_SOURCES EXCLUDE REGEX "_test\\.c$|/serve_absent\\.c$")
  file(GLOB PAGES CONFIGURE_DEPENDS src/serve/pages/*)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/pages.c
    COMMAND ${CMAKE_COMMAND} -D PAGES=${PROJECT_SOURCE_DIR}/src/serve/pages
            -D OUT=${PROJECT_BINARY_DIR}/pages.c -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
    DEPENDS ${PAGES} cmake/pages.cmake
    COMMENT "Writing pages.c"
    VERBATIM)
  add_library(serve STATIC ${SERVE_SOURCES} ${PROJECT_BINARY_DIR}/pages.c)
  target_link_libraries(serve PUBLIC caucus_static PkgConfig::MHD)
else()
  message(STATUS "libmicrohttpd is missing: `caucus serve` will not work")
  add_library(serve STATIC src/serve/serve_absent.c)
  target_link_libraries(serve PUBLIC caucus_static)
  list(FILTER TEST_SOURCES EXCLUDE REGEX "/src/serve/")
endif()
target_include_directories(serve PRIVATE include src)
