#include "app/xpcs/shards/lent_tasks.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"

#include "app/xpcs/shards/build_mark.hpp"

namespace lockstep::app {
namespace {

using Bytes = std::vector<std::byte>;

std::string text_of(const std::vector<char>& letters) {
    return {letters.begin(), letters.end()};
}

void require_this_build(const std::string& mark) {
    if (mark != build_mark()) {
        throw InputError(fmt::format(
            "a task of shards comes from another build, {}; this is {}", mark, build_mark()));
    }
}

}  // namespace

std::vector<std::byte> run_shard_task(std::span<const std::byte> task) {
    ByteReader reader(task);
    require_this_build(text_of(reader.read_array<char>()));
    const auto function = text_of(reader.read_array<char>());
    const auto number = reader.read<std::int64_t>();
    const auto settings = reader.view_array<std::byte>();
    const auto shard = reader.view_array<std::byte>();
    const auto input = reader.view_array<std::byte>();
    const xpcs::ShardWork work(settings, [shard](int) { return shard; });
    const auto functions = work.functions();
    const auto found = functions.find(function);
    if (found == functions.end() || !reader.at_end()) {
        throw InputError("a task of shards is damaged");
    }
    const std::atomic<bool> goes_on = false;
    return found->second(input,
                         {number, 0, runtime::TaskContext::Clock::time_point::max(), goes_on});
}

Bytes LentTasks::run(const std::string& function,
                     std::span<const std::byte> input,
                     const runtime::TaskContext& context) {
    ByteWriter task;
    task.add_array(std::span<const char>(build_mark()));
    task.add_array(std::span<const char>(function));
    task.add(context.number());
    task.add_array(settings_);
    task.add_array(work_.shard_bytes(work_.shard_of(input)));
    task.add_array(input);
    try {
        return farm_.run(task.bytes(), context);
    } catch (const CommError&) {
        const std::lock_guard lock(mutex_);
        loss_ = std::current_exception();
        throw;
    }
}

runtime::TaskFunctions LentTasks::functions() {
    runtime::TaskFunctions functions;
    for (const auto& [name, here] : work_.functions()) {
        functions[name] = [this, name = name](std::span<const std::byte> input,
                                              const runtime::TaskContext& context) {
            return run(name, input, context);
        };
    }
    return functions;
}

void LentTasks::rethrow() const {
    const std::lock_guard lock(mutex_);
    if (loss_ != nullptr) {
        std::rethrow_exception(loss_);
    }
}

}  // namespace lockstep::app
