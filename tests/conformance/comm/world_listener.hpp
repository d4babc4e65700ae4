#pragma once

#include <iostream>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// Keeps the ranks of a launched test binary in step: a test that fails on one fails on all.
class WorldListener final : public testing::EmptyTestEventListener {
public:
    explicit WorldListener(Communicator& world) : world_(world) {}

    // Rank 0 alone prints what runs. GoogleTest makes its printer as late as this.
    void OnTestProgramStart(const testing::UnitTest& /*tests*/) override {
        auto& listeners = testing::UnitTest::GetInstance()->listeners();
        if (world_.rank() > 0) {
            std::unique_ptr<testing::TestEventListener>(
                listeners.Release(listeners.default_result_printer()))
                .reset();
        }
    }
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed() && world_.rank() > 0) {
            std::cerr << "rank " << world_.rank() << ": " << result.file_name() << ':'
                      << result.line_number() << ": " << result.message() << '\n';
        }
    }
    void OnTestEnd(const testing::TestInfo& test) override {
        const bool has_failed = test.result()->Failed();
        if (!world_.is_broken() && world_.allreduce(has_failed ? 1U : 0U, ReduceOp::max) != 0 &&
            !has_failed) {
            ADD_FAILURE() << "the test failed on another rank";
        }
    }

private:
    Communicator& world_;
};

/// Adds the listener, at the first call.
inline void keep_in_step(Communicator& world) {
    static bool is_added = false;
    if (!std::exchange(is_added, true)) {
        testing::UnitTest::GetInstance()->listeners().Append(
            std::make_unique<WorldListener>(world).release());
    }
}

}  // namespace lockstep::comm
