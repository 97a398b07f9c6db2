// Writes YAML vectors: texts with upstream's JSON ("" if it refuses them) and its error about duplicate keys. A JSON
// list of rows [text, json, strict error].
package main

import (
	"encoding/json"
	"os"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/yaml"
)

var scalars = []string{
	"y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO", "true", "True", "TRUE", "tRue", "false", "False", "FALSE",
	"on", "On", "ON", "off", "Off", "OFF", "~", "null", "Null", "NULL", "nULL", "", ".nan", ".inf", "-.inf", "+.Inf",
	"0", "-0", "+0", "1", "-1", "+1", "007", "010", "-010", "08", "09", "0o17", "0O17", "0x1F", "0XfF", "-0x10", "0b101", "-0b11", "0b2",
	"1_000", "1__0", "_1", "1_", "0x_1", "0_7", "123456789", "9007199254740991", "9007199254740992",
	"1.5", "-1.5", "+1.5", "1.", ".5", "-.5", "+.5", "1e3", "1E3", "1e+3", "1e-3", "1.5e3", ".5e1", "1e", "e1", "1.2.3", "1.0", "1_0.5",
	"0.1", "00.5", "1e400", "12e03", "1:30", "1:30:45", "190:20:30", "2001-01-01", "2001-1-1", "2001-12-14t21:59:43.10-05:00",
	"2001-12-14 21:59:43.10", "2001-12-15T02:59:43.1Z", "2001-13-01", "2001-01-01x", "12-34", "2001-", "200-01-01",
	"a", "a b", "a: b", "- a", "'a'", "\"a\\tb\"", "'it''s'", "'1'", "\"yes\"", "!!str 1", "!!str yes", "!!int 7", "!!int \"7\"", "!!float 1",
	"!!float 1.5", "!!bool yes", "!!null ''", "!!binary aGVsbG8=", "!foo bar", "!foo 1", "<", "<<", "=", "%a", "@a", "`a", "*a", "&a b", "? a",
	"| \n  a\n  b\n", "> \n  a\n  b\n", "|-\n  1\n", "\"\\u263a\"", "\"\\x41\"", "☺", "a#b", "a #b", "#a", "{a: 1}", "[1, two, 3.0]",
	"{}", "[]", "[a, [b, {c: d}]]", "{\"a\": 1, 'b': 2}", "Infinity", "NaN", "-", "+", ".", "..", "0x", "0b", "0o", "1e5_0", "--1", "+-1",
	"18446744073709551615", "99999999999999999999", "0.30000000000000004", "-9007199254740991", "1.7976931348623157e308", "100000000000000000000000",
}

var documents = []string{
	"", "---\n", "# only a comment\n", "a: 1\n---\nb: 2\n", "---\na: 1\n...\nb: 2\n", "null", "- 1\n- a\n-\n- ~\n", "a:\nb: ~\n",
	"a: 1\na: 2\n", "a: 1\nb: 2\na:\n  c: 1\n", "x:\n  a: 1\n  a: 1\n  a: 2\n", "- a: 1\n  a: 2\n- b: 1\n", "1: a\n1: b\n", "1: a\n'1': b\n",
	"yes: 1\nno: 2\n", "y: 1\n", "1.5: a\n", "true: a\ntrue: b\n", "~: a\n", "[a]: b\n", "{a: b}: c\n", "? a\n: b\n",
	"a: &x {b: 1}\nc: *x\n", "a: &x 1\nb: *x\nc: [*x, *x]\n", "a: *missing\n", "a: &a [*a]\n",
	"base: &b {x: 1, y: 2}\nd:\n  <<: *b\n  y: 3\n", "base: &b {x: 1, y: 2}\nd:\n  y: 3\n  <<: *b\n",
	"a: &a {x: 1}\nb: &b {x: 2, z: 3}\nd:\n  <<: [*a, *b]\n", "d:\n  <<: {x: 1}\n  '<<': 2\n", "d:\n  <<: 1\n", "d:\n  <<: [1]\n",
	"a: 'x\n  y'\n", "a: x\n  y\n", "a: \"x\\\n  y\"\n", "a: |\n  x\n   y\n\n  z\nb: 1\n", "a: >-\n  x\n  y\n\n  z\n", "a: |+\n  x\n\n",
	"a:\n- b\n- c\n", "a:\n  - b:\n      c: d\n    e: f\n", "a: {b: c, d: [e, f]}\n", "a: b: c\n", "a:\n\tb: c\n", "a: [1, 2\n", "a: {b\n", "\"a\n",
	"a: \"\\q\"\n", "%YAML 1.1\n---\na: 1\n", "a: 1 # comment\nb: '#no'\n", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  on: \"yes\"\n  n: \"1\"\n",
	"a: 0777\nb: 1e3\nc: 12:30:45\nd: 0o14\n", "constructor: 1\n__proto__: {a: 1}\n", "a: 😀\n", "? |\n  k\n: v\n",
}

func main() {
	rows := [][3]string{}
	add := func(text string) {
		converted, err := yaml.YAMLToJSON([]byte(text))
		row := [3]string{text, string(converted), ""}
		if err != nil {
			row[1] = ""
		} else if _, err := yaml.YAMLToJSONStrict([]byte(text)); err != nil {
			row[2] = err.Error()
		}
		rows = append(rows, row)
	}
	for _, scalar := range scalars {
		add("a: " + scalar + "\n")
		add("- " + scalar + "\n")
	}
	for _, document := range documents {
		add(document)
	}
	utilruntime.Must(json.NewEncoder(os.Stdout).Encode(rows))
}
