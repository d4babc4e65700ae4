// Runs a fuzz target without libFuzzer: on its seeds, then on mutants of them, the same in every
// run. usage: NAME SEEDS RUNS      at the root of the sources

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/dice.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using lockstep::test::Dice;

constexpr const char* tokens[] = {"null",
                                  "true",
                                  "-1",
                                  "0",
                                  "2147483647",
                                  "1e300",
                                  "1e-320",
                                  "0.5",
                                  "[]",
                                  "{}",
                                  "\"x\"",
                                  "\"\"",
                                  "\"2030-02-30\"",
                                  ",",
                                  "}",
                                  "99999999999"};

std::vector<std::string> read_seeds(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> seeds;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return seeds;
}

std::size_t place_in(const std::string& text, Dice& dice) {
    return static_cast<std::size_t>(dice.integer(0, static_cast<int>(text.size())));
}

bool is_in_token(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '"';
}

// Puts a token in the place of the one at a place.
void replace_token(std::string& text, Dice& dice) {
    auto begin = place_in(text, dice);
    while (begin > 0 && is_in_token(text[begin - 1])) {
        --begin;
    }
    auto end = begin;
    while (end < text.size() && is_in_token(text[end])) {
        ++end;
    }
    text.replace(begin, end - begin, tokens[dice.integer(0, std::size(tokens) - 1)]);
}

void mutate(std::string& text, const std::vector<std::string>& seeds, Dice& dice) {
    const auto place = place_in(text, dice);
    const auto length = static_cast<std::size_t>(dice.integer(1, 40));
    switch (dice.integer(0, 5)) {
        case 0:
            if (place < text.size()) {
                text[place] = static_cast<char>(dice.integer(0, 255));
            }
            break;
        case 1:
            text.erase(place, length);
            break;
        case 2:
            text.insert(place, text.substr(place_in(text, dice), length));
            break;
        case 3: {
            const auto& other = seeds[static_cast<std::size_t>(
                dice.integer(0, static_cast<int>(seeds.size()) - 1))];
            text.insert(place, other.substr(place_in(other, dice), length));
            break;
        }
        default:
            replace_token(text, dice);
    }
}

void run(const std::string& input) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: NAME SEEDS RUNS\n", stderr);
        return EXIT_FAILURE;
    }
    const auto seeds = read_seeds(argv[1]);
    const int runs = std::atoi(argv[2]);
    // What a crash leaves behind.
    const auto last =
        "/dev/shm/lockstep-last-" + std::filesystem::path(argv[1]).filename().string();
    for (const auto& seed : seeds) {
        run(seed);
    }
    for (int i = 0; i < runs; ++i) {
        Dice dice(static_cast<std::uint64_t>(i));
        auto input = seeds[static_cast<std::size_t>(i) % seeds.size()];
        for (int left = dice.integer(1, 4); left > 0; --left) {
            mutate(input, seeds, dice);
        }
        std::ofstream(last, std::ios::binary) << input;
        run(input);
    }
    std::filesystem::remove(last);
}
