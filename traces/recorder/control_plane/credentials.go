// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"net"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// anyPort is the address of an API server that was not started before.
const anyPort = "127.0.0.1:0"

// credentials are the paths of files that only this user can read, and the address at which the API server listens.
type credentials struct {
	certificate, key, tokens, kubeconfig, address string
}

// credentialsIn are those of a folder. Those that an API server has used there before are used again, with its address.
func credentialsIn(folder string) (credentials, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	made := credentials{in("server.crt"), in("server.key"), in("tokens.csv"), in("kubeconfig"), anyPort}
	if config, err := clientcmd.LoadFromFile(made.kubeconfig); err == nil {
		made.address = strings.TrimPrefix(config.Clusters["refsched"].Server, "https://")
		return made, nil
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return made, err
	}
	for path, content := range map[string][]byte{
		made.certificate: certificate,
		made.key:         key,
		made.tokens:      []byte(rand.Text() + ",refsched,refsched,system:masters\n"),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return made, err
		}
	}
	return made, nil
}

// writeKubeconfig writes the file with which a client reaches the API server at this address.
func (with credentials) writeKubeconfig(address string) error {
	certificate, err := os.ReadFile(with.certificate)
	if err != nil {
		return err
	}
	tokens, err := os.ReadFile(with.tokens)
	if err != nil {
		return err
	}
	token, _, _ := strings.Cut(string(tokens), ",")
	config := api.NewConfig()
	config.Clusters["refsched"] = &api.Cluster{Server: "https://" + address, CertificateAuthorityData: certificate}
	config.AuthInfos["refsched"] = &api.AuthInfo{Token: token}
	config.Contexts["refsched"] = &api.Context{Cluster: "refsched", AuthInfo: "refsched"}
	config.CurrentContext = "refsched"
	return clientcmd.WriteToFile(*config, with.kubeconfig)
}
