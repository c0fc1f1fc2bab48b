#pragma once

#include <QtCore/QStringList>

class QJsonObject;

namespace softscope {

/// Returns the values of a workspace that are there and not understood, such as a source of
/// landmarks that a later Softscope has: `landmarks "medoid" of soft.pth`. The usual value takes
/// the place of each, which is another one than was saved.
QStringList notUnderstoodIn(const QJsonObject& workspace);

}  // namespace softscope
