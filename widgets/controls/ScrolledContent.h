#pragma once

#include <QtWidgets/QScrollArea>

#include <functional>

namespace softscope {

/// Scrolls its content up and down, without a frame of its own; the Tab key passes it over.
class ScrolledPanel : public QScrollArea {
 public:
  /// `name` is what screen readers call the content.
  ScrolledPanel(const QString& name, QWidget* content, QWidget* parent = nullptr);
};

/// Holds the controls above a page's content, at the height that they need, or scrolled if that is
/// more than half of the page. Without scrolling, a short or narrow window would cut the controls
/// off or leave no room for the content.
class ScrolledHead : public ScrolledPanel {
 public:
  /// `content` must have a height that depends on its width, as wrapped text does.
  ScrolledHead(QWidget* content, QWidget* page);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QWidget* page_;
};

/// Scrolls the whole content of a page where the window is too low for it, so that its parts need
/// no scroll bars of their own.
class ScrolledContent : public ScrolledPanel {
 public:
  /// Sets the least heights of the content's parts, which depend on nothing but its width.
  using FitParts = std::function<void(int width)>;

  /// `name` is what screen readers call the content.
  ScrolledContent(const QString& name, QWidget* content, FitParts fitParts,
                  QWidget* parent = nullptr);

  /// Fits the parts to what they show now.
  void fit();
  /// Returns true if the widget is within a ScrolledContent that is lower than its content. The
  /// wheel then scrolls the page, and is not free for zooming.
  static bool isScrolled(const QWidget& widget);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  FitParts fitParts_;
};

}  // namespace softscope
