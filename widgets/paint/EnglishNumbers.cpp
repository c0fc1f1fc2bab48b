#include "widgets/paint/EnglishNumbers.h"

#include <QtCore/QLocale>

#include <clocale>

namespace softscope {

void writeEnglishNumbers() {
  std::setlocale(LC_NUMERIC, "C");
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
}

}  // namespace softscope
