#pragma once

#include <QtCore/QString>
#include <QtWidgets/QCheckBox>

namespace softscope {

/// A check box that screen readers call what it says, with a tool tip.
inline QCheckBox* checkBox(QWidget* parent, const QString& text, const QString& tip) {
  auto* box = new QCheckBox(text, parent);
  box->setAccessibleName(text);
  box->setToolTip(tip);
  return box;
}

}  // namespace softscope
