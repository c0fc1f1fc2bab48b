#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/model/SettingOption.h"
#include "core/network/Inspector.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"
#include "models/ConvertCheckpoint.h"
#include "models/OpenModel.h"
#include "models/structure/TransformerStructure.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::HandWrittenCases;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::set<std::string> guessedOptions(const ModelSummary& summary) {
  std::set<std::string> options;
  for (const NetworkSetting& setting : summary.undetermined()) options.insert(setting.option);
  return options;
}

std::string caseName(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

class HandWrittenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(HandWrittenTest, GivesTheNumbersOfItsOwnCode) {
  const Golden golden(HandWrittenCases::folder(GetParam()),
                      HandWrittenCases::request(GetParam(), "options"));
  expectOutput(golden);
  expectAttention(golden);
}

TEST_P(HandWrittenTest, AnnouncesEveryGuessThatIsWrong) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request(GetParam(), ""));
  const auto needed = HandWrittenCases::meta(GetParam()).at("options_needed").get<std::string>();
  const std::set<std::string> guessed = guessedOptions(summary);
  // qscale is asked only of the mechanism that has it, so --attention stands for it.
  std::vector<std::string> wrong = test::optionNames(needed);
  std::erase(wrong, "qscale");
  if (needed.find("--positions") != std::string::npos) {
    // Asked only of positions that are computed, so --positions stands for them.
    std::erase(wrong, "sines");
    std::erase(wrong, "prefix-positions");
  }
  // Asked only of patches that overlap, and only of pooled tokens: their options stand for them.
  if (needed.find("--stride") != std::string::npos) std::erase(wrong, "padding");
  if (needed.find("--pooling") != std::string::npos) std::erase(wrong, "final-norm");
  EXPECT_THAT(guessed, IsSupersetOf(wrong));
  EXPECT_LT(summary.confidence(), 1);
}

TEST_P(HandWrittenTest, AnnouncesNothingThatIsToldOrChosen) {
  const nlohmann::json meta = HandWrittenCases::meta(GetParam());
  const ModelSummary chosen = identifyModel(HandWrittenCases::request(GetParam(), "options"));
  for (const std::string& option : test::optionNames(meta.at("options").get<std::string>())) {
    EXPECT_EQ(guessedOptions(chosen).count(option), 0u) << option;
  }
  const ModelSummary bare = identifyModel(HandWrittenCases::request(GetParam(), ""));
  const std::map<std::string, std::string> told{{"heads", "heads"}, {"positions", "positions"}};
  for (const nlohmann::json& what : meta.value("told_by_file", nlohmann::json::array())) {
    const auto option = told.find(what.get<std::string>());
    if (option == told.end()) continue;
    EXPECT_EQ(guessedOptions(bare).count(option->second), 0u) << what;
  }
}

