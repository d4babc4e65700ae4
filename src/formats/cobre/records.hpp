#pragma once

namespace lockstep::formats::records {}

namespace lockstep::formats::cobre {

// Fields, columns and tables of this format are described in the words of every format.
using namespace records;

}  // namespace lockstep::formats::cobre
