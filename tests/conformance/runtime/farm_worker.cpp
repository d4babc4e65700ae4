// A worker process of the farms that the tests make, or an element of their arrays.
#include <cstdlib>

#include "lockstep/runtime/cluster_farm.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "conformance/runtime/farm_functions.hpp"

int main(int argc, char** argv) {
    const auto functions = lockstep::runtime::test::farm_functions();
    return argc == 3 ? lockstep::runtime::serve_element(functions, argv[1], std::atoi(argv[2]))
                     : lockstep::runtime::serve_tasks(functions);
}
