#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/query/ValueRange.h"

#include <QtWidgets/QWidget>

namespace softscope {

struct ColorMap;

/// The one colour bar of panels that share a range.
class ColorBarView : public QWidget {
  Q_OBJECT

 public:
  explicit ColorBarView(QWidget* parent = nullptr);
  void setRange(const ValueRange& range, const ColorMap& colors);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ValueRange range_;
  const ColorMap* colors_ = nullptr;
};

}  // namespace softscope
