#pragma once

#include "models/RecognisedModel.h"

namespace softscope {

struct Checkpoint;

/// Compares a network of this family with the file, and describes what is missing, left over, and
/// beside it.
void matchFile(const Family& family, const Checkpoint& checkpoint, RecognisedModel& recognised);

}  // namespace softscope
