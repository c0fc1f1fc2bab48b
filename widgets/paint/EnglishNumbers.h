#pragma once

namespace softscope {

/// From now on numbers are written as English writes them, `2.1`, whatever the machine's locale is,
/// by Qt and by C. An application that is made later would undo it.
void writeEnglishNumbers();

}  // namespace softscope
