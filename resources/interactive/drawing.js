// Heat maps over the picture, on canvases.

/** A picture in colour and in grey, so that the colours of a heat map over it can be read. */
class PagePicture {
  constructor(image) {
    this.width = image.naturalWidth;
    this.height = image.naturalHeight;
    this.colored = document.createElement("canvas");
    this.grey = document.createElement("canvas");
    for (const canvas of [this.colored, this.grey]) {
      canvas.width = this.width;
      canvas.height = this.height;
    }
    const context = this.colored.getContext("2d", {willReadFrequently: true});
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, this.width, this.height);
    for (let i = 0; i < pixels.data.length; i += 4) {
      const [red, green, blue] = pixels.data.subarray(i, i + 3);
      pixels.data.fill((11 * red + 16 * green + 5 * blue) >> 5, i, i + 3);
    }
    this.grey.getContext("2d").putImageData(pixels, 0, 0);
  }
}

function loadedPicture(stored) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(new PagePicture(image));
    image.onerror = () => reject(new Error("the picture in this file cannot be decoded"));
    image.src = stored.src;
  });
}

/** The colour and opacity of each of 256 fractions: red, green, blue and alpha in [0, 255]. */
function paletteOf(colorMap, view, alone) {
  const palette = new Uint8ClampedArray(1024);
  for (let i = 0; i < 256; ++i) {
    const strength = colorMap.diverging ? Math.abs(2 * i / 255 - 1) : i / 255;
    const opacity = alone ? 1 : view.opacity * (view.fades ? strength : 1);
    palette.set(colorMap.bytes.subarray(3 * i, 3 * i + 3), 4 * i);
    palette[4 * i + 3] = Math.round(255 * opacity);
  }
  return palette;
}

/** The values of an answer as fractions of their range; NaN outside of the window. */
function fractionsOf(answer, range, view) {
  return Float64Array.from(answer.values, (value, i) =>
      answer.outside && answer.outside[i] ? NaN
                                          : fractionOf(view.absolute ? Math.abs(value) : value, range));
}

/** Interpolates fractions between cells, `times` as many on each side. */
function smoothed(fractions, grid, times) {
  const [height, width] = grid;
  const between = (first, second, weight) => {
    const value = first + weight * (second - first);
    return Number.isFinite(value) ? value : weight < 0.5 ? first : second;
  };
  const sample = (pixel, cells) => {
    const place = clamp((pixel + 0.5) / times - 0.5, 0, cells - 1);
    const first = Math.floor(place);
    return [first, Math.min(first + 1, cells - 1), place - first];
  };
  const result = new Float64Array(height * width * times * times);
  for (let y = 0; y < height * times; ++y) {
    const [top, bottom, down] = sample(y, height);
    for (let x = 0; x < width * times; ++x) {
      const [left, right, across] = sample(x, width);
      const row = at => between(fractions[at * width + left], fractions[at * width + right], across);
      result[y * width * times + x] = between(row(top), row(bottom), down);
    }
  }
  return result;
}

/** An answer as a canvas with one pixel for each cell, or more if it is smoothed. */
function heatCanvas(answer, range, view, palette) {
  const longest = Math.max(...answer.grid);
  const times = view.smooth && answer.grid[0] > 1 ? Math.max(1, Math.floor(384 / longest)) : 1;
  let fractions = fractionsOf(answer, range, view);
  if (times > 1) fractions = smoothed(fractions, answer.grid, times);
  const canvas = document.createElement("canvas");
  canvas.width = answer.grid[1] * times;
  canvas.height = answer.grid[0] * times;
  const pixels = new ImageData(canvas.width, canvas.height);
  fractions.forEach((fraction, i) => {
    if (!Number.isFinite(fraction)) return;
    const index = clamp(Math.floor(fraction * 255 + 0.5), 0, 255);
    pixels.data.set(palette.subarray(4 * index, 4 * index + 4), 4 * i);
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

/** Draws an answer over the grey picture, at the resolution of the screen. */
function drawAnswer(canvas, answer, range, view, colorMap, picture) {
  const under = answer.onPicture ? picture : null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  const context = canvas.getContext("2d");
  if (under) {
    context.imageSmoothingQuality = "high";
    context.drawImage(view.opacity > 0 ? under.grey : under.colored, 0, 0, canvas.width, canvas.height);
  }
  const heat = heatCanvas(answer, range, view, paletteOf(colorMap, view, !under));
  context.imageSmoothingEnabled = view.smooth;
  context.drawImage(heat, 0, 0, canvas.width, canvas.height);
}

/** The colours of a map from left to right, for CSS. */
function gradientOf(colorMap) {
  const stops = [];
  for (let i = 0; i < 256; i += 15) {
    stops.push(`rgb(${colorMap.bytes.subarray(3 * i, 3 * i + 3).join(" ")})`);
  }
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
