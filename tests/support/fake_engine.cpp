#include "support/fake_engine.hpp"

#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/runtime/rounds.hpp"

#include "app/job/job.hpp"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;

class State final : public runtime::EngineState {
public:
    State(int step, std::uint64_t sum) : step_(step), sum_(sum) {}
    [[nodiscard]] const char* engine() const override { return "fake"; }
    [[nodiscard]] int iteration() const override { return step_; }
    [[nodiscard]] int parts() const override { return 1; }
    [[nodiscard]] std::vector<std::byte> part(int) const override {
        ByteWriter out;
        out.add(sum_);
        return out.take();
    }

private:
    int step_;
    std::uint64_t sum_;
};

/// The engine: a round adds the square of a number, of which every rank computes its block.
class Sum final : public runtime::Rounds {
public:
    Sum(app::Job& job,
        const std::vector<std::uint64_t>& numbers,
        app::Checkpoints& checkpoints,
        const std::function<void(std::int64_t)>& before_step)
        : job_(job), numbers_(numbers), checkpoints_(checkpoints), before_step_(before_step) {}

    void go_on_from(const runtime::EngineState& state) {
        const auto bytes = state.part(0);
        ByteReader in(bytes);
        sum = in.read<std::uint64_t>();
        done = state.iteration();
    }
    void run() { runtime::run_rounds(job_.team(), done, *this); }

    std::uint64_t sum = 0;
    std::int64_t done = 0;

private:
    void begin(std::int64_t round) override {
        round_ = round;
        if (before_step_) {
            before_step_(round);
        }
    }
    void work() override {
        const auto number = numbers_[at(round_ - 1)];
        const auto mine = runtime::block_of(
            static_cast<std::ptrdiff_t>(number), job_.ranks().rank(), job_.ranks().size());
        pending_ = job_.ranks().allreduce(static_cast<std::uint64_t>(mine.size()) * number,
                                          comm::ReduceOp::sum);
    }
    void confirm() override {
        const std::int32_t wish = job_.stop_requested() ? 1 : 0;
        is_stopped_ = job_.ranks().allreduce(wish, comm::ReduceOp::max) == 1;
    }
    void commit() override {
        sum += pending_;
        done = round_;
        job_.tell({"adding",
                   "number",
                   done,
                   static_cast<std::int64_t>(numbers_.size()),
                   0.5,
                   {},
                   {{"sum", static_cast<double>(sum), "", "sum", "Sum so far"}},
                   {}});
    }
    bool is_over() override {
        if (job_.request().checkpoints.iterations.value_or(0) > 0) {
            checkpoints_.keep(job_.ranks(), State(static_cast<int>(done), sum));
        }
        if (is_stopped_) {
            job_.note_early_end();
        }
        return is_stopped_ || done == static_cast<std::int64_t>(numbers_.size());
    }
    void drop() override {}
    void repartition() override {}

    app::Job& job_;
    const std::vector<std::uint64_t>& numbers_;
    app::Checkpoints& checkpoints_;
    const std::function<void(std::int64_t)>& before_step_;
    std::int64_t round_ = 0;
    std::uint64_t pending_ = 0;
    bool is_stopped_ = false;
};

Digest read_numbers(const fs::path& input,
                    std::vector<std::uint64_t>& numbers,
                    Problems& problems) {
    const auto text = io::read_file(input / "numbers.txt");
    std::istringstream in(text);
    numbers.clear();
    for (std::uint64_t number = 0; in >> number;) {
        numbers.push_back(number);
    }
    if (numbers.empty()) {
        problems.add(ProblemKind::schema_violation, "numbers.txt", "", "no numbers");
    }
    DigestBuilder digest;
    digest.add(std::string_view(text));
    return digest.digest();
}

std::string text_of(const app::PartOnDisk& part) {
    return io::read_file(part.output / part.part.paths.front());
}

std::vector<app::Difference> differences(const app::PartOnDisk& left,
                                         const app::PartOnDisk& right) {
    if (text_of(left) == text_of(right)) {
        return {};
    }
    return {{"sum", "the end", "sum", text_of(left), text_of(right), 1, 1}};
}

io::Page report(const fs::path& output) {
    io::Page page("A sum");
    page.data("sum", io::read_file(output / "sum.txt"));
    return page;
}

}  // namespace

FakeRun run_fake(const app::RunRequest& request,
                 comm::Communicator& ranks,
                 app::Observer& observer,
                 const std::function<void(std::int64_t)>& before_step) {
    app::Job job(request, "fake", ranks, observer);
    std::vector<std::uint64_t> numbers;
    Digest input{};
    job.read_input(
        [&](Problems& problems) { return input = read_numbers(request.input, numbers, problems); });
    auto checkpoints = job.checkpoints(input, {}, "iteration");
    Sum engine(job, numbers, checkpoints, before_step);
    if (request.resume) {
        job.section([&] {
            if (const auto state = checkpoints.newest(ranks)) {
                engine.go_on_from(*state);
            }
        });
    }
    job.claim_output({}, {"sum"}, [&] { fs::remove(job.output() / "sum.txt"); });
    app::RunFacts facts;
    facts.name = "numbers";
    facts.headline = "some numbers";
    job.start(facts);
    engine.run();
    job.on_root([&] { io::write_file(job.output() / "sum.txt", std::to_string(engine.sum)); });
    DigestBuilder digest;
    digest.add(engine.sum);
    job.add_part({"sum", to_string(digest.digest()), !job.has_ended_early(), {"sum.txt"}});
    job.tell(app::PhaseEnd{"adding", "all added"});
    return {job.finish(), engine.sum};
}

void write_fake_input(const fs::path& directory, int count) {
    std::string text;
    for (int number = 1; number <= count; ++number) {
        text += std::to_string(number) + "\n";
    }
    io::write_file(directory / "numbers.txt", text);
}

app::Wing fake_wing() {
    return {"fake",
            "sums of squares",
            [](const fs::path& input) { return fs::exists(input / "numbers.txt"); },
            differences,
            report};
}

}  // namespace lockstep::test
