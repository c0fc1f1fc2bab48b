#pragma once

#include "core/survey/reading/SurveyAnswer.h"
#include "widgets/analysis/SurveyFigure.h"

#include <QtCore/QString>
#include <QtGui/QColor>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Returns a measure with its unit: `Attention distance (px)`
QString measureLabel(const SurveyIndex::Measure& measure);
/// Returns a label for an axis, where there is no space for long units; a long title is broken into
/// two lines.
QString measureAxisLabel(const SurveyIndex::Measure& measure);
/// Returns what a contrast of two measures subtracts: `Line score − Attention distance`.
QString measuresApart(const SurveyAnswer& answer);
QString surveyModelName(const SurveyAnswer& answer, int model);
/// Returns the class's name; empty if classes are taken together.
QString surveyClassName(const SurveyAnswer& answer, const std::optional<int>& ofClass);
/// Returns the full name of a series: `soft_tiny · block1.0.attn · head 3, cat`
QString surveySeriesName(const SurveyAnswer& answer, const SurveySeries& series);

/// Determines what stands side by side in a slot and in which colours: classes if these are shown
/// separately, otherwise models.
class SurveyPalette {
 public:
  explicit SurveyPalette(const SurveyAnswer& answer);

  bool byClass() const { return byClass_; }
  const std::vector<int>& models() const { return models_; }
  const std::vector<std::optional<int>>& classes() const { return classes_; }
  int classPlace(const std::optional<int>& ofClass) const;
  int modelPlace(int model) const;
  QColor color(const SurveySeries& series) const;
  /// Returns the legend entry of a series.
  QString group(const SurveySeries& series) const;
  /// Returns all legend entries, in the order of their places.
  std::vector<QString> groups() const;

 private:
  const SurveyAnswer& answer_;
  std::vector<int> models_;
  std::vector<std::optional<int>> classes_;
  bool byClass_;
  std::vector<QColor> colors_;
};

/// The slots of an axis: layers and heads side by side, each only once even if several models have
/// it.
class SurveySlots {
 public:
  SurveySlots(const SurveyIndex& index, const std::vector<const SurveySeries*>& series);

  int count() const { return static_cast<int>(places_.size()); }
  int of(const SurveyIndex& index, const SurveyIndex::Unit& unit) const;
  /// Returns the names below the slots: the layer's block at its first head, and the other heads'
  /// numbers as far as there is room.
  std::vector<QString> names() const;

 private:
  /// Layer name and head number of each slot.
  std::vector<std::pair<std::string, int>> places_;
};

// The parts of surveyDrawing(); each function adds the plots of one view.

void addDistributions(SurveyDrawing& drawing, const SurveyAnswer& answer,
                      const SurveyPalette& palette);
void addMeans(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);
void addDifferences(SurveyDrawing& drawing, const SurveyAnswer& answer,
                    const SurveyPalette& palette);
void addContrasts(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);
void addSteps(SurveyDrawing& drawing, const SurveyAnswer& answer);
void addHistograms(SurveyDrawing& drawing, const SurveyAnswer& answer,
                   const SurveyPalette& palette);
void addScatter(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);

/// Adds a plot, with what the points of its curves stand for.
void addPlot(SurveyDrawing& drawing, Plot plot, std::vector<std::vector<SurveyPoint>> points = {});

/// The fraction of a slot that is filled; placeInSlot() returns the position of the k-th of `count`
/// items in it.
inline constexpr double roomOfSlot = 0.8;
double placeInSlot(int slot, int k, int count);

/// Gives plots of one measure the same vertical axis, so that they can be compared.
void shareVerticalRange(std::vector<Plot>& plots);
/// Gives all plots the shape that the fullest of them needs, so that they align.
void shapePlots(std::vector<Plot>& plots);

}  // namespace softscope
