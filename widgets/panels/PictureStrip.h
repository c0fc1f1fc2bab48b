#pragma once

#include "core/image/PictureReading.h"

#include <QtWidgets/QWidget>

class QComboBox;
class QLabel;
class QSpinBox;

namespace softscope {

struct Picture;

/// Says what in the picture's file is not shown as it is stored, and offers the range of values and
/// the page if these can be chosen. Hidden for an ordinary picture.
class PictureStrip : public QWidget {
  Q_OBJECT

 public:
  explicit PictureStrip(QWidget* parent = nullptr);

  /// Sets the picture; null if none is open.
  void setPicture(const Picture* picture);

 Q_SIGNALS:
  /// The user wants the picture to be read in this way.
  void readingChosen(const softscope::PictureReading& reading);
  /// The text that the user typed is not a range.
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
