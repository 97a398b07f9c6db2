// Small plain objects as YAML, in the form of sigs.k8s.io/yaml: keys sorted, lists not indented, strings
// quoted where they would be read as something else. Enough for Status, Flagz and Statusz.

const PLAIN = /^[A-Za-z0-9_./$][A-Za-z0-9_./$@ ()+=-]*$/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+.]?[0-9][0-9_,.:eExXa-fA-F+-]*|\.inf|\.nan)$/i;

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
  if (AMBIGUOUS.test(value)) return /^[0-9]+[a-z]/i.test(value) && !isNumber(value) ? value : `"${value}"`;
  if (PLAIN.test(value) && !/ #|\s$/.test(value)) return value;
  if (/[\n\t\\]|[^\x20-\x7e]/.test(value)) return JSON.stringify(value);
  return `'${value.replaceAll("'", "''")}'`;
}

const isNumber = (text: string): boolean => text.trim() !== "" && !Number.isNaN(Number(text));
