#include "core/Error.h"
#include "core/analysis/deletion/DeletionAnalysis.h"
#include "core/analysis/deletion/PatchOrder.h"
#include "core/attention/DenseMap.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// Twelve patches of 4 x 4 in rows of four, of which these three are the object.
constexpr TokenGrid objectGrid{3, 4};
constexpr int objectOf[] = {5, 6, 9};

/// The probability of class 0 is a tenth, and eight tenths more where all of the object is seen:
/// known from the patches that are visible in a picture of ones, and in tokens that are kept.
class ObjectNetwork : public Network {
 public:
  torch::Tensor forward(const torch::Tensor& pictures, Recorder*) override {
    double seen = 0;
    for (const int patch : objectOf) {
      const int row = patch / objectGrid.width * 4;
      const int column = patch % objectGrid.width * 4;
      seen += pictures[0].slice(1, row, row + 4).slice(2, column, column + 4).mean().item<double>();
    }
    return logitsOf(seen);
  }
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

 protected:
  static torch::Tensor logitsOf(double seen) {
    const double probability = 0.1 + 0.8 * seen / 3;
    return torch::tensor({std::log(probability), std::log(1 - probability)})
        .view({1, 2})
        .to(torch::kFloat32);
  }
};

/// The same, which computes with any of its tokens.
class ObjectTokensNetwork final : public ObjectNetwork, public TokenSubsetNetwork {
 public:
  torch::Tensor forwardTokens(const torch::Tensor&, const torch::Tensor& kept) override {
    double seen = 0;
    for (const int patch : objectOf) seen += at::sum(kept == patch).item<double>();
    return logitsOf(seen);
  }
};

class BackboneNetwork final : public Network {
 public:
  torch::Tensor forward(const torch::Tensor&, Recorder*) override { return {}; }
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }
};

Model modelOf(std::shared_ptr<Network> network) {
  return {ModelSummary{}, std::move(network)};
}

const InputTensor ones{12, 16, std::vector<float>(3 * 12 * 16, 1.0f)};

/// The object first, or last.
std::vector<int> objectOrder(bool first) {
  std::vector<int> order(12);
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [first](int patch) {
    return (std::find(std::begin(objectOf), std::end(objectOf), patch) != std::end(objectOf)) ==
           first;
  });
  return order;
}

DeletionRequest requestOf(PatchRemoval removal, std::vector<std::vector<int>> orders) {
  return {objectGrid, removal, 0, 12, std::move(orders)};
}

/// A triangle of 3 of 12 patches, scaled to what the probability varies by.
TEST(DeletionMeasurement, HasTheAreaOfAKnownProbability) {
  const Model pictures = modelOf(std::make_shared<ObjectNetwork>());
  const Model tokens = modelOf(std::make_shared<ObjectTokensNetwork>());
  for (const auto& [model, removal] :
       {std::pair(&pictures, PatchRemoval::MeanColor), std::pair(&tokens, PatchRemoval::Tokens)}) {
    const auto curves =
        measureDeletion(*model, ones, requestOf(removal, {objectOrder(true), objectOrder(false)}));
    EXPECT_NEAR(curves[0].deletion.area(), 0.1 + 0.8 * 0.125, 1e-6);
    EXPECT_NEAR(curves[0].insertion.area(), 0.1 + 0.8 * 0.875, 1e-6);
    EXPECT_NEAR(curves[1].deletion.area(), 0.1 + 0.8 * 0.875, 1e-6);
    EXPECT_NEAR(curves[1].insertion.area(), 0.1 + 0.8 * 0.125, 1e-6);
  }
}

TEST(DeletionMeasurement, FollowsTheClassThatIsAskedFor) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  DeletionRequest request = requestOf(PatchRemoval::MeanColor, {objectOrder(true)});
  request.classIndex = 1;
  EXPECT_NEAR(measureDeletion(model, ones, request)[0].deletion.area(), 1 - 0.2, 1e-6);
  request.classIndex = 2;
  try {
    measureDeletion(model, ones, request);
    ADD_FAILURE() << "followed a class that there is not";
  } catch (const InspectionError& error) {
    EXPECT_STREQ(error.what(), "this model has no class 2; its classes are 0 to 1");
  }
}

