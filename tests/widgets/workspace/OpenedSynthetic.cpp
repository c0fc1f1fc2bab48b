#include "tests/widgets/workspace/OpenedSynthetic.h"

#include "tests/widgets/SyntheticModel.h"

namespace softscope::test {

OpenedModel openedSynthetic(int id, const std::string& path) {
  OpenedModel opened;
  opened.id = id;
  opened.request.path = path;
  opened.model = syntheticModel(opened.request);
  opened.layer = "block1.0.attn";
  return opened;
}

OpenedModel inspectedSynthetic(int id, const std::string& path) {
  OpenedModel opened = openedSynthetic(id, path);
  opened.setInspection(syntheticInspection());
  opened.region = {0, 0, 128, 64};
  return opened;
}

}  // namespace softscope::test
