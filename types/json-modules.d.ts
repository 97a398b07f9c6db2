// JSON files are data of unknown shape: the importer says what it expects. Inferring a type from a
// vector file of a megabyte costs the compiler 20 seconds.

declare module "*.json" {
  const value: unknown;
  export default value;
}
