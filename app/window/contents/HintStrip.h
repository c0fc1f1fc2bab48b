#pragma once

#include <QtCore/QString>
#include <QtWidgets/QFrame>

class QAction;

namespace softscope {

class Workspace;

/// Shows a hint about the first gestures until the user has made them once.
class HintStrip : public QFrame {
  Q_OBJECT

 public:
  /// `explain` is the action that explains the page; the hint names its keys.
  HintStrip(Workspace& workspace, const QAction& explain, QWidget* parent = nullptr);
  ~HintStrip() override;

  /// Shows the hint only while the page in front has patches to click.
  void setUseful(bool useful);

 Q_SIGNALS:
  /// The user has asked a query, or needs no hint.
  void done();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void finish();

  /// True once a mouse button was pressed in the window.
  bool pressed_ = false;
  bool done_ = false;
};

}  // namespace softscope
