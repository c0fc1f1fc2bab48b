#include "core/array/Table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace softscope {
namespace {

TEST(Table, IsWrittenAsCommaSeparatedValues) {
  Table table{{"model", "head", "value"}, {}};
  table.add({std::string("soft_tiny"), std::int64_t{3}, 0.5});
  table.add({std::string("a \"b\", c"), Table::Cell(), -1e-300});
  EXPECT_EQ(csvText(table), "model,head,value\nsoft_tiny,3,0.5\n\"a \"\"b\"\", c\",,-1e-300\n");
}

TEST(Table, NumbersReadBackExactly) {
  for (const double number : {0.1 + 0.2, 1.0 / 3, 5e-324, 1.7976931348623157e308, 12345678.9}) {
    const std::string text = csvText({{}, {{number}}});
    EXPECT_EQ(std::strtod(text.c_str() + 1, nullptr), number) << text;
  }
}

TEST(Table, SaysWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(csvText({{"x"}, {{infinity}, {-infinity}, {std::nan("")}}}), "x\ninf\n-inf\nnan\n");
  EXPECT_EQ(csvText({{"x"}, {{cellOf(std::nullopt)}, {cellOf(2.0)}}}), "x\n\n2\n");
}

}  // namespace
}  // namespace softscope
