#include "widgets/paint/ValueText.h"

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

TEST(TypesetText, WritesNumbersAsPanelsDo) {
  const auto typeset = [](const std::string& text) { return typesetText(text).toStdString(); };
  EXPECT_EQ(typeset("is 0.000158 (2.84e-05 to 0.000295)."),
            "is 1.58×10⁻⁴ (2.84×10⁻⁵ to 2.95×10⁻⁴).");
  EXPECT_EQ(typeset("-6.96607799e-07"), "−6.96607799×10⁻⁷");
  EXPECT_EQ(typeset("1.2e+06, 5e-324"), "1.2×10⁶, 5×10⁻³²⁴");
  EXPECT_EQ(typeset("dense, 16 windows of 25 x 25; n x n"), "dense, 16 windows of 25 × 25; n × n");
}

TEST(TypesetText, LeavesOtherNumbersAndNames) {
  for (const std::string text :
       {"0.9 in the median of 12 heads (0.2 to 1.1).", "0", "0.001", "soft_lr1e-05.pth",
        "run-1e-05", "block2.0e-3", "arXiv 2410.10781", "1e-05x", "max x min"}) {
    EXPECT_EQ(typesetText(text).toStdString(), text);
  }
}

}  // namespace
}  // namespace softscope
