#include "models/Registry.h"

#include "models/cvt/Cvt.h"
#include "models/deit/Deit.h"
#include "models/dinov2/Dinov2.h"
#include "models/efficientvit/EfficientVit.h"
#include "models/mila/Mila.h"
#include "models/preresnet/Preresnet.h"
#include "models/pyramid/Pyramid.h"
#include "models/rala/Rala.h"
#include "models/soft/Soft.h"
#include "models/t2t/T2t.h"
#include "models/vit/Vit.h"
#include "models/xcit/Sima.h"
#include "models/xcit/Xcit.h"

namespace softscope {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      softFamily(),         pyramidFamily(), simaFamily(), xcitFamily(), deitFamily(),
      dinov2Family(),       vitFamily(),     t2tFamily(),  cvtFamily(),  preresnetFamily(),
      efficientVitFamily(), milaFamily(),    ralaFamily(),
  };
  return all;
}

}  // namespace softscope
