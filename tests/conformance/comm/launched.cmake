# Programs that a launcher starts, for the ends that a test binary cannot have.
add_executable(conformance_launched_run launched_run.cpp)
target_link_libraries(conformance_launched_run PRIVATE lockstep::comm lockstep_build_flags)

# The same as a program of another build, which rank 1 runs.
add_executable(conformance_launched_other launched_run.cpp other_build.cpp)
target_link_libraries(conformance_launched_other PRIVATE lockstep::comm lockstep_build_flags)
set(other_build sh ${CMAKE_CURRENT_SOURCE_DIR}/other_build.sh $<TARGET_FILE:conformance_launched_other>)
set(other_build_message "rank 1 runs another program than rank 0.* of lockstep 0.0.9 \\(another, g\\+\\+ 11\\)")

# The program itself tells it once.
foreach(backend IN ITEMS shm tcp)
  string(TOUPPER ${backend} upper)
  if(LOCKSTEP_WITH_${upper})
    add_test(NAME comm.${backend}.other_build COMMAND ${CMAKE_COMMAND} -D CODE=71 "-DPATTERNS=${other_build_message}"
      "-DONCE=lockstep: rank 1 runs another program" -P ${CMAKE_CURRENT_SOURCE_DIR}/expect_end.cmake --
      $<TARGET_FILE:lockstep_cli> launch -n 3 --backend ${backend} -- ${other_build}
      $<TARGET_FILE:lockstep_cli> run ${PROJECT_SOURCE_DIR}/cases/sddp/1dtoy --output ${CMAKE_CURRENT_BINARY_DIR}/other_build)
    set_tests_properties(comm.${backend}.other_build PROPERTIES LABELS "comm;conformance" TIMEOUT 60)
  endif()
endforeach()
