#pragma once

#include <type_traits>

namespace lockstep::lp::detail {

/// Runs call(context) and lives on if the library in it calls abort(), as a failed assertion does.
///
/// Nothing that the call worked on may be used afterwards, not even be destroyed: it is left as it
/// was in the middle of a step, with its memory.
/// @return whether the call came back
bool survives_abort(void (*call)(void*), void* context);

template <typename F>
bool survives_abort(F&& body) {
    using Body = std::remove_reference_t<F>;
    return survives_abort([](void* context) { (*static_cast<Body*>(context))(); }, &body);
}

}  // namespace lockstep::lp::detail
