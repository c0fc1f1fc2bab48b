#include "core/model/ModelRequest.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(RequestJson, ComesBackAsItWas) {
  ModelRequest request;
  EXPECT_EQ(requestOfJson(requestJson(request)), request);
  request.attention = "soft++";
  request.architecture = "soft";
  request.heads = 3;
  request.landmarks = {LandmarkSource::Random, 16, 5};
  request.activation = "relu";
  request.epsilon = "1e-05";
  request.norm = "post";
  request.pooling = "mean";
  request.mean = "0.1,0.2,0.3";
  request.deviation = "half";
  request.weights = "ema";
  request.classNames = "/data/names.txt";
  request.device = "cuda:1";
  request.ignoresUnexpected = true;
  EXPECT_EQ(requestOfJson(requestJson(request)), request);
  request.heads = HeadCounts({1, 3, 4});
  EXPECT_EQ(requestOfJson(requestJson(request)), request);
}

TEST(RequestJson, OfOtherTextIsWhatItUnderstands) {
  for (const char* text :
       {"", "[}", "[]", "3", "{}", R"({"heads": "three", "arch": 4, "device": 1})"}) {
    EXPECT_EQ(requestOfJson(text), ModelRequest()) << text;
  }
  EXPECT_EQ(requestOfJson(R"({"heads": 2.5, "attention": "sima"})").attention, "sima");
}

}  // namespace
}  // namespace softscope
