#include "tests/models/pyramid/SmallPyramid.h"

#include "models/pyramid/PyramidConfiguration.h"

namespace softscope {

TrainableArchitecture smallPyramid(const std::string& mechanism) {
  TrainableArchitecture architecture = findTrainable("pyramid_" + mechanism + "_nano");
  PyramidConfiguration configuration{.sizes = {.channels = {8, 16, 16, 16},
                                               .heads = {1, 2, 2, 2},
                                               .depths = {1, 1, 1, 1},
                                               .hidden = {16, 32, 32, 32},
                                               .positions = {16, 4, 4, 5},
                                               .stem = 8},
                                     .implementation = findPyramidMechanism(mechanism),
                                     .features = {16, 16, 16}};
  if (!configuration.implementation->mechanism->hasLandmarks)
    configuration.sizes.ratios = {1, 1, 1};
  architecture.define = [configuration](int classes) {
    PyramidConfiguration sizes = configuration;
    sizes.sizes.classes = classes;
    return pyramidNetwork(sizes);
  };
  architecture.metadata = pyramidMetadata(configuration);
  return architecture;
}

}  // namespace softscope
