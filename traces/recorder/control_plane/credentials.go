// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// credentials are the paths of files that only this user can read.
type credentials struct {
	certificate, key, tokens, kubeconfig string
}

// writeCredentials makes a certificate of the API server, a token of its client, and a kubeconfig with both.
func writeCredentials(folder, address string) (credentials, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	made := credentials{in("server.crt"), in("server.key"), in("tokens.csv"), in("kubeconfig")}
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return made, err
	}
	token := rand.Text()
	for path, content := range map[string][]byte{
		made.certificate: certificate,
		made.key:         key,
		made.tokens:      []byte(token + ",refsched,refsched,system:masters\n"),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return made, err
		}
	}
	config := api.NewConfig()
	config.Clusters["refsched"] = &api.Cluster{Server: "https://" + address, CertificateAuthorityData: certificate}
	config.AuthInfos["refsched"] = &api.AuthInfo{Token: token}
	config.Contexts["refsched"] = &api.Context{Cluster: "refsched", AuthInfo: "refsched"}
	config.CurrentContext = "refsched"
	return made, clientcmd.WriteToFile(*config, made.kubeconfig)
}
