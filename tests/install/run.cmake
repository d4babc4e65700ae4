# Installs a build to a scratch folder, builds the consumer on it and checks what its programs print.
# cmake -D BUILD=… -D SCRATCH=… -D SOURCE=… -D PREFIX_PATH=… -D HIGHS_DIR=… -D GENERATOR=… -D CXX=… -P run.cmake
function(run result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}\n${out}\n${err}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

function(expect text line)
  if(NOT "\n${text}" MATCHES "\n${line}\n")
    message(FATAL_ERROR "expected a line '${line}', found:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(ignored ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(ignored ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${SCRATCH}/build -G ${GENERATOR}
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${CXX} -D highs_DIR=${HIGHS_DIR} "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix;${PREFIX_PATH}")
run(ignored ${CMAKE_COMMAND} --build ${SCRATCH}/build)

run(printed ${SCRATCH}/build/two_stages)
expect("${printed}" "bound 504000")
run(printed ${SCRATCH}/build/check_case ${SOURCE}/cases/sddp/pmo-small)
expect("${printed}" "hydros 147")
run(printed ${SCRATCH}/build/own_environment)
expect("${printed}" "learned 22.0000")
run(printed ${SCRATCH}/prefix/bin/lockstep version)
expect("${printed}" "lockstep ${VERSION}.*")