TEST_P(HandWrittenTest, AnnouncesNothingThatIsGiven) {
  ModelRequest request = HandWrittenCases::request(GetParam(), "");
  // What is chosen may open further questions, as positions that are computed do.
  for (int round = 0; round < 3; ++round) {
    for (const NetworkSetting& setting : identifyModel(request).undetermined()) {
      setOption(request, setting.option, setting.value);
      if (setting.option == "size") request.size = setting.value;
    }
  }
  std::set<std::string> left = guessedOptions(identifyModel(request));
  // The whole network around non-local blocks has no option.
  left.erase("network");
  EXPECT_THAT(left, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Cases, HandWrittenTest, ::testing::ValuesIn(HandWrittenCases::opened()),
                         caseName);

class RefusedHandWrittenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedHandWrittenTest, IsRefusedByNameInOneLine) {
  const auto named = HandWrittenCases::meta(GetParam()).at("named").get<std::string>();
  try {
    openModel(HandWrittenCases::request(GetParam(), ""));
    FAIL() << "opened";
  } catch (const ModelError& error) {
    const std::string said = error.what();
    EXPECT_THAT(said, HasSubstr(named));
    EXPECT_THAT(said, HasSubstr("docs/python.md"));
    EXPECT_THAT(said, Not(HasSubstr("\n")));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RefusedHandWrittenTest,
                         ::testing::ValuesIn(HandWrittenCases::refused()), caseName);

/// Replaces the words of a name, but for those that a file's own format has, by others. The letters
/// q, k and v stay, as no shape tells what they do.
std::string renamed(const std::string& name) {
  const std::set<std::string> kept{"weight", "bias"};
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && std::isalpha(static_cast<unsigned char>(name[end]))) ++end;
    if (end == at) {
      result += name[at++];
      continue;
    }
    const std::string word = name.substr(at, end - at);
    const bool isProjection = word.find_first_of("qkvQKV") != std::string::npos;
    if (kept.count(word) > 0 || isProjection) {
      result += word;
    } else {
      result += "zu" + std::to_string(std::hash<std::string>()(word) % 900 + 100) + "a";
      std::replace_if(
          result.end() - 4, result.end(), [](char c) { return std::isdigit(c) != 0; }, 'x');
      for (const char letter : word) result += static_cast<char>('a' + (letter * 7) % 10);
    }
    at = end;
  }
  return result;
}