TEST(DeletionMeasurement, AnEvenPictureIsAsGoodBlurred) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const auto curves =
      measureDeletion(model, ones, requestOf(PatchRemoval::Blur, {objectOrder(true)}));
  EXPECT_NEAR(curves[0].deletion.area(), 0.9, 1e-6);
}

TEST(DeletionMeasurement, SaysWhatANetworkCannotDo) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  try {
    measureDeletion(model, ones, requestOf(PatchRemoval::Tokens, {objectOrder(true)}));
    ADD_FAILURE() << "left tokens out of a network that needs them";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("every patch in its place"));
  }
  EXPECT_THROW(measureDeletion(modelOf(std::make_shared<BackboneNetwork>()), ones,
                               requestOf(PatchRemoval::MeanColor, {objectOrder(true)})),
               InspectionError);
}

/// One layer whose keys' norms say where the object is, as an inspection has it.
std::vector<AnalysedLayer> knowingLayer() {
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = description.keyGrid = objectGrid;
  auto inspection = std::make_shared<Inspection>();
  LayerInspection layer;
  layer.name = "layer";
  layer.attention =
      std::make_shared<DenseMap>(description, MatrixStack({Matrix::Constant(12, 12, 1.0f / 12)}));
  layer.queryL1 = Matrix::Ones(1, 12);
  layer.keyL1 = Matrix::Ones(1, 12);
  for (const int patch : objectOf) layer.keyL1(0, patch) = 2;
  inspection->layers = {layer};
  inspection->logits = {2, 0};
  inspection->inputHeight = 12;
  inspection->inputWidth = 16;
  return {{"net", "", inspection, 0, {}}};
}

PictureDeletion computed(const Model& model, const DeletionSettings& settings) {
  return computeDeletion(knowingLayer(), model, std::make_shared<const InputTensor>(ones), settings,
                         {measureDeletion});
}

TEST(PictureDeletion, ComparesMapsWithChance) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const PictureDeletion deletion = computed(model, {.steps = 12, .patch = 4, .random = 3});
  ASSERT_EQ(deletion.obstacle, "");
  EXPECT_EQ(deletion.grid, objectGrid);
  EXPECT_EQ(deletion.classIndex, 0);
  EXPECT_TRUE(deletion.isPredicted);
  EXPECT_NEAR(deletion.probability, 0.9, 1e-6);
  ASSERT_EQ(deletion.orders.size(), 4u + 3);
  EXPECT_EQ(deletion.maps(), 4u);
  EXPECT_EQ(deletion.orders[1].of, PatchOrderSource::KeySaliency);
  EXPECT_NEAR(deletion.orders[1].curves.deletion.area(), 0.2, 1e-6);
  EXPECT_NEAR(deletion.orders[1].curves.insertion.area(), 0.8, 1e-6);
  ASSERT_EQ(deletion.missing.size(), 1u);
  EXPECT_EQ(deletion.missing[0].of, PatchOrderSource::ClassAttention);
  // A map that says nothing is an order at random that is none of those it is compared with.
  const std::string identity = pictureIdentity(ones, deletion.transform);
  EXPECT_EQ(deletion.orders[0].order, randomPatchOrder(12, orderSeed(identity, tieOrderNumber)));
  for (int number = 1; number <= 3; ++number) {
    const OrderedDeletion& random = deletion.orders[3 + static_cast<std::size_t>(number)];
    EXPECT_EQ(random.order, randomPatchOrder(12, orderSeed(identity, number)));
    EXPECT_NE(random.order, deletion.orders[0].order);
  }
  // The keys know the object, which no order at random has first by chance.
  EXPECT_EQ(deletion.deletionRank(deletion.orders[1]).better, 3);
  EXPECT_EQ(deletion.insertionRank(deletion.orders[1]).better, 3);
  EXPECT_EQ(deletion.insertionRank(deletion.orders[1]).orders, 3);
  double area = 0;
  for (std::size_t i = 4; i < 7; ++i) area += deletion.orders[i].curves.deletion.area() / 3;
  EXPECT_NEAR(deletion.randomDeletion().area, area, 1e-12);
}

