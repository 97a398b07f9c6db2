// The position of a value in a schema, as far as an expression shows it. Upstream:
// github.com/google/cel-go/checker/cost.go

/**
 * The path to a value through the schema: a variable, then names of fields, "@items", "@keys" and "@values". Upstream's
 * paths are Go slices: two extensions of the same path can share its memory, and the later one then changes the
 * earlier. Estimates depend on this, so it is reproduced.
 */
export class SchemaPath {
  static readonly NONE: SchemaPath = new SchemaPath([], 0, 0);
  readonly length: number;
  readonly #memory: string[];
  readonly #capacity: number;

  private constructor(memory: string[], length: number, capacity: number) {
    this.#memory = memory;
    this.length = length;
    this.#capacity = capacity;
  }

  static of(variable: string): SchemaPath {
    return new SchemaPath([variable], 1, 1);
  }

  append(name: string): SchemaPath {
    const isFull = this.length === this.#capacity;
    const memory = isFull ? this.names() : this.#memory;
    memory[this.length] = name;
    return new SchemaPath(memory, this.length + 1, isFull ? Math.max(1, 2 * this.#capacity) : this.#capacity);
  }

  names(): string[] {
    return this.#memory.slice(0, this.length);
  }
}
