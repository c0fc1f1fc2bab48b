#include "core/Error.h"
#include "core/attention/LandmarkTokens.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace softscope {
namespace {

using TokenGroups = std::vector<std::vector<int>>;

const TokenGrid squareLandmarkGrid{8, 8};

LandmarkTokens chosenOf(const LandmarkChoice& choice, const TokenGrid& grid = squareLandmarkGrid) {
  return chosenTokens(choice, grid, windowTokens(grid, 4), "block1.0");
}

TEST(LandmarkChoice, SaysWhatIsNotAsTrained) {
  EXPECT_EQ(LandmarkChoice().text(), "");
  EXPECT_EQ((LandmarkChoice{LandmarkSource::Pooled}).text(), "pooled landmarks");
  EXPECT_EQ((LandmarkChoice{LandmarkSource::First, 9}).text(), "9 first landmarks");
  EXPECT_EQ((LandmarkChoice{LandmarkSource::Random, {}, 3}).text(), "random landmarks, seed 3");
  for (const LandmarkSource source : landmarkSources) {
    EXPECT_EQ(landmarkSourceNamed(nameOf(source)), source);
  }
  EXPECT_FALSE(landmarkSourceNamed("pool"));
}

TEST(LandmarkTokens, PooledAreTheWindowsThatWereTrained) {
  const LandmarkTokens landmarks = chosenOf({LandmarkSource::Pooled});
  EXPECT_EQ(landmarks.grid, (TokenGrid{2, 2}));
  ASSERT_EQ(landmarks.count(), 4);
  EXPECT_EQ(landmarks.groups[2],
            (std::vector<int>{32, 33, 34, 35, 40, 41, 42, 43, 48, 49, 50, 51, 56, 57, 58, 59}));
}

TEST(LandmarkTokens, PooledOfAnotherNumberDivideTheGridEvenly) {
  const LandmarkTokens landmarks = chosenOf({LandmarkSource::Pooled, 6}, {5, 9});
  EXPECT_EQ(landmarks.grid, (TokenGrid{2, 3})) << "cells as square as can be";
  EXPECT_EQ(landmarks.groups.front(), (std::vector<int>{0, 1, 2, 9, 10, 11}));
  std::set<int> all;
  std::size_t tokens = 0;
  for (const std::vector<int>& group : landmarks.groups) {
    tokens += group.size();
    all.insert(group.begin(), group.end());
  }
  EXPECT_EQ(tokens, 45u);
  EXPECT_EQ(all.size(), 45u) << "every token once";
  EXPECT_EQ(chosenOf({LandmarkSource::Pooled, 7}, {5, 9}).grid, (TokenGrid{1, 7}));
}

TEST(LandmarkTokens, PooledAreRunsWhereTheTrainedOnesAre) {
  const LandmarkTokens runs = chosenTokens({LandmarkSource::Pooled, 3}, squareLandmarkGrid,
                                           runTokens(squareLandmarkGrid.count(), 16), "tokens");
  EXPECT_FALSE(runs.grid);
  ASSERT_EQ(runs.count(), 3);
  EXPECT_EQ(runs.groups[0].size(), 21u);
  EXPECT_EQ(runs.groups[2].size(), 22u);
  EXPECT_EQ(runs.groups[2].back(), 63);
}

TEST(LandmarkTokens, FirstAreTheFirst) {
  EXPECT_EQ(chosenOf({LandmarkSource::First}).groups, (TokenGroups{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(chosenOf({LandmarkSource::First, 2}).groups, (TokenGroups{{0}, {1}}));
}

TEST(LandmarkTokens, RandomAreDistinctAndFollowTheSeedAlone) {
  const LandmarkChoice choice{LandmarkSource::Random, 40, 7};
  const LandmarkTokens landmarks = chosenOf(choice);
  std::set<int> tokens;
  for (const std::vector<int>& group : landmarks.groups) {
    ASSERT_EQ(group.size(), 1u);
    EXPECT_GE(group.front(), 0);
    EXPECT_LT(group.front(), 64);
    tokens.insert(group.front());
  }
  EXPECT_EQ(tokens.size(), 40u);
  EXPECT_FALSE(landmarks.grid);
  EXPECT_EQ(chosenOf(choice).groups, landmarks.groups);
  EXPECT_NE(chosenOf({LandmarkSource::Random, 40, 8}).groups, landmarks.groups);
  EXPECT_EQ(chosenOf({LandmarkSource::Random, 64, 8}).groups,
            chosenOf({LandmarkSource::First, 64}).groups)
      << "all of them";
}

TEST(LandmarkTokens, ASeedMeansTheSameEverywhere) {
  // The first numbers of mt19937_64 with seed 0 are 2947667278772165694, 18301848765998365067 and
  // 729919693006235833.
  EXPECT_EQ(chosenOf({LandmarkSource::Random, 3, 0}).groups, (TokenGroups{{23}, {60}, {62}}));
}

TEST(LandmarkTokens, WhatDoesNotFitNamesTheLayer) {
  for (const auto& [choice, phrase] :
       {std::pair{LandmarkChoice{LandmarkSource::Random, 65}, "too few for 65 landmarks"},
        std::pair{LandmarkChoice{LandmarkSource::First, 65}, "--landmark-count"},
        std::pair{LandmarkChoice{LandmarkSource::Pooled, 53}, "8 x 8 patches"}}) {
    try {
      chosenOf(choice);
      ADD_FAILURE() << phrase;
    } catch (const InspectionError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(phrase), std::string::npos) << message;
      EXPECT_NE(message.find("block1.0"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace softscope
