"use strict";

// Rows and columns of attention matrices, computed from what a page holds of a layer. Each class
// below computes what the class of the same name in core/attention does.

/** The value of every float16. */
const halfValues = (() => {
  const values = new Float64Array(65536);
  for (let bits = 0; bits < 65536; ++bits) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    let value;
    if (exponent === 31) {
      value = fraction ? NaN : Infinity;
    } else if (exponent === 0) {
      value = fraction * 2 ** -24;
    } else {
      value = (1 + fraction / 1024) * 2 ** (exponent - 15);
    }
    values[bits] = bits & 0x8000 ? -value : value;
  }
  return values;
})();

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The numbers of a stored stack of matrices: scale (high + low / 2048), each a float16. */
function numbersOf(stored) {
  const high = bytesOf(stored.high);
  const low = stored.low ? bytesOf(stored.low) : null;
  const numbers = new Float32Array(high.length / 2);
  for (let i = 0; i < numbers.length; ++i) {
    let number = halfValues[high[2 * i] | (high[2 * i + 1] << 8)];
    if (low) number += halfValues[low[2 * i] | (low[2 * i + 1] << 8)] / 2048;
    numbers[i] = stored.scale * number;
  }
  return numbers;
}

/** Matrices of one size, one for each head, row after row. */
class MatrixStack {
  constructor(stored) {
    [this.count, this.rows, this.columns] = stored.shape;
    this.numbers = numbersOf(stored);
  }
  /** Where row `row` of matrix `index` begins. */
  begin(index, row) {
    return (index * this.rows + row) * this.columns;
  }
  row(index, row) {
    const begin = this.begin(index, row);
    return this.numbers.subarray(begin, begin + this.columns);
  }
  /** The matrix times a vector. */
  times(index, vector) {
    const result = new Float64Array(this.rows);
    for (let i = 0; i < this.rows; ++i) {
      const begin = this.begin(index, i);
      let sum = 0;
      for (let k = 0; k < this.columns; ++k) sum += this.numbers[begin + k] * vector[k];
      result[i] = sum;
    }
    return result;
  }
  /** The transposed matrix times a vector. */
  transposedTimes(index, vector) {
    const result = new Float64Array(this.columns);
    for (let i = 0; i < this.rows; ++i) {
      const begin = this.begin(index, i);
      for (let k = 0; k < this.columns; ++k) result[k] += this.numbers[begin + k] * vector[i];
    }
    return result;
  }
}

/** L M R^T: SOFT, Nyströmformer, SimA, Performer, Linformer and other linear attention. */
class FactoredMap {
  constructor(stored) {
    this.left = new MatrixStack(stored.left);
    this.middle = stored.middle ? new MatrixStack(stored.middle) : null;
    this.right = stored.right ? new MatrixStack(stored.right) : this.left;
  }
  row(head, query) {
    const factors = this.left.row(head, query);
    const mixed = this.middle ? this.middle.transposedTimes(head, factors) : factors;
    return this.right.times(head, mixed);
  }
  column(head, key) {
    const factors = this.right.row(head, key);
    const mixed = this.middle ? this.middle.times(head, factors) : factors;
    return this.left.times(head, mixed);
  }
}

/** A function of a query and a key: the softmax of s q k^T, or the Gaussian exp(-|q - k|^2 / 2). */
class KernelMap {
  constructor(stored) {
    this.isSoftmax = stored.kernel === "softmax";
    this.scale = stored.scale;
    this.query = new MatrixStack(stored.query);
    this.key = stored.key ? new MatrixStack(stored.key) : this.query;
    /** The logarithm of each row's sum of exponentials, for columns. */
    this.logSums = stored.logSums ? new MatrixStack(stored.logSums) : null;
  }
  row(head, query) {
    const one = this.query.row(head, query);
    if (!this.isSoftmax) return this.gaussian(this.key, head, one);
    const scores = this.key.times(head, one).map(product => this.scale * product);
    const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const weights = scores.map(score => Math.exp(score - largest));
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map(weight => weight / sum);
  }
  column(head, key) {
    const one = this.key.row(head, key);
    if (!this.isSoftmax) return this.gaussian(this.query, head, one);
    const logSums = this.logSums.row(head, 0);
    return this.query.times(head, one)
        .map((product, query) => Math.exp(this.scale * product - logSums[query]));
  }
  gaussian(others, head, one) {
    const weights = new Float64Array(others.rows);
    for (let i = 0; i < others.rows; ++i) {
      const other = others.row(head, i);
      let squares = 0;
      for (let k = 0; k < one.length; ++k) squares += (one[k] - other[k]) ** 2;
      weights[i] = Math.exp(-squares / 2);
    }
    return weights;
  }
}

