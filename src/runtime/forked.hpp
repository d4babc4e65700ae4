#pragma once

namespace lockstep::runtime {

/// From now on a fork of this process leaves threads behind, and what they hold.
void note_threads();

/// @throws BackendError  this process was forked from one that had started threads: what they were
///         holding at that moment is held forever here
void require_unforked();

}  // namespace lockstep::runtime
