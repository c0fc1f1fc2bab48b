#include "core/Error.h"
#include "core/image/ColorMap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

std::ostream& operator<<(std::ostream& stream, const ColorMap& map) {
  return stream << map.name;
}

namespace {

/// CIELAB under D65, written from the standard and not from the code under test.
std::array<double, 3> labOf(const ColorMap::Color& color) {
  std::array<double, 3> linear{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double value = color[c] / 255.0;
    linear[c] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  const auto [r, g, b] = linear;
  const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
  const double y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
  const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
  const auto fold = [](double value) {
    return value > 216.0 / 24389 ? std::cbrt(value) : (24389.0 / 27 * value + 16) / 116;
  };
  return {116 * fold(y) - 16, 500 * (fold(x) - fold(y)), 200 * (fold(y) - fold(z))};
}

double lightness(const ColorMap::Color& color) {
  return labOf(color)[0];
}

double chroma(const ColorMap::Color& color) {
  const auto lab = labOf(color);
  return std::hypot(lab[1], lab[2]);
}

TEST(ColorMap, NamesStandInTheOrderOfTheMenu) {
  EXPECT_THAT(colorMapNames(),
              testing::ElementsAre("viridis", "magma", "inferno", "plasma", "cividis", "grey",
                                   "blue-white-red", "purple-white-green", "turbo"));
}

TEST(ColorMap, EveryNameIsAMapOfThatName) {
  for (const std::string& name : colorMapNames()) EXPECT_EQ(colorMap(name).name, name);
}

TEST(ColorMap, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    colorMap("rainbow");
    FAIL() << "found a rainbow";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'rainbow'"));
    for (const std::string& name : colorMapNames()) {
      EXPECT_THAT(error.what(), testing::HasSubstr(name));
    }
  }
}

/// First and last colours as published with each map.
TEST(ColorMap, EndsAreThePublishedOnes) {
  using Color = ColorMap::Color;
  const auto near = [](const Color& a, const Color& b) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (std::abs(a[c] - b[c]) > 1) return false;
    }
    return true;
  };
  EXPECT_PRED2(near, colorMap("viridis").colors.front(), (Color{68, 1, 84}));
  EXPECT_PRED2(near, colorMap("viridis").colors.back(), (Color{253, 231, 36}));
  EXPECT_PRED2(near, colorMap("magma").colors.front(), (Color{0, 0, 3}));
  EXPECT_PRED2(near, colorMap("magma").colors.back(), (Color{251, 252, 191}));
  EXPECT_PRED2(near, colorMap("plasma").colors.front(), (Color{12, 7, 134}));
  EXPECT_PRED2(near, colorMap("plasma").colors.back(), (Color{239, 248, 33}));
  EXPECT_PRED2(near, colorMap("turbo").colors.front(), (Color{48, 18, 59}));
  EXPECT_EQ(colorMap("grey").colors[77], (Color{77, 77, 77}));
}

TEST(ColorMap, UniformMapsOnlyGetLighter) {
  for (const char* name : {"viridis", "magma", "inferno", "plasma", "cividis", "grey"}) {
    const ColorMap& map = colorMap(name);
    EXPECT_FALSE(map.diverging) << name;
    EXPECT_GT(lightness(map.colors.back()) - lightness(map.colors.front()), 60) << name;
    for (std::size_t i = 1; i < map.colors.size(); ++i) {
      // Eight bits a channel cannot express smaller steps than this faithfully.
      EXPECT_GT(lightness(map.colors[i]) - lightness(map.colors[i - 1]), -0.25) << name << i;
    }
    for (std::size_t i = 8; i < map.colors.size(); i += 8) {
      EXPECT_GT(lightness(map.colors[i]), lightness(map.colors[i - 8])) << name << i;
    }
  }
}

class DivergingMap : public testing::TestWithParam<const char*> {
 protected:
  const ColorMap& map() const { return colorMap(GetParam()); }
};

TEST_P(DivergingMap, SaysSo) {
  EXPECT_TRUE(map().diverging);
}

TEST_P(DivergingMap, IsEquallyLightOnBothSides) {
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_NEAR(lightness(map().colors[i]), lightness(map().colors[255 - i]), 0.5) << i;
  }
}

