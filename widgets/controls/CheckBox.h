#pragma once

#include <QtCore/QString>
#include <QtWidgets/QCheckBox>

namespace softscope {

/// Makes a check box with a tool tip; its text is also its name for screen readers.
inline QCheckBox* checkBox(QWidget* parent, const QString& text, const QString& tip) {
  auto* box = new QCheckBox(text, parent);
  box->setAccessibleName(text);
  box->setToolTip(tip);
  return box;
}

}  // namespace softscope