/// Networks whose names decide nothing but what q, k and v are.
class RenamedHandWrittenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RenamedHandWrittenTest, GivesTheSameUnderOtherNames) {
  const ModelRequest request = HandWrittenCases::request(GetParam(), "options");
  const Golden golden(HandWrittenCases::folder(GetParam()), request);
  StateDict other;
  const StateDict own = readCheckpoint(request.path).state;
  for (const StateDict::Entry& entry : own.entries()) {
    other.insert(renamed(entry.name), entry.tensor);
  }
  ASSERT_EQ(other.size(), own.size());
  const TemporaryFolder folder;
  ModelRequest again = request;
  again.path = folder.file("other.safetensors");
  writeSafetensors(again.path, other, {});
  const auto model = openModel(again);
  EXPECT_EQ(model->summary().family, "structure");
  const auto inspection = inspect(*model, golden.input());
  EXPECT_LT(difference(inspection->logits, readNpy(golden.path("logits.npy"))), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RenamedHandWrittenTest,
    ::testing::Values("heads_modulelist", "linear_elu", "mha_pre_conv_cls", "mha_rectangle_flatten",
                      "mha_post_mean_linear", "mha_shared_norm", "packed_keys", "packed_fn_fn",
                      "packed_c_attn_conv1d", "sep_W_q", "sep_to_out0", "sep_to_q_noout",
                      "sep_query_key_value", "sep_shared_by_heads", "linear_performer",
                      "linear_nystrom", "torch_encoder_pre_gelu", "scale_invented_after",
                      "registers_with_positions", "registers_invented", "buffer_long"),
    caseName);

TEST(HandWritten, ItsOwnDictionaryTellsSettingsAndClasses) {
  const ModelSummary summary = identifyModel(HandWrittenCases::request("heads_modulelist", ""));
  EXPECT_EQ(summary.classNames, (std::vector<std::string>{"a", "b", "c"}));
  ModelRequest request = HandWrittenCases::request("mha_post_mean_linear", "");
  Checkpoint checkpoint = readCheckpoint(request.path);
  checkpoint.metadata = {{"config.num_heads", "8"},
                         {"args.activation", "relu"},
                         {"config.norm_first", "false"},
                         {"hparams.layer_norm_eps", "1e-06"}};
  const ModelSummary told = identifyModel(checkpoint, request);
  EXPECT_EQ(told.heads, std::vector<int>{8});
  EXPECT_EQ(told.setting("activation")->value, "relu");
  EXPECT_EQ(told.setting("norm")->value, "post");
  EXPECT_EQ(told.setting("epsilon")->value, "1e-06");
  const std::set<std::string> untold{"final-norm", "mean",   "pixels",     "pooling",
                                     "std",        "stride", "token-scale"};
  EXPECT_EQ(guessedOptions(told), untold);
  checkpoint.metadata.insert({{"config.pool", "mean"},
                              {"final-norm", "tokens"},
                              {"pixels", "c_p1_p2"},
                              {"image_size", std::to_string(told.transform.height)},
                              {"config.scale_embedding", "false"}});
  const std::set<std::string> ofPictures{"mean", "std"};
  EXPECT_EQ(guessedOptions(identifyModel(checkpoint, request)), ofPictures);
}

TEST(HandWritten, ConvertedItKeepsWhatWasChosen) {
  const TemporaryFolder folder;
  const ModelRequest request = HandWrittenCases::request("packed_keys", "");
  ConversionOptions options;
  options.metadata = {{"heads", "4"},       {"norm", "post"},   {"activation", "relu"},
                      {"epsilon", "1e-05"}, {"pooling", "cls"}, {"qkv", "3hd"},
                      {"scale", "head"}};
  convertCheckpoint(request.path, folder.file("kept.safetensors"), options);
  ModelRequest again;
  again.path = folder.file("kept.safetensors");
  const ModelSummary summary = identifyModel(again);
  EXPECT_EQ(summary.setting("norm")->value, "post");
  EXPECT_EQ(summary.setting("norm")->source, "from the file's metadata");
  EXPECT_EQ(guessedOptions(summary).count("norm"), 0u);
  EXPECT_EQ(guessedOptions(summary).count("activation"), 0u);
}

TEST(HandWritten, RegistersBehindThePatchesAreNoPatches) {
  const std::string name = "vp_simple_vit_registers";
  const Golden golden(HandWrittenCases::folder(name), HandWrittenCases::request(name, "options"));
  const AttentionMap& map = *golden.inspection->layers.front().attention;
  EXPECT_EQ(map.description().suffixTokens, 3);
  EXPECT_EQ(map.description().queryGrid, (TokenGrid{4, 4}));
  // The first token is a patch, and the registers come last among the others.
  const AttentionValues values = attentionValues(map, 0, 0, Direction::Rows);
  EXPECT_EQ(values.patches.size(), 16);
  EXPECT_EQ(values.prefix.size(), 3);
  EXPECT_FLOAT_EQ(values.prefix[0], map.row(0, 0)[16]);
  EXPECT_EQ(singleTokenName(map.description(), Direction::Rows, 0), "patch (0, 0)");
  EXPECT_EQ(singleTokenName(map.description(), Direction::Rows, 17), "register 2");
}

TEST(HandWritten, HostileNamesAndSizesAreRefusedWithoutBeingBuilt) {
  StateDict many;
  constexpr int blocks = 66'000;
  for (int i = 0; i < blocks; ++i) {
    many.insert("blocks." + std::to_string(i) + ".999999999999.weight", torch::empty({1, 1}));
  }
  EXPECT_FALSE(isReadableByStructure(many));
  EXPECT_FALSE(hasTransformerBlocks(many));
  Checkpoint huge;
  huge.path = "huge.pth";
  for (const char* block : {"a.99999999999999999999.", "a.4294967296.", "a.1.", "a.2."}) {
    for (const char* name : {"q.weight", "k.weight", "v.weight", "o.weight"}) {
      huge.state.insert(std::string(block) + name, torch::empty({1, 1}).expand({1 << 20, 1 << 20}));
    }
  }
  EXPECT_THROW(identifyModel(huge), ModelError);
}

// Trainers store the numbers of an attack, an optimiser, an augmentation and the training itself
// under the names that networks use.
TEST(HandWritten, NumbersOfATrainingAreNotTheNetworks) {
  const ModelRequest request = HandWrittenCases::request("mha_post_mean_linear", "");
  Checkpoint checkpoint = readCheckpoint(request.path);
  checkpoint.metadata.clear();
  const ModelSummary untold = identifyModel(checkpoint, request);
  checkpoint.metadata = {{"args.epsilon", "0.0314"}, {"hparams.eps", "1e-08"}, {"epsilon", "0.1"},
                         {"args.padding", "4"},      {"args.stride", "2"},     {"size", "64"},
                         {"config.iterations", "9"}};
  const ModelSummary trained = identifyModel(checkpoint, request);
  ASSERT_EQ(trained.settings.size(), untold.settings.size());
  for (std::size_t i = 0; i < untold.settings.size(); ++i) {
    EXPECT_EQ(trained.settings[i].value, untold.settings[i].value) << untold.settings[i].option;
    EXPECT_EQ(trained.settings[i].source, untold.settings[i].source) << untold.settings[i].option;
  }
  EXPECT_EQ(trained.transform.height, untold.transform.height);
}

/// The checkpoint of a case, with pieces of its names replaced by others.
Checkpoint withPieces(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& pieces) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request(name, "").path);
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    std::string key = entry.name;
    for (const auto& [piece, other] : pieces) {
      if (key.starts_with(piece)) key.replace(0, piece.size(), other);
    }
    state.insert(key, entry.tensor);
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

