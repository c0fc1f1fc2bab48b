#pragma once

#include <string>

namespace softscope {

/// Returns a SHA-256 of a checkpoint's files that does not depend on their paths: for one file its
/// own, as `sha256sum` prints it; for several, that of their sums. Throws FileError.
std::string modelFingerprint(const std::string& path);

}  // namespace softscope
