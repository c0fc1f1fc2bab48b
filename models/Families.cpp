#include "models/identify/Families.h"

#include <algorithm>

namespace softscope {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      softFamily(),
      pyramidFamily(),
      simaFamily(),
      xcitFamily(),
      // Before DeiT, whose names they contain beside their own.
      inlineDeitFamily(),
      agentDeitFamily(),
      slabDeitFamily(),
      circulantDeitFamily(),
      mhlaDeitFamily(),
      // PolaFormer before FLatten, because it has all of FLatten's names and more.
      polaformerPvtFamily(),
      flattenPvtFamily(),
      // Before DeiT, DINOv2 and ViT, some of whose names they have as well.
      caitFamily(),
      convitFamily(),
      mobileVitFamily(),
      swinFamily(),
      clipFamily(),
      siglipFamily(),
      dinov3Family(),
      beitFamily(),
      evaFamily(),
      deitFamily(),
      dinov2Family(),
      vitFamily(),
      t2tFamily(),
      pvtFamily(),
      cvtFamily(),
      preresnetFamily(),
      efficientVitFamily(),
      milaFamily(),
      ralaFamily(),
      lraFamily(),
      vssdFamily(),
      swiftFormerFamily(),
      vimFamily(),
      vmambaFamily(),
      vrwkvFamily(),
      vigFamily(),
      // Last: it reads whatever no family above knows by its names.
      structureFamily(),
  };
  return all;
}

const Family& structureReader() {
  return *std::ranges::find_if(families(), &Family::readsStructure);
}

bool isOfAnyFamily(const StateDict& state) {
  return std::ranges::any_of(families(), [&](const Family& family) {
    return !family.readsStructure && family.recognises(state);
  });
}

bool hasPlainNames(const Family& family) {
  return family.name == "deit" || family.name == "vit" || family.name == "dinov2";
}

}  // namespace softscope
