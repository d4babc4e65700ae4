# What a wheel's build (scikit-build-core) needs beside ours.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
if(NOT LOCKSTEP_PORTABLE)
  # The HiGHS that ./dev deps has built.
  file(GLOB built $ENV{HOME}/.cache/lockstep/highs-* $ENV{LOCKSTEP_CACHE}/highs-*)
  list(APPEND CMAKE_PREFIX_PATH ${built})
  return()
endif()

list(PREPEND CMAKE_PREFIX_PATH ${LOCKSTEP_STATIC_LIBRARIES})
set(ENV{PKG_CONFIG_PATH} ${LOCKSTEP_STATIC_LIBRARIES}/lib/pkgconfig)
set(LOCKSTEP_OWN_HDF5 hdf5)
# Licences of what is inside.
foreach(package IN ITEMS libcli11-dev libeigen3-dev libflatbuffers-dev libfmt9 libminizip1 librandom123-dev libyaml-cpp0.7
    nlohmann-json3-dev zlib1g)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${SKBUILD_METADATA_DIR}/licenses RENAME ${package}.txt
    COMPONENT python)
endforeach()
foreach(library IN ITEMS clp coinutils hdf5 highs)
  install(FILES ${LOCKSTEP_STATIC_LIBRARIES}/licences/${library}.txt DESTINATION ${SKBUILD_METADATA_DIR}/licenses
    COMPONENT python)
endforeach()
execute_process(COMMAND ${Python_EXECUTABLE} -c "import nanobind, pathlib; print(*pathlib.Path(nanobind.__file__).parents[1].glob('nanobind-*/licenses/LICENSE'))"
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_licence COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${nanobind_licence} DESTINATION ${SKBUILD_METADATA_DIR}/licenses RENAME nanobind.txt COMPONENT python)
