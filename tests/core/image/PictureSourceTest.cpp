#include "core/Error.h"
#include "core/image/Picture.h"
#include "core/image/PictureReading.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/image/PictureBytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>

namespace softscope::test {
namespace {

using testing::HasSubstr;

PictureReading ranged(const std::string& text, int page = 1) {
  return {ExifOrientation::Apply, parseSampleRange(text).value(), page};
}

Picture decoded(const Bytes& bytes, const PictureReading& reading = {}) {
  return decodePicture(bytes.data(), bytes.size(), "drawn", reading);
}

std::string noteOn(const Picture& picture) {
  return sourceNote(picture.source, OptionsInNote::Unnamed);
}

Bytes redsOf(const Picture& picture) {
  Bytes reds;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) reds.push_back(picture.rgb[i]);
  return reds;
}

std::string refusalOf(const Bytes& bytes, const PictureReading& reading = {}) {
  return test::messageOf<PictureError>([&] { decoded(bytes, reading); });
}

/// As a microscope writes it: grey, dim, of 16 bits.
TiffPage dimPage(std::uint16_t first = 254) {
  return {.width = 4, .height = 1, .pixels = wide({first, 1000, 2000, 3250})};
}

TEST(SampleRange, IsReadAndWritten) {
  for (const char* text : {"full", "auto", "0,1", "254,3250", "0,65535"}) {
    EXPECT_EQ(sampleRangeText(parseSampleRange(text).value()), text);
  }
  for (const char* text : {"", "Full", "1", ",", "1,", ",2", "2,1", "3,3", "-1,5", "1,65536",
                           "1,2,3", "1 ,2", "0x1,5", "1.5,3", "99999999999,1"}) {
    EXPECT_FALSE(parseSampleRange(text)) << text;
  }
}

TEST(SampleRange, OfAllValuesKeepsTheUpperByteAndSaysSo) {
  const Picture picture = decoded(tiffOf({dimPage()}));
  EXPECT_EQ(redsOf(picture), (Bytes{0, 3, 7, 12}));
  EXPECT_EQ(noteOn(picture), "16-bit, values 254 to 3 250 of 65 535, shown from 0 to 65 535");
  EXPECT_EQ(
      sourceNote(picture.source, OptionsInNote::Named),
      "16-bit, values 254 to 3 250 of 65 535, shown from 0 to 65 535 (--levels auto or LOW,HIGH "
      "for other ends)");
}

TEST(SampleRange, MayBeThePicturesOwn) {
  const Picture picture = decoded(tiffOf({dimPage()}), ranged("auto"));
  EXPECT_EQ(redsOf(picture), (Bytes{0, 63, 149, 255}));
  EXPECT_EQ(noteOn(picture), "16-bit, values 254 to 3 250 of 65 535, shown from 254 to 3 250");
  const Picture flat =
      decoded(tiffOf({{.width = 2, .height = 1, .pixels = wide({700, 700})}}), ranged("auto"));
  EXPECT_EQ(redsOf(flat), (Bytes{0, 0}));
}

TEST(SampleRange, MayBeGiven) {
  const Picture picture = decoded(tiffOf({dimPage()}), ranged("1000,2000"));
  EXPECT_EQ(redsOf(picture), (Bytes{0, 0, 255, 255}));
  EXPECT_EQ(noteOn(picture), "16-bit, values 254 to 3 250 of 65 535, shown from 1 000 to 2 000");
}

TEST(SampleRange, OfOneChannelIsOfAll) {
  TiffPage page{
      .width = 1, .height = 1, .samples = 3, .photometric = 2, .pixels = wide({100, 200, 300})};
  EXPECT_EQ(decoded(tiffOf({page}), ranged("auto")).rgb, (Bytes{0, 128, 255}));
}

TEST(SampleRange, OfTheAlphaChannelDoesNotCount) {
  TiffPage page{.width = 1,
                .height = 1,
                .samples = 4,
                .photometric = 2,
                .pixels = wide({100, 200, 300, 60000})};
  page.tags[338] = 2;
  const Picture picture = decoded(tiffOf({page}), ranged("auto"));
  EXPECT_EQ(picture.rgb, (Bytes{0, 128, 255}));
  EXPECT_TRUE(picture.source.lostAlpha);
}

TEST(SampleRange, StretchesEightBitsToo) {
  const Picture plain = readPicture(fixture("rgb.png"));
  EXPECT_EQ(noteOn(plain), "");
  const Picture stretched = readPicture(fixture("rgb.png"), ranged("auto"));
  const auto [low, high] = std::ranges::minmax(plain.rgb);
  ASSERT_GT(low, 0);
  EXPECT_EQ(*std::ranges::min_element(stretched.rgb), 0);
  EXPECT_EQ(*std::ranges::max_element(stretched.rgb), 255);
  EXPECT_EQ(noteOn(stretched), "8-bit, values " + std::to_string(low) + " to " +
                                   std::to_string(high) + " of 255, shown from " +
                                   std::to_string(low) + " to " + std::to_string(high));
}

TEST(SampleRange, OfPngIsThatOfTiff) {
  const Picture png = readPicture(fixture("grey16.png"), ranged("auto"));
  const Picture tiff = readPicture(fixture("grey16.tif"), ranged("auto"));
  EXPECT_EQ(largestDifference(png, tiff), 0);
  EXPECT_EQ(noteOn(png), noteOn(tiff));
}

TEST(TiffPages, CanEachBeRead) {
  std::vector<TiffPage> stack;
  for (const std::uint16_t first : {256, 512, 768}) stack.push_back(dimPage(first));
  stack.push_back({.width = 1, .height = 2, .bits = 8, .pixels = {9, 8}});
  const Bytes file = tiffOf(stack);
  for (int page = 1; page <= 3; ++page) {
    const Picture picture = decoded(file, ranged("full", page));
    EXPECT_EQ(picture.rgb[0], page);
    EXPECT_THAT(noteOn(picture), HasSubstr("; page " + std::to_string(page) + " of 4"));
  }
  const Picture last = decoded(file, ranged("full", 4));
  EXPECT_EQ(redsOf(last), (Bytes{9, 8}));
  EXPECT_EQ(noteOn(last), "page 4 of 4");
  EXPECT_THAT(sourceNote(decoded(file).source, OptionsInNote::Named),
              HasSubstr("page 1 of 4 (--page N for another)"));
  EXPECT_THAT(refusalOf(file, ranged("full", 5)), HasSubstr("it holds 4; --page is from 1 to 4"));
}

TEST(TiffPages, OfAThousandAreCounted) {
  const Bytes file = tiffOf(std::vector<TiffPage>(1000, dimPage()));
  EXPECT_THAT(noteOn(decoded(file)), HasSubstr("page 1 of 1 000"));
  EXPECT_EQ(decoded(file, ranged("auto", 1000)).source.lowest, 254);
}

TEST(TiffPages, ThatGoInACircleAreRefused) {
  Bytes file = tiffOf({dimPage(), dimPage()});
  std::copy_n(file.begin() + 4, 4, file.end() - 4);
  EXPECT_THAT(refusalOf(file), HasSubstr("go in a circle"));
  EXPECT_THAT(refusalOf(file, ranged("full", mostPicturePages)), HasSubstr("go in a circle"));
}

TEST(TiffPages, ThatAreCutShortAreRefusedAndThoseBeforeAreRead) {
  Bytes file = tiffOf({dimPage(), dimPage()});
  file.resize(file.size() - 30);
  EXPECT_EQ(redsOf(decoded(file)), (Bytes{0, 3, 7, 12}));
  EXPECT_NE(refusalOf(file, ranged("full", 2)), "");
}

TEST(TiffPages, OfImageJsStacksAreSaidAndNotRead) {
  TiffPage page = dimPage();
  page.description = "ImageJ=1.53\nimages=700\nslices=700\n";
  EXPECT_THAT(noteOn(decoded(tiffOf({page}))), HasSubstr("page 1 of 700"));
  EXPECT_THAT(refusalOf(tiffOf({page}), ranged("full", 2)), HasSubstr("a stack of ImageJ's"));
}

TEST(Pages, OfOtherFormatsAreOne) {
  for (const char* name : {"rgb.png", "rgb.jpg", "rgb.webp", "rgb.bmp"}) {
    EXPECT_THAT(refusalOf(readFile(fixture(name)), ranged("full", 2)),
                HasSubstr("it holds one picture; leave out --page"))
        << name;
  }
}

TEST(Pages, OfAnAnimatedPngAreSaid) {
  const Bytes animated = pngWith(readFile(fixture("rgb.png")), "acTL", {0, 0, 0, 7, 0, 0, 0, 0});
  EXPECT_EQ(noteOn(decoded(animated)), "frame 1 of 7");
  EXPECT_THAT(refusalOf(animated, ranged("full", 2)), HasSubstr("the first frame is read"));
}

/// The picture, of orientation 6, is turned as it should be, and not where that is ignored.
void expectTurned(const Bytes& bytes, const char* what) {
  constexpr int lossyDifference = 20;
  const Picture turned = decoded(bytes);
  EXPECT_EQ(turned.width, 16) << what;
  EXPECT_LE(largestDifference(turned, expectedPixels("turned_6")), lossyDifference) << what;
  EXPECT_EQ(decoded(bytes, asPublished).width, 24) << what;
}

const std::string xmpAttribute = "<x:xmpmeta><rdf:Description tiff:Orientation=\"6\"/></x:xmpmeta>";
const std::string xmpElement = "<x:xmpmeta><tiff:Orientation> 6 </tiff:Orientation></x:xmpmeta>";

/// An EXIF block that holds nothing but an orientation.
Bytes exifOf(int orientation) {
  Bytes block = bytesOf("II*");
  append(block, 0, 1);
  append(block, 8, 4);
  append(block, 1, 2);
  append(block, 274, 2);
  append(block, 3, 2);
  append(block, 1, 4);
  append(block, static_cast<std::uint64_t>(orientation), 4);
  append(block, 0, 4);
  return block;
}

std::string hexadecimal(const Bytes& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
    if (i % 36 == 35) text += '\n';
  }
  return text;
}