/** All entries. */
class DenseMap {
  constructor(stored) {
    this.values = new MatrixStack(stored.values);
  }
  row(head, query) {
    return Float64Array.from(this.values.row(head, query));
  }
  column(head, key) {
    return Float64Array.from({length: this.values.rows},
                             (_, query) => this.values.row(head, query)[key]);
  }
}

/** Attention within windows: blocks one below the other, and zeros elsewhere. */
class BlockMap {
  constructor(stored, layer) {
    this.values = new MatrixStack(stored.values);
    this.queries = layer.rows.count;
    this.keys = layer.columns.count;
    this.height = this.values.rows / stored.count;
    /** The query of each row of all blocks and the key of each column; -1 for padding. */
    this.rowQueries = stored.rows;
    this.columnKeys = stored.columns;
    this.rowOf = new Int32Array(this.queries).fill(-1);
    stored.rows.forEach((query, row) => { if (query >= 0) this.rowOf[query] = row; });
  }
  /** Calls visit(key, column within the block) for each key in the query's window. */
  eachKey(query, visit) {
    const row = this.rowOf[query];
    if (row < 0) return;
    const width = this.values.columns;
    const first = Math.floor(row / this.height) * width;
    for (let i = 0; i < width; ++i) {
      if (this.columnKeys[first + i] >= 0) visit(this.columnKeys[first + i], i);
    }
  }
  /** Calls visit(query, row of all blocks, column within the block) for each query that sees the key. */
  eachQuery(key, visit) {
    const width = this.values.columns;
    this.columnKeys.forEach((other, column) => {
      if (other !== key) return;
      const first = Math.floor(column / width) * this.height;
      for (let row = first; row < first + this.height; ++row) {
        if (this.rowQueries[row] >= 0) visit(this.rowQueries[row], row, column % width);
      }
    });
  }
  row(head, query) {
    const weights = new Float64Array(this.keys);
    const entries = this.rowOf[query] < 0 ? null : this.values.row(head, this.rowOf[query]);
    this.eachKey(query, (key, column) => { weights[key] = entries[column]; });
    return weights;
  }
  column(head, key) {
    const weights = new Float64Array(this.queries);
    this.eachQuery(key, (query, row, column) => {
      weights[query] = this.values.row(head, row)[column];
    });
    return weights;
  }
  /** For each token of the answer, whether it shares no window with the one that is asked. */
  outside(token, isRow) {
    const outside = new Array(isRow ? this.keys : this.queries).fill(true);
    const inside = other => { outside[other] = false; };
    if (isRow) this.eachKey(token, inside);
    else this.eachQuery(token, inside);
    return outside;
  }
}

/** A convolution with one k x k filter for each head, and zeros around the picture. */
class StencilMap {
  constructor(stored, layer) {
    this.filters = new MatrixStack(stored.filters);
    [this.height, this.width] = layer.rows.grid;
  }
  answer(head, token, sign) {
    const side = this.filters.rows;
    const y = Math.floor(token / this.width);
    const x = token % this.width;
    const weights = new Float64Array(this.height * this.width);
    for (let a = 0; a < side; ++a) {
      for (let b = 0; b < side; ++b) {
        const row = y + sign * (a - (side - 1) / 2);
        const column = x + sign * (b - (side - 1) / 2);
        if (row < 0 || row >= this.height || column < 0 || column >= this.width) continue;
        weights[row * this.width + column] = this.filters.row(head, a)[b];
      }
    }
    return weights;
  }
  row(head, query) {
    return this.answer(head, query, 1);
  }
  column(head, key) {
    return this.answer(head, key, -1);
  }
}

/** The sum of maps. */
class SumMap {
  constructor(stored, layer) {
    this.terms = stored.terms.map(term => mapOf(term, layer));
  }
  row(head, query) {
    return added(this.terms.map(term => term.row(head, query)));
  }
  column(head, key) {
    return added(this.terms.map(term => term.column(head, key)));
  }
}

function added(vectors) {
  return vectors[0].map((value, i) => vectors.reduce((sum, vector) => sum + vector[i], 0));
}

function mapOf(stored, layer) {
  const kinds = {
    factored: FactoredMap,
    kernel: KernelMap,
    dense: DenseMap,
    blocks: BlockMap,
    stencil: StencilMap,
    sum: SumMap,
  };
  return new kinds[stored.kind](stored, layer);
}

/** Entry by entry, the mean over heads, or the value with the largest magnitude. */
function meanOf(heads) {
  return heads[0].map((value, i) => heads.reduce((sum, head) => sum + head[i], 0) / heads.length);
}
function largestOf(heads) {
  return heads[0].map((value, i) => heads.reduce(
      (largest, head) => Math.abs(head[i]) > Math.abs(largest) ? head[i] : largest, value));
}
