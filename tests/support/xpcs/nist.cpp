#include "support/xpcs/nist.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numbers>
#include <sstream>

#include "lockstep/base/error.hpp"

#include "support/places.hpp"

namespace lockstep::test {
namespace {

using Parameters = std::span<const Dual>;
using Model = std::function<Dual(Parameters b, double x, double x2)>;

Dual three_exponentials(Parameters b, double x, double /*x2*/) {
    return b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x);
}

Dual two_peaks(Parameters b, double x, double /*x2*/) {
    return b[0] * exp(-b[1] * x) + b[2] * exp(-square(x - b[3]) / square(b[4])) +
           b[5] * exp(-square(x - b[6]) / square(b[7]));
}

Dual saturation(Parameters b, double x, double /*x2*/) {
    return b[0] * (1 - exp(-b[1] * x));
}

Dual decay_over_line(Parameters b, double x, double /*x2*/) {
    return exp(-b[0] * x) / (b[1] + b[2] * x);
}

Dual cubic_over_cubic(Parameters b, double x, double /*x2*/) {
    return (b[0] + b[1] * x + b[2] * (x * x) + b[3] * (x * x * x)) /
           (1 + b[4] * x + b[5] * (x * x) + b[6] * (x * x * x));
}

Dual waves(Parameters b, double x, double /*x2*/) {
    const double turn = 2 * std::numbers::pi * x;
    return b[0] + b[1] * cos(turn / 12) + b[2] * sin(turn / 12) + b[4] * cos(turn / b[3]) +
           b[5] * sin(turn / b[3]) + b[7] * cos(turn / b[6]) + b[8] * sin(turn / b[6]);
}

const std::map<std::string, Model>& models() {
    static const std::map<std::string, Model> models{
        {"Bennett5",
         [](Parameters b, double x, double) { return b[0] * pow(b[1] + x, -1 / b[2]); }},
        {"BoxBOD", saturation},
        {"Chwirut1", decay_over_line},
        {"Chwirut2", decay_over_line},
        {"DanWood", [](Parameters b, double x, double) { return b[0] * pow(x, b[1]); }},
        {"ENSO", waves},
        {"Eckerle4",
         [](Parameters b, double x, double) {
             return b[0] / b[1] * exp(-0.5 * square((x - b[2]) / b[1]));
         }},
        {"Gauss1", two_peaks},
        {"Gauss2", two_peaks},
        {"Gauss3", two_peaks},
        {"Hahn1", cubic_over_cubic},
        {"Kirby2",
         [](Parameters b, double x, double) {
             return (b[0] + b[1] * x + b[2] * (x * x)) / (1 + b[3] * x + b[4] * (x * x));
         }},
        {"Lanczos1", three_exponentials},
        {"Lanczos2", three_exponentials},
        {"Lanczos3", three_exponentials},
        {"MGH09",
         [](Parameters b, double x, double) {
             return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]);
         }},
        {"MGH10", [](Parameters b, double x, double) { return b[0] * exp(b[1] / (x + b[2])); }},
        {"MGH17",
         [](Parameters b, double x, double) {
             return b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]);
         }},
        {"Misra1a", saturation},
        {"Misra1b",
         [](Parameters b, double x, double) { return b[0] * (1 - 1 / square(1 + b[1] * x / 2)); }},
        {"Misra1c",
         [](Parameters b, double x, double) { return b[0] * (1 - 1 / sqrt(1 + 2 * b[1] * x)); }},
        {"Misra1d",
         [](Parameters b, double x, double) { return b[0] * b[1] * x / (1 + b[1] * x); }},
        {"Nelson",
         [](Parameters b, double x, double x2) { return b[0] - b[1] * x * exp(-b[2] * x2); }},
        {"Rat42", [](Parameters b, double x, double) { return b[0] / (1 + exp(b[1] - b[2] * x)); }},
        {"Rat43",
         [](Parameters b, double x, double) {
             return b[0] / pow(1 + exp(b[1] - b[2] * x), 1 / b[3]);
         }},
        {"Roszman1",
         [](Parameters b, double x, double) {
             return b[0] - b[1] * x - atan(b[2] / (x - b[3])) / std::numbers::pi;
         }},
        {"Thurber", cubic_over_cubic}};
    return models;
}

std::vector<double> numbers_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<double> numbers;
    for (double number = 0; stream >> number;) {
        numbers.push_back(number);
    }
    return numbers;
}

double number_after(const std::string& line) {
    return numbers_of(line.substr(line.find(':') + 1)).at(0);
}

void read_parameter(const std::string& line, NistSet& set) {
    const std::vector<double> numbers = numbers_of(line.substr(line.find('=') + 1));
    set.starts[0].push_back(numbers.at(0));
    set.starts[1].push_back(numbers.at(1));
    set.certified.push_back(numbers.at(2));
    set.errors.push_back(numbers.at(3));
}

void read_observation(const std::string& line, NistSet& set) {
    const std::vector<double> numbers = numbers_of(line);
    if (numbers.size() < 2) {
        return;
    }
    // Nelson's model is one of the logarithm.
    set.y.push_back(set.name == "Nelson" ? std::log(numbers[0]) : numbers[0]);
    set.x.push_back({numbers[1], numbers.size() > 2 ? numbers[2] : 0});
}

}  // namespace

std::span<const std::string> nist_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, model] : models()) {
            all.push_back(name);
        }
        return all;
    }();
    return names;
}

NistSet nist_set(const std::string& name) {
    std::ifstream file(source_dir() / "tests/data/xpcs/nist" / (name + ".dat"));
    if (!file) {
        throw IoError("no file of NIST's set " + name, IoError::Direction::read);
    }
    NistSet set;
    set.name = name;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (number > 60) {
            read_observation(line, set);
        } else if (number > 40 && line.find('=') != std::string::npos) {
            read_parameter(line, set);
        } else if (line.find("Residual Sum of Squares:") != std::string::npos) {
            set.sum_of_squares = number_after(line);
        } else if (line.find("Residual Standard Deviation:") != std::string::npos) {
            set.deviation = number_after(line);
        }
    }
    return set;
}

std::unique_ptr<FormulaResiduals> nist_residuals(const NistSet& set) {
    const Model& model = models().at(set.name);
    return std::make_unique<FormulaResiduals>(
        static_cast<int>(set.y.size()),
        static_cast<int>(set.certified.size()),
        [&model, y = set.y, x = set.x](Parameters b, std::span<Dual> r) {
            for (std::size_t i = 0; i < r.size(); ++i) {
                r[i] = y[i] - model(b, x[i][0], x[i][1]);
            }
        });
}

double agreeing_digits(std::span<const double> found, std::span<const double> certified) {
    double digits = 11;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double error = std::abs(found[i] - certified[i]) / std::abs(certified[i]);
        digits = std::min(digits, error > 0 ? -std::log10(error) : 11);
    }
    return digits;
}

}  // namespace lockstep::test
