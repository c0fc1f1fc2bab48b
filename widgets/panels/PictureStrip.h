#pragma once

#include "core/image/PictureReading.h"

#include <QtWidgets/QWidget>

class QComboBox;
class QLabel;
class QSpinBox;

namespace softscope {

struct Picture;

/// What of the picture's file is not shown as it is stored, and, where that can be chosen, the
/// range of values and the page. Hidden for an ordinary picture.
class PictureStrip : public QWidget {
  Q_OBJECT

 public:
  explicit PictureStrip(QWidget* parent = nullptr);

  /// nullptr where there is none.
  void setPicture(const Picture* picture);

 Q_SIGNALS:
  /// The picture is to be read in this way.
  void readingChosen(const softscope::PictureReading& reading);
  /// What was typed is no range.
  void rangeRefused(const QString& text);

 private:
  void chooseRange();
  void showRange();

  QLabel* note_;
  QWidget* choices_;
  QComboBox* range_;
  QSpinBox* page_;
  PictureReading shown_;
};

}  // namespace softscope
