package main

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

var zones = []string{"America/New_York", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca", "Asia/Beirut", "Europe/London", "Pacific/Chatham"}

var firstSecond = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
var lastSecond = time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// transitions lists the changes of a zone's offset: [since, offset] pairs.
func transitions(loc *time.Location) [][2]int64 {
	offset := func(at int64) int64 {
		_, o := time.Unix(at, 0).In(loc).Zone()
		return int64(o)
	}
	list := [][2]int64{{firstSecond, offset(firstSecond)}}
	for at := firstSecond; at < lastSecond; at += 6 * 3600 {
		before, after := offset(at), offset(at+6*3600)
		if before == after {
			continue
		}
		step := sort.Search(6*3600, func(i int) bool { return offset(at+int64(i)) != before })
		list = append(list, [2]int64{at + int64(step), offset(at + int64(step))})
	}
	return list
}

func cronField(r *rand.Rand, min, max int, names []string) string {
	number := func() string {
		if len(names) > 0 && r.Intn(3) == 0 {
			return pick(r, names)
		}
		return fmt.Sprint(min + r.Intn(max-min+1))
	}
	one := func() string {
		switch r.Intn(8) {
		case 0, 1, 2:
			return pick(r, []string{"*", "*", "?"})
		case 3:
			return "*/" + fmt.Sprint(1+r.Intn(max))
		case 4:
			a, b := min+r.Intn(max-min+1), min+r.Intn(max-min+1)
			if a > b && r.Intn(6) > 0 {
				a, b = b, a
			}
			return fmt.Sprintf("%d-%d", a, b) + pick(r, []string{"", "", "/2", "/5", "/0"})
		case 5:
			return number() + "/" + fmt.Sprint(1+r.Intn(20))
		default:
			return number()
		}
	}
	s := one()
	for r.Intn(4) == 0 {
		s += "," + one()
	}
	return s
}

var oddSpecs = []string{"", " ", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *", "* * * * 7", "a * * * *", "5-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *",
	"*/0 * * * *", "-1 * * * *", "1- * * * *", ", * * * *", "* , * * *", "*-5 * * * *", "? ? ? ? ?", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 1h30m", "@every 0.5s", "@every 90s", "@every x", "@every -5m",
	"@reboot", "@", "TZ=UTC * * * * *", "TZ=Nowhere/Land * * * * *", "CRON_TZ=Europe/Berlin 30 2 * * *", "TZ=../etc * * * * *", "TZ= 5 4 * * *", "0 0 30 2 *", "0 0 29 2 *", "0 0 31 * *", "0 0 13 * fri", "0 0 13 * */1", "0 0 1-7 * MON",
	"99999999999999999999 * * * *", "0 0 * jan-MAR sun,Sat", "0 0 * * sun-sat", "0 0 * * sat-sun", "0 0 L * *", "0 0 * FOO *", "+5 * * * *", "05 008 * * *", "1,2,3,,4 * * * *", "0-59/7 */5 1-31/2 * 1-5", "  0  0  *  *  *  ", "0\t0\t*\t*\t*", "TZ=Local 0 0 * * *"}

func cronVectors(r *rand.Rand) []section {
	time.Local = time.UTC
	var zoneRows []row
	locs := map[string]*time.Location{}
	for _, name := range zones {
		loc, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		locs[name] = loc
		zoneRows = append(zoneRows, row{name, transitions(loc)})
	}
	specs := append([]string{}, oddSpecs...)
	for len(specs) < 260 {
		specs = append(specs, randomSpec(r, ""))
	}
	for len(specs) < 520 {
		specs = append(specs, randomSpec(r, pick(r, zones)))
	}
	// The changes of every zone, with schedules at those times.
	edges := []string{"30 2 * * *", "0 2 * * *", "15 1 * * *", "0 0 * * *", "*/30 * * * *", "30 0 * * *", "0 3 * * sun", "59 23 * * *", "0 */2 * * *"}
	var rows []row
	for _, spec := range specs {
		schedule, err := cron.ParseStandard(spec)
		if err != nil {
			rows = append(rows, row{spec, failure(err)})
			continue
		}
		var chains []any
		for i := 0; i < 2; i++ {
			start := time.Date(2012+r.Intn(16), time.Month(1+r.Intn(12)), 1+r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60), 0, time.UTC)
			chains = append(chains, chain(schedule, start, 3))
		}
		rows = append(rows, row{spec, chains})
	}
	for _, zone := range zones {
		changes := transitions(locs[zone])
		for _, edge := range edges {
			spec := "TZ=" + zone + " " + edge
			schedule, err := cron.ParseStandard(spec)
			if err != nil {
				panic(err)
			}
			chains := []any{}
			for i := 0; i < 3 && len(changes) > 1; i++ {
				at := pick(r, changes[1:])
				chains = append(chains, chain(schedule, time.Unix(at[0]-int64(r.Intn(100_000)), 0).UTC(), 5))
			}
			rows = append(rows, row{spec, chains})
		}
	}
	return []section{{"zones", zoneRows}, {"specs", rows}}
}

// chain is a start and the following times, in seconds; null if there is none within five years.
func chain(schedule cron.Schedule, start time.Time, length int) []any {
	list := []any{start.Unix()}
	t := start
	for i := 0; i < length; i++ {
		t = schedule.Next(t)
		if t.IsZero() {
			return append(list, nil)
		}
		list = append(list, t.Unix())
	}
	return list
}

var monthNames = []string{"jan", "Feb", "MAR", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
var dayNames = []string{"sun", "Mon", "TUE", "wed", "thu", "fri", "sat"}

func randomSpec(r *rand.Rand, zone string) string {
	fields := []string{cronField(r, 0, 59, nil), cronField(r, 0, 23, nil), cronField(r, 1, 31, nil), cronField(r, 1, 12, monthNames), cronField(r, 0, 6, dayNames)}
	for i := range fields {
		if i >= 2 && r.Intn(3) > 0 {
			fields[i] = "*"
		}
	}
	spec := strings.Join(fields, " ")
	if zone != "" {
		spec = pick(r, []string{"TZ=", "CRON_TZ="}) + zone + " " + spec
	}
	return spec
}
