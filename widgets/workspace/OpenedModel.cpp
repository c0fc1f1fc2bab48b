#include "widgets/workspace/OpenedModel.h"

#include <QtCore/QFileInfo>

namespace softscope {

const LayerInspection* OpenedModel::shownLayer() const {
  return inspection ? inspection->find(layer) : nullptr;
}

QString OpenedModel::name() const {
  return QFileInfo(QString::fromStdString(summary().path.empty() ? request.path : summary().path))
      .completeBaseName();
}

}  // namespace softscope
