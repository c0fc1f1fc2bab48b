#pragma once

#include <string>

namespace softscope {

/// SHA-256 of a checkpoint's files, wherever they lie and whatever they are called: of one file its
/// own, as `sha256sum` prints it; of several, of theirs. Throws FileError.
std::string modelFingerprint(const std::string& path);

}  // namespace softscope