InputTensor picturesNumbered(int number) {
  InputTensor picture = ones;
  picture.values[static_cast<std::size_t>(number)] = 0.5f;
  return picture;
}

std::vector<std::vector<int>> randomOrdersOf(const InputTensor& picture,
                                             const DeletionSettings& settings) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const PictureDeletion deletion =
      computeDeletion(knowingLayer(), model, std::make_shared<const InputTensor>(picture), settings,
                      {measureDeletion});
  std::vector<std::vector<int>> orders;
  for (std::size_t i = deletion.maps(); i < deletion.orders.size(); ++i) {
    orders.push_back(deletion.orders[i].order);
  }
  return orders;
}

/// Class maps and curves are parts of one measurement, whose end is judged by its fraction.
TEST(PictureDeletion, ItsProgressNeverFalls) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const ClassMapMeasurer classMaps = [](const Model&, const InputTensor&,
                                        const ClassMapRequest& request, const Progress& progress) {
    ClassMaps maps;
    for (int point = 0; point < request.points; ++point) {
      progress.report(static_cast<double>(point) / request.points, "Point");
    }
    for (const ClassMethod method : request.methods) {
      maps.maps.push_back({.method = method, .grid = objectGrid, .patches = Vector::Ones(12)});
    }
    return maps;
  };
  std::vector<double> fractions;
  const Progress progress(
      [&fractions](double fraction, const std::string&) { fractions.push_back(fraction); });
  const PictureDeletion deletion = computeDeletion(
      knowingLayer(), model, std::make_shared<const InputTensor>(ones),
      {.steps = 12, .patch = 4, .random = 3}, {measureDeletion, {}, classMaps}, progress);
  ASSERT_EQ(deletion.obstacle, "");
  ASSERT_GT(fractions.size(), 32u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_GT(fractions[20], 0) << "class maps count";
  EXPECT_GT(fractions.back(), 0.9);
  EXPECT_LE(fractions.back(), 1);
}

/// Orders that all pictures share do not average out over them.
TEST(PictureDeletion, EveryPictureHasOrdersOfItsOwn) {
  const DeletionSettings settings{.steps = 3, .patch = 4, .random = 2};
  std::set<std::vector<int>> seen;
  for (int picture = 0; picture < 20; ++picture) {
    for (auto& order : randomOrdersOf(picturesNumbered(picture), settings)) seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 20u * 2);
}

TEST(PictureDeletion, OrdersHangOnNothingElse) {
  const auto orders = randomOrdersOf(picturesNumbered(3), {.steps = 3, .patch = 4, .random = 2});
  EXPECT_EQ(randomOrdersOf(picturesNumbered(3), {.steps = 3, .patch = 4, .random = 2}), orders);
  const auto more = randomOrdersOf(
      picturesNumbered(3),
      {.removal = PatchRemoval::Blur, .steps = 5, .patch = 4, .saliency = false, .random = 4});
  ASSERT_EQ(more.size(), 4u);
  EXPECT_EQ(std::vector(more.begin(), more.begin() + 2), orders);
}

TEST(PictureDeletion, HasTwentyOrdersIfNothingIsSaid) {
  EXPECT_EQ(randomOrdersOf(ones, {.steps = 2, .patch = 4}).size(), 20u);
}

