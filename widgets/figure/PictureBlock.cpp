#include "widgets/figure/PictureBlock.h"

#include <utility>

namespace softscope {

FigureBlock pictureBlock(PictureBlock block, const std::shared_ptr<const Picture>& picture) {
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(picture), block.region)
              : nullptr;
  const bool isSeen = picture && block.region.height > 0;
  const double aspect = isSeen ? block.region.width / block.region.height
                               : static_cast<double>(block.grid.width) / block.grid.height;
  FigureBlock made;
  made.caption = std::move(block.caption);
  if (picture) {
    HeadPanel panel;
    panel.title = QStringLiteral("picture");
    panel.colorBar = false;
    made.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  for (HeadPanel& panel : block.panels) {
    made.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  return made;
}

std::optional<QueryMark> markOn(const TokenGrid& grid, const PictureExtent& extent,
                                const PictureQuery& query, const std::vector<MarkedQuery>& marked) {
  for (const MarkedQuery& mark : marked) {
    if (mark.query == query) return patchMark(grid, extent, mark);
  }
  return std::nullopt;
}

}  // namespace softscope
