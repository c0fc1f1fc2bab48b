#pragma once

#include <QtCore/QString>

#include <functional>

class QMenu;

namespace softscope {

/// Fills a menu with the pictures and models in these folders of the program when it is opened.
struct Samples {
  QString pictures;
  QString models;
  std::function<void(const QString& path)> openPicture;
  std::function<void(const QString& path)> openModel;
};
void offerSamples(QMenu& menu, const Samples& samples);

}  // namespace softscope
