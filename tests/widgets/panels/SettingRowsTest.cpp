#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/SettingRows.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

QSpinBox* numberNamed(const LandmarkNumbers& numbers, const QString& name) {
  for (QSpinBox* number : numbers.findChildren<QSpinBox*>()) {
    if (number->accessibleName() == name) return number;
  }
  return nullptr;
}

TEST(LandmarkNumbers, ChooseWhatWasEntered) {
  LandmarkNumbers numbers;
  std::vector<LandmarkChoice> chosen;
  QObject::connect(&numbers, &LandmarkNumbers::chosen,
                   [&](const LandmarkChoice& choice) { chosen.push_back(choice); });
  numbers.setChoice({LandmarkSource::Random, 16, 3});
  numbers.show();
  QSpinBox* count = numberNamed(numbers, "Number of landmarks");
  QSpinBox* seed = numberNamed(numbers, "Seed of random landmarks");
  EXPECT_EQ(count->value(), 16);
  EXPECT_TRUE(seed->isVisible());
  EXPECT_TRUE(chosen.empty()) << "showing is not choosing";
  seed->setFocus();
  QTest::keyClick(seed, Qt::Key_Up);
  count->selectAll();
  QTest::keyClicks(count, "25");
  QTest::keyClick(count, Qt::Key_Return);
  count->setValue(0);
  EXPECT_EQ(chosen, (std::vector<LandmarkChoice>{{LandmarkSource::Random, 16, 4},
                                                 {LandmarkSource::Random, 25, 4},
                                                 {LandmarkSource::Random, std::nullopt, 4}}));
}

TEST(LandmarkNumbers, HaveASeedWhereItTakesPart) {
  LandmarkNumbers numbers;
  numbers.setChoice({LandmarkSource::Pooled});
  numbers.show();
  EXPECT_FALSE(numberNamed(numbers, "Seed of random landmarks")->isVisible());
  EXPECT_EQ(numberNamed(numbers, "Number of landmarks")->text(), "as trained");
}

}  // namespace

namespace {

ModelSummary plainVitSummary() {
  ModelSummary summary;
  summary.family = "vit";
  summary.variant = "custom";
  summary.mechanism = "softmax";
  summary.alternatives = {"softmax"};
  summary.heads = {2};
  const std::string why = "nobody published a network of these sizes";
  summary.settings = {{.option = "heads",
                       .value = "2",
                       .source = "assumed",
                       .choices = {"2", "1", "12", "4"},
                       .why = why},
                      {.option = "activation",
                       .value = "gelu",
                       .source = "from config.json",
                       .choices = {"gelu", "relu"}},
                      {.option = "epsilon",
                       .value = "1e-06",
                       .source = "assumed",
                       .choices = {"1e-06", "1e-05"},
                       .why = why},
                      {.option = "mean",
                       .value = "half",
                       .source = "assumed",
                       .choices = {"half", "imagenet"},
                       .why = why},
                      {.option = "std",
                       .value = "half",
                       .source = "assumed",
                       .choices = {"half", "imagenet"},
                       .why = why}};
  return summary;
}

class SettingRowsTest : public testing::Test {
 protected:
  SettingRowsTest() { show(plainVitSummary()); }

  void show(const ModelSummary& summary) {
    panel_.setModel(QStringLiteral("mine.pth"), summary, {}, "cpu");
  }
  QComboBox* combo(const char* name) {
    for (auto* box : panel_.findChildren<QComboBox*>()) {
      if (box->accessibleName() == QLatin1String(name)) return box;
    }
    return nullptr;
  }
  QString note() {
    for (auto* label : panel_.findChildren<QLabel*>()) {
      if (label->text().startsWith(QStringLiteral("Assumed")) && !label->isHidden()) {
        return label->text();
      }
    }
    return {};
  }

