#include "formats/cobre/resolve/process/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "scenarios/correlation.json";
constexpr double symmetry_tolerance = 1e-9;

sddp::NoiseClass resolve_class(raw::NoiseClass type) {
    switch (type) {
        case raw::NoiseClass::load:
            return sddp::NoiseClass::load;
        case raw::NoiseClass::ncs:
            return sddp::NoiseClass::source;
        default:
            return sddp::NoiseClass::inflow;
    }
}

const IdMap& entities_of(raw::NoiseClass type, const Resolver& resolver) {
    switch (type) {
        case raw::NoiseClass::load:
            return resolver.buses;
        case raw::NoiseClass::ncs:
            return resolver.sources;
        default:
            return resolver.hydros;
    }
}

/// Resolves the groups of one profile.
class ProfileResolver {
public:
    ProfileResolver(std::string name, const Resolver& resolver) : resolver_(resolver) {
        out_.name = std::move(name);
    }

    void add(const raw::CorrelationGroup& group) {
        const Origin origin{fmt::format("{}:{}", file, group.line),
                            fmt::format("profile {}, group {}", out_.name, group.name)};
        sddp::CorrelationGroup& out = out_.groups.emplace_back();
        add_entities(group, origin, out);
        if (is_square(group, origin)) {
            add_matrix(group, origin, out);
        }
    }

    sddp::CorrelationProfile take() { return std::move(out_); }

private:
    void wrong(ProblemKind kind, const Origin& origin, std::string message) const {
        resolver_.error(kind, origin, std::move(message));
    }

    void add_entities(const raw::CorrelationGroup& group,
                      const Origin& origin,
                      sddp::CorrelationGroup& out) {
        for (const raw::CorrelationEntity& entity : group.entities) {
            const Origin at{fmt::format("{}:{}", file, entity.line), origin.entity};
            if (entity.type != group.entities.front().type && !group.across_classes) {
                wrong(ProblemKind::business_rule_violation,
                      at,
                      "entities of a group must be of one type unless it has \"across_classes\"");
            }
            const int index = resolver_.find(entities_of(entity.type, resolver_), entity.id, at);
            if (!seen_.emplace(entity.type, entity.id).second) {
                wrong(ProblemKind::duplicate_id,
                      at,
                      fmt::format("{} {} is in the profile twice",
                                  entities_of(entity.type, resolver_).noun(),
                                  entity.id));
            }
            out.entities.push_back(index);
            out.classes.push_back(resolve_class(entity.type));
        }
        if (std::ranges::adjacent_find(out.classes, std::not_equal_to<>()) == out.classes.end()) {
            out.classes.clear();
        }
        if (!group.entities.empty()) {
            out.noise = resolve_class(group.entities.front().type);
        }
    }

    bool is_square(const raw::CorrelationGroup& group, const Origin& origin) const {
        const std::size_t n = group.entities.size();
        const bool fits = group.matrix.size() == n &&
                          std::all_of(group.matrix.begin(),
                                      group.matrix.end(),
                                      [n](const auto& row) { return row.size() == n; });
        if (!fits) {
            wrong(ProblemKind::dimension_mismatch,
                  origin,
                  fmt::format("matrix must be {0} x {0}, one row and column for each entity", n));
        }
        return fits;
    }

    void add_matrix(const raw::CorrelationGroup& group,
                    const Origin& origin,
                    sddp::CorrelationGroup& out) const {
        for (std::size_t i = 0; i < group.matrix.size(); ++i) {
            for (std::size_t j = 0; j < group.matrix.size(); ++j) {
                out.matrix.push_back(group.matrix[i][j]);
            }
            if (std::abs(group.matrix[i][i] - 1) > symmetry_tolerance) {
                wrong(ProblemKind::invalid_value,
                      origin,
                      fmt::format(
                          "diagonal entry {} of matrix is {}: must be 1", i, group.matrix[i][i]));
            }
            for (std::size_t j = 0; j < i; ++j) {
                if (std::abs(group.matrix[i][j] - group.matrix[j][i]) > symmetry_tolerance) {
                    wrong(ProblemKind::invalid_value,
                          origin,
                          fmt::format(
                              "matrix is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}",
                              i,
                              j,
                              group.matrix[i][j],
                              j,
                              i,
                              group.matrix[j][i]));
                }
            }
        }
    }

    const Resolver& resolver_;
    sddp::CorrelationProfile out_;
    std::set<std::pair<raw::NoiseClass, int>> seen_;
};

void add_schedule(const raw::Correlation& correlation,
                  const Resolver& resolver,
                  sddp::CorrelationModel& out) {
    std::set<int> seen;
    OutsideRows outside;
    for (const raw::ScheduleEntry& entry : correlation.schedule) {
        const Origin origin = line_of(file, entry.line, "schedule of stage", entry.stage_id);
        if (resolver.stages.find(entry.stage_id) < 0) {
            outside.add(entry.stage_id);
            continue;
        }
        const bool exists =
            std::any_of(out.profiles.begin(), out.profiles.end(), [&](const auto& profile) {
                return profile.name == entry.profile_name;
            });
        if (!exists) {
            resolver.error(ProblemKind::invalid_reference,
                           origin,
                           fmt::format("profile \"{}\" does not exist", entry.profile_name));
        }
        if (!seen.insert(entry.stage_id).second) {
            resolver.error(ProblemKind::duplicate_id, origin, "the stage is scheduled twice");
        }
        out.schedule.emplace_back(entry.stage_id, entry.profile_name);
    }
    outside.report(file, resolver.problems);
}

}  // namespace

sddp::CorrelationModel resolve_correlation(const raw::Correlation& correlation,
                                           const Resolver& resolver) {
    sddp::CorrelationModel out;
    for (const auto& [name, profile] : correlation.profiles) {
        ProfileResolver groups(name, resolver);
        for (const raw::CorrelationGroup& group : profile.correlation_groups) {
            groups.add(group);
        }
        out.profiles.push_back(groups.take());
    }
    if (out.profiles.empty()) {
        resolver.error(ProblemKind::invalid_value, {file, ""}, "at least one profile is required");
    }
    const bool has_default =
        std::any_of(out.profiles.begin(), out.profiles.end(), [](const auto& profile) {
            return profile.name == "default";
        });
    if (out.profiles.size() > 1 && !has_default && correlation.schedule.empty()) {
        resolver.error(ProblemKind::business_rule_violation,
                       {file, ""},
                       "several profiles need a schedule or one named \"default\"");
    }
    add_schedule(correlation, resolver, out);
    return out;
}

}  // namespace lockstep::formats::cobre
