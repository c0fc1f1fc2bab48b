#include "widgets/controls/GuardedApplication.h"

#include "widgets/paint/EnglishNumbers.h"

#include <exception>
#include <new>

namespace softscope {

GuardedApplication::GuardedApplication(int& argumentCount, char** arguments)
    : QApplication(argumentCount, arguments) {
  writeEnglishNumbers();
}

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (const std::bad_alloc&) {
    Q_EMIT failed(tr("There is not enough memory for this."));
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
  return true;
}

}  // namespace softscope
