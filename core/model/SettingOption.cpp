#include "core/model/SettingOption.h"

#include "core/model/PixelNorm.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace softscope {

namespace {

constexpr const char* activationWords = "gelu|gelu_tanh|relu|quick_gelu|silu|none";
constexpr const char* normWords = "pre|pre-normed|pre-normed-mlp|post|none";
constexpr const char* poolingWords =
    "cls|mean|mean_patches|max|max_patches|avgmax|pooler|flatten|flatten_patches|none";
constexpr const char* pixelWords = "c_p1_p2|p1_p2_c|c_p2_p1|p2_p1_c";
constexpr const char* positionWords = "learned|learned_columns|sincos1d|sincos2d|sincos2d_mae|none";
constexpr const char* sineWords = "interleaved|halves";
constexpr const char* resizeWords = "antialiased|plain|offset";
constexpr const char* registerWords = "before|behind|none";
constexpr const char* classTokenWords = "first|last";
constexpr const char* classVectorWords = "token|none";
constexpr const char* tokenScaleWords = "none|sqrt-width|sqrt-width-patches";
constexpr const char* patchNormWords = "patches|tokens";
constexpr const char* finalNormWords = "tokens|pooled|front|none|plain|plain-pooled";
constexpr const char* oneNormWords = "both|parallel|attention|mlp";
constexpr const char* firstHalfWords = "attention|mlp";
constexpr const char* layerScaleWords = "branches|skips";
constexpr const char* qkvWords = "3hd|h3d|hd3|d3h|kqv|kvq|qvk|vkq|vqk";
/// Orders inside a packed matrix of two of queries, keys and values.
constexpr const char* pairWords = "vk|qk|kq|qv|vq";
constexpr const char* normWithoutBiasWords = "layer|rms|layer-rms|rms-layer";
constexpr const char* normKindWords = "layer|std|affine";
constexpr const char* plainNormWords = "yes|no|rms";
constexpr const char* scaleWords = "head|width|none|behind-head|behind-width";
constexpr const char* headActivationWords = "gelu|tanh|relu|silu|elu|leaky_relu|none";
constexpr const char* mlpEndWords = "none|activation";
constexpr const char* nonLocalWords = "embedded_gaussian|gaussian|dot_product|concatenation";

/// Returns true if `text` is one of the words, which are separated by bars.
bool isAmong(std::string_view words, std::string_view text) {
  while (true) {
    const std::size_t bar = words.find('|');
    if (words.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    words.remove_prefix(bar + 1);
  }
}

/// Returns true if `text` is a number from `least` to `most`.
bool isNumberBetween(const std::string& text, int least, int most) {
  const auto number = parseNumber<int>(text);
  return number && *number >= least && *number <= most;
}

/// Returns `a whole number from 0 to 64`: all numbers that the option accepts, which are none or
/// one range.
std::string acceptedNumbersText(const SettingOption& option) {
  constexpr int most = 65536;
  int first = 0;
  while (first < most && !option.accepts(std::to_string(first))) ++first;
  int last = first;
  while (last < most && option.accepts(std::to_string(last + 1))) ++last;
  return "a whole number from " + std::to_string(first) + " to " + std::to_string(last);
}

}  // namespace

const std::vector<SettingOption>& settingOptions() {
  static const std::vector<SettingOption> options{
      {"activation", &ModelRequest::activation, activationWords,
       "Activation of a vision transformer's mlps, where the file does not tell; SimA and XCiT "
       "take gelu and relu, ViG silu and none",
       [](const std::string& text) { return isAmong(activationWords, text); }},
      {"epsilon", &ModelRequest::epsilon, "E",
       "Epsilon of a vision transformer's layer norms, where the file does not tell",
       [](const std::string& text) { return parseEpsilon(text).has_value(); }},
      {"norm", &ModelRequest::norm, normWords,
       "Where a vision transformer's blocks have their norms, where the file does not tell: before "
       "attention and mlp; likewise, and what these compute is added to the normed tokens "
       "(pre-normed; of the mlp alone: pre-normed-mlp); after the sums; none: nowhere",
       [](const std::string& text) { return isAmong(normWords, text); }},
      {"pooling", &ModelRequest::pooling, poolingWords,
       "What a vision transformer's head sees, where the file does not tell: the class token, the "
       "tokens' mean, that of the patches alone, their largest values, half of both (avgmax), "
       "Hugging Face's pooler_output (pooler), or all tokens or patches side by side; none: there "
       "is no head",
       [](const std::string& text) { return isAmong(poolingWords, text) || text == "features"; }},
      {"mean", &ModelRequest::mean, "imagenet|half|clip|none|R,G,B",
       "Mean that pictures are normalised with, where the file does not tell; a name says --std, "
       "too",
       [](const std::string& text) { return parsePixelMean(text).has_value(); }},
      {"std", &ModelRequest::deviation, "imagenet|half|clip|none|R,G,B",
       "Deviation that pictures are normalised with, likewise",
       [](const std::string& text) { return parsePixelDeviation(text).has_value(); }},
      {"epsilon-blocks", &ModelRequest::epsilonOfBlocks, "E",
       "Epsilon of the norms inside the blocks, where it differs from --epsilon",
       [](const std::string& text) { return parseEpsilon(text).has_value(); }},
      {"plain-norms", &ModelRequest::plainNorms, plainNormWords,
       "The blocks have norms without weights, which leave nothing in a file: layer norms (yes), "
       "or RMS norms (--plain-norms=rms)",
       [](const std::string& text) { return isAmong(plainNormWords, text); }},
      {"pixels", &ModelRequest::pixels, pixelWords,
       "Order of a patch's pixels in a patch embedding that is a Linear: channels first (unfold) "
       "or last, and its rows one after another (p1_p2) or its columns (p2_p1)",
       [](const std::string& text) { return isAmong(pixelWords, text); }},
      {"positions", &ModelRequest::positions, positionWords,
       "Positions where the file has none: sines over the tokens' numbers, sines over rows and "
       "columns (as in SimpleViT, or with MAE's periods), or none; of a table that is as wide as "
       "long: with a row for each token, or a column",
       [](const std::string& text) { return isAmong(positionWords, text); }},
      {"sines", &ModelRequest::sines, sineWords,
       "Order of computed positions: sines and cosines take turns, or all sines come first",
       [](const std::string& text) { return isAmong(sineWords, text); }},
      {"prefix-positions", &ModelRequest::prefixPositions, "N",
       "How many tokens beside the patches have positions: 0 none, 1 the class token, more: "
       "registers, too",
       [](const std::string& text) { return isNumberBetween(text, 0, 4096); }},
      {"position-resize", &ModelRequest::positionResize, resizeWords,
       "How positions are resized for pictures of another size, where the file does not tell: "
       "bicubic and antialiased, as in timm; bicubic alone, as in MAE and MSN; by the factors of "
       "DINO, iBOT and DINOv2, which add 0.1 to the side (offset)",
       [](const std::string& text) { return isAmong(resizeWords, text); }},
      {"registers", &ModelRequest::registers, registerWords,
       "Where registers stand: before the patches, after the class token, or behind the patches; "
       "none: tokens beside the class token take no part",
       [](const std::string& text) { return isAmong(registerWords, text); }},
      {"class-token", &ModelRequest::classToken, classTokenWords,
       "Where the class token stands: before all other tokens, or behind them",
       [](const std::string& text) { return isAmong(classTokenWords, text); }},
      {"class-vector", &ModelRequest::classVector, classVectorWords,
       "What a vector is whose name is not that of a class token and that has no position: the "
       "class token all the same, or none: one that is called a token takes no part, and a network "
       "with another is refused",
       [](const std::string& text) { return isAmong(classVectorWords, text); }},
      {"stride", &ModelRequest::stride, "N|HxW",
       "Pixels from one patch to the next (usual: the patch's side, so that patches do not "
       "overlap)",
       [](const std::string& text) { return parseStride(text).has_value(); }},
      {"padding", &ModelRequest::padding, "N",
       "Rows of zeros around the picture before patches that overlap are taken (usual: 0)",
       [](const std::string& text) { return isNumberBetween(text, 0, 64); }},
      {"token-scale", &ModelRequest::tokenScale, tokenScaleWords,
       "What multiplies tokens before positions are added to them: nothing, or the root of their "
       "width, of all these tokens or of the patches alone",
       [](const std::string& text) { return isAmong(tokenScaleWords, text); }},
      {"patch-norm", &ModelRequest::patchNorm, patchNormWords,
       "What the norm of a patch embedding acts on: the patches alone, or all tokens once "
       "positions are added",
       [](const std::string& text) { return isAmong(patchNormWords, text); }},
      {"final-norm", &ModelRequest::finalNorm, finalNormWords,
       "Where the norm outside the blocks acts: on all tokens behind the blocks, on what is "
       "pooled, or on the tokens in front of the blocks; where the file has none: nowhere, or a "
       "norm without weights on all tokens or on what is pooled",
       [](const std::string& text) { return isAmong(finalNormWords, text); }},
      {"layer-scale", &ModelRequest::layerScale, layerScaleWords,
       "What a block's vectors of the tokens' width multiply: what attention and mlp add, or what "
       "they add to",
       [](const std::string& text) { return isAmong(layerScaleWords, text); }},
      {"one-norm", &ModelRequest::oneNorm, oneNormWords,
       "What the only norm of a block serves: attention and then the mlp; both at once, which see "
       "the same tokens; the attention alone; or the mlp alone",
       [](const std::string& text) { return isAmong(oneNormWords, text); }},
      {"first-half", &ModelRequest::firstHalf, firstHalfWords,
       "Which half of a block runs first, where a file has the mlp in front of the attention",
       [](const std::string& text) { return isAmong(firstHalfWords, text); }},
      {"norm-without-bias", &ModelRequest::normWithoutBias, normWithoutBiasWords,
       "Kind of norms that have a weight and no bias; two kinds are those of tokens, and of "
       "queries and keys",
       [](const std::string& text) { return isAmong(normWithoutBiasWords, text); }},
      {"norm-kind", &ModelRequest::normKind, normKindWords,
       "What norms under names that people invent compute: a layer norm; one that divides by the "
       "deviation plus epsilon, which counts one value less (std); or nothing but the product and "
       "the sum (affine)",
       [](const std::string& text) { return isAmong(normKindWords, text); }},
      {"qkv", &ModelRequest::qkv, qkvWords,
       "Order inside a packed matrix of queries, keys and values: 3hd (chunks), h3d, hd3 or d3h, "
       "or chunks in another order, as in kqv",
       [](const std::string& text) { return isAmong(qkvWords, text) || isAmong(pairWords, text); }},
      {"scale", &ModelRequest::scale, scaleWords,
       "Scale of the products of queries and keys: one over the root of a head's width, of the "
       "tokens' width, or none; behind-head and behind-width: none, and the softmax is divided by "
       "that root",
       [](const std::string& text) { return isAmong(scaleWords, text); }},
      {"qscale", &ModelRequest::queryScale, "0|1",
       "1: softmax2 (Efficient attention) divides its queries by the root of a head's width",
       [](const std::string& text) { return isAmong("0|1", text); }},
      {"iters", &ModelRequest::iterations, "N",
       "Steps of the iterative inverse of Nyströmformer's attention (default: 6)",
       [](const std::string& text) { return isNumberBetween(text, 0, 100); }},
      {"head-activation", &ModelRequest::headActivation, headActivationWords,
       "Activation between the products of a head that has several",
       [](const std::string& text) { return isAmong(headActivationWords, text); }},
      {"mlp-end", &ModelRequest::mlpEnd, mlpEndWords,
       "What stands behind the second product of a block's mlp: nothing, or the activation again",
       [](const std::string& text) { return isAmong(mlpEndWords, text); }},
      {"part", &ModelRequest::part, "encoder",
       "Part of a masked autoencoder to open; its decoder is left out",
       [](const std::string& text) { return text == "encoder"; }},
      {"non-local", &ModelRequest::nonLocal, nonLocalWords,
       "Kind of the non-local blocks of a convolutional network",
       [](const std::string& text) { return isAmong(nonLocalWords, text); }},
      {"sub-sample", &ModelRequest::subSample, "1|2",
       "2: keys and values of non-local blocks are pooled 2 x 2; 1: they are not",
       [](const std::string& text) { return isAmong("1|2", text); }},
      {"window", &ModelRequest::window, "N",
       "Side of Swin V2's windows, where neither config.json nor a name tells (usual: 8)",
       [](const std::string& text) { return isNumberBetween(text, 1, 256); }},
  };
  return options;
}

const SettingOption* findSettingOption(const std::string& name) {
  const auto& options = settingOptions();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const SettingOption& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

std::string takenText(const SettingOption& option) {
  std::vector<std::string> kinds;
  std::istringstream types(option.type);
  for (std::string type; std::getline(types, type, '|');) {
    kinds.push_back(type == "N"       ? acceptedNumbersText(option)
                    : type == "E"     ? "a number from 0 to below 1"
                    : type == "HxW"   ? "two of them, HxW"
                    : type == "R,G,B" ? "three numbers, R,G,B"
                                      : type);
  }
  return listedWithOr(kinds);
}

void setOption(ModelRequest& request, const std::string& option, const std::string& value) {
  if (option == "heads") {
    request.heads = parseHeadCounts(value);
  } else if (option == "attention") {
    request.attention = value;
  } else if (option == "landmarks") {
    request.landmarks = {.source = LandmarkSource::Trained, .count = std::atoi(value.c_str())};
  } else if (const SettingOption* known = findSettingOption(option)) {
    request.*known->value = value;
  }
}

std::optional<PixelStride> parseStride(const std::string& text) {
  constexpr int longest = 1024;
  const std::size_t cross = text.find('x');
  const std::string down = text.substr(0, cross);
  const std::string across = cross == std::string::npos ? down : text.substr(cross + 1);
  if (!isNumberBetween(down, 1, longest) || !isNumberBetween(across, 1, longest)) {
    return std::nullopt;
  }
  return PixelStride{std::atoi(down.c_str()), std::atoi(across.c_str())};
}

std::optional<double> parseEpsilon(const std::string& text) {
  const auto epsilon = parseNumber(text);
  return epsilon && *epsilon >= 0 && *epsilon < 1 ? epsilon : std::nullopt;
}

}  // namespace softscope
