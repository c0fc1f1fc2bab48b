#include "core/checkpoint/ByteCursor.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Pickle.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using Kind = PickleValue::Kind;

const PickleValue& parse(const std::string& bytes, PickleTree& tree) {
  ByteCursor cursor(bytes);
  return readPickle(cursor, tree);
}

std::string pickleRefusal(const std::string& bytes) {
  return test::messageOf<Malformed>([&] {
    PickleTree tree;
    parse(bytes, tree);
  });
}

TEST(Pickle, ReadsTextOfProtocolZero) {
  PickleTree tree;
  // pickle.dumps([1, True, 2.5, 'a\u00fc', -12345678901, None], protocol=0)
  const PickleValue& list =
      parse("(lp0\nI1\naI01\naF2.5\naVa\xfc\np1\naL-12345678901L\naNa.", tree);
  ASSERT_TRUE(list.is(Kind::List));
  ASSERT_EQ(list.items.size(), 6u);
  EXPECT_EQ(list.items[0]->integer, 1);
  EXPECT_TRUE(list.items[1]->is(Kind::Bool));
  EXPECT_EQ(list.items[2]->number, 2.5);
  EXPECT_EQ(list.items[3]->text, "a\u00fc");
  EXPECT_EQ(list.items[4]->integer, -12345678901);
  EXPECT_TRUE(list.items[5]->is(Kind::None));
}

TEST(Pickle, ReadsStringsOfPythonTwo) {
  PickleTree tree;
  EXPECT_EQ(parse("S'a\\'b\\n\\x41'\np0\n.", tree).text, "a'b\nA");
  EXPECT_EQ(parse("U\x03"s + "abc.", tree).text, "abc");
  EXPECT_EQ(parse("V\\u20ac\n.", tree).text, "\u20ac");
}

TEST(Pickle, ReadsNumbersOfEveryWidth) {
  PickleTree tree;
  EXPECT_EQ(parse("K\xff.", tree).integer, 255);
  EXPECT_EQ(parse("M\xff\xff.", tree).integer, 65535);
  EXPECT_EQ(parse("J\xfe\xff\xff\xff.", tree).integer, -2);
  EXPECT_EQ(parse("\x8a\x02\x00\xff."s, tree).integer, -256);
  EXPECT_EQ(parse("\x8a\x00."s, tree).integer, 0);
  EXPECT_EQ(parse("G\x40\x04\x00\x00\x00\x00\x00\x00."s, tree).number, 2.5);
  EXPECT_TRUE(parse("\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09."s, tree).is(Kind::BigInteger));
}

TEST(Pickle, KeepsCallsAsData) {
  PickleTree tree;
  const PickleValue& call = parse("cposix\nsystem\n(S'touch x'\ntR.", tree);
  ASSERT_TRUE(call.is(Kind::Object));
  EXPECT_TRUE(call.callable->isGlobal("posix.system"));
  EXPECT_EQ(call.arguments->items.at(0)->text, "touch x");
}

TEST(Pickle, ReadsMapsOfEitherPython) {
  PickleTree tree;
  const PickleValue& three = parse(
      "ccollections\nOrderedDict\n)R(U\x01"
      "aK\x01U\x01"
      "aK\x02u.",
      tree);
  EXPECT_EQ(findEntry(three.entries, "a")->integer, 2);
  const PickleValue& two = parse(
      "ccollections\nOrderedDict\n(]]U\x01"
      "aaK\x01"
      "aatR.",
      tree);
  ASSERT_EQ(two.entries.size(), 1u);
  EXPECT_EQ(findEntry(two.entries, "a")->integer, 1);
}

TEST(Pickle, AllowsCycles) {
  PickleTree tree;
  const PickleValue& list = parse(
      "]q\x00h\x00"
      "a."s,
      tree);
  EXPECT_EQ(list.items.at(0), &list);
}

TEST(Pickle, RefusesDeepNesting) {
  const int levels = 200'000;
  EXPECT_THAT(pickleRefusal(std::string(levels, ']') + std::string(levels - 1, 'a') + "."),
              HasSubstr("1000 deep"));
  EXPECT_THAT(pickleRefusal("N" + std::string(levels, '\x85') + "."), HasSubstr("1000 deep"));
  EXPECT_EQ(pickleRefusal(std::string(500, ']') + std::string(499, 'a') + "."), "");
}

TEST(Pickle, SharesWhatAMemoBombRepeats) {
  // Each list holds the one before ten times: 10^30 leaves if they were copied.
  std::string bytes = "]q\x00"s;
  for (char level = 1; level <= 30; ++level) {
    bytes += "](";
    for (int copy = 0; copy < 10; ++copy) bytes += "h"s + static_cast<char>(level - 1);
    bytes += "eq"s + level;
  }
  PickleTree tree;
  EXPECT_EQ(parse(bytes + ".", tree).items.size(), 10u);
}

