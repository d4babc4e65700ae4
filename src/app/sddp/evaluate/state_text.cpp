#include "app/sddp/evaluate/state_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::app {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<int> integer(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

template <typename Entities>
std::string name_of(const Entities& entities, int id) {
    for (const auto& entity : entities) {
        if (entity.id == id) {
            return entity.name;
        }
    }
    return {};
}

std::string entity_name(const sddp::System& system, const formats::cobre::StateSlot& slot) {
    if (slot.entity == "thermal") {
        return name_of(system.thermals, slot.entity_id);
    }
    return slot.entity == "battery" ? name_of(system.batteries, slot.entity_id)
                                    : name_of(system.hydros, slot.entity_id);
}

/// "inflow_lag(FURNAS, 1)" in its parts.
struct Parts {
    std::string_view kind = "storage";
    std::string_view entity;
    std::optional<int> subindex;
};

Parts parts_of(std::string_view name) {
    Parts out;
    const auto open = name.find('(');
    if (open == std::string_view::npos || !name.ends_with(')')) {
        out.entity = trimmed(name);
        return out;
    }
    out.kind = trimmed(name.substr(0, open));
    auto inside = name.substr(open + 1, name.size() - open - 2);
    if (const auto comma = inside.rfind(','); comma != std::string_view::npos) {
        out.subindex = integer(trimmed(inside.substr(comma + 1)));
        inside = out.subindex ? inside.substr(0, comma) : inside;
    }
    out.entity = trimmed(inside);
    return out;
}

bool is_entity(std::string_view text, int id, const std::string& name) {
    return text == name || integer(text) == id;
}

/// The first few of what there is.
std::string listed(const std::vector<StateNames::Number>& numbers) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i) {
        text += i > 0 ? ", " : "";
        text += numbers[i].name;
    }
    return numbers.size() > most ? text + fmt::format(" and {} more", numbers.size() - most) : text;
}

std::vector<double> state_before(const sddp::Problem& problem) {
    std::vector<double> state(at(problem.state_size()));
    for (std::size_t h = 0; h < problem.system.hydros.size(); ++h) {
        state[h] = problem.system.hydros[h].initial_storage_hm3;
    }
    for (std::size_t b = 0; b < problem.system.batteries.size(); ++b) {
        state[at(problem.first_battery()) + b] = problem.system.batteries[b].initial_energy_mwh;
    }
    const auto& lags = problem.process.inflow.initial_lags;
    std::copy(lags.begin(), lags.end(), state.end() - std::ssize(lags));
    return state;
}

/// Reads "name=value" pairs into a state.
class Reader {
public:
    Reader(const sddp::Problem& problem, const StateNames& names, int stage)
        : problem_(problem), names_(names), stage_(stage), state_(state_before(problem)) {}

    void read_list(std::string_view text) {
        int depth = 0;
        std::size_t first = 0;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size()) {
                depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            }
            if (i == text.size() || (text[i] == ',' && depth == 0)) {
                read_pair(text.substr(first, i - first));
                first = i + 1;
            }
        }
    }

    void read_file(const std::string& path) {
        const io::Json json = io::read_json(path);
        if (json.if_object() == nullptr) {
            throw InputError(fmt::format("{}: must be an object of names and values", path));
        }
        for (const auto& [name, value] : *json.if_object()) {
            if (const auto* text = value.if_string()) {
                set(name, *text);
            } else if (const auto number = value.if_number()) {
                put(names_.find(name), name, *number);
            } else {
                throw InputError(fmt::format("{}: \"{}\" must be a number", path, name));
            }
        }
    }

    std::vector<double> take() { return std::move(state_); }

private:
    void read_pair(std::string_view pair) {
        const auto equals = pair.rfind('=');
        if (equals == std::string_view::npos) {
            throw InputError(
                fmt::format("'{}' is not name=value, for example storage(3)=1200", trimmed(pair)));
        }
        set(trimmed(pair.substr(0, equals)), trimmed(pair.substr(equals + 1)));
    }

    void set(std::string_view name, std::string_view text) {
        const int place = names_.find(name);
        const bool is_share = text.ends_with('%');
        const auto digits = is_share ? text.substr(0, text.size() - 1) : text;
        double value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            throw InputError(fmt::format("{}: '{}' is not a number", name, text));
        }
        if (is_share) {
            value = share_of_storage(place, name, value / 100);
        }
        put(place, name, value);
    }

    void put(int place, std::string_view name, double value) {
        if (!std::isfinite(value)) {
            throw InputError(fmt::format("{}: {} is not a finite number", name, value));
        }
        state_[at(place)] = value;
    }

    [[nodiscard]] double share_of_storage(int place, std::string_view name, double share) const {
        if (place >= problem_.hydro_count()) {
            throw InputError(fmt::format("{}: only storages may be in %", name));
        }
        const auto& hydro = problem_.system.hydros[at(place)];
        const auto low = hydro.min_storage_hm3[at(stage_)];
        return low + share * (hydro.max_storage_hm3[at(stage_)] - low);
    }

    const sddp::Problem& problem_;
    const StateNames& names_;
    int stage_;
    std::vector<double> state_;
};

}  // namespace

StateNames::StateNames(const sddp::Problem& problem) : problem_(problem) {
    for (const auto& slot : formats::cobre::state_slots(problem)) {
        const auto name = entity_name(problem.system, slot);
        const bool has_subindex = slot.kind != "storage" && slot.kind != "energy";
        keys_.push_back({slot.kind, name, slot.entity_id, slot.subindex, has_subindex});
        numbers_.push_back({has_subindex ? fmt::format("{}({},{})", slot.kind, name, slot.subindex)
                                         : fmt::format("{}({})", slot.kind, name),
                            slot.unit});
    }
}

int StateNames::find(std::string_view name) const {
    const auto parts = parts_of(name);
    int found = -1;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const auto& key = keys_[i];
        const bool is_same_number =
            !key.has_subindex || (parts.subindex && *parts.subindex == key.subindex);
        if (key.kind != parts.kind || !is_same_number ||
            !is_entity(parts.entity, key.entity_id, key.entity_name)) {
            continue;
        }
        if (found >= 0) {
            throw InputError(
                fmt::format("'{}' is the name of several state variables: give the "
                            "id instead",
                            name));
        }
        found = static_cast<int>(i);
    }
    if (found < 0) {
        throw InputError(
            fmt::format("'{}' is no state variable; there are {}", name, listed(numbers_)));
    }
    return found;
}

int StateNames::find_hydro(std::string_view name) const {
    return find(fmt::format("storage({})", name));
}

std::vector<double> read_state_text(const std::string& text,
                                    const sddp::Problem& problem,
                                    const StateNames& names,
                                    int stage) {
    Reader reader(problem, names, stage);
    if (text.find('=') != std::string::npos) {
        reader.read_list(text);
    } else if (!text.empty()) {
        reader.read_file(text);
    }
    return reader.take();
}

}  // namespace lockstep::app
