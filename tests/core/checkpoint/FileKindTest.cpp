#include "core/checkpoint/FileKind.h"
#include "core/files/Malformed.h"
#include "tests/core/ErrorMessage.h"

#include <gmock/gmock.h>

#include <string>

namespace softscope {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

std::string refusalOf(const std::string& head) {
  return test::messageOf<Malformed>([&] { recogniseFile(head); });
}

const std::string rest(300, '\0');

TEST(FileKind, OfOtherLibrariesIsNamedWithAdvice) {
  struct OtherFile {
    std::string head;
    const char* name;
  };
  const OtherFile files[] = {
      {"\x89HDF\r\n\x1a\n"s + rest, "is an HDF5 file, as Keras writes them"},
      {"GGUF" + rest, "is a GGUF file"},
      {"\x08\x08\x12\x07pytorch\x1a\x05"s + "2.1.0:\xa0\x0f\n", "is an ONNX model"},
      {"\x08\x07\x3a\x81\x01"s + rest, "is an ONNX model"},
      {"\x08\x01\x12\xf0\x10\n\x10"s + rest, "is a model of ONNX, TensorFlow or Core ML"},
      {"\x81\xa6params\x83\xa7"s + "encoder\x80", "is a MessagePack file"},
      {"\xde\x00\x20\xa6params\x83\xa7"s + "encoder", "is a MessagePack file"},
      {"\x1c\0\0\0TFL3"s + rest, "is a TensorFlow Lite model"},
      {"ftrt" + rest, "is a TensorRT engine"},
      {"\x0c\xdb\x3a\x2a"s + rest, "Orbax checkpoint"},
      {"<?xml version=\"1.0\"?>\n<net name=\"Model0\" version=\"11\">", "OpenVINO's description"},
  };
  for (const OtherFile& file : files) {
    EXPECT_THAT(refusalOf(file.head),
                AllOf(HasSubstr(file.name), EndsWith("save the state_dict() of that")));
  }
}

TEST(FileKind, OfPackedFilesIsNamed) {
  EXPECT_THAT(refusalOf("\x28\xb5\x2f\xfd\x04"), HasSubstr("with zstd; unpack it"));
  EXPECT_THAT(refusalOf("\x04\x22\x4d\x18\x04"), HasSubstr("with lz4; unpack it"));
}

TEST(FileKind, OfXmlIsAWebPageOnlyIfItIsOne) {
  EXPECT_THAT(refusalOf("<?xml version=\"1.0\"?>\n<!DOCTYPE html>"), HasSubstr("web page"));
  EXPECT_THAT(refusalOf("<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied"),
              HasSubstr("web page"));
  EXPECT_THAT(refusalOf("<?xml version=\"1.0\"?>\n<plist>"), HasSubstr("is an XML file"));
}

}  // namespace
}  // namespace softscope
