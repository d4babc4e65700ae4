// A worker process of the farms that the tests make.
#include "lockstep/runtime/task_farm.hpp"

#include "conformance/runtime/farm_functions.hpp"

int main() {
    return lockstep::runtime::serve_tasks(lockstep::runtime::test::farm_functions());
}
