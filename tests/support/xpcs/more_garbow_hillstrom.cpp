#include "support/xpcs/more_garbow_hillstrom.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "lockstep/base/error.hpp"

#include "support/places.hpp"

// Formulas and data are those of the paper: ACM TOMS 7 (1981) 17-41, numbered as there. i and j
// count from 1 in formulas.
namespace lockstep::test {
namespace {

using X = std::span<const Dual>;
using R = std::span<Dual>;

Dual sum_of_squares(X x) {
    Dual sum = 0;
    for (const Dual& value : x) {
        sum = sum + square(value);
    }
    return sum;
}

void rosenbrock(X x, R r) {  // 1
    r[0] = 10 * (x[1] - square(x[0]));
    r[1] = 1 - x[0];
}

void freudenstein_roth(X x, R r) {  // 2
    r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
    r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
}

void powell_badly_scaled(X x, R r) {  // 3
    r[0] = 1e4 * x[0] * x[1] - 1;
    r[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
}

void brown_badly_scaled(X x, R r) {  // 4
    r[0] = x[0] - 1e6;
    r[1] = x[1] - 2e-6;
    r[2] = x[0] * x[1] - 2;
}

void beale(X x, R r) {  // 5
    const std::array<double, 3> y{1.5, 2.25, 2.625};
    Dual power = 1;
    for (std::size_t k = 0; k < y.size(); ++k) {
        power = power * x[1];
        r[k] = y[k] - x[0] * (1 - power);
    }
}

void jennrich_sampson(X x, R r) {  // 6
    for (std::size_t k = 0; k < r.size(); ++k) {
        const auto i = static_cast<double>(k + 1);
        r[k] = 2 + 2 * i - (exp(i * x[0]) + exp(i * x[1]));
    }
}

void helical_valley(X x, R r) {  // 7
    const Dual turn = atan(x[1] / x[0]) / (2 * std::numbers::pi) + (x[0].value < 0 ? 0.5 : 0);
    r[0] = 10 * (x[2] - 10 * turn);
    r[1] = 10 * (sqrt(square(x[0]) + square(x[1])) - 1);
    r[2] = x[2];
}

void bard(X x, R r) {  // 8
    const std::array<double, 15> y{
        .14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.10, 4.39};
    for (std::size_t k = 0; k < y.size(); ++k) {
        const auto u = static_cast<double>(k + 1);
        const double v = 16 - u;
        r[k] = y[k] - (x[0] + u / (v * x[1] + std::min(u, v) * x[2]));
    }
}

void gaussian(X x, R r) {  // 9
    const std::array<double, 8> y{.0009, .0044, .0175, .0540, .1295, .2420, .3521, .3989};
    for (std::size_t k = 0; k < r.size(); ++k) {
        const double t = (8 - static_cast<double>(k + 1)) / 2;
        r[k] = x[0] * exp(-x[1] * square(t - x[2]) / 2) - y[std::min(k, 14 - k)];
    }
}

void meyer(X x, R r) {  // 10
    const std::array<double, 16> y{34780,
                                   28610,
                                   23650,
                                   19630,
                                   16370,
                                   13720,
                                   11540,
                                   9744,
                                   8261,
                                   7030,
                                   6005,
                                   5147,
                                   4427,
                                   3820,
                                   3307,
                                   2872};
    for (std::size_t k = 0; k < y.size(); ++k) {
        r[k] = x[0] * exp(x[1] / (45 + 5 * static_cast<double>(k + 1) + x[2])) - y[k];
    }
}

void gulf(X x, R r) {  // 11
    for (std::size_t k = 0; k < r.size(); ++k) {
        const double t = static_cast<double>(k + 1) / 100;
        const double y = 25 + std::pow(-50 * std::log(t), 2.0 / 3);
        r[k] = exp(-pow(abs(y - x[1]), x[2]) / x[0]) - t;
    }
}

void box_three_dimensional(X x, R r) {  // 12
    for (std::size_t k = 0; k < r.size(); ++k) {
        const double t = 0.1 * static_cast<double>(k + 1);
        r[k] = exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (std::exp(-t) - std::exp(-10 * t));
    }
}

void powell_singular(X x, R r) {  // 13
    r[0] = x[0] + 10 * x[1];
    r[1] = std::sqrt(5.0) * (x[2] - x[3]);
    r[2] = square(x[1] - 2 * x[2]);
    r[3] = std::sqrt(10.0) * square(x[0] - x[3]);
}

void wood(X x, R r) {  // 14
    r[0] = 10 * (x[1] - square(x[0]));
    r[1] = 1 - x[0];
    r[2] = std::sqrt(90.0) * (x[3] - square(x[2]));
    r[3] = 1 - x[2];
    r[4] = std::sqrt(10.0) * (x[1] + x[3] - 2);
    r[5] = (x[1] - x[3]) / std::sqrt(10.0);
}

void kowalik_osborne(X x, R r) {  // 15
    const std::array<double, 11> y{
        .1957, .1947, .1735, .1600, .0844, .0627, .0456, .0342, .0323, .0235, .0246};
    const std::array<double, 11> u{4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625};
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double square_u = u[k] * u[k];
        r[k] = y[k] - x[0] * (square_u + u[k] * x[1]) / (square_u + u[k] * x[2] + x[3]);
    }
}

void brown_dennis(X x, R r) {  // 16
    for (std::size_t k = 0; k < r.size(); ++k) {
        const double t = static_cast<double>(k + 1) / 5;
        r[k] =
            square(x[0] + t * x[1] - std::exp(t)) + square(x[2] + x[3] * std::sin(t) - std::cos(t));
    }
}

void osborne_1(X x, R r) {  // 17
    const std::array<double, 33> y{.844, .908, .932, .936, .925, .908, .881, .850, .818,
                                   .784, .751, .718, .685, .658, .628, .603, .580, .558,
                                   .538, .522, .506, .490, .478, .467, .457, .448, .438,
                                   .431, .424, .420, .414, .411, .406};
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double t = 10 * static_cast<double>(k);
        r[k] = y[k] - (x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4]));
    }
}

