#include "lockstep/formats/homodyne/configuration.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/yaml.hpp"
#include "lockstep/xpcs/model/physics.hpp"

#include "formats/homodyne/configuration/key_reader.hpp"
#include "formats/homodyne/configuration/key_use.hpp"
#include "formats/homodyne/configuration/keys.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> aliases{{
    {"gamma_dot_0", "gamma_dot_t0"},
    {"gamma_dot_t_0", "gamma_dot_t0"},
    {"gamma_dot_offset", "gamma_dot_t_offset"},
    {"phi_0", "phi0"},
}};

std::vector<std::string_view> parameter_names() {
    std::vector<std::string_view> names{"contrast", "offset"};
    for (const auto& parameter : xpcs::parameters_of(xpcs::Motion::laminar_flow)) {
        names.push_back(parameter.name);
    }
    return names;
}

// What the configuration says, else what the model says.
std::pair<double, double> bounds_of(const Configuration& c, std::string_view name) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::pair bounds{-infinity, infinity};
    for (const auto& parameter : xpcs::parameters_of(xpcs::Motion::laminar_flow)) {
        if (parameter.name == name) {
            bounds = {parameter.lower, parameter.upper};
        }
    }
    const Bound* const bound = c.bound(name);
    return bound == nullptr
               ? bounds
               : std::pair{bound->min.value_or(bounds.first), bound->max.value_or(bounds.second)};
}

// `backend: sequential` is short for `backend: {name: sequential}`.
void expand_backend(io::Json& root) {
    io::Json* value = &root;
    for (const std::string_view key : {"optimization", "cmc", "backend"}) {
        io::Json::Object* const members = value->if_object();
        const auto found =
            members == nullptr
                ? io::Json::Object::iterator()
                : std::find_if(members->begin(), members->end(), [&](const auto& member) {
                      return member.first == key;
                  });
        if (members == nullptr || found == members->end()) {
            return;
        }
        value = &found->second;
    }
    if (value->if_string() != nullptr) {
        const int line = value->line();
        io::Json object;
        object.set("name", std::exchange(*value, {})).set_line(line);
        object.set_line(line);
        *value = std::move(object);
    }
}

// Turns what the keys say into what Configuration holds, and checks what belongs together.
class Interpreter {
public:
    Interpreter(const KeyReader& keys, Configuration& configuration)
        : keys_(keys), c_(configuration) {}

    void run(RawKeys& raw, RawLists& lists) {
        set_mode(raw);
        set_files(raw);
        set_gap(raw);
        set_filters(raw, lists);
        set_bounds(lists);
        set_start(raw);
        set_step_sizes();
        check_frames();
        note_backend();
    }

private:
    [[nodiscard]] int line_of(std::string_view path) const {
        const io::Json* const value = keys_.find(path);
        return value == nullptr ? 0 : value->line();
    }

    void wrong(std::string_view path,
               std::string message,
               ProblemKind kind = ProblemKind::invalid_value) {
        keys_.report().add(kind, line_of(path), std::string(path), std::move(message));
    }

    void note(std::string_view path, std::string text) {
        c_.notes.push_back({std::string(path), line_of(path), std::move(text)});
    }

