// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startStore starts etcd and returns its address, a socket in the folder: only this user can reach it. It does not wait
// for the disk, since nothing is to be recovered after the machine has crashed.
func startStore(folder string) (string, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "etcd")
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	clients := []url.URL{{Scheme: "unix", Path: filepath.Join(folder, "clients.sock")}}
	peers := []url.URL{{Scheme: "unix", Path: filepath.Join(folder, "peers.sock")}}
	config.ListenClientUrls, config.AdvertiseClientUrls = clients, clients
	config.ListenPeerUrls, config.AdvertisePeerUrls = peers, peers
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return clients[0].String(), nil
	case err := <-etcd.Err():
		return "", err
	case <-time.After(patience):
		return "", errors.New("it is not ready")
	}
}
