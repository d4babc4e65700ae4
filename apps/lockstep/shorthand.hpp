#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

/// A command that may be given without the engine that it is for.
struct Shorthand {
    std::string_view name;
    std::string_view help;
    enum class Names { input, output, nothing } names;  ///< what its first argument is
};

const std::vector<Shorthand>& shorthands();

/// Words of a command line, without the program, with the engine put in front of a shorthand:
/// `run CASE` becomes `sddp run CASE`. The engine is that of the input or output directory which
/// the command names. `help X` becomes `X --help`; no word at all the overview.
/// @throws InputError  no engine knows the input; IoError  an output directory holds no result
std::vector<std::string> expand(std::vector<std::string> words);

}  // namespace lockstep::cli
