option(LOCKSTEP_WITH_HWLOC "Packages, cores and NUMA nodes in doctor" ON)
option(LOCKSTEP_WITH_CLP "COIN-OR Clp beside HiGHS" ON)
option(LOCKSTEP_WITH_HDF5 "Files of HDF5" ON)
option(LOCKSTEP_WITH_SHM "Ranks of one node over shared memory" ON)
option(LOCKSTEP_WITH_TCP "Ranks that meet over TCP, without MPI" ON)
option(LOCKSTEP_WITH_MPI "MPI as plug-ins, one for each flavour that is installed" ON)
option(LOCKSTEP_BUILD_TESTS "Unit, conformance and end-to-end tests" ${PROJECT_IS_TOP_LEVEL})
option(LOCKSTEP_BUILD_BENCH "Micro benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(LOCKSTEP_BUILD_PYTHON "The Python package, in the build folder; needs nanobind" OFF)
option(LOCKSTEP_PORTABLE "A wheel for other machines: small, with Clp and HDF5 of LOCKSTEP_STATIC_LIBRARIES within" OFF)
set(LOCKSTEP_STATIC_LIBRARIES "" CACHE PATH "What tools/wheel/static-libraries made")
option(LOCKSTEP_LARGE_TESTS "Tests that need 10 GB of memory" OFF)
option(LOCKSTEP_BUILD_FUZZ "libFuzzer targets (clang)" OFF)
option(LOCKSTEP_WARNINGS_AS_ERRORS "Stop at the first warning" OFF)
set(LOCKSTEP_ARCH x86-64-v3 CACHE STRING "Value of -march")
set(LOCKSTEP_SANITIZE "" CACHE STRING "Value of -fsanitize, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Flags that every source of ours is compiled with. The first line decides bits of results (docs/design.md).
# Clang takes double{a float} for a promotion that nobody asked for.
add_library(lockstep_build_flags INTERFACE)
target_compile_options(lockstep_build_flags INTERFACE
  -march=${LOCKSTEP_ARCH} -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wcast-align -Wundef $<$<CXX_COMPILER_ID:GNU>:-Wdouble-promotion> -Wextra-semi)
if(LOCKSTEP_WARNINGS_AS_ERRORS)
  target_compile_options(lockstep_build_flags INTERFACE -Werror)
endif()
# What runs once, tests and the command line, compiles in three quarters of the time this way. Bits do not depend on it. GCC's
# warning of the name is wrong too often below -O2.
add_library(lockstep_cold_flags INTERFACE)
target_compile_options(lockstep_cold_flags INTERFACE
  $<$<CONFIG:Release>:-O1> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)

if(LOCKSTEP_PORTABLE)
  target_compile_options(lockstep_cold_flags INTERFACE -Os)
  target_compile_options(lockstep_build_flags INTERFACE -ffunction-sections -fdata-sections)
endif()

if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_build_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all  # what is found ends the program: a message alone would fail no test
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # wrong where checks stand between a write and its reads
  target_link_options(lockstep_build_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
  if(LOCKSTEP_SANITIZE MATCHES undefined)
    target_compile_options(lockstep_build_flags INTERFACE -fno-sanitize=vptr)  # Arrow is built without it
  endif()
endif()
