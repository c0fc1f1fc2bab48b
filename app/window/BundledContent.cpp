#include "app/window/BundledContent.h"

#include "widgets/figure/FigureCommandText.h"

#include <algorithm>
#include <vector>

namespace softscope {

BundledContent::BundledContent(const std::string& picture, const std::string& model)
    : picture_(absolutePath(picture)), model_(absolutePath(model)) {}

bool BundledContent::opensMore(const WorkspaceState& state) const {
  const bool isOwnPicture =
      !state.pictureBytes.isEmpty() ||
      (!state.picturePath.isEmpty() && state.picturePath.toStdString() != picture_);
  return isOwnPicture || !state.analysis.of<SurveySettings>().file.empty() ||
         std::ranges::any_of(state.models, [this](const ModelState& model) {
           return model.request.path != model_;
         });
}

bool BundledContent::holdsWork(const WorkspaceState& state) const {
  return opensMore(state) || !state.queries.pins.empty() ||
         std::ranges::any_of(state.models, [](const ModelState& model) {
           return !model.givenName.isEmpty() || !model.marks.collected.empty();
         });
}

}  // namespace softscope
