#include "core/model/InputSize.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(InputSize, ReadsTheThreeForms) {
  EXPECT_EQ(parseInputSize("224"), (InputSize{InputSize::Kind::Crop, 224, 224}));
  EXPECT_EQ(parseInputSize("192x256"), (InputSize{InputSize::Kind::Whole, 192, 256}));
  EXPECT_EQ(parseInputSize("320 × 480"), (InputSize{InputSize::Kind::Whole, 320, 480}));
  EXPECT_EQ(parseInputSize("full"), (InputSize{InputSize::Kind::Full, 0, 0}));
  for (const char* text :
       {"", "0", "-3", "7", "9000", "224x", "x224", "2 2 4", "fullest", "x", "12x", "3x4x5"}) {
    EXPECT_EQ(parseInputSize(text), std::nullopt) << text;
  }
}

TEST(InputSize, ItsTextReadsBack) {
  for (const char* text : {"224", "192x256", "full"}) {
    EXPECT_EQ(inputSizeText(*parseInputSize(text)), text);
  }
}

TEST(InputSize, ChangesOnlyWhatItSays) {
  InputTransform published;
  published.cropFraction = 0.9;
  EXPECT_EQ(withInputSize(published, {}), published);
  const InputTransform whole = withInputSize(published, *parseInputSize("192x256"));
  EXPECT_EQ(whole.extent, InputTransform::Extent::Whole);
  EXPECT_EQ(whole.height, 192);
  EXPECT_EQ(whole.width, 256);
  EXPECT_EQ(whole.cropFraction, 0.9);
}

}  // namespace
}  // namespace softscope
