#pragma once

#include <QtCore/QObject>

namespace softscope {

/// Shows long tool tips of widgets in several lines; Qt shows plain text as one, however long. The
/// tool tips themselves stay plain, as screen readers say them. Install it on the application as an
/// event filter.
class LongToolTips : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace softscope
