// A value computed on first use and kept: how the generated tables stay free until somebody asks.

export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
