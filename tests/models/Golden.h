#pragma once

#include "core/array/Npy.h"
#include "core/inspect/Inspection.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"
#include "tests/models/UnpackedArchive.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model of tests/data/golden, and Softscope's results on its picture, for comparison with the
/// outputs of the authors' code stored beside it. tests/data/golden/README.md says what each file
/// holds.
struct Golden {
  /// Opens `checkpoint.pth`, or the file that meta.json names instead, of goldenPath(`folder`), or
  /// of `folder` itself if it is absolute, and runs it on `input.npy`. Fills in the request's path,
  /// and its device if SOFTSCOPE_TEST_DEVICE names one.
  explicit Golden(const std::string& folder, ModelRequest request = {});

  /// Returns the path of a file of the folder.
  std::string path(const std::string& file) const { return folder_ + file; }
  /// Returns the picture as the network's input.
  InputTensor input() const;

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Inspection> inspection;
  /// The content of meta.json: `config`, and `layers` with each one's name, shape, stored rows and
  /// file.
  nlohmann::json meta;

 private:
  std::string folder_;
};

/// Returns the largest difference, relative to the largest expected magnitude; infinite if the
/// sizes differ or a value is not finite.
double difference(const std::vector<float>& actual, const FloatArray& expected);

/// Returns a picture of one value everywhere.
InputTensor evenInput(int height, int width);

/// Expects the logits within 1e-4, in a second pass as well.
void expectLogits(const Golden& golden);
/// Expects the features of meta.json's `output`, and no logits, or else the logits, within 1e-4.
void expectOutput(const Golden& golden);
/// Expects a network of this family whose file lists its layers as they ran, and in which nothing
/// but these settings (and how pictures are normalised) is a guess.
void expectSummary(const Golden& golden, const std::string& family,
                   const std::vector<std::string>& guesses);
/// Expects the layers of meta.json, by name, order and size, and each of their stored rows within
/// 1e-4. If meta.json names a layer's grid, it must be that of its queries, or else of its keys.
void expectAttention(const Golden& golden);
/// Expects the output, and the attention of the layers where meta.json lists any.
void expectParity(const Golden& golden);
/// Expects every stored `.A.npy` within 1e-4 and `.A_inv.npy` within 1e-3, and no bottleneck if
/// none is stored. Returns the number of layers compared.
int expectBottlenecks(const Golden& golden);
/// Expects every stored `.q_l1.npy` and `.k_l1.npy` within 1e-4. Returns the number of layers
/// compared.
int expectL1(const Golden& golden);

}  // namespace softscope
