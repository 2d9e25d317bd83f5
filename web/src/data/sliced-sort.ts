/** Sorting that can pause: a hundred thousand rows are put in order without holding the page up. Pure. */

export type Compare = (first: number, second: number) => number;

/** Numbers that are sorted or merged between two pauses. */
export const SLICE = 512;

/** The numbers in order; equal ones stay as they were. Pauses after each slice of work. */
export function* slicedSort(
  numbers: readonly number[],
  compare: Compare,
): Generator<void, readonly number[]> {
  let runs: number[][] = [];
  for (let start = 0; start < numbers.length; start += SLICE) {
    if (start > 0) yield;
    runs.push(numbers.slice(start, start + SLICE).sort(compare));
  }
  while (runs.length > 1) {
    const merged: number[][] = [];
    for (let place = 0; place < runs.length; place += 2)
      merged.push(yield* merge(runs[place] ?? [], runs[place + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(
  left: readonly number[],
  right: readonly number[],
  compare: Compare,
): Generator<void, number[]> {
  const made: number[] = [];
  let [first, second] = [0, 0];
  while (made.length < left.length + right.length) {
    if (made.length % SLICE === 0) yield;
    const [one, other] = [left[first], right[second]];
    if (other === undefined || (one !== undefined && compare(one, other) <= 0)) {
      made.push(one as number);
      first += 1;
    } else {
      made.push(other);
      second += 1;
    }
  }
  return made;
}
