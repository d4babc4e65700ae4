#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/mdp/model_file.hpp"

#include "formats/mdp/faults.hpp"
#include "formats/mdp/numbering.hpp"

namespace lockstep::formats::mdp {

/// A row as a file writes it. What is missing was no value, and was told.
struct RawRow {
    std::int64_t place = 0;  ///< line or row
    Label state{};
    Label action{};
    Label next{};
    std::optional<double> probability{};
    std::optional<double> reward{};
    bool terminated = false;
};

/// "state good, action run".
std::string in_words(const RawRow& row);

/// A model while it is read: takes everything, tells every fault, and is a model when there is
/// none.
class Draft {
public:
    explicit Draft(Faults& faults) : faults_(faults) {}

    Numbering states{"state"};
    Numbering actions{"action"};
    std::optional<double> gamma{};
    std::optional<std::int64_t> time_limit{};

    void add_row(const RawRow& row);
    void add_start(std::int64_t place, const Label& state, std::optional<double> probability);

    /// Looks at what only shows when all is there.
    std::optional<ModelFile> finish();

private:
    struct Row {
        std::int64_t place;
        std::int32_t state;
        std::int32_t action;
        std::int32_t next;   // -1: faulty
        double probability;  // NaN: faulty
        double reward;
        bool terminated;
    };
    struct PlacedStart {
        std::int64_t place;
        std::int32_t state;
        double probability;
    };

    [[nodiscard]] std::string entity(const Row& row) const;
    [[nodiscard]] bool is_too_sparse();
    void sort_rows();
    void check_sums();
    void check_sum(std::size_t first, std::size_t end);
    void check_successors();
    void check_starts();
    [[nodiscard]] std::vector<bool> states_with_rows() const;
    [[nodiscard]] lockstep::rl::Model model() const;

    Faults& faults_;
    std::vector<Row> rows_;
    std::vector<PlacedStart> starts_;
};

}  // namespace lockstep::formats::mdp
