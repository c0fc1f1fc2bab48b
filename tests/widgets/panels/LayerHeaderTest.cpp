#include "widgets/controls/MapChoice.h"
#include "widgets/panels/LayerHeader.h"

#include <QtTest/QTest>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(LayerHeader, NoChoiceIsCutHoweverNarrowItIs) {
  LayerHeader header;
  header.setTexts(QStringLiteral("block1.0.att.mha.attn"), QStringLiteral("soft"),
                  QStringLiteral("What patch (10, 10) attends to"));
  header.show();
  QToolButton* columns = nullptr;
  for (auto* button : header.findChildren<QToolButton*>()) {
    if (button->text() == QStringLiteral("Attended by")) columns = button;
  }
  ASSERT_TRUE(columns);
  const auto placeOf = [&header](const QWidget& widget) {
    return QRect(widget.mapTo(&header, QPoint(0, 0)), widget.size());
  };
  for (const int width : {900, 460, 240}) {
    header.resize(width, 200);
    QCoreApplication::processEvents();
    for (const QWidget* choice :
         {static_cast<const QWidget*>(columns), static_cast<const QWidget*>(&header.map())}) {
      EXPECT_GE(choice->width(), choice->sizeHint().width()) << width;
      EXPECT_LE(placeOf(*choice).right(), width) << width;
    }
  }
  EXPECT_GT(placeOf(*columns).top(), placeOf(header.map()).bottom()) << "one above the other";
  header.resize(900, 200);
  QCoreApplication::processEvents();
  EXPECT_NEAR(placeOf(*columns).center().y(), placeOf(header.map()).center().y(), 1) << "rounded";
}

}  // namespace
}  // namespace softscope
