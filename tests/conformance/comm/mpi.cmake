# The conformance tests once more, as ranks that an MPI launcher starts, for each flavour that has both a plug-in and a
# launcher here. A launcher that ends its ranks itself leaves nothing in /dev/shm, so its limit comes before the others.
set(mpi_environment LOCKSTEP_TEST_WORLD=1 LOCKSTEP_MPI_PLUGIN_DIR=${PROJECT_BINARY_DIR} MPIEXEC_TIMEOUT=45
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0)

# lockstep_add_mpi_test(openmpi_2 2 LAUNCHER [option …] [ENVIRONMENT A=b …] [ONLY gather …]): tests
# comm.mpi.openmpi_2.gather …
function(lockstep_add_mpi_test name ranks launcher)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "ENVIRONMENT;ONLY")
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX ^conformance_comm_)
  if(arg_ONLY)
    list(TRANSFORM arg_ONLY REPLACE "(.+)" "conformance_comm_\\1_test" OUTPUT_VARIABLE targets)
  endif()
  foreach(target IN LISTS targets)
    string(REGEX REPLACE "^conformance_comm_|_test$" "" test ${target})
    add_test(NAME comm.mpi.${name}.${test}
      COMMAND ${launcher} -n ${ranks} ${arg_UNPARSED_ARGUMENTS} $<TARGET_FILE:${target}> --gtest_brief=1)
    set_tests_properties(comm.mpi.${name}.${test} PROPERTIES LABELS "comm;conformance;mpi" TIMEOUT 60 RUN_SERIAL ON
      ENVIRONMENT "${mpi_environment};LOCKSTEP_EXPECT_RANKS=${ranks};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# How a launched program ends.
# lockstep_add_mpi_end(openmpi_abort 7 "pattern" LAUNCHER option … MODE [WITHIN seconds] [ENVIRONMENT A=b …]): test
# comm.mpi.openmpi_abort
function(lockstep_add_mpi_end name code patterns)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "WITHIN" "ENVIRONMENT")
  list(POP_BACK arg_UNPARSED_ARGUMENTS mode)
  add_test(NAME comm.mpi.${name} COMMAND ${CMAKE_COMMAND} -D CODE=${code} "-DPATTERNS=${patterns}"
    -D WITHIN=${arg_WITHIN} -P ${CMAKE_CURRENT_SOURCE_DIR}/expect_end.cmake -- ${arg_UNPARSED_ARGUMENTS} $<TARGET_FILE:conformance_launched_run> ${mode})
  set_tests_properties(comm.mpi.${name} PROPERTIES LABELS "comm;conformance;mpi" TIMEOUT 60 RUN_SERIAL ON
    ENVIRONMENT "${mpi_environment};${arg_ENVIRONMENT}")
endfunction()

# What both flavours do alike; `killed` is the launcher's exit code when a rank is killed.
function(lockstep_add_mpi_ends flavour killed)
  set(launcher ${ARGN})
  lockstep_add_mpi_end(${flavour}_share 0 "reached the end" ${launcher} share)
  lockstep_add_mpi_end(${flavour}_post 0 "reached the end" ${launcher} post)
  lockstep_add_mpi_end(${flavour}_abort 7 "" ${launcher} abort)
  lockstep_add_mpi_end(${flavour}_kill ${killed} "" ${launcher} kill WITHIN 5)
  lockstep_add_mpi_end(${flavour}_one_throws 65 "rank 1 has its own trouble" ${launcher} one-throws)
  lockstep_add_mpi_end(${flavour}_all_throw 65 "the same trouble everywhere" ${launcher} all-throw)
  lockstep_add_mpi_end(${flavour}_mismatch 71 "rank 0 is in barrier \\(collective 0\\), rank 1 in broadcast of 3 8-byte"
    ${launcher} mismatch ENVIRONMENT LOCKSTEP_COMM_CHECK=1)
  lockstep_add_mpi_end(${flavour}_no_plugin 69 "lockstep_comm_${flavour}.so and finds none in /nowhere"
    ${launcher} connect ENVIRONMENT LOCKSTEP_MPI_PLUGIN_DIR=/nowhere)
  lockstep_add_mpi_end(${flavour}_other_build 71 "${other_build_message}" ${launcher} ${other_build} connect)
  if(LOCKSTEP_LARGE_TESTS)
    lockstep_add_mpi_end(${flavour}_large 0 "reached the end" ${launcher} large)
  endif()
endfunction()

set(on_two_nodes sh ${CMAKE_CURRENT_SOURCE_DIR}/on_two_nodes.sh)

