#include "core/files/Sha256.h"

#include "core/Error.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <openssl/evp.h>
#include <vector>

namespace softscope {

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> digest{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  EVP_DigestInit_ex(context_->digest.get(), EVP_sha256(), nullptr);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(context_->digest.get(), bytes.data(), bytes.size());
}

std::string Sha256::bytes() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->digest.get(), bytes.data(), &size);
  return {bytes.begin(), bytes.begin() + size};
}

std::string Sha256::digest() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes()) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void addFile(const std::string& path, Sha256& checksum, const Progress& progress) {
  try {
    InputFile file(path);
    std::vector<char> part(std::size_t{1} << 20);
    for (std::uint64_t done = 0; done < file.size();) {
      progress.report(static_cast<double>(done) / static_cast<double>(file.size()), path);
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), file.size() - done));
      file.read(done, part.data(), size);
      checksum.add({part.data(), size});
      done += size;
    }
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  }
}

}  // namespace softscope
