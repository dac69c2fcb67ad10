# Training on several machines: a module for each MPI library whose mpicc is installed, opened at run time
# (src/comm/module.h). The program and the library do not need it.

option(CAUCUS_MPI "build the modules for MPI, where mpicc is found" ON)
set(MPI_MODULES "")
if(CAUCUS_MPI)
  foreach(library openmpi mpich)
    find_program(MPICC_${library} mpicc.${library})
    mark_as_advanced(MPICC_${library})
  endforeach()
  if(NOT MPICC_openmpi AND NOT MPICC_mpich) # a system with one MPI library, which is not Debian's
    find_program(MPICC mpicc)
    mark_as_advanced(MPICC)
    if(MPICC)
      execute_process(COMMAND ${MPICC} --showme:version RESULT_VARIABLE other OUTPUT_QUIET ERROR_QUIET)
      if(other EQUAL 0)
        set(MPICC_openmpi ${MPICC})
      else()
        set(MPICC_mpich ${MPICC})
      endif()
    endif()
  endif()
endif()

foreach(library openmpi mpich)
  if(MPICC_${library})
    set(module ${PROJECT_BINARY_DIR}/libcaucus-mpi-${library}.so)
    add_custom_command(
      OUTPUT ${module}
      COMMAND ${MPICC_${library}} -std=c17 -O2 -g -Wall -Wextra -Wshadow -fPIC -shared -fvisibility=hidden
              -I${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/comm/mpi_module.c -o ${module}
      DEPENDS src/comm/mpi_module.c src/comm/module.h
      COMMENT "Building the module for ${library}"
      VERBATIM)
    list(APPEND MPI_MODULES ${module})
  endif()
endforeach()
add_custom_target(mpi_modules ALL DEPENDS ${MPI_MODULES})
install(FILES ${MPI_MODULES} DESTINATION ${CMAKE_INSTALL_LIBDIR}/caucus)
