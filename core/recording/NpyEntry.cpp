#include "core/recording/NpyEntry.h"

#include "core/Error.h"
#include "core/array/NpyFormat.h"

#include <cstdint>
#include <vector>

namespace softscope {

namespace {

const char* npyName(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return "<f2";
    case c10::ScalarType::Float:
      return "<f4";
    case c10::ScalarType::Double:
      return "<f8";
    case c10::ScalarType::Long:
      return "<i8";
    case c10::ScalarType::Byte:
      return "|u1";
    default:
      throw InspectionError(std::string("values of type ") + c10::toString(type) +
                            " cannot be written as .npy");
  }
}

}  // namespace

std::string encodeNpyEntry(const RecordingFile::Value& value, bool isList) {
  if (const auto* texts = std::get_if<RecordingFile::Texts>(&value)) {
    return encodeNpyTexts(*texts, isList);
  }
  const torch::Tensor tensor = std::get<torch::Tensor>(value).contiguous();
  const std::string header = npyHeader(npyName(tensor.scalar_type()), tensor.sizes().vec());
  return header + std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
}

}  // namespace softscope
