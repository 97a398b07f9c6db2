package main

import (
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The name of a certificate in upstream's errors.
func identifier(c *x509.Certificate) string {
	colons := func(bytes []byte) string {
		var parts []string
		for _, b := range bytes {
			parts = append(parts, fmt.Sprintf("%02X", b))
		}
		return strings.Join(parts, ":")
	}
	return fmt.Sprintf("SN=%d, SKID=%s, AKID=%s", c.SerialNumber, colons(c.SubjectKeyId), colons(c.AuthorityKeyId))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
