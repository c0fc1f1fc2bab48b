#include "core/checkpoint/PickledRoot.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/PickledValues.h"

#include <gmock/gmock.h>

#include <string>

namespace softscope {
namespace {

using testing::HasSubstr;

class PickledRoot : public testing::Test {
 protected:
  PickleValue* stateDict() {
    PickleValue* dictionary = values_.make(PickleValue::Kind::Dict);
    values_.add(*dictionary, "blocks.0.weight", values_.tensor({2, 2}));
    return dictionary;
  }

  const PickleValue& rootOf(const PickleValue& value) {
    WorkBudget work(1 << 20);
    return rootOfWeights(value, work);
  }

  std::string refusalOf(const PickleValue& value) {
    return test::messageOf<Malformed>([&] { rootOf(value); });
  }

  test::PickledValues values_;
};

TEST_F(PickledRoot, IsTheOneStateDictInATuple) {
  const PickleValue* state = stateDict();
  EXPECT_EQ(&rootOf(*values_.tuple({values_.number(3), state})), state);
  EXPECT_EQ(&rootOf(*values_.tuple({values_.tensor({1}), state})), state);
  EXPECT_EQ(&rootOf(*state), state);
  PickleValue* keyed = values_.make(PickleValue::Kind::Dict);
  values_.add(*keyed, "model", state);
  EXPECT_EQ(&rootOf(*values_.tuple({values_.number(3), keyed})), keyed);
  PickleValue* module = values_.module("author.Network");
  values_.put(*module, "_parameters", "weight", values_.tensor({2}));
  EXPECT_EQ(&rootOf(*values_.tuple({module, values_.number(3)})), module);
  const PickleValue* numbers = values_.tuple({values_.number(1), values_.number(2)});
  EXPECT_EQ(&rootOf(*numbers), numbers);
}

TEST_F(PickledRoot, IsNoneOfSeveralAndNoneWithoutNames) {
  EXPECT_THAT(refusalOf(*values_.tuple({stateDict(), stateDict()})),
              HasSubstr("list of several networks' weights"));
  EXPECT_THAT(refusalOf(*values_.tuple({values_.tensor({2}), values_.tensor({3})})),
              HasSubstr("tensors without names"));
  const PickleValue* pair = values_.tuple({values_.text("blocks.0.weight"), values_.tensor({2})});
  EXPECT_THAT(refusalOf(*values_.tuple({pair})), HasSubstr("save the dict() of it"));
}

}  // namespace
}  // namespace softscope
