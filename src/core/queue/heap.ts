/** A binary heap whose items can be removed or re-placed from the middle in O(log n). */
export class Heap<Item> {
  readonly #comesBefore: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];
  readonly #positions = new Map<Item, number>();

  constructor(comesBefore: (a: Item, b: Item) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#put(item, this.#items.length);
    this.#rise(this.#items.length - 1);
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** False if the item was not there. */
  remove(item: Item): boolean {
    const position = this.#positions.get(item);
    if (position === undefined) return false;
    const last = this.#items.pop() as Item;
    this.#positions.delete(item);
    if (last === item) return true;
    this.#put(last, position);
    this.#rise(position);
    this.#sink(this.#positions.get(last) as number);
    return true;
  }

  #put(item: Item, position: number): void {
    this.#items[position] = item;
    this.#positions.set(item, position);
  }

  #rise(start: number): void {
    const item = this.#items[start] as Item;
    let position = start;
    while (position > 0) {
      const above = (position - 1) >> 1;
      const parent = this.#items[above] as Item;
      if (!this.#comesBefore(item, parent)) break;
      this.#put(parent, position);
      position = above;
    }
    this.#put(item, position);
  }

  #sink(start: number): void {
    const item = this.#items[start] as Item;
    let position = start;
    for (;;) {
      const below = this.#findSmallerChild(position);
      if (below === undefined || !this.#comesBefore(this.#items[below] as Item, item)) break;
      this.#put(this.#items[below] as Item, position);
      position = below;
    }
    this.#put(item, position);
  }

  #findSmallerChild(position: number): number | undefined {
    const left = 2 * position + 1;
    const right = left + 1;
    if (left >= this.#items.length) return undefined;
    if (right >= this.#items.length) return left;
    const isRightFirst = this.#comesBefore(this.#items[right] as Item, this.#items[left] as Item);
    return isRightFirst ? right : left;
  }
}