Bytes keyed(const std::string& key, const std::string& rest) {
  return bytesOf(key + '\0' + rest);
}

TEST(StatedOrientation, InPngMayBeWhereImageMagickPutsIt) {
  const Bytes png = readFile(fixture("rgb.png"));
  Bytes exif = bytesOf(std::string("Exif\0\0", 6));
  append(exif, exifOf(6));
  const std::string raw =
      "\nexif\n" + std::to_string(exif.size()) + "\n" + hexadecimal(exif) + "\n";
  expectTurned(pngWith(png, "tEXt", keyed("Raw profile type exif", raw)), "raw exif");
  expectTurned(pngWith(png, "tEXt", keyed("Raw profile type APP1", raw)), "raw APP1");
  expectTurned(pngWith(png, "iTXt", keyed("Raw profile type exif", std::string(4, '\0') + raw)),
               "international text");
  expectTurned(pngWith(png, "tEXt", keyed("exif:Orientation", "6")), "exif:Orientation");
  expectTurned(pngWith(png, "eXIf", exifOf(6)), "eXIf");
}

TEST(StatedOrientation, MayStandInXmp) {
  for (const std::string& xmp : {xmpAttribute, xmpElement}) {
    expectTurned(pngWith(readFile(fixture("rgb.png")), "iTXt",
                         keyed("XML:com.adobe.xmp", std::string(4, '\0') + xmp)),
                 "PNG");
    Bytes jpeg = readFile(fixture("rgb.jpg"));
    const Bytes content = keyed("http://ns.adobe.com/xap/1.0/", xmp);
    Bytes segment{0xff, 0xe1, 0, static_cast<std::uint8_t>(content.size() + 2)};
    append(segment, content);
    jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
    expectTurned(jpeg, "JPEG");
    const Picture base = expectedPixels("rgb");
    TiffPage page{
        .width = 24, .height = 16, .samples = 3, .bits = 8, .photometric = 2, .pixels = base.rgb};
    page.blocks[700] = bytesOf(xmp);
    expectTurned(tiffOf({page}), "TIFF");
    page.tags[274] = 1;
    EXPECT_EQ(decoded(tiffOf({page})).width, 24) << "TIFF's own tag comes first";
  }
}

