// A worker process of the farms that the tests make, or an element of their arrays.
#include <cstdlib>
#include <string_view>
#include <thread>

#include "lockstep/runtime/cluster_farm.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "conformance/runtime/farm_functions.hpp"

int main(int argc, char** argv) {
    using namespace lockstep::runtime;
    const auto functions = test::farm_functions();
    if (argc == 2 && argv[1] == std::string_view("--with-a-thread")) {
        std::thread([] { test::nap(600'000); }).detach();
    }
    return argc == 3 ? serve_element(functions, argv[1], std::atoi(argv[2]))
                     : serve_tasks(functions);
}
