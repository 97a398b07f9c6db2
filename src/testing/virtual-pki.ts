// The keys and the CA of every cluster in virtual time. Such a cluster has no socket, so these keys protect nothing,
// and the same seed gives the same ca.crt. A cluster that listens issues new keys.

import type { InnerPki } from "#platform/certificates/cluster-pki.ts";

/** Valid from 2000 to 2999: a test can choose any start time. */
export const virtualPki: InnerPki = {
  ca: {
    certificatePem: `-----BEGIN CERTIFICATE-----
MIIBkjCCATegAwIBAgIQTicHJebHmvnBmImDiF0lYTAKBggqhkjOPQQDAjAXMRUw
EwYDVQQDDAxzdGVlcnNtYW4tY2EwIBcNMDAwMTAxMDAwMDAwWhgPMjk5OTEyMzEy
MzU5NTlaMBcxFTATBgNVBAMMDHN0ZWVyc21hbi1jYTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABNEqeR8amn5pIJfScFMLup0T+TGdbqDIq3zK0JCRnd9AiEx6H7nv
L8YZ2nAJCAZCixgLVimfBea1oGq4EiqO7eWjYzBhMA4GA1UdDwEB/wQEAwIBhjAP
BgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBS/qi5BphA/pqDEn+28iyHKMTCSIjAf
BgNVHSMEGDAWgBS/qi5BphA/pqDEn+28iyHKMTCSIjAKBggqhkjOPQQDAgNJADBG
AiEAjok+lXf79KbFifliOkzP41QRSx1jtJCpfVgLwQCMGDQCIQDTJSTKmAs8dYsF
1XGygBu0m9IVQyDbNPjEa5JV3XoOnA==
-----END CERTIFICATE-----
`,
    keyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpy27iHBzgEu5uvS6
GYVr0LVpg9PqHsE1ezr1XiFGAJ2hRANCAATRKnkfGpp+aSCX0nBTC7qdE/kxnW6g
yKt8ytCQkZ3fQIhMeh+57y/GGdpwCQgGQosYC1YpnwXmtaBquBIqju3l
-----END PRIVATE KEY-----
`,
  },
  accountKeyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYITASQ4JCXdJVhA7
zec6K3Nua1QVJyT1zJifpmd/My6hRANCAAQ1Yo/UvgtX1qUXzAURPdSDSVwc6bhC
7447ho8jNJLqQ0ZYyMdGAs5q23+S7C6xeIXydekif3/CV15s/BvQJ0Vc
-----END PRIVATE KEY-----
`,
};
