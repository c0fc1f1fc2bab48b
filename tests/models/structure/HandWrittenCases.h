#pragma once

#include "core/model/ModelRequest.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace softscope::test {

/// The cases of tests/data/golden/hand.zip: transformers as people write them themselves.
class HandWrittenCases {
 public:
  /// Returns the names of all cases, or of those that must be refused.
  static std::vector<std::string> opened();
  static std::vector<std::string> refused();
  /// Returns the folder that a case is unpacked into.
  static std::string folder(const std::string& name);
  /// Returns the meta.json of a case.
  static nlohmann::json meta(const std::string& name);
  /// Returns a request to open a case's file, with the options that its meta.json lists under `key`
  /// (`options`); without any if the key is empty.
  static ModelRequest request(const std::string& name, const std::string& key);
};

/// Returns the options in a line such as `--heads 4 --plain-norms`, without dashes.
std::vector<std::string> optionNames(const std::string& line);

}  // namespace softscope::test
