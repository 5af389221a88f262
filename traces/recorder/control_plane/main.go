// SPDX-License-Identifier: Apache-2.0

// control-plane is what a scheduler needs around it: etcd and kube-apiserver v1.37 in one process, on the loopback
// interface. When the API server is ready, it prints one line, the path of a kubeconfig. It removes all that it has made
// and ends when its stdin closes, as it does when its parent ends in whatever way, and on SIGTERM and SIGINT.
//
// With -folder it keeps its data there, and leaves it: started there again, it goes on with the same data, at the same
// address, for the same clients. With -audit FILE the API server writes an audit log, with requests and responses.
//
// `control-plane scheduler FLAGS` is the unmodified kube-scheduler.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "scheduler" {
		os.Args = append(os.Args[:1], os.Args[2:]...)
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	}
	kept := flag.String("folder", "", "where the data is kept")
	audit := flag.String("audit", "", "the file of an audit log")
	flag.Parse()
	folder, removed := *kept, ""
	if folder == "" {
		made, err := os.MkdirTemp("", "refsched-control-plane-")
		if err != nil {
			end("", err)
		}
		folder, removed = made, made
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		end(removed, nil)
	}()
	signal.Ignore(syscall.SIGPIPE) // of a parent that reads no longer what is logged
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		end(removed, nil)
	}()
	kubeconfig, err := start(folder, *audit)
	if err != nil {
		end(removed, err)
	}
	fmt.Println(kubeconfig)
	select {}
}

var ending sync.Mutex

// end removes the folder and ends the process. The folder is renamed first, and removed again where etcd has written
// into it meanwhile.
func end(folder string, err error) {
	ending.Lock()
	if folder != "" {
		os.Rename(folder, folder+"-ended")
		for range 1000 {
			if os.RemoveAll(folder+"-ended") == nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "control-plane:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
