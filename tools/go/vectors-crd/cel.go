package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type celCase struct {
	Schema  json.RawMessage `json:"schema,omitempty"`
	Self    any             `json:"self,omitempty"`
	Expr    string          `json:"expr"`
	Compile string          `json:"compile,omitempty"`
	Value   string          `json:"value,omitempty"`
	Error   string          `json:"error,omitempty"`
	Cost    uint64          `json:"cost,omitempty"`
	// The cost limit of a rule that makes a list of it.
	Estimate string `json:"estimate,omitempty"`
}

const celSchema = `{"type":"object","properties":{
"i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"},"e":{"type":"string","enum":["x","y"]},
"l":{"type":"array","items":{"type":"integer"}},"ss":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
"os":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"v":{"type":"integer"}},"required":["name"]},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]},
"m":{"type":"object","additionalProperties":{"type":"string"}},"mi":{"type":"object","additionalProperties":{"type":"integer"}},
"o":{"type":"object","properties":{"x-y":{"type":"string"},"namespace":{"type":"string"},"a.b":{"type":"integer"},"c__d":{"type":"string"},"deep":{"type":"object","properties":{"er":{"type":"integer"}}}}},
"ios":{"x-kubernetes-int-or-string":true},"any":{"x-kubernetes-preserve-unknown-fields":true},"nil":{"type":"string","nullable":true},
"d":{"type":"string","format":"duration"},"t":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},"by":{"type":"string","format":"byte"}}}`

const celSelf = `{"i":3,"n":2.5,"s":"héllo wörld","b":true,"e":"x","l":[3,1,2],"ss":["a","b"],"os":[{"name":"p","v":1},{"name":"q","v":2}],
"m":{"k":"v","k2":"w"},"mi":{"one":1,"two":2},"o":{"x-y":"dash","namespace":"ns","a.b":7,"c__d":"und","deep":{"er":9}},"ios":"10%","any":{"z":[1]},"nil":null,
"d":"1h30m","t":"2021-02-03T04:05:06.789Z","day":"2020-02-29","by":"aGVsbG8="}`

func celCases() []celCase {
	raw := json.RawMessage(strings.ReplaceAll(celSchema, "\n", ""))
	ss, err := structuralschema.NewStructural(internalSchema(raw))
	must(err)
	self := parse(celSelf)
	declType := model.SchemaDeclType(ss, false).MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable("self", declType.CelType())},
		DeclTypes:         []*apiservercel.DeclType{declType},
	})
	must(err)
	env := set.NewExpressionsEnv()
	cases := []celCase{{Schema: raw, Self: self}}
	for _, e := range expressions {
		c := celCase{Expr: e}
		ast, issues := env.Compile(e)
		if issues != nil {
			c.Compile = issues.String()
			cases = append(cases, c)
			continue
		}
		program, err := env.Program(ast, celgo.CostLimit(celconfig.PerCallLimit), celgo.CostTracking(&library.CostEstimator{}))
		if err != nil {
			c.Compile = "program: " + err.Error()
			cases = append(cases, c)
			continue
		}
		val, details, err := program.Eval(map[string]any{"self": cel.UnstructuredToVal(self, ss)})
		if err != nil {
			c.Error = err.Error()
		} else {
			c.Value = print(val)
		}
		if details != nil && details.ActualCost() != nil {
			c.Cost = *details.ActualCost()
		}
		c.Estimate = estimate(*ss, e)
		cases = append(cases, c)
	}
	return cases
}

func estimate(ss structuralschema.Structural, expression string) string {
	ss.XValidations = apiextensionsv1.ValidationRules{{Rule: "[" + expression + "].size() == 1"}}
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	results, err := cel.Compile(&ss, model.SchemaDeclType(&ss, false), celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
	must(err)
	if results[0].Error != nil {
		return ""
	}
	return strconv.FormatUint(results[0].MaxCost, 10)
}

func print(v ref.Val) string {
	switch t := v.(type) {
	case types.Bool:
		return fmt.Sprint(bool(t))
	case types.Int:
		return "int " + strconv.FormatInt(int64(t), 10)
	case types.Uint:
		return "uint " + strconv.FormatUint(uint64(t), 10)
	case types.Double:
		return "double " + strconv.FormatFloat(float64(t), 'g', -1, 64)
	case types.String:
		b, _ := json.Marshal(string(t))
		return string(b)
	case types.Bytes:
		return "bytes " + hex.EncodeToString(t)
	case types.Null:
		return "null"
	case types.Timestamp:
		return "timestamp " + t.Time.UTC().Format(time.RFC3339Nano)
	case types.Duration:
		return "duration " + strconv.FormatInt(int64(t.Duration), 10)
	case *types.Optional:
		if !t.HasValue() {
			return "none"
		}
		return "some " + print(t.GetValue())
	case traits.Lister:
		parts := []string{}
		for it := t.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, print(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		parts := []string{}
		for it := t.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			parts = append(parts, print(k)+": "+print(t.Get(k)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case apiservercel.Quantity:
		return "quantity " + t.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity " + t.Quantity.String()
	case apiservercel.URL:
		return "url " + t.URL.String()
	case apiservercel.IP:
		return "ip " + t.Addr.String()
	case apiservercel.CIDR:
		return "cidr " + t.Prefix.String()
	case apiservercel.Semver:
		return "semver " + t.Version.String()
	case ref.Type:
		return "type " + t.TypeName()
	}
	return "other " + v.Type().TypeName()
}
