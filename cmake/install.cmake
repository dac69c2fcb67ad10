# What `make install` puts where. The manual page and the completions are written by the
# program itself, from the rows of its option tables, so they cannot disagree with it.

# write_by_caucus(FILE ARGS...): `caucus ARGS` fills FILE in the build folder. The rename is
# last, so that a run that failed leaves no half-written file that looks up to date.
function(write_by_caucus file)
  add_custom_command(
    OUTPUT ${file}
    COMMAND caucus ${ARGN} > ${file}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${file}.new ${file}
    DEPENDS caucus
    COMMENT "Writing ${file}"
    VERBATIM)
endfunction()

install(TARGETS caucus caucus_static caucus_shared)
install(FILES include/caucus.h TYPE INCLUDE)

# The .pc file finds its prefix from where it lies, so the tree may be installed anywhere.
file(RELATIVE_PATH PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REPLACE ";" " " PC_REQUIRES "${REQUIRES}")
configure_file(cmake/caucus.pc.in caucus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/caucus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "Cross compiling: no manual page and no completions, which the program "
                 "would have to write")
  return()
endif()

write_by_caucus(caucus.1 manual)
write_by_caucus(caucus.bash completion bash)
write_by_caucus(_caucus completion zsh)
write_by_caucus(caucus.fish completion fish)
add_custom_target(manuals ALL DEPENDS caucus.1 caucus.bash _caucus caucus.fish)

install(FILES ${PROJECT_BINARY_DIR}/caucus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/caucus.bash RENAME caucus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/_caucus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/caucus.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
