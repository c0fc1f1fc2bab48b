#pragma once

#include "core/checkpoint/PickleValue.h"

namespace softscope {

class ByteCursor;

/// Reads one pickle of protocol 0 to 5, up to and including its STOP. Nothing that it names is
/// imported or called: a class remains a name, and a call remains the name with its arguments.
/// Throws Malformed. The result belongs to `tree`.
const PickleValue& readPickle(ByteCursor& cursor, PickleTree& tree);

}  // namespace softscope
