#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace softscope {

/// SHA-256 of bytes that come in parts: a checksum that no two different files share.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// 64 hexadecimal digits of all that was added; nothing may be added after.
  std::string digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Adds a file's content. Throws FileError where it cannot be read.
void addFile(const std::string& path, Sha256& checksum);

}  // namespace softscope
