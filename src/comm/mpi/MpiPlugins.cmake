# One plug-in for each MPI flavour that is installed: lockstep_comm_openmpi.so, lockstep_comm_mpich.so. The program finds
# them beside itself or, installed, from its own folder.
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/lockstep)
find_package(PkgConfig QUIET)
# lockstep_add_mpi_plugin(openmpi ompi-c): nothing where pkg-config does not know the flavour.
function(lockstep_add_mpi_plugin flavour package)
  if(PkgConfig_FOUND)
    pkg_check_modules(LOCKSTEP_MPI_${flavour} QUIET IMPORTED_TARGET GLOBAL ${package})
  endif()
  if(NOT LOCKSTEP_MPI_${flavour}_FOUND)
    message(STATUS "No MPI plug-in for ${flavour}: pkg-config finds no ${package}")
    return()
  endif()
  set(target lockstep_comm_${flavour})
  add_library(${target} MODULE mpi/plugin.cpp mpi/plugin_recovery.cpp)
  # No path to the MPI library is kept: the launcher's environment says which one it is.
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    SKIP_BUILD_RPATH ON CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE LOCKSTEP_MPI_FLAVOUR="${flavour}"
    OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # the C++ names of MPI are in a library that nobody links
  target_link_libraries(${target} PRIVATE PkgConfig::LOCKSTEP_MPI_${flavour} lockstep_build_flags ${CMAKE_DL_LIBS})
  if(NOT LOCKSTEP_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)  # a name that is missing fails here, not when it is loaded
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${plugin_dir})
  set_property(GLOBAL APPEND PROPERTY lockstep_mpi_plugins ${target})
endfunction()
lockstep_add_mpi_plugin(openmpi ompi-c)
lockstep_add_mpi_plugin(mpich mpich)
