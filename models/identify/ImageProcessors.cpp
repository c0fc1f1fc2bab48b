#include "models/identify/ImageProcessors.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace softscope {

namespace {

using Filter = InputTransform::Filter;

/// As in transformers 5.
constexpr ImageProcessor processors[] = {
    {.name = "Beit", .size = 224, .crop = 224},
    {.name = "Bit",
     .size = 224,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .norm = "clip"},
    {.name = "Blip", .size = 384, .norm = "clip"},
    {.name = "ChineseCLIP",
     .size = 224,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .norm = "clip"},
    {.name = "CLIP",
     .size = 224,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .norm = "clip"},
    {.name = "ConvNext", .size = 384, .keepsProportions = true},
    {.name = "DeiT", .size = 256, .crop = 224, .crops = true},
    {.name = "DINOv3ViT", .size = 224, .filter = Filter::Bilinear, .norm = "imagenet"},
    {.name = "DPT", .size = 384},
    {.name = "Flava", .size = 224, .crop = 224, .crops = true, .norm = "clip"},
    {.name = "Llava",
     .size = 224,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .norm = "clip"},
    {.name = "MobileNetV1",
     .size = 256,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .filter = Filter::Bilinear},
    {.name = "MobileNetV2",
     .size = 256,
     .keepsProportions = true,
     .crop = 224,
     .crops = true,
     .filter = Filter::Bilinear},
    {.name = "MobileViT", .size = 224, .keepsProportions = true, .crop = 256, .crops = true},
    {.name = "OwlViT", .size = 768, .crop = 768, .norm = "clip"},
    {.name = "Pvt", .size = 224, .norm = "imagenet"},
    {.name = "Segformer", .size = 512, .filter = Filter::Bilinear, .norm = "imagenet"},
    {.name = "Siglip", .size = 224},
    {.name = "Siglip2", .filter = Filter::Bilinear},
    {.name = "ViT", .size = 224, .filter = Filter::Bilinear},
};

constexpr std::pair<std::string_view, std::string_view> processorsOfTypes[] = {
    {"beit", "Beit"},
    {"bit", "Bit"},
    {"chinese_clip", "ChineseCLIP"},
    {"clip", "CLIP"},
    {"clip_vision_model", "CLIP"},
    {"cvt", "ConvNext"},
    {"data2vec-vision", "Beit"},
    {"deit", "DeiT"},
    {"depth_anything", "DPT"},
    {"dinov2", "Bit"},
    {"dinov2_with_registers", "Bit"},
    {"dinov3_vit", "DINOv3ViT"},
    {"dpt", "DPT"},
    {"flava", "Flava"},
    {"hiera", "Bit"},
    {"ijepa", "ViT"},
    {"llava", "Llava"},
    {"mobilevit", "MobileViT"},
    {"pixio", "Bit"},
    {"pvt", "Pvt"},
    {"pvt_v2", "Pvt"},
    {"siglip", "Siglip"},
    {"siglip2", "Siglip2"},
    {"swiftformer", "ViT"},
    {"swin", "ViT"},
    {"swinv2", "ViT"},
    {"vit", "ViT"},
    {"vit_mae", "ViT"},
    {"vit_msn", "ViT"},
};

}  // namespace

const ImageProcessor* findImageProcessor(const std::string& className) {
  std::string_view name = className;
  for (const std::string_view ending : {"ImageProcessor", "FeatureExtractor"}) {
    name = name.substr(0, name.find(ending));
  }
  const auto found = std::ranges::find(processors, name, &ImageProcessor::name);
  return found == std::end(processors) ? nullptr : &*found;
}

const ImageProcessor* imageProcessorOf(const std::string& modelType) {
  for (const auto& [type, processor] : processorsOfTypes) {
    if (type == modelType) return findImageProcessor(std::string(processor));
  }
  return nullptr;
}

}  // namespace softscope
