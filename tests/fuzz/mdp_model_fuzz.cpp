#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/base/error.hpp"

#include "formats/mdp/draft.hpp"
#include "formats/mdp/drn.hpp"
#include "formats/mdp/json_model.hpp"

namespace {

using namespace lockstep::formats::mdp;
using lockstep::Problems;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

using Read = std::function<void(std::string_view, Draft&, Faults&)>;

// Either faults are told, with the name of the file, or there is a model.
std::optional<ModelFile> model_of(std::string_view text, const Read& read) {
    Problems problems;
    Faults faults("fuzz", Faults::Places::lines, problems);
    Draft draft(faults);
    read(text, draft, faults);
    std::optional<ModelFile> file = draft.finish();
    faults.finish();
    require(file.has_value() != problems.has_errors());
    for (const lockstep::Problem& problem : problems.all()) {
        require(problem.file.starts_with("fuzz") && !problem.message.empty());
    }
    return file;
}

void read_json(std::string_view text, Draft& draft, Faults& faults) {
    read_json_model(text, "fuzz", draft, faults);
}

// What was read once is written and read again without change.
void check_json(std::string_view text) {
    try {
        if (const auto file = model_of(text, read_json)) {
            const std::string once = json_text(*file);
            require(json_text(model_of(once, read_json).value()) == once);
        }
    } catch (const lockstep::InputError& error) {
        require(std::string_view(error.what()).starts_with("fuzz:"));
    }
}

void check_drn(std::string_view text) {
    if (const auto file = model_of(text, read_drn)) {
        require(model_of(drn_text(*file), read_drn).has_value());
    }
}

}  // namespace

/// Models as JSON and as DRN.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_json(text);
    check_drn(text);
    return 0;
}
