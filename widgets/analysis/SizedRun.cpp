#include "widgets/analysis/SizedRun.h"

#include "core/image/PreparedPicture.h"
#include "core/model/InputSize.h"

#include <utility>

namespace softscope {

NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture) {
  return [inspector = std::move(inspector), model = std::move(model), picture = std::move(picture)](
             int side, const Progress& progress) {
    const InputSize size{InputSize::Kind::Crop, side, side};
    const PreparedPicture prepared =
        preparePicture(*picture, withInputSize(model->summary().transform, size));
    return inspector(*model, prepared.input, progress);
  };
}

}  // namespace softscope
