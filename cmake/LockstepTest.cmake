include(GoogleTest)

# lockstep_add_test(sddp cuts/cut_pool [LABELS slow] [LIBS lockstep::formats] [TIMEOUT 60])
# builds tests/unit/sddp/cuts/cut_pool_test.cpp, named sddp.<suite>.<case>. The folder may be given: FOLDER conformance.
function(lockstep_add_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FOLDER;TIMEOUT" "LABELS;LIBS")
  if(NOT arg_FOLDER)
    set(arg_FOLDER unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(LOCKSTEP_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  string(REPLACE / _ flat ${name})
  set(target ${arg_FOLDER}_${module}_${flat}_test)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${arg_FOLDER}/${module}/${name}_test.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE lockstep::${module} ${arg_LIBS} lockstep_test_places lockstep_cold_flags lockstep_build_flags
    GTest::gtest_main GTest::gmock rapidcheck fmt::fmt)
  set(properties TIMEOUT ${arg_TIMEOUT})
  foreach(label IN ITEMS ${module} ${arg_FOLDER} ${arg_LABELS})
    list(APPEND properties LABELS ${label})
  endforeach()
  gtest_discover_tests(${target} TEST_PREFIX ${module}. PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
endfunction()

# lockstep_add_mpi_runs(rl learn [--gtest_filter=…]) runs conformance_rl_learn_test once more as two ranks of each MPI launcher that there is:
# rl.mpi.openmpi_2.learn, rl.mpi.mpich_2.learn.
function(lockstep_add_mpi_runs module name)
  foreach(flavour IN ITEMS openmpi mpich)
    string(TOUPPER ${flavour} upper)
    if(NOT TARGET lockstep_comm_${flavour} OR NOT MPIRUN_${upper})
      continue()
    endif()
    add_test(NAME ${module}.mpi.${flavour}_2.${name}
      COMMAND ${MPIRUN_${upper}} -n 2 $<TARGET_FILE:conformance_${module}_${name}_test> --gtest_brief=1 ${ARGN})
    set_tests_properties(${module}.mpi.${flavour}_2.${name} PROPERTIES
      LABELS "${module};conformance;mpi" TIMEOUT 60 RUN_SERIAL ON
      ENVIRONMENT "LOCKSTEP_TEST_WORLD=1;LOCKSTEP_MPI_PLUGIN_DIR=${PROJECT_BINARY_DIR};LOCKSTEP_EXPECT_RANKS=2;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;ASAN_OPTIONS=detect_leaks=0")
  endforeach()
endfunction()
