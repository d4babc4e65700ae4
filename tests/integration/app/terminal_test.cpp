#include <array>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "integration/app/case_copy.hpp"
#include "integration/app/program.hpp"

namespace lockstep::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A terminal without a person, for the stderr of a program.
class PseudoTerminal {
public:
    explicit PseudoTerminal(unsigned short columns)
        : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
        if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
            throw std::runtime_error("no pseudo terminal");
        }
        slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
        const winsize size{24, columns, 0, 0};
        ::ioctl(slave_, TIOCSWINSZ, &size);
    }
    ~PseudoTerminal() {
        ::close(slave_);
        ::close(master_);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    void become_stderr() const { ::dup2(slave_, STDERR_FILENO); }

    /// What was written to it so far.
    [[nodiscard]] std::string text() const {
        std::string all;
        std::array<char, 4096> part{};
        for (ssize_t size; (size = ::read(master_, part.data(), part.size())) > 0;) {
            all.append(part.data(), static_cast<std::size_t>(size));
        }
        return all;
    }

private:
    int master_;
    int slave_ = -1;
};

bool has_pseudo_terminals() {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
    const bool works = master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0;
    if (master >= 0) {
        ::close(master);
    }
    return works;
}

class TerminalTest : public testing::Test {
protected:
    void SetUp() override {
        if (!has_pseudo_terminals()) {
            GTEST_SKIP() << "this machine has no pseudo terminals (/dev/pts)";
        }
    }

    // A simulation of a few scenarios: its progress is less than a terminal's buffer holds.
    std::string shown(const PseudoTerminal& terminal, const std::function<void()>& environment) {
        const auto ended = run(
            {"run", copy.path(), "-o", copy.output(), "--set", "simulation.enabled=false"}, [&] {
                ::setenv("TERM", "xterm", 1);
                ::setenv("LC_ALL", "C.UTF-8", 1);
                ::unsetenv("NO_COLOR");
                environment();
                terminal.become_stderr();
            });
        EXPECT_EQ(ended.exit_code, 0);
        return terminal.text();
    }

    CaseCopy copy;
};

TEST_F(TerminalTest, RewritesOneLineInPlace) {
    const PseudoTerminal terminal(60);

    const auto text = shown(terminal, [] {});

    EXPECT_THAT(text, HasSubstr("\r\033[36mtraining "));
    EXPECT_THAT(text, HasSubstr("\033[K"));
    EXPECT_THAT(text, HasSubstr("training: 128 iterations"));
    EXPECT_THAT(text, Not(HasSubstr("+-95% CI")));
}

TEST_F(TerminalTest, KeepsItsProgressWithinTheWidth) {
    const PseudoTerminal terminal(40);

    std::istringstream pieces(shown(terminal, [] { ::setenv("NO_COLOR", "1", 1); }));

    for (std::string piece; std::getline(pieces, piece, '\r');) {
        if (piece.starts_with("training ")) {
            EXPECT_LT(piece.find("\033[K"), 40U) << piece;
        }
    }
}

TEST_F(TerminalTest, LeavesColorsOutOnDemand) {
    const PseudoTerminal terminal(80);

    const auto text = shown(terminal, [] { ::setenv("NO_COLOR", "1", 1); });

    EXPECT_THAT(text, AllOf(HasSubstr("\rtraining "), Not(HasSubstr("\033[36m"))));
}

TEST_F(TerminalTest, WritesATableOnATerminalThatCannotRewrite) {
    const PseudoTerminal terminal(80);

    // The table of 128 iterations is more than the terminal's buffer holds: a few will do.
    copy.edit("config.json", R"("limit": 128)", R"("limit": 3)");
    const auto text = shown(terminal, [] { ::setenv("TERM", "dumb", 1); });

    EXPECT_THAT(text, AllOf(HasSubstr("+-95% CI"), Not(HasSubstr("\033["))));
}

}  // namespace
}  // namespace lockstep::cli
