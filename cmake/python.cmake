# The Python package: the extension module and the files of python/caucus, together in build/python, from
# where PYTHONPATH can import them. CAUCUS_PYTHON is the interpreter whose headers are used; the module is
# built for the limited API of 3.9, so every later CPython loads it. Without headers there is no target.
find_program(CAUCUS_PYTHON python3 HINTS /usr/bin DOC "the Python interpreter to build for")
set(python_include "")
if(CAUCUS_PYTHON)
  execute_process(
    COMMAND ${CAUCUS_PYTHON} -c "import sysconfig; print(sysconfig.get_path('include'))"
    OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT EXISTS "${python_include}/Python.h")
  message(STATUS "There are no headers of Python: the Python package is left out")
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.c)
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS
     python/caucus/*.py python/caucus/*.pyi python/caucus/py.typed)
set(python_package ${PROJECT_BINARY_DIR}/python/caucus)

# Only PyInit__caucus is visible: the copy of the library must not mix with a shared one.
add_library(python_module MODULE EXCLUDE_FROM_ALL ${python_sources})
target_include_directories(python_module SYSTEM PRIVATE ${python_include})
target_link_libraries(python_module PRIVATE caucus_static)
target_link_options(python_module PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(python_module PROPERTIES PREFIX "" OUTPUT_NAME _caucus SUFFIX .abi3.so
                      LIBRARY_OUTPUT_DIRECTORY ${python_package})

set(python_copies "")
foreach(file IN LISTS python_files)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/python/caucus ${file})
  add_custom_command(OUTPUT ${python_package}/${name}
                     COMMAND ${CMAKE_COMMAND} -E copy ${file} ${python_package}/${name}
                     DEPENDS ${file} VERBATIM)
  list(APPEND python_copies ${python_package}/${name})
endforeach()
if(CAUCUS_TESTS AND NOT CAUCUS_SANITIZE)
  set(python_default ALL)
  # The same module for a debug build of Python, whose tests count all references.
  find_program(CAUCUS_PYTHON_DEBUG python3-dbg HINTS /usr/bin DOC "a debug build of Python")
  if(CAUCUS_PYTHON_DEBUG)
    add_library(python_debug MODULE ${python_sources})
    target_compile_definitions(python_debug PRIVATE Py_DEBUG)
    target_include_directories(python_debug SYSTEM PRIVATE ${python_include})
    target_link_libraries(python_debug PRIVATE caucus_static)
    target_link_options(python_debug PRIVATE -Wl,--exclude-libs,ALL)
    set_target_properties(python_debug PROPERTIES PREFIX "" OUTPUT_NAME _caucus SUFFIX .abi3.so
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python-debug)
  endif()
endif()
add_custom_target(python ${python_default} DEPENDS python_module ${python_copies})
