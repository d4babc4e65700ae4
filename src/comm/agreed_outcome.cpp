#include "comm/agreed_outcome.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lockstep/base/error.hpp"

namespace lockstep::comm {

void agree_on_outcome(Communicator& communicator, const std::function<void()>& body) {
    std::array<char, 512> text{};
    try {
        body();
    } catch (const std::exception& error) {
        const std::string message = error.what();
        std::copy_n(message.data(), std::min(message.size(), text.size() - 1), text.begin());
    }
    const int size = communicator.size();
    const int own = text[0] == '\0' ? size : communicator.rank();
    const int first = communicator.allreduce(own, ReduceOp::min);
    if (first == size) {
        return;
    }
    communicator.broadcast<char>(text, first);
    throw IoError(text.data(), IoError::Direction::write);
}

}  // namespace lockstep::comm
