#include "widgets/figure/InteractivePage.h"

#include "core/Error.h"
#include "core/attention/BlockMap.h"
#include "core/files/Base64.h"
#include "core/image/ColorMap.h"
#include "core/interactive/InteractiveFile.h"
#include "core/interactive/InteractiveMap.h"
#include "core/query/HeadLikeness.h"
#include "core/query/QueryToken.h"
#include "core/text/Words.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QBuffer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {

namespace {

using Json = nlohmann::ordered_json;

/// Longest side of the picture on a page, in pixels; twice as many as most screens show of it.
constexpr int longestPageSide = 960;
constexpr int pageJpegQuality = 88;
/// Bytes for what is said of a layer besides its map.
constexpr std::size_t textOfLayer = 4000;

/// A layer of a page whose map is still to be stored.
struct PageLayer {
  std::size_t model = 0;
  const LayerInspection* layer = nullptr;
  std::shared_ptr<const AttentionMap> map;
  std::optional<InteractiveMap> stored;
};

Json gridJson(const std::optional<TokenGrid>& grid) {
  return grid ? Json{grid->height, grid->width} : Json();
}

/// Describes the rows of a matrix, or for Direction::Columns its columns: how many, the grid that
/// they are chosen on, and the names of those that are not patches, in the order that a
/// PictureQuery counts them in.
Json sideJson(const AttentionDescription& attention, Direction direction) {
  const bool rows = direction == Direction::Rows;
  const int count = rows ? attention.queries : attention.keys;
  const int prefix = rows ? queryPrefix(attention) : keyPrefix(attention);
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  const auto& places = rows ? attention.queryPlaces : attention.keyPlaces;
  const int suffix = grid ? attention.suffixTokens : 0;
  Json named = Json::array();
  const auto add = [&](int token) {
    named.push_back({token, singleTokenName(attention, direction, token)});
  };
  for (int token = 0; token < prefix; ++token) add(token);
  for (int token = count - suffix; token < count; ++token) add(token);
  // A pool's learned query.
  if (!grid && count == 1 && prefix == 0) add(0);
  Json side{{"text", sideText(attention, direction).toStdString()},
            {"count", count},
            {"prefix", grid ? prefix : 0},
            {"suffix", suffix},
            {"grid", gridJson(grid)},
            {"named", std::move(named)}};
  // `channel 3` without its number.
  if (!grid && count > prefix) {
    const std::string name = singleTokenName(attention, direction, prefix);
    side["unit"] = name.substr(0, name.rfind(' '));
  }
  if (places) side["nearest"] = places->nearest;
  return side;
}

/// Returns the question that an answer answers, with `%` for the token.
std::string questionPattern(const AttentionDescription& attention, Direction direction,
                            ShownMap map) {
  // A name that a recording gives may be a part of any word of the question.
  AttentionDescription unnamed = attention;
  unnamed.prefixNames.resize(std::max<std::size_t>(1, attention.prefixNames.size()));
  unnamed.prefixNames.front() = "%";
  std::string text = questionText(unnamed, direction, 0, map).toStdString();
  if (showsWholeMatrix(attention)) return text;
  const std::string name = tokenName(unnamed, direction, 0);
  return text.replace(text.find(name), name.size(), "%");
}

/// Returns what the rows of a map sum to.
std::vector<std::string> sumFacts(const InteractiveMap& stored, int heads) {
  std::vector<std::string> facts;
  const int rows = stored.rows * heads;
  const bool noneIsFinite = stored.rowsNotFinite == rows;
  if (stored.rowsNotFinite > 0) {
    facts.push_back(
        "In " +
        (noneIsFinite ? "every row"
                      : std::to_string(stored.rowsNotFinite) + " of " + countedText(rows, "row")) +
        " entries are not finite (NaN or ∞).");
  }
  if (noneIsFinite) return facts;
  constexpr double rounding = 1e-3;
  const bool sumsToOne =
      std::abs(stored.smallestSum - 1) < rounding && std::abs(stored.largestSum - 1) < rounding;
  const bool all = stored.rowsNotFinite == 0;
  facts.push_back(sumsToOne ? std::string(all ? "Every row sums" : "All other rows sum") + " to 1."
                            : std::string(all ? "Rows" : "Other rows") + " sum to " +
                                  valueText(stored.smallestSum).toStdString() + " to " +
                                  valueText(stored.largestSum).toStdString() + ", not to 1.");
  return facts;
}

/// Returns what a reader has to know of a map's numbers.
std::vector<std::string> factsOf(const LayerInspection& layer, ShownMap shown,
                                 const AttentionMap& map, const InteractiveMap& stored) {
  const AttentionDescription& attention = layer.attention->description();
  std::vector<std::string> facts;
  if (stored.lowest < 0) facts.emplace_back("Some entries are negative.");
  const std::vector<std::string> sums = sumFacts(stored, attention.heads);
  facts.insert(facts.end(), sums.begin(), sums.end());
  const auto* blocks = dynamic_cast<const BlockMap*>(&map);
  if (blocks) {
    facts.emplace_back("Attention is within windows; between them the network computes nothing" +
                       std::string(blocks->isPadded() ? ", and part of a row may lie on padding, "
                                                        "which is no token."
                                                      : "."));
  }
  if (attention.meanOfChannels > 0) {
    facts.push_back("The mean over " + std::to_string(attention.meanOfChannels) +
                    " channels, each of which has a matrix of its own.");
  }
  if (attention.channel) {
    facts.push_back("The matrix of channel " + std::to_string(attention.channel->index) +
                    " alone; each of " + std::to_string(attention.channel->of) +
                    " has one of its own.");
  }
  if (shown == ShownMap::Kernel) {
    facts.emplace_back("No network computes this kernel, and it multiplies nothing.");
  }
  if (shown == ShownMap::GradientProduct) {
    facts.push_back("The attention times the gradient of the logit of " +
                    layer.gradientProduct->logit().name +
                    ": positive where an entry raises it as it grows in magnitude.");
  }
  if (shown == ShownMap::Attention && layer.convolution) {
    facts.emplace_back(
        "A part of what the layer applies to V: a convolution of V stands beside the attention "
        "(--map effective shows their sum).");
  }
  if (shown == ShownMap::Attention && (attention.filtersChannels || !attention.beside.empty())) {
    facts.push_back("A part of what the layer does: " + withoutConvolution(layer) + ".");
  } else if (attention.gated) {
    facts.emplace_back("A gate multiplies what the attention makes of V.");
  }
  if (showsWholeMatrix(attention)) {
    facts.emplace_back(
        "Rows and columns have no places on the picture: the whole matrix is shown.");
  } else if (attention.queries == 1) {
    facts.push_back("There is one query, the " + singleTokenName(attention, Direction::Rows, 0) +
                    ".");
  }
  facts.push_back("Stored as float16: compared over " +
                  (stored.rows == attention.queries ? "all rows"
                                                    : countedText(stored.rows, "row") + " a head") +
                  ", no entry is further from the network's than " +
                  valueText(100 * stored.error, 2).toStdString() + " % of the largest in its row.");
  return facts;
}

/// Returns for each head that its answers hardly depend on the query, or an empty text; empty if
/// that is not known.
std::vector<std::string> likenessOf(const AttentionMap& map, const Progress& progress) {
  std::vector<std::string> texts;
  if (!canCompareAnswers(map.description())) return texts;
  for (const HeadLikeness& head : headLikeness(map, progress)) {
    texts.push_back(sameAnswerText(head));
  }
  return texts;
}

Json layerJson(const PageLayer& of, const std::string& note, ShownMap map,
               const Progress& progress) {
  const AttentionDescription& attention = of.layer->attention->description();
  return {{"name", of.layer->name},
          {"short", shortLayerName(QString::fromStdString(of.layer->name)).toStdString()},
          {"about", layerText(*of.layer, QString::fromStdString(note), map).toStdString()},
          {"heads", attention.heads},
          {"whole", showsWholeMatrix(attention)},
          {"rows", sideJson(attention, Direction::Rows)},
          {"columns", sideJson(attention, Direction::Columns)},
          {"questions",
           {{"rows", questionPattern(attention, Direction::Rows, map)},
            {"columns", questionPattern(attention, Direction::Columns, map)}}},
          {"same", likenessOf(*of.map, progress)}};
}

/// Returns the part of the picture that a network saw, as a JPEG in a `data:` address.
Json pictureJson(const std::shared_ptr<const Picture>& picture, const PictureRegion& region) {
  if (!picture || picture->isSheet || region.width <= 0 || region.height <= 0) return nullptr;
  const double scale = std::min(1.0, longestPageSide / std::max(region.width, region.height));
  const QSize size(std::max(1, static_cast<int>(std::lround(region.width * scale))),
                   std::max(1, static_cast<int>(std::lround(region.height * scale))));
  const CroppedPicture cropped(pictureImage(picture), region);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!cropped.colored(size).save(&buffer, "JPEG", pageJpegQuality)) {
    throw Error("the picture cannot be written as JPEG; Qt's plugin for it is missing");
  }
  return {{"src", "data:image/jpeg;base64," + bytes.toBase64().toStdString()},
          {"width", size.width()},
          {"height", size.height()}};
}

