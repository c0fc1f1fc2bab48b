#include "widgets/paint/FittedText.h"

#include <QtCore/QSet>
#include <QtGui/QFontMetricsF>
#include <QtWidgets/QApplication>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Whatever the width, what is shown fits, and different names read differently.
void expectApart(const QStringList& names) {
  const QFontMetricsF metrics(QApplication::font());
  double widest = 0;
  for (const QString& name : names) widest = std::max(widest, metrics.horizontalAdvance(name));
  for (double width = widest + 1; width > 45; width *= 0.9) {
    const QStringList shown = namesApart(names, metrics, width);
    ASSERT_EQ(shown.size(), names.size());
    for (qsizetype i = 0; i < names.size(); ++i) {
      EXPECT_LE(metrics.horizontalAdvance(shown[i]), width + 0.5) << shown[i].toStdString();
      if (metrics.horizontalAdvance(names[i]) <= width) {
        EXPECT_EQ(shown[i], names[i]);
      }
      for (qsizetype j = 0; j < i; ++j) {
        EXPECT_EQ(shown[i] == shown[j], names[i] == names[j])
            << names[i].toStdString() << " and " << names[j].toStdString() << " both read "
            << shown[i].toStdString() << " at " << width;
      }
    }
  }
}

TEST(NamesApart, TellNamesApartAtAnyWidth) {
  expectApart({"soft_small_imagenet_224_day10", "soft_tiny_imagenet_224_day10"});
  expectApart({"soft_small_imagenet_seed1_day10", "soft_small_imagenet_seed2_day10",
               "soft_small_imagenet_seed3_day10", "sima_small_imagenet_seed3_day10"});
  expectApart({"run-2024-11-05/checkpoint", "run-2024-11-06/checkpoint", "short"});
  expectApart({"a_name_that_another_only_continues", "a_name_that_another_only_continues_ema"});
  expectApart({"the_same_long_name_of_one_file", "the_same_long_name_of_one_file"});
  expectApart({});
}

TEST(NamesApart, KeepWhatTellsThemApart) {
  const QFontMetricsF metrics(QApplication::font());
  const QString first = QStringLiteral("vision_transformer_with_seed_1_after_a_long_training");
  const QString second = QStringLiteral("vision_transformer_with_seed_2_after_a_long_training");
  const QStringList shown =
      namesApart({first, second}, metrics, metrics.horizontalAdvance(first) / 3);
  EXPECT_TRUE(shown[0].contains(u'1')) << shown[0].toStdString();
  EXPECT_TRUE(shown[1].contains(u'2')) << shown[1].toStdString();
}

TEST(NamesApart, AThirdNameThatSharesNothingTakesNoRoom) {
  const QFontMetricsF metrics(QApplication::font());
  const QString first = QStringLiteral("vit_with_a_long_name_lr0.0005_epoch_0300_ema_best");
  const QString second = QStringLiteral("vit_with_a_long_name_lr0.0005_epoch_0200_ema_best");
  for (const char* third : {"swin", "a_deit_of_which_no_letter_is_shared_with_the_two_others"}) {
    const QStringList names{first, QLatin1String(third), second};
    const QStringList shown = namesApart(names, metrics, metrics.horizontalAdvance(first) / 3);
    EXPECT_TRUE(shown[0].contains(QStringLiteral("_03"))) << shown[0].toStdString();
    EXPECT_TRUE(shown[2].contains(QStringLiteral("_02"))) << shown[2].toStdString();
    EXPECT_EQ(QSet<QString>(shown.begin(), shown.end()).size(), 3);
    expectApart(names);
  }
}

}  // namespace
}  // namespace softscope
