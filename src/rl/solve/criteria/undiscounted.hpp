#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// A process for gamma = 1 in which no policy idles, earns for ever or is uncertain to be able to
/// end: states between which one can idle are one state that may also stop and earn nothing.
/// @par Source  [HaddadMonmege2018], section 3; [Baier2017], section 3
class EndingProcess {
public:
    /// @param source  must outlive this
    /// @throws ModelError  names states, as solve
    EndingProcess(const RowSource& source,
                  const RowFacts& facts,
                  std::span<const Start> starts,
                  runtime::ThreadTeam& team);

    [[nodiscard]] const RowSource& rows() const noexcept { return table_ ? *table_ : source_; }
    /// A policy that is certain to end, as numbers of pairs.
    [[nodiscard]] const std::vector<std::int32_t>& proper() const noexcept { return proper_; }
    /// States of the source whose value is not defined.
    [[nodiscard]] const std::vector<std::int32_t>& undefined() const noexcept { return undefined_; }

    /// What states of the source take from those of this process.
    [[nodiscard]] std::vector<double> lifted(const std::vector<double>& values) const;
    /// Actions of the source that do what the pairs of this process say: on the way to a pair that
    /// leaves states between which one idles, those that are certain to lead there.
    [[nodiscard]] std::vector<std::int32_t> lifted_policy(
        const std::vector<std::int32_t>& choice) const;
    /// Pairs of this process for actions of the source, where these are certain to end; else
    /// proper().
    [[nodiscard]] std::vector<std::int32_t> lowered(const std::vector<std::int32_t>& policy) const;

private:
    struct Trouble;
    Trouble attempt(const std::vector<std::uint8_t>& is_left_out, runtime::ThreadTeam& team);
    void merge_idle(runtime::ThreadTeam& team);
    void lead(std::vector<std::int32_t>& policy, std::int32_t merged, std::int64_t pair) const;

    const RowSource& source_;
    RowFacts facts_;
    std::unique_ptr<RowTable> original_;              // pairs of the source; null where table_ is
    std::unique_ptr<RowTable> table_;                 // null: the source itself
    std::vector<std::int32_t> state_of_;              // [states of the source]
    std::vector<std::vector<std::int32_t>> members_;  // [merged states], which come first
    std::vector<std::uint8_t> is_inner_;              // [pairs of original_]
    std::vector<std::int32_t> proper_;
    std::vector<std::int32_t> undefined_;
};

}  // namespace lockstep::rl
