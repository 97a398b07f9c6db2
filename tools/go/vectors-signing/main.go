//go:build overlay

// Writes certificate requests, valid and invalid, and the results of upstream's signers: the certificate without its
// serial number and signature, or the error. Keys are derived from names, so that the output is the same each time.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	capi "k8s.io/api/certificates/v1"
	"k8s.io/client-go/util/keyutil"

	"steersman/tools/upstream/pkg/controller/certificates/signer"
)

var count, random = 240, rand.New(rand.NewSource(1))

// SEED=<number> gives other requests, ten times as many.
func init() {
	if text := os.Getenv("SEED"); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		must(err)
		count, random = 2400, rand.New(rand.NewSource(seed))
	}
}

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

type authority struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

type vector struct {
	Authority         string   `json:"authority"`
	Signer            string   `json:"signer"`
	Request           string   `json:"request"`
	Usages            []string `json:"usages"`
	ExpirationSeconds *int32   `json:"expirationSeconds,omitempty"`
	// Why the signer refuses it.
	Refusal string `json:"refusal,omitempty"`
	// Why it fails.
	Error string `json:"error,omitempty"`
	// The consecutive parts of the signed certificate, without the serial number.
	Signed []byte `json:"signed,omitempty"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func pick[T any](options ...T) T { return options[random.Intn(len(options))] }

func chance(percent int) bool { return random.Intn(100) < percent }

func ecKey(name string, curve elliptic.Curve) *ecdsa.PrivateKey {
	digest := sha512.Sum512([]byte(name))
	scalar := new(big.Int).SetBytes(digest[:])
	scalar.Mod(scalar, new(big.Int).Sub(curve.Params().N, big.NewInt(1)))
	scalar.Add(scalar, big.NewInt(1))
	key, err := ecdsa.ParseRawPrivateKey(curve, scalar.FillBytes(make([]byte, (curve.Params().BitSize+7)/8)))
	must(err)
	return key
}

func edKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func parsedKey(text string) crypto.Signer {
	key, err := keyutil.ParsePrivateKeyPEM([]byte(text))
	must(err)
	return key.(crypto.Signer)
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func newAuthority(name string, key crypto.Signer, change func(*x509.Certificate)) authority {
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(7),
		Subject:               pkix.Name{CommonName: "ca-" + name, Organization: []string{"Kubernetes & friends"}},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(200 * 24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	must(err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	return authority{pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", raw)}
}

type attribute struct {
	Type  asn1.ObjectIdentifier
	Value asn1.RawValue
}

func text(tag int, bytes string) asn1.RawValue { return asn1.RawValue{Tag: tag, Bytes: []byte(bytes)} }

func value() asn1.RawValue {
	return pick(
		text(asn1.TagUTF8String, pick("system:nodes", "plain", "with space", "Zoë", "star*", "a&b", "mail@example.com", "日本", "", "under_score", strings.Repeat("long ", 30))),
		text(asn1.TagPrintableString, pick("Printable", "star*", "a&b", "quote'", "a/b:c=d?")),
		text(asn1.TagIA5String, pick("ia5", "at@example.com")),
		text(asn1.TagT61String, pick("t61", "caf\xe9")),
		text(asn1.TagBMPString, pick("\x00b\x00m\x00p", "\x00b\x00\x00", "\x30\x42")),
		text(asn1.TagNumericString, pick("123 456", "7")),
	)
}

func oddValue() asn1.RawValue {
	return pick(
		text(asn1.TagInteger, "\x05"),
		text(asn1.TagOctetString, "octets"),
		text(asn1.TagPrintableString, "no_underscore"),
		text(asn1.TagNumericString, "12x"),
		text(asn1.TagIA5String, "\xe9"),
		text(asn1.TagUTF8String, "\xff\xfe"),
		text(asn1.TagBMPString, "\xd8\x00"),
	)
}

func subject(commonName string, organizations []string) []byte {
	var sets []asn1.RawValue
	add := func(attributes ...attribute) {
		var content []byte
		for _, one := range attributes {
			der, err := asn1.Marshal(one)
			must(err)
			content = append(content, der...)
		}
		sets = append(sets, asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: content})
	}
	known := func(number int, v asn1.RawValue) attribute {
		return attribute{asn1.ObjectIdentifier{2, 5, 4, number}, v}
	}
	for _, organization := range organizations {
		add(known(10, text(pick(asn1.TagUTF8String, asn1.TagUTF8String, asn1.TagPrintableString), organization)))
	}
	if commonName != "" {
		add(known(3, text(asn1.TagUTF8String, commonName)))
	}
	for chance(40) {
		add(known(pick(3, 5, 6, 7, 8, 9, 10, 11, 17, 4, 42), value()))
	}
	if chance(10) {
		add(known(pick(7, 8), value()), known(pick(6, 11), value()))
	}
	if chance(5) {
		add(attribute{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 1}, text(asn1.TagIA5String, "e@example.com")})
	}
	if chance(6) {
		add(known(pick(3, 10, 7), oddValue()))
	}
	der, err := asn1.Marshal(sets)
	must(err)
	if sets == nil {
		der = []byte{0x30, 0}
	}
	return der
}

func name(kind int, text string) asn1.RawValue {
	return asn1.RawValue{Class: 2, Tag: kind, Bytes: []byte(text)}
}

const (
	email = 1
	dns   = 2
	uri   = 6
	ip    = 7
)

func goodName() asn1.RawValue {
	switch pick(email, dns, dns, uri, ip, 0, 8) {
	case email:
		return name(email, pick("a@example.com", "", "no at"))
	case dns:
		return name(dns, pick("a.example.com", "*.example.com", "localhost", "", "trailing.", "UPPER", "under_score"))
	case uri:
		return name(uri, pick("spiffe://cluster.local/ns/a/sa/b", "HTTP://Example.com/Path?q=1#f", "http://example.com/a b", "http://example.com#",
			"http://example.com?", "mailto:a@example.com", "/relative/path", "http://u:p@example.com:80/", "http://u%40x@h/%7Efoo/%2f", "urn:x:y z", "http://[::1]:80/x",
			"http://h/\"quoted\"", "http://h/a?b c", "ftp://h/x#frag ment", "*", "", "//host/path", "http://", "http://h/%zz"))
	case ip:
		return name(ip, pick("\x0a\x00\x00\x01", strings.Repeat("\x00", 10)+"\xff\xff\x0a\x00\x00\x02", "\xfd"+strings.Repeat("\x00", 14)+"\x01"))
	case 8:
		return name(8, "\x2a\x03")
	default:
		return asn1.RawValue{Class: 2, Tag: 0, IsCompound: true, Bytes: []byte{6, 2, 42, 3}}
	}
}

func badName() asn1.RawValue {
	return pick(
		name(ip, "\x0a\x00\x01"),
		name(dns, "caf\xe9.example.com"),
		name(email, "caf\xe9@example.com"),
		name(uri, "http://example.com/%zz"),
		name(uri, "http://exam ple.com/"),
		name(uri, "http://example.com./"),
		name(uri, ":missing"),
		name(uri, "a:b:c//%"),
		name(uri, "http://[::1/"),
		name(uri, "http://h:port/"),
		name(uri, "http://\x01/"),
		name(uri, "1:2"),
	)
}

func names(allowed ...func() asn1.RawValue) pkix.Extension {
	var list []asn1.RawValue
	for _, one := range allowed {
		list = append(list, one())
	}
	der, err := asn1.Marshal(list)
	must(err)
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: der, Critical: chance(20)}
}

func extensions(kubelet string) []pkix.Extension {
	var list []pkix.Extension
	host := func() asn1.RawValue { return pick(name(dns, "node.example.com"), name(ip, "\x0a\x00\x00\x07")) }
	switch {
	case kubelet == "kubernetes.io/kubelet-serving" && chance(85):
		if list = append(list, names(host, host)); chance(15) {
			list = []pkix.Extension{names(host, goodName)}
		}
	case kubelet == "kubernetes.io/kube-apiserver-client-kubelet" && chance(80):
	case chance(60):
		some := []func() asn1.RawValue{goodName}
		for chance(60) {
			some = append(some, goodName)
		}
		if chance(12) {
			some = append(some, badName)
		}
		list = append(list, names(some...))
	}
	if chance(15) {
		list = append(list, pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 3, 1, 1, 0xff}})
	}
	if chance(15) {
		list = append(list, pkix.Extension{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Value: []byte("anything")})
	}
	if chance(4) {
		list = append(list, pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: pick([]byte{0x30, 0}, []byte{4, 0}, []byte{0x30, 5})})
	}
	return list
}

var requesters = []struct {
	key        crypto.Signer
	algorithms []x509.SignatureAlgorithm
}{
	{edKey("requester"), []x509.SignatureAlgorithm{x509.PureEd25519}},
	{ecKey("requester", elliptic.P224()), []x509.SignatureAlgorithm{x509.ECDSAWithSHA256}},
	{ecKey("requester", elliptic.P256()), []x509.SignatureAlgorithm{x509.ECDSAWithSHA256, x509.ECDSAWithSHA1, x509.ECDSAWithSHA512}},
	{ecKey("requester", elliptic.P384()), []x509.SignatureAlgorithm{x509.ECDSAWithSHA384}},
	{ecKey("requester", elliptic.P521()), []x509.SignatureAlgorithm{x509.ECDSAWithSHA512}},
	{parsedKey(rsaRequester), []x509.SignatureAlgorithm{x509.SHA256WithRSA, x509.SHA1WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA}},
}

var usages = []string{"signing", "digital signature", "content commitment", "key encipherment", "key agreement", "data encipherment", "cert sign", "crl sign", "encipher only", "decipher only",
	"any", "server auth", "client auth", "code signing", "email protection", "s/mime", "ipsec end system", "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing", "microsoft sgc", "netscape sgc"}

func usagesFor(signerName string) (list []string) {
	switch {
	case signerName == "kubernetes.io/kubelet-serving" && chance(90):
		return pick([]string{"digital signature", "server auth"}, []string{"server auth", "key encipherment", "digital signature"})
	case signerName == "kubernetes.io/kube-apiserver-client-kubelet" && chance(90):
		return pick([]string{"digital signature", "client auth"}, []string{"client auth", "key encipherment", "digital signature"})
	case signerName == "kubernetes.io/kube-apiserver-client" && chance(80):
		return pick([]string{"client auth"}, []string{"client auth", "digital signature"}, []string{"key encipherment", "client auth"})
	}
	for chance(75) {
		list = append(list, pick(usages...))
	}
	if chance(5) {
		list = append(list, pick("unknown", "Client Auth"))
	}
	return list
}

// Without the serial number, which is the second part.
func signedParts(certificate []byte) (out []byte) {
	block, _ := pem.Decode(certificate)
	parsed, err := x509.ParseCertificate(block.Bytes)
	must(err)
	var tbs asn1.RawValue
	_, err = asn1.Unmarshal(parsed.RawTBSCertificate, &tbs)
	must(err)
	for rest, at := tbs.Bytes, 0; len(rest) > 0; at++ {
		var part asn1.RawValue
		rest, err = asn1.Unmarshal(rest, &part)
		must(err)
		if at != 1 {
			out = append(out, part.FullBytes...)
		}
	}
	return out
}

func request(signerName string) string {
	requester := pick(requesters...)
	commonName, organizations := pick("jane", "system:node:a", "", "*"), []string(nil)
	if strings.Contains(signerName, "kubelet") && chance(85) {
		commonName, organizations = "system:node:a", []string{"system:nodes"}
	} else if chance(40) {
		organizations = []string{pick("zebra", "a"), pick("dev", "admins")}
	}
	raw := subject(commonName, organizations)
	der, err := x509.CreateCertificateRequest(nil, &x509.CertificateRequest{
		SignatureAlgorithm: pick(requester.algorithms...),
		RawSubject:         raw,
		ExtraExtensions:    extensions(signerName),
	}, requester.key)
	must(err)
	switch random.Intn(40) {
	case 0:
		der[len(der)-3] ^= 1
	case 1:
		der = der[:len(der)-random.Intn(60)-1]
	case 2:
		der = append(der, 0)
	case 3:
		return pemOf("CERTIFICATE", der)
	case 4:
		return "text before\n" + pemOf("CERTIFICATE REQUEST", der) + "text after"
	case 5:
		der[random.Intn(len(der))] ^= 1 << random.Intn(8)
	}
	return pemOf("CERTIFICATE REQUEST", der)
}

func main() {
	directory, err := os.MkdirTemp("", "signing")
	must(err)
	defer os.RemoveAll(directory)
	withKeyID := func(c *x509.Certificate) { c.SubjectKeyId = []byte{1, 2, 3, 4, 5} }
	authorities := map[string]authority{
		"rsa":     newAuthority("rsa", parsedKey(rsaAuthority), nil),
		"p256":    newAuthority("p256", ecKey("ca", elliptic.P256()), withKeyID),
		"p384":    newAuthority("p384", ecKey("ca", elliptic.P384()), nil),
		"p521":    newAuthority("p521", ecKey("ca", elliptic.P521()), nil),
		"ed25519": newAuthority("ed25519", edKey("ca"), func(c *x509.Certificate) { c.NotAfter = time.Date(2051, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"expired": newAuthority("expired", edKey("expired"), func(c *x509.Certificate) { c.NotAfter = now }),
		"jane":    newAuthority("jane", edKey("jane"), func(c *x509.Certificate) { c.Subject = pkix.Name{CommonName: "jane"} }),
	}
	for name, one := range authorities {
		must(os.WriteFile(filepath.Join(directory, name+".crt"), []byte(one.Certificate), 0o600))
		must(os.WriteFile(filepath.Join(directory, name+".key"), []byte(one.Key), 0o600))
	}
	const ttl = 365 * 24 * time.Hour
	var vectors []vector
	for range count {
		v := vector{
			Authority: pick("rsa", "p256", "p384", "p521", "ed25519", "rsa", "p256", "ed25519", "jane"),
			Signer:    pick(capi.KubeletServingSignerName, capi.KubeAPIServerClientKubeletSignerName, capi.KubeAPIServerClientSignerName, "kubernetes.io/legacy-unknown", "kubernetes.io/legacy-unknown"),
		}
		if chance(3) {
			v.Authority = "expired"
		}
		v.Request, v.Usages = request(v.Signer), usagesFor(v.Signer)
		if chance(50) {
			seconds := pick[int32](60, 600, 3600, 8*3600-1, 8*3600, 100*24*3600, 1000*24*3600)
			v.ExpirationSeconds = &seconds
		}
		spec := capi.CertificateSigningRequestSpec{Request: []byte(v.Request), ExpirationSeconds: v.ExpirationSeconds}
		for _, usage := range v.Usages {
			spec.Usages = append(spec.Usages, capi.KeyUsage(usage))
		}
		outcome, err := signer.Sign(v.Signer, filepath.Join(directory, v.Authority+".crt"), filepath.Join(directory, v.Authority+".key"), ttl, spec, now)
		switch {
		case err != nil:
			v.Error = err.Error()
		case outcome.Refusal != "":
			v.Refusal = outcome.Refusal
		default:
			v.Signed = signedParts(outcome.Certificate)
		}
		vectors = append(vectors, v)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	must(encoder.Encode(map[string]any{"now": now.Format(time.RFC3339), "authorities": authorities, "vectors": vectors}))
}
