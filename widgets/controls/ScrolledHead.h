#pragma once

#include <QtWidgets/QScrollArea>

namespace softscope {

/// Holds the controls above a page's content, at the height that they need, or scrolled if that is
/// more than half of the page. Without scrolling, a short or narrow window would cut the controls
/// off or leave no room for the content.
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
