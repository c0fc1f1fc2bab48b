#pragma once

namespace softscope {

/// Makes Qt and C write numbers in the English format, e.g. `2.1`, regardless of the computer's
/// locale. Call it after making the application, which would undo it.
void writeEnglishNumbers();

}  // namespace softscope