  ModelPanel panel_;
};

TEST_F(SettingRowsTest, AClosedModelLeavesNoAnswers) {
  for (const char* name : {"Mechanism", "Number of heads", "Input size"}) {
    ASSERT_FALSE(combo(name)->currentText().isEmpty()) << name;
  }
  panel_.clearModel();
  for (const char* name : {"Mechanism", "Number of heads", "Input size"}) {
    EXPECT_TRUE(combo(name)->currentText().isEmpty()) << name;
    EXPECT_FALSE(combo(name)->isEnabled()) << name;
  }
}

TEST_F(SettingRowsTest, SayWhatWasAssumedAndOfferTheRest) {
  EXPECT_EQ(note(), QStringLiteral(
                        "Assumed, since the file does not tell: heads, epsilon, mean, deviation"));
  ASSERT_TRUE(combo("Epsilon"));
  EXPECT_EQ(combo("Epsilon")->currentText(), QStringLiteral("1e-06"));
  EXPECT_EQ(combo("Epsilon")->count(), 2);
  EXPECT_TRUE(combo("Mean"));
  EXPECT_FALSE(combo("Activation")) << "config.json tells it";
  EXPECT_FALSE(combo("Deviation")) << "the mean's name says both";
  QComboBox* heads = combo("Number of heads");
  ASSERT_EQ(heads->count(), 4);
  EXPECT_EQ(heads->itemText(3), QStringLiteral("12")) << "by number";
  EXPECT_EQ(heads->currentText(), QStringLiteral("2"));
}

TEST_F(SettingRowsTest, SayThatTheResizingWasAssumedUntilASizeIsChosen) {
  ModelSummary summary;
  summary.family = "structure";
  summary.preparationDoubts = {"pictures are resized whole"};
  show(summary);
  EXPECT_EQ(note(),
            QStringLiteral("Assumed, since the file does not tell: how pictures are resized"));
  panel_.setModel(QStringLiteral("mine.pth"), summary, {InputSize::Kind::Crop, 64, 64}, "cpu");
  EXPECT_EQ(note(), QString());
}

TEST_F(SettingRowsTest, NoKeyOfCodeIsShownAsItIs) {
  ModelSummary summary;
  for (const char* key : {"always_partition", "pool_include_prefix", "tokens_norm", "qk_scale",
                          "pretrained_window_sizes", "pos_embed_rope_dtype"}) {
    summary.settings.push_back(
        {.option = key, .value = "none", .source = "assumed", .choices = {}, .why = "a reason"});
  }
  show(summary);
  EXPECT_FALSE(note().contains(u'_')) << note().toStdString();
  EXPECT_TRUE(note().contains(QStringLiteral("norm of class attention")));
  for (auto* label : panel_.findChildren<QLabel*>()) {
    if (label->text() != note()) continue;
    EXPECT_TRUE(label->toolTip().contains(QStringLiteral("Query-key scale: a reason")));
  }
}

TEST_F(SettingRowsTest, ADeviceIsNamedBeforeDevicesAreListed) {
  QComboBox* device = combo("Device");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->placeholderText(), QStringLiteral("cpu"));
  EXPECT_TRUE(device->toolTip().endsWith(QStringLiteral("cpu"))) << device->toolTip().toStdString();
  ModelSummary live;
  live.isLive = true;
  show(live);
  EXPECT_EQ(device->placeholderText(), QStringLiteral("where Python has it"));
}

TEST_F(SettingRowsTest, SayThatThingsWereTakenForGranted) {
  const auto granted = [this]() -> QLabel* {
    for (auto* label : panel_.findChildren<QLabel*>()) {
      const bool isIt = label->text().startsWith(QStringLiteral("Taken for granted"));
      if (isIt && !label->isHidden()) return label;
    }
    return nullptr;
  };
  EXPECT_FALSE(granted());
  ModelSummary summary;
  summary.takenForGranted = "no mask hides keys";
  show(summary);
  ASSERT_TRUE(granted());
  EXPECT_TRUE(granted()->toolTip().contains(QStringLiteral("no mask hides keys")));
}

TEST_F(SettingRowsTest, AChoiceIsToldByItsOption) {
  std::string option;
  std::string value;
  QObject::connect(&panel_, &ModelPanel::settingChosen, &panel_,
                   [&](const std::string& chosen, const std::string& as) {
                     option = chosen;
                     value = as;
                   });
  QComboBox* epsilon = combo("Epsilon");
  epsilon->setCurrentText(QStringLiteral("1e-05"));
  Q_EMIT epsilon->activated(epsilon->currentIndex());
  EXPECT_EQ(option, "epsilon");
  EXPECT_EQ(value, "1e-05");
  std::vector<int> counts;
  QObject::connect(&panel_, &ModelPanel::headsChosen, &panel_,
                   [&](const HeadCounts& heads) { counts = heads.counts(); });
  QComboBox* heads = combo("Number of heads");
  heads->setCurrentText(QStringLiteral("4"));
  Q_EMIT heads->activated(heads->currentIndex());
  EXPECT_EQ(counts, std::vector<int>{4});
}

TEST_F(SettingRowsTest, WhatWasChosenStaysChoosable) {
  ModelSummary summary = plainVitSummary();
  NetworkSetting& epsilon = summary.settings[2];
  epsilon.value = "1e-05";
  epsilon.source = "chosen with --epsilon";
  epsilon.why = {};
  std::swap(epsilon.choices[0], epsilon.choices[1]);
  show(summary);
  ASSERT_TRUE(combo("Epsilon"));
  EXPECT_EQ(combo("Epsilon")->currentText(), QStringLiteral("1e-05"));
  EXPECT_FALSE(note().contains(QStringLiteral("epsilon")));
}

TEST_F(SettingRowsTest, HeadsOfEachStageAreOneChoice) {
  ModelSummary summary = plainVitSummary();
  summary.heads = {1, 2, 4, 5};
  summary.settings[0].value = "1,2,4,5";
  summary.settings[0].choices = {"1,2,4,5", "2,4,8,10"};
  show(summary);
  EXPECT_EQ(combo("Number of heads")->currentText(), QStringLiteral("1,2,4,5"));
  EXPECT_EQ(combo("Number of heads")->count(), 2);
}

TEST_F(SettingRowsTest, NothingIsShownOfAModelThatTellsAll) {
  ModelSummary summary = plainVitSummary();
  for (NetworkSetting& setting : summary.settings) {
    setting.why = {};
    setting.source = "from config.json";
  }
  show(summary);
  EXPECT_EQ(note(), QString());
  EXPECT_FALSE(combo("Epsilon"));
  panel_.clearModel();
  EXPECT_EQ(note(), QString());
}

}  // namespace
}  // namespace softscope
