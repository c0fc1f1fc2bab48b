#pragma once

#include "tests/core/checkpoint/TestFiles.h"

#include <set>
#include <string>

namespace softscope::test {

/// A .zip of tests/data/golden with a folder for each case, unpacked into a folder that is removed
/// at the end.
class UnpackedArchive {
 public:
  explicit UnpackedArchive(const std::string& name);

  /// Returns the names of the cases.
  const std::set<std::string>& cases() const { return cases_; }
  /// Returns the folder of a case.
  std::string folder(const std::string& name) const { return folder_.file(name); }

 private:
  softscope::TemporaryFolder folder_;
  std::set<std::string> cases_;
};

}  // namespace softscope::test
