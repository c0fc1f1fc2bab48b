#pragma once

#include <stdexcept>

namespace softscope {

/// A fault in a file, thrown by code that does not know the file's name. The functions that open
/// files catch it and throw a FileError with the path in front.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace softscope
