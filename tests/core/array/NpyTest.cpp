#include "core/Error.h"
#include "core/array/Npy.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <cstring>

namespace softscope {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <typename Element>
std::string bytesOf(std::initializer_list<Element> values) {
  std::string bytes(values.size() * sizeof(Element), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  const auto length = static_cast<char>(dictionary.size());
  const std::string lengthBytes = version == 1 ? ""s + length + '\0' : ""s + length + "\0\0\0"s;
  return "\x93NUMPY"s + version + '\0' + lengthBytes + dictionary + data;
}

std::string header(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

FloatArray read(const std::string& bytes) {
  const TemporaryFolder folder;
  writeBytes(folder.file("a.npy"), bytes);
  return readNpy(folder.file("a.npy"));
}

std::string npyRefusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  writeBytes(path, bytes);
  const std::string message = test::messageOf<FileError>([&] { readNpy(path); });
  EXPECT_THAT(message, StartsWith(path + ": "));
  return message;
}

TEST(Npy, ReadsEveryFloatType) {
  const std::string dictionary = "(2,)";
  EXPECT_THAT(read(npy(header("<f4", "False", dictionary), bytesOf({1.5f, -2.0f}))).values,
              ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(read(npy(header("<f8", "False", dictionary), bytesOf({0.25, 1e-3}))).values,
              ElementsAre(0.25f, 1e-3f));
  EXPECT_THAT(read(npy(header("<f2", "False", dictionary), "\x00\x3e\x00\xc0"s)).values,
              ElementsAre(1.5f, -2.0f));
}

TEST(Npy, ReadsIntegersWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  const auto readAs = [&](const std::string& type, const std::string& data) {
    writeBytes(path, npy(header(type, "False", "(1, 2)"), data));
    return readNpyIntegers(path);
  };
  const FloatArray array = readAs("<i8", bytesOf<std::int64_t>({255, -3}));
  EXPECT_THAT(array.shape, ElementsAre(1, 2));
  EXPECT_THAT(array.values, ElementsAre(255, -3));
  EXPECT_THAT(readAs("<i4", bytesOf<std::int32_t>({7, 0})).values, ElementsAre(7, 0));
  EXPECT_THAT(readAs("|u1", bytesOf<std::uint8_t>({200, 1})).values, ElementsAre(200, 1));
  EXPECT_THROW(readAs("<f4", bytesOf<float>({1, 2})), FileError);
  EXPECT_THROW(readAs("<i8", bytesOf<std::int64_t>({1})), FileError);
}

TEST(Npy, ReadsEveryVersion) {
  for (const char version : {1, 2, 3}) {
    const FloatArray array = read(npy(header("<f4", "False", "()"), bytesOf({4.0f}), version));
    EXPECT_TRUE(array.shape.empty());
    EXPECT_THAT(array.values, ElementsAre(4.0f));
  }
}

TEST(Npy, BringsFortranOrderIntoRows) {
  const FloatArray array =
      read(npy(header("<f4", "True", "(2, 3)"), bytesOf({0.0f, 3.0f, 1.0f, 4.0f, 2.0f, 5.0f})));
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values, ElementsAre(0, 1, 2, 3, 4, 5));
  const FloatArray cube =
      read(npy(header("<f4", "True", "(2, 1, 2)"), bytesOf({0.0f, 2.0f, 1.0f, 3.0f})));
  EXPECT_THAT(cube.values, ElementsAre(0, 1, 2, 3));
}

TEST(Npy, ReadsArraysWithoutValues) {
  const FloatArray array = read(npy(header("<f4", "True", "(0, 3)"), ""));
  EXPECT_THAT(array.shape, ElementsAre(0, 3));
  EXPECT_EQ(array.count(), 0);
}

TEST(Npy, CountsNoValuesBesideAZeroWhateverTheOtherExtents) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ((FloatArray{{huge, huge, 0}, {}}.count()), 0);
  EXPECT_EQ((FloatArray{{0, huge, huge}, {}}.count()), 0);
  EXPECT_EQ((FloatArray{{2, 3}, {}}.count()), 6);
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of numpy.array([[1, 2]], dtype='<f4')
  std::string expected =
      "\x93NUMPY\x01\x00\x76\x00"s + "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  expected.append(127 - expected.size(), ' ');
  expected += "\n" + bytesOf({1.0f, 2.0f});
  EXPECT_EQ(encodeNpy({{1, 2}, {1.0f, 2.0f}}), expected);
}

TEST(Npy, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  for (const FloatArray& array : {FloatArray{{2, 3}, {1, 2, 3, 4, 5, 6}}, FloatArray{{}, {7}},
                                  FloatArray{{3}, {1, 2, 3}}, FloatArray{{0, 5}, {}}}) {
    writeNpy(path, array);
    const FloatArray readBack = readNpy(path);
    EXPECT_EQ(readBack.shape, array.shape);
    EXPECT_EQ(readBack.values, array.values);
  }
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string data = bytesOf({1.0f, 2.0f});
  const auto withHeader = [&](const std::string& type, const std::string& shape) {
    return npyRefusal(npy(header(type, "False", shape), data));
  };
  EXPECT_THAT(npyRefusal(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(npyRefusal("\x93NUMPY"), HasSubstr("cut short"));
  EXPECT_THAT(npyRefusal("\x93NUMPY\x01\x00\xff\xff{"s), HasSubstr("cut short"));
  EXPECT_THAT(npyRefusal("\x93NUMPY\x02\x00\xff\xff\xff\xff{"s), HasSubstr("cut short"));
  EXPECT_THAT(npyRefusal("\x93NUMPY\x09\x00"s), HasSubstr("version 9"));
  EXPECT_THAT(withHeader(">f4", "(2,)"), HasSubstr("big-endian"));
  EXPECT_THAT(withHeader("<i8", "(1,)"), HasSubstr("'<i8'"));
  EXPECT_THAT(withHeader("|O", "(1,)"), HasSubstr("'|O'"));
  EXPECT_THAT(withHeader("a\nb", "(1,)"), HasSubstr("type unknown"));
  EXPECT_THAT(withHeader("<f4", "(3,)"), HasSubstr("truncated"));
  EXPECT_THAT(withHeader("<f4", "(-1,)"), HasSubstr("sizes"));
  EXPECT_THAT(withHeader("<f4", "(1e3,)"), HasSubstr("damaged"));
  EXPECT_THAT(withHeader("<f4", "(4294967296, 4294967296)"), HasSubstr("claims more values"));
  EXPECT_THAT(withHeader("<f4", "(99999999999999999999,)"), HasSubstr("sizes"));
  EXPECT_THAT(npyRefusal(npy("{'descr': [('a', '<f4')], }", data)), HasSubstr("records"));
  EXPECT_THAT(npyRefusal(npy("{'descr': '<f4'}", data)), HasSubstr("damaged"));
  EXPECT_THAT(npyRefusal(npy("__import__('os')", data)), HasSubstr("damaged"));
}

}  // namespace
}  // namespace softscope
