#include "widgets/controls/GuardedApplication.h"

#include "core/Error.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QEvent>
#include <QtWidgets/QLabel>

#include <exception>

namespace softscope {
namespace {

/// By default a label guesses: it renders text that looks like HTML as HTML, and reads the files
/// that this names. Every label, Qt's own included, is polished before it is first measured.
void showLetterForLetter(QObject& receiver) {
  auto* label = qobject_cast<QLabel*>(&receiver);
  if (label && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
}

}  // namespace

GuardedApplication::GuardedApplication(int& argumentCount, char** arguments)
    : QApplication(argumentCount, arguments) {
  writeEnglishNumbers();
}

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
  try {
    if (event->type() == QEvent::Polish) showLetterForLetter(*receiver);
    return QApplication::notify(receiver, event);
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromStdString(sentenceOf(error)));
  }
  return true;
}

}  // namespace softscope
