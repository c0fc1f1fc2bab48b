#pragma once

#include "core/files/ZipArchive.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <memory>
#include <set>
#include <string>

namespace softscope::test {

/// A .zip of tests/data/golden with a folder for each case. Cases are unpacked when they are asked
/// for, into a folder that is removed at the end.
class UnpackedArchive {
 public:
  explicit UnpackedArchive(const std::string& name);

  /// Returns the names of the cases.
  const std::set<std::string>& cases() const { return cases_; }
  /// Returns the path of a case's folder, or of `case/file`, which need not exist.
  std::string folder(const std::string& name) const;

 private:
  std::unique_ptr<ZipArchive> archive_;
  softscope::TemporaryFolder folder_;
  std::set<std::string> cases_;
  mutable std::set<std::string> unpacked_;
};

}  // namespace softscope::test

namespace softscope {

/// Returns the path of a file or folder of tests/data/golden: `hub/...`, `libraries/...`,
/// `linear/...` and `windows/...` are out of the archives of these names, anything else out of
/// papers.zip or papers_192.zip, unpacked into folders that are removed at the end.
std::string goldenPath(const std::string& name);
/// Returns the names of hub.zip's folders.
const std::set<std::string>& hubFolders();

}  // namespace softscope
