#include "widgets/paint/PanelText.h"

#include "core/attention/LandmarkChoice.h"
#include "core/attention/Mechanism.h"
#include "core/query/Caveats.h"
#include "core/query/Proportion.h"
#include "core/text/Words.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QStringList>
#include <QtGui/QFontMetricsF>

#include <algorithm>

namespace softscope {
namespace {

QString gridText(const TokenGrid& grid) {
  return QStringLiteral("%1 × %2").arg(grid.height).arg(grid.width);
}

/// True if the rows and columns are channels rather than tokens, as in XCA.
bool mixesChannels(const AttentionDescription& attention) {
  return traitsOf(attention.mechanism).overChannels;
}

QString tokensText(const AttentionDescription& attention) {
  if (!attention.queryGrid && !attention.keyGrid) {
    return QStringLiteral("%1 × %2 %3")
        .arg(attention.queries)
        .arg(attention.keys)
        .arg(mixesChannels(attention) ? QStringLiteral("channels") : QStringLiteral("tokens"));
  }
  if (!attention.queryGrid) {
    return QStringLiteral("%1 %2 · %3 patches")
        .arg(attention.queries)
        .arg(attention.queries == 1 ? QStringLiteral("query") : QStringLiteral("queries"),
             gridText(*attention.keyGrid));
  }
  QString text = gridText(*attention.queryGrid) + QStringLiteral(" patches");
  if (attention.keyGrid && *attention.keyGrid != *attention.queryGrid) {
    text += QStringLiteral(" · %1 keys").arg(gridText(*attention.keyGrid));
  }
  return text;
}

/// Returns ` · windows of 7 × 7, shifted by 3 × 3` for attention within windows of one size.
QString windowsText(const AttentionDescription& attention) {
  const auto sides = [&](const char* name) -> std::optional<TokenGrid> {
    const auto height = attention.parameters.find(std::string(name) + "_height");
    const auto width = attention.parameters.find(std::string(name) + "_width");
    const auto end = attention.parameters.end();
    if (height == end || width == end) return std::nullopt;
    return TokenGrid{static_cast<int>(height->second), static_cast<int>(width->second)};
  };
  const auto window = sides("window");
  if (!window) return {};
  const QString text = QStringLiteral(" · windows of ") + gridText(*window);
  const TokenGrid shift = sides("shift").value_or(TokenGrid{});
  if (shift == TokenGrid{}) return text;
  return text + QStringLiteral(", shifted by ") + gridText(shift);
}

bool isRegister(const AttentionDescription& attention, int token) {
  return prefixTokenName(attention, token).starts_with("register");
}

/// Returns the tokens that are no patches, e.g. `class token`, `4 registers`.
QStringList prefixText(const AttentionDescription& attention, int prefix) {
  QStringList parts;
  int registers = 0;
  for (int token = 0; token < prefix; ++token) {
    if (isRegister(attention, token)) {
      ++registers;
    } else {
      parts += QString::fromStdString(prefixTokenName(attention, token));
    }
  }
  if (registers > 0) {
    parts += registers == 1 ? QStringLiteral("1 register")
                            : QStringLiteral("%1 registers").arg(registers);
  }
  return parts;
}

/// Returns the class token's weight, and that of all registers together.
QString prefixNote(const AttentionDescription& attention, const Vector& weights) {
  QStringList parts;
  for (int token = 0; token < static_cast<int>(weights.size()); ++token) {
    if (prefixTokenName(attention, token) != "class token") continue;
    parts += QStringLiteral("class %1").arg(valueText(weights[token], 2));
  }
  float registers = 0;
  bool any = false;
  for (int token = 0; token < static_cast<int>(weights.size()); ++token) {
    if (!isRegister(attention, token)) continue;
    registers += weights[token];
    any = true;
  }
  if (any) parts += QStringLiteral("registers %1").arg(valueText(registers, 2));
  return parts.join(QStringLiteral(" · "));
}

/// Returns the note without the result of comparing a head's answers.
QString noteOfAnswer(const AttentionDescription& attention, const AttentionValues& values,
                     Direction direction) {
  const bool rows = direction == Direction::Rows;
  const QString tokens = rows ? QStringLiteral("keys") : QStringLiteral("queries");
  if (showsWholeMatrix(attention)) return QStringLiteral("queries ↓ keys →");
  if (!values.onPicture) {
    return QStringLiteral("%1 %2")
        .arg(values.grid.count())
        .arg(mixesChannels(attention) ? QStringLiteral("channels") : tokens);
  }
  QStringList parts;
  const std::string proportion =
      proportionText(values.outside.empty() ? values.patches : values.inside());
  if (!proportion.empty()) parts += QString::fromStdString(proportion);
  const std::string padding = paddingText(attention, values, direction);
  if (!padding.empty()) parts += QString::fromStdString(padding);
  const auto chosen = chosenGrid(attention, direction);
  if (values.prefix.size() > 0) {
    parts += prefixNote(attention, values.prefix);
  } else if (chosen && *chosen != values.grid && !attention.queryPlaces && !attention.keyPlaces) {
    parts += QStringLiteral("%1 %2").arg(gridText(values.grid), tokens);
  }
  return parts.join(captionSeparator);
}

/// Says which channel's matrix is shown where every channel has one.
QString channelText(const AttentionDescription& attention) {
  if (attention.channel) {
    return QStringLiteral(" · channel %1 of %2")
        .arg(attention.channel->index)
        .arg(attention.channel->of);
  }
  if (attention.meanOfChannels == 0) return {};
  return QStringLiteral(" · mean over %1 channels").arg(attention.meanOfChannels);
}

}  // namespace

QString headText(int head) {
  if (head == AttentionValues::meanOfHeads) return QStringLiteral("mean");
  if (head == AttentionValues::largestOfHeads) return QStringLiteral("largest");
  return QStringLiteral("head %1").arg(head);
}

QString shortLayerName(const QString& name) {
  return QString::fromStdString(shortLayerName(name.toStdString()));
}

QStringList shortLayerNames(const QStringList& names) {
  QStringList shortNames;
  for (const QString& name : names) shortNames += shortLayerName(name);
  QStringList distinct = shortNames;
  return distinct.removeDuplicates() == 0 ? shortNames : names;
}

QString shortLayerName(const Inspection& inspection, const std::string& name) {
  QStringList names;
  for (const LayerInspection& layer : inspection.layers) {
    names += QString::fromStdString(layer.name);
  }
  const QString whole = QString::fromStdString(name);
  return shortLayerNames(names).value(names.indexOf(whole), whole);
}

QString panelNote(const AttentionDescription& attention, const AttentionValues& values,
                  Direction direction, const std::vector<HeadLikeness>* likeness) {
  const QString note = noteOfAnswer(attention, values, direction);
  const auto head = static_cast<std::size_t>(values.head);
  const bool compared = likeness && values.head >= 0 && head < likeness->size();
  const QString same =
      compared ? QString::fromStdString(sameAnswerText((*likeness)[head])) : QString();
  // The first parts stay where there is no room for all, so the most important one is first.
  QStringList parts{QString::fromStdString(notFiniteText(values)), same, note};
  parts.removeAll(QString());
  return parts.join(captionSeparator);
}

QString fittingNote(const QString& note, double width, const QFontMetricsF& metrics) {
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  QStringList parts = note.split(captionSeparator);
  while (parts.size() > 1 && !fits(parts.join(captionSeparator))) parts.removeLast();
  QString fitting = parts.join(captionSeparator);
  // Shortens `largest 1.6 × uniform` and the like to `1.6 × uniform`, `same pattern`, `nearly
  // uniform`, `line 0.37` and `not finite`; just `1.6 ×` would not say of what.
  static const QRegularExpression spared[] = {
      QRegularExpression(QStringLiteral("^largest ")),
      QRegularExpression(QStringLiteral(" for every query$")),
      QRegularExpression(QStringLiteral(", within [^ ]+ %$")),
      QRegularExpression(QStringLiteral(", centred [^ ]+$")),
      QRegularExpression(QStringLiteral("^\\d+ of \\d+ values (?=not finite$)"))};
  for (const QRegularExpression& words : spared) {
    if (!fits(fitting)) fitting.remove(words);
  }
  // Uniform attention over n keys is 1/n, which is shorter still.
  if (!fits(fitting)) fitting.replace(QStringLiteral("× uniform"), QStringLiteral("× 1/n"));
  if (fits(fitting)) return fitting;
  // A class is shortened rather than its probability or logit.
  static const QRegularExpression share(QStringLiteral(" (?:[0-9.]+ %|logit \\S+)$"));
  const QString end = share.match(fitting).captured();
  const double room = width - metrics.horizontalAdvance(end);
  if (!end.isEmpty() && room > metrics.horizontalAdvance(fitting.first(2)) * 2) {
    return metrics.elidedText(fitting.chopped(end.size()), Qt::ElideRight, room) + end;
  }
  if (width < metrics.horizontalAdvance(fitting) * 2 / 3) return {};
  // If it were elided, a factor would not say of what.
  if (fitting.contains(QStringLiteral(" × "))) return {};
  const QString elided = metrics.elidedText(fitting, Qt::ElideRight, width);
  // Without its end a number reads as another one, and without the number that follows, words may
  // say another thing.
  static const QRegularExpression numbers(QStringLiteral("[\\d%]"));
  const qsizetype kept = std::max<qsizetype>(0, elided.size() - 1);
  const QString before = fitting.first(kept).trimmed();
  const bool cutsNumber =
      fitting.sliced(kept).contains(numbers) || (!before.isEmpty() && before.back().isDigit());
  return cutsNumber ? QString() : elided;
}

QString mapText(ShownMap map) {
  switch (map) {
    case ShownMap::Convolution:
      return QStringLiteral("convolution");
    case ShownMap::Effective:
      return QStringLiteral("effective map (attention + convolution)");
    case ShownMap::Kernel:
      return QStringLiteral("exact kernel that landmarks stand for");
    case ShownMap::GradientProduct:
      return QStringLiteral("attention × gradient of a class");
    case ShownMap::Attention:
      break;
  }
  return QStringLiteral("attention");
}

QString mapText(const LayerInspection& layer, ShownMap map) {
  if (map != ShownMap::GradientProduct || !layer.gradientProduct) return mapText(map);
  return QStringLiteral("attention × gradient of ") +
         QString::fromStdString(layer.gradientProduct->logit().name);
}

QString layerText(const LayerInspection& layer, const QString& note, ShownMap map) {
  return layerText(layer.attention->description(), note,
                   map == ShownMap::Attention ? QString() : mapText(layer, map));
}

QString layerText(const AttentionDescription& attention, const QString& note, const QString& map) {
  QString text = QString::fromStdString(titleOfMechanism(attention.mechanism));
  const bool hasLandmarks = attention.landmarks || takesLandmarks(attention.mechanism);
  const QString ofLayer =
      hasLandmarks ? note : QString::fromStdString(noteWithoutLandmarks(note.toStdString()));
  if (!ofLayer.isEmpty()) text += QStringLiteral(" (%1)").arg(ofLayer);
  if (!map.isEmpty()) text += QStringLiteral(", ") + map;
  text += attention.heads == 1 ? QStringLiteral(" · 1 head")
                               : QStringLiteral(" · %1 heads").arg(attention.heads);
  text += channelText(attention);
  text += QStringLiteral(" · ") + tokensText(attention);
  text += windowsText(attention);
  if (attention.landmarks) text += QStringLiteral(" · %1 landmarks").arg(*attention.landmarks);
  return text;
}

QString sideText(const AttentionDescription& attention, Direction direction) {
  const bool rows = direction == Direction::Rows;
  if (mixesChannels(attention)) {
    return QStringLiteral("%1 channels of %2")
        .arg(rows ? attention.queries : attention.keys)
        .arg(rows ? QStringLiteral("Q") : QStringLiteral("K"));
  }
  const std::optional<TokenGrid>& grid = rows ? attention.queryGrid : attention.keyGrid;
  const int count = rows ? attention.queries : attention.keys;
  const int prefix = singleTokens(attention, direction);
  QStringList parts;
  parts += prefixText(attention, prefix);
  if (grid) parts += gridText(*grid) + QStringLiteral(" patches");
  if (!grid && count > prefix) parts += QStringLiteral("%1 tokens").arg(count - prefix);
  return (rows ? QStringLiteral("queries: ") : QStringLiteral("keys: ")) +
         parts.join(QStringLiteral(", "));
}

QString questionText(const AttentionDescription& attention, Direction direction, int token,
                     ShownMap map) {
  QString name = QString::fromStdString(tokenName(attention, direction, token));
  if (showsWholeMatrix(attention)) {
    return QStringLiteral("how much %1 attend to each other").arg(name);
  }
  if (name.endsWith(QStringLiteral("token"))) name.prepend(QStringLiteral("the "));
  const bool rows = direction == Direction::Rows;
  if (map == ShownMap::Kernel) {
    return (rows ? QStringLiteral("what %1 is like") : QStringLiteral("what is like %1")).arg(name);
  }
  if (map == ShownMap::GradientProduct) {
    return (rows ? QStringLiteral("what in the attention of %1 speaks for the class")
                 : QStringLiteral("whose attention to %1 speaks for the class"))
        .arg(name);
  }
  if (map != ShownMap::Attention) {
    return (rows ? QStringLiteral("what %1 takes in") : QStringLiteral("who takes in %1"))
        .arg(name);
  }
  return (rows ? QStringLiteral("what %1 attends to") : QStringLiteral("who attends to %1"))
      .arg(name);
}

QString className(const ModelSummary& summary, int classIndex) {
  const auto index = static_cast<std::size_t>(classIndex);
  if (index < summary.classNames.size()) return QString::fromStdString(summary.classNames[index]);
  return QStringLiteral("class %1").arg(classIndex);
}

QString confidenceText(const Prediction& prediction) {
  if (!prediction.probability) {
    return QStringLiteral("logit %1").arg(valueText(prediction.logit, 3));
  }
  return QStringLiteral("%1 %").arg(double(*prediction.probability) * 100, 0, 'f', 1);
}

QString predictionText(const ModelSummary& summary, const Prediction& prediction) {
  return className(summary, prediction.classIndex) + u' ' + confidenceText(prediction);
}

QPointF placeInRegion(const PictureExtent& extent, const PictureQuery& query) {
  const PictureQuery seen = withinSeen(extent, query);
  return {seen.x, seen.y};
}

}  // namespace softscope
