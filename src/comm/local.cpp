#include <algorithm>
#include <cstdlib>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

class LocalCommunicator final : public Communicator {
public:
    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int size() const noexcept override { return 1; }
    [[nodiscard]] std::string_view backend() const noexcept override { return "local"; }
    [[noreturn]] void abort(int code) override { std::_Exit(code); }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        if (!send.empty())  // an empty part may start anywhere
            std::ranges::copy(send, receive.begin() + layout.offset(0) * stamp.width);
    }
    void do_broadcast(const CallStamp&, std::span<std::byte>, int) override {}
    void do_barrier(const CallStamp&) override {}
};

}  // namespace

std::unique_ptr<Communicator> make_local() {
    return std::make_unique<LocalCommunicator>();
}

}  // namespace lockstep::comm
