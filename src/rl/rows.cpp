#include "lockstep/rl/rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr int states_of_a_part = 4096;

int parts_of(const StateRange& range) {
    return (range.end - range.begin + states_of_a_part - 1) / states_of_a_part;
}

void write_part(const RowSource& source, const StateRange& range, int part, RowWriter& writer) {
    const int begin = range.begin + part * states_of_a_part;
    const int end = std::min(range.end - begin, states_of_a_part) + begin;
    writer.clear(begin, source.states(), true);
    for (int s = begin; s < end; ++s) {
        source.write(s, writer);
        writer.end_state();
    }
}

template <typename T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void extend_offsets(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    const std::int64_t base = to.back();
    for (std::size_t i = 1; i < from.size(); ++i) {
        to.push_back(base + from[i]);
    }
}

}  // namespace

void RowFacts::add(const RowFacts& other) {
    pairs += other.pairs;
    outcomes += other.outcomes;
    longest = std::max(longest, other.longest);
    reward_size = std::max(reward_size, other.reward_size);
    least_going_on = std::min(least_going_on, other.least_going_on);
    most_going_on = std::max(most_going_on, other.most_going_on);
    idle_pairs += other.idle_pairs;
    earning_pairs += other.earning_pairs;
}

std::int64_t RowFacts::table_bytes(int states) const noexcept {
    return 12 * outcomes + 29 * pairs + 8 * std::int64_t{states};
}

void RowWriter::clear(int first_state, int states, bool counts) {
    counts_ = counts;
    states_ = states;
    state_ = first_state;
    columns_.pair_first.assign(1, 0);
    columns_.first.assign(1, 0);
    columns_.action.clear();
    columns_.reward.clear();
    columns_.ends.clear();
    columns_.self.clear();
    columns_.next.clear();
    columns_.probability.clear();
    facts_ = {};
    is_in_pair_ = false;
}

void RowWriter::pair(int action) {
    end_pair();
    is_in_pair_ = true;
    outcomes_ = 0;
    total_ = ended_ = earned_ = size_ = 0;
    going_.clear();
    columns_.action.push_back(action);
}

void RowWriter::outcome(double weight, int next, double reward, bool terminated) {
    ++outcomes_;
    total_ += weight;
    earned_ += weight * reward;
    size_ += weight * std::abs(reward);
    if (!(weight > 0) || next < 0 || next >= states_) {
        throw InputError(
            fmt::format("state {}, action {}: an outcome of weight {} goes to state {}; weights "
                        "must be above 0, states 0 to {}",
                        state_,
                        columns_.action.back(),
                        weight,
                        next,
                        states_ - 1));
    }
    if (terminated) {
        ended_ += weight;
    } else {
        going_.push_back({next, weight});
    }
}

void RowWriter::end_state() {
    end_pair();
    columns_.pair_first.push_back(static_cast<std::int64_t>(columns_.action.size()));
    ++state_;
}

// A stable sort by insertion: rows are short, and sums of equal successors keep their order.
void RowWriter::merge() {
    for (std::size_t i = 1; i < going_.size(); ++i) {
        const Going moved = going_[i];
        std::size_t k = i;
        for (; k > 0 && going_[k - 1].next > moved.next; --k) {
            going_[k] = going_[k - 1];
        }
        going_[k] = moved;
    }
    std::size_t kept = 0;
    for (std::size_t i = 1; i < going_.size(); ++i) {
        if (going_[i].next == going_[kept].next) {
            going_[kept].weight += going_[i].weight;
        } else {
            going_[++kept] = going_[i];
        }
    }
    going_.resize(std::min(going_.size(), kept + 1));
}

void RowWriter::end_pair() {
    if (!is_in_pair_) {
        return;
    }
    is_in_pair_ = false;
    if (!(std::isfinite(total_) && std::isfinite(size_)) || outcomes_ == 0) {
        throw InputError(
            fmt::format("state {}, action {}: needs outcomes, finite weights and rewards",
                        state_,
                        columns_.action.back()));
    }
    merge();
    const bool is_certain = ended_ == 0 && going_.size() == 1;
    double going_on = 0;
    for (Going& going : going_) {
        going.weight = is_certain ? 1.0 : going.weight / total_;
        going_on += going.weight;
    }
    keep(earned_ / total_, ended_ > 0);
    if (counts_) {
        count_pair(ended_ == 0 ? 1.0 : going_on);
    }
}

void RowWriter::count_pair(double going_on) {
    facts_.add({1,
                static_cast<std::int64_t>(going_.size()),
                outcomes_,
                size_ / total_,
                going_on,
                going_on,
                ended_ == 0 && earned_ == 0 ? 1 : 0,
                ended_ == 0 && earned_ > 0 ? 1 : 0});
}

void RowWriter::keep(double reward, bool ends) {
    double self = 0;
    for (const Going& going : going_) {
        columns_.next.push_back(going.next);
        columns_.probability.push_back(going.weight);
        self = going.next == state_ ? going.weight : self;
    }
    columns_.first.push_back(static_cast<std::int64_t>(columns_.next.size()));
    columns_.reward.push_back(reward);
    columns_.self.push_back(self);
    columns_.ends.push_back(ends ? 1 : 0);
}

