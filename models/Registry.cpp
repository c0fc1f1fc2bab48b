#include "models/Registry.h"

#include "models/cvt/Cvt.h"
#include "models/deit/Deit.h"
#include "models/dinov2/Dinov2.h"
#include "models/efficientvit/EfficientVit.h"
#include "models/lineardeit/Agent.h"
#include "models/lineardeit/Inline.h"
#include "models/lineardeit/Slab.h"
#include "models/linearpvt/Flatten.h"
#include "models/linearpvt/Polaformer.h"
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
      // Before DeiT, whose names they contain beside their own.
      inlineDeitFamily(),
      agentDeitFamily(),
      slabDeitFamily(),
      // PolaFormer before FLatten, because it has all of FLatten's names and more.
      polaformerPvtFamily(),
      flattenPvtFamily(),
      softFamily(),
      pyramidFamily(),
      simaFamily(),
      xcitFamily(),
      deitFamily(),
      dinov2Family(),
      vitFamily(),
      t2tFamily(),
      cvtFamily(),
      preresnetFamily(),
      efficientVitFamily(),
      milaFamily(),
      ralaFamily(),
  };
  return all;
}

}  // namespace softscope
