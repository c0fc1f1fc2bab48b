#pragma once

#include "core/array/Npy.h"
#include "core/inspect/Inspection.h"
#include "core/model/InputTensor.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model of tests/data/golden, and what Softscope makes of its picture, to be compared with the
/// outputs of the authors' code that lie beside it. tests/data/golden/README.md says what
/// each file holds.
struct Golden {
  /// Opens `tests/data/golden/FOLDER/checkpoint.pth`, or what meta.json names instead, and runs it
  /// on `input.npy`; the request's path is filled in, and the device where SOFTSCOPE_TEST_DEVICE
  /// names one.
  explicit Golden(const std::string& folder, ModelRequest request = {});

  /// The path of a file of the folder.
  std::string path(const std::string& file) const { return folder_ + file; }
  /// The picture, as the network takes it.
  InputTensor input() const;

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Inspection> inspection;
  /// meta.json: `config`, and `layers` with each one's name, shape, rows stored and file.
  nlohmann::json meta;

 private:
  std::string folder_;
};

/// Largest difference, relative to the largest magnitude expected; infinite where the sizes differ
/// or a value is not finite.
double difference(const std::vector<float>& actual, const FloatArray& expected);

/// Expects the logits within 1e-4, of a second pass, too.
void expectLogits(const Golden& golden);
/// Expects the layers of meta.json, by name, order and size, and every stored row of them within
/// 1e-4. Layers whose meta names a grid must have it as their queries' grid.
void expectAttention(const Golden& golden);
/// Expects every stored `.A.npy` within 1e-4 and `.A_inv.npy` within 1e-3, and no bottleneck where
/// none is stored. Returns how many layers were compared.
int expectBottlenecks(const Golden& golden);
/// Expects every stored `.q_l1.npy` and `.k_l1.npy` within 1e-4. Returns how many layers were
/// compared.
int expectL1(const Golden& golden);

}  // namespace softscope
