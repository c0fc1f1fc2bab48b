#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <vector>

namespace softscope {

/// A legend: names the colours of plots, in as many columns as the width allows.
class LegendView : public QWidget {
  Q_OBJECT

 public:
  explicit LegendView(QWidget* parent = nullptr);

  void setEntries(std::vector<LegendEntry> entries);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<LegendEntry> entries_;
};

}  // namespace softscope
