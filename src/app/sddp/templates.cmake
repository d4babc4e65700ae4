# Turns case directories into a C++ source, so that `lockstep sddp init` needs no installed files.
# Configures again when a file of a template changes.
function(lockstep_embed_templates output)
  set(entries "")
  foreach(name IN LISTS ARGN)
    set(root ${PROJECT_SOURCE_DIR}/cases/sddp/${name})
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/*.json ${root}/*.parquet)
    list(SORT files)
    foreach(file IN LISTS files)
      if(file MATCHES "^(expected\\.json|output/)")
        continue()
      endif()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${root}/${file})
      file(READ ${root}/${file} hex HEX)
      string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
      string(LENGTH "${hex}" digits)
      math(EXPR size "${digits} / 2")
      string(APPEND entries "    {\"${name}\", \"${file}\", {\"${bytes}\", ${size}}},\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "app/sddp/template_files.hpp"

namespace lockstep::app {

const std::vector<TemplateFile>& template_files() {
    static const std::vector<TemplateFile> files = {
@entries@    };
    return files;
}

}  // namespace lockstep::app
]])
endfunction()
