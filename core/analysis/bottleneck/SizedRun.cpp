#include "core/analysis/bottleneck/SizedRun.h"

#include "core/Error.h"
#include "core/image/PreparedPicture.h"
#include "core/model/InputSize.h"

#include <utility>

namespace softscope {

NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture,
                           std::function<InputTensor()> sameInput) {
  return [inspector = std::move(inspector), model = std::move(model), picture = std::move(picture),
          sameInput = std::move(sameInput)](std::optional<int> side, const Progress& progress) {
    const InspectionOptions precisely{.precise = true};
    const std::string obstacle = model->summary().obstacleTo("sweep of sizes");
    if (side && !obstacle.empty()) throw InspectionError(obstacle);
    if (!side) return inspector(*model, sameInput(), progress, precisely);
    const InputSize size{InputSize::Kind::Crop, *side, *side};
    const PreparedPicture prepared =
        preparePicture(*picture, withInputSize(model->summary().transform, size));
    return inspector(*model, prepared.input, progress, precisely);
  };
}

}  // namespace softscope
