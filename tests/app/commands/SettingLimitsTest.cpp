#include "core/analysis/registry/AnalysisSettings.h"
#include "core/text/SettingOptions.h"
#include "tests/app/commands/Run.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// How far beyond a limit a value of that type is taken to be.
double beyond(int) {
  return 1;
}
double beyond(double) {
  return 0.001;
}

/// The command line ends with 2 where it cannot be meant, with 1 where only the files are missing.
int exitCodeWith(const std::string& kind, const std::string& flag, double value) {
  return test::softscope("figure " + kind + " -m nothing.pth nothing.png -o nothing.svg " + flag +
                         " " + numberText(value))
      .exitCode;
}

template <typename Settings>
void expectLimitsOnTheCommandLine(const Settings& settings, const std::string& kind) {
  forEachSetting(settings, [&](const auto& setting) {
    if constexpr (requires { setting.least; }) {
      const std::string flag = firstFlag(setting.text);
      if (flag.empty()) return;
      SCOPED_TRACE(flag);
      const double step = beyond(setting.most);
      EXPECT_EQ(exitCodeWith(kind, flag, setting.leastGiven), 1);
      EXPECT_EQ(exitCodeWith(kind, flag, setting.most), 1);
      EXPECT_EQ(exitCodeWith(kind, flag, setting.leastGiven - step), 2);
      EXPECT_EQ(exitCodeWith(kind, flag, setting.most + step), 2);
    }
  });
}

TEST(SettingLimits, AreThoseOfTheCommandLine) {
  expectLimitsOnTheCommandLine(figureSettings, "heads");
  expectLimitsOnTheCommandLine(viewSettings, "heads");
  expectLimitsOnTheCommandLine(convergenceSettings, "convergence");
  expectLimitsOnTheCommandLine(bottleneckSettings, "bottleneck");
  expectLimitsOnTheCommandLine(std::tuple(matrixCellsSetting), "matrix");
}

template <typename Settings>
void expectChoicesOnTheCommandLine(const Settings& settings, const std::string& kind) {
  forEachSetting(settings, [&](const auto& setting) {
    if constexpr (requires { setting.choices; }) {
      const std::string flag = firstFlag(setting.text);
      if (flag.empty()) return;
      const std::string command = "figure " + kind +
                                  " -m nothing.pth -m nothing.pth nothing.png -o nothing.svg " +
                                  flag + " ";
      const std::string last = setting.choices.back().name;
      EXPECT_EQ(test::softscope(command + last).exitCode, 1) << command << last;
      EXPECT_EQ(test::softscope(command + "nonsense").exitCode, 2) << command;
    }
  });
}

TEST(SettingLimits, NamesOfFilesAreThoseOfTheCommandLine) {
  expectChoicesOnTheCommandLine(saliencySettings, "saliency");
  expectChoicesOnTheCommandLine(spectrumSettings, "spectrum");
  expectChoicesOnTheCommandLine(convergenceSettings, "convergence");
  expectChoicesOnTheCommandLine(shareSettings, "share");
  expectChoicesOnTheCommandLine(overviewSettings, "overview");
  expectChoicesOnTheCommandLine(comparisonSettings, "compare");
}

TEST(SettingLimits, OldFlagsMeanTheSame) {
  for (const char* flag : {"--background dark", "--ground dark"}) {
    const auto outcome =
        test::softscope(std::string("figure heads -m nothing.pth nothing.png -o n.svg ") + flag);
    EXPECT_EQ(outcome.exitCode, 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("nothing"));
  }
}

}  // namespace
}  // namespace softscope