/// What a checkpoint is refused with; empty if it opens.
std::string refusalOf(const Checkpoint& checkpoint) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint); });
}

/// How far the logits of a checkpoint with the options of a case are from those of the case.
double differenceFrom(const std::string& name, const Checkpoint& checkpoint) {
  const TemporaryFolder folder;
  ModelRequest request = HandWrittenCases::request(name, "options");
  const Golden golden(HandWrittenCases::folder(name), request);
  request.path = folder.file("other.safetensors");
  writeSafetensors(request.path, checkpoint.state, {});
  const auto inspection = inspect(*openModel(request), golden.input());
  return difference(inspection->logits, readNpy(golden.path("logits.npy")));
}

/// A network that is written down tensor by tensor.
class WrittenNetwork {
 public:
  WrittenNetwork() {
    checkpoint_.path = "written.pth";
    add("embed.cls", {1, 1, 24});
    add("embed.pos", {1, 17, 24});
    add("embed.proj.weight", {24, 1, 7, 7});
    add("embed.proj.bias", {24});
  }

  WrittenNetwork& attention(const std::string& path) {
    for (const char* name : {".q", ".k", ".v", ".out"}) linear(path + name, 24, 24);
    return *this;
  }
  WrittenNetwork& mlp(const std::string& path) {
    return linear(path + ".up", 36, 24).linear(path + ".down", 24, 36);
  }
  WrittenNetwork& norm(const std::string& path) {
    add(path + ".weight", {24});
    add(path + ".bias", {24});
    return *this;
  }
  WrittenNetwork& linear(const std::string& path, std::int64_t outputs, std::int64_t inputs) {
    add(path + ".weight", {outputs, inputs});
    add(path + ".bias", {outputs});
    return *this;
  }
  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  void add(const std::string& name, at::IntArrayRef shape) {
    checkpoint_.state.insert(name, torch::zeros(shape));
  }

  Checkpoint checkpoint_;
};

TEST(HandWritten, MlpsBesideTheBlocksAreNoHead) {
  WrittenNetwork lists;
  lists.attention("attns.0").attention("attns.1").mlp("mlps.0").mlp("mlps.1");
  WrittenNetwork shared = lists;
  EXPECT_THAT(refusalOf(lists.linear("head", 10, 24).checkpoint()), HasSubstr("two stacks"));
  EXPECT_THAT(refusalOf(shared.norm("norm").linear("head", 10, 24).checkpoint()),
              HasSubstr("two stacks"));
  WrittenNetwork flat;
  for (const char* number : {"0", "2"}) {
    const std::string path = std::string("layers.") + number;
    flat.norm(path + ".norm").attention(path + ".fn");
  }
  flat.mlp("layers.1").mlp("layers.3").linear("head", 10, 24);
  EXPECT_THAT(refusalOf(flat.checkpoint()),
              HasSubstr("two kinds of blocks in one list, which take turns"));
  WrittenNetwork single;
  single.norm("layers.0.norm").attention("layers.0.fn").norm("layers.1.norm").mlp("layers.1.fn");
  EXPECT_THAT(refusalOf(single.linear("head", 10, 24).checkpoint()),
              HasSubstr("two kinds of blocks in one list"));
  WrittenNetwork apart;
  apart.attention("attns.0").mlp("mlps.0").linear("head", 10, 24);
  EXPECT_THAT(refusalOf(apart.checkpoint()), HasSubstr("'mlps.0' may be the one of every block"));
}

