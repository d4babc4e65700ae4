#include "app/xpcs/batch/rank_mail.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::app {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// What the first rank hears until all others have told all.
std::vector<std::string> all_heard(RankMail& mail) {
    std::vector<std::string> heard;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!mail.is_done() && std::chrono::steady_clock::now() < end) {
        if (const auto event = mail.receive(milliseconds(20))) {
            heard.push_back(event->trouble);
        }
    }
    EXPECT_TRUE(mail.is_done());
    return heard;
}

void tell(RankMail& mail, const std::string& text) {
    mail.send({nullptr, text});
}

void end(RankMail& mail) {
    mail.end();
    while (!mail.is_done()) {
        static_cast<void>(mail.receive(milliseconds(20)));
    }
}

TEST(RankMailTest, TheFirstRankHearsWhatAllOthersTell) {
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        RankMail mail(ranks);
        if (ranks.rank() == 0) {
            EXPECT_THAT(all_heard(mail), UnorderedElementsAre("of 1", "of 2"));
        } else {
            tell(mail, "of " + std::to_string(ranks.rank()));
            end(mail);
        }
    });
}

TEST(RankMailTest, ALostRankLeavesTheOthersTheirVoice) {
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        RankMail mail(ranks);
        if (ranks.rank() == 0) {
            EXPECT_THAT(all_heard(mail), ElementsAre("before", "after"));
        } else if (ranks.rank() == 1) {
            tell(mail, "before");
            // Until long after the loss.
            const auto later = std::chrono::steady_clock::now() + milliseconds(600);
            while (std::chrono::steady_clock::now() < later) {
                static_cast<void>(mail.receive(milliseconds(20)));
            }
            tell(mail, "after");
            end(mail);
        } else {
            std::this_thread::sleep_for(milliseconds(200));
        }
    });
}

TEST(RankMailTest, NobodyWaitsForAFirstRankThatIsLost) {
    comm::run_in_process(2, [&](comm::Communicator& ranks) {
        RankMail mail(ranks);
        if (ranks.rank() == 1) {
            std::this_thread::sleep_for(milliseconds(100));
            for (int k = 0; k < 100; ++k) {
                tell(mail, std::string(10'000, 'x'));
            }
            end(mail);
        }
    });
}

}  // namespace
}  // namespace lockstep::app