// Rows that were normalised once are taken as they are.
void RowWriter::copy(const RowBlock& rows,
                     std::int64_t pair,
                     std::int32_t action,
                     double reward,
                     std::span<const std::int32_t> map) {
    end_pair();
    columns_.action.push_back(action);
    if (map.empty()) {
        copy_as_is(rows, pair, reward);
        return;
    }
    going_.clear();
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        going_.push_back({map[at(rows.next[k])], rows.probability[k]});
    }
    merge();
    keep(reward, rows.ends[pair] != 0);
}

void RowWriter::copy_as_is(const RowBlock& rows, std::int64_t pair, double reward) {
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        columns_.next.push_back(rows.next[k]);
        columns_.probability.push_back(rows.probability[k]);
    }
    columns_.first.push_back(static_cast<std::int64_t>(columns_.next.size()));
    columns_.reward.push_back(reward);
    columns_.self.push_back(rows.self[pair]);
    columns_.ends.push_back(rows.ends[pair]);
}

RowBlock RowColumns::block() const noexcept {
    return {pair_first.data(),
            first.data(),
            action.data(),
            reward.data(),
            ends.data(),
            self.data(),
            next.data(),
            probability.data()};
}

RowBlock RowWriter::block() const noexcept {
    return columns_.block();
}

RowBlock RowSource::block(int begin, int end, RowWriter& writer) const {
    writer.clear(begin, states());
    for (int s = begin; s < end; ++s) {
        write(s, writer);
        writer.end_state();
    }
    return writer.block();
}

RowFacts RowSource::facts(runtime::ThreadTeam& team) const {
    const StateRange all{0, states()};
    return team.ordered_reduce(
        parts_of(all),
        RowFacts{},
        [&](std::ptrdiff_t part, int) {
            RowWriter writer;
            write_part(*this, all, static_cast<int>(part), writer);
            return writer.facts();
        },
        [](RowFacts sum, const RowFacts& part) {
            sum.add(part);
            return sum;
        });
}

void ModelRows::write(int s, RowWriter& writer) const {
    for (int a = 0; a < model_.actions(); ++a) {
        if (!model_.is_legal(s, a)) {
            continue;
        }
        writer.pair(a);
        for (const Outcome& outcome : model_.outcomes(s, a)) {
            writer.outcome(outcome.probability, outcome.next, outcome.reward, outcome.terminated);
        }
    }
}

// Parts are written by threads, a few at a time, and appended in order: no more than these lie in
// memory twice.
RowTable::RowTable(const RowSource& source, runtime::ThreadTeam& team, const StateRange& kept)
    : states_(source.states()), actions_(source.actions()), kept_(kept) {
    std::vector<RowWriter> writers(at(4 * team.size()));
    const int parts = parts_of(kept_);
    for (int done = 0; done < parts; done += static_cast<int>(writers.size())) {
        const int count = std::min(static_cast<int>(writers.size()), parts - done);
        team.parallel_for(count, [&](std::ptrdiff_t i, int) {
            write_part(source, kept_, done + static_cast<int>(i), writers[at(i)]);
        });
        if (done == 0) {
            reserve_like(writers.front());
        }
        for (int i = 0; i < count; ++i) {
            append(writers[at(i)]);
        }
    }
}

// As if all parts were like the first one, so that no array grows far beyond what it holds.
void RowTable::reserve_like(const RowWriter& part) {
    const auto share = [&](std::size_t size) {
        const int all = kept_.end - kept_.begin;
        const double states = std::min(all, states_of_a_part);
        return static_cast<std::size_t>(1.02 * static_cast<double>(size) * all / states) + 1;
    };
    columns_.pair_first.reserve(at(kept_.end - kept_.begin) + 1);
    columns_.first.reserve(share(part.columns_.first.size()));
    columns_.action.reserve(share(part.columns_.action.size()));
    columns_.reward.reserve(share(part.columns_.action.size()));
    columns_.self.reserve(share(part.columns_.action.size()));
    columns_.ends.reserve(share(part.columns_.action.size()));
    columns_.next.reserve(share(part.columns_.next.size()));
    columns_.probability.reserve(share(part.columns_.next.size()));
}

void RowTable::append(const RowWriter& part) {
    extend_offsets(columns_.pair_first, part.columns_.pair_first);
    extend_offsets(columns_.first, part.columns_.first);
    extend(columns_.action, part.columns_.action);
    extend(columns_.reward, part.columns_.reward);
    extend(columns_.self, part.columns_.self);
    extend(columns_.ends, part.columns_.ends);
    extend(columns_.next, part.columns_.next);
    extend(columns_.probability, part.columns_.probability);
    facts_.add(part.facts());
}

void RowTable::write(int s, RowWriter& writer) const {
    const RowBlock rows = all();
    const std::int64_t* first = rows.pair_first + (s - kept_.begin);
    for (std::int64_t pair = first[0]; pair < first[1]; ++pair) {
        writer.copy(rows, pair, rows.action[pair], rows.reward[pair], {});
    }
}

RowBlock RowTable::block(int begin, int /*end*/, RowWriter& /*writer*/) const {
    RowBlock rows = all();
    rows.pair_first += begin - kept_.begin;
    return rows;
}

// Bounds from too few facts would prove what is wrong.
RowFacts RowTable::facts(runtime::ThreadTeam& /*team*/) const {
    if (facts_.pairs != std::ssize(columns_.action)) {
        throw AssertionError("rows that were copied do not tell the facts of their process");
    }
    return facts_;
}

RowBlock RowTable::all() const noexcept {
    return columns_.block();
}

}  // namespace lockstep::rl