TEST(StatedOrientation, InXmpOfWebp) {
  // RIFF, an extended header that says so, the fixture's picture, and the packet.
  const Bytes plain = readFile(fixture("rgb_lossless.webp"));
  Bytes body = bytesOf("WEBPVP8X");
  append(body, 10, 4);
  append(body, 4, 4);
  append(body, 23, 3);
  append(body, 15, 3);
  body.insert(body.end(), plain.begin() + 12, plain.end());
  append(body, bytesOf("XMP "));
  append(body, xmpElement.size(), 4);
  append(body, bytesOf(xmpElement));
  if (body.size() % 2 != 0) body.push_back(0);
  Bytes file = bytesOf("RIFF");
  append(file, body.size(), 4);
  append(file, body);
  expectTurned(file, "WebP");
}

TEST(StatedOrientation, OfExifComesBeforeXmps) {
  Bytes png = pngWith(readFile(fixture("rgb.png")), "iTXt",
                      keyed("XML:com.adobe.xmp", std::string(4, '\0') + xmpAttribute));
  EXPECT_EQ(decoded(pngWith(png, "eXIf", exifOf(1))).width, 24);
  EXPECT_EQ(decoded(pngWith(png, "eXIf", exifOf(9))).width, 16) << "there is no orientation 9";
}

