#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/option.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::python {

/// Options by name, as texts.
using Given = std::vector<std::pair<std::string, std::string>>;

/// The ranks that are to work, over the backend that the options name.
using Meet = std::function<std::shared_ptr<comm::Communicator>(const std::string& backend)>;

/// How a use case ended.
struct Ended {
    std::string summary;  ///< JSON
    std::string output;   ///< directory
    int signal = 0;
};

/// A use case of an engine that Python may call. What reads alone meets no ranks.
struct UseCase {
    std::string_view name;  ///< "sddp.run"
    std::vector<app::Option> options;
    std::function<Ended(const std::string& input, const Given&, const Meet&, app::Observer&)> run;
};

/// @throws InputError  there is none of the name
const UseCase& use_case(std::string_view name);
std::vector<std::string_view> use_case_names();

/// The command of the program, for processes that work for a use case.
void set_own_command(std::vector<std::string> words);
const std::vector<std::string>& own_command();

}  // namespace lockstep::python
