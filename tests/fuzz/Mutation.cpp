#include "tests/fuzz/Mutation.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace softscope::fuzz {

namespace {

using namespace std::string_view_literals;

/// Instructions of pickles as they stand together in what torch.save writes, and those that make
/// much of little.
constexpr std::string_view instructions[] = {"("sv,
                                             ")"sv,
                                             "]"sv,
                                             "}"sv,
                                             "t"sv,
                                             "l"sv,
                                             "d"sv,
                                             "u"sv,
                                             "s"sv,
                                             "e"sv,
                                             "a"sv,
                                             "b"sv,
                                             "Q"sv,
                                             "R"sv,
                                             "0"sv,
                                             "1"sv,
                                             "2"sv,
                                             "N"sv,
                                             "\x88"sv,
                                             "\x89"sv,
                                             "\x85"sv,
                                             "\x86"sv,
                                             "\x87"sv,
                                             "\x93"sv,
                                             "\x94"sv,
                                             "\x81"sv,
                                             "\x8f"sv,
                                             "\x90"sv,
                                             "\x91"sv,
                                             "K\x02"sv,
                                             "K\0"sv,
                                             "M\0\1"sv,
                                             "J\xff\xff\xff\xff"sv,
                                             "q\0"sv,
                                             "q\1"sv,
                                             "h\0"sv,
                                             "h\1"sv,
                                             "r\0\0\1\0"sv,
                                             "j\0\0\1\0"sv,
                                             "X\1\0\0\0a"sv,
                                             "X\7\0\0\0storage"sv,
                                             "X\5\0\0\0model"sv,
                                             "X\12\0\0\0state_dict"sv,
                                             "ctorch._utils\n_rebuild_tensor_v2\n"sv,
                                             "ctorch._utils\n_rebuild_parameter\n"sv,
                                             "ctorch\nFloatStorage\n"sv,
                                             "ctorch\nHalfStorage\n"sv,
                                             "ccollections\nOrderedDict\n"sv,
                                             "X\10\0\0\0_modules"sv,
                                             "X\13\0\0\0_parameters"sv,
                                             "X\10\0\0\0_buffers"sv,
                                             "X\33\0\0\0_non_persistent_buffers_set"sv,
                                             "h\0h\1h\0h\1h\0h\1h\0h\1"sv,
                                             "cargparse\nNamespace\n"sv,
                                             "."sv,
                                             "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv,
                                             "M\xe9\x03."sv};

}  // namespace

std::string mutated(std::string text, std::size_t most) {
  const std::size_t size = text.size();
  text.resize(std::max(size, most));
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

std::size_t store(const std::string& text, std::uint8_t* data, std::size_t size, std::size_t most) {
  if (text.size() > most) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

std::string mutatedPickle(const std::string& pickle, Random& random, std::size_t most) {
  std::string changed = pickle;
  const std::size_t place = random() % (pickle.size() + 1);
  switch (random() % 4) {
    case 0:
      return mutated(pickle, most);
    case 1:
      changed.erase(place, 1 + random() % 8);
      return changed;
    default:
      for (unsigned count = 1 + random() % 3; count > 0; --count) {
        changed.insert(place, instructions[random() % std::size(instructions)]);
      }
      return changed;
  }
}

std::string numberBytes(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return bytes;
}

std::uint64_t numberAt(const std::string& bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

}  // namespace softscope::fuzz
