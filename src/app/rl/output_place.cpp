#include "app/rl/output_place.hpp"

#include <vector>

namespace lockstep::app {
RunRequest with_output(RunRequest request, const std::string& part) {
    if (request.output.empty()) {
        request.output = request.input.stem().string() + "-" + part;
    }
    return request;
}

void share(comm::Communicator& ranks, std::string& text) {
    std::vector<char> letters(text.begin(), text.end());
    comm::broadcast_list(ranks, letters, 0);
    text.assign(letters.begin(), letters.end());
}

}  // namespace lockstep::app