Json modelJson(const PageSubject& subject, const PageModel& model) {
  const PictureExtent extent = extentOf(subject.picture.get(), model.region);
  return {{"name", model.name},
          {"seen",
           {{"x", extent.region.x / extent.width},
            {"y", extent.region.y / extent.height},
            {"width", extent.region.width / extent.width},
            {"height", extent.region.height / extent.height}}},
          {"picture", pictureJson(subject.picture, model.region)},
          {"layers", Json::array()},
          {"leftOut", Json::array()}};
}

Json colorMapsJson() {
  Json maps = Json::array();
  for (const std::string& name : colorMapNames()) {
    const ColorMap& map = colorMap(name);
    std::string bytes;
    for (const ColorMap::Color& color : map.colors) {
      for (const std::uint8_t channel : color) bytes += static_cast<char>(channel);
    }
    maps.push_back({{"name", name}, {"diverging", map.diverging}, {"colors", base64(bytes)}});
  }
  return maps;
}

Json viewJson(const ViewSettings& view) {
  Json ranges = Json::array();
  std::string range;
  for (const auto& choice : normalisationNames) {
    ranges.push_back({choice.name, choice.label});
    if (choice.value == view.normalisation) range = choice.name;
  }
  return {{"colorMap", view.colorMap},   {"divergingColorMap", view.divergingColorMap},
          {"opacity", view.opacity},     {"range", range},
          {"ranges", std::move(ranges)}, {"smooth", view.smooth},
          {"absolute", view.absolute},   {"fades", view.fades}};
}

