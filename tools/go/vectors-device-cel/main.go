// Writes the results of upstream's compiler for device selectors: the error, or the maximum cost.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

type vector struct {
	Expression string `json:"expression"`
	Type       string `json:"type,omitempty"`
	Error      string `json:"error,omitempty"`
	Cost       string `json:"cost,omitempty"`
}

var expressions = []string{
	// Types of the result.
	`true`, `1`, `"text"`, `dyn(1)`, `dyn("x")`, `null`, `[true]`, `device`, `device.driver`, `device.attributes`, `device.capacity`, `device.allowMultipleAllocations`,
	`device.attributes["dra.example.com"]`, `device.attributes["dra.example.com"].name`, `device.attributes["dra.example.com"]["name"]`, `device.capacity["dra.example.com"].name`,
	`optional.of(true)`, `size(device.driver)`, `type(device.driver)`, `[1, 2].map(x, x)`,
	// Invalid expressions and unknown names.
	``, `(`, `device.`, `device.nothing`, `device.driver.name`, `devices`, `self.driver == ""`, `device.attributes.a.b.c`, `device.attributes["a"].b.c`, `device.attributes["a"].b.c == 1`,
	`device.capacity["a"].b.c`, `device.capacity["a"].b == 1`, `device.driver == 1`, `device.driver > "a"`, `device.allowMultipleAllocations == 1`, `device.driver + 1 == ""`, `device.driver.unknown()`,
	`device.attributes["a"].includes("b")`, `cel.block([1], 1)`, `cel.bind(1, 2, 3)`, `cel.bind(a.b, 2, 3)`, `cel.bind(a, 2)`, `other.bind(a, 2, 3)`, `has(device.driver)`, `has(device.nothing)`, `has(device)`, `quantity("1").c`,
	// Attributes are of any type.
	`device.attributes["a"].b == "fish"`, `device.attributes["a"].b == 1`, `device.attributes["a"].b == true`, `device.attributes["a"].b > 0`, `device.attributes["a"].b > "a"`, `device.attributes["a"].b && true`, `!device.attributes["a"].b`,
	`device.attributes["a"].b ? true : false`, `true ? device.attributes["a"].b : false`, `device.attributes["a"].b + "x" == "y"`, `device.attributes["a"].b.isGreaterThan(semver("1.0.0"))`, `device.attributes["a"].b.isGreaterThan(quantity("1"))`,
	`device.attributes["a"].b.startsWith("x")`, `device.attributes["a"].b.matches("^x+$")`, `device.attributes["a"].b.contains("x")`, `device.attributes["a"].b.lowerAscii() == "x"`, `device.attributes["a"].b.find("x") == "x"`, `device.attributes["a"].b.split(",").size() > 1`,
	`device.attributes["a"].b in ["x", "y"]`, `"x" in device.attributes["a"].b`, `"b" in device.attributes["a"]`, `"a" in device.attributes`, `device.attributes["a"].b.exists(x, x > 0)`, `device.attributes["a"].b.all(x, x == "y")`, `device.attributes["a"].b[0] == 1`, `device.attributes["a"].b["c"] == 1`,
	`size(device.attributes["a"].b) > 1`, `string(device.attributes["a"].b) == "1"`, `int(device.attributes["a"].b) == 1`, `type(device.attributes["a"].b) == string`, `[device.attributes["a"].b, "x"].size() == 2`, `[device.attributes["a"].b, device.attributes["a"].c] == ["a", "b"]`, `{"k": device.attributes["a"].b}.k == "x"`,
	`device.attributes["a"].?b.orValue("x") == "x"`, `device.attributes[?"a"].orValue({}).b == "x"`, `has(device.attributes["a"].b)`, `has(device.attributes.a)`, `device.attributes.a.b == "x"`, `device.attributes["a"].b == device.attributes["a"].c`, `device.attributes["a"] == device.attributes["b"]`, `device.attributes == device.attributes`,
	`duration(device.attributes["a"].b) > duration("1s")`, `ip(device.attributes["a"].b).family() == 4`, `isIP(device.attributes["a"].b)`, `device.attributes["a"].b == null`, `device.attributes["a"].b != "x" || device.attributes["a"].c == "y"`,
	// Capacities are quantities.
	`device.capacity["a"].b.isGreaterThan(quantity("1Gi"))`, `device.capacity["a"].b.compareTo(quantity("10Gi")) >= 0`, `device.capacity["a"].b == quantity("1")`, `"b" in device.capacity["a"]`, `device.capacity["a"].b.asInteger() > 1`, `device.capacity["a"].b.sub(quantity("1")).sign() == 1`, `device.capacity["a"].b > quantity("1")`, `quantity(device.capacity["a"].b) == quantity("1")`,
	`quantity("x") == quantity("y")`, `semver("x") == semver("y")`, `device.driver.matches("[")`, `"a".matches("[")`, `device.driver.find("[") == ""`, `1 / 0 == 1`,
	// Named values.
	`cel.bind(dra, device.attributes["dra.example.com"], dra.name)`, `cel.bind(dra, device.attributes["dra.example.com"], dra.oneBool && dra.anotherBool)`, `cel.bind(d, device.driver, d == "x" && d.startsWith("y"))`, `cel.bind(d, device, d.driver == "x")`, `cel.bind(a, cel.bind(b, device.driver, b + "x"), a == "y")`, `cel.bind(c, device.capacity["a"], c.b.isGreaterThan(quantity("1")))`, `cel.bind(x, 1, x)`,
	// Loops, and too expensive expressions.
	`device.attributes.all(d, d.startsWith("x"))`, `device.attributes.exists(d, device.attributes[d].exists(n, n == "x"))`, `device.attributes.map(d, device.attributes[d]).size() > 1`, `device.attributes.filter(d, d == "x").size() == 1`, `device.capacity.all(d, device.capacity[d].all(n, device.capacity[d][n].isGreaterThan(quantity("1"))))`,
	`device.attributes["a"].all(n, device.attributes["a"][n] == "x")`, `device.attributes["a"].all(n, device.attributes["a"].all(m, n == m))`, `device.attributes.all(d, device.attributes.all(e, d == e))`, `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == b && b == c)))`,
	`device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))`, `device.attributes.all(k, v, v.all(n, n == k))`, `device.attributes["a"].all(k, v, v == k)`, `device.attributes.transformList(k, v, k + "x").size() > 1`,
	`device.attributes["a"].map(s, s.lowerAscii().upperAscii()).size() == 1`, `device.driver.matches("(a+)+$")`, `device.driver.split(".").all(p, p.matches("^[a-z]+$"))`, `device.driver.replace("a", "b").contains("c")`, `(device.driver + device.driver + device.driver).contains("x")`, `device.attributes["a"].b.split("").all(x, device.attributes["a"].b.split("").all(y, x == y))`,
	`[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, [1,2,3,4,5,6,7,8].all(d, [1,2,3,4,5,6,7,8].all(e, [1,2,3,4,5,6,7,8].all(f, a + b + c + d + e + f > 0))))))`,
	`device.driver == "` + strings.Repeat("x", 300) + `"`, `sets.contains(["a", "b"], [device.driver])`, `[device.driver].distinct().size() == 1`, `[3, 1].sort()[0] == 1`, `device.driver.format([]) == ""`, `"%s".format([device.attributes["a"].b]) == "x"`, `format.dns1123Label().validate(device.driver).hasValue()`, `url(device.driver).getHost() == ""`, `device.driver.reverse() == "x"`, `math.greatest(1, 2) == 2`,
}

func main() {
	compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true})
	kind := environment.NewExpressions
	out := make([]vector, 0, len(expressions))
	for _, e := range expressions {
		v := vector{Expression: e}
		result := compiler.CompileCELExpression(e, dracel.Options{EnvType: &kind})
		if result.Error != nil {
			v.Type, v.Error = string(result.Error.Type), result.Error.Detail
		} else {
			v.Cost = fmt.Sprint(result.MaxCost)
		}
		out = append(out, v)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	fmt.Print("[\n")
	for i, v := range out {
		if i > 0 {
			fmt.Print(",")
		}
		if err := encoder.Encode(v); err != nil {
			panic(err)
		}
	}
	fmt.Println("]")
}
