#include "app/window/contents/HintStrip.h"

#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QEvent>
#include <QtGui/QAction>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

namespace softscope {
namespace {

QString hintText(const QAction& explain) {
  const QString text = HintStrip::tr(
      "<b>Click</b> a patch to ask it · <b>drag</b> to move the query · "
      "<b>Shift+click</b> pins it");
  const QString keys = explain.shortcut().toString(QKeySequence::NativeText);
  return keys.isEmpty() ? text
                        : text + HintStrip::tr(" · <b>%1</b> explains").arg(keys.toHtmlEscaped());
}

}  // namespace

HintStrip::HintStrip(Workspace& workspace, const QAction& explain, QWidget* parent)
    : QFrame(parent) {
  setAccessibleName(tr("First steps"));
  auto* text = new QLabel(hintText(explain));
  connect(&explain, &QAction::changed, text,
          [text, &explain] { text->setText(hintText(explain)); });
  text->setTextFormat(Qt::RichText);
  text->setWordWrap(true);
  text->setAccessibleName(accessibleName());
  auto* close = new QToolButton;
  close->setText(tr("Got it"));
  close->setAccessibleName(tr("Do not show the first steps again"));
  close->setFocusPolicy(Qt::TabFocus);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(12, 4, 8, 4);
  line->addWidget(text, 1);
  line->addWidget(close, 0, Qt::AlignVCenter);
  connect(close, &QToolButton::clicked, this, &HintStrip::finish);
  // The window asks the first query by itself; the first one after a mouse press is the user's.
  qApp->installEventFilter(this);
  connect(&workspace.queries(), &AskedQueries::changed, this, [this] {
    if (pressed_) finish();
  });
}

HintStrip::~HintStrip() = default;

void HintStrip::setUseful(bool useful) {
  setVisible(useful && !done_);
}

void HintStrip::finish() {
  if (done_ || isHidden()) return;
  done_ = true;
  hide();
  qApp->removeEventFilter(this);
  Q_EMIT done();
}

bool HintStrip::eventFilter(QObject* watched, QEvent* event) {
  pressed_ = pressed_ || event->type() == QEvent::MouseButtonPress;
  return QFrame::eventFilter(watched, event);
}

}  // namespace softscope
