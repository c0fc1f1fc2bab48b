#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <optional>
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

 Q_SIGNALS:
  /// The pointer has moved onto an entry.
  void hovered(const softscope::LegendEntry& entry);
  void left();

 protected:
  void leaveEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void hover(std::optional<std::size_t> entry);

  std::vector<LegendEntry> entries_;
  std::optional<std::size_t> hovered_;
};

}  // namespace softscope
