#pragma once

#include <string>
#include <vector>

namespace lockstep::io {

/// Numbers of a picture among many, in three characters each: "first|decade|digits". The digits,
/// three of 64 (A–Z, a–z, 0–9, -, _) a number, count steps of 10^decade above `first` of them; the
/// largest stands for what cannot be drawn. "first|decade|*n" is n times the same number.
/// @param span  of the picture's axis: steps are a 26,000th of it or finer
std::string packed(const std::vector<double>& values, double span);

/// The numbers again, NaN for what could not be drawn.
std::vector<double> unpacked(const std::string& text);

}  // namespace lockstep::io
