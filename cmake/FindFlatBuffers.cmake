# FlatBuffers is headers and a compiler of schemas, FLATC.
find_path(FlatBuffers_INCLUDE_DIR flatbuffers/flatbuffers.h)
find_program(FLATC flatc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FlatBuffers REQUIRED_VARS FlatBuffers_INCLUDE_DIR FLATC)

# lockstep_add_schema(formats cobre/policy/policy.fbs cobre/policy/pool_file.cpp …): these sources of the room may include
# <policy_generated.h>.
function(lockstep_add_schema room schema)
  set(schema ${PROJECT_SOURCE_DIR}/src/${room}/${schema})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/schemas)
  get_filename_component(name ${schema} NAME_WE)
  add_custom_command(OUTPUT ${folder}/${name}_generated.h DEPENDS ${schema}
    COMMAND ${FLATC} --cpp --cpp-std c++17 --filename-suffix _generated -o ${folder} ${schema} VERBATIM)
  set(options -isystem ${folder})
  if(NOT FlatBuffers_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND options -isystem ${FlatBuffers_INCLUDE_DIR})
  endif()
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/src/${room}/)
  set_source_files_properties(${sources} TARGET_DIRECTORY lockstep_${room} PROPERTIES
    OBJECT_DEPENDS ${folder}/${name}_generated.h COMPILE_OPTIONS "${options}")
endfunction()
