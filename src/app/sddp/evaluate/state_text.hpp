#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::app {

/// Names of the numbers of a state: "storage(FURNAS)", "inflow_lag(FURNAS,1)". An entity may be
/// given by its id, and a plant alone is its storage.
class StateNames {
public:
    explicit StateNames(const sddp::Problem& problem);

    struct Number {
        std::string name;
        std::string unit;
    };
    /// [states]
    [[nodiscard]] const std::vector<Number>& numbers() const noexcept { return numbers_; }

    /// @throws InputError  there is none, or several; with what there is
    [[nodiscard]] int find(std::string_view name) const;
    /// Index of a plant by name or id.
    /// @throws InputError
    [[nodiscard]] int find_hydro(std::string_view name) const;

private:
    struct Key {
        std::string kind;
        std::string entity_name;
        int entity_id = 0;
        int subindex = 0;
        bool has_subindex = false;
    };
    const sddp::Problem& problem_;
    std::vector<Key> keys_;
    std::vector<Number> numbers_;
};

/// The state that a text gives: "FURNAS=60%,inflow_lag(3,1)=200", or a JSON file with an object of
/// the same names. Storages may be in % of what lies between the limits of the stage.
/// @throws InputError, IoError
std::vector<double> read_state_text(const std::string& text,
                                    const sddp::Problem& problem,
                                    const StateNames& names,
                                    int stage);

}  // namespace lockstep::app
