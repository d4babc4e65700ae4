# The conformance tests once more, as ranks that an MPI launcher starts, for each flavour that has both a plug-in and a
# launcher here.
set(mpi_environment LOCKSTEP_TEST_WORLD=1 LOCKSTEP_MPI_PLUGIN_DIR=${PROJECT_BINARY_DIR}
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0)

# lockstep_add_mpi_test(openmpi_2 2 LAUNCHER [option …] [ENVIRONMENT A=b …]): tests comm.mpi.openmpi_2.gather …
function(lockstep_add_mpi_test name ranks launcher)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "ENVIRONMENT")
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX ^conformance_comm_)
  foreach(target IN LISTS targets)
    string(REGEX REPLACE "^conformance_comm_|_test$" "" test ${target})
    add_test(NAME comm.mpi.${name}.${test}
      COMMAND ${launcher} -n ${ranks} ${arg_UNPARSED_ARGUMENTS} $<TARGET_FILE:${target}> --gtest_brief=1)
    set_tests_properties(comm.mpi.${name}.${test} PROPERTIES LABELS "comm;conformance;mpi" TIMEOUT 60 RUN_SERIAL ON
      ENVIRONMENT "${mpi_environment};LOCKSTEP_EXPECT_RANKS=${ranks};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

find_program(MPIRUN_OPENMPI mpirun.openmpi)
if(TARGET lockstep_comm_openmpi AND MPIRUN_OPENMPI)
  lockstep_add_mpi_test(openmpi_2 2 ${MPIRUN_OPENMPI})
  lockstep_add_mpi_test(openmpi_4 4 ${MPIRUN_OPENMPI} --oversubscribe)
  lockstep_add_mpi_test(openmpi_checked 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_COMM_CHECK=1)
  lockstep_add_mpi_test(openmpi_pieces 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_MPI_LARGEST_COUNT=20)
  lockstep_add_mpi_test(openmpi_persistent 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_MPI_PERSISTENT=on)
endif()

find_program(MPIRUN_MPICH mpirun.mpich)
if(TARGET lockstep_comm_mpich AND MPIRUN_MPICH)
  # Two ranks bound to a core each: it spins while it waits.
  lockstep_add_mpi_test(mpich_2 2 ${MPIRUN_MPICH} -bind-to core)
  lockstep_add_mpi_test(mpich_persistent 2 ${MPIRUN_MPICH} -bind-to core ENVIRONMENT LOCKSTEP_MPI_PERSISTENT=auto)
endif()