    void set_mode(const RawKeys& raw) {
        const bool is_named = raw.analysis_mode.has_value();
        const std::string_view field = is_named ? "analysis_mode" : "parameter_space.model";
        std::string mode = raw.analysis_mode.value_or(raw.model.value_or(""));
        std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char letter) {
            return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
        });
        if (mode == "laminar_flow") {
            c_.motion = lockstep::xpcs::Motion::laminar_flow;
        } else if (mode == "two_component") {
            wrong(field,
                  "\"two_component\" is not offered: must be static or laminar_flow; xpcsjax fits "
                  "two components",
                  ProblemKind::not_supported);
        } else if (mode == "static_isotropic" || mode == "static_anisotropic") {
            note(field, fmt::format("\"{}\" is the same as static", mode));
        } else if (mode.empty() || mode == "auto_detect") {
            note(field, "static is taken, for no mode is named");
        } else if (mode != "static") {
            wrong(field,
                  fmt::format("\"{}\" is not allowed: must be static or laminar_flow{}",
                              mode,
                              did_you_mean(mode, {"static", "laminar_flow"})));
        }
    }

    void set_files(RawKeys& raw) {
        if (!raw.folder.empty() && !raw.name.empty()) {
            c_.data.file = std::filesystem::path(raw.folder) / raw.name;
            if (!raw.path.empty() && std::filesystem::path(raw.path) != c_.data.file) {
                note("experimental_data.file_path",
                     fmt::format("does not act beside data_folder_path and data_file_name: {} is "
                                 "read",
                                 c_.data.file.string()));
            }
        } else if (!raw.path.empty()) {
            c_.data.file = raw.path;
        } else if (!raw.legacy_path.empty()) {
            c_.data.file = raw.legacy_path;
        } else if (!raw.name.empty()) {
            c_.data.file = raw.name;
        }
        require_no_zero("experimental_data.data_file_name", c_.data.file.native());
        c_.data.cache_folder = raw.cache_folder;
        c_.data.cache_is_used = raw.cache_strategy != "none";
        if (!raw.phi_angles_folder.empty()) {
            c_.data.phi_angles_folder = raw.phi_angles_folder;
        }
        c_.output = raw.output;
        check_cache_name();
        check_unit();
    }

    void require_no_zero(std::string_view field, std::string_view path) {
        if (path.find('\0') != path.npos) {
            wrong(field, "the path holds a zero byte");
        }
    }

    void check_cache_name() {
        const std::string& name = c_.data.cache_template;
        const bool leaves = name.find('/') != name.npos || name.find('\\') != name.npos ||
                            name.find("..") != name.npos || name.find('\0') != name.npos;
        if (leaves || name.empty()) {
            wrong("experimental_data.cache_filename_template",
                  fmt::format("\"{}\" is not allowed: must be the name of a file in the folder of "
                              "the cache, without \"/\" and \"..\"",
                              name));
        }
    }

    void check_unit() {
        const std::string& unit = c_.data.q_unit;
        if (!unit.empty() && unit != "1/A" && unit != "1/nm") {
            wrong("lockstep.data.q_unit",
                  fmt::format("\"{}\" is not allowed: must be \"1/A\" or \"1/nm\"", unit));
        }
    }

    void set_gap(const RawKeys& raw) {
        if (raw.detector_distance && !raw.data_gap) {
            note("experimental_data.sample_detector_distance",
                 fmt::format("taken for the gap, {} Å, as homodyne does where "
                             "analyzer_parameters.geometry.stator_rotor_gap is missing",
                             c_.analyzer.gap));
        }
    }

    void set_filters(const RawKeys& raw, const RawLists& lists) {
        for (const AngleRangeFields& range : lists.ranges) {
            c_.phi_filter.ranges.push_back(range);
        }
        if (raw.stride > 1) {
            wrong("data_filtering.frame_filtering.stride",
                  fmt::format("{} is not offered: must be 1; raise dt and read every frame",
                              raw.stride),
                  ProblemKind::not_supported);
        }
        if (raw.has_preprocessing) {
            wrong(
                "preprocessing.enabled",
                "true is not offered: the fit needs the data as they were measured; must be false",
                ProblemKind::not_supported);
        }
    }

    void set_bounds(const RawLists& lists) {
        for (std::size_t k = 0; k < lists.bounds.size(); ++k) {
            Bound bound = lists.bounds[k];
            bound.name = canonical_name(bound.name);
            check_bound(bound, fmt::format("parameter_space.bounds[{}]", k));
            c_.bounds.push_back(std::move(bound));
        }
    }

    void check_bound(const Bound& bound, const std::string& field) {
        constexpr std::string_view list = "parameter_space.bounds";
        const auto refuse = [&](const std::string& what) {
            keys_.report().add(ProblemKind::invalid_value, line_of(list), field, what);
        };
        require_parameter(bound.name, refuse);
        if (c_.bound(bound.name) != nullptr) {
            refuse(fmt::format("\"{}\" stands there twice", bound.name));
        }
        if (bound.min && bound.max && !(*bound.min < *bound.max)) {
            refuse(
                fmt::format("{}: min {} is not below max {}", bound.name, *bound.min, *bound.max));
        }
        if (bound.name == "D0" && bound.max.value_or(1) <= 0) {
            refuse(fmt::format("D0: max {} leaves no positive value", *bound.max));
        }
    }

    template <typename Refuse>
    static void require_parameter(std::string_view name, const Refuse& refuse) {
        const auto names = parameter_names();
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            refuse(fmt::format("\"{}\" is no parameter: must be {}{}",
                               name,
                               fmt::join(names, ", "),
                               did_you_mean(name, names)));
        }
    }

    void set_start(const RawKeys& raw) {
        for (auto* const names : {&c_.start.active, &c_.start.fixed}) {
            for (std::string& name : *names) {
                name = canonical_name(name);
            }
        }
        if (!raw.values) {
            if (!raw.names.empty()) {
                note("initial_parameters.values", "none are given: the model's own are taken");
            }
            return;
        }
        if (raw.values->size() != raw.names.size()) {
            wrong("initial_parameters.values",
                  fmt::format(
                      "{} values for {} parameter_names", raw.values->size(), raw.names.size()),
                  ProblemKind::dimension_mismatch);
            return;
        }
        for (std::size_t k = 0; k < raw.names.size(); ++k) {
            set_start_value(canonical_name(raw.names[k]), (*raw.values)[k]);
        }
    }

    void set_step_sizes() {
        constexpr std::string_view field = "optimization.nlsq.x_scale_map";
        for (auto& [name, size] : c_.nlsq.step_sizes) {
            name = canonical_name(name);
            require_parameter(name, [&](const std::string& what) { wrong(field, what); });
        }
        const auto& preset = c_.nlsq.cmaes.preset;
        if (!preset.empty() && !generations_of(preset)) {
            note("optimization.nlsq.cmaes.preset",
                 fmt::format("\"{}\" is not known: it is cmaes-fast, cmaes or cmaes-global; "
                             "max_generations counts",
                             preset));
        }
    }

    void set_start_value(std::string_view name, const std::optional<double>& value) {
        constexpr std::string_view field = "initial_parameters.values";
        const auto refuse = [&](const std::string& what) { wrong(field, what); };
        require_parameter(name, refuse);
        if (!value) {
            return;
        }
        if (c_.start.find(name)) {
            refuse(fmt::format("\"{}\" stands there twice", name));
        }
        if (name == "D0" && *value <= 0) {
            refuse(fmt::format("D0 starts at {}: must be above 0", *value));
        }
        const auto [low, high] = bounds_of(c_, name);
        if (*value < low || *value > high) {
            refuse(
                fmt::format("{} starts at {}, outside its bounds [{}, {}] (parameter_space.bounds "
                            "sets others)",
                            name,
                            *value,
                            low,
                            high));
        }
        c_.start.values.emplace_back(name, *value);
    }

    void check_frames() {
        const Analyzer& a = c_.analyzer;
        const std::string_view field = keys_.find("analyzer_parameters") != nullptr
                                           ? "analyzer_parameters.end_frame"
                                           : "end_frame";
        if (a.end_frame >= 1 && a.end_frame <= std::max<std::int64_t>(a.start_frame, 1)) {
            wrong(field,
                  fmt::format("{} is not above start_frame {}: two frames are needed, -1 is the "
                              "last of the file",
                              a.end_frame,
                              a.start_frame));
        }
        if (a.dt == 0) {
            const bool is_legacy = keys_.find("dt") != nullptr;
            const std::string_view name = is_legacy ? "dt" : "analyzer_parameters.dt";
            if (keys_.find(name) == nullptr) {
                wrong("analyzer_parameters.dt", "is missing: the time between frames in seconds");
            }
        }
    }

    void note_backend() {
        if (c_.cmc.backend == Backend::pjit) {
            note("optimization.cmc.backend",
                 "pjit runs its work in turn: sequential is taken for it");
        }
    }

    const KeyReader& keys_;
    Configuration& c_;
};

