#pragma once

#include "core/Error.h"

#include <string>

namespace softscope::test {

/// Returns the message of the error that `work` throws; empty if it throws none. An error of
/// another type is not caught, so that it fails the test.
template <typename Expected = Error, typename Work>
std::string messageOf(const Work& work) {
  try {
    work();
  } catch (const Expected& error) {
    return error.what();
  }
  return {};
}

}  // namespace softscope::test