void biggs(X x, R r) {  // 18
    for (std::size_t k = 0; k < r.size(); ++k) {
        const double t = 0.1 * static_cast<double>(k + 1);
        const double y = std::exp(-t) - 5 * std::exp(-10 * t) + 3 * std::exp(-4 * t);
        r[k] = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - y;
    }
}

void osborne_2(X x, R r) {  // 19
    const std::array<double, 65> y{
        1.366, 1.191, 1.112, 1.013, .991, .885, .831, .847, .786, .725, .746, .679, .608,
        .655,  .616,  .606,  .602,  .626, .651, .724, .649, .649, .694, .644, .624, .661,
        .612,  .558,  .533,  .495,  .500, .423, .395, .375, .372, .391, .396, .405, .428,
        .429,  .523,  .562,  .607,  .653, .672, .708, .633, .668, .645, .632, .591, .559,
        .597,  .625,  .739,  .710,  .729, .720, .636, .581, .428, .292, .162, .098, .054};
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double t = static_cast<double>(k) / 10;
        r[k] =
            y[k] - (x[0] * exp(-t * x[4]) + x[1] * exp(-square(t - x[8]) * x[5]) +
                    x[2] * exp(-square(t - x[9]) * x[6]) + x[3] * exp(-square(t - x[10]) * x[7]));
    }
}

void watson(X x, R r) {  // 20
    for (std::size_t k = 0; k < 29; ++k) {
        const double t = static_cast<double>(k + 1) / 29;
        Dual slope = 0;
        Dual value = 0;
        double power = 1;
        for (std::size_t j = 0; j < x.size(); ++j) {
            value = value + x[j] * power;
            if (j + 1 < x.size()) {
                slope = slope + static_cast<double>(j + 1) * power * x[j + 1];
            }
            power *= t;
        }
        r[k] = slope - square(value) - 1;
    }
    r[29] = x[0];
    r[30] = x[1] - square(x[0]) - 1;
}

void penalty_1(X x, R r) {  // 23
    for (std::size_t k = 0; k < x.size(); ++k) {
        r[k] = std::sqrt(1e-5) * (x[k] - 1);
    }
    r[x.size()] = sum_of_squares(x) - 0.25;
}

void penalty_2(X x, R r) {  // 24
    const std::size_t n = x.size();
    Dual sum = -1;
    r[0] = x[0] - 0.2;
    for (std::size_t k = 0; k < n; ++k) {
        const auto i = static_cast<double>(k + 1);
        sum = sum + static_cast<double>(n - k) * square(x[k]);
        if (k > 0) {
            r[k] = std::sqrt(1e-5) * (exp(x[k] / 10) + exp(x[k - 1] / 10) -
                                      (std::exp(i / 10) + std::exp((i - 1) / 10)));
            r[n + k - 1] = std::sqrt(1e-5) * (exp(x[k] / 10) - std::exp(-0.1));
        }
    }
    r[2 * n - 1] = sum;
}

void linear_full_rank(X x, R r) {  // 32
    Dual sum = 0;
    for (const Dual& value : x) {
        sum = sum + value;
    }
    for (std::size_t k = 0; k < r.size(); ++k) {
        r[k] = (k < x.size() ? x[k] : Dual(0)) - 2.0 / static_cast<double>(r.size()) * sum - 1;
    }
}

// The sum of j x_j for first <= j <= last.
Dual numbered_sum(X x, std::size_t first, std::size_t last) {
    Dual sum = 0;
    for (std::size_t j = first; j <= last; ++j) {
        sum = sum + static_cast<double>(j) * x[j - 1];
    }
    return sum;
}