# The MPI of the launcher must be that of the plug-in.
function(lockstep_add_mpi_mixture launcher flavour)
  lockstep_add_mpi_end(${flavour}_by_another_launcher 71 "the launcher started 2 ranks but this process sees 1: "
    ${launcher} -n 2 connect ENVIRONMENT LOCKSTEP_MPI_FLAVOUR=${flavour})
endfunction()

find_program(MPIRUN_OPENMPI mpirun.openmpi)
if(TARGET lockstep_comm_openmpi AND MPIRUN_OPENMPI)
  lockstep_add_mpi_test(openmpi_2 2 ${MPIRUN_OPENMPI})
  lockstep_add_mpi_test(openmpi_4 4 ${MPIRUN_OPENMPI} --oversubscribe)
  lockstep_add_mpi_test(openmpi_4_on_2_nodes 4 ${MPIRUN_OPENMPI} --oversubscribe ${on_two_nodes} ONLY gather reduce split)
  lockstep_add_mpi_test(openmpi_checked 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_COMM_CHECK=1)
  lockstep_add_mpi_test(openmpi_pieces 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_MPI_LARGEST_COUNT=20)
  lockstep_add_mpi_test(openmpi_persistent 2 ${MPIRUN_OPENMPI} ENVIRONMENT LOCKSTEP_MPI_PERSISTENT=on)
  lockstep_add_mpi_ends(openmpi 137 ${MPIRUN_OPENMPI} -n 2)
endif()

find_program(MPIRUN_MPICH mpirun.mpich)
if(TARGET lockstep_comm_mpich AND MPIRUN_MPICH)
  # Two ranks bound to a core each: it spins while it waits.
  lockstep_add_mpi_test(mpich_2 2 ${MPIRUN_MPICH} -bind-to core)
  lockstep_add_mpi_test(mpich_persistent 2 ${MPIRUN_MPICH} -bind-to core ENVIRONMENT LOCKSTEP_MPI_PERSISTENT=auto)
  lockstep_add_mpi_ends(mpich 9 ${MPIRUN_MPICH} -n 2 -bind-to core)
endif()
if(TARGET lockstep_comm_mpich AND MPIRUN_OPENMPI)
  lockstep_add_mpi_mixture(${MPIRUN_OPENMPI} mpich)
endif()
if(TARGET lockstep_comm_openmpi AND MPIRUN_MPICH)
  lockstep_add_mpi_mixture(${MPIRUN_MPICH} openmpi)
endif()

# Open MPI 5, for the loss of ranks: './dev test' installs it. The Open MPI plug-in runs on it as it is.
if(DEFINED ENV{LOCKSTEP_CACHE})
  set(cache $ENV{LOCKSTEP_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache $ENV{XDG_CACHE_HOME}/lockstep)
else()
  set(cache $ENV{HOME}/.cache/lockstep)
endif()
find_program(MPIRUN_OPENMPI_5 mpiexec PATHS ${cache}/openmpi-5/bin NO_DEFAULT_PATH)
if(TARGET lockstep_comm_openmpi)
  if(MPIRUN_OPENMPI_5)
    get_filename_component(prefix ${MPIRUN_OPENMPI_5}/../.. ABSOLUTE)
    set(openmpi_5 ENVIRONMENT LD_LIBRARY_PATH=${prefix}/lib PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    set(launcher ${MPIRUN_OPENMPI_5} --with-ft ulfm --map-by :OVERSUBSCRIBE)
    lockstep_add_mpi_test(openmpi_5_survivors 3 ${launcher} ${openmpi_5})
    lockstep_add_mpi_end(openmpi_5_recovery 0 "rank 0 of 2 survived;rank 1 of 2 survived" ${launcher} -n 4 recover ${openmpi_5})
    lockstep_add_mpi_end(openmpi_5_recovery_by_nodes 0 "rank 0 of 2 survived;rank 1 of 2 survived"
      ${launcher} -n 4 ${on_two_nodes} recover ${openmpi_5})
    lockstep_add_mpi_end(openmpi_5_recovery_by_mail 0 "rank 0 of 3 survived;rank 1 of 3 survived;rank 2 of 3 survived" ${launcher} -n 4 messages ${openmpi_5})
  else()
    add_test(NAME comm.mpi.openmpi_5_recovery COMMAND ${CMAKE_COMMAND} -E echo "skipped: no Open MPI 5 in ${cache}/openmpi-5")
    set_tests_properties(comm.mpi.openmpi_5_recovery PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped" LABELS "comm;conformance;mpi")
  endif()
endif()
