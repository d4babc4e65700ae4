#include "xpcs/shards/run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"

namespace lockstep::xpcs {
namespace {

using runtime::TaskResult;
using runtime::TaskStatus;

constexpr int judged = 10;  // tasks, by which it is seen that the rest is in vain
constexpr std::int64_t tasks_ahead_a_worker = 4;

std::span<const char> chars(const std::string& text) {
    return {text.data(), text.size()};
}

std::string read_text(ByteReader& reader) {
    const auto characters = reader.read_array<char>();
    return {characters.begin(), characters.end()};
}

}  // namespace

ShardRun::ShardRun(const ShardWork& work, const ConsensusOptions& how, SampleObserver* observer)
    : work_(*work.state_), how_(how), observer_(observer) {
    start_afresh();
}

void ShardRun::start_afresh() {
    drawn_.assign(at(work_.shards()), {});
    for (std::size_t shard = 0; shard < drawn_.size(); ++shard) {
        drawn_[shard].figures.pairs = work_.settings.pairs[shard];
    }
    ended_ = 0;
    failed_ = 0;
    is_complete_ = true;
    abort_.clear();
}

void ShardRun::on(runtime::TaskFarm& farm) {
    start_afresh();
    if (work_.settings.sampling.method != SampleMethod::chains) {
        by_importance(farm);
    }
    if (work_.settings.sampling.method != SampleMethod::importance && is_complete_ &&
        abort_.empty()) {
        by_chains(farm);
    }
}

template <typename Take>
void ShardRun::run(runtime::TaskFarm& farm,
                   std::string_view function,
                   const std::vector<TaskPlace>& tasks,
                   Take take) {
    runtime::TaskBatch batch;
    batch.function = function;
    batch.count = std::ssize(tasks);
    batch.input = [&](std::int64_t number) { return pack(tasks[at(number)]); };
    batch.cost = [&](std::int64_t number) {
        return static_cast<double>(work_.settings.pairs[at(tasks[at(number)].shard)]);
    };
    batch.policy.time_limit = how_.time_limit;
    batch.policy.retries_of_failed = 1;
    batch.policy.retries_of_crashed = 1;
    batch.window = std::max<std::int64_t>(judged, tasks_ahead_a_worker * farm.workers());
    runtime::FarmObserver observer;
    observer.on_result = [&](TaskResult&& result) {
        const auto& place = tasks[at(result.number)];
        if (note_end(drawn_[at(place.shard)].figures, result)) {
            take(place, std::move(result.output));
        }
        return abort_.empty();
    };
    observer.stop_requested = [&] {
        is_complete_ = is_complete_ && !(observer_ != nullptr && observer_->stop_requested());
        return !is_complete_;
    };
    observer.on_progress = [&](const runtime::FarmProgress& progress) {
        if (observer_ != nullptr) {
            SampleProgress told;
            told.is_of_shards = true;
            told.done = progress.done + progress.failed;
            told.total = progress.total;
            observer_->on_progress(told);
        }
    };
    farm.run(batch, observer);
}

bool ShardRun::note_end(ShardFigures& figures, const TaskResult& result) {
    const bool is_done = result.status == TaskStatus::done;
    figures.attempts += result.attempts;
    figures.seconds += is_done ? result.seconds : 0;
    if (!is_done && figures.failure.empty()) {
        figures.failure = fmt::format("{}: {}", to_string(result.status), result.error);
    }
    if (result.status != TaskStatus::cancelled) {
        count(is_done, result);
    }
    return is_done;
}

// Results come in the order of their numbers, so that what is given up does not depend on time.
void ShardRun::count(bool is_done, const TaskResult& result) {
    if (!is_done) {
        ++failed_;
        last_error_ = result.error;
    }
    if (++ended_ == judged && 2 * failed_ > judged) {
        abort_ = fmt::format(
            "{} of the first {} tasks failed, the last one: {}", failed_, judged, last_error_);
    }
}

void ShardRun::by_importance(runtime::TaskFarm& farm) {
    const auto& sampling = work_.settings.sampling;
    std::vector<TaskPlace> tasks;
    for (int shard = 0; shard < work_.shards(); ++shard) {
        tasks.push_back({shard, 0});
    }
    const auto values = std::int64_t{sampling.chains} * sampling.draws * work_.dimension();
    run(farm,
        ShardWork::by_importance,
        tasks,
        [&](TaskPlace place, const std::vector<std::byte>& output) {
            auto task = unpack_draws(output, values);
            auto& shard = drawn_[at(place.shard)];
            shard.values = std::move(task.values);
            shard.figures.k = task.k;
        });
}

// Those whose weights cannot be relied on, and all where nothing else is wanted.
std::vector<int> ShardRun::left_to_chains() const {
    const auto& sampling = work_.settings.sampling;
    std::vector<int> shards;
    for (int shard = 0; shard < work_.shards(); ++shard) {
        const auto& drawn = drawn_[at(shard)];
        if (sampling.method == SampleMethod::chains ||
            (!drawn.values.empty() && !(drawn.figures.k <= sampling.largest_k))) {
            shards.push_back(shard);
        }
    }
    return shards;
}

void ShardRun::by_chains(runtime::TaskFarm& farm) {
    const auto& sampling = work_.settings.sampling;
    std::vector<TaskPlace> tasks;
    for (const int shard : left_to_chains()) {
        auto& drawn = drawn_[at(shard)];
        drawn.values.clear();
        drawn.figures.method = SampleMethod::chains;
        for (int chain = 0; chain < sampling.chains; ++chain) {
            tasks.push_back({shard, chain});
        }
    }
    const auto values = std::int64_t{sampling.draws} * work_.dimension();
    int whose = -1;
    std::vector<TaskDraws> chains;
    run(farm,
        ShardWork::by_chain,
        tasks,
        [&](TaskPlace place, const std::vector<std::byte>& output) {
            if (std::exchange(whose, place.shard) != place.shard) {
                chains.clear();
            }
            chains.push_back(unpack_draws(output, values));
            if (place.chain + 1 == sampling.chains) {
                join_chains(place.shard, chains);
            }
        });
}

// A shard counts with all of its chains or not at all.
void ShardRun::join_chains(int shard, const std::vector<TaskDraws>& chains) {
    auto& drawn = drawn_[at(shard)];
    const int count = work_.settings.sampling.chains;
    if (std::ssize(chains) != count) {
        return;
    }
    for (const auto& chain : chains) {
        drawn.figures.acceptance += chain.acceptance / count;
        drawn.values.insert(drawn.values.end(), chain.values.begin(), chain.values.end());
        drawn.figures.divergences += chain.divergences;
    }
    const int dimension = work_.dimension();
    const int draws = work_.settings.sampling.draws;
    for (int k = 0; k < dimension; ++k) {
        std::vector<double> column;
        for (std::size_t place = at(k); place < drawn.values.size(); place += at(dimension)) {
            column.push_back(drawn.values[place]);
        }
        drawn.figures.largest_rhat = std::max(
            drawn.figures.largest_rhat, cmc::split_rhat({column.data(), count, draws}).value());
    }
}

void ShardRun::save(ByteWriter& writer) const {
    for (const auto& shard : drawn_) {
        const auto& figures = shard.figures;
        writer.add_array(shard.values);
        writer.add(figures.method);
        writer.add(figures.k);
        writer.add(figures.largest_rhat);
        writer.add(figures.acceptance);
        writer.add(figures.divergences);
        writer.add(figures.attempts);
        writer.add(figures.seconds);
        writer.add_array(chars(figures.failure));
    }
    writer.add(is_complete_);
    writer.add_array(chars(abort_));
}

void ShardRun::restore(ByteReader& reader) {
    for (auto& shard : drawn_) {
        auto& figures = shard.figures;
        shard.values = reader.read_array<double>();
        figures.method = reader.read<SampleMethod>();
        figures.k = reader.read<double>();
        figures.largest_rhat = reader.read<double>();
        figures.acceptance = reader.read<double>();
        figures.divergences = reader.read<std::int64_t>();
        figures.attempts = reader.read<int>();
        figures.seconds = reader.read<double>();
        figures.failure = read_text(reader);
    }
    is_complete_ = reader.read<bool>();
    abort_ = read_text(reader);
}

}  // namespace lockstep::xpcs
