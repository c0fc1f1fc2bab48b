#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/query/ValueRange.h"

#include <QtWidgets/QWidget>

namespace softscope {

struct ColorMap;

/// A colour bar shared by panels with one common range.
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
