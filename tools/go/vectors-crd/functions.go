// The functions of Kubernetes' CEL environment, one line each, for the type checker of rules.

package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/environment"
)

// functionLines returns "name|id|args|result" for each overload, by name; members have a leading dot.
func functionLines() []string {
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
	var lines []string
	names := []string{}
	functions := env.Functions()
	for name := range functions {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fn := functions[name]
		if fn.IsDeclarationDisabled() {
			continue
		}
		for _, o := range fn.OverloadDecls() {
			lines = append(lines, line(fn, o))
		}
	}
	return lines
}

func line(fn *decls.FunctionDecl, o *decls.OverloadDecl) string {
	args := []string{}
	for _, a := range o.ArgTypes() {
		args = append(args, format(a))
	}
	member := ""
	if o.IsMemberFunction() {
		member = "."
	}
	return fmt.Sprintf("%s%s|%s|%s|%s", member, fn.Name(), o.ID(), strings.Join(args, ";"), format(o.ResultType()))
}

func format(t *types.Type) string { return checker.FormatCELType(t) }
