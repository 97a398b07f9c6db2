package main

import (
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var suffixes = []string{"", "", "", "n", "u", "m", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Mi", "Gi", "Gi", "Ti", "Pi", "Ei",
	"e3", "e-3", "E6", "e0", "e1", "e-9", "e-10", "e+2", "E-1", "e12", "e18", "e20"}

var oddQuantities = []string{"", "0", "00", "-0", "+0", ".", "-", "+", "-.", "m", "Mi", "e3", "e-10", ".Ki", "1.", ".5", "-.5", "1.Ki",
	"1.5", "1.500", "1.5000", "0.0001", "0.5Ki", "1.1Ki", "0.0000000001", "-0.0000000001", "1n", "0.1n", "1.9n", "9223372036854775807",
	"9223372036854775808", "-9223372036854775808", "-9223372036854775809", "8Ei", "7Ei", "-8Ei", "9Ei", "16Ei", "1000E", "1e21", "99E",
	"1023", "1024", "1023Ki", "1024Ki", "1025Ki", "1024Mi", "1000m", "1001m", "100000m", "1e3", "1E3", "12E", "12e", "E", "e", "1e1000",
	"1e-1000", "1 ", " 1", "1Kb", "1ki", "1Ee3", "1e3Ki", "1.2.3", "1..2", "--1", "+-1", "1k2", "1m2", "1e+-2", "0x10", "1_000", "١", "1µ",
	"123456789012345678", "1234567890123456789", "12345678901234567890123456789", "0.123456789", "0.1234567891", "123456789.123456789",
	"1000000000000000000000", "999999999999999999999999E", "4096", "-4096", "-1024Ki", "-1.5Gi", "0Mi", "0.0Gi", "+5", "005", "+5Mi",
	"-100m", "100u", "12345u", "3.14159265358979", "1e2000000000", "2e300", "1e308", "5e-324"}

func randomDigits(r *rand.Rand, max int) string {
	n := 1 + r.Intn(max)
	var b strings.Builder
	for i := 0; i < n; i++ {
		if r.Intn(4) == 0 {
			b.WriteByte('0')
		} else {
			b.WriteByte(byte('0' + r.Intn(10)))
		}
	}
	return b.String()
}

func randomQuantity(r *rand.Rand) string {
	digits := 4
	switch r.Intn(6) {
	case 0:
		digits = 10
	case 1:
		digits = 24
	}
	s := pick(r, []string{"", "", "", "", "-", "+"}) + randomDigits(r, digits)
	switch r.Intn(4) {
	case 0:
		s += "." + randomDigits(r, digits)
	}
	return s + pick(r, suffixes)
}

func float(f float64) any {
	if math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}

func describe(q resource.Quantity) []any {
	asInt, ok := q.AsInt64()
	var exact any
	if ok {
		exact = strconv.FormatInt(asInt, 10)
	}
	return []any{
		q.String(), string(q.Format), strconv.FormatInt(q.Value(), 10), strconv.FormatInt(q.MilliValue(), 10),
		strconv.FormatInt(q.ScaledValue(resource.Nano), 10), strconv.FormatInt(q.ScaledValue(resource.Giga), 10),
		float(q.AsApproximateFloat64()), exact, q.Sign(),
	}
}

func quantityVectors(r *rand.Rand) []section {
	texts := append([]string{}, oddQuantities...)
	for len(texts) < 2200 {
		texts = append(texts, randomQuantity(r))
	}
	var parse []row
	var good []string
	for _, text := range texts {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			parse = append(parse, row{text, failure(err)})
			continue
		}
		if !strings.Contains(text, "2000000000") {
			good = append(good, text)
		}
		parse = append(parse, append(row{text}, describe(q)...))
	}
	var arithmetic []row
	for i := 0; i < 900; i++ {
		a, b := pick(r, good), pick(r, good)
		factor := int64(r.Intn(2000) - 300)
		if r.Intn(10) == 0 {
			factor = r.Int63()
		}
		scale := resource.Scale(r.Intn(16) - 9)
		arithmetic = append(arithmetic, arithmeticRow(a, b, factor, scale))
	}
	// Sums from upstream's zero value, and chains whose representation changes on the way.
	var sums []row
	for i := 0; i < 300; i++ {
		var total resource.Quantity
		var terms []string
		for n := r.Intn(6); n >= 0; n-- {
			term := pick(r, good)
			terms = append(terms, term)
			total.Add(resource.MustParse(term))
		}
		sums = append(sums, append(row{terms}, describe(total)...))
	}
	return []section{{"parse", parse}, {"arithmetic", arithmetic}, {"sums", sums}}
}

func arithmeticRow(a, b string, factor int64, scale resource.Scale) row {
	on := func(change func(q *resource.Quantity)) []any {
		q := resource.MustParse(a)
		change(&q)
		return describe(q)
	}
	x, y := resource.MustParse(a), resource.MustParse(b)
	return row{a, b, strconv.FormatInt(factor, 10), int(scale), x.Cmp(y),
		on(func(q *resource.Quantity) { q.Add(resource.MustParse(b)) }),
		on(func(q *resource.Quantity) { q.Sub(resource.MustParse(b)) }),
		on(func(q *resource.Quantity) { q.Mul(factor) }),
		on(func(q *resource.Quantity) { q.Neg() }),
		on(func(q *resource.Quantity) { q.RoundUp(scale) }),
	}
}