Configuration interpret(io::Json root, const std::string& name) {
    Problems problems;
    const records::FileReport report(name, problems);
    Configuration configuration;
    configuration.file = name;
    expand_backend(root);
    if (root.is_null()) {
        report.add(ProblemKind::schema_violation, 0, "", "is empty");
    } else {
        KeyReader keys(root, report);
        RawKeys raw;
        RawLists lists;
        all_keys(keys, configuration, raw, lists);
        Interpreter(keys, configuration).run(raw, lists);
        note_idle_keys(root, report, configuration);
    }
    problems.throw_if_errors(fmt::format("{} cannot be used:", name));
    return configuration;
}

}  // namespace

std::optional<double> Start::find(std::string_view name) const noexcept {
    const auto found = std::find_if(
        values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

const Bound* Configuration::bound(std::string_view name) const noexcept {
    const auto found = std::find_if(
        bounds.begin(), bounds.end(), [&](const Bound& each) { return each.name == name; });
    return found == bounds.end() ? nullptr : &*found;
}

std::optional<int> generations_of(std::string_view preset) noexcept {
    if (preset == "cmaes-fast" || preset == "fast") {
        return 50;
    }
    if (preset == "cmaes-global" || preset == "global") {
        return 200;
    }
    return preset == "cmaes" ? std::optional(100) : std::nullopt;
}

std::string_view canonical_name(std::string_view name) noexcept {
    const auto found = std::find_if(
        aliases.begin(), aliases.end(), [&](const auto& alias) { return alias.first == name; });
    return found == aliases.end() ? name : found->second;
}

Configuration parse_configuration(std::string_view text, const std::string& name) {
    return interpret(
        name.ends_with(".json") ? io::parse_json(text, name) : io::parse_yaml(text, name), name);
}

Configuration read_configuration(const std::filesystem::path& path) {
    return interpret(path.extension() == ".json" ? io::read_json(path) : io::read_yaml(path),
                     path.string());
}

}  // namespace lockstep::formats::homodyne
