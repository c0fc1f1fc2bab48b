#pragma once

#include <QtWidgets/QScrollArea>

namespace softscope {

/// Scrolls what stands above a page's content if it would be higher than half of the page;
/// otherwise it is as high as it needs to be. Without it, a short or narrow window would cut it off
/// or leave no room for the content.
class ScrolledHead : public QScrollArea {
 public:
  /// `content` must have a height that depends on its width, as wrapped text does.
  ScrolledHead(QWidget* content, QWidget* page);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QWidget* page_;
};

}  // namespace softscope
