// Writes certificates with unusual subjects and chains, and the results of Go's crypto/x509 for them as client
// certificates. Keys are derived from names, so that the output is the same each time.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

const hint = " (possibly because of "

type vector struct {
	Name          string   `json:"name"`
	Leaf          []byte   `json:"leaf"`
	Intermediates [][]byte `json:"intermediates"`
	Roots         [][]byte `json:"roots"`
	Now           string   `json:"now"`
	// Absent if the certificate cannot be parsed.
	Subject *subject `json:"subject,omitempty"`
	Problem string   `json:"problem"`
}

type subject struct {
	CommonName    string   `json:"commonName"`
	Organizations []string `json:"organizations"`
	UIDs          []string `json:"uids"`
	Identifier    string   `json:"identifier"`
}

type authority struct {
	der []byte
	key ed25519.PrivateKey
}

func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

var serial = int64(1000)

func issue(name string, issuer *authority, change func(*x509.Certificate)) *authority {
	serial++
	key := keyOf(name)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(serial),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(time.Hour),
		BasicConstraintsValid: true,
	}
	if change != nil {
		change(template)
	}
	parent, signer := template, key
	if issuer != nil {
		parsed, err := x509.ParseCertificate(issuer.der)
		if err != nil {
			panic(err)
		}
		parent, signer = parsed, issuer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		panic(err)
	}
	return &authority{der, key}
}

func ca(c *x509.Certificate) { c.IsCA = true; c.KeyUsage = x509.KeyUsageCertSign }

func with(changes ...func(*x509.Certificate)) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		for _, change := range changes {
			change(c)
		}
	}
}

// An attribute of a subject with the given string type.
type attribute struct {
	oid  asn1.ObjectIdentifier
	tag  int
	text []byte
}

var (
	cn = asn1.ObjectIdentifier{2, 5, 4, 3}
	o  = asn1.ObjectIdentifier{2, 5, 4, 10}
	ou = asn1.ObjectIdentifier{2, 5, 4, 11}
	// Kubernetes' attribute for the UID of a user.
	uid = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57683, 2}
)

func utf8(oid asn1.ObjectIdentifier, text string) attribute {
	return attribute{oid, asn1.TagUTF8String, []byte(text)}
}

// One set of attributes after the other.
func named(sets ...[]attribute) func(*x509.Certificate) {
	type pair struct {
		Type  asn1.ObjectIdentifier
		Value asn1.RawValue
	}
	var sequence []asn1.RawValue
	for _, set := range sets {
		var content []byte
		for _, a := range set {
			der, err := asn1.Marshal(pair{a.oid, asn1.RawValue{Tag: a.tag, Bytes: a.text}})
			if err != nil {
				panic(err)
			}
			content = append(content, der...)
		}
		sequence = append(sequence, asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: content})
	}
	raw, err := asn1.Marshal(sequence)
	if err != nil {
		panic(err)
	}
	return func(c *x509.Certificate) { c.RawSubject = raw }
}

func one(attributes ...attribute) [][]attribute {
	var sets [][]attribute
	for _, a := range attributes {
		sets = append(sets, []attribute{a})
	}
	return sets
}

func usage(usages ...x509.ExtKeyUsage) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.ExtKeyUsage = usages }
}

func critical(oid asn1.ObjectIdentifier) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: oid, Critical: true, Value: []byte{5, 0}})
	}
}

func depth(n int) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.MaxPathLen = n; c.MaxPathLenZero = n == 0 }
}

func years(from, to int) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.NotBefore = now.AddDate(from, 0, 0); c.NotAfter = now.AddDate(to, 0, 0) }
}

