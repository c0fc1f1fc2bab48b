#pragma once

#include <QtWidgets/QLayout>

#include <memory>
#include <vector>

namespace softscope {

/// Lays widgets out side by side, on as many lines as the width requires.
class FlowLayout : public QLayout {
 public:
  static constexpr int defaultGap = 9;

  explicit FlowLayout(QWidget* parent, int acrossGap = defaultGap);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override;
  void setGeometry(const QRect& place) override;

 private:
  int arrange(const QRect& place, bool really) const;

  int acrossGap_;
  std::vector<std::unique_ptr<QLayoutItem>> items_;
};

}  // namespace softscope