TEST(StatedOrientation, ThatIsNoneIsPassedOver) {
  const Bytes png = readFile(fixture("rgb.png"));
  for (const char* xmp : {"tiff:Orientation", "tiff:Orientation=\"9\"", "tiff:Orientation=\"66\"",
                          "tiff:Orientation=\"6", "tiff:Orientation6"}) {
    EXPECT_EQ(
        decoded(pngWith(png, "iTXt", keyed("XML:com.adobe.xmp", std::string(4, '\0') + xmp))).width,
        24)
        << xmp;
  }
  for (const char* raw : {"", "\n", "\nexif\n", "\nexif\n5\nzz", "\nexif\n5\n4949"}) {
    EXPECT_EQ(decoded(pngWith(png, "tEXt", keyed("Raw profile type exif", raw))).width, 24);
  }
}

/// Big-endian, as profiles are: a table of one tag, the description.
Bytes profileCalled(const std::string& name) {
  Bytes profile(128);
  const auto big = [&](std::uint32_t value) {
    for (int i = 3; i >= 0; --i) profile.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  big(1);
  append(profile, bytesOf("desc"));
  big(144);
  big(static_cast<std::uint32_t>(13 + name.size()));
  append(profile, bytesOf("desc"));
  big(0);
  big(static_cast<std::uint32_t>(name.size() + 1));
  append(profile, bytesOf(name + '\0'));
  return profile;
}

TEST(ColorProfile, ThatIsNotAppliedIsNamed) {
  const Picture base = expectedPixels("rgb");
  TiffPage page{
      .width = 24, .height = 16, .samples = 3, .bits = 8, .photometric = 2, .pixels = base.rgb};
  page.blocks[34675] = profileCalled("Display P3");
  EXPECT_EQ(noteOn(decoded(tiffOf({page}))), "its colour profile Display P3 not applied");
  for (const char* name : {"sRGB IEC61966-2.1", "sRGB built-in"}) {
    page.blocks[34675] = profileCalled(name);
    EXPECT_EQ(noteOn(decoded(tiffOf({page}))), "") << name;
  }
  for (const Bytes& broken : {Bytes(5), Bytes(132, 0xff), profileCalled("")}) {
    page.blocks[34675] = broken;
    EXPECT_EQ(noteOn(decoded(tiffOf({page}))), "its colour profile not applied");
  }
  Bytes jpeg = readFile(fixture("rgb.jpg"));
  Bytes content = bytesOf(std::string("ICC_PROFILE\0\1\1", 14));
  append(content, profileCalled("Adobe RGB (1998)"));
  Bytes segment{0xff, 0xe2, 0, static_cast<std::uint8_t>(content.size() + 2)};
  append(segment, content);
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  EXPECT_EQ(noteOn(decoded(jpeg)), "its colour profile Adobe RGB (1998) not applied");
}

TEST(ColorProfile, OfPngMayBeAGammaOrCodes) {
  const Bytes png = readFile(fixture("rgb.png"));
  EXPECT_EQ(noteOn(decoded(pngWith(png, "gAMA", {0, 1, 0x86, 0xa0}))),
            "its gamma of 1.000 not applied");
  EXPECT_EQ(noteOn(decoded(pngWith(png, "gAMA", {0, 0, 0xb1, 0x8f}))), "") << "1 / 2.2";
  EXPECT_EQ(noteOn(decoded(pngWith(png, "cICP", {9, 16, 0, 1}))),
            "its colour space (primaries 9, transfer 16) not applied");
  EXPECT_EQ(noteOn(decoded(pngWith(png, "cICP", {1, 13, 0, 1}))), "");
}

TEST(TiffColors, MultipliedByAlphaAreDividedAtTheirDepth) {
  // 20 000 and 40 000 at an alpha of 3 000, which 8 bits cannot tell from 11.
  const auto multiplied = [](std::uint32_t value) {
    return static_cast<std::uint16_t>((value * 3000 + 32'767) / 65'535);
  };
  TiffPage page{.width = 1,
                .height = 1,
                .samples = 4,
                .photometric = 2,
                .pixels = wide({multiplied(20'000), multiplied(40'000), multiplied(60'000), 3000})};
  page.tags[338] = 1;
  const Picture picture = decoded(tiffOf({page}));
  EXPECT_EQ(picture.rgb, (Bytes{78, 156, 234}));
  EXPECT_TRUE(picture.source.lostAlpha);
}

TEST(TiffColors, OfNegativesOf16BitsAreTurned) {
  const TiffPage page{.width = 2, .height = 1, .photometric = 0, .pixels = wide({65'535, 0})};
  EXPECT_EQ(redsOf(decoded(tiffOf({page}))), (Bytes{0, 255}));
}

struct RefusedTiff {
  const char* name;
  TiffPage page;
  const char* phrase;
};

std::ostream& operator<<(std::ostream& stream, const RefusedTiff& tiff) {
  return stream << tiff.name;
}

const RefusedTiff refusedTiffs[] = {
    {"Lab",
     {.width = 1, .height = 1, .samples = 3, .bits = 8, .photometric = 8, .pixels = Bytes(3)},
     "in L*a*b* colours"},
    {"Lab16",
     {.width = 1, .height = 1, .samples = 3, .photometric = 8, .pixels = Bytes(6)},
     "in L*a*b* colours"},
    {"IccLab",
     {.width = 1, .height = 1, .samples = 3, .bits = 8, .photometric = 9, .pixels = Bytes(3)},
     "in L*a*b* colours"},
    {"Cmyk16",
     {.width = 1, .height = 1, .samples = 4, .photometric = 5, .pixels = Bytes(8)},
     "16-bit CMYK"},
    {"OtherInks",
     {.width = 1,
      .height = 1,
      .samples = 4,
      .bits = 8,
      .photometric = 5,
      .pixels = Bytes(4),
      .tags = {{332, 2}}},
     "inks that are not CMYK"},
    {"RawSamples",
     {.width = 1, .height = 1, .photometric = 32803, .pixels = Bytes(2)},
     "a camera's raw samples"},
    {"UnknownColours",
     {.width = 1, .height = 1, .photometric = 32844, .pixels = Bytes(2)},
     "colours are of kind 32844"},
    {"Palette16",
     {.width = 1, .height = 1, .photometric = 3, .pixels = Bytes(2)},
     "a palette of 65536 colours"},
    {"ThreeGreys",
     {.width = 1, .height = 1, .samples = 3, .photometric = 1, .pixels = Bytes(6)},
     "3 channels that are not grey or RGB"},
    {"RgbOfTwo",
     {.width = 1, .height = 1, .samples = 2, .photometric = 2, .pixels = Bytes(4)},
     "2 channels that are not grey or RGB"},
    {"GreyTimesAlpha",
     {.width = 1,
      .height = 1,
      .samples = 2,
      .bits = 8,
      .photometric = 1,
      .pixels = Bytes(2),
      .tags = {{338, 1}}},
     "grey multiplied by alpha"},
    {"GreyAlpha16",
     {.width = 1,
      .height = 1,
      .samples = 2,
      .photometric = 1,
      .pixels = Bytes(4),
      .tags = {{338, 2}}},
     "16-bit grey with alpha"},
    {"Planes16",
     {.width = 1,
      .height = 1,
      .samples = 3,
      .photometric = 2,
      .pixels = Bytes(6),
      .tags = {{284, 2}}},
     "channels that stand apart"},
    {"Lerc",
     {.width = 1, .height = 1, .pixels = Bytes(2), .tags = {{259, 34887}}},
     "compression 34887"},
    {"Jpeg2000",
     {.width = 1, .height = 1, .pixels = Bytes(2), .tags = {{259, 34712}}},
     "compression 34712"},
    {"Signed",
     {.width = 1, .height = 1, .pixels = Bytes(2), .tags = {{339, 2}}},
     "16-bit signed or floating-point samples"},
    {"Bits12", {.width = 2, .height = 1, .bits = 12, .pixels = Bytes(3)}, "12-bit samples"},
};

class RefusedTiffColors : public testing::TestWithParam<RefusedTiff> {};

TEST_P(RefusedTiffColors, AreRefusedInWords) {
  EXPECT_THAT(refusalOf(tiffOf({GetParam().page})), HasSubstr(GetParam().phrase));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RefusedTiffColors, testing::ValuesIn(refusedTiffs),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(TiffColors, OfSeveralDepthsAreRefused) {
  Bytes file = tiffOf(
      {{.width = 1, .height = 1, .samples = 3, .bits = 8, .photometric = 2, .pixels = Bytes(3)}});
  const Bytes eights{8, 0, 8, 0, 8, 0};
  const auto bits = std::search(file.begin(), file.end(), eights.begin(), eights.end());
  ASSERT_NE(bits, file.end());
  *(bits + 4) = 16;
  EXPECT_THAT(refusalOf(file), HasSubstr("channels are of several kinds"));
}

TEST(NotedPictures, AreCountedInOneLine) {
  NotedPictures noted;
  noted.add("a.png", "");
  EXPECT_EQ(noted.text(), "");
  noted.add("b.tif", "page 1 of 2");
  EXPECT_EQ(noted.text(), "a picture is not fed as it is stored: b.tif: page 1 of 2");
  noted.add("c.tif", "page 1 of 3");
  EXPECT_EQ(noted.text(),
            "2 pictures are not fed as they are stored, the first: b.tif: page 1 of 2");
}

TEST(ReadingOptions, SayWhatIsNotTheDefault) {
  EXPECT_TRUE(readingOptions({}).empty());
  EXPECT_THAT(readingOptions({ExifOrientation::Ignore, parseSampleRange("1,2").value(), 3}),
              testing::ElementsAre("--exif", "off", "--levels", "1,2", "--page", "3"));
}

/// How many threads were at most in `use` at the same time, of two that read the file at `path`.
int togetherInUse(const std::string& path) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::latch begun(2);
  const auto work = [&] {
    begun.arrive_and_wait();
    usePicture(path, {}, [&](const Picture& picture) {
      EXPECT_GT(picture.width, 0);
      const int now = ++inside;
      most = std::max(most.load(), now);
      // Long enough for the other one to come, where it may.
      for (int i = 0; i < 400 && most < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --inside;
    });
  };
  std::thread other(work);
  work();
  other.join();
  return most;
}

TEST(UsePicture, TakesLargePicturesOneAtATime) {
  const TemporaryFolder folder;
  BmpRecipe recipe{.width = 4800,
                   .height = 4800,
                   .bits = 1,
                   .masks = {},
                   .palette = {{0, 0, 0}, {1, 1, 1}},
                   .pixels = Bytes(600u * 4800u)};
  writeFile(folder / "large.bmp", bmpOf(recipe));
  recipe.width = 48;
  recipe.height = 48;
  recipe.pixels.resize(8 * 48);
  writeFile(folder / "small.bmp", bmpOf(recipe));
  EXPECT_EQ(togetherInUse(folder / "large.bmp"), 1);
  EXPECT_EQ(togetherInUse(folder / "small.bmp"), 2);
}

/// Replaces the type of a tag that holds one short, in a little-endian TIFF.
Bytes withTypeOfTag(Bytes file, std::uint16_t tag, std::uint8_t type) {
  Bytes entry;
  append(entry, tag, 2);
  append(entry, 3, 2);
  append(entry, 1, 4);
  const auto found = std::search(file.begin(), file.end(), entry.begin(), entry.end());
  EXPECT_NE(found, file.end());
  found[2] = type;
  return file;
}

// The decoder reads these types of integers as well: BYTE, SBYTE, SSHORT, LONG and SLONG.
constexpr std::uint8_t otherIntegerTypes[] = {1, 6, 8, 4, 9};

TEST(TiffTags, OfOrientationMayBeAnyInteger) {
  TiffPage page{.width = 24,
                .height = 16,
                .samples = 3,
                .bits = 8,
                .photometric = 2,
                .pixels = expectedPixels("rgb").rgb};
  page.tags[274] = 6;
  for (const std::uint8_t type : otherIntegerTypes) {
    const Bytes tiff = withTypeOfTag(tiffOf({page}), 274, type);
    EXPECT_EQ(largestDifference(decoded(tiff), expectedPixels("turned_6")), 0);
    // A TIFF is turned by its own tag wherever it is read.
    EXPECT_EQ(decoded(tiff, asPublished).width, 16);
  }
}

TEST(TiffTags, OfAlphaMayBeAnyInteger) {
  TiffPage page{.width = 1,
                .height = 1,
                .samples = 4,
                .bits = 8,
                .photometric = 2,
                .pixels = {200, 100, 50, 128}};
  page.tags[338] = 2;
  for (const std::uint8_t type : otherIntegerTypes) {
    EXPECT_EQ(decoded(withTypeOfTag(tiffOf({page}), 338, type)).rgb, (Bytes{200, 100, 50}))
        << int{type};
  }
}

// Four bytes as they are, and one four times.
TEST(TiffRuns, AreRead) {
  const TiffPage page{.width = 4,
                      .height = 2,
                      .bits = 8,
                      .pixels = {3, 1, 2, 3, 4, 253, 9},
                      .tags = {{259, 32773}}};
  EXPECT_EQ(redsOf(decoded(tiffOf({page}))), (Bytes{1, 2, 3, 4, 9, 9, 9, 9}));
}

}  // namespace
}  // namespace softscope::test
