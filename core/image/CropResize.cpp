#include "core/image/CropResize.h"

#include <opencv2/imgproc.hpp>

namespace softscope {

Picture cropResized(const Picture& picture, const PixelRegion& region, int width, int height) {
  const cv::Mat whole(picture.height, picture.width, CV_8UC3,
                      const_cast<std::uint8_t*>(picture.rgb.data()));
  Picture result{width, height, {}, picture.path};
  result.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  cv::Mat resized(height, width, CV_8UC3, result.rgb.data());
  cv::resize(whole(cv::Rect(region.x, region.y, region.width, region.height)), resized,
             resized.size(), 0, 0, cv::INTER_LINEAR);
  return result;
}

}  // namespace softscope