TEST(PictureDeletion, IsATable) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const PictureDeletion deletion = computed(model, {.steps = 12, .patch = 4, .random = 2});
  const Table table = deletionTable({deletion});
  EXPECT_THAT(csvText(table),
              ::testing::StartsWith("model,ordering,curve,fraction,probability,area,deviation,"
                                    "area_deviation,layer,class,better_than,as_good_as,"
                                    "random_orders\nnet,query_saliency,deletion,0,"));
  ASSERT_EQ(table.rows.size(), (4u + 1) * 2 * 13);
  const std::vector<Table::Cell>& last = table.rows.back();
  EXPECT_EQ(std::get<std::string>(last[1]), "random");
  EXPECT_EQ(std::get<std::string>(last[2]), "insertion");
  EXPECT_EQ(std::get<double>(last[3]), 1);
  EXPECT_EQ(std::get<double>(last[5]), deletion.randomInsertion().area);
  EXPECT_EQ(std::get<double>(last[7]), deletion.randomInsertion().areaDeviation);
  EXPECT_EQ(std::get<std::int64_t>(last[9]), 0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(last[10]));
  EXPECT_EQ(std::get<std::int64_t>(last[12]), 2);
  const std::vector<Table::Cell>& keys = table.rows[2 * 13];
  EXPECT_EQ(std::get<std::string>(keys[1]), "key_saliency");
  EXPECT_EQ(std::get<std::int64_t>(keys[10]), 2) << "better than both";
  EXPECT_EQ(std::get<std::int64_t>(keys[11]), 0);
  const PictureDeletion alone = computed(model, {.steps = 12, .patch = 4, .random = 0});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(deletionTable({alone}).rows[0][10]));
}

TEST(PictureDeletion, SaysWhyThereIsNothing) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const DeletionSettings none{
      .saliency = false, .classAttention = false, .rollout = false, .received = false, .random = 0};
  EXPECT_THAT(computed(model, none).obstacle, HasSubstr("choose one at least"));
  EXPECT_THAT(computed(model, {.removal = PatchRemoval::Tokens}).obstacle,
              HasSubstr("choose another removal"));
  EXPECT_THAT(computed(model, {.classIndex = 7}).obstacle, HasSubstr("no class 7"));
  ModelSummary recording;
  recording.recorded = std::make_shared<const RecordedPicture>();
  EXPECT_THAT(computed({recording, std::make_shared<ObjectNetwork>()}, {}).obstacle,
              HasSubstr("a recording holds no weights"));
  std::vector<AnalysedLayer> backbone = knowingLayer();
  auto without = std::make_shared<Inspection>(*backbone[0].inspection);
  without->logits.clear();
  backbone[0].inspection = without;
  EXPECT_THAT(computeDeletion(backbone, model, std::make_shared<const InputTensor>(ones), {},
                              {measureDeletion})
                  .obstacle,
              HasSubstr("a backbone without a head"));
  Progress progress;
  progress.cancel();
  EXPECT_THROW(computeDeletion(knowingLayer(), model, std::make_shared<const InputTensor>(ones), {},
                               {measureDeletion}, progress),
               Cancelled);
}

TEST(PictureDeletion, KeepsNoOrdersThatWereNotMeasured) {
  const Model model = modelOf(std::make_shared<ObjectNetwork>());
  const auto measuredBy = [&](const DeletionMeasurer& measurer) {
    return computeDeletion(knowingLayer(), model, std::make_shared<const InputTensor>(ones), {},
                           {measurer});
  };
  const PictureDeletion failed = measuredBy([](const auto&...) -> std::vector<DeletionCurves> {
    throw InspectionError("the network fails");
  });
  EXPECT_EQ(failed.obstacle, "the network fails");
  EXPECT_TRUE(failed.orders.empty());
  EXPECT_THROW(measuredBy([](const auto&...) -> std::vector<DeletionCurves> {
                 throw MemoryError("not enough memory");
               }),
               MemoryError)
      << "a survey stops, in place of storing that there is no such value";
}

}  // namespace
}  // namespace softscope
