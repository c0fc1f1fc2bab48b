#pragma once

#include <QtWidgets/QScrollArea>

namespace softscope {

/// What stands above a page's content: as high as it needs, and at most half of the page, where it
/// scrolls. In a short or narrow window it would leave no room to the content, or be cut itself.
class ScrolledHead : public QScrollArea {
 public:
  /// `content` needs heights by its width, as wrapped words do.
  ScrolledHead(QWidget* content, QWidget* page);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QWidget* page_;
};

}  // namespace softscope
