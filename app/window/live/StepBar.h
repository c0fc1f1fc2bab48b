#pragma once

#include <QtWidgets/QToolBar>

#include <cstdint>
#include <vector>

class QLabel;
class QSlider;

namespace softscope {

/// The slider over the steps of a series. The bar is hidden while no series is shown.
class StepBar : public QToolBar {
  Q_OBJECT

 public:
  explicit StepBar(QWidget* parent = nullptr);

  /// Shows the steps of a series, and which of them is in front.
  void setSteps(const QString& name, const std::vector<std::int64_t>& steps, std::size_t shown);

 Q_SIGNALS:
  void stepWanted(int index);

 private:
  QLabel* title_;
  QSlider* slider_;
  QLabel* step_;
};

}  // namespace softscope
