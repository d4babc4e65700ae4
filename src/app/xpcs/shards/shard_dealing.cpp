#include "app/xpcs/shards/shard_dealing.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace lockstep::app {

ShardDealing::ShardDealing(Deal deal, const runtime::ThreadStarter& start) {
    try {
        thread_ = start([this, deal = std::move(deal)] { run(deal); });
    } catch (const std::system_error& error) {
        dealt_.remark = fmt::format("a thread could not be started ({})", error.what());
    }
}

ShardDealing::~ShardDealing() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void ShardDealing::run(const Deal& deal) {
    dealt_.begin = std::chrono::steady_clock::now();
    try {
        dealt_.deal = deal();
    } catch (const std::exception& error) {
        dealt_.remark = error.what();
    }
    dealt_.end = std::chrono::steady_clock::now();
}

DealtShards ShardDealing::end() {
    if (thread_.joinable()) {
        thread_.join();
    }
    return std::move(dealt_);
}

}  // namespace lockstep::app
