#include "core/text/Words.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(PrintableText, PlainTextStaysAsItIs) {
  EXPECT_EQ(printableText("blocks.0.attn: Nyströmformer, 3 × 4 — 𝛼"),
            "blocks.0.attn: Nyströmformer, 3 × 4 — 𝛼");
}

TEST(PrintableText, LineBreaksAreSpaces) {
  EXPECT_EQ(printableText("one\ntwo\tthree"), "one two three");
}

TEST(PrintableText, WhatATerminalWouldObeyIsNotPrinted) {
  EXPECT_EQ(printableText("\x1b[31mred\r\x07"), "?[31mred??");
  EXPECT_EQ(printableText("\xc2\x9b"
                          "2J"),
            "?2J")
      << "C1 controls are one character";
  EXPECT_EQ(printableText("a\xe2\x80\xae"
                          "b\xe2\x81\xa6"
                          "c"),
            "a?b?c")
      << "turns the direction";
  EXPECT_EQ(printableText("a\xe2\x80\xa8"
                          "b"),
            "a?b")
      << "a line separator";
}

TEST(PrintableText, WhatIsNoUtf8IsNotPrinted) {
  EXPECT_EQ(printableText("a\xff"
                          "b\xc3"),
            "a?b?");
  EXPECT_EQ(printableText("\xc0\xaf"), "??") << "over-long";
  EXPECT_EQ(printableText("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(printableText("\xf4\x90\x80\x80"), "????") << "beyond Unicode";
}

TEST(PrintableText, OfWhatIsLongTheMiddleIsLeftOut) {
  const std::string text = "begins " + std::string(1'000'000, 'x') + " ends";
  const std::string printed = printableText(text, 100);
  EXPECT_LE(printed.size(), 100u);
  EXPECT_THAT(printed, StartsWith("begins x"));
  EXPECT_THAT(printed, EndsWith("x ends"));
}

TEST(PrintableText, NoCharacterIsCut) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "ö";
  for (std::size_t longest = 40; longest < 60; ++longest) {
    const std::string printed = printableText(text, longest);
    EXPECT_LE(printed.size(), longest);
    EXPECT_EQ(printed.find('?'), std::string::npos) << printed;
    EXPECT_EQ(printableText(printed), printed);
  }
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parseNumber<int>("-12"), -12);
  EXPECT_EQ(parseNumber("1e-06"), 1e-06);
  for (const char* text : {"", " 1", "1 ", "1.5", "0x10", "+1", "2147483648"}) {
    EXPECT_FALSE(parseNumber<int>(text)) << text;
  }
  EXPECT_FALSE(parseNumber<std::uint64_t>("-1"));
}

TEST(NumberText, IsTheShortestThatReadsBackAsTheSameNumberOfItsType) {
  EXPECT_EQ(numberText(0.1), "0.1");
  EXPECT_EQ(numberText(0.1f), "0.1");
  EXPECT_EQ(numberText(static_cast<double>(0.1f)), "0.10000000149011612");
}

TEST(ShellWord, IsQuotedIfTheShellWouldInterpretAnythingInIt) {
  EXPECT_EQ(shellWord("a/b-c_1.5,x=y:z+@%"), "a/b-c_1.5,x=y:z+@%");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("a cat's $HOME"), "'a cat'\\''s $HOME'");
  EXPECT_EQ(shellQuoted("a"), "'a'");
}

TEST(AsFileName, NamesNoOtherFileAndNoTerminalsCommand) {
  EXPECT_EQ(asFileName("blocks.0/attn ö 𝛼"), "blocks.0_attn ö 𝛼");
  EXPECT_EQ(asFileName(std::string_view("x\0a\x1b[1m\n\x7f", 9)), "x_a_[1m__");
  EXPECT_EQ(asFileName("a\xc2\x9b"
                       "b\xff"),
            "a_b_")
      << "C1 controls, and what is not UTF-8";
  EXPECT_EQ(asFileName(std::string(300, 'y')), std::string(200, 'y'));
  std::string wide = "x";
  for (int i = 0; i < 200; ++i) wide += "ö";
  EXPECT_EQ(asFileName(wide), wide.substr(0, 199)) << "no character is cut";
}

TEST(ShortLayerName, EndsWithTheLastNumber) {
  EXPECT_EQ(shortLayerName("block2.0.att.mha.attn"), "block2.0");
  EXPECT_EQ(shortLayerName("blocks.11"), "blocks.11");
  EXPECT_EQ(shortLayerName("3.attn"), "3");
  EXPECT_EQ(shortLayerName("stage2.nonlocal0"), "stage2.nonlocal0") << "no part is a number";
  EXPECT_EQ(shortLayerName("a..b"), "a..b");
  EXPECT_EQ(shortLayerName("."), ".");
  EXPECT_EQ(shortLayerName(""), "");
}

}  // namespace
}  // namespace softscope
