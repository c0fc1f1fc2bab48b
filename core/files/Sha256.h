#pragma once

#include "core/Progress.h"

#include <memory>
#include <string>
#include <string_view>

namespace softscope {

/// Computes the SHA-256 of bytes that arrive in parts: a checksum that no two different files
/// share.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// digest() returns the checksum of everything added as 64 hexadecimal digits, bytes() as 32
  /// bytes. Nothing may be added or asked afterwards.
  std::string digest();
  std::string bytes();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Adds a file's content. Throws FileError if it cannot be read; may throw Cancelled.
void addFile(const std::string& path, Sha256& checksum, const Progress& progress = {});

}  // namespace softscope
