#include "widgets/pages/Page.h"

#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

Page::Page(Workspace& workspace, QWidget* parent) : QWidget(parent), workspace_(workspace) {}

bool Page::isReady() const {
  return workspace_.models().shownLayer();
}

}  // namespace softscope
