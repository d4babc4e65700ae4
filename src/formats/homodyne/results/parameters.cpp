#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::homodyne {
namespace {

namespace fs = std::filesystem;

fs::path parameters_file(const fs::path& path) {
    if (!fs::is_directory(path)) {
        return path;
    }
    for (const char* const place : {"nlsq/parameters.json", "parameters.json"}) {
        if (fs::exists(path / place)) {
            return path / place;
        }
    }
    throw IoError(
        fmt::format("{} has neither nlsq/parameters.json nor parameters.json", path.string()),
        IoError::Direction::read);
}

double number_in(const io::Json& value, const char* key) {
    const io::Json* const found = value.find(key);
    const auto number = found == nullptr ? std::nullopt : found->if_number();
    return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::vector<Estimate> read_parameters(const fs::path& path) {
    const fs::path file = parameters_file(path);
    const io::Json json = io::read_json(file);
    const io::Json* const all = json.find("parameters");
    if (all == nullptr || all->if_object() == nullptr) {
        throw InputError(fmt::format(
            "{}: parameters is missing: must be an object of {{value, uncertainty}} by name",
            file.string()));
    }
    std::vector<Estimate> estimates;
    for (const auto& [name, value] : *all->if_object()) {
        Estimate each{std::string(canonical_name(name)),
                      number_in(value, "value"),
                      number_in(value, "uncertainty")};
        if (!(each.value == each.value)) {
            throw InputError(fmt::format(
                "{}:{}: parameters.{}.value is no number", file.string(), value.line(), name));
        }
        estimates.push_back(std::move(each));
    }
    return estimates;
}

}  // namespace lockstep::formats::homodyne
