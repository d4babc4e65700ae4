#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "conformance/comm/backends.hpp"

namespace lockstep::comm {

class CommunicatorTest : public testing::TestWithParam<Backend> {
protected:
    [[nodiscard]] static int ranks() { return GetParam().ranks; }
    static void on_all_ranks(const std::function<void(Communicator&)>& body) {
        GetParam().run(body);
    }
};

inline std::string name_of_backend(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

/// Message of the CommError that `call` throws; "" when it throws none.
inline std::string comm_error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

}  // namespace lockstep::comm
