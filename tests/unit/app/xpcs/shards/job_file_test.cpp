#include "app/xpcs/shards/job_file.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "support/xpcs/measurements.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class JobFileTest : public testing::Test {
protected:
    JobFileTest() : ranks_(comm::make_local()), threads_(1), team_{*ranks_, threads_} {
        const auto box = fitting_.box();
        for (std::size_t p = 0; p < box.lower.size(); ++p) {
            xpcs::Prior prior;
            prior.lower = box.lower[p];
            prior.upper = box.upper[p];
            sampling_.posterior.physical.push_back(prior);
        }
        fit_ = xpcs::fit(data_, fitting_, team_);
        digest_ = write_shard_job(path(), work());
    }
    [[nodiscard]] xpcs::ShardWork work() const { return {data_, fitting_, fit_, sampling_, {3}}; }
    [[nodiscard]] std::filesystem::path path() const { return folder_ / "job"; }
    /// The job with a byte that was changed.
    void damage(std::size_t place) const {
        auto text = io::read_file(path());
        text[place < text.size() ? place : text.size() - 1] ^= 1;
        io::write_file(path(), text);
    }

    TemporaryFolder folder_;
    xpcs::Measurement data_ = test::peer_measurement("st_7k");
    std::unique_ptr<comm::Communicator> ranks_;
    runtime::ThreadTeam threads_;
    runtime::Team team_;
    xpcs::FitOptions fitting_{.sigma = 0.004};
    xpcs::SampleOptions sampling_{.draws = 10};
    xpcs::FitResult fit_;
    Digest digest_{};
};

TEST_F(JobFileTest, HoldsAllThatWorkersNeed) {
    const ShardJob job(path());
    const auto copy = job.work();
    EXPECT_EQ(copy.settings(), work().settings());
    for (int shard = 0; shard < 3; ++shard) {
        EXPECT_EQ(copy.shard_bytes(shard), work().shard_bytes(shard));
        EXPECT_EQ(copy.pairs(shard), work().pairs(shard));
    }
}

TEST_F(JobFileTest, ItsDigestIsThatOfWhatItHolds) {
    EXPECT_EQ(write_shard_job(folder_ / "again", work()), digest_);
    data_.c2.back() += 1e-9;
    EXPECT_NE(write_shard_job(folder_ / "other", work()), digest_);
}

TEST_F(JobFileTest, RefusesWhatIsNoneOrDamaged) {
    const auto refuses = [&](const char* text) {
        EXPECT_THAT([&] { ShardJob{path()}; }, ThrowsMessage<InputError>(HasSubstr(text)));
    };
    damage(70);
    refuses("is damaged");
    damage(70);
    damage(8);
    refuses("format version");
    damage(8);
    damage(0);
    refuses("is no job of shards");
    io::write_file(path(), "short");
    refuses("is no job of shards");
    io::write_file(path(), "");
    refuses("is no job of shards");
    EXPECT_THROW(ShardJob{folder_ / "none"}, IoError);
}

TEST_F(JobFileTest, NoticesDataThatAreDamagedOrCutOff) {
    damage(std::size_t{1} << 40);  // the last byte
    const ShardJob job(path());
    EXPECT_NO_THROW(static_cast<void>(job.work().shard_bytes(0)));
    EXPECT_THAT([&] { static_cast<void>(job.work().shard_bytes(2)); },
                ThrowsMessage<InputError>(HasSubstr("shard 2 is damaged")));
    auto text = io::read_file(path());
    text.resize(text.size() - 100);
    io::write_file(folder_ / "cut", text);
    EXPECT_THAT([&] { ShardJob{folder_ / "cut"}; },
                ThrowsMessage<InputError>(HasSubstr("is cut off")));
}

TEST_F(JobFileTest, TellsWhenItCannotBeWritten) {
    io::write_file(folder_ / "file", "");
    EXPECT_THROW(write_shard_job(folder_ / "file/job", work()), IoError);
}

}  // namespace
}  // namespace lockstep::app
