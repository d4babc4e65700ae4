// Reads a case directory and prints what it holds, or all that is wrong with it.

#include <exception>
#include <iostream>

#include "lockstep/app/sddp/validate.hpp"

namespace {

int check(const char* directory) {
    const auto validation = lockstep::app::validate_case(directory, {});
    if (validation.problems.has_errors()) {
        for (const auto& problem : validation.problems.all()) {
            std::cerr << lockstep::to_string(problem) << '\n';
        }
        return 1;
    }
    for (const auto& [name, count] : validation.counts) {
        std::cout << name << ' ' << count << '\n';
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    return argc == 2 ? check(argv[1]) : 64;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
