#pragma once

#include "core/analysis/registry/Analyses.h"

#include <map>
#include <string>
#include <tuple>

namespace softscope {

/// The layers and models that analyses with several curves show.
struct AnalysisScope {
  /// True to show every layer instead of the chosen one.
  bool allLayers = false;
  /// True to show every open model instead of the current one.
  bool allModels = false;

  bool operator==(const AnalysisScope&) const = default;
};

inline constexpr std::tuple scopeSettings{
    FlagSetting<AnalysisScope>{{.key = "allLayers", .label = "All layers"},
                               &AnalysisScope::allLayers},
    FlagSetting<AnalysisScope>{{.key = "allModels", .label = "All models"},
                               &AnalysisScope::allModels}};

namespace detail {

template <typename A>
auto settingsTuple() {
  if constexpr (HasSettings<A>) {
    return std::tuple<typename A::Settings>();
  } else {
    return std::tuple<>();
  }
}

template <typename... Each>
auto settingsOf(AnalysisList<Each...>) {
  return std::tuple_cat(settingsTuple<Each>()...);
}

}  // namespace detail

/// Returns the settings of an analysis that files keep and copied commands name.
template <HasSettings A>
constexpr const auto& fileSettingsOf() {
  if constexpr (requires { A::fileSettings; }) {
    return A::fileSettings;
  } else {
    return A::settingList;
  }
}

/// The settings of every analysis, as chosen on its page or on its command line.
class AnalysisSettings {
 public:
  /// Returns the layers and models that an analysis shows, given by its name, such as `spectrum`.
  AnalysisScope scopeOf(const std::string& analysis) const {
    const auto found = scopes_.find(analysis);
    return found == scopes_.end() ? defaultScope(analysis) : found->second;
  }
  /// Returns the scope that an analysis has until the user chooses another.
  static AnalysisScope defaultScope(const std::string& analysis) {
    AnalysisScope scope;
    forEachAnalysis(Analyses(), [&]<typename A>() {
      if (analysis != A::about.name) return;
      scope.allModels = A::about.comparesModels;
      scope.allLayers = A::about.showsLayers;
    });
    return scope;
  }
  /// Sets the layers and models that one analysis shows; those of all others stay.
  void setScope(const std::string& analysis, const AnalysisScope& scope) {
    if (scope == defaultScope(analysis)) {
      scopes_.erase(analysis);
    } else {
      scopes_[analysis] = scope;
    }
  }

  /// Returns the settings of the analysis that has `Settings`: `settings.of<SpectrumSettings>()`.
  template <typename Settings>
  Settings& of() {
    return std::get<Settings>(all_);
  }
  template <typename Settings>
  const Settings& of() const {
    return std::get<Settings>(all_);
  }

  bool operator==(const AnalysisSettings&) const = default;

 private:
  /// Only the scopes that are not at their defaults.
  std::map<std::string, AnalysisScope> scopes_;
  decltype(detail::settingsOf(Analyses())) all_;
};

}  // namespace softscope
