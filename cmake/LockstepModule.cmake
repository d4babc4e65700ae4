# lockstep_add_module(sddp SOURCES cut_pool.cpp HEADERS cut_pool.hpp PUBLIC_DEPS lockstep::lp PRIVATE_DEPS fmt::fmt)
# One room: sources in src/<room>, public headers in include/lockstep/<room>. No SOURCES: a header-only room.
function(lockstep_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;PUBLIC_DEPS;PRIVATE_DEPS")
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/lockstep/${name}/)
  if(NOT arg_SOURCES)
    file(TOUCH ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    set(arg_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(lockstep_${name} STATIC ${arg_SOURCES})
  add_library(lockstep::${name} ALIAS lockstep_${name})
  set_target_properties(lockstep_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    LINKER_LANGUAGE CXX VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(lockstep_${name} PUBLIC cxx_std_20)
  target_sources(lockstep_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
    FILES ${arg_HEADERS})
  target_include_directories(lockstep_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(lockstep_${name} PUBLIC ${arg_PUBLIC_DEPS}
    PRIVATE ${arg_PRIVATE_DEPS} $<BUILD_INTERFACE:lockstep_build_flags>)
  install(TARGETS lockstep_${name} EXPORT lockstepTargets FILE_SET HEADERS)
endfunction()
