// Prints small plain objects as YAML in the form of sigs.k8s.io/yaml: sorted keys, lists not indented, strings quoted
// where they would be read as another type. Enough for Status, Flagz and Statusz.

const PLAIN = /^[A-Za-z0-9_./$][A-Za-z0-9_./$@ ()+=-]*$/;
/** Texts that YAML 1.1 and 1.2 readers parse as a number, a boolean, null or a time. */
const NUMBER = /^[-+]?(?:0x[0-9a-f_]+|0o?[0-7_]+|0b[01_]+|\.\d[\d_]*|\d[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.inf)$/i;
const WORD = /^(?:true|false|null|yes|no|on|off|y|n|~|\.nan)$/i;
const TIME = /^\d{4}-\d\d?-\d\d?(?:$|[Tt ])|^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?$/;

export function yamlText(value: object): string {
  return mapLines(value, "").join("");
}

function mapLines(value: object, indent: string): string[] {
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, item]) => {
      const name = `${indent}${scalar(key)}:`;
      if (Array.isArray(item)) {
        if (item.length === 0) return [`${name} []\n`];
        return [`${name}\n`, ...item.map((entry) => `${indent}- ${scalar(entry)}\n`)];
      }
      if (typeof item === "object" && item !== null) {
        if (Object.keys(item).length === 0) return [`${name} {}\n`];
        return [`${name}\n`, ...mapLines(item, `${indent}  `)];
      }
      return [`${name} ${scalar(item)}\n`];
    });
}

function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  if (value === "") return '""';
  if (NUMBER.test(value) || WORD.test(value) || TIME.test(value)) return `"${value}"`;
  if (PLAIN.test(value) && !/ #|\s$/.test(value)) return value;
  if (/[\n\t\\]|[^\x20-\x7e]/.test(value)) return JSON.stringify(value);
  return `'${value.replaceAll("'", "''")}'`;
}
