#pragma once

#include "core/checkpoint/PickleValue.h"

namespace softscope {

class ByteCursor;

/// Reads one pickle, protocol 0 to 5, up to and including its STOP. Nothing it names is imported or
/// called: a class stays a name, a call stays the name and its arguments. Throws Malformed. The
/// result belongs to `tree`.
const PickleValue& readPickle(ByteCursor& cursor, PickleTree& tree);

}  // namespace softscope