Json startJson(const PageSubject& subject) {
  const PictureQuery& query = subject.query;
  return {{"x", query.x},
          {"y", query.y},
          {"token", query.prefixToken ? Json(*query.prefixToken) : Json()},
          {"direction", subject.direction == Direction::Rows ? "rows" : "columns"},
          {"head", subject.head == AttentionValues::meanOfHeads      ? Json("mean")
                   : subject.head == AttentionValues::largestOfHeads ? Json("largest")
                                                                     : Json(subject.head)}};
}

/// Makes the maps of a page: first those that have a short form, then the others in what is left.
class MapsOfPage {
 public:
  MapsOfPage(const PageSubject& subject, const Progress& progress)
      : subject_(subject), progress_(progress) {
    data_["program"] = "Softscope";
    data_["command"] = subject.command;
    data_["map"] = mapText(subject.map).toStdString();
    data_["colorMaps"] = colorMapsJson();
    data_["view"] = viewJson(subject.view);
    data_["start"] = startJson(subject);
    data_["models"] = Json::array();
    for (const PageModel& model : subject.models) {
      data_["models"].push_back(modelJson(subject, model));
    }
  }

  InteractivePage page() {
    for (std::size_t i = 0; i < subject_.models.size(); ++i) addLayers(i);
    if (layers_.empty()) {
      throw InspectionError(page_.leftOut.empty()
                                ? "no layer was chosen that the model has; choose one of its layers"
                                : page_.leftOut.front());
    }
    storeCompact(pagePrecision);
    if (compactBytes() > roomForMaps(data_)) storeCompact(coarsePagePrecision);
    fillRoom();
    for (const PageLayer& layer : layers_) {
      if (layer.stored) enter(layer);
    }
    if (std::ranges::none_of(layers_, [](const PageLayer& of) { return of.stored.has_value(); })) {
      throw InteractiveSizeError(page_.leftOut.front());
    }
    page_.text = interactiveText(data_);
    return std::move(page_);
  }

