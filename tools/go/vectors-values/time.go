package main

import (
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

func timeVectors(r *rand.Rand) []section {
	return []section{{"durations", durations(r)}, {"formatDurations", formatDurations(r)}, {"times", times(r, time.RFC3339)}, {"microTimes", times(r, metav1.RFC3339Micro)},
		{"formatTimes", formatTimes(r)}, {"intOrString", intOrStrings(r)}, {"resourceVersions", resourceVersions(r)}}
}

func durations(r *rand.Rand) []row {
	units := []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h", "s", "m", "h", "d", "", "S", "é"}
	texts := []string{"", "0", "-0", "+0", "-", "+", ".", ".s", "1", "1s", "-1s", "+1s", "1.5h", ".5s", "1.s", "1h1m1s", "1h 1m", " 1s", "1s ", "1e3s", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "-9223372036854775809ns",
		"2562047h47m16.854775807s", "2562048h", "0.9223372036854775807h", "0.3333333333333333333h", "0.100000000000000000000h", "0.830103483285477580700h", "1.2.3s", "1..2s", "--1s", "00001s", "0000000000000000000000001s", "1ms1us1ns", "1s1s", "3000000h", "99999999999999999999s", "1\"s", "1\\", "0x1s", "1m0.5s", "100ns", "1500us", "1m60s"}
	for len(texts) < 400 {
		var b strings.Builder
		b.WriteString(pick(r, []string{"", "", "", "-", "+"}))
		for n := 1 + r.Intn(3); n > 0; n-- {
			b.WriteString(randomDigits(r, 5))
			if r.Intn(3) == 0 {
				b.WriteString("." + randomDigits(r, 12))
			}
			b.WriteString(pick(r, units))
		}
		texts = append(texts, b.String())
	}
	var rows []row
	for _, text := range texts {
		d, err := time.ParseDuration(text)
		if err != nil {
			rows = append(rows, row{text, failure(err)})
		} else {
			rows = append(rows, row{text, strconv.FormatInt(int64(d), 10), d.String()})
		}
	}
	return rows
}

func formatDurations(r *rand.Rand) []row {
	var rows []row
	for _, n := range []int64{0, 1, -1, 999, 1000, 1001, 999999, 1000000, 1500000, 999999999, 1000000000, 60000000000, 3600000000000, math.MaxInt64, math.MinInt64} {
		rows = append(rows, row{strconv.FormatInt(n, 10), time.Duration(n).String()})
	}
	for i := 0; i < 100; i++ {
		n := r.Int63() >> uint(r.Intn(60))
		rows = append(rows, row{strconv.FormatInt(n, 10), time.Duration(n).String()})
	}
	return rows
}

func times(r *rand.Rand, layout string) []row {
	texts := []string{"", "x", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000000Z", "2024-01-02T03:04:05.123456Z", "2024-01-02T03:04:05.1Z", "2024-01-02T03:04:05,5Z", "2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05.1234567891234Z", "2024-01-02T3:04:05Z",
		"2024-01-02T03:04:05+01:00", "2024-01-02T03:04:05.000001-23:59", "2024-01-02T03:04:05+24:00", "2024-01-02T03:04:05+25:00", "2024-01-02T03:04:05+00:61", "2024-01-02T03:04:05+0100", "2024-01-02t03:04:05z", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00.000000Z", "2024-02-29T00:00:00Z",
		"2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-02T24:00:00Z", "2024-01-02T23:60:00Z", "2024-01-02T23:59:60Z", "2024-01-02 03:04:05Z", "2024-01-02", "2024-01-02T03:04Z", "2024-01-02T03:04:05", "2024-01-02T03:04:05ZZ", "2024-01-02T03:04:05Z ", " 2024-01-02T03:04:05Z",
		"0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "1600-02-29T12:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "24-01-02T03:04:05Z", "2024-1-02T03:04:05Z", "2024-01-2T03:04:05Z", "202é-01-02T03:04:05Z", "2024-01-02T03:04:05.Z", "2024-01-02T03:04:05.000000+05:30", "2024-01-02T03:04:05.0000000Z", "2024-01-02T03:04:05-00:00", "1900-03-01T00:00:00Z", "2000-03-01T00:00:00.999999Z", "2024-01-02T03:04:05*01:00"}
	for i := 0; i < 60; i++ {
		t := time.Unix(r.Int63n(4e9)-1e9, r.Int63n(1e9)).In(time.FixedZone("", (r.Intn(96)-48)*1800))
		texts = append(texts, t.Format(pick(r, []string{time.RFC3339, metav1.RFC3339Micro, time.RFC3339Nano})))
	}
	var rows []row
	for _, text := range texts {
		t, err := time.Parse(layout, text)
		if err != nil {
			rows = append(rows, row{text, failure(err)})
		} else {
			rows = append(rows, row{text, t.Unix(), t.Nanosecond() / 1000})
		}
	}
	return rows
}

func formatTimes(r *rand.Rand) []row {
	var rows []row
	for i := 0; i < 150; i++ {
		t := time.Unix(r.Int63n(6e9)-2e9, r.Int63n(1e6)*1000).UTC()
		rows = append(rows, row{t.UnixMicro(), t.Format(time.RFC3339), t.Format(metav1.RFC3339Micro)})
	}
	return rows
}

func intOrStrings(r *rand.Rand) []row {
	values := []any{0, 1, 5, -3, 2147483647, "0%", "1%", "25%", "33%", "100%", "150%", "-10%", "+5%", "5", "abc", "", "%", "5%%", "1.5%", " 5%", "99999999999999999999%", "007%"}
	var rows []row
	for _, v := range values {
		for i := 0; i < 8; i++ {
			total := r.Intn(200)
			if i == 0 {
				total = 0
			}
			if i == 1 {
				total = 1
			}
			x := intstr.FromInt32(0)
			switch t := v.(type) {
			case int:
				x = intstr.FromInt32(int32(t))
			case string:
				x = intstr.FromString(t)
			}
			up, err := intstr.GetScaledValueFromIntOrPercent(&x, total, true)
			if err != nil {
				rows = append(rows, row{v, total, failure(err), x.IntValue()})
				break
			}
			down, _ := intstr.GetScaledValueFromIntOrPercent(&x, total, false)
			rows = append(rows, row{v, total, up, down, x.IntValue()})
		}
	}
	return rows
}

func resourceVersions(r *rand.Rand) []row {
	values := []string{"", "0", "1", "2", "10", "9", "100", "0100", "abc", "1a", "-1", "99999999999999999999", "100000000000000000000", " 1", "12345678901234567890123"}
	var rows []row
	for _, a := range values {
		for _, b := range values {
			c, err := resourceversion.CompareResourceVersion(a, b)
			if err != nil {
				rows = append(rows, row{a, b, failure(err)})
			} else {
				rows = append(rows, row{a, b, c})
			}
		}
	}
	for i := 0; i < 30; i++ {
		a, b := fmt.Sprint(1+r.Intn(1000)), fmt.Sprint(1+r.Intn(1000))
		c, _ := resourceversion.CompareResourceVersion(a, b)
		rows = append(rows, row{a, b, c})
	}
	return rows
}