void linear_rank_1(X x, R r) {  // 33
    const Dual sum = numbered_sum(x, 1, x.size());
    for (std::size_t k = 0; k < r.size(); ++k) {
        r[k] = static_cast<double>(k + 1) * sum - 1;
    }
}

void linear_rank_1_zero_columns(X x, R r) {  // 34
    const Dual sum = numbered_sum(x, 2, x.size() - 1);
    for (std::size_t k = 0; k < r.size(); ++k) {
        r[k] = (k + 1 < r.size() ? static_cast<double>(k) : 0.0) * sum - 1;
    }
}

void chebyquad(X x, R r) {  // 35
    const auto n = static_cast<double>(x.size());
    for (Dual& value : r) {
        value = 0;
    }
    for (const Dual& value : x) {
        Dual before = 1;
        Dual polynomial = 2 * value - 1;
        for (std::size_t k = 0; k < r.size(); ++k) {
            r[k] = r[k] + polynomial / n;
            const Dual next = 2 * (2 * value - 1) * polynomial - before;
            before = polynomial;
            polynomial = next;
        }
    }
    for (std::size_t k = 1; k < r.size(); k += 2) {
        const auto i = static_cast<double>(k + 1);
        r[k] = r[k] + 1 / (i * i - 1);
    }
}

const std::map<std::string, ResidualFormula>& formulas() {
    static const std::map<std::string, ResidualFormula> formulas{
        {"Rosenbrock", rosenbrock},
        {"Freudenstein-Roth", freudenstein_roth},
        {"Powell badly scaled", powell_badly_scaled},
        {"Brown badly scaled", brown_badly_scaled},
        {"Beale", beale},
        {"Jennrich-Sampson", jennrich_sampson},
        {"Helical valley", helical_valley},
        {"Bard", bard},
        {"Gaussian", gaussian},
        {"Meyer", meyer},
        {"Gulf", gulf},
        {"Box 3-D", box_three_dimensional},
        {"Powell singular", powell_singular},
        {"Wood", wood},
        {"Kowalik-Osborne", kowalik_osborne},
        {"Brown-Dennis", brown_dennis},
        {"Osborne 1", osborne_1},
        {"Biggs EXP6", biggs},
        {"Osborne 2", osborne_2},
        {"Watson", watson},
        {"Penalty I", penalty_1},
        {"Penalty II", penalty_2},
        {"Linear full rank", linear_full_rank},
        {"Linear rank 1", linear_rank_1},
        {"Linear rank 1 zero cols", linear_rank_1_zero_columns},
        {"Chebyquad", chebyquad}};
    return formulas;
}

// The fields of a line; those in quotes may hold commas.
std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

std::vector<double> start_of(const std::string& text, std::size_t n) {
    std::vector<double> start(n);
    for (std::size_t k = 0; k < n; ++k) {
        start[k] = static_cast<double>(k + 1);
    }
    if (text == "j/(n+1)") {
        for (double& value : start) {
            value /= static_cast<double>(n + 1);
        }
    } else if (text.find("..") == std::string::npos) {
        std::istringstream stream(text);
        std::vector<double> numbers;
        for (double number = 0; stream >> number;) {
            numbers.push_back(number);
        }
        start = numbers.size() == n ? numbers : std::vector<double>(n, numbers.at(0));
    }
    return start;
}

std::vector<double> minima_of(const std::string& name,
                              const std::string& least,
                              const std::string& note,
                              double m) {
    if (name == "Linear full rank") {
        return {m - 5};
    }
    if (name == "Linear rank 1") {
        return {m * (m - 1) / (2 * (2 * m + 1))};
    }
    if (name == "Linear rank 1 zero cols") {
        return {(m * m + 3 * m - 6) / (2 * (2 * m - 3))};
    }
    std::vector<double> minima{std::stod(least)};
    if (note.starts_with("local ")) {
        minima.push_back(std::stod(note.substr(6)));
    }
    return minima;
}

}  // namespace

std::vector<CollectedProblem> collected_problems() {
    std::ifstream file(source_dir() / "tests/data/xpcs/mgh/mgh_minima.csv");
    std::string line;
    if (!std::getline(file, line)) {
        throw IoError("tests/data/xpcs/mgh/mgh_minima.csv cannot be read",
                      IoError::Direction::read);
    }
    std::vector<CollectedProblem> problems;
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = fields_of(line);
        const bool any_size = fields.at(1) == "n";
        const std::size_t n = any_size ? 5 : std::stoul(fields.at(1));
        const int m = any_size ? 10 : std::stoi(fields.at(2));
        problems.push_back({fields.at(0),
                            start_of(fields.at(3), n),
                            m,
                            minima_of(fields.at(0), fields.at(4), fields.at(5), m)});
    }
    return problems;
}

std::unique_ptr<FormulaResiduals> collected_residuals(const CollectedProblem& problem) {
    return std::make_unique<FormulaResiduals>(
        problem.residuals, static_cast<int>(problem.start.size()), formulas().at(problem.name));
}

}  // namespace lockstep::test
