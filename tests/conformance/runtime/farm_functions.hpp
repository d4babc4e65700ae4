#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "lockstep/runtime/task_farm.hpp"

namespace lockstep::runtime::test {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline std::string text_of(std::span<const std::byte> bytes) {
    std::string text(bytes.size(), ' ');
    if (!bytes.empty()) {
        std::memcpy(text.data(), bytes.data(), bytes.size());
    }
    return text;
}

inline void nap(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// What the tests of farms run, in this process and in others.
inline TaskFunctions farm_functions() {
    using Input = std::span<const std::byte>;
    TaskFunctions functions;
    functions["echo"] = [](Input input, const TaskContext&) {
        return Bytes(input.begin(), input.end());
    };
    functions["number"] = [](Input, const TaskContext& context) {
        return bytes_of(std::to_string(context.number()));
    };
    functions["nap"] = [](Input input, const TaskContext& context) {
        nap(std::stoi(text_of(input)));
        return bytes_of(std::to_string(context.number()));
    };
    functions["fail"] = [](Input input, const TaskContext&) -> Bytes {
        throw std::runtime_error("trouble with " + text_of(input));
    };
    functions["fail_oddly"] = [](Input, const TaskContext&) -> Bytes { throw 7; };
    functions["fail_if_odd"] = [](Input, const TaskContext& context) {
        if (context.number() % 2 == 1) {
            throw std::runtime_error("odd");
        }
        return bytes_of("even");
    };
    functions["until_stopped"] = [](Input, const TaskContext& context) -> Bytes {
        while (!context.should_stop()) {
            nap(1);
        }
        throw TaskStopped();
    };
    functions["hang"] = [](Input, const TaskContext&) -> Bytes {
        for (;;) {
            nap(1000);
        }
    };
    functions["die"] = [](Input, const TaskContext&) -> Bytes {
        std::raise(SIGKILL);
        return {};
    };
    // Dies the first time, as told by a file that the input names.
    functions["die_once"] = [](Input input, const TaskContext&) {
        const std::filesystem::path mark(text_of(input));
        if (!std::filesystem::exists(mark)) {
            std::ofstream(mark) << "died";
            std::raise(SIGKILL);
        }
        return bytes_of("alive");
    };
    functions["die_if_three"] = [](Input, const TaskContext& context) {
        if (context.number() == 3) {
            std::raise(SIGKILL);
        }
        return bytes_of(std::to_string(context.number()));
    };
    functions["parent"] = [](Input, const TaskContext&) {
        nap(20);  // so that each worker has one of several
        return bytes_of(std::to_string(getppid()));
    };
    functions["process"] = [](Input, const TaskContext&) {
        return bytes_of(std::filesystem::read_symlink("/proc/self").string());
    };
    return functions;
}

}  // namespace lockstep::runtime::test
