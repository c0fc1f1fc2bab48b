#include "app/window/settings/WindowSettings.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/SettingValues.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QJsonObject>
#include <QtCore/QSettings>
#include <QtWidgets/QWidget>

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

/// What is restored at the next start when `key` was left at `value`.
template <typename Member>
auto restored(const std::string& key, double value, Member member) {
  QSettings().setValue(QString::fromStdString(key), value);
  return readWindowSettings().*member;
}

template <typename Settings, typename Owner>
void expectLimitsOfTheNextStart(const Settings& settings, const std::string& group,
                                Owner WindowSettings::*owner) {
  forEachSetting(settings, [&](const auto& setting) {
    if constexpr (requires { setting.least; }) {
      const std::string key = group + "/" + setting.text.key;
      SCOPED_TRACE(key);
      for (const auto limit : {setting.least, setting.most}) {
        EXPECT_EQ(restored(key, limit, owner).*setting.member, limit);
      }
      EXPECT_EQ(restored(key, double(setting.least) - 1, owner).*setting.member, setting.least);
      EXPECT_EQ(restored(key, double(setting.most) + 1, owner).*setting.member, setting.most);
    }
  });
}

TEST(SettingLimits, AreThoseOfTheNextStart) {
  expectLimitsOfTheNextStart(figureSettings, "figure", &WindowSettings::figure);
  expectLimitsOfTheNextStart(viewSettings, "view", &WindowSettings::view);
}

template <typename Owner, typename Settings>
void expectLimitsOfAFile(const Settings& settings) {
  forEachSetting(settings, [&](const auto& setting) {
    if constexpr (requires { setting.least; }) {
      Owner read;
      readSettings(settings, QJsonObject{{setting.text.key, double(setting.most) + 1}}, read);
      EXPECT_EQ(read.*setting.member, setting.most) << setting.text.key;
      readSettings(settings, QJsonObject{{setting.text.key, double(setting.least) - 1}}, read);
      EXPECT_EQ(read.*setting.member, setting.least) << setting.text.key;
    }
  });
}

TEST(SettingLimits, AreThoseOfAWorkspaceFile) {
  expectLimitsOfAFile<ConvergenceSettings>(convergenceSettings);
  expectLimitsOfAFile<BottleneckSettings>(bottleneckSettings);
  expectLimitsOfAFile<MatrixSettings>(matrixSettings);
  expectLimitsOfAFile<NormsSettings>(std::tuple(rcondSetting<NormsSettings>));
}

TEST(SettingLimits, AreThoseOfTheControls) {
  QWidget parent;
  const auto expectLimits = [&](const auto& settings) {
    forEachSetting(settings, [&](const auto& setting) {
      if constexpr (requires { setting.least; }) {
        const auto* control = settingControl(setting, &parent);
        EXPECT_EQ(control->minimum(), setting.least) << setting.text.key;
        EXPECT_EQ(control->maximum(), setting.most) << setting.text.key;
      }
    });
  };
  expectLimits(figureSettings);
  expectLimits(convergenceSettings);
}

TEST(SettingLimits, EverySettingComesBackAsItWas) {
  WindowSettings settings;
  settings.view.smooth = true;
  settings.view.normalisation = ViewSettings::Normalisation::Percentile;
  settings.view.divergingColorMap = "purple-white-green";
  settings.figure.background = FigureSettings::Background::Transparent;
  settings.figure.titles = false;
  settings.figure.points = 9.5;
  EXPECT_TRUE(writeChanges({}, settings));
  EXPECT_EQ(readWindowSettings().view, settings.view);
  EXPECT_EQ(readWindowSettings().figure, settings.figure);
}

TEST(SettingLimits, WhatAFileDoesNotKnowStaysAsItIs) {
  QSettings().setValue(QStringLiteral("view/colorMap"), QStringLiteral("no such map"));
  QSettings().setValue(QStringLiteral("figure/width"), QStringLiteral("wide"));
  EXPECT_EQ(readWindowSettings().view.colorMap, ViewSettings().colorMap);
  EXPECT_EQ(readWindowSettings().figure.width, FigureSettings().width);
}

}  // namespace
}  // namespace softscope
