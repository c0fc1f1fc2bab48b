#pragma once

#include "tests/core/files/TemporaryFolder.h"

#include <fstream>
#include <string>

namespace softscope {

using test::contentOf;
using test::TemporaryFolder;

inline std::string fixture(const std::string& name) {
  return std::string(SOFTSCOPE_TEST_DATA) + "/checkpoint/" + name;
}

inline void writeBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace softscope