TEST(HandWritten, AHeadOfSeveralProductsStaysAHead) {
  WrittenNetwork network;
  network.attention("attns.0").attention("attns.1");
  network.linear("head.0", 36, 24).linear("head.2", 24, 36).linear("head.4", 10, 24);
  const ModelSummary summary = identifyModel(network.checkpoint());
  EXPECT_EQ(summary.classes, 10);
  EXPECT_EQ(guessedOptions(summary).count("head-activation"), 1u);
}

TEST(HandWritten, VectorsThatAreNoTokensAreRefused) {
  const auto with = [](Checkpoint checkpoint, const std::string& name, at::IntArrayRef shape) {
    checkpoint.state.insert(name, torch::zeros(shape));
    return refusalOf(checkpoint);
  };
  const Checkpoint pooled = withPieces("norm_of_pooled", {{"out.", "head.fc."}});
  for (const char* name : {"end_norm.g", "head.pool_query", "head.extra", "queue", "class_centers",
                           "prototypes.vectors", "tail.gamma", "row_embed"}) {
    EXPECT_THAT(with(pooled, name, {1, 24}), HasSubstr(name));
  }
  const Checkpoint named = withPieces("norm_of_pooled", {{"table", "pos_embed"}});
  EXPECT_THAT(with(named, "extra", {10, 24}), HasSubstr("not that of tokens"));
  for (const char* name : {"extra_tokens", "dist", "g_token"}) {
    EXPECT_EQ(with(named, name, {10, 24}), "") << name;
  }
}

TEST(HandWritten, AVectorAloneInAFinalNormIsItsWeight) {
  for (const char* name : {"ln_f.gamma", "ln_f.g", "final_norm.scale"}) {
    EXPECT_LT(differenceFrom("norms_rms", withPieces("norms_rms", {{"end.weight", name}})), 1e-4)
        << name;
  }
}

TEST(HandWritten, ANormInTheHeadsModuleIsAskedWhereItActs) {
  const std::vector<std::pair<std::string, std::string>> named{{"end.", "head.norm."},
                                                               {"out.", "head.fc."}};
  const Checkpoint head = withPieces("norm_of_pooled", named);
  const ModelSummary summary = identifyModel(head);
  EXPECT_EQ(guessedOptions(summary).count("final-norm"), 1u);
  EXPECT_EQ(summary.setting("final-norm")->value, "pooled");
  EXPECT_LT(differenceFrom("norm_of_pooled", head), 1e-4);
  EXPECT_LT(differenceFrom("largest_values", withPieces("largest_values", named)), 1e-4);
  const Checkpoint numbered =
      withPieces("norm_of_pooled", {{"end.", "head.0."}, {"out.", "head.1."}});
  EXPECT_EQ(identifyModel(numbered).setting("final-norm"), nullptr);
}

TEST(HandWritten, CopiesOfBlocksAreLeftOut) {
  Checkpoint twice = readCheckpoint(HandWrittenCases::request("scale_gamma", "").path);
  const StateDict own = twice.state;
  for (const StateDict::Entry& entry : own.entries()) {
    if (!entry.name.starts_with("units.")) continue;
    twice.state.insert("updater.instance." + entry.name, entry.tensor.clone());
  }
  twice.state.insert("updater.calls_since_last_redraw", torch::tensor(7));
  const ModelSummary summary = identifyModel(twice);
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_THAT(summary.reason, HasSubstr("below 'updater.instance.units'"));
  EXPECT_LT(differenceFrom("scale_gamma", twice), 1e-4);
  const std::string one = "updater.instance.units.1.up.weight";
  twice.state.insert(one, *twice.state.find(one) + 1);
  EXPECT_THAT(refusalOf(twice), HasSubstr("two stacks of blocks"));
}