TEST_P(DivergingMap, DarkensEvenlyFromTheMiddle) {
  for (std::size_t i = 0; i < 128; ++i) {
    const double distance = (127.5 - static_cast<double>(i)) / 127.5;
    EXPECT_NEAR(lightness(map().colors[i]), 96 - 64 * distance, 0.5) << i;
  }
}

TEST_P(DivergingMap, HasANeutralMiddleAndColouredEnds) {
  EXPECT_LT(chroma(map().colors[127]), 1.5);
  EXPECT_LT(chroma(map().colors[128]), 1.5);
  EXPECT_LT(chroma(map().at(0.5)), 1.5);
  EXPECT_GT(chroma(map().colors[32]), 35);
  EXPECT_GT(chroma(map().colors[223]), 35);
}

TEST_P(DivergingMap, KeepsOneHueOnEachSide) {
  const auto hue = [](const ColorMap::Color& color) {
    const auto lab = labOf(color);
    return std::atan2(lab[2], lab[1]) * 180 / 3.14159265358979;
  };
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(hue(map().colors[i]), hue(map().colors[60]), 3) << i;
    EXPECT_NEAR(hue(map().colors[255 - i]), hue(map().colors[195]), 3) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, DivergingMap,
                         testing::Values("blue-white-red", "purple-white-green"));

TEST(ColorMap, InterpolatesBetweenItsEntries) {
  const ColorMap& grey = colorMap("grey");
  EXPECT_EQ(grey.at(0), grey.colors.front());
  EXPECT_EQ(grey.at(1), grey.colors.back());
  EXPECT_EQ(grey.at(100.0 / 255), grey.colors[100]);
  ColorMap map;
  map.colors[10] = {0, 100, 200};
  map.colors[11] = {100, 0, 200};
  EXPECT_EQ(map.at(10.25 / 255), (ColorMap::Color{25, 75, 200}));
}

TEST(ColorMap, ClampsWhatLiesOutside) {
  const ColorMap& map = colorMap("viridis");
  EXPECT_EQ(map.at(-3), map.colors.front());
  EXPECT_EQ(map.at(7), map.colors.back());
  EXPECT_EQ(map.at(std::numeric_limits<double>::infinity()), map.colors.back());
  EXPECT_EQ(map.at(std::nan("")), map.colors.front());
}

TEST(ColorMap, NoTwoMapsAreTheSame) {
  std::set<std::array<ColorMap::Color, 256>> tables;
  for (const std::string& name : colorMapNames()) tables.insert(colorMap(name).colors);
  EXPECT_EQ(tables.size(), colorMapNames().size());
}

/// First and last colours as Matplotlib publishes inferno and cividis.
TEST(ColorMap, EndsOfInfernoAndCividisAreThePublishedOnes) {
  using Color = ColorMap::Color;
  const std::pair<Color, Color> inferno{{0, 0, 3}, {252, 254, 164}};
  const std::pair<Color, Color> cividis{{0, 34, 78}, {254, 232, 56}};
  for (const auto& [name, ends] : {std::pair("inferno", inferno), std::pair("cividis", cividis)}) {
    const ColorMap& map = colorMap(name);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(map.colors.front()[c], ends.first[c], 1) << name << c;
      EXPECT_NEAR(map.colors.back()[c], ends.second[c], 1) << name << c;
    }
  }
}

TEST(ColorMap, DivergingMapsBeginWithTheColourThatTheyAreNamedAfterFirst) {
  const auto isBluer = [](const ColorMap::Color& color) { return color[2] > color[0]; };
  const auto isGreener = [](const ColorMap::Color& color) { return color[1] > color[2]; };
  const ColorMap& blueRed = colorMap("blue-white-red");
  const ColorMap& purpleGreen = colorMap("purple-white-green");
  for (std::size_t i = 0; i < 120; ++i) {
    EXPECT_TRUE(isBluer(blueRed.colors[i])) << i;
    EXPECT_FALSE(isBluer(blueRed.colors[255 - i])) << i;
    EXPECT_FALSE(isGreener(purpleGreen.colors[i])) << i;
    EXPECT_TRUE(isGreener(purpleGreen.colors[255 - i])) << i;
  }
}

}  // namespace
}  // namespace softscope
