#include "core/files/Base64.h"

#include <openssl/evp.h>

namespace softscope {

std::string base64(std::string_view bytes) {
  // The function ends its text with a zero, for which a string has room behind its end. It counts
  // in int, so that long input goes in parts of whole groups.
  constexpr std::size_t part = std::size_t{3} << 20;
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  auto* target = reinterpret_cast<unsigned char*>(text.data());
  for (std::size_t i = 0; i < bytes.size(); i += part) {
    const std::string_view piece = bytes.substr(i, part);
    target += EVP_EncodeBlock(target, reinterpret_cast<const unsigned char*>(piece.data()),
                              static_cast<int>(piece.size()));
  }
  return text;
}

}  // namespace softscope
