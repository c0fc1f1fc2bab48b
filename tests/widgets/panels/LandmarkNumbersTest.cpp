#include "widgets/panels/LandmarkNumbers.h"

#include <QtTest/QTest>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

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
}  // namespace softscope