func main() {
	root := issue("root", nil, ca)
	other := issue("other", nil, ca)
	middle := issue("middle", root, ca)
	lower := issue("lower", middle, ca)
	var vectors []vector
	add := func(name string, leaf *authority, roots []*authority, between ...*authority) {
		v := vector{Name: name, Leaf: leaf.der, Now: now.Format(time.RFC3339), Intermediates: [][]byte{}, Roots: [][]byte{}}
		options := x509.VerifyOptions{
			Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), CurrentTime: now,
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		}
		for _, r := range roots {
			v.Roots = append(v.Roots, r.der)
			if parsed, err := x509.ParseCertificate(r.der); err == nil {
				options.Roots.AddCert(parsed)
			}
		}
		for _, b := range between {
			v.Intermediates = append(v.Intermediates, b.der)
			if parsed, err := x509.ParseCertificate(b.der); err == nil {
				options.Intermediates.AddCert(parsed)
			}
		}
		if parsed, err := x509.ParseCertificate(leaf.der); err == nil {
			organizations := parsed.Subject.Organization
			if organizations == nil {
				organizations = []string{}
			}
			uids := []string{}
			for _, name := range parsed.Subject.Names {
				if text, isText := name.Value.(string); isText && name.Type.Equal(uid) {
					uids = append(uids, text)
				}
			}
			v.Subject = &subject{parsed.Subject.CommonName, organizations, uids, identifier(parsed)}
			if _, err := parsed.Verify(options); err != nil {
				v.Problem, _, _ = strings.Cut(err.Error(), hint)
			}
		}
		vectors = append(vectors, v)
	}
	subjects := map[string]func(*x509.Certificate){
		"the last common name counts":         named(one(utf8(cn, "first"), utf8(o, "a"), utf8(cn, "last"))...),
		"no common name":                      named(one(utf8(o, "a"))...),
		"an empty common name after another":  named(one(utf8(cn, "first"), utf8(cn, ""))...),
		"several attributes in one set":       named([]attribute{utf8(o, "a"), utf8(cn, "x"), utf8(o, "b")}),
		"a line feed in an organization":      named(one(utf8(o, "a\nO=system:masters"), utf8(cn, "x"))...),
		"a separator in an organization":      named(one(utf8(o, "a + O=system:masters"), utf8(cn, "x, y"))...),
		"escapes in an organization":          named(one(utf8(o, "a\\0AO=b\\,\\"), utf8(cn, "\\"))...),
		"control bytes in a common name":      named(one(utf8(cn, "a\x00b\x01\x1f\x7f\r\n"))...),
		"characters beyond ASCII":             named(one(utf8(o, "Ünïcode 漢字 🚢"), utf8(cn, "ß"))...),
		"other attributes beside":             named(one(utf8(ou, "unit"), utf8(o, "a"), utf8(cn, "x"))...),
		"a printable string":                  named(one(attribute{cn, asn1.TagPrintableString, []byte("a*b&c:d")})...),
		"a printable string that is not":      named(one(attribute{cn, asn1.TagPrintableString, []byte("a@b")})...),
		"an IA5 string":                       named(one(attribute{cn, asn1.TagIA5String, []byte("a@b\n")})...),
		"an IA5 string that is not":           named(one(attribute{cn, asn1.TagIA5String, []byte("\xe9")})...),
		"a numeric string":                    named(one(attribute{cn, asn1.TagNumericString, []byte("12 3")})...),
		"a numeric string that is not":        named(one(attribute{cn, asn1.TagNumericString, []byte("1a")})...),
		"a T.61 string":                       named(one(attribute{cn, asn1.TagT61String, []byte("\xe9\x80")})...),
		"a BMP string":                        named(one(attribute{cn, asn1.TagBMPString, []byte{0, 'a', 0x6f, 0x22, 0, 0}})...),
		"a BMP string with half a character":  named(one(attribute{cn, asn1.TagBMPString, []byte{0xd8, 0, 0xdc, 0}})...),
		"invalid UTF-8":                       named(one(utf8(cn, "a\xff"))...),
		"a byte order mark":                   named(one(utf8(cn, "\ufeffa"))...),
		"a universal string":                  named(one(attribute{cn, 28, []byte{0, 0, 0, 'a'}})...),
		"a bad string in an unread attribute": named(one(attribute{ou, asn1.TagPrintableString, []byte("@")}, utf8(cn, "x"))...),
		"an empty subject":                    named(),
	}
	for _, name := range sortedKeys(subjects) {
		add(name, issue("leaf", root, subjects[name]), []*authority{root})
	}
	roots := []*authority{root}
	leafOf := func(issuer *authority, changes ...func(*x509.Certificate)) *authority {
		return issue("leaf", issuer, with(changes...))
	}
	add("signed by the root", leafOf(root), roots)
	add("signed by another root", leafOf(other), roots)
	add("one of two roots", leafOf(other), []*authority{root, other})
	add("through an intermediate", leafOf(middle), roots, middle)
	add("through an intermediate that is not sent", leafOf(middle), roots)
	add("through two intermediates, sent in disorder", leafOf(lower), roots, middle, lower)
	add("an intermediate as the root", leafOf(middle), []*authority{middle})
	add("signed by the same name with another key", leafOf(issue("impostor", nil, with(ca, func(c *x509.Certificate) {
		c.Subject.CommonName = "root"
	}))), roots)
	add("expired", leafOf(root, years(-2, -1)), roots)
	add("not yet valid", leafOf(root, years(1, 2)), roots)
	add("expired, of an unknown authority", leafOf(other, years(-2, -1)), roots)
	add("through an expired intermediate", leafOf(issue("old", root, with(ca, years(-2, -1)))), roots, issue("old", root, with(ca, years(-2, -1))))
	add("of an expired root", leafOf(issue("old root", nil, with(ca, years(-2, -1)))), []*authority{issue("old root", nil, with(ca, years(-2, -1)))})
	add("for servers only", leafOf(root, usage(x509.ExtKeyUsageServerAuth)), roots)
	add("for clients", leafOf(root, usage(x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth)), roots)
	add("for any use", leafOf(root, usage(x509.ExtKeyUsageAny)), roots)
	servers := issue("servers", root, with(ca, usage(x509.ExtKeyUsageServerAuth)))
	add("an intermediate for servers only", leafOf(servers, usage(x509.ExtKeyUsageClientAuth)), roots, servers)
	plain := issue("plain", root, nil)
	add("signed by what is no authority", leafOf(plain), roots, plain)
	add("signed by a root that is no authority", leafOf(issue("self", nil, nil)), []*authority{issue("self", nil, nil)})
	encrypts := issue("encrypts", root, func(c *x509.Certificate) { c.IsCA = true; c.KeyUsage = x509.KeyUsageKeyEncipherment })
	add("an authority whose key may not sign", leafOf(encrypts), roots, encrypts)
	shallow := issue("shallow", nil, with(ca, depth(0)))
	below := issue("below", shallow, ca)
	add("right below a root that allows no intermediates", leafOf(shallow), []*authority{shallow})
	add("too deep below a root", leafOf(below), []*authority{shallow}, below)
	one := issue("depth 1", nil, with(ca, depth(1)))
	belowOne := issue("below 1", one, ca)
	add("as deep as allowed", leafOf(belowOne), []*authority{one}, belowOne)
	self := issue("myself", nil, nil)
	add("the certificate itself is in the bundle", self, []*authority{self})
	add("self-signed", self, roots)
	unknown := asn1.ObjectIdentifier{1, 2, 3, 4}
	add("an unknown critical extension", leafOf(root, critical(unknown)), roots)
	strange := issue("strange", root, with(ca, critical(unknown)))
	add("an unknown critical extension in an intermediate", leafOf(strange), roots, strange)
	constrained := issue("constrained", root, with(ca, func(c *x509.Certificate) {
		c.PermittedDNSDomains, c.PermittedDNSDomainsCritical = []string{"example.com"}, true
	}))
	add("name constraints, without names", leafOf(constrained), roots, constrained)
	add("name constraints, with another name", leafOf(constrained, func(c *x509.Certificate) { c.DNSNames = []string{"example.org"} }), roots, constrained)
	add("alternative names", leafOf(root, func(c *x509.Certificate) {
		c.DNSNames, c.IPAddresses = []string{"a"}, []net.IP{net.IPv4(10, 0, 0, 1)}
	}), roots)
	add("an empty bundle", leafOf(other), nil)
	add("the UID of a user", leafOf(root, named([]attribute{utf8(cn, "x")}, []attribute{utf8(uid, "u-1")})), roots)
	add("several UIDs of a user", leafOf(root, named([]attribute{utf8(uid, "a"), utf8(cn, "x"), utf8(uid, "")})), roots)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(vectors); err != nil {
		panic(err)
	}
}
