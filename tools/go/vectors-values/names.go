package main

import (
	"math/rand"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

func nameVectors(r *rand.Rand) []section {
	checks := []struct {
		name  string
		check func(string) []string
	}{
		{"isDns1123Label", validation.IsDNS1123Label}, {"isDns1123Subdomain", validation.IsDNS1123Subdomain}, {"isDns1123SubdomainWithUnderscore", validation.IsDNS1123SubdomainWithUnderscore},
		{"isDns1035Label", validation.IsDNS1035Label}, {"isWildcardDns1123Subdomain", validation.IsWildcardDNS1123Subdomain}, {"isQualifiedName", validation.IsQualifiedName},
		{"isLabelValue", validation.IsValidLabelValue}, {"isPathSegmentName", content.IsPathSegmentName}, {"isCIdentifier", content.IsCIdentifier}, {"isPortName", validation.IsValidPortName},
		{"isPercent", validation.IsValidPercent}, {"isHttpHeaderName", validation.IsHTTPHeaderName}, {"isEnvVarName", validation.IsEnvVarName}, {"isRelaxedEnvVarName", validation.IsRelaxedEnvVarName}, {"isConfigMapKey", validation.IsConfigMapKey},
	}
	values := []string{"", "a", "A", "a-b", "-a", "a-", "a.b", ".", "..", "..a", "a..b", "a_b", "_a", "1a", "123", "a/b", "/a", "a/", "a/b/c", "A.b/C_d", "*.a.b", "*", "*.*.a", "5%", "%", "a%b", "X-Header", "a b", "é", "a=b", "a\nb", "a--b", "web-http", "1-2",
		strings.Repeat("a", 15), strings.Repeat("a", 16), strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253), strings.Repeat("a", 254), strings.Repeat("a", 64) + "/b", strings.Repeat("a.", 127) + "/b", strings.Repeat("é", 40), "_.a", "a._b"}
	for i := 0; i < 15; i++ {
		var b strings.Builder
		for n := 1 + r.Intn(8); n > 0; n-- {
			b.WriteByte(pick(r, []byte("ab1-._/A")))
		}
		values = append(values, b.String())
	}
	var rows []row
	for _, c := range checks {
		for _, v := range values {
			// Only errors, and each distinct list once: most are equal.
			rows = append(rows, row{c.name, v, c.check(v)})
		}
	}
	return []section{{"checks", dedupe(rows)}}
}

// dedupe replaces repeated error lists of one check by the index of the row that first had them.
func dedupe(rows []row) []row {
	seen := map[string]int{}
	var out []row
	for i, r := range rows {
		key := r[0].(string) + "\x00" + strings.Join(r[2].([]string), "\x00")
		if first, ok := seen[key]; ok {
			out = append(out, row{r[0], r[1], first})
			continue
		}
		seen[key] = i
		if r[2].([]string) == nil {
			r[2] = []string{}
		}
		out = append(out, r)
	}
	return out
}