TEST(Pickle, AllowsALargeFileMoreValues) {
  PickleTree tree(std::uint64_t{64} << 20);
  EXPECT_TRUE(parse(std::string(900'000, ']') + ".", tree).is(PickleValue::Kind::List));
}

TEST(Pickle, KeepsAClassOnceHoweverOftenItIsNamed) {
  const std::string name = "ccollections\nOrderedDict\n"s;
  PickleTree tree;
  const PickleValue& pair = parse(name + name + "\x86.", tree);
  ASSERT_EQ(pair.items.size(), 2u);
  EXPECT_EQ(pair.items[0], pair.items[1]);
  EXPECT_TRUE(pair.items[0]->isGlobal("collections.OrderedDict"));
}

TEST(Pickle, LimitsWhatClassNamesComeTo) {
  std::string bytes;
  for (int i = 0; i < 8000; ++i)
    bytes += "c" + std::string(200, 'm') + std::to_string(i) + "\nn\n0";
  EXPECT_THAT(pickleRefusal(bytes + "N."), HasSubstr("class name is too long"));
  EXPECT_THAT(pickleRefusal("c" + std::string(2000, 'm') + "\nn\n."),
              HasSubstr("class name is too long"));
}

TEST(Pickle, LimitsTheNumberOfValues) {
  EXPECT_THAT(pickleRefusal(std::string(4'100'000, ']') + "."),
              HasSubstr("values beside its tensors"));
  EXPECT_THAT(pickleRefusal(std::string(4'100'000, 'N') + "."), HasSubstr("too many values"));
  EXPECT_THAT(pickleRefusal(std::string(4'100'000, '(') + "."), HasSubstr("too many marks"));
  EXPECT_THAT(pickleRefusal("N" + std::string(4'100'000, '\x94') + "."),
              HasSubstr("values beside its tensors"));
  EXPECT_THAT(pickleRefusal("Nr\x00\x00\x00\x7f."s), HasSubstr("too many remembered"));
  std::string filled = "]";
  for (int part = 0; part < 5; ++part) filled += "(" + std::string(900'000, 'N') + "e";
  EXPECT_THAT(pickleRefusal(filled + "."), HasSubstr("values beside its tensors"));
}

TEST(Pickle, RefusesMalformedStreams) {
  EXPECT_THAT(pickleRefusal("."), HasSubstr("a value is missing"));
  EXPECT_THAT(pickleRefusal("K\x01"), HasSubstr("truncated"));
  EXPECT_THAT(pickleRefusal("]e."), HasSubstr("a mark is missing"));
  EXPECT_THAT(pickleRefusal("(."), HasSubstr("a value is missing"));
  EXPECT_THAT(pickleRefusal("N(K\x01"
                            "e."),
              HasSubstr("no container"));
  EXPECT_THAT(pickleRefusal("}(K\x01u."), HasSubstr("no value"));
  EXPECT_THAT(pickleRefusal("h\x05."), HasSubstr("before it is made"));
  EXPECT_THAT(pickleRefusal("\x80\x09N."), HasSubstr("protocol 9"));
  EXPECT_THAT(pickleRefusal("\xff."), HasSubstr("unknown instruction 255"));
  EXPECT_THAT(pickleRefusal("I12x\n."), HasSubstr("number"));
  EXPECT_THAT(pickleRefusal("S'abc\n."), HasSubstr("string"));
  EXPECT_THAT(pickleRefusal("c" + std::string(2000, 'm') + "\nf\n."), HasSubstr("too long"));
  EXPECT_THAT(pickleRefusal("\x8e\xff\xff\xff\xff\xff\xff\xff\xff."), HasSubstr("truncated"));
}

TEST(Pickle, RunsNothing) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* name : {"malicious.pth", "malicious_legacy.pth"}) {
    ASSERT_THAT(contentOf(fixture(name)), HasSubstr("touch softscope_was_here"));
    std::filesystem::current_path(folder.path());
    const Checkpoint checkpoint = readCheckpoint(fixture(name));
    std::filesystem::current_path(before);
    EXPECT_EQ(checkpoint.state.size(), 1u);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST(FileText, ShowsOneLine) {
  EXPECT_EQ(quotedText("a\nb\xff"), "'a?b?'");
  EXPECT_EQ(quotedText(std::string(200, 'a')).size(), 85u);
}

TEST(FileText, KnowsUtf8) {
  EXPECT_TRUE(isUtf8("a\u00fc\u20ac\U0001f600"));
  EXPECT_FALSE(isUtf8("\xff"));
  EXPECT_FALSE(isUtf8("\xc3"));
  EXPECT_FALSE(isUtf8("\xc0\x80"));
  EXPECT_FALSE(isUtf8("\xed\xa0\x80"));
}

TEST(FileText, WritesUtf8) {
  std::string text;
  for (const std::uint32_t character : {0x61u, 0xfcu, 0x20acu, 0x1f600u}) {
    EXPECT_TRUE(appendUtf8(text, character));
  }
  EXPECT_EQ(text, "a\u00fc\u20ac\U0001f600");
  EXPECT_FALSE(appendUtf8(text, 0x110000));
  EXPECT_EQ(text.size(), 10u);
}

}  // namespace
}  // namespace softscope
