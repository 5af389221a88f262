// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/logs"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// patience is how long etcd, and then the API server, may take until it is ready.
const patience = 2 * time.Minute

// notAdmitted are the admission plugins that change what is created, or refuse what a scheduler may meet: who creates
// objects says itself which priority, taints and tolerations they have, and in which namespace they are.
const notAdmitted = "DefaultStorageClass,DefaultTolerationSeconds,NamespaceLifecycle,PodSecurity,Priority," +
	"RuntimeClass,ServiceAccount,StorageObjectInUseProtection,TaintNodesByCondition"

// auditPolicy logs each request with its body and with the response, when it has ended.
const auditPolicy = `{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
"rules": [{"level": "RequestResponse"}]}
`

// start starts etcd and the API server, and returns the path of a kubeconfig when the API server is ready.
func start(folder, audit string) (string, error) {
	store, err := startStore(folder)
	if err != nil {
		return "", fmt.Errorf("etcd: %w", err)
	}
	credentials, err := credentialsIn(folder)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", credentials.address)
	if err != nil {
		return "", err
	}
	if err := credentials.writeKubeconfig(listener.Addr().String()); err != nil {
		return "", err
	}
	flags, err := auditFlags(folder, audit)
	if err != nil {
		return "", err
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(listener, store, credentials, flags) }()
	return credentials.kubeconfig, waitUntilReady(credentials.kubeconfig, failed)
}

// auditFlags are those with which the API server writes this audit log, if it is to write one.
func auditFlags(folder, audit string) ([]string, error) {
	if audit == "" {
		return nil, nil
	}
	policy := filepath.Join(folder, "audit-policy.json")
	flags := []string{"--audit-policy-file=" + policy, "--audit-log-path=" + audit}
	return flags, os.WriteFile(policy, []byte(auditPolicy), 0o600)
}

// serve runs the API server, and returns why it has ended.
func serve(listener net.Listener, store string, with credentials, more []string) error {
	run := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range run.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	run.SecureServing.Listener = listener
	run.SystemNamespaces = nil // which namespaces exist is said by who creates them
	err := flags.Parse(append([]string{
		"--advertise-address=127.0.0.1",
		"--allow-privileged=true",
		"--authorization-mode=AlwaysAllow",
		"--disable-admission-plugins=" + notAdmitted,
		"--enable-priority-and-fairness=false",
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + store,
		"--profiling=false",
		"--service-account-issuer=https://localhost",
		"--service-account-key-file=" + with.key,
		"--service-account-signing-key-file=" + with.key,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--tls-cert-file=" + with.certificate,
		"--tls-private-key-file=" + with.key,
		"--token-auth-file=" + with.tokens,
	}, more...))
	if err != nil {
		return err
	}
	logs.InitLogs()
	ctx := context.Background()
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	completed, err := run.Complete(ctx)
	if err != nil {
		return err
	}
	if problems := completed.Validate(); len(problems) > 0 {
		return errors.Join(problems...)
	}
	return apiserver.Run(ctx, completed)
}

// waitUntilReady returns when the API server says that it is ready.
func waitUntilReady(kubeconfig string, failed <-chan error) error {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Clean(kubeconfig))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err = client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case err := <-failed:
			return fmt.Errorf("kube-apiserver: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