TEST(HandWritten, TheLayerThatPytorchCopiedIsLeftOut) {
  const std::string name = "torch_encoder_post_relu";
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request(name, "").path);
  const StateDict own = checkpoint.state;
  const std::string first = "transformer.layers.0.";
  for (const StateDict::Entry& entry : own.entries()) {
    if (!entry.name.starts_with(first)) continue;
    checkpoint.state.insert("encoder_layer." + entry.name.substr(first.size()),
                            torch::zeros_like(entry.tensor));
  }
  EXPECT_THAT(identifyModel(checkpoint).reason, HasSubstr("below 'encoder_layer'"));
  EXPECT_LT(differenceFrom(name, checkpoint), 1e-4);
  Checkpoint further = checkpoint;
  further.state = own;
  for (const StateDict::Entry& entry : own.entries()) {
    if (!entry.name.starts_with(first)) continue;
    further.state.insert("last." + entry.name.substr(first.size()), entry.tensor);
  }
  EXPECT_THAT(refusalOf(further), HasSubstr("'last."));
}

TEST(HandWritten, LossesBesideTheNetworkAreLeftOut) {
  for (const char* loss : {"criterion.weight", "loss_fn.weight", "center_loss.centers"}) {
    Checkpoint lightning = withPieces("scale_gamma", {{"", "model."}});
    lightning.state.insert(loss, torch::ones({10, 24}));
    const ModelSummary summary = identifyModel(lightning);
    EXPECT_THAT(summary.beside, ElementsAre(loss));
    EXPECT_THAT(summary.foreign, IsEmpty());
    EXPECT_EQ(summary.layers.front().name, "units.0.look");
  }
}

TEST(HandWritten, ATableOfRowsAndColumnsIsOfThePatches) {
  const std::string name = "class_last_without_position";
  Checkpoint checkpoint = withPieces(name, {{"table", "pos"}});
  checkpoint.state.insert("pos", checkpoint.state.find("pos")->reshape({1, 4, 4, 24}));
  EXPECT_LT(differenceFrom(name, checkpoint), 1e-4);
}

TEST(HandWritten, AnOwnNetworkOfTimmsBlocksIsToldHowToOpen) {
  const TemporaryFolder folder;
  Checkpoint checkpoint =
      withPieces("timm_blocks_transformer", {{"transformer.", "blocks."},
                                             {"patchify.", "patch_embed.proj."},
                                             {"pos_embedding", "pos_embed"},
                                             {"layer_norm.", "end_of_blocks."}});
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    if (!entry.name.starts_with("end_of_blocks.")) state.insert(entry.name, entry.tensor);
  }
  state.insert("pos_embed", state.find("pos_embed")->transpose(0, 1).contiguous());
  ModelRequest request;
  request.path = folder.file("own.safetensors");
  const auto refusal = [&] {
    writeSafetensors(request.path, state, {});
    return test::messageOf<ModelError>([&] { openModel(request); });
  };
  EXPECT_THAT(refusal(), AllOf(HasSubstr("lacks norm.weight"), HasSubstr("--arch structure")));
  request.qkv = "h3d";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("leave out --qkv"), HasSubstr("--arch structure")));
  state.insert("not_of_this.weight", torch::zeros({5, 7}));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("leave out --qkv"), Not(HasSubstr("--arch"))));
  request.qkv.reset();
  EXPECT_THAT(refusal(), AllOf(HasSubstr("lacks norm.weight"), Not(HasSubstr("--arch"))));
}

}  // namespace
}  // namespace softscope
