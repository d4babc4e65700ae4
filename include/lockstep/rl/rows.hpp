#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/model.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// What holds for all pairs of a process; what bounds on rounding and on ended mass need.
struct RowFacts {
    std::int64_t pairs = 0;
    std::int64_t outcomes = 0;        ///< after those of one pair with one successor are merged
    int longest = 0;                  ///< most outcomes of a pair, before merging
    double reward_size = 0;           ///< largest sum of p·|r| of a pair
    double least_going_on = 1;        ///< smallest probability that a pair does not end the episode
    double most_going_on = 0;         ///< and the largest
    std::int64_t idle_pairs = 0;      ///< that cannot end and earn 0
    std::int64_t earning_pairs = 0;   ///< that cannot end and earn more than 0
    void add(const RowFacts& other);  ///< the facts of both
    /// Bytes of a RowTable of these rows.
    [[nodiscard]] std::int64_t table_bytes(int states) const noexcept;
};

/// Legal pairs of the states [begin, end), as sweeps read them: pairs of state s are
/// pair_first[s - begin] to pair_first[s - begin + 1], outcomes of a pair likewise.
struct RowBlock {
    const std::int64_t* pair_first = nullptr;
    const std::int64_t* first = nullptr;
    const std::int32_t* action = nullptr;
    const double* reward = nullptr;       ///< expected
    const std::uint8_t* ends = nullptr;   ///< 1: the episode may end
    const double* self = nullptr;         ///< probability to stay in the state
    const std::int32_t* next = nullptr;   ///< ascending within a pair
    const double* probability = nullptr;  ///< to go on in `next`
};

/// What a RowBlock points to.
struct RowColumns {
    std::vector<std::int64_t> pair_first{0};
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> action;
    std::vector<double> reward;
    std::vector<std::uint8_t> ends;
    std::vector<double> self;
    std::vector<std::int32_t> next;
    std::vector<double> probability;

    [[nodiscard]] RowBlock block() const noexcept;
};

/// Takes the pairs of states in order, merges outcomes of a pair that go on in one state, and keeps
/// expected rewards.
class RowWriter {
public:
    /// Forgets everything. The first state to follow has this number, of so many states.
    /// @param counts  whether facts() is asked for
    void clear(int first_state, int states, bool counts = false);
    /// Outcomes that follow are those of this action.
    void pair(int action);
    /// @param weight  > 0; probabilities are weights over their sum in the pair
    void outcome(double weight, int next, double reward, bool terminated);
    /// The state that follows.
    /// @throws InputError  an outcome whose weight is not above 0 and finite, whose reward is not
    /// finite or whose state does not exist; a pair without outcomes
    void end_state();

    /// A pair of rows that another writer made, under another action, with another expected reward
    /// and successors renamed by `map` (empty: as they are); adds no facts.
    void copy(const RowBlock& rows,
              std::int64_t pair,
              std::int32_t action,
              double reward,
              std::span<const std::int32_t> map);

    [[nodiscard]] RowBlock block() const noexcept;
    [[nodiscard]] const RowFacts& facts() const noexcept { return facts_; }

private:
    friend class RowTable;
    struct Going {
        std::int32_t next;
        double weight;
    };
    void end_pair();
    void merge();
    void keep(double reward, bool ends);
    void count_pair(double going_on);
    void copy_as_is(const RowBlock& rows, std::int64_t pair, double reward);

    int states_ = 0;
    int state_ = 0;
    bool counts_ = false;
    RowColumns columns_;
    RowFacts facts_;

    bool is_in_pair_ = false;
    int outcomes_ = 0;
    double total_ = 0;
    double ended_ = 0;
    double earned_ = 0;
    double size_ = 0;
    std::vector<Going> going_;
};

/// A process that says its rows when asked: it need not be stored. Asked from several threads.
class RowSource {
public:
    virtual ~RowSource() = default;
    [[nodiscard]] virtual int states() const = 0;
    [[nodiscard]] virtual int actions() const = 0;
    /// Writes the legal pairs of `s`, actions ascending; does not call end_state.
    virtual void write(int s, RowWriter& writer) const = 0;

    /// Rows of the states [begin, end). Valid until the writer changes.
    [[nodiscard]] virtual RowBlock block(int begin, int end, RowWriter& writer) const;
    /// True where block() returns memory that stays.
    [[nodiscard]] virtual bool is_stored() const noexcept { return false; }
    /// Facts of all rows; reads each once.
    [[nodiscard]] virtual RowFacts facts(runtime::ThreadTeam& team) const;
};

/// The rows of a model.
class ModelRows : public RowSource {
public:
    /// `model` must outlive this.
    explicit ModelRows(const Model& model) : model_(model) {}
    [[nodiscard]] int states() const override { return model_.states(); }
    [[nodiscard]] int actions() const override { return model_.actions(); }
    void write(int s, RowWriter& writer) const override;

private:
    const Model& model_;
};

/// The states [begin, end).
struct StateRange {
    int begin = 0;
    int end = 0;
};

/// Rows in memory: 12 bytes an outcome, 29 a pair, 8 a state.
class RowTable : public RowSource {
public:
    RowTable(const RowSource& source, runtime::ThreadTeam& team)
        : RowTable(source, team, {0, source.states()}) {}
    /// Those of `kept` alone: of other states nothing may be asked, and facts() leaves them out.
    RowTable(const RowSource& source, runtime::ThreadTeam& team, const StateRange& kept);
    [[nodiscard]] int states() const override { return states_; }
    [[nodiscard]] int actions() const override { return actions_; }
    void write(int s, RowWriter& writer) const override;
    [[nodiscard]] RowBlock block(int begin, int end, RowWriter& writer) const override;
    [[nodiscard]] bool is_stored() const noexcept override { return true; }
    /// @throws AssertionError  they were copied from rows, which tell no facts
    [[nodiscard]] RowFacts facts(runtime::ThreadTeam& team) const override;
    /// All rows.
    [[nodiscard]] RowBlock all() const noexcept;

private:
    void append(const RowWriter& part);
    void reserve_like(const RowWriter& part);

    int states_;
    int actions_;
    StateRange kept_;
    RowFacts facts_;
    RowColumns columns_;
};

}  // namespace lockstep::rl
