#pragma once

#include "core/query/PictureQuery.h"
#include "widgets/pages/PageFigure.h"
#include "widgets/query/PictureMark.h"

#include <QtCore/QPoint>
#include <QtWidgets/QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class Workspace;

/// A panel that a menu is asked for.
struct PanelUnderPointer {
  QPoint globalPlace;
  /// `head 3`
  QString title;
  /// The number under the pointer, as it is copied; empty where there is none.
  QString value;
  /// The place on the picture; nothing where there is none.
  std::optional<PictureQuery> place;
  /// The head that can be shown alone, or -1.
  int head = -1;
  /// The panel by itself; null where it shows nothing.
  std::shared_ptr<const PanelFigure> figure;
};

/// One of the window's pages: a way of looking at what the workspace holds.
class Page : public QWidget {
  Q_OBJECT

 public:
  explicit Page(Workspace& workspace, QWidget* parent = nullptr);

  /// Whether there is something to look at; otherwise the window says what is missing. By default
  /// that a model has seen a picture.
  virtual bool isReady() const;
  /// Draws what the workspace holds now. Called only while the page is in front.
  virtual void showNow() = 0;
  /// Forgets the picture as models saw it; a picture or an inspection changed.
  virtual void takePicture() {}
  /// Lets go of what it has drawn, and of what it has computed of models and pictures that have
  /// been closed, which would live as long as they do. Called only while it is not in front.
  virtual void letGo() {}
  /// Shows all of what was zoomed into, apart from the picture, which the window shows.
  virtual void showWhole() {}
  /// Whether it shows something that can be printed.
  virtual bool hasFigure() const { return false; }
  /// That; nothing while there is nothing to print.
  virtual std::optional<PageFigure> figure() const { return std::nullopt; }

 Q_SIGNALS:
  /// What is under the pointer, in words; empty for nothing.
  void readOut(const QString& text);
  /// Places on the picture that what is under the pointer is about; none when it leaves.
  void pointedAt(const std::vector<softscope::PictureMark>& marks);
  void panelMenuWanted(const softscope::PanelUnderPointer& under);

 protected:
  Workspace& workspace_;
};

}  // namespace softscope
