#pragma once

#include <QtCore/QString>
#include <QtWidgets/QFrame>

class QAction;

namespace softscope {

class Workspace;

/// Says what hands can do here, until they have done it once.
class HintStrip : public QFrame {
  Q_OBJECT

 public:
  /// `explain` is what says more; its keys are named.
  HintStrip(Workspace& workspace, const QAction& explain, QWidget* parent = nullptr);
  ~HintStrip() override;

 Q_SIGNALS:
  /// The user has asked a query, or needs no hint.
  void done();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void finish();

  /// A button of the mouse went down in the window since it was opened.
  bool pressed_ = false;
};

}  // namespace softscope