 private:
  void addLayers(std::size_t model) {
    for (const LayerInspection& layer : subject_.models[model].layers) {
      if (hasMap(layer, subject_.map)) {
        layers_.push_back({model, &layer, mapOf(layer, subject_.map), std::nullopt});
      } else {
        leaveOut(model, layer.name, withoutMap(layer, subject_.map));
      }
    }
  }

  /// Stores the maps that have a short form.
  void storeCompact(double largestError) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      progress_.report(static_cast<double>(i) / static_cast<double>(layers_.size()),
                       "Storing " + layers_[i].layer->name);
      layers_[i].stored = compactMap(*layers_[i].map, progress_, largestError);
    }
  }

  std::size_t compactBytes() const {
    std::size_t bytes = 0;
    for (const PageLayer& layer : layers_) {
      if (layer.stored) bytes += layer.stored->bytes + textOfLayer;
    }
    return bytes;
  }

  /// Stores all entries of the maps that have no short form, as long as they fit.
  void fillRoom() {
    std::size_t room = roomForMaps(data_);
    const auto take = [&](std::size_t bytes) { room -= std::min(room, bytes); };
    take(compactBytes());
    for (PageLayer& layer : layers_) {
      if (layer.stored) continue;
      const AttentionDescription& sizes = layer.map->description();
      const std::size_t bytes = denseBytes(sizes);
      if (bytes + textOfLayer > room) {
        leaveOut(layer.model, layer.layer->name,
                 "all its entries would have to be stored, " + countedText(sizes.heads, "head") +
                     " of " + std::to_string(sizes.queries) + " x " + std::to_string(sizes.keys) +
                     ", which takes " + megabytesText(bytes) + " of the " + megabytesText(room) +
                     " that the page has left; choose fewer layers (--layer) or a smaller input "
                     "(--size)");
        continue;
      }
      for (const double largestError : {pagePrecision, coarsePagePrecision}) {
        if (layer.stored) break;
        layer.stored = denseMap(*layer.map, progress_, largestError, room - textOfLayer);
      }
      if (!layer.stored) {
        const bool fits = 2 * bytes + textOfLayer <= room;
        leaveOut(layer.model, layer.layer->name,
                 fits ? "the entries of its rows differ too much in size to be stored as float16; "
                        "softscope dump writes them as they are"
                      : "its entries would have to be stored as two float16 each, which takes " +
                            megabytesText(2 * bytes) + " of the " + megabytesText(room) +
                            " that the page has left; choose fewer layers (--layer) or a smaller "
                            "input (--size)");
        continue;
      }
      take(layer.stored->bytes + textOfLayer);
    }
  }

  void enter(const PageLayer& of) {
    const PageModel& model = subject_.models[of.model];
    Json layer = layerJson(of, model.mechanismNote, subject_.map, progress_);
    layer["facts"] = factsOf(*of.layer, subject_.map, *of.map, *of.stored);
    layer["error"] = of.stored->error;
    layer["map"] = of.stored->json;
    data_["models"][of.model]["layers"].push_back(std::move(layer));
  }

  void leaveOut(std::size_t model, const std::string& layer, const std::string& reason) {
    data_["models"][model]["leftOut"].push_back({{"name", layer}, {"reason", reason}});
    page_.leftOut.push_back(subject_.models[model].name + ", " + layer + " is left out: " + reason);
  }

  const PageSubject& subject_;
  const Progress& progress_;
  Json data_;
  std::vector<PageLayer> layers_;
  InteractivePage page_;
};

}  // namespace

InteractivePage interactivePage(const PageSubject& subject, const Progress& progress) {
  return MapsOfPage(subject, progress).page();
}

}  // namespace softscope
